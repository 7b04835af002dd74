"""Row → chunks; pure: the same text always gives the same chunks, whatever was indexed before.

A chunk never crosses a heading or a line that is a row of its own. Within such a stretch the text is a list of
*atoms* (a table, a fence or a list item that fits; the sentences or lines of the rest). A stretch that is too long is
cut at one boundary and both halves are looked at again. The boundary is chosen among the middle half of them, counted
in atoms: a block's border before a sentence's, then by a hash of the words that open the atom behind it. An edit
inside a sentence changes neither the count nor (unless it touches the opening words) a hash, so the cuts stay where
they were and the edit touches one chunk, or two when its own no longer fits; an inserted paragraph moves few of them.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glassdex.model import Block, Chunk, Document, Row, text_hash

VERSION = 1
IDENTITY = f"glassdex-chunker/{VERSION}"
MAX_CHARACTERS = 900
MAX_TOKENS = 240
"""Of the embedded text (breadcrumb and passage), special tokens left out; the shipped model reads 256 with them."""
MAX_BREADCRUMB_CHARACTERS = 200
SMALL_CHARACTERS = 160
"""A chunk below this joins its neighbour where both fit in one."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])")
_LINE_END = re.compile(r"\r\n?|\n")
_WORD_GAP = re.compile(r"\s+")
_OPENING = re.compile(r"\w")
_WHOLE_KINDS = frozenset({"table", "fence", "html", "list_item", "heading"})


@dataclass(frozen=True, slots=True)
class _Atom:
    start: int
    end: int
    opens_block: bool
    priority: int


class _Budget:
    """Whether a span of the document fits into one chunk; `token_starts` are ascending offsets in its text."""

    def __init__(self, token_starts: Sequence[int], row_start: int, max_tokens: int) -> None:
        self._token_starts = token_starts
        self._row_start = row_start
        self._max_tokens = max_tokens

    def tokens(self, start: int, end: int) -> int:
        offset = self._row_start
        return bisect_left(self._token_starts, offset + end) - bisect_left(self._token_starts, offset + start)

    def fits(self, start: int, end: int) -> bool:
        return end - start <= MAX_CHARACTERS and self.tokens(start, end) <= self._max_tokens


def breadcrumb(title: str, headings: Sequence[str]) -> str:
    """`title › heading › heading`, the middle left out when it gets long; no title gives the headings alone."""
    trail: list[str] = []
    for name in (title, *headings):
        label = " ".join(name.split())
        if label and (not trail or trail[-1] != label):
            trail.append(label)
    while len(trail) > 2 and len(" › ".join(trail)) > MAX_BREADCRUMB_CHARACTERS:
        del trail[1]
    return " › ".join(trail)[:MAX_BREADCRUMB_CHARACTERS]


def chunk_document(document: Document, token_starts: Sequence[int], breadcrumb_tokens: dict[str, int]) -> list[Chunk]:
    """All chunks of a document, row by row.

    `token_starts` holds the offset in `document.text` of each token of the shipped tokenizer, ascending;
    `breadcrumb_tokens` the token count of every breadcrumb that `breadcrumbs_of` named.
    """
    occurrences: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for row in document.rows:
        for headings, start, end in _row_spans(document, row, token_starts, breadcrumb_tokens):
            trail = breadcrumb(_embedded_title(document), headings)
            chunks.append(
                _make_chunk(
                    row,
                    start,
                    end,
                    headings,
                    trail,
                    len(chunks),
                    occurrences,
                    token_starts,
                    breadcrumb_tokens,
                )
            )
    return chunks


def breadcrumbs_of(document: Document) -> set[str]:
    """Every breadcrumb that a chunk of the document may carry."""
    title = _embedded_title(document)
    return {breadcrumb(title, block.headings) for row in document.rows for block in row.blocks} | {
        breadcrumb(title, ())
    }


def _embedded_title(document: Document) -> str:
    # A title made from the file's name is not embedded: renaming a file must cost nothing.
    return "" if document.title_source == "file_name" else document.title


def _row_spans(
    document: Document, row: Row, token_starts: Sequence[int], breadcrumb_tokens: dict[str, int]
) -> Iterator[tuple[tuple[str, ...], int, int]]:
    for stretch in _stretches(row.blocks):
        headings = stretch[-1].headings
        trail = breadcrumb(_embedded_title(document), headings)
        budget = _Budget(token_starts, row.start, MAX_TOKENS - breadcrumb_tokens.get(trail, 0))
        atoms = [atom for block in stretch for atom in _atoms(row.text, block, budget)]
        for start, end in _join_small(row.text, _split(atoms, budget), budget):
            yield headings, start, end
    if row.kind == "entity" and not row.blocks and row.text.strip():
        yield (), *_opening_span(row.text, _Budget(token_starts, row.start, MAX_TOKENS))


def _opening_span(text: str, budget: _Budget) -> tuple[int, int]:
    """For a note of nothing but metadata: its first lines, so that it can be found at all."""
    start = len(text) - len(text.lstrip())
    end = min(len(text.rstrip()), start + MAX_CHARACTERS)
    while not budget.fits(start, end):
        end -= max(1, (end - start) // 8)
    return start, end


def _stretches(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Runs of blocks that may share a chunk; a heading that others carry in their breadcrumb is none by itself."""
    current: list[Block] = []
    for position, block in enumerate(blocks):
        if current and block.kind in ("heading", "row"):
            yield from _unless_bare_heading(current, block)
            current = []
        if block.kind != "row":
            current.append(block)
        if position == len(blocks) - 1 and current:
            yield current


def _unless_bare_heading(stretch: list[Block], following: Block) -> Iterator[list[Block]]:
    heading = stretch[0]
    depth = len(heading.headings)
    bare = len(stretch) == 1 and heading.kind == "heading" and following.headings[:depth] == heading.headings
    if not bare:
        yield stretch


def _atoms(text: str, block: Block, budget: _Budget) -> list[_Atom]:
    whole = block.kind in _WHOLE_KINDS and budget.fits(block.start, block.end)
    spans = [(block.start, block.end)] if whole else list(_pieces(text, block, budget))
    return [
        _Atom(start, end, opens_block=index == 0, priority=_priority(text, start, end))
        for index, (start, end) in enumerate(spans)
    ]


def _pieces(text: str, block: Block, budget: _Budget) -> Iterator[tuple[int, int]]:
    """Sentences of prose, lines of the rest; whatever is still too long is cut between words, then anywhere."""
    separators = (
        [_SENTENCE_END, _LINE_END, _WORD_GAP] if block.kind in ("paragraph", "quote") else [_LINE_END, _WORD_GAP]
    )
    yield from _cut(text, block.start, block.end, separators, budget)


def _cut(
    text: str, start: int, end: int, separators: list[re.Pattern[str]], budget: _Budget
) -> Iterator[tuple[int, int]]:
    if not separators:
        yield from _cut_anywhere(start, end, budget)
        return
    separator, rest = separators[0], separators[1:]
    spans = _spans_between(text, start, end, separator)
    if separator is _WORD_GAP:
        spans = list(_groups_of_words(text, spans, budget))
    for span_start, span_end in spans:
        if budget.fits(span_start, span_end):
            yield span_start, span_end
        else:
            yield from _cut(text, span_start, span_end, rest, budget)


def _spans_between(text: str, start: int, end: int, separator: re.Pattern[str]) -> list[tuple[int, int]]:
    spans, cursor = [], start
    for match in separator.finditer(text, start, end):
        if match.start() > cursor and text[cursor : match.start()].strip():
            # Closing quotation marks belong to the sentence, white space to nobody.
            span_end = match.end() - (len(match.group()) - len(match.group().rstrip()))
            spans.append((cursor, span_end))
            cursor = match.end()
    if text[cursor:end].strip():
        spans.append((cursor, end))
    return spans


def _groups_of_words(text: str, words: list[tuple[int, int]], budget: _Budget) -> Iterator[tuple[int, int]]:
    """Groups that end after words picked by their own hash, so that an edit moves only the borders near it."""
    group_start: int | None = None
    group_end = 0
    for start, end in words:
        if group_start is not None and not budget.fits(group_start, end):
            yield group_start, group_end
            group_start = None
        group_start = start if group_start is None else group_start
        group_end = end
        if zlib.crc32(text[start:end].encode("utf-8", "surrogatepass")) % 16 == 0:
            yield group_start, group_end
            group_start = None
    if group_start is not None:
        yield group_start, group_end


def _cut_anywhere(start: int, end: int, budget: _Budget) -> Iterator[tuple[int, int]]:
    step = MAX_CHARACTERS // 2
    while start < end:
        piece_end = min(end, start + step)
        while piece_end - start > 1 and not budget.fits(start, piece_end):
            piece_end = start + (piece_end - start) // 2
        yield start, piece_end
        start = piece_end


def _priority(text: str, start: int, end: int) -> int:
    opening = "".join(_OPENING.findall(text, start, min(end, start + 48)))[:24].casefold()
    return zlib.crc32(opening.encode("utf-8", "surrogatepass"))


def _split(atoms: Sequence[_Atom], budget: _Budget) -> Iterator[tuple[int, int]]:
    pending = [(0, len(atoms))]
    while pending:
        first, last = pending.pop()
        if first == last:
            continue
        start, end = atoms[first].start, atoms[last - 1].end
        if last - first == 1 or budget.fits(start, end):
            yield start, end
            continue
        boundary = _choose_boundary(atoms, first, last)
        pending += [(boundary, last), (first, boundary)]


def _choose_boundary(atoms: Sequence[_Atom], first: int, last: int) -> int:
    count = last - first
    margin = max(1, count // 4)
    middle = (first + last) / 2
    return min(
        range(first + margin, last - margin + 1),
        key=lambda i: (not atoms[i].opens_block, atoms[i].priority, abs(i - middle), i),
    )


def _join_small(text: str, spans: Iterator[tuple[int, int]], budget: _Budget) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        previous = joined[-1] if joined else None
        small = previous and min(end - start, previous[1] - previous[0]) < SMALL_CHARACTERS
        if previous and small and budget.fits(previous[0], end):
            joined[-1] = (previous[0], end)
        elif text[start:end].strip():
            joined.append((start, end))
    return joined


def _make_chunk(
    row: Row,
    start: int,
    end: int,
    headings: tuple[str, ...],
    trail: str,
    ordinal: int,
    occurrences: Counter[str],
    token_starts: Sequence[int],
    breadcrumb_tokens: dict[str, int],
) -> Chunk:
    text = row.text[start:end]
    stem = f"{row.kind}:{text_hash(text)[:16]}"
    key = f"{stem}:{occurrences[stem]}"
    occurrences[stem] += 1
    own_tokens = _Budget(token_starts, row.start, MAX_TOKENS).tokens(start, end)
    line_start = row.line_start + len(_LINE_END.findall(row.text, 0, start))
    return Chunk(
        key=key,
        row=row,
        ordinal=ordinal,
        start=start,
        end=end,
        line_start=line_start,
        line_end=line_start + len(_LINE_END.findall(text)),
        text=text,
        headings=headings,
        breadcrumb=trail,
        token_count=own_tokens + breadcrumb_tokens.get(trail, 0),
    )
