"""The front door: a project opens its store, its indexes and its embedder, and answers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from glassdex.analysis import Analyzer, analyzer
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.protocol import Embedder
from glassdex.errors import (
    DocumentNotFound,
    GlassdexError,
    InputError,
    ProjectExists,
    ProjectNotFound,
    RootConflict,
    RootNotFound,
    StoreLocked,
)
from glassdex.inspection.chunks import DocumentChunks, document_chunks
from glassdex.inspection.execution import Execution
from glassdex.inspection.find_document import FoundDocument, find_chunk, find_document, project_of
from glassdex.inspection.ladder import WhyNot
from glassdex.inspection.listing import ProjectListing
from glassdex.inspection.passage import Passage, open_passage
from glassdex.inspection.status import Status, project_status
from glassdex.inspection.unindexed import ignoring, inspect_unindexed
from glassdex.inspection.why_not import why_not, why_not_unindexed
from glassdex.lexical.entries import lexical_identity
from glassdex.pointers import parse_pointer
from glassdex.reading.registry import reader_identities
from glassdex.search.engine import Execution as SearchExecution
from glassdex.search.engine import SearchEngine
from glassdex.search.neighbors import Neighbors
from glassdex.search.request import SearchOptions, SearchRequest
from glassdex.settings import load_settings, projects_folder
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.lock import writer_lock
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.vectors.exact import ExactVectorIndex

if TYPE_CHECKING:
    from glassdex.evaluation.calibration import Calibration
    from glassdex.indexing.progress import Progress
    from glassdex.indexing.run import IndexReport
    from glassdex.inspection.doctor import Diagnosis

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SUFFIX = ".db"


class Project:
    """A named set of root folders with its own store; a context manager. Made by the class methods below."""

    def __init__(self, name: str, store: SqliteStore, embedder: Embedder | None = None) -> None:
        self.name = name
        self.store = store
        self._shipped_embedder = MiniLmEmbedder()
        self.embedder: Embedder = embedder or self._shipped_embedder
        self.previous_embedder: Embedder | None = None
        """The model that `identity="previous"` may embed a query with, beside the shipped one."""
        with store.read() as snapshot:
            self.language = str(snapshot.meta("language") or "english")
        self._engine: SearchEngine | None = None

    @classmethod
    def create(
        cls,
        name: str,
        roots: Sequence[str | Path],
        *,
        language: str | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """A new project over existing folders, kept in the user's data folder.

        Raises:
            InvalidSetting: there is no stemmer for `language`.
            InputError: the name has characters that a file name should not have.
            ProjectExists: the name is taken.
            RootNotFound, RootConflict: a folder is not there, or belongs to a project already.
        """
        path = store_path(name)
        if path.exists():
            raise ProjectExists(
                f"there is a project {name!r} already", "choose another name, or add to it with --project"
            )
        for root in roots:
            _refuse_conflict(_existing_folder(root))
        language = language or load_settings().language
        analyzer(language)
        project = cls._prepare(name, SqliteStore(path), language, embedder)
        for root in roots:
            project.add_root(root)
        return project

    @classmethod
    def open(cls, name: str | None = None, *, embedder: Embedder | None = None) -> Self:
        """An existing project by name; without a name the one whose root contains the current folder.

        Raises:
            ProjectNotFound: lists the projects there are.
        """
        if name is None:
            found = project_containing(Path.cwd())
            if found is None:
                raise _not_found("no project contains the current folder")
            name = found
        path = store_path(name)
        if not path.exists():
            raise _not_found(f"there is no project {name!r}")
        return cls(name, SqliteStore(path), embedder)

    @classmethod
    def in_memory(cls, root: str | Path, *, language: str = "english", embedder: Embedder | None = None) -> Self:
        """A project that lives as long as the object: nothing is written to disk."""
        analyzer(language)
        folder = _existing_folder(root)
        project = cls._prepare("memory", SqliteStore(None), language, embedder)
        with project.store.write() as writer:
            writer.add_root(str(folder), "")  # no project on disk is asked: this one is in nobody's way
        return project

    @classmethod
    def _prepare(cls, name: str, store: SqliteStore, language: str, embedder: Embedder | None) -> Self:
        with store.write() as writer:
            writer.set_meta("language", language)
        return cls(name, store, embedder)

    @property
    def analyzer(self) -> Analyzer:
        """The analyser of the project's language."""
        return analyzer(self.language)

    def add_root(self, root: str | Path) -> None:
        """Adds a root folder; its documents' paths begin with the folder's name unless it is the first.

        Raises:
            RootNotFound, RootConflict: the folder is not there, or is a root of a project already.
        """
        root = _existing_folder(root)
        _refuse_conflict(root)
        with self.store.read() as snapshot:
            roots = snapshot.roots()
        for other in (Path(record.path) for record in roots):
            if root.is_relative_to(other) or other.is_relative_to(root):
                raise RootConflict(
                    f"{root} and the project's root {other} lie within each other", "one of them is enough"
                )
        labels = {record.label for record in roots}
        with self.store.write() as writer:
            writer.add_root(str(root), _free_name(root.name or "root", labels) if labels else "")

    def index(self, *, embed: bool = True, progress: Progress | None = None) -> IndexReport:
        """Brings the index up to date with the files; see `IndexReport`.

        Raises:
            StoreLocked: another process is writing to this project.
            RootNotFound: no root folder is there; nothing was touched.
            EmbeddingError: the model failed; all is searchable by words.
        """
        from glassdex.indexing.run import IndexRun  # a search must not wait for the readers to load

        max_bytes = load_settings().max_file_megabytes * 1_000_000
        with self.store.lock("index"):
            return IndexRun(self.store, self.analyzer, self.embedder, max_bytes, progress).run(embed=embed)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> Execution:
        """Answers a query; options are the fields of `SearchRequest`.

        Returns the `Execution`: `.results`, `.page`, `.verdict`, the ledger that they were computed from as `.trace`,
        and its views `.misses()` and `.why_not(document)`.

        Raises:
            InvalidRequest, InvalidRange: an option is outside its domain.
            DocumentAmbiguous: a name in `watch` means several documents. One that means none is passed over;
                `.why_not(name)` says what became of that file.
        """
        request = SearchRequest(query, **options)
        if request.watch:
            with self.store.read() as snapshot:
                paths = [find.path for name in request.watch if (find := _found(snapshot, name)) is not None]
            request = replace(request, watch=tuple(dict.fromkeys(paths)))
        return Execution.of(self._search_engine().search(request), self._why_not)

    def open_pointer(self, pointer: str) -> Passage:
        """The passage behind a pointer, verified against the file as it is now.

        Raises:
            InvalidPointer: the text is no pointer.
            ProjectNotFound: it names another project.
        """
        parsed = parse_pointer(pointer)
        if parsed.project not in (None, self.name):
            raise ProjectNotFound(f"the pointer belongs to project {parsed.project!r}, this is {self.name!r}")
        with self.store.read() as snapshot:
            return open_passage(snapshot, parsed)

    def chunks(self, document: str) -> DocumentChunks:
        """A document as the index sees it; `document` is a path, a unique name or title, a pointer or a chunk key.

        Raises:
            DocumentNotFound, DocumentAmbiguous, ChunkNotFound: with the candidates.
        """
        self._refuse_foreign(document)
        with self.store.read() as snapshot:
            return self._document_chunks(snapshot, find_document(snapshot, document).path)

    def why_not(self, query: str, document: str, **options: Unpack[SearchOptions]) -> WhyNot:
        """Why a document is not among the results of a search, rung by rung, and what would bring it back.

        `document` may also be a file that is not indexed, or a pointer: then the ladder is that passage's.

        Raises:
            DocumentAmbiguous: several could be meant; with their paths.
            ChunkNotFound: a chunk key that the index does not have.
            InvalidRequest, InvalidRange: an option is outside its domain.
        """
        options["watch"] = (document,)
        return self.search(query, **options).why_not(document)

    def _why_not(self, execution: SearchExecution, reference: str) -> WhyNot:
        self._refuse_foreign(reference)
        with self.store.read() as snapshot:
            try:
                found = find_document(snapshot, reference)
            except DocumentNotFound as error:
                max_bytes = load_settings().max_file_megabytes * 1_000_000
                file = inspect_unindexed(snapshot, reference, error.candidates, max_bytes)
                return why_not_unindexed(execution.request.query, file)
            chunks = self._document_chunks(snapshot, found.path)
            file_record = snapshot.file(found.path)
            assert file_record is not None
            root = next(root for root in snapshot.roots() if root.id == file_record.root_id)
            named = [] if found.chunk_id is None else list(snapshot.chunks([found.chunk_id]).values())
        engine = self._search_engine()
        if all(watched.path != found.path for watched in execution.ledger.watched):
            execution = engine.search(replace(execution.request, watch=(found.path,)))
        return why_not(
            chunks,
            ignoring(root, file_record.raw_path),
            execution,
            engine.search,
            chunk_key=named[0].key if named else None,
            passage_lost=found.passage_lost,
        )

    def _refuse_foreign(self, reference: str) -> None:
        """A pointer may name its project; looking for its passage in another would be a guess."""
        project = project_of(reference)
        if project not in (None, self.name):
            raise ProjectNotFound(f"the pointer belongs to project {project!r}, this is {self.name!r}")

    def neighbors(self, chunk: str, *, embed: bool = False, **options: Unpack[SearchOptions]) -> Neighbors:
        """The nearest chunks of the chunk that a pointer or a chunk key names; options: a search's filters and limit.

        Raises:
            ChunkNotFound, DocumentAmbiguous: the reference names no chunk, or several.
            VectorMissing: the chunk has no stored vector and `embed` is off.
        """
        self._refuse_foreign(chunk)
        with self.store.read() as snapshot:
            found = find_chunk(snapshot, chunk)
        assert found.chunk_id is not None
        request = SearchRequest("neighbors", **options)
        request.validate()
        return self._search_engine().neighbors(found.chunk_id, request, embed=embed)

    def _document_chunks(self, snapshot: SqliteSnapshot, path: str) -> DocumentChunks:
        return document_chunks(
            snapshot,
            path,
            embedding_identity=self.embedder.identity.key,
            lexical_identity=lexical_identity(self.analyzer),
            vector_index=ExactVectorIndex.name,
            readers=frozenset(reader_identities()),
        )

    def _search_engine(self) -> SearchEngine:
        if self._engine is None or self._engine.embedder is not self.embedder:
            self._engine = SearchEngine(self.store, self.analyzer, self.embedder, self._other_embedders)
        return self._engine

    def _other_embedders(self) -> list[Embedder]:
        given = [] if self.previous_embedder is None else [self.previous_embedder]
        return [*given, self._shipped_embedder]

    def status(self) -> Status:
        """The project in figures, with every failure and its reason."""
        with self.store.read() as snapshot:
            return project_status(
                snapshot,
                project=self.name,
                store=None if self.store.path is None else str(self.store.path),
                language=self.language,
                embedding_identity=self.embedder.identity.key,
                lexical_identity=lexical_identity(self.analyzer),
            )

    def calibrate(self, *, fusion: str = "convex/1") -> Calibration:
        """Learns the verdict's floors for this corpus and embedding model, and stores them.

        Raises:
            UnavailableError: chunks have no vector yet, or another model's.
            InvalidRequest: there are too few passages to learn from.
            StoreLocked: another process is writing to this project.
        """
        from glassdex.evaluation.calibration import calibrate

        engine, identity = self._search_engine(), self.embedder.identity.key
        return calibrate(self.store, self.analyzer, engine.search, identity, fusion)

    def doctor(self) -> Diagnosis:
        """What is wrong with the project and what to do about it; reads the whole store and looks at every file."""
        from glassdex.inspection.doctor import diagnose  # the scan's rules are slow to load

        with self.store.read() as snapshot:
            return diagnose(
                snapshot,
                project=self.name,
                embedding_identity=self.embedder.identity,
                lexical_identity=lexical_identity(self.analyzer),
                max_bytes=load_settings().max_file_megabytes * 1_000_000,
            )

    def close(self) -> None:
        """Closes the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _found(snapshot: SqliteSnapshot, reference: str) -> FoundDocument | None:
    try:
        return find_document(snapshot, reference)
    except DocumentNotFound:
        return None


def project_names() -> list[str]:
    """Every project: the list is the folder's listing."""
    folder = projects_folder()
    return sorted(path.stem for path in folder.glob(f"*{_SUFFIX}")) if folder.is_dir() else []


def list_projects() -> list[ProjectListing]:
    """Every project with its folders and sizes; one whose store cannot be opened with its error."""
    listings = []
    for name in project_names():
        try:
            with _opened(name) as store, store.read() as snapshot:
                counts, roots = snapshot.counts(), tuple(root.path for root in snapshot.roots())
            listings.append(
                ProjectListing(name, roots, counts.documents, counts.chunks, counts.pending, counts.store_bytes)
            )
        except GlassdexError as error:
            listings.append(ProjectListing(name, error=error.message))
    return listings


def project_roots(name: str) -> list[Path]:
    """The root folders of a project."""
    with _opened(name) as store, store.read() as snapshot:
        return [Path(root.path) for root in snapshot.roots()]


def project_containing(folder: Path) -> str | None:
    """The project with the deepest root that is `folder` or contains it. An unreadable store is passed over."""
    folder = folder.resolve()
    found = [
        (len(root.parts), name) for name, roots in _readable_roots() for root in roots if folder.is_relative_to(root)
    ]
    return max(found)[1] if found else None


def rename_project(old: str, new: str) -> None:
    """Gives a project another name.

    Raises:
        ProjectNotFound, ProjectExists, InputError: `old` is not there, `new` is taken or is no name.
        StoreLocked: somebody is writing to it, or reading it: their commits may not be in the file yet.
    """
    source, target = store_path(old), store_path(new)
    if target.exists():
        raise ProjectExists(f"there is a project {new!r} already", "choose another name")
    if not source.exists():
        raise _not_found(f"there is no project {old!r}")
    with writer_lock(source, "rename"):
        # The last one to close a store moves its log into the file; a log that is left belongs to somebody else.
        SqliteStore(source).close()
        if source.with_suffix(".db-wal").exists():
            raise StoreLocked(f"project {old!r} is in use by another process", "close it there, then try again")
        source.rename(target)
    _remove_companions(source)


def relocate_root(name: str, new: str | Path, old: str | Path | None = None) -> None:
    """Says where a project's root folder is now; nothing is read or embedded again.

    Raises:
        RootNotFound: `new` is not there, or `old` is not a root of the project.
        InputError: the project has several roots and `old` does not say which.
    """
    folder = _existing_folder(new)
    with _opened(name) as store, store.lock("relocate"):
        with store.read() as snapshot:
            roots = snapshot.roots()
        wanted = [root for root in roots if old is None or Path(root.path) == Path(old).absolute()]
        if not wanted:
            raise RootNotFound(f"{old} is not a root of {name!r}", candidates=[root.path for root in roots])
        if len(wanted) > 1:
            raise InputError("the project has several roots", "say which one: --from FOLDER", [r.path for r in roots])
        if folder != Path(wanted[0].path):
            _refuse_conflict(folder)
        with store.write() as writer:
            writer.move_root(wanted[0].id, str(folder))


def remove_project(name: str) -> None:
    """Deletes a project's store; the files it was made from are not touched.

    Raises:
        ProjectNotFound: there is none of that name.
        StoreLocked: somebody is writing to it.
    """
    path = store_path(name)
    if not path.exists():
        raise _not_found(f"there is no project {name!r}")
    with writer_lock(path, "remove"):  # the store itself is not opened: a damaged one can be removed, too
        path.unlink()
    _remove_companions(path)


def free_project_name(folder: Path) -> str:
    """A name for a new project over `folder`: the folder's own, made unique.

    Raises:
        StoreCorrupt, StoreTooNew, UnavailableError: the project that has the folder's name cannot be opened.
    """
    cleaned = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.name).strip("-._") or "notes"
    name = cleaned[:60]
    if name in project_names():
        project_roots(name)  # a damaged store is not passed by: it may be this folder's own
    return _free_name(name, set(project_names()))


def store_path(name: str) -> Path:
    """Where a project's store lies.

    Raises:
        InputError: the name has characters that a file name should not have.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no project name", "use letters, digits, '.', '_' and '-', at most 64")
    return projects_folder() / f"{name}{_SUFFIX}"


@contextmanager
def _opened(name: str) -> Iterator[SqliteStore]:
    path = store_path(name)
    if not path.exists():
        raise _not_found(f"there is no project {name!r}")
    store = SqliteStore(path)
    try:
        yield store
    finally:
        store.close()


def _not_found(message: str) -> ProjectNotFound:
    names = project_names()
    hint = f"choose one with --project: {', '.join(names)}" if names else "make one: glassdex index FOLDER"
    return ProjectNotFound(message, hint, names)


def _readable_roots() -> Iterator[tuple[str, list[Path]]]:
    """Every project with its root folders; one whose store cannot be read is passed over."""
    for name in project_names():
        with suppress(GlassdexError):
            yield name, project_roots(name)


def _existing_folder(folder: str | Path) -> Path:
    path = Path(folder)
    if not path.is_dir():  # a folder may be called `~`: what is there goes before what a shell would make of it
        with suppress(RuntimeError):  # `~nobody`
            path = path.expanduser()
    if not path.is_dir():
        raise RootNotFound(f"there is no folder {os.fspath(folder)}", "check the spelling")
    return path.resolve()


def _refuse_conflict(root: Path) -> None:
    for name, roots in _readable_roots():
        for other in roots:
            if other == root:
                raise RootConflict(f"{root} belongs to project {name!r} already", f"glassdex index --project {name}")


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def _remove_companions(path: Path) -> None:
    for suffix in (".db-wal", ".db-shm", ".lock", ".writer.json"):
        path.with_suffix(suffix).unlink(missing_ok=True)
