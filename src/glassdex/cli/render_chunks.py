"""A document as the index sees it, for people: freshness in full, then rows and chunks as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.console import Console
from rich.text import Text

from glassdex.cli.render_search import FRESHNESS_COLOURS, print_line
from glassdex.cli.terminal import safe, safe_line, safe_path
from glassdex.inspection.chunks import ChunkView, DocumentChunks, RowView
from glassdex.inspection.freshness import DocumentFreshness
from glassdex.locators import described

SHOWN_HASH = 12
_CONDITIONS = {"current": "green", "missing": "yellow", "other_identity": "yellow"}


def render_chunks(found: DocumentChunks, out: Console, *, whole: bool, prefix: str = "") -> None:
    """Prints the document; `whole` gives every chunk's whole text, `prefix` stands before the pointers."""
    document = found.document
    title = Text(safe_line(document.title), style="bold").append(f"  {safe_path(document.path)}", style="dim")
    title.append(f"  {document.format}{f' · {document.date}' if document.date else ''}", style="dim")
    print_line(title, out)
    for line in _freshness(found.freshness):
        print_line(line, out)
    chunks = [chunk for row in found.rows for chunk in row.chunks] + list(found.orphans)
    if chunks:
        print_line(Text(f"  vectors: {chunks[0].embedding_identity} in {chunks[0].vector_index}", style="dim"), out)
    for row in found.rows:
        print_line(_row(row), out)
        _print_chunks(row.chunks, out, prefix, whole=whole)
    if found.orphans:
        print_line(Text(f"orphaned: {len(found.orphans)} chunks whose row is gone", style="red"), out)
        _print_chunks(found.orphans, out, prefix, whole=whole)


def _freshness(freshness: DocumentFreshness) -> Iterator[Text]:
    file_side, index_side = freshness.file_vs_rows, freshness.rows_vs_index
    dot = Text("● ", style=FRESHNESS_COLOURS.get(freshness.state, "red"))
    yield dot.append(freshness.state.replace("_", " "))
    hashes = f"file {_short(file_side.current_hash)} · rows {_short(file_side.rows_hash)}"
    seen = f"rows made {_time(file_side.rows_at)} · {file_side.write_status}"
    yield Text(f"  file and rows: {file_side.state} ({hashes} · {seen})  {safe_line(file_side.detail)}", style="dim")
    counts = f"{index_side.chunks} chunks, {index_side.vectors_present} vectors, {index_side.lexical_present} in words"
    prints = f"{_short(index_side.manifest_fingerprint)} · {_short(index_side.index_fingerprint)}"
    diverged = "" if index_side.diverged_at is None else f"; from chunk {index_side.diverged_at} on"
    reasons = "".join(f"; {safe_line(reason)}" for reason in index_side.reasons)
    yield Text(f"  rows and index: {index_side.state} ({counts} · {prints}){diverged}{reasons}", style="dim")


def _row(row: RowView) -> Text:
    line = Text(f"{row.kind}  ", style="bold").append(row.key, style="dim")
    line.append("  " + safe_line(", ".join(described(row.locator))))
    facts = [safe_line(fact) for fact in (row.category, row.target) if fact]
    facts += [] if row.chunks else ["no chunk of its own"]
    return line.append("".join(f"  {fact}" for fact in facts), style="dim")


def _print_chunks(chunks: Sequence[ChunkView], out: Console, prefix: str, *, whole: bool) -> None:
    for position, chunk in enumerate(chunks):
        last = position == len(chunks) - 1
        branch, trunk = ("└ " if last else "├ "), ("  " if last else "│ ")
        # Never folded: keys and pointers are there to be copied.
        out.print(Text(branch).append_text(_chunk(chunk)), soft_wrap=True)
        out.print(Text(f"{trunk}  {prefix}{chunk.pointer}"), soft_wrap=True)
        for line in _details(chunk, out.width - 4, whole=whole):
            out.print(Text(f"{trunk}  ").append_text(line), soft_wrap=True)


def _chunk(chunk: ChunkView) -> Text:
    line = Text(f"{chunk.ordinal}  ").append(chunk.key, style="dim").append("  ")
    line.append("● ", style=_CONDITIONS.get(chunk.condition, "red")).append(chunk.condition.replace("_", " "))
    words = "in words" if chunk.in_lexical_index else "not in words"
    told = " · a copy, told by another session first" if chunk.copied else ""
    return line.append(f" · {chunk.embedding_status} · {words}{told}", style="dim")


def _details(chunk: ChunkView, room: int, *, whole: bool) -> Iterator[Text]:
    size = f"{chunk.characters} characters · {chunk.tokens} of {chunk.token_limit} tokens"
    yield Text(f"{size} · source {_short(chunk.source_hash)} · {_time(chunk.updated_at)}", style="dim")
    if chunk.breadcrumb:
        yield _shortened(safe_line(chunk.breadcrumb), room, style="dim italic")
    if chunk.context:
        yield _shortened(safe_line(chunk.context), room, style="dim italic")
    if whole:
        yield from (Text(line) for line in safe(chunk.text).splitlines())
    else:
        yield _shortened(safe_line(chunk.text), room)


def _shortened(text: str, room: int, style: str = "") -> Text:
    line = Text(text, style=style)
    line.truncate(room, overflow="ellipsis")
    return line


def _short(digest: str | None) -> str:
    return digest[:SHOWN_HASH] if digest else "·"


def _time(seconds: float | None) -> str:
    return "·" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
