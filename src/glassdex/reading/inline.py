"""What stands inside a paragraph: wikilinks, Markdown links and #tags, found without a full inline parse."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from markdown_it.common.utils import normalizeReference, unescapeAll

from glassdex.reading.wikilinks import split_wikilink

# One code point that no pattern below accepts: it stands for text that must not be read again.
_MASK = "\0"

_TICKS = re.compile("`+")
_TICKS_OR_ESCAPE = re.compile(r"\\.|`+", re.DOTALL)
_ANGLES = re.compile(r"<[A-Za-z/!?][^<>]*>")
_WIKILINK = re.compile(r"(?<!\\)(!?)\[\[([^\[\]\r\n\0]+)\]\]")
# The text in brackets may hold one level of brackets (an image, a footnote). Quantifiers are possessive, so
# that a megabyte of brackets takes linear time.
_BRACKETS = r"(?<!\\)(!?)\[((?:[^\[\]\\]|\\.|\[[^\[\]]*+\])*+)\]"
_LINK = re.compile(
    _BRACKETS
    + r"""\([ \t\r\n]*+(<[^<>\r\n]*+>|(?:[^\s()<\\\0]|\\.|\((?:[^\s()\\\0]|\\.)*+\))++)"""
    + r"""(?:\s++(?:"[^"]*+"|'[^']*+'|\([^()]*+\)))?+\s*+\)""",
    re.DOTALL,
)
_REFERENCE = re.compile(_BRACKETS + r"(?:\[([^\[\]]*+)\])?+(?![\[(:])", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# Combining signs, which \w lacks and without which a word of Devanagari, Thai or Arabic falls apart.
_SIGNS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
    r"\u0eb1-\u0ece\u0f00-\u0fbc\u102b-\u103e\u17b4-\u17d3\u200c\u200d\ufe0f"
)
_TAG = re.compile(rf"(?<![^\s(\[{{,;|])#([^\W\d_][\w/{_SIGNS}-]*)")
_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif")


@dataclass(frozen=True, slots=True)
class Reference:
    """A link as found: `offset` is that of its first bracket in the scanned text."""

    offset: int
    route: Literal["wikilink", "link"]
    target: str
    label: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """Links in the order of the text, tags in the order of their first occurrence (repetitions included)."""

    links: tuple[Reference, ...] = ()
    tags: tuple[str, ...] = ()


NOTHING = Found()


class LinkDefinitions:
    """The `[label]: destination` lines of one document."""

    def __init__(self, definitions: Mapping[str, str]) -> None:
        """`definitions` maps labels in markdown-it's normal form to destinations."""
        self._definitions = definitions

    def __bool__(self) -> bool:
        return bool(self._definitions)

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and self.destination(label) is not None

    def destination(self, label: str) -> str | None:
        """Where the label points, None for one that is not defined."""
        return self._definitions.get(normalizeReference(label)) if self._definitions else None

    def destination_of_match(self, match: re.Match[str]) -> str | None:
        """Of `[text][label]`, `[label][]` or `[label]` as the reference pattern matches them."""
        return self.destination(match[3] or match[2])


def scan(text: str, definitions: LinkDefinitions) -> Found:
    """Links and tags in `text`, the source of one paragraph, heading or table; not from code, not images."""
    if "[" not in text and "#" not in text:
        return NOTHING
    masked = _mask_angles(_mask_code(text))
    links: list[Reference] = []
    if "[[" in masked:
        masked = _collect(_WIKILINK, masked, links, _wikilink)
    if "](" in masked:
        masked = _collect(_LINK, masked, links, _link_maker(text, _inline_destination))
    if definitions and "[" in masked:
        masked = _collect(_REFERENCE, masked, links, _link_maker(text, definitions.destination_of_match))
    tags = tuple(_tags(masked)) if "#" in masked else ()
    links.sort(key=lambda link: link.offset)
    return Found(tuple(links), tags)


def _mask_code(text: str) -> str:
    if "`" not in text:
        return text
    spans: list[tuple[int, int]] = []
    by_length: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        by_length.setdefault(run.end() - run.start(), []).append(run.start())
    position = 0
    while (match := _TICKS_OR_ESCAPE.search(text, position)) is not None:
        position = match.end()
        if match[0][0] == "\\":
            continue
        length = match.end() - match.start()
        closings = by_length.get(length, [])
        closing = bisect_left(closings, match.end())
        if closing < len(closings):
            position = closings[closing] + length
            spans.append((match.start(), position))
    return _mask(text, spans)


def _mask_angles(text: str) -> str:
    """Hide HTML tags and autolinks, but not the `<destination>` of a link."""
    if "<" not in text:
        return text
    spans = [match.span() for match in _ANGLES.finditer(text) if not text.endswith("](", 0, match.start())]
    return _mask(text, spans)


def _mask(text: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return text
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces.append(text[position:start])
        pieces.append(_MASK * (end - start))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def _collect(
    pattern: re.Pattern[str],
    masked: str,
    links: list[Reference],
    make: Callable[[re.Match[str]], Reference | None],
) -> str:
    """Add what `make` reads from the matches to `links`; the masked text with the matches hidden as well."""
    spans: list[tuple[int, int]] = []
    for match in pattern.finditer(masked):
        reference = make(match)
        if reference is not None:
            links.append(reference)
        spans.append(match.span())
    return _mask(masked, spans)


def _wikilink(match: re.Match[str]) -> Reference | None:
    target, label = split_wikilink(match[2])
    # `[[#Heading]]` and `[[^block]]` stay within the document.
    if not target or target[0] in "#^" or (match[1] and target.lower().endswith(_IMAGE_SUFFIXES)):
        return None
    return Reference(match.start(), "wikilink", target, label)


def _link_maker(
    text: str, destination_of: Callable[[re.Match[str]], str | None]
) -> Callable[[re.Match[str]], Reference | None]:
    def make(match: re.Match[str]) -> Reference | None:
        destination = None if match[1] else destination_of(match)
        if destination is None or not _is_relative(destination):
            return None
        # From the text itself: the label may hold code, which is masked.
        label = " ".join(text[match.start(2) : match.end(2)].split()) or None
        return Reference(match.start(), "link", unquote(destination), label)

    return make


def _inline_destination(match: re.Match[str]) -> str:
    destination = match[3]
    if destination.startswith("<"):
        destination = destination[1:-1]
    return unescapeAll(destination)


def _is_relative(destination: str) -> bool:
    return bool(destination) and not destination.startswith(("#", "//")) and not _SCHEME.match(destination)


def _tags(masked: str) -> Iterator[str]:
    for match in _TAG.finditer(masked):
        name = match[1].rstrip("-/")
        if name:
            yield name
