"""One indexing run: find what changed, publish it in groups, drop what is gone, embed what is pending."""

from __future__ import annotations

import itertools
import os
import shlex
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, field, replace

from glassdex.analysis import Analyzer
from glassdex.embedding.protocol import Embedder
from glassdex.errors import ReadError, RootNotFound
from glassdex.indexing.embed import embed_pending
from glassdex.indexing.locators import upgrade_places
from glassdex.indexing.mend import mend_documents, mend_references
from glassdex.indexing.progress import NoProgress, Progress
from glassdex.indexing.publish import Publisher
from glassdex.indexing.read import GROUP_FILES, ReadFile, ReadGroup, UnreadFile, observe, read_ahead
from glassdex.indexing.scan import FoundFile, Scan
from glassdex.lexical.entries import lexical_identity
from glassdex.lexical.fts5 import Fts5Writer
from glassdex.reading.files import hash_steady
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.registry import reader_identities
from glassdex.reading.transcripts.growth import Resume, resume_from
from glassdex.reading.transcripts.history import RECENT
from glassdex.storage.records import FileObservation, FileRecord, RootRecord
from glassdex.storage.rules import outdated_rules
from glassdex.storage.sqlite import SqliteStore

RACY_SECONDS = 2.0
"""A file changed this shortly before it was observed may have changed again within the same time stamp."""


@dataclass(frozen=True, slots=True)
class FileFailure:
    """A file that could not be indexed; what was known of it before is kept."""

    path: str
    code: str
    message: str
    suggestion: str = ""


@dataclass(slots=True)
class IndexReport:
    """What a run did. Counts are files unless the name says chunks; `embedded` counts distinct texts.

    `files` = `unchanged` + `added` + `changed` + `failed`: what a scan found and a reader takes. `skipped` counts the
    files and folders that were left out besides.
    """

    files: int = 0
    failed: int = 0
    unchanged: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    moved: int = 0
    """Of the added ones, those whose content a removed file had."""
    chunks_added: int = 0
    chunks_removed: int = 0
    embedded: int = 0
    pending: int = 0
    seconds: float = 0.0
    odd: int = 0
    """Files that were read in spite of something odd in them; `glassdex status` says what."""
    failures: list[FileFailure] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


class IndexRun:
    """The state of one run; `run()` does it. The store's writer lock must be held."""

    def __init__(
        self,
        store: SqliteStore,
        analyzer: Analyzer,
        embedder: Embedder,
        max_bytes: int,
        progress: Progress | None,
        options: ReadingOptions = ReadingOptions(),
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._lexical_identity = lexical_identity(analyzer)
        self._readers = reader_identities(redact=options.redact)
        self._max_bytes = max_bytes
        self._progress = progress or NoProgress()
        self._options = options
        self._publisher = Publisher(store, analyzer, embedder.identity)
        self._thorough = True
        self._odd: set[str] = set()
        self._read_by_other_rules = False
        self._observations: list[tuple[FileRecord, FileObservation]] = []
        self.report = IndexReport()

    def run(self, *, embed: bool = True, thorough: bool = True) -> IndexReport:
        """Brings the index up to date with the files.

        A run that is not `thorough` believes the store, and leaves alone what could not be read before and has not
        changed since: for runs that follow each other closely.

        Raises:
            RootNotFound: none of the roots is there; nothing was touched.
            EmbeddingError: the model failed; everything is published and searchable by words.
        """
        started = time.monotonic()
        self._thorough = thorough
        with self._store.read() as snapshot:
            roots = self._present(snapshot.roots())
        if thorough:
            self._mend()
        with self._store.read() as snapshot:
            known = {(record.root_id, record.raw_path): record for record in snapshot.files()}
            self._report_rootless(known.values(), {root.id for root in snapshot.roots()})
        taken = {record.path for record in known.values()}
        for root in roots:
            own = {raw: record for (root_id, raw), record in known.items() if root_id == root.id}
            self._index_root(root, own, taken)
        if self._read_by_other_rules:
            with self._store.write() as writer:
                writer.prune_words()  # a secret that is redacted now may be among them
        if embed:
            self.report.embedded = embed_pending(self._store, self._embedder, self._progress)
        with self._store.read() as snapshot:
            self.report.pending = snapshot.pending_count()
        self.report.seconds = time.monotonic() - started
        return self.report

    def _mend(self) -> None:
        """Puts right what somebody or something did to the store, and brings it to the present model and version."""
        with self._store.write() as writer:
            mend_references(writer)
            writer.activate_identity(self._embedder.identity)
            mend_documents(writer)
        upgrade_places(self._store)

    def _present(self, roots: Sequence[RootRecord]) -> list[RootRecord]:
        """The roots that are there; one that is not keeps its documents and is reported."""
        present = []
        for root in roots:
            if os.path.isdir(root.path):  # noqa: PTH112
                present.append(root)
            else:
                message = f"the root folder {root.path} is not there"
                suggestion = _find_root(self._store, root, several=len(roots) > 1)
                self.report.failures.append(FileFailure(root.path, RootNotFound.code, message, suggestion))
        if not present:
            raise RootNotFound(
                f"the root folder {roots[0].path} is not there" if roots else "the project has no root folder",
                self.report.failures[0].suggestion if roots else "name one: glassdex index FOLDER --project NAME",
            )
        return present

    def _report_rootless(self, records: Iterable[FileRecord], root_ids: Set[int]) -> None:
        """Files whose root somebody took out of the store keep their documents and are reported."""
        rootless = [record for record in records if record.root_id not in root_ids]
        if rootless:
            more = f", nor is that of {len(rootless) - 1} more" if len(rootless) > 1 else ""
            message = f"its root folder is not in the store any more{more}"
            suggestion = "name the folder again: glassdex index FOLDER --project NAME"
            self.report.failures.append(FileFailure(rootless[0].path, RootNotFound.code, message, suggestion))

    def _index_root(self, root: RootRecord, known: Mapping[bytes, FileRecord], taken: set[str]) -> None:
        scan = Scan(root, self._max_bytes)
        found = {file.raw_path: file for file in self._counted(scan.files())}
        out_of_sight = tuple(scan.unreadable_folders)
        seen = found.keys() | scan.unreadable_files
        gone = [record for raw, record in known.items() if raw not in seen and not raw.startswith(out_of_sight)]
        # What is gone goes last, so that a renamed folder is never out of the index; but a path that a new file
        # needs is freed first.
        wanted = {file.path for raw, file in found.items() if raw not in known}
        in_the_way = [record for record in gone if record.path in wanted]
        self._remove(in_the_way)
        taken -= {record.path for record in in_the_way}
        due = [
            _named(file, known.get(raw), taken)
            for raw, file in found.items()
            if self._is_due(file, known.get(raw), root)
        ]
        moved_from = Counter(record.rows_hash for record in gone if record.rows_hash)
        by_other_rules = (
            known[file.raw_path].reader not in (None, *self._readers) for file in due if file.raw_path in known
        )
        self._read_by_other_rules |= any(by_other_rules)
        done = 0
        with closing(
            read_ahead(root, due, self._options, lambda file: self._resume(known.get(file.raw_path)))
        ) as groups:
            for group in groups:
                self._take(group, known, moved_from, scan)
                done += sum(file.is_whole for file in group.files) + len(group.unread) + len(group.unwanted)
                self._progress.published(done, len(due))
        self._remove([record for record in gone if record.path not in wanted])
        with self._store.write() as writer:
            for record, observation in self._observations:
                writer.observe(observation, record.write_status, record.error_code, record.error_message)
                writer.redate(record.id, observation.stat.mtime_ns / 1e9)
            self._observations.clear()
            writer.replace_skipped(root.id, scan.skipped)
        self.report.skipped.update(skipped.reason for skipped in scan.skipped)

    def _counted(self, files: Iterable[FoundFile]) -> Iterator[FoundFile]:
        for file in files:
            self.report.files += 1
            if self.report.files % 500 == 0:
                self._progress.scanned(self.report.files)
            yield file
        self._progress.scanned(self.report.files)

    def _is_due(self, file: FoundFile, record: FileRecord | None, root: RootRecord) -> bool:
        """Whether a file must be read: its stat decides where it can, its hash where it cannot."""
        if record is None:
            return True
        racy = record.stat.mtime_ns / 1e9 > record.observed_at - RACY_SECONDS
        untouched = file.stat == record.stat and not racy
        if untouched and record.write_status == "failed" and not self._thorough:
            self._leave_failed(record)
            return False
        if not self._is_current(record) or file.stat.size != record.stat.size:
            return True
        if untouched:
            self.report.unchanged += 1
            return False
        return self._is_changed(file, record, root)

    def _is_changed(self, file: FoundFile, record: FileRecord, root: RootRecord) -> bool:
        """Whether the file's bytes are others than those that its rows were made of."""
        try:
            hashed, stat = hash_steady(file.absolute)
        except ReadError:
            return True
        if hashed != record.rows_hash:
            return True
        self._observations.append((record, observe(root.id, file, stat, record.rows_hash)))
        self.report.unchanged += 1
        return False

    def _resume(self, record: FileRecord | None) -> Resume | None:
        """From where a transcript is read on; nothing where it must be read from its beginning."""
        if record is None or outdated_rules(record, self._lexical_identity, self._readers):
            return None
        with self._store.read() as snapshot:
            cursor = snapshot.cursor(record.id)
            if cursor is None:
                return None
            recent = snapshot.recent_messages(record.id, RECENT)
        return resume_from(cursor, recent, _StoredMessages(self._store, record.id))

    def _leave_failed(self, record: FileRecord) -> None:
        self.report.failed += 1
        self.report.failures.append(FileFailure(record.path, record.error_code or "", record.error_message or ""))

    def _is_current(self, record: FileRecord) -> bool:
        return (
            record.write_status == "settled"
            and record.rows_hash is not None
            and record.rows_hash == record.observed_hash
            and not outdated_rules(record, self._lexical_identity, self._readers)
        )

    def _remove(self, records: list[FileRecord]) -> None:
        for start in range(0, len(records), GROUP_FILES):
            with self._store.write() as writer:
                for record in records[start : start + GROUP_FILES]:
                    removed = writer.remove_file(record.id)
                    Fts5Writer(writer.connection).delete(removed)
                    self.report.chunks_removed += len(removed)
        self.report.removed += len(records)

    def _take(self, group: ReadGroup, known: Mapping[bytes, FileRecord], moved_from: Counter[str], scan: Scan) -> None:
        """Enters what came of a group of files."""
        self._remove([known[raw] for raw, _ in group.unwanted if raw in known])
        scan.skipped += [skipped for _, skipped in group.unwanted]
        self.report.files -= len(group.unwanted)
        if group.unread:
            self._record_failures(group.unread)
        if group.files:
            published = self._publisher.publish(group)
            self.report.chunks_added += published.chunks_added
            self.report.chunks_removed += published.chunks_removed
            for read in published.files:
                self._odd |= {read.observation.path} if read.document.warnings else set()
                if read.is_whole:
                    self._count_reading(read, known.get(read.observation.raw_path), moved_from)
            if published.faults:
                self._record_failures(published.faults)

    def _count_reading(self, read: ReadFile, record: FileRecord | None, moved_from: Counter[str]) -> None:
        self.report.odd = len(self._odd)
        if record is not None and record.rows_hash is not None:
            self.report.changed += 1
            return
        self.report.added += 1
        content = read.observation.content_hash
        if content and moved_from[content] > 0:
            moved_from[content] -= 1
            self.report.moved += 1

    def _record_failures(self, unread: Sequence[UnreadFile]) -> None:
        self.report.failed += len(unread)
        with self._store.write() as writer:
            for file in unread:
                path = file.observation.path
                self.report.failures.append(FileFailure(path, file.code, file.message, file.suggestion))
                writer.observe(file.observation, file.write_status, file.code, file.message)


class _StoredMessages:
    """What the store has of a transcript, asked from the thread that reads its growth."""

    def __init__(self, store: SqliteStore, document_id: int) -> None:
        self._store = store
        self._document_id = document_id

    def has(self, conversation: str, uuid: str, block: int, content_hash: bytes) -> bool:
        """Whether the conversation has a message of that name and content."""
        with self._store.read() as snapshot:
            return snapshot.is_told(self._document_id, conversation, uuid, block, content_hash)

    def times(self, conversation: str, content_hash: bytes) -> int:
        """How many messages of the conversation say that."""
        with self._store.read() as snapshot:
            return snapshot.times_told(self._document_id, conversation, content_hash)


def _find_root(store: SqliteStore, root: RootRecord, *, several: bool) -> str:
    """What to do about a root folder that is not there; the project is called as its store."""
    name = store.path.stem if store.path else "NAME"
    old = f" --from {shlex.quote(root.path)}" if several else ""
    return f"mount the drive, or tell where it is now: glassdex projects relocate {name} NEW_FOLDER{old}"


def free_path(path: str, taken: Set[str]) -> str:
    """`path`, or `name~2.md`, `name~3.md`, … where another file has it: names that differ in bytes may look alike."""
    if path not in taken:
        return path
    stem, dot, suffix = path.rpartition(".")
    if not dot or "/" in suffix:
        stem, suffix = path, ""
    return next(
        candidate
        for number in itertools.count(2)
        if (candidate := f"{stem}~{number}{dot if suffix else ''}{suffix}") not in taken
    )


def _named(file: FoundFile, record: FileRecord | None, taken: set[str]) -> FoundFile:
    """The file under the document path that it has, or, when new, under one that no other file has."""
    path = record.path if record else free_path(file.path, taken)
    taken.add(path)
    return file if path == file.path else replace(file, path=path)
