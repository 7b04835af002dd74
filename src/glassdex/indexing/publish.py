"""Group of files → one transaction: rows, chunks and their lexical entries appear together or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from glassdex import chunking
from glassdex.analysis import Analyzer
from glassdex.dates import parse_instant
from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.indexing.read import ReadFile, ReadGroup, UnreadFile
from glassdex.lexical.entries import lexical_entries, lexical_identity, weighted_length
from glassdex.lexical.fts5 import Fts5Writer
from glassdex.lexical.protocol import LexicalEntry
from glassdex.model import Chunk
from glassdex.storage.records import Growth
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.writer import SqliteWriter

_NANOSECONDS = 1e9


@dataclass(frozen=True, slots=True)
class _Prepared:
    file: ReadFile
    chunks: list[Chunk]
    entries: list[LexicalEntry]
    lengths: list[float]


@dataclass(frozen=True, slots=True)
class Published:
    """What came of publishing a group: the files whose rows are in place, and those that could not be cut."""

    files: Sequence[ReadFile]
    faults: Sequence[UnreadFile]
    chunks_added: int
    chunks_removed: int


class Publisher:
    """Cuts and publishes documents into a store under one analyser and one embedding identity."""

    def __init__(self, store: SqliteStore, analyzer: Analyzer, identity: EmbeddingIdentity) -> None:
        self._store = store
        self._analyzer = analyzer
        self._lexical_identity = lexical_identity(analyzer)
        self._identity = identity
        self._known_words: set[str] = set()
        self._broken: set[tuple[int, bytes]] = set()
        """Transcripts of which a part could not be cut: what follows it must not be published without it."""

    def publish(self, group: ReadGroup) -> Published:
        """Publishes the files in one transaction; one that cannot be cut or analysed is that file's error."""
        prepared: list[_Prepared] = []
        faults: list[UnreadFile] = []
        for file, token_starts in zip(group.files, group.token_starts, strict=True):
            name = (file.observation.root_id, file.observation.raw_path)
            if name in self._broken:
                continue
            try:
                prepared.append(self._prepare(file, token_starts, group.frame_token_starts))
            except Exception as error:
                faults.append(_fault(file, error))
                self._broken.add(name)
        try:
            added, removed = self._commit(prepared)
        except (ValueError, TypeError):  # something in one of them cannot be stored: the others must not wait for it
            return self._one_by_one(prepared, faults)
        return Published([item.file for item in prepared], faults, added, removed)

    def _one_by_one(self, prepared: Sequence[_Prepared], faults: list[UnreadFile]) -> Published:
        published: list[ReadFile] = []
        added = removed = 0
        for item in prepared:
            name = (item.file.observation.root_id, item.file.observation.raw_path)
            if name in self._broken:
                continue
            try:
                new, gone = self._commit([item])
            except (ValueError, TypeError) as error:
                faults.append(_fault(item.file, error))
                self._broken.add(name)
                continue
            published.append(item.file)
            added += new
            removed += gone
        return Published(published, faults, added, removed)

    def _commit(self, prepared: Sequence[_Prepared]) -> tuple[int, int]:
        """Publishes what is prepared; how many chunks are new, and how many gone."""
        removed: list[int] = []
        added: list[int] = []
        with self._store.write() as writer:
            for item in prepared:
                gone, new = self._write(writer, item)
                removed += gone
                added += new
            lexical = Fts5Writer(writer.connection)
            lexical.delete(removed)
            entries = (entry for item in prepared for entry in item.entries)
            lexical.upsert([replace(entry, chunk_id=id_) for entry, id_ in zip(entries, added, strict=True)])
            writer.link_known_vectors(self._identity, added)
            writer.add_words(self._new_words(prepared))
        return len(added), len(removed)

    def _write(self, writer: SqliteWriter, item: _Prepared) -> tuple[list[int], list[int]]:
        """Puts a document in its place, or a further part of one behind what is there; ids of gone and new chunks."""
        file, part = item.file, item.file.part
        growth = None
        if part is not None:
            cursor = part.cursor
            growth = Growth(
                part.base,
                json.dumps(asdict(cursor)),
                finished=file.is_whole,
                said_characters=cursor.said,
                indexed_characters=cursor.indexed,
                secrets=cursor.secrets,
            )
            if not part.first:
                _, new = writer.append_document(
                    file.observation, file.document, item.chunks, item.lengths, growth, dated_at(file)
                )
                return [], new
        identities = {
            "reader": file.reader,
            "chunker": chunking.IDENTITY,
            "lexical_identity": self._lexical_identity,
        }
        _, gone, new = writer.replace_document(
            file.observation, file.document, item.chunks, item.lengths, identities, dated_at(file), growth
        )
        return gone, new

    def _prepare(
        self, file: ReadFile, token_starts: Sequence[int], frame_token_starts: Mapping[str, Sequence[int]]
    ) -> _Prepared:
        chunks = chunking.chunk_document(file.document, token_starts, frame_token_starts)
        entries = lexical_entries(file.document, chunks, self._analyzer)
        return _Prepared(file, chunks, entries, [weighted_length(entry, self._analyzer) for entry in entries])

    def _new_words(self, prepared: Sequence[_Prepared]) -> dict[str, str]:
        new: dict[str, str] = {}
        for item in prepared:
            texts = [
                chunk.text
                for chunk, entry in zip(item.chunks, item.entries, strict=True)
                if not (_is_output(chunk) or self._known_words.issuperset(entry.body))
            ]
            for text in (*texts, item.file.document.title):
                for term, written in self._analyzer.written_words(text):
                    if term not in self._known_words:
                        self._known_words.add(term)
                        new[term] = written
        return new


def _fault(file: ReadFile, error: Exception) -> UnreadFile:
    return UnreadFile(file.observation, "failed", "read_failed", f"{type(error).__name__}: {error}")


def _is_output(chunk: Chunk) -> bool:
    """Whether a tool gave it, or was given it: nobody means its numbers and paths when a word is misspelt."""
    return chunk.row.message is not None and chunk.row.message.role in ("tool_call", "tool_result")


def dated_at(file: ReadFile) -> float:
    """The document's own date, else its file's time; seconds since 1970 UTC."""
    if file.document.date:
        try:
            return parse_instant(file.document.date)[0]
        except ValueError:
            pass
    return file.observation.stat.mtime_ns / _NANOSECONDS
