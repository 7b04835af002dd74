"""DOCX: headings, paragraphs, lists, tables and notes in their order. The format has neither pages nor lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from glassdex.model import Document, Place, TitleSource
from glassdex.reading.flow import Flow
from glassdex.reading.ooxml import (
    bid_by_suffix,
    core_properties,
    damage_reported,
    missing_extra,
    stated_metadata,
    text_package,
)
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.word_body import WordBody

_SUFFIXES = frozenset({".docx", ".docm", ".dotx", ".dotm"})
# What Word and the libraries that write its format call a document that nobody has named.
_NO_TITLES = frozenset({"word document", "document", "untitled"})


class WordReader:
    """Reads a DOCX document.

    A row of kind `section` holds the flow: what tracked changes deleted, what is hidden and tables of contents are
    left out; footnotes and text boxes stand behind the paragraph that they belong to. A second row holds headers and
    footers, each once. One place without numbers covers the text: pages come to be when a program lays it out.
    """

    name: str = "word"
    version: int = 1
    format: str = "docx"
    isolated: bool = True

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """90 for a zip container called `.docx` or like it, 80 for another file of that name."""
        return bid_by_suffix(path.suffix, _SUFFIXES, head)

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The document. A link's line is that of the extracted text.

        Raises:
            FileDamaged: it is no DOCX file.
            PasswordRequired: it is encrypted.
            LimitExceeded: it asks for too much.
            MissingExtra: python-docx is not installed.
        """
        try:
            import docx
        except ImportError as error:
            raise missing_extra("python-docx", "DOCX") from error
        package = text_package(content, options.limits, "DOCX")
        with damage_reported("DOCX", options.limits):
            return self._document(path, docx.Document(package).part, options)

    def _document(self, path: PurePosixPath, part: Any, options: ReadingOptions) -> Document:  # noqa: ANN401
        flow = Flow(options.limits)
        body = WordBody(part, flow, options.limits)
        body.write()
        flow.close_row()
        properties = core_properties(part.package)
        metadata, tags, date = stated_metadata(properties)
        title, source = _title(path, body, properties)
        return Document(
            format=self.format,
            title=title,
            title_source=source,
            text=flow.text,
            rows=tuple(flow.rows),
            tags=tags,
            date=date,
            metadata=metadata,
            links=body.links(flow.text),
            warnings=tuple(body.warnings),
            places=(Place(0, len(flow.text)),),
        )


def _title(path: PurePosixPath, body: WordBody, properties: Mapping[str, str]) -> tuple[str, TitleSource]:
    stated = properties.get("title", "")
    if body.title:
        return body.title, "heading"
    if stated and stated.casefold() not in _NO_TITLES:
        return stated, "front_matter"
    if body.first_heading:
        return body.first_heading, "heading"
    return path.stem, "file_name"
