"""The front door: a project opens its store, its indexes and its embedder, and answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
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
    ProjectExists,
    ProjectNotFound,
    RootConflict,
)
from glassdex.inspection.chunks import DocumentChunks, document_chunks
from glassdex.inspection.execution import Execution
from glassdex.inspection.find_document import FoundDocument, find_chunk, find_document, project_of
from glassdex.inspection.ladder import WhyNot
from glassdex.inspection.passage import Passage, open_passage
from glassdex.inspection.status import Status, project_status
from glassdex.inspection.unindexed import ignoring, inspect_unindexed, on_disk
from glassdex.inspection.why_not import why_not, why_not_unindexed
from glassdex.lexical.entries import lexical_identity
from glassdex.model import Document, Json
from glassdex.pointers import Pointer, parse_pointer
from glassdex.projects import existing_folder, free_name, not_found, project_containing, refuse_conflict, store_path
from glassdex.reading.protocol import Limits, ReadingOptions
from glassdex.reading.registry import reader_identities
from glassdex.reranking.protocol import Reranker
from glassdex.reranking.registry import open_reranker
from glassdex.rewriting.protocol import Rewriter
from glassdex.rewriting.registry import open_rewriter
from glassdex.search.engine import Execution as SearchExecution
from glassdex.search.engine import Ranking, SearchEngine
from glassdex.search.neighbors import Neighbors
from glassdex.search.request import SearchOptions, SearchRequest
from glassdex.settings import load_settings
from glassdex.storage.records import RootKind, SessionHead
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.vectors.exact import ExactVectorIndex

if TYPE_CHECKING:
    from glassdex.context.packed import Context
    from glassdex.evaluation.calibration import Calibration
    from glassdex.evaluation.judgments import Judgments
    from glassdex.evaluation.runs import Run
    from glassdex.evaluation.starter import Proposal
    from glassdex.indexing.progress import Progress
    from glassdex.indexing.run import IndexReport, IndexRun
    from glassdex.inspection.doctor import Diagnosis
    from glassdex.inspection.documents import DocumentList
    from glassdex.inspection.links import DocumentLinks, ProjectLinks
    from glassdex.inspection.sessions.listing import SessionList
    from glassdex.inspection.sessions.show import SessionPage


LISTED_LINKS = 100
"""Links of a project that are listed where no number is given."""
SESSIONS_A_PAGE = 5
"""Where nothing but transcripts is searched."""


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
        self.rerankers: dict[str, Reranker] = {}
        """By the name that a search asks for; one that is not here is opened, and kept for the next search."""
        self.rewriters: dict[str, Rewriter] = {}
        """Likewise."""

    @classmethod
    def create(
        cls,
        name: str,
        roots: Sequence[str | Path],
        *,
        kind: RootKind = "files",
        language: str | None = None,
        embedder: Embedder | None = None,
    ) -> Self:
        """A new project over existing folders, kept in the user's data folder; nothing is made if one is refused.

        Of roots of the kind `transcripts` nothing else is read.

        Raises:
            InvalidSetting: there is no stemmer for `language`.
            InputError: the name has characters that a file name should not have.
            ProjectExists: the name is taken.
            RootNotFound, RootConflict: a folder is not there, belongs to a project already, or lies in another one.
        """
        path = store_path(name)
        if path.exists():
            raise ProjectExists(
                f"there is a project {name!r} already", "choose another name, or add to it with --project"
            )
        folders = [existing_folder(root) for root in roots]
        for position, folder in enumerate(folders):
            refuse_conflict(folder)
            _refuse_nested(folder, folders[:position])
        language = language or load_settings().language
        analyzer(language)
        project = cls._prepare(name, SqliteStore(path), language, embedder)
        for folder in folders:
            project.add_root(folder, kind=kind)
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
                raise not_found("no project contains the current folder")
            name = found
        path = store_path(name)
        if not path.exists():
            raise not_found(f"there is no project {name!r}", name)
        return cls(name, SqliteStore(path), embedder)

    @classmethod
    def in_memory(cls, root: str | Path, *, language: str = "english", embedder: Embedder | None = None) -> Self:
        """A project that lives as long as the object: nothing is written to disk."""
        analyzer(language)
        folder = existing_folder(root)
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

    def upgrade_places(self) -> int:
        """Makes pages, sheets, rows and slides of an older store anew from what is stored; returns how many.

        Raises:
            StoreLocked: another process writes to the store.
        """
        from glassdex.indexing.locators import upgrade_places

        with self.store.lock("upgrading places"):
            return upgrade_places(self.store)

    def add_root(self, root: str | Path, *, kind: RootKind = "files") -> None:
        """Adds a root folder; its documents' paths begin with the folder's name unless it is the first.

        Of a root of the kind `transcripts` nothing else is read.

        Raises:
            RootNotFound, RootConflict: the folder is not there, or is a root of a project already.
        """
        root = existing_folder(root)
        refuse_conflict(root)
        with self.store.read() as snapshot:
            roots = snapshot.roots()
        _refuse_nested(root, [Path(record.path) for record in roots])
        labels = {record.label for record in roots}
        with self.store.write() as writer:
            writer.add_root(str(root), free_name(root.name or "root", labels) if labels else "", kind)

    def index(
        self, *, embed: bool = True, progress: Progress | None = None, passwords: Sequence[str] = ()
    ) -> IndexReport:
        """Brings the index up to date with the files; see `IndexReport`.

        `passwords` are tried on encrypted files, then those of the settings; none is kept.

        Raises:
            StoreLocked: another process is writing to this project.
            RootNotFound: no root folder is there; nothing was touched.
            EmbeddingError: the model failed; all is searchable by words.
        """
        new_run = self._new_runs(passwords)
        with self.store.lock("index"):
            return new_run(progress).run(embed=embed)

    def watch(
        self,
        *,
        embed: bool = True,
        passwords: Sequence[str] = (),
        stop: threading.Event | None = None,
        on_report: Callable[[IndexReport], None],
        on_problem: Callable[[GlassdexError], None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Brings the index up to date, then keeps it so while files change, until `stop` is set.

        `on_report` hears of the first run and of each that did something; vectors are made between the runs, and what
        was made is a report, too. `on_problem` hears of what went wrong and is tried again. `progress` follows the
        first run. Both are called from this thread, which should do nothing else; the writer lock is free then.

        Raises:
            MissingExtra: the extra `watch` is not installed.
            RootNotFound: no root folder is there at the start. One that goes later is waited for.
            ProjectNotFound, StoreCorrupt, StoreTooNew: the store was removed, is damaged, or is too new.
        """
        from glassdex.indexing.watch import Watch

        watch = Watch(
            self.store,
            self._new_runs(passwords),
            self.embedder if embed else None,
            load_settings().max_file_megabytes * 1_000_000,
            stop or threading.Event(),
            on_report,
            on_problem or (lambda _problem: None),
            progress,
        )
        watch.run()

    def _new_runs(self, passwords: Sequence[str]) -> Callable[[Progress | None], IndexRun]:
        """Makes indexing runs under the settings as they are now."""
        from glassdex.indexing.run import IndexRun  # a search must not wait for the readers to load

        max_bytes = load_settings().max_file_megabytes * 1_000_000
        options = _reading_options(passwords)
        return lambda progress: IndexRun(self.store, self.analyzer, self.embedder, max_bytes, progress, options)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> Execution:
        """Answers a query; options are the fields of `SearchRequest`.

        Returns the `Execution`: `.results`, `.page`, `.verdict`, the ledger that they were computed from as `.trace`,
        and its views `.misses()` and `.why_not(document)`.

        Raises:
            InvalidRequest, InvalidRange: an option is outside its domain.
            DocumentAmbiguous: a name in `watch` means several documents. One that means none is passed over;
                `.why_not(name)` says what became of that file.
        """
        if "limit" not in options:  # it costs a look into the store
            options["limit"] = self.default_limit()
        return Execution.of(self.rank(SearchRequest(query, **options)).finish(), self.explain)

    def rank(self, request: SearchRequest) -> Ranking:
        """A search up to its ranking; `finish` it on the same thread, or `close` it. Raises what `search` does."""
        if request.watch:
            with self.store.read() as snapshot:
                paths = [find.path for name in request.watch if (find := _found(snapshot, name)) is not None]
            request = replace(request, watch=tuple(dict.fromkeys(paths)))
        return self._search_engine().rank(request)

    def context(
        self,
        task: str,
        *,
        budget: int | None = None,
        anyway: bool = False,
        passwords: Sequence[str] = (),
        **options: Unpack[SearchOptions],
    ) -> Context:
        """The passages worth reading for a task, packed into `budget` tokens (2,000 by default), with their reasons.

        `options` are those of `search`, with defaults that give the packing more to choose from. Where the verdict says
        that nothing is relevant, nothing is packed unless `anyway`. `passwords` are tried on encrypted files, which are
        read where neighbouring passages become one.

        Raises:
            InvalidRequest, InvalidRange: an option or the budget is outside its domain.
            DocumentAmbiguous: see `search`.
        """
        from glassdex.context.merge import merger
        from glassdex.context.pack import BUDGET, DEFAULTS, pack, validate_budget

        budget = BUDGET if budget is None else budget
        validate_budget(budget)
        asked = DEFAULTS.copy()
        asked.update(options)
        execution = self.search(task, **asked)
        generation = execution.engine.generation
        with self.store.read() as snapshot, merger(snapshot, _reading_options(passwords), generation) as merging:
            return pack(task, execution, snapshot, merging, budget, anyway=anyway)

    def open_pointer(self, pointer: str, *, passwords: Sequence[str] = (), raw: bool = False) -> Passage:
        """The passage behind a pointer, verified against the file as it is now.

        `passwords` are tried on an encrypted file, then those of the settings. `raw` shows the secrets in a transcript,
        as the setting `redact_secrets = false` does.

        Raises:
            InvalidPointer: the text is no pointer.
            ProjectNotFound: it names another project.
            PasswordRequired, MissingExtra: the file is there, and cannot be looked into without that.
        """
        parsed = parse_pointer(pointer)
        if parsed.project not in (None, self.name):
            raise ProjectNotFound(f"the pointer belongs to project {parsed.project!r}, this is {self.name!r}")
        with self.store.read() as snapshot:
            if isinstance(parsed, Pointer):
                return open_passage(snapshot, parsed, _reading_options(passwords))
            from glassdex.inspection.sessions.open import open_message  # a search must not wait for the readers to load

            return open_message(snapshot, parsed, raw=raw or not load_settings().redact_secrets)

    def current_document(self, path: str, *, passwords: Sequence[str] = ()) -> Document | None:
        """A document, by its path, as its file is now; none where the file cannot be read."""
        from glassdex.inspection.current import CurrentDocuments
        from glassdex.reading.isolation import ReadingProcess

        with self.store.read() as snapshot, ReadingProcess() as process:
            return CurrentDocuments(snapshot, _reading_options(passwords), process).current(path)

    def sessions(
        self, *, since: str | None = None, until: str | None = None, tz: str | None = None, limit: int | None = None
    ) -> SessionList:
        """The conversations of the project's transcripts, the one with the latest message first.

        `since` and `until` are ISO 8601 days or times, both included whole, in the zone `tz` (UTC by default) where
        they name none: conversations with a message in between.

        Raises:
            InvalidRequest: a date or the zone cannot be read.
        """
        from glassdex.inspection.sessions.listing import list_sessions

        with self.store.read() as snapshot:
            return list_sessions(snapshot, since=since, until=until, tz=tz, limit=limit)

    def session(
        self,
        reference: str | None = None,
        *,
        at: str | None = None,
        offset: int | str | None = None,
        limit: int | None = None,
        raw: bool = False,
        full: bool = False,
    ) -> SessionPage:
        """A page of a conversation: from the message of a pointer (`at`), an offset, or a cursor of another page on.

        `reference` is the conversation's id or the beginning of it, `source/id`, or its file; it may be left out
        beside `at`. `raw` shows secrets as they are in the file, as the setting `redact_secrets = false` does; `full`
        shows long texts to their end.

        Raises:
            SessionNotFound, SessionAmbiguous, PointerNotInSession, InvalidPointer, OffsetOutOfRange, CursorOutdated,
            InvalidRequest: see `glassdex.inspection.sessions.show.show_session`.
        """
        from glassdex.inspection.sessions.show import show_session

        if at is not None:
            self._refuse_foreign(at)
        raw = raw or not load_settings().redact_secrets
        with self.store.read() as snapshot:
            return show_session(snapshot, reference, at=at, offset=offset, limit=limit, raw=raw, full=full)

    def session_name(self, session: SessionHead) -> str:
        """A name of a conversation that `session` takes for it and for no other: its id, if that is enough."""
        from glassdex.inspection.sessions.find import name_of

        with self.store.read() as snapshot:
            return name_of(snapshot, session)

    def page_images(self, passage: Passage, *, passwords: Sequence[str] = ()) -> dict[int, bytes]:
        """The pages of a PDF that an opened passage stands on, with the passage marked: PNG by physical page.

        Raises:
            InvalidRequest: the passage is not there any more, or stands in no PDF.
            ReadError, MissingExtra: the file cannot be read.
        """
        from glassdex.inspection.page_images import page_images

        return page_images(passage, _reading_options(passwords))

    def chunks(self, document: str) -> DocumentChunks:
        """A document as the index sees it; `document` is a path, a unique name or title, a pointer or a chunk key.

        Raises:
            DocumentNotFound, DocumentAmbiguous, ChunkNotFound: with the candidates.
        """
        self._refuse_foreign(document)
        with self.store.read() as snapshot:
            return self._document_chunks(snapshot, find_document(snapshot, document).path)

    def links(self, document: str) -> DocumentLinks:
        """Where a document's links lead, and which links of others lead to it; `document` as in `chunks`.

        Raises:
            DocumentNotFound, DocumentAmbiguous, ChunkNotFound: with the candidates.
        """
        from glassdex.inspection.links import document_links

        self._refuse_foreign(document)
        with self.store.read() as snapshot:
            return document_links(snapshot, document, self._search_engine().links.resolver(snapshot))

    def open_links(self, *, limit: int = LISTED_LINKS) -> ProjectLinks:
        """The project's links that lead nowhere, or may mean several documents; `limit` of them at most."""
        from glassdex.inspection.links import project_links

        with self.store.read() as snapshot:
            return project_links(snapshot, self._search_engine().links.resolver(snapshot), limit)

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

    def default_limit(self) -> int:
        """Documents a page where none are asked for; of conversations fewer, for each comes with several messages."""
        with self.store.read() as snapshot:
            kinds = {root.kind for root in snapshot.roots()}
        return SESSIONS_A_PAGE if kinds == {"transcripts"} else load_settings().limit

    def explain(
        self,
        execution: SearchExecution,
        reference: str,
        search: Callable[[SearchRequest], SearchExecution] | None = None,
    ) -> WhyNot:
        """Why a document is not among the results of an execution of this project; see `Execution.why_not`.

        `search` runs what must be tried: by default this project's own.
        """
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
            root = snapshot.root_of(file_record)
            named = [] if found.chunk_id is None else list(snapshot.chunks([found.chunk_id]).values())
        search = search or self._search_engine().search
        if all(watched.path != found.path for watched in execution.ledger.watched):
            execution = search(replace(execution.request, watch=(found.path,)))
        return why_not(
            chunks,
            on_disk(root, file_record),
            ignoring(root, file_record.raw_path),
            execution,
            search,
            chunk_key=named[0].key if named else None,
            passage_lost=found.passage_lost,
        )

    def _refuse_foreign(self, reference: str) -> None:
        """A pointer may name its project; looking for its passage in another would be a guess."""
        project = project_of(reference)
        if project not in (None, self.name):
            raise ProjectNotFound(f"the pointer belongs to project {project!r}, this is {self.name!r}")

    def neighbors(self, chunk: str, *, embed: bool = False, **options: Unpack[SearchOptions]) -> Neighbors:
        """The nearest chunks of the chunk that a pointer or a chunk key names.

        `options` are a search's filters, `limit` and `identity`. With `embed` a chunk without a stored vector gets one
        for this once.

        Raises:
            ChunkNotFound, DocumentAmbiguous: the reference names no chunk, or several.
            VectorMissing: the chunk has no stored vector and `embed` is off.
            InvalidRequest, EmbeddingError: `identity="previous"`, and there was none, or its model is not at hand.
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
            readers=frozenset(reader_identities(redact=load_settings().redact_secrets)),
        )

    def _search_engine(self) -> SearchEngine:
        if self._engine is None or self._engine.embedder is not self.embedder:
            self._engine = SearchEngine(
                self.store, self.analyzer, self.embedder, self._other_embedders, self._reranker, self._rewriter
            )
        return self._engine

    def _reranker(self, asked: str) -> Reranker:
        if asked not in self.rerankers:
            self.rerankers[asked] = open_reranker(asked)
        return self.rerankers[asked]

    def _rewriter(self, asked: str) -> Rewriter:
        if asked not in self.rewriters:
            self.rewriters[asked] = open_rewriter(asked)
        return self.rewriters[asked]

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

    def documents(self, *, offset: int = 0, limit: int = 100) -> DocumentList:
        """The documents by path, `limit` (1 to 1000) of them from `offset` on.

        Raises:
            InvalidRequest: one of the two is outside its domain.
        """
        from glassdex.inspection.documents import list_documents

        identity = self.embedder.identity.key
        with self.store.read() as snapshot:
            return list_documents(snapshot, embedding_identity=identity, offset=offset, limit=limit)

    def calibrate(self, *, fusion: str = "convex/1", asked: Callable[[int, int], None] | None = None) -> Calibration:
        """Learns the verdict's floors for this corpus and embedding model, and stores them.

        `asked` hears how many questions are done, of how many.

        Raises:
            UnavailableError: chunks have no vector yet, or another model's.
            InvalidRequest: there are too few passages to learn from.
            StoreLocked: another process is writing to this project.
        """
        from glassdex.evaluation.calibration import calibrate

        engine, identity = self._search_engine(), self.embedder.identity.key
        return calibrate(
            self.store, self.analyzer, engine.search, identity, fusion, asked or (lambda _done, _all: None)
        )

    def evaluate(
        self,
        judgments: Judgments | str | Path,
        *,
        measures: Sequence[str] = (),
        options: Mapping[str, Json] | None = None,
        depth: int | None = None,
        trace_of: Callable[[SearchExecution], str] | None = None,
        asked: Callable[[int, int], None] | None = None,
    ) -> Run:
        """Asks every judged query and measures what comes back; see `glassdex.evaluation`.

        `judgments` are those that `glassdex.evaluation.judgments.load_judgments` read, or a file that it reads.
        `measures` are names of ir-measures. `options` are a search's, as JSON; a query's own win. `trace_of`
        (`glassdex.envelopes.run.trace_text`) keeps the trace of each query. `asked` hears how many queries are done.

        Raises:
            JudgmentsInvalid: the file cannot be read; names the line or entry.
            MissingExtra: the extra `eval` is not installed.
            InvalidRequest, InvalidRange: a measure is unknown, or an option outside its domain.
        """
        from glassdex import __version__
        from glassdex.evaluation.judgments import load_judgments
        from glassdex.evaluation.measure import Target, evaluate

        if isinstance(judgments, str | Path):
            judgments = load_judgments(judgments)
        engine = self._search_engine()
        target = Target(
            project=self.name,
            store=self.store,
            search=engine.search,
            embedding_identity=self.embedder.identity.key,
            lexical_identity=lexical_identity(self.analyzer),
            version=__version__,
        )
        return evaluate(
            target,
            judgments,
            measures=measures,
            options=options,
            depth=depth,
            trace_of=trace_of,
            asked=asked or (lambda _done, _all: None),
        )

    def propose_judgments(self) -> list[Proposal]:
        """Queries taken from the project's own notes, each with the note it came from, for a person to edit.

        Raises:
            InvalidRequest: nothing is indexed that a query could be taken from.
        """
        from glassdex.evaluation.starter import starter_set

        with self.store.read() as snapshot:
            return starter_set(snapshot)

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


def _refuse_nested(root: Path, others: Sequence[Path]) -> None:
    for other in others:
        if root.is_relative_to(other) or other.is_relative_to(root):
            raise RootConflict(f"{root} and the project's root {other} lie within each other", "one of them is enough")


def _found(snapshot: SqliteSnapshot, reference: str) -> FoundDocument | None:
    try:
        return find_document(snapshot, reference)
    except DocumentNotFound:
        return None


def _reading_options(passwords: Sequence[str]) -> ReadingOptions:
    given = (passwords,) if isinstance(passwords, str) else tuple(passwords)
    settings = load_settings()
    return ReadingOptions(
        passwords=tuple(dict.fromkeys((*given, *settings.passwords))),
        limits=Limits(file_bytes=settings.max_file_megabytes * 1_000_000),
        redact=settings.redact_secrets,
    )
