"""Row → chunks; pure: the same text always gives the same chunks, whatever was indexed before.

A chunk never crosses a heading or a line that is a row of its own. Such a *stretch* that is too long for one chunk is
a list of *atoms* (a table, a fence or a list item that fits; the sentences or lines of the rest) and is cut in two,
and each part again until it fits. Where it is cut decides how many chunks an edit touches:

- Of the places that leave `MIN_SHARE` of a chunk on both sides, the one least deep in the structure is taken: between
  two blocks before between the parts of a list item, and only inside a single block between its sentences.
- Of several, the one where a hash of the first words behind it is smallest; where these are the same, as in a list
  whose items begin alike, a hash of the whole atom. So a cut stays where it is while what is behind it does, however
  far away the beginning is and however many blocks or sentences there are.
- Of atoms that are the same throughout, the one in the middle: there alone a count has a say.

So an edit touches the chunk it is in and at most one of its neighbours, unless it takes away or makes a strong place
and its surroundings are cut anew. How often that happens is measured by benchmarks/chunk_edits.py.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from glassdex.locators import LocatorMap
from glassdex.model import Block, Chunk, Document, Row, text_hash

VERSION = 3
IDENTITY = f"glassdex-chunker/{VERSION}"
MAX_CHARACTERS = 900
MAX_TOKENS = 240
"""Of the embedded text (breadcrumb, context, passage), special tokens left out; the shipped model reads 256 in all."""
SPARE_TOKENS = 4
"""Kept free of `MAX_TOKENS`: the rest of a word that had to be cut may have a token more than it had in the word."""
MAX_BREADCRUMB_CHARACTERS = 200
MAX_BREADCRUMB_TOKENS = 64
MAX_CONTEXT_CHARACTERS = 300
MAX_CONTEXT_TOKENS = 80
MIN_SHARE = 0.33
"""A cut leaves this share of a chunk on both sides, where the atoms allow it."""
_INSIDE_A_BLOCK = 1_000
"""Deeper than any block begins."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])")
_LINE_END = re.compile(r"\r\n?|\n")
_WORD_GAP = re.compile(r"\s+")
_WORD_BORDER = re.compile(r"(?<=\W)(?=\w)|(?<=\w)(?=\W)")
_OPENING = re.compile(r"\w")
_WHOLE_KINDS = frozenset({"table", "fence", "html", "list_item", "heading"})
_PROSE_KINDS = frozenset({"paragraph", "quote", "list_item"})
_PROSE_SEPARATORS = (_SENTENCE_END, _LINE_END, _WORD_GAP, _WORD_BORDER)
_LINE_SEPARATORS = (_LINE_END, _SENTENCE_END, _WORD_GAP, _WORD_BORDER)


@dataclass(frozen=True, slots=True)
class _Atom:
    """What is not cut: a span of the row's text, and how deep inside the structure it begins."""

    start: int
    end: int
    depth: int


class _Budget:
    """How much of a chunk a span of a row takes; `token_starts` are ascending offsets in the document's text."""

    def __init__(self, token_starts: Sequence[int], row_start: int, taken_tokens: int) -> None:
        self._token_starts = token_starts
        self._row_start = row_start
        self._max_tokens = MAX_TOKENS - SPARE_TOKENS - taken_tokens

    def tokens(self, start: int, end: int) -> int:
        offset = self._row_start
        first = bisect_left(self._token_starts, offset + start)
        return bisect_left(self._token_starts, offset + end, first) - first

    def share(self, start: int, end: int) -> float:
        """1 is a full chunk, by characters or by tokens, whichever is fuller."""
        return max((end - start) / MAX_CHARACTERS, self.tokens(start, end) / self._max_tokens)

    def fits(self, start: int, end: int) -> bool:
        return end - start <= MAX_CHARACTERS and self.tokens(start, end) <= self._max_tokens


@dataclass(frozen=True, slots=True)
class _Frame:
    """A breadcrumb or a context within its bounds, and its tokens."""

    text: str = ""
    token_count: int = 0


def breadcrumb(title: str, headings: Sequence[str]) -> str:
    """`title › heading › heading`, the middle left out when it gets long; no title gives the headings alone."""
    trail: list[str] = []
    for name in (title, *headings):
        label = " ".join(name[: 2 * MAX_BREADCRUMB_CHARACTERS].split())[:MAX_BREADCRUMB_CHARACTERS]
        if label and (not trail or trail[-1] != label):
            trail.append(label)
    while len(trail) > 2 and len(" › ".join(trail)) > MAX_BREADCRUMB_CHARACTERS:
        del trail[1]
    return " › ".join(trail)[:MAX_BREADCRUMB_CHARACTERS].rstrip()


def frames_of(document: Document) -> set[str]:
    """Every breadcrumb and context that a chunk of the document may carry, before it is bounded in tokens."""
    title = _embedded_title(document)
    blocks = [block for row in document.rows for block in row.blocks]
    chains = {block.headings for block in blocks} | {()}
    return {breadcrumb(title, chain) for chain in chains} | {
        _context(raw) for raw in {block.context for block in blocks}
    }


def chunk_document(
    document: Document, token_starts: Sequence[int], frame_token_starts: Mapping[str, Sequence[int]]
) -> list[Chunk]:
    """All chunks of a document, row by row.

    `token_starts` holds the offset in `document.text` of each token of the shipped tokenizer, ascending;
    `frame_token_starts` the same of every breadcrumb and context that `frames_of` named.
    """
    title = _embedded_title(document)
    places = LocatorMap(document.text, document.places)
    occurrences: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for row in document.rows:
        for stretch in _stretches(row):
            headings = stretch[-1].headings
            trail = _bounded(breadcrumb(title, headings), frame_token_starts, MAX_BREADCRUMB_TOKENS)
            said = {block.context for block in stretch}
            contexts = {raw: _bounded(_context(raw), frame_token_starts, MAX_CONTEXT_TOKENS) for raw in said}
            taken = trail.token_count + max(context.token_count for context in contexts.values())
            budget = _Budget(token_starts, row.start, taken)
            # A table is one block, or one for each of its records.
            changes = (block.start for before, block in pairwise(stretch) if before.context != block.context)
            openings = {stretch[0].start, *changes}
            for start, end in _cut_stretch(row, stretch, budget):
                text = row.text[start:end]
                begun = stretch[bisect_right(stretch, start, key=lambda block: block.start) - 1]
                # What stands in the passage is not said twice; a table begins with its own header.
                is_said = (begun.kind == "table" and start in openings) or _context(begun.context) in _flowing(text)
                context = _Frame() if is_said else contexts[begun.context]
                stem = f"{row.kind}:{text_hash(text)[:16]}"
                original = None if row.original is None else row.original[start:end]
                chunks.append(
                    Chunk(
                        key=f"{stem}:{occurrences[stem]}",
                        row=row,
                        ordinal=len(chunks),
                        start=start,
                        end=end,
                        locator=places.locate(row.start + start, row.start + end),
                        text=text,
                        headings=headings,
                        breadcrumb=trail.text,
                        context=context.text,
                        token_count=budget.tokens(start, end) + trail.token_count + context.token_count,
                        original_hash=None if original is None or original == text else text_hash(original),
                    )
                )
                occurrences[stem] += 1
    return chunks


def _embedded_title(document: Document) -> str:
    # A title made from the file's name is not embedded: renaming a file must cost nothing. Nor is a conversation's,
    # which may change as it grows.
    return "" if document.title_source in ("file_name", "conversation") else document.title


def _context(raw: str) -> str:
    return _flowing(raw[: 2 * MAX_CONTEXT_CHARACTERS])[:MAX_CONTEXT_CHARACTERS].rstrip()


def _flowing(text: str) -> str:
    return " ".join(text.split())


def _bounded(frame: str, token_starts: Mapping[str, Sequence[int]], most_tokens: int) -> _Frame:
    if not frame:
        return _Frame()
    starts = token_starts[frame]
    if len(starts) <= most_tokens:
        return _Frame(frame, len(starts))
    end = starts[most_tokens]
    return _Frame(frame[:end].rstrip(), bisect_left(starts, end))


def _stretches(row: Row) -> Iterator[list[Block]]:
    """Runs of blocks that may share a chunk; a heading that others carry in their breadcrumb is none by itself."""
    current: list[Block] = []
    for block in row.blocks:
        if current and block.kind in ("heading", "row"):
            if not _is_bare_heading(current, block):
                yield current
            current = []
        if block.kind != "row":
            current.append(block)
    if current:
        yield current
    if row.kind == "entity" and not row.blocks and row.text.strip():
        yield [_opening_block(row.text)]


def _is_bare_heading(stretch: list[Block], following: Block) -> bool:
    heading = stretch[0]
    depth = len(heading.headings)
    return len(stretch) == 1 and heading.kind == "heading" and following.headings[:depth] == heading.headings


def _opening_block(text: str) -> Block:
    """For a note of nothing but metadata: its first lines, so that it can be found at all."""
    start = len(text) - len(text.lstrip())
    return Block("paragraph", start, min(len(text.rstrip()), start + MAX_CHARACTERS))


def _cut_stretch(row: Row, stretch: list[Block], budget: _Budget) -> Iterator[tuple[int, int]]:
    start, end = stretch[0].start, stretch[-1].end
    if budget.fits(start, end):
        if row.text[start:end].strip():
            yield start, end
        return
    atoms = [atom for block in stretch for atom in _atoms(row.text, block, budget)]
    heading = stretch[0]
    for span in _Cutter(row.text, atoms, budget).spans():
        if not row.text[span[0] : span[1]].strip():
            continue  # of indentation that is longer than a chunk
        # A heading whose first block leaves no room for it stands in that block's breadcrumb.
        if heading.kind != "heading" or span != (heading.start, heading.end):
            yield span


def _atoms(text: str, block: Block, budget: _Budget) -> Iterator[_Atom]:
    if block.kind in _WHOLE_KINDS and budget.fits(block.start, block.end):
        spans: Iterator[tuple[int, int]] = iter([(block.start, block.end)])
    else:
        separators = _PROSE_SEPARATORS if block.kind in _PROSE_KINDS else _LINE_SEPARATORS
        spans = _pieces(text, block.start, block.end, separators, budget)
    for index, (start, end) in enumerate(spans):
        yield _Atom(start, end, _INSIDE_A_BLOCK if index else block.depth)


def _pieces(
    text: str, start: int, end: int, separators: Sequence[re.Pattern[str]], budget: _Budget
) -> Iterator[tuple[int, int]]:
    """The text between the first separators; what is still too long between the next ones, at last anywhere."""
    if not separators:
        yield from _halves(start, end, budget)
        return
    separator, rest = separators[0], separators[1:]
    spans = _spans_between(text, start, end, separator)
    if separator is _WORD_GAP or separator is _WORD_BORDER:
        spans = _groups_of_words(text, spans, budget)
    for span_start, span_end in spans:
        if budget.fits(span_start, span_end):
            yield span_start, span_end
        else:
            yield from _pieces(text, span_start, span_end, rest, budget)


def _spans_between(text: str, start: int, end: int, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    cursor = start
    for match in separator.finditer(text, start, end):
        if match.start() > cursor and text[cursor : match.start()].strip():
            # Closing quotation marks belong to the sentence, white space to nobody.
            yield cursor, match.start() + len(match.group().rstrip())
            cursor = match.end()
    if text[cursor:end].strip():
        yield cursor, end


def _groups_of_words(text: str, words: Iterator[tuple[int, int]], budget: _Budget) -> Iterator[tuple[int, int]]:
    """Groups that end after words picked by their own hash, so that an edit moves only the borders near it."""
    group: tuple[int, int] | None = None
    for start, end in words:
        if group and not budget.fits(group[0], end):
            yield group
            group = None
        group = (group[0] if group else start, end)
        if _hash(text[start:end]) % 16 == 0:
            yield group
            group = None
    if group:
        yield group


def _halves(start: int, end: int, budget: _Budget) -> Iterator[tuple[int, int]]:
    """Parts of one endless word or of a script without spaces: never so short that a word gains many tokens."""
    if end - start < 2 or budget.fits(start, end):
        yield start, end
        return
    middle = (start + end) // 2
    yield from _halves(start, middle, budget)
    yield from _halves(middle, end, budget)


class _Cutter:
    """Cuts a list of atoms into chunks."""

    def __init__(self, text: str, atoms: Sequence[_Atom], budget: _Budget) -> None:
        self._text = text
        self._atoms = atoms
        self._budget = budget

    def spans(self) -> Iterator[tuple[int, int]]:
        pending = [(0, len(self._atoms))]
        while pending:
            first, last = pending.pop()
            start, end = self._atoms[first].start, self._atoms[last - 1].end
            if last - first == 1 or self._budget.fits(start, end):
                yield start, end
            else:
                place = self._place(first, last)
                pending += [(place, last), (first, place)]

    def _place(self, first: int, last: int) -> int:
        """The atom before which the atoms `[first, last)` are cut."""
        places = self._allowed(first, last)
        strongest = min(self._strength[place] for place in places)
        middle = (first + last) // 2
        return min((p for p in places if self._strength[p] == strongest), key=lambda place: abs(place - middle))

    def _allowed(self, first: int, last: int) -> range:
        """The places that leave enough on both sides; all places where there is none."""
        start, end = self._atoms[first].start, self._atoms[last - 1].end
        places = range(first + 1, last)
        atoms, share = self._atoms, self._budget.share
        lowest = bisect_left(places, MIN_SHARE, key=lambda place: share(start, atoms[place - 1].end))
        highest = bisect_right(places, -MIN_SHARE, key=lambda place: -share(atoms[place].start, end)) - 1
        return places[lowest : highest + 1] or places

    @cached_property
    def _strength(self) -> list[tuple[int, int, int]]:
        """How good a place before each atom is, the least the best: its depth, a hash of how it begins, one of all."""
        text = self._text
        return [(a.depth, _opening_hash(text, a), _hash(text[a.start : a.end])) for a in self._atoms]


def _opening_hash(text: str, atom: _Atom) -> int:
    opening = "".join(_OPENING.findall(text, atom.start, min(atom.end, atom.start + 48)))[:24]
    return _hash(opening.casefold())


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
