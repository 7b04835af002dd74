"""What a DOCX paragraph says, and what hangs on it: notes, text boxes, charts, links."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from glassdex.reading.attributes import described_by
from glassdex.reading.flow import exceeded
from glassdex.reading.ooxml import MATH, RELATIONSHIPS, WORD, alternatives_settled
from glassdex.reading.ooxml_drawings import CHART
from glassdex.reading.word_styles import WordStyles

if TYPE_CHECKING:
    from lxml.etree import _Element

_ID = f"{{{RELATIONSHIPS}}}id"
_DRAWING_PROPERTIES = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_LINK_FIELD = re.compile(r'\s*HYPERLINK\s+(?:"([^"]+)"|([^\s"\\]+))', re.IGNORECASE)
_COUNTING_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION)\b", re.IGNORECASE)
_LEFT_OUT = frozenset(
    WORD + name for name in ("del", "moveFrom", "rPr", "pPr", "rt", "delText", "delInstrText", "object")
)
_CHARACTERS = {f"{WORD}tab": "\t", f"{WORD}br": "\n", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "\u2011"}


class Inline:
    """One paragraph, read when it is made.

    `notes` are (`footnote` or `endnote`, id) in the order of their marks; a mark is written `[1]` by `number_of`.
    """

    def __init__(
        self,
        paragraph: _Element,
        styles: WordStyles,
        targets: Mapping[str, str],
        number_of: Callable[[str, str], int],
        nesting: int,
    ) -> None:
        self.notes: list[tuple[str, str]] = []
        self.boxes: list[_Element] = []
        self.charts: list[str] = []
        self.pictures: list[str] = []
        self.links: list[tuple[str, str]] = []
        """Target and label."""
        self._styles = styles
        self._targets = targets
        self._number_of = number_of
        self._nesting = nesting
        self._texts: list[str] = []
        self._fields: list[_Field] = []
        self._hides = styles.hides_paragraph(paragraph.find(f"{WORD}pPr"))
        self._walk(paragraph, 0)

    @property
    def text(self) -> str:
        """Lines as they were broken by hand, white space reduced."""
        return _tidy("".join(self._texts))

    def _walk(self, element: _Element, depth: int) -> None:
        if depth > self._nesting:
            raise exceeded("nesting", self._nesting, "the elements of a paragraph are nested deeper")
        for child in alternatives_settled(element):
            tag = child.tag
            if tag in _LEFT_OUT or not isinstance(tag, str):
                continue
            if tag in (f"{WORD}t", f"{MATH}t"):
                self._say(child.text or "")
            elif tag in _CHARACTERS:
                self._say(_CHARACTERS[tag])
            else:
                self._enter(child, tag, depth)

    def _enter(self, child: _Element, tag: str, depth: int) -> None:
        special = _SPECIAL.get(tag)
        if special is not None:
            special(self, child, depth)
        else:
            self._walk(child, depth + 1)

    def _say(self, text: str) -> None:
        if not any(field.counts for field in self._fields):
            self._texts.append(text)

    def _run(self, run: _Element, depth: int) -> None:
        if not self._styles.hides_run(run.find(f"{WORD}rPr"), paragraph_hides=self._hides):
            self._walk(run, depth + 1)
        else:
            for mark in run.iterchildren(f"{WORD}fldChar", f"{WORD}instrText"):
                self._enter(mark, str(mark.tag), depth)

    def _field(self, mark: _Element, depth: int) -> None:
        kind = mark.get(f"{WORD}fldCharType")
        if kind == "begin":
            self._fields.append(_Field(len(self._texts)))
        elif kind == "separate" and self._fields:
            self._fields[-1].begin_result(len(self._texts))
        elif kind == "end" and self._fields:
            field = self._fields.pop()
            self._link(field.target, field.start)

    def _instruction(self, instruction: _Element, depth: int) -> None:
        if self._fields:
            self._fields[-1].instruction += instruction.text or ""

    def _simple_field(self, element: _Element, depth: int) -> None:
        field = _Field(len(self._texts), element.get(f"{WORD}instr", ""))
        field.begin_result(len(self._texts))
        self._fields.append(field)
        self._walk(element, depth + 1)
        self._fields.pop()
        self._link(field.target, field.start)

    def _hyperlink(self, element: _Element, depth: int) -> None:
        start = len(self._texts)
        self._walk(element, depth + 1)
        self._link(self._targets.get(element.get(_ID, "")), start)

    def _link(self, target: str | None, start: int) -> None:
        if target:
            self.links.append((target, " ".join("".join(self._texts[start:]).split())))

    def _note(self, mark: _Element, depth: int) -> None:
        kind = "footnote" if mark.tag == f"{WORD}footnoteReference" else "endnote"
        identifier = mark.get(f"{WORD}id", "")
        self.notes.append((kind, identifier))
        self._texts.append(f"[{self._number_of(kind, identifier)}]")

    def _box(self, box: _Element, depth: int) -> None:
        self.boxes.append(box)

    def _chart(self, chart: _Element, depth: int) -> None:
        self.charts.append(chart.get(_ID, ""))

    def _picture(self, properties: _Element, depth: int) -> None:
        words = described_by(properties.get("descr", ""))
        if words:
            self.pictures.append(words)


class _Field:
    """A field between its marks: an instruction to the program, then what the program made of it."""

    def __init__(self, start: int, instruction: str = "") -> None:
        self.start = start
        self.instruction = instruction
        self.counts = False
        """Whether the result is a page number or the like."""
        self.target: str | None = None

    def begin_result(self, start: int) -> None:
        self.start = start
        self.counts = _COUNTING_FIELD.match(self.instruction) is not None
        link = _LINK_FIELD.match(self.instruction)
        self.target = None if link is None else link[1] or link[2]


_SPECIAL: Mapping[str, Callable[[Inline, _Element, int], None]] = {
    f"{WORD}r": Inline._run,
    f"{WORD}fldChar": Inline._field,
    f"{WORD}instrText": Inline._instruction,
    f"{WORD}fldSimple": Inline._simple_field,
    f"{WORD}hyperlink": Inline._hyperlink,
    f"{WORD}footnoteReference": Inline._note,
    f"{WORD}endnoteReference": Inline._note,
    f"{WORD}txbxContent": Inline._box,
    f"{CHART}chart": Inline._chart,
    _DRAWING_PROPERTIES: Inline._picture,
}


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
