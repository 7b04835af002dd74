"""What DOCX styles say: which paragraphs are headings, of which level, list items, or hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassdex.reading.attributes import bounded_number
from glassdex.reading.ooxml import WORD

if TYPE_CHECKING:
    from lxml.etree import _Element

TITLE = -1
"""The level of the document's title, above `UNNUMBERED`."""
UNNUMBERED = 0
"""The level of a heading whose style has no number."""

_VAL = f"{WORD}val"
# Word writes the names of its own styles in English; other programs write what their users see.
_NUMBERED = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|címsor|başlık"
    r"|заголовок|επικεφαλίδα|标题|標題|見出し|제목)\s*([1-9])",
    re.IGNORECASE,
)
_NAMED = {"title": TITLE, "heading": UNNUMBERED, "subtitle": 1}
_CONTENTS = re.compile(r"(?:toc|contents) [1-9]", re.IGNORECASE)
_BODY_OUTLINE = 9
_MOST_ANCESTORS = 50


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str | None
    level: int | None
    """Of the heading; `_BODY_OUTLINE + 1` says that it is none although a style below says so."""
    list_depth: int | None
    hidden: bool | None


class WordStyles:
    """The styles part of one document."""

    def __init__(self, root: _Element | None) -> None:
        self._styles: dict[str, _Style] = {}
        self._default = ""
        for element in () if root is None else root.iterchildren(f"{WORD}style"):
            identifier = element.get(f"{WORD}styleId", "")
            self._styles[identifier] = _read(element)
            if element.get(f"{WORD}type") == "paragraph" and element.get(f"{WORD}default") in ("1", "true", "on"):
                self._default = identifier

    def level(self, properties: _Element | None) -> int | None:
        """The level of a heading with these paragraph properties; None for what is no heading."""
        own = _outline(properties)
        levels = (own, *(style.level for style in self._lineage(properties)))
        level = next((level for level in levels if level is not None), None)
        return None if level is None or level > _BODY_OUTLINE else level

    def list_depth(self, properties: _Element | None) -> int | None:
        """How deep the list item stands, from 0; None for what is no list item."""
        own = _list_depth(properties)
        depths = (own, *(style.list_depth for style in self._lineage(properties)))
        depth = next((depth for depth in depths if depth is not None), None)
        return None if depth is None or depth < 0 else depth

    def is_contents(self, properties: _Element | None) -> bool:
        """Whether it is a line of a table of contents, which repeats a heading."""
        return any(_CONTENTS.fullmatch(style.name) for style in self._lineage(properties))

    def hides_paragraph(self, properties: _Element | None) -> bool:
        """Whether the paragraph's style hides its text."""
        return _first_said(style.hidden for style in self._lineage(properties))

    def hides_run(self, properties: _Element | None, *, paragraph_hides: bool) -> bool:
        """Whether a run with these properties is hidden: what it says itself counts before its styles."""
        if properties is None:
            return paragraph_hides
        own = _switch(properties.find(f"{WORD}vanish"))
        if own is not None:
            return own
        return _first_said((*(s.hidden for s in self._ancestors(_named(properties, "rStyle"))), paragraph_hides))

    def _lineage(self, properties: _Element | None) -> list[_Style]:
        return self._ancestors(_named(properties, "pStyle") or self._default)

    def _ancestors(self, identifier: str | None) -> list[_Style]:
        found: list[_Style] = []
        while identifier in self._styles and len(found) < _MOST_ANCESTORS:
            found.append(self._styles[identifier])
            identifier = found[-1].based_on
        return found


def _read(element: _Element) -> _Style:
    name = (_named(element, "name") or "").strip()
    numbered = _NUMBERED.fullmatch(name)
    properties = element.find(f"{WORD}pPr")
    run = element.find(f"{WORD}rPr")
    return _Style(
        name=name,
        based_on=_named(element, "basedOn"),
        level=int(numbered[1]) if numbered else _NAMED.get(name.casefold(), _outline(properties)),
        list_depth=_list_depth(properties),
        hidden=None if run is None else _switch(run.find(f"{WORD}vanish")),
    )


def _outline(properties: _Element | None) -> int | None:
    written = _named(properties, "outlineLvl")
    return None if written is None else 1 + bounded_number(written, _BODY_OUTLINE, least=0)


def _list_depth(properties: _Element | None) -> int | None:
    """-1 where the numbering of a style below is switched off."""
    numbering = None if properties is None else properties.find(f"{WORD}numPr")
    if numbering is None:
        return None
    return -1 if _named(numbering, "numId") == "0" else bounded_number(_named(numbering, "ilvl"), 8, least=0)


def _named(element: _Element | None, name: str) -> str | None:
    child = None if element is None else element.find(WORD + name)
    return None if child is None else child.get(_VAL)


def _switch(element: _Element | None) -> bool | None:
    return None if element is None else element.get(_VAL, "1") in ("1", "true", "on")


def _first_said(answers: object) -> bool:
    return next((answer for answer in answers if answer is not None), False)  # type: ignore[attr-defined]
