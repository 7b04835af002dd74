"""The patterns that find words: which characters make a word, and where one script ends and another begins."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise

# Han, kana, bopomofo and Hangul: scripts that are searched by overlapping pairs of characters.
CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# What one reads as one character: a decomposed Hangul syllable, kana with its voicing mark.
CJK_CHARACTER = re.compile("[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|.[\u3099\u309a]?")
# Between two word characters these make one compound: snake_case (by \w), IT-644, a/b.md, v0.23.1, user@host, a::b.
_CONNECTORS = r"(?:[-./@+]|::?)"
_SHARP_NAMES = r"[A-Za-z](?:\+\+|#)(?!\w)"

_ASCII_WORD = re.compile(rf"{_SHARP_NAMES}|\w+(?:{_CONNECTORS}\w+)*(?:'\w+)?", re.ASCII)
_ASCII_WORD_APOSTROPHE_SPLITS = re.compile(rf"{_SHARP_NAMES}|\w+(?:{_CONNECTORS}\w+)*", re.ASCII)


def word_pattern(text: str, apostrophe_joins: bool) -> re.Pattern[str]:
    """The pattern that finds the words of `text`; groups `cjk` and `symbol` name the special kinds.

    Python's `\\w` leaves out combining marks (an NFD accent, a Devanagari vowel sign), which belong to the word that
    they follow; those that occur in the text are added to its pattern.
    """
    if text.isascii():
        return _ASCII_WORD if apostrophe_joins else _ASCII_WORD_APOSTROPHE_SPLITS
    marks, symbols = [], []
    for character in set(text):
        category = unicodedata.category(character)
        if category[0] == "M":
            marks.append(character)
        elif category == "So":
            symbols.append(character)
    return _compile("".join(sorted(marks)), "".join(sorted(symbols)), apostrophe_joins)


@cache
def _compile(marks: str, symbols: str, apostrophe_joins: bool) -> re.Pattern[str]:
    letter = rf"[^\W{CJK}]"
    word = rf"{letter}(?:{letter}|[{re.escape(marks)}])*" if marks else rf"{letter}+"
    apostrophe = rf"(?:['\u2019]{word})?" if apostrophe_joins else ""
    symbol = rf"|(?P<symbol>[{re.escape(symbols)}])" if symbols else "|(?P<symbol>(?!))"
    return re.compile(rf"(?P<cjk>[{CJK}]+)|{_SHARP_NAMES}|{word}(?:{_CONNECTORS}{word})*{apostrophe}{symbol}")


_PARTS = re.compile(r"[^_\-./@+:#]+")
_CAMEL_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def word_parts(surface: str) -> list[tuple[int, int]]:
    """Spans of the words inside a compound or a CamelCase name; empty for a plain word."""
    if surface.isalpha() and surface.islower():
        return []
    spans = []
    for match in _PARTS.finditer(surface):
        borders = _camel_borders(match.group())
        edges = [0, *borders, len(match.group())]
        spans += [(match.start() + a, match.start() + b) for a, b in pairwise(edges)]
    return [] if spans == [(0, len(surface))] else spans


def _camel_borders(word: str) -> list[int]:
    if word.isascii():
        return [match.start() for match in _CAMEL_BORDER.finditer(word)]
    letters = [index for index, character in enumerate(word) if not unicodedata.combining(character)]
    borders = []
    for before, here, after in zip(letters, letters[1:], [*letters[2:], None], strict=False):
        follows_small = word[before].islower() or word[before].isdecimal()
        begins_name = word[before].isupper() and after is not None and word[after].islower()
        if word[here].isupper() and (follows_small or begins_name):
            borders.append(here)
    return borders
