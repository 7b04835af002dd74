"""One indexing run: find what changed, publish it in groups, drop what is gone, embed what is pending."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from glassdex import chunking
from glassdex.analysis import Analyzer
from glassdex.embedding.protocol import Embedder
from glassdex.errors import FileChangedWhileReading, GlassdexError, ReadError, RootNotFound
from glassdex.indexing.embed import embed_pending
from glassdex.indexing.progress import NoProgress, Progress
from glassdex.indexing.publish import Publisher, ReadFile
from glassdex.indexing.scan import FoundFile, Scan
from glassdex.lexical.fts5 import Fts5Writer
from glassdex.model import FileStat
from glassdex.reading.files import content_hash, read_steady
from glassdex.reading.protocol import Reader
from glassdex.reading.registry import choose_reader
from glassdex.storage.records import FileObservation, FileRecord, RootRecord, SkippedRecord
from glassdex.storage.sqlite import SqliteStore

HEAD_BYTES = 64 * 1024
GROUP_FILES = 256
GROUP_BYTES = 2_000_000
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
    """What a run did. Counts are files unless the name says chunks; `embedded` counts distinct texts."""

    files: int = 0
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
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._lexical_identity = analyzer.identity
        self._max_bytes = max_bytes
        self._progress = progress or NoProgress()
        self._publisher = Publisher(store, analyzer, embedder.identity)
        self._observations: list[tuple[FileRecord, FileObservation]] = []
        self.report = IndexReport()

    def run(self, *, embed: bool = True) -> IndexReport:
        """Brings the index up to date with the files.

        Raises:
            RootNotFound: none of the roots is there; nothing was touched.
            EmbeddingError: the model failed; everything is published and searchable by words.
        """
        started = time.monotonic()
        with self._store.write() as writer:
            writer.activate_identity(self._embedder.identity)
        with self._store.read() as snapshot:
            roots = snapshot.roots()
            known = {(record.root_id, record.raw_path): record for record in snapshot.files()}
        present = [root for root in roots if os.path.isdir(root.path)]  # noqa: PTH112
        for root in roots:
            if root not in present:
                message = f"the root folder {root.path} is not there"
                self.report.failures.append(FileFailure(root.path, RootNotFound.code, message))
        if not present:
            raise RootNotFound(
                f"the root folder {roots[0].path} is not there" if roots else "the project has no root folder",
                "mount the drive, or tell where it is now: glassdex projects relocate",
            )
        for root in present:
            self._index_root(root, {raw: record for (root_id, raw), record in known.items() if root_id == root.id})
        if embed:
            self.report.embedded = embed_pending(self._store, self._embedder, self._progress)
        with self._store.read() as snapshot:
            self.report.pending = snapshot.readiness()[1]
        self.report.seconds = time.monotonic() - started
        return self.report

    def _index_root(self, root: RootRecord, known: Mapping[bytes, FileRecord]) -> None:
        scan = Scan(root, self._max_bytes)
        found = {file.raw_path: file for file in self._counted(scan.files())}
        gone = [
            record
            for raw, record in known.items()
            if raw not in found and not record.path.startswith(tuple(scan.unreadable_folders))
        ]
        self._remove(gone)
        due = [file for raw, file in found.items() if self._is_due(file, known.get(raw), root)]
        moved_from = Counter(record.rows_hash for record in gone if record.rows_hash)
        for group in _groups(due):
            self._publish_group(root, group, known, moved_from, scan.skipped)
            self._progress.published(min(self.report.added + self.report.changed, len(due)), len(due))
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
        if record is None or not self._is_current(record):
            return True
        racy = record.stat.mtime_ns / 1e9 > record.observed_at - RACY_SECONDS
        if file.stat == record.stat and not racy:
            self.report.unchanged += 1
            return False
        try:
            content, stat = read_steady(file.absolute)
        except ReadError:
            return True
        if content_hash(content) != record.rows_hash:
            return True
        self._observations.append((record, _observation(root, file, stat, record.rows_hash)))
        self.report.unchanged += 1
        return False

    def _is_current(self, record: FileRecord) -> bool:
        return (
            record.write_status == "settled"
            and record.rows_hash is not None
            and record.rows_hash == record.observed_hash
            and record.chunker == chunking.IDENTITY
            and record.lexical_identity == self._lexical_identity
            and record.reader in _reader_identities()
        )

    def _remove(self, records: list[FileRecord]) -> None:
        for start in range(0, len(records), GROUP_FILES):
            with self._store.write() as writer:
                for record in records[start : start + GROUP_FILES]:
                    removed = writer.remove_file(record.id)
                    Fts5Writer(writer.connection).delete(removed)
                    self.report.chunks_removed += len(removed)
        self.report.removed += len(records)

    def _publish_group(
        self,
        root: RootRecord,
        group: list[FoundFile],
        known: Mapping[bytes, FileRecord],
        moved_from: Counter[str],
        skipped: list[SkippedRecord],
    ) -> None:
        readable: list[ReadFile] = []
        for file in group:
            record = known.get(file.raw_path)
            result = self._read(root, file, skipped)
            if isinstance(result, ReadFile):
                readable.append(result)
                self._count_reading(result, record, moved_from)
            elif record is not None and result is None:
                self._remove([record])  # it was a document once; no reader takes it any more
        added, removed = self._publisher.publish(readable)
        self.report.chunks_added += added
        self.report.chunks_removed += removed

    def _count_reading(self, read: ReadFile, record: FileRecord | None, moved_from: Counter[str]) -> None:
        if record is not None and record.rows_hash is not None:
            self.report.changed += 1
            return
        self.report.added += 1
        content = read.observation.content_hash
        if content and moved_from[content] > 0:
            moved_from[content] -= 1
            self.report.moved += 1

    def _read(self, root: RootRecord, file: FoundFile, skipped: list[SkippedRecord]) -> ReadFile | FileFailure | None:
        """The file read; or its recorded failure; or None when no reader wants it."""
        content: bytes | None = None
        try:
            content, stat = read_steady(file.absolute)
            reader = choose_reader(PurePosixPath(file.path), content[:HEAD_BYTES])
            if reader is None:
                binary = b"\0" in content[:HEAD_BYTES]
                skipped.append(SkippedRecord(file.path, "binary" if binary else "no_reader", ""))
                return None
            observation = _observation(root, file, stat, content_hash(content))
            document = reader.read(PurePosixPath(file.path), content)
            return ReadFile(observation, document, reader_identity(reader))
        except GlassdexError as error:
            failure = FileFailure(file.path, error.code, error.message, error.suggestion)
            return self._record_failure(root, file, content, failure, isinstance(error, FileChangedWhileReading))
        except Exception as error:  # noqa: BLE001 - a reader's own fault is that file's error, not the run's
            failure = FileFailure(file.path, ReadError.code, f"{type(error).__name__}: {error}")
            return self._record_failure(root, file, content, failure, still_writing=False)

    def _record_failure(
        self,
        root: RootRecord,
        file: FoundFile,
        content: bytes | None,
        failure: FileFailure,
        still_writing: bool,
    ) -> FileFailure:
        self.report.failures.append(failure)
        observation = _observation(root, file, file.stat, content_hash(content) if content is not None else None)
        with self._store.write() as writer:
            writer.observe(observation, "writing" if still_writing else "failed", failure.code, failure.message)
        return failure


def reader_identity(reader: Reader) -> str:
    """`name/version`: rows of another version are behind."""
    return f"{reader.name}/{reader.version}"


def _reader_identities() -> set[str]:
    from glassdex.reading.registry import readers

    return {reader_identity(reader) for reader in readers()}


def _observation(root: RootRecord, file: FoundFile, stat: FileStat, hashed: str | None) -> FileObservation:
    return FileObservation(root.id, file.raw_path, file.path, stat, hashed, time.time())


def _groups(files: list[FoundFile]) -> Iterator[list[FoundFile]]:
    group: list[FoundFile] = []
    size = 0
    for file in files:
        if group and (len(group) >= GROUP_FILES or size + file.stat.size > GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(file)
        size += file.stat.size
    if group:
        yield group
