"""Whether a pointer's passage still stands where it says, and if not, where it stands now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from glassdex.locators import LocatorMap
from glassdex.model import Place, text_hash, unify_newlines
from glassdex.pointers.pointer import HASH_DIGITS, Pointer

PointerState = Literal["exact", "moved", "changed", "gone", "ambiguous"]
_HASHED_CHARACTERS_LIMIT = 400_000_000
"""Above this, only beginnings of words are tried as the passage's new place."""


@dataclass(frozen=True, slots=True)
class Verification:
    """`places` are the pointers at which the passage stands now: one when exact or moved, several when ambiguous."""

    state: PointerState
    places: tuple[Pointer, ...] = ()


def verify(pointer: Pointer, text: str, places: Sequence[Place] = ()) -> Verification:
    """Checks a pointer against the text of its document, and the places in it, as they are now."""
    located = LocatorMap(text, places)
    passage = text[pointer.char_start : pointer.char_end]
    if passage and passage_hash(passage) == pointer.passage_hash:
        return Verification("exact", (relocate(pointer, located, pointer.char_start, pointer.char_end),))
    found = tuple(relocate(pointer, located, start, end) for start, end in _occurrences(pointer, text))
    if not found:
        return Verification("changed")
    return Verification("moved" if len(found) == 1 else "ambiguous", found)


def passage_hash(passage: str) -> str:
    """First 12 hex digits of the passage's SHA-256 with `\\n` newlines."""
    return text_hash(passage)[:HASH_DIGITS]


def relocate(pointer: Pointer, located: LocatorMap, start: int, end: int) -> Pointer:
    """The pointer at another place of the text that these are the places of."""
    return replace(pointer, char_start=start, char_end=end, locator=located.locate(start, end))


def _occurrences(pointer: Pointer, text: str) -> Iterator[tuple[int, int]]:
    """Every place of the passage, which is known by length and hash alone.

    Newlines may have changed form since, which changes the length in code points by one a line: all of them, or,
    where a passage had both forms, some.
    """
    unified = unify_newlines(text)
    length = pointer.char_end - pointer.char_start
    locator = pointer.locator
    newlines = min((locator.line_end or 0) - (locator.line_start or 0), unified.count("\n"))
    budget = _HASHED_CHARACTERS_LIMIT
    offsets = _original_offsets(text) if len(unified) != len(text) else None
    # No longer than the text, whatever a forged pointer says.
    for candidate_length in range(min(length, len(unified)), max(0, length - newlines - 1), -1):
        some = length - newlines < candidate_length < length
        if some and budget <= 0:
            continue
        budget -= len(unified) if some else 0
        for start in _line_starts(unified, candidate_length) if some else _starts(unified, candidate_length):
            budget -= candidate_length if some else 0
            encoded = unified[start : start + candidate_length].encode("utf-8", "surrogatepass")
            if some and budget <= 0:
                break
            if hashlib.sha256(encoded).hexdigest()[:HASH_DIGITS] == pointer.passage_hash:
                end = start + candidate_length
                yield (start, end) if offsets is None else (offsets[start], offsets[end - 1] + 1)


def _starts(text: str, length: int) -> Iterator[int]:
    last = len(text) - length
    everywhere = len(text) * length <= _HASHED_CHARACTERS_LIMIT
    for start in range(last + 1):
        if everywhere or start == 0 or text[start - 1].isspace():
            yield start


def _line_starts(text: str, length: int) -> Iterator[int]:
    return (start for start in range(len(text) - length + 1) if start == 0 or text[start - 1] == "\n")


def _original_offsets(text: str) -> list[int]:
    """For each code point of the unified text, its offset in `text`."""
    return [
        offset
        for offset, character in enumerate(text)
        if not (character == "\n" and offset and text[offset - 1] == "\r")
    ]
