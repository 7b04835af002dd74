"""HTML: what a page shows, in the order of its source, with the lines of that source."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from glassdex.errors import MissingExtra
from glassdex.model import Document, Json, TitleSource
from glassdex.reading.flow import Flow, exceeded
from glassdex.reading.front_matter import parse_date, unique_tags
from glassdex.reading.html_blocks import HtmlBlocks
from glassdex.reading.html_charset import decode_html
from glassdex.reading.protocol import ReadingOptions

if TYPE_CHECKING:
    from lxml.etree import _Element

_SUFFIXES = {".html": 80, ".htm": 80, ".xhtml": 80, ".xht": 80}
_LOOKS_LIKE_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)*+<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL)
_XHTML = re.compile(r"\s*(?:<\?xml\s|<!doctype\s+html\s+public\s+[\"'][^\"']*xhtml)", re.IGNORECASE)
_SELF_CLOSED = re.compile(r"<([A-Za-z][\w:-]*)(\s[^<>]*)?(?<!\s)\s*/>")
_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
})  # fmt: skip
_DESCRIBING = {
    "description": "description",
    "og:description": "description",
    "author": "author",
    "dc.creator": "author",
}
_DATES = (
    "article:modified_time", "last-modified", "dcterms.modified", "article:published_time", "date", "dc.date",
    "dcterms.date", "dcterms.created", "pubdate",
)  # fmt: skip


class HtmlReader:
    """Reads an HTML page.

    Rows of kind `section`: the page in the order of its source; each `nav`, `aside` and `footer` is a row of its own,
    so that it shares no chunk and no heading with the text. Scripts, styles and what the page hides are left out.
    """

    name: str = "html"
    version: int = 1
    format: str = "html"
    isolated: bool = True

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """80 for `.html` and its like; 30 for a file without a suffix that begins as a page does."""
        by_name = _SUFFIXES.get(path.suffix.lower(), 0)
        return by_name or (30 if not path.suffix and _LOOKS_LIKE_HTML.match(head[:4_096]) else 0)

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The page's document; each line of the source is a place.

        Raises:
            UnsupportedEncoding: the bytes are not in the encoding that the file declares, or in UTF-8.
            LimitExceeded: elements in elements beyond `limits.nesting`, or too much text.
            MissingExtra: lxml is not installed.
        """
        text = decode_html(content)
        root = _parsed(_closed(path, text), options.limits.nesting)
        flow = Flow(options.limits)
        blocks = HtmlBlocks(flow, options.limits)
        metadata: dict[str, str] = {}
        if root is not None:
            blocks.read(root)
            metadata = _metadata(root)
        title, source = _title(path, root, blocks.first_heading)
        described: dict[str, Json] = {
            name: metadata[key] for key, name in reversed(_DESCRIBING.items()) if key in metadata
        }
        language = "" if root is None else root.get("lang", "")
        return Document(
            format=self.format,
            title=title,
            title_source=source,
            text=flow.text,
            rows=tuple(flow.rows),
            tags=unique_tags(name.strip() for name in metadata.get("keywords", "").split(",")),
            date=next((date for date in (parse_date(metadata.get(name, "")) for name in _DATES) if date), None),
            metadata={**described, **({"language": language} if language else {})},
            links=tuple(blocks.links),
            places=tuple(flow.places),
        )


def _parsed(text: str, nesting: int) -> _Element | None:
    """The page as a tree; None for one without content. Never an error: so it is with pages."""
    try:
        from lxml import etree
    except ImportError as error:
        raise MissingExtra(
            "reading HTML needs lxml, which is not installed", "pip install 'glassdex[documents]'"
        ) from error
    # `huge_tree` lifts the parser's limits on attributes (pictures live in them); depth is ours to limit.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError:  # nothing but comments or white space
        return None
    if any("Excessive depth" in entry.message for entry in parser.error_log):
        raise exceeded("nesting", nesting, "its elements are nested deeper")
    return root


def _closed(path: PurePosixPath, text: str) -> str:
    """XHTML may close any element in its own tag; read as HTML, the rest of the page would stand inside it."""
    if path.suffix.lower() not in (".xhtml", ".xht") and not _XHTML.match(text):
        return text

    def spelled_out(match: re.Match[str]) -> str:
        return match[0] if match[1].lower() in _VOID else f"<{match[1]}{match[2] or ''}></{match[1]}>"

    return _SELF_CLOSED.sub(spelled_out, text)


def _title(path: PurePosixPath, root: _Element | None, first_heading: str) -> tuple[str, TitleSource]:
    element = None if root is None else root.find("head/title")
    stated = "" if element is None else " ".join((element.text or "").split())
    if stated:
        return stated, "front_matter"
    if first_heading:
        return first_heading, "heading"
    return path.stem or path.name or "page", "file_name"


def _metadata(root: _Element) -> dict[str, str]:
    """The page's `meta` elements by name in lower case; the first of each name counts."""
    found: dict[str, str] = {}
    for element in root.iter("meta"):
        name = (element.get("name") or element.get("property") or element.get("http-equiv") or "").lower()
        said = " ".join((element.get("content") or "").split())
        if name and said:
            found.setdefault(name, said)
    return found
