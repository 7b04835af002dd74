"""What DOCX and PPTX share: a zip container of XML parts, opened with measure and without trust.

The libraries read from a copy of the container that holds its XML parts alone, unpacked and counted here. That copy
has no DTD (the format forbids them, and entities are how a small file becomes a large one), and no media.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile, ZipInfo

from glassdex.errors import FileDamaged, GlassdexError, MissingExtra, PasswordRequired
from glassdex.reading.flow import exceeded
from glassdex.reading.protocol import Limits

if TYPE_CHECKING:
    from lxml.etree import _Element

ZIP_MAGIC = b"PK"
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
SLIDES = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_PIECE_BYTES = 1 << 16
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_CONTENT_TYPES = "[Content_Types].xml"
_WORD_MAIN = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_SLIDES_MAIN = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
# Templates, shows and files with macros differ from documents in this name alone.
_SAME_AS = {
    b"application/vnd.ms-word.document.macroEnabled.main+xml": _WORD_MAIN,
    b"application/vnd.ms-word.template.macroEnabledTemplate.main+xml": _WORD_MAIN,
    b"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml": _WORD_MAIN,
    b"application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml": _SLIDES_MAIN,
    b"application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml": _SLIDES_MAIN,
    b"application/vnd.ms-powerpoint.template.macroEnabled.main+xml": _SLIDES_MAIN,
    b"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml": _SLIDES_MAIN,
    b"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml": _SLIDES_MAIN,
}
# ISO 29500 Strict names the same things at another address.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/([A-Za-z]+)/")
_STRICT_MARK = b"purl.oclc.org/ooxml"
_PROLOG = re.compile(r"(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_ENCODING = re.compile(r"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]*)""")
_PLAIN_ENCODINGS = ("utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-", "windows-125")
_DATES = ("modified", "created")


def bid_by_suffix(suffix: str, suffixes: frozenset[str], head: bytes) -> int:
    """90 for a container of the right name, 80 for whatever else has the name and must be reported; else 0."""
    if suffix.lower() not in suffixes:
        return 0
    return 90 if head.startswith(ZIP_MAGIC) else 80


def missing_extra(library: str, formats: str) -> MissingExtra:
    """The error of a machine without the library."""
    return MissingExtra(
        f"reading {formats} needs {library}, which is not installed", "pip install 'glassdex[documents]'"
    )


@contextmanager
def damage_reported(formats: str, limits: Limits) -> Iterator[None]:
    """Whatever a library makes of bytes that it did not expect becomes one of our errors.

    Raises:
        FileDamaged, LimitExceeded: instead of it.
    """
    try:
        yield
    except (GlassdexError, MemoryError):
        raise
    except RecursionError:
        raise exceeded("nesting", limits.nesting, "its elements are nested deeper") from None
    except Exception as error:
        if "Excessive depth" in str(error):
            raise exceeded("nesting", limits.nesting, "its elements are nested deeper") from None
        reason = " ".join(f"{type(error).__name__}: {error}"[:200].split())
        raise FileDamaged(f"the file is no {formats}, or it is damaged ({reason})", "save it again") from error


def text_package(content: bytes, limits: Limits, formats: str) -> BytesIO:
    """The container with its XML parts alone.

    Raises:
        PasswordRequired: it is encrypted.
        LimitExceeded: its parts unpack to more than `limits.unpacked_bytes`.
        FileDamaged: it is no such container, or a part declares a document type.
    """
    if content.startswith(OLE_MAGIC):
        raise _no_container(content, formats)
    with damage_reported(formats, limits):
        parts = dict(_parts(content, limits.unpacked_bytes))
        types = parts.get(_CONTENT_TYPES, b"")
        strict = any(_STRICT_MARK in parts.get(name, b"") for name in (_CONTENT_TYPES, "_rels/.rels"))
        for other, main in _SAME_AS.items():
            types = types.replace(other, main)
        package = BytesIO()
        with ZipFile(package, "w") as archive:
            for name, part in {**parts, _CONTENT_TYPES: types}.items():
                archive.writestr(ZipInfo(name), _transitional(part) if strict else part)
        package.seek(0)
        return package


def parse_part(xml: bytes) -> _Element:
    """A part that the libraries leave as bytes, from a container that `text_package` made."""
    from lxml import etree

    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True))


def root_of(part: Any) -> _Element:  # noqa: ANN401 - a part of either library
    """The XML of a library's part."""
    element = getattr(part, "_element", None)
    return parse_part(part.blob) if element is None else element


def core_properties(package: Any) -> Mapping[str, str]:  # noqa: ANN401 - a package of either library
    """What the file says of itself, by local name: `title`, `creator`, `modified`, …; the libraries invent some."""
    from lxml import etree

    kind = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
    try:
        root = root_of(package.part_related_by(kind))
    except (KeyError, ValueError):
        return {}
    elements = (element for element in root if isinstance(element.tag, str))
    texts = {etree.QName(element).localname: " ".join((element.text or "").split()) for element in elements}
    return {name: text for name, text in texts.items() if text}


def stated_metadata(properties: Mapping[str, str]) -> tuple[dict[str, Any], tuple[str, ...], str | None]:
    """Metadata, tags and date of a document, from its core properties."""
    from glassdex.reading.front_matter import parse_date, unique_tags

    names = {"creator": "author", "subject": "subject", "description": "description", "category": "category"}
    metadata: dict[str, Any] = {name: properties[key] for key, name in names.items() if key in properties}
    tags = unique_tags(name.strip() for name in re.split("[,;]", properties.get("keywords", "")))
    dates = (parse_date(properties[name]) for name in _DATES if name in properties)
    return metadata, tags, next((date for date in dates if date), None)


def alternatives_settled(element: _Element) -> list[_Element]:
    """The children, those of an `AlternateContent`'s first choice (else of its fallback) in its place."""
    children: list[_Element] = []
    for child in element:
        if child.tag == f"{COMPATIBLE}AlternateContent":
            choice = child.find(f"{COMPATIBLE}Choice")
            if choice is None:
                choice = child.find(f"{COMPATIBLE}Fallback")
            children += [] if choice is None else alternatives_settled(choice)
        else:
            children.append(child)
    return children


def _parts(content: bytes, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    unpacked = 0
    with ZipFile(BytesIO(content)) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            if info.flag_bits & 1:
                raise PasswordRequired("a part of the file is encrypted", "save a copy without a password")
            part = _unpacked(archive, info, most_bytes - unpacked)
            if part is None:
                raise exceeded("unpacked_bytes", most_bytes, "the file unpacks to more bytes")
            unpacked += len(part)
            yield info.filename, part


def _unpacked(archive: ZipFile, info: ZipInfo, most_bytes: int) -> bytes | None:
    """An XML part, empty for any other; None where it unpacks to more than allowed, whatever its header says."""
    with archive.open(info) as stream:
        piece = stream.read(_PIECE_BYTES)
        if not _looks_like_xml(piece):
            return b""
        pieces, length = [piece], len(piece)
        while piece and length <= most_bytes:
            piece = stream.read(_PIECE_BYTES)
            pieces.append(piece)
            length += len(piece)
    if length > most_bytes:
        return None
    part = b"".join(pieces)
    _refuse_document_type(part, info.filename)
    return part


def _looks_like_xml(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0").startswith(b"<")


def _refuse_document_type(part: bytes, name: str) -> None:
    wide = part[:2] in (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
    text = part.decode(_wide_encoding(part[:2]), "replace") if wide else part.decode("latin-1").removeprefix("ï»¿")
    prolog = _PROLOG.match(text)
    declared = _ENCODING.match(text)
    odd = declared is not None and not declared[1].lower().startswith(_PLAIN_ENCODINGS)
    if odd or "\0" in text or (prolog and text.startswith("<!", prolog.end())):
        raise FileDamaged(
            f"its part {name[:200]} declares a document type or an encoding that the format does not allow",
            "open the file in the program that made it, and save it again",
        )


def _wide_encoding(mark: bytes) -> str:
    return {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le"}.get(mark, "utf-16-be")


def _transitional(part: bytes) -> bytes:
    def address(match: re.Match[bytes]) -> bytes:
        return b"http://schemas.openxmlformats.org/" + match[1] + b"/2006/"

    return _STRICT.sub(address, part)


def _no_container(content: bytes, formats: str) -> GlassdexError:
    if _ENCRYPTED in content:
        return PasswordRequired(
            "the file is encrypted with a password, and Glassdex cannot decrypt Office files",
            "save a copy without a password",
        )
    return FileDamaged(f"the file is of an older Office format, not {formats}", f"save it as {formats}")
