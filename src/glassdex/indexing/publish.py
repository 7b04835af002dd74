"""Group of files → one transaction: rows, chunks and their lexical entries appear together or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from glassdex import chunking
from glassdex.analysis import Analyzer
from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.embedding.tokens import TokenCounter
from glassdex.dates import parse_instant
from glassdex.lexical.entries import lexical_entries, weighted_length
from glassdex.lexical.fts5 import Fts5Writer
from glassdex.lexical.protocol import LexicalEntry
from glassdex.model import Chunk, Document
from glassdex.storage.records import FileObservation
from glassdex.storage.sqlite import SqliteStore

_NANOSECONDS = 1e9


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read: what was seen of it, what it holds, and the reader that says so (`name/version`)."""

    observation: FileObservation
    document: Document
    reader: str


@dataclass(frozen=True, slots=True)
class _Prepared:
    file: ReadFile
    chunks: list[Chunk]
    entries: list[LexicalEntry]
    lengths: list[float]


class Publisher:
    """Cuts and publishes documents into a store under one analyser and one embedding identity."""

    def __init__(self, store: SqliteStore, analyzer: Analyzer, identity: EmbeddingIdentity) -> None:
        self._store = store
        self._analyzer = analyzer
        self._identity = identity
        self._tokens = TokenCounter()
        self._known_words: set[str] = set()

    def publish(self, files: Sequence[ReadFile]) -> tuple[int, int]:
        """Publishes the files in one transaction; returns how many chunks are new and how many are gone."""
        prepared = list(self._prepare(files))
        added_count = removed_count = 0
        with self._store.write() as writer:
            lexical = Fts5Writer(writer.connection)
            for item in prepared:
                _, removed, added = writer.replace_document(
                    item.file.observation,
                    item.file.document,
                    item.chunks,
                    item.lengths,
                    {
                        "reader": item.file.reader,
                        "chunker": chunking.IDENTITY,
                        "lexical_identity": self._analyzer.identity,
                    },
                    dated_at(item.file),
                )
                lexical.delete(removed)
                lexical.upsert([
                    replace(entry, chunk_id=chunk_id)
                    for entry, chunk_id in zip(item.entries, added, strict=True)
                ])  # fmt: skip
                writer.link_known_vectors(self._identity, added)
                added_count += len(added)
                removed_count += len(removed)
            writer.add_words(self._new_words(prepared))
        return added_count, removed_count

    def _prepare(self, files: Sequence[ReadFile]) -> Iterator[_Prepared]:
        spans = self._tokens.spans_batch([file.document.text for file in files])
        trails = sorted({trail for file in files for trail in chunking.breadcrumbs_of(file.document)})
        trail_tokens = dict(zip(trails, self._tokens.count_batch(trails), strict=True))
        for file, token_spans in zip(files, spans, strict=True):
            chunks = chunking.chunk_document(file.document, [start for start, _ in token_spans], trail_tokens)
            entries = lexical_entries(file.document, chunks, self._analyzer)
            yield _Prepared(file, chunks, entries, [weighted_length(entry, self._analyzer) for entry in entries])

    def _new_words(self, prepared: Sequence[_Prepared]) -> dict[str, str]:
        new: dict[str, str] = {}
        for item in prepared:
            terms = {term for entry in item.entries for term in (*entry.title, *entry.body)} - self._known_words
            if not terms:
                continue
            for chunk in item.chunks:
                self._add_surfaces(chunk.text, terms, new)
            self._add_surfaces(item.file.document.title, terms, new)
            self._known_words |= new.keys()
        return new

    def _add_surfaces(self, text: str, terms: set[str], new: dict[str, str]) -> None:
        for token in self._analyzer.tokens(text):
            if token.term in terms and token.term not in new:
                new[token.term] = text[token.start : token.end].casefold()


def dated_at(file: ReadFile) -> float:
    """The document's own date, else its file's time; seconds since 1970 UTC."""
    if file.document.date:
        try:
            return parse_instant(file.document.date)[0]
        except ValueError:
            pass
    return file.observation.stat.mtime_ns / _NANOSECONDS
