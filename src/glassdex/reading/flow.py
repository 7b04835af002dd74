"""Extracted blocks → the text, rows and places of a document whose format is no text of its own."""

from __future__ import annotations

from collections.abc import Iterable

from glassdex.errors import LimitExceeded
from glassdex.model import Block, BlockKind, Place, Row
from glassdex.reading.protocol import Limits

Piece = tuple[str, int | None]
"""Text and the 1-based line of the file that it stands on, where the format has lines."""

_BETWEEN = "\n\n"


class Flow:
    """Puts blocks one behind the other, under the headings that they stand under.

    Blocks and rows are set apart by an empty line, list items by a line end. `places` are made of the lines of pieces.
    """

    def __init__(self, limits: Limits) -> None:
        self.rows: list[Row] = []
        self.places: list[Place] = []
        self._most_characters = limits.characters
        self._closed: list[str] = []
        self._row_start = 0
        self._length = 0
        self._parts: list[str] = []
        self._blocks: list[Block] = []
        self._headings: list[tuple[int, str]] = []

    @property
    def text(self) -> str:
        """The text of the rows that are closed."""
        return "".join(self._closed)

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings that the next block stands under."""
        return tuple(name for _, name in self._headings)

    @property
    def length(self) -> int:
        """How long the text is so far."""
        return self._length

    def mark(self) -> tuple[tuple[int, str], ...]:
        """The headings now, for `return_to`."""
        return tuple(self._headings)

    def return_to(self, mark: tuple[tuple[int, str], ...]) -> None:
        """What follows stands under the headings of a former moment again."""
        self._headings = list(mark)

    def heading(self, level: int, pieces: str | Iterable[Piece]) -> None:
        """A heading that ends those of its level and of deeper ones; any integer is a level."""
        content = _pieces(pieces)
        name = " ".join("".join(text for text, _ in content).split())
        if name:
            while self._headings and self._headings[-1][0] >= level:
                self._headings.pop()
            self._headings.append((level, name))
            self.add("heading", content)

    def add(
        self,
        kind: BlockKind,
        pieces: str | Iterable[Piece],
        *,
        depth: int = 0,
        context: str = "",
        apart: bool = False,
    ) -> None:
        """A block, unless it is blank; `apart` begins another list than the one before.

        Raises:
            LimitExceeded: the text gets longer than `limits.characters`.
        """
        content = _pieces(pieces)
        if not any(text.strip() for text, _ in content):
            return
        self._separate(close=kind == "list_item" and not apart)
        start = self._length
        for text, line in content:
            self._place(line, len(text))
            self._write(text)
        offset = self._row_start
        self._blocks.append(Block(kind, start - offset, self._length - offset, self.headings, depth, context))

    def close_row(self) -> tuple[int, int]:
        """End the row; where it stands in the text, which is nowhere (an empty span) for one without blocks."""
        if not self._blocks:
            return self._length, self._length
        text = "".join(self._parts)
        self.rows.append(Row("section", len(self.rows), text, self._row_start, tuple(self._blocks)))
        self._closed.append(text)
        self._parts, self._blocks = [], []
        return self._row_start, self._length

    def _separate(self, *, close: bool) -> None:
        if self._blocks:
            self._write("\n" if close and self._blocks[-1].kind == "list_item" else _BETWEEN)
        elif self._closed:
            self._closed.append(_BETWEEN)
            self._length += len(_BETWEEN)
        if not self._blocks:
            self._row_start = self._length

    def _place(self, line: int | None, length: int) -> None:
        if line is None or not length:
            return
        start = self._length
        last = self.places[-1] if self.places else None
        if last is not None and last.line_start == line and last.end == start:
            self.places.pop()
            start = last.start
        self.places.append(Place(start, self._length + length, line_start=line, line_end=line))

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length > self._most_characters:
            raise exceeded("characters", self._most_characters, "the text that the file holds is longer")


def exceeded(limit: str, value: int, what: str) -> LimitExceeded:
    """The error of a file that asks for more than a limit; `what` says in which way."""
    return LimitExceeded(
        f"{what} than the limit {limit} = {value:,}", "leave the file out with a line in .glassdexignore, or split it"
    )


def _pieces(pieces: str | Iterable[Piece]) -> list[Piece]:
    return [(pieces, None)] if isinstance(pieces, str) else list(pieces)
