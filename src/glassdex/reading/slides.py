"""PPTX: one row a slide, in the order of the show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from glassdex.model import Document, Place, TitleSource
from glassdex.reading.flow import Flow, exceeded
from glassdex.reading.ooxml import (
    bid_by_suffix,
    core_properties,
    damage_reported,
    missing_extra,
    stated_metadata,
    text_package,
)
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.slide_shapes import SlideText

if TYPE_CHECKING:
    from pptx.presentation import Presentation
    from pptx.slide import Slide

_SUFFIXES = frozenset({".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"})
# What PowerPoint and the libraries that write its format call a show that nobody has named.
_NO_TITLES = frozenset({"powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint", "slide 1"})


class SlidesReader:
    """Reads a PPTX presentation.

    A row of kind `section` is a slide: its title, its shapes as people see them (from the top, and side by side from
    the left), then the speaker's notes. A slide without words has an empty place, a hidden one says so.
    """

    name: str = "slides"
    version: int = 1
    format: str = "pptx"
    isolated: bool = True

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """90 for a zip container called `.pptx` or like it, 80 for another file of that name."""
        return bid_by_suffix(path.suffix, _SUFFIXES, head)

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The presentation's document.

        Raises:
            FileDamaged: it is no PPTX file.
            PasswordRequired: it is encrypted.
            LimitExceeded: it asks for too much.
            MissingExtra: python-pptx is not installed.
        """
        try:
            import pptx
        except ImportError as error:
            raise missing_extra("python-pptx", "PPTX") from error
        package = text_package(content, options.limits, "PPTX")
        with damage_reported("PPTX", options.limits):
            return self._document(path, pptx.Presentation(package), options)

    def _document(self, path: PurePosixPath, show: Presentation, options: ReadingOptions) -> Document:
        flow = Flow(options.limits)
        places: list[Place] = []
        first_title = ""
        said: set[str] = set()
        for number, slide in enumerate(_slides(show, options.limits.pages), 1):
            text = SlideText(slide, flow, options.limits, said)
            text.write()
            first_title = first_title or (text.title if number == 1 else "")
            hidden = slide.element.get("show") in ("0", "false")
            places.append(Place(*flow.close_row(), slide=number, hidden=hidden))
        properties = core_properties(show.part.package)
        metadata, tags, date = stated_metadata(properties)
        title, source = _title(path, first_title, properties)
        return Document(
            format=self.format,
            title=title,
            title_source=source,
            text=flow.text,
            rows=tuple(flow.rows),
            tags=tags,
            date=date,
            metadata=metadata,
            places=tuple(places),
        )


def _slides(show: Presentation, most: int) -> Iterator[Slide]:
    if len(show.slides) > most:
        raise exceeded("pages", most, f"the file has {len(show.slides):,} slides, more")
    yield from show.slides


def _title(path: PurePosixPath, first_title: str, properties: Mapping[str, str]) -> tuple[str, TitleSource]:
    """What the first slide shows: the title in the properties is often that of the file it was copied from."""
    stated = properties.get("title", "")
    if first_title:
        return first_title, "heading"
    if stated and stated.casefold() not in _NO_TITLES:
        return stated, "front_matter"
    return path.stem, "file_name"
