"""Small documents with rows and chunks, made by hand: what a store takes, without a reader or a tokenizer."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from glassdex.model import Block, Chunk, Document, FileStat, Link, Locator, ReadingWarning, Row, RowKind, text_hash
from glassdex.storage.records import FileObservation


@dataclass(frozen=True, slots=True)
class Passage:
    """A line of a note: one row, one chunk."""

    text: str
    kind: RowKind = "entity"
    tags: tuple[str, ...] = ()


def note(
    title: str,
    passages: Sequence[Passage | str],
    *,
    tags: tuple[str, ...] = (),
    date: str | None = None,
    links: tuple[Link, ...] = (),
    warnings: tuple[ReadingWarning, ...] = (),
) -> tuple[Document, list[Chunk]]:
    """A document of one row a passage and its chunks, under the title as breadcrumb."""
    lines = [Passage(passage) if isinstance(passage, str) else passage for passage in passages]
    rows: list[Row] = []
    chunks: list[Chunk] = []
    ordinals: Counter[str] = Counter()
    occurrences: Counter[str] = Counter()
    start = 0
    for number, line in enumerate(lines, start=1):
        length = len(line.text)
        block = Block("paragraph", 0, length, (title,))
        row = Row(line.kind, ordinals[line.kind], line.text, start, (block,), line.tags)
        stem = f"{line.kind}:{text_hash(line.text)[:16]}"
        key = f"{stem}:{occurrences[stem]}"
        tokens = len(line.text.split())
        chunks.append(
            Chunk(key, row, number - 1, 0, length, Locator(number, number), line.text, (title,), title, "", tokens)
        )
        rows.append(row)
        ordinals[line.kind] += 1
        occurrences[stem] += 1
        start += length + 1
    text = "".join(f"{line.text}\n" for line in lines)
    document = Document("markdown", title, "heading", text, tuple(rows), tags, date, {"mood": "calm"}, links, warnings)
    return document, chunks


def observation(root_id: int, path: str, content: str = "content", mtime: float = 1.0) -> FileObservation:
    """A look at a file of that content."""
    digest = hashlib.sha256(content.encode()).hexdigest()
    nanoseconds = int(mtime * 1e9)
    stat = FileStat(size=len(content), mtime_ns=nanoseconds, ctime_ns=nanoseconds, inode=7)
    return FileObservation(root_id, path.encode(), path, stat, digest, observed_at=mtime + 5)
