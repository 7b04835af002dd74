"""PDFium behind one lock: opening a file, its pages, labels, metadata and outline.

PDFium is not thread-safe, not even between documents: whoever calls it does so inside `opened`.
"""

from __future__ import annotations

import ctypes
import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

from glassdex.errors import FileDamaged, LimitExceeded, MissingExtra, PasswordRequired, ReadError
from glassdex.reading.protocol import ReadingOptions

_LOCK = threading.RLock()
_MOST_BOOKMARKS = 20_000
_LABEL_BYTES = 256
_MOST_INFO_BYTES = 65_536


def load_pdfium() -> ModuleType:
    """PDFium's functions; `MissingExtra` where they are not installed."""
    try:
        return importlib.import_module("pypdfium2.raw")
    except ImportError as error:
        raise MissingExtra("reading PDF needs pypdfium2", "pip install 'glassdex[documents]'") from error


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the file's outline; level and page count from 1."""

    title: str
    level: int
    page: int


class OpenFile:
    """An open document; handles are valid until it is closed."""

    def __init__(self, pdfium: ModuleType, handle: object) -> None:
        self.pdfium = pdfium
        self.handle = handle
        self.page_count = int(pdfium.FPDF_GetPageCount(handle))
        self._label = ctypes.create_string_buffer(_LABEL_BYTES)

    @contextmanager
    def page(self, number: int) -> Iterator[object | None]:
        """The handle of a page, counted from 1; None where the page cannot be read."""
        page = self.pdfium.FPDF_LoadPage(self.handle, number - 1)
        try:
            yield page or None
        finally:
            if page:
                self.pdfium.FPDF_ClosePage(page)

    def label(self, number: int) -> str | None:
        """The page's name in the file; None where it has none."""
        size = self.pdfium.FPDF_GetPageLabel(self.handle, number - 1, self._label, _LABEL_BYTES)
        if not 2 < size <= _LABEL_BYTES:
            return None
        return _decoded(self._label.raw[: size - 2]) or None

    def info(self, tag: bytes) -> str:
        """An entry of the document's information, `""` where there is none."""
        size = self.pdfium.FPDF_GetMetaText(self.handle, tag, None, 0)
        if not 2 < size <= _MOST_INFO_BYTES:
            return ""
        buffer = ctypes.create_string_buffer(size)
        self.pdfium.FPDF_GetMetaText(self.handle, tag, buffer, size)
        return _decoded(buffer.raw[: size - 2])

    def outline(self, deepest: int) -> list[Bookmark]:
        """The bookmarks in their order; those that point to no page are left out."""
        pdfium, found = self.pdfium, []
        seen: set[int] = set()
        pending = [(pdfium.FPDFBookmark_GetFirstChild(self.handle, None), 1)]
        while pending:
            mark, level = pending.pop()
            address = ctypes.cast(mark, ctypes.c_void_p).value if mark else None
            if address is None or address in seen or len(seen) >= _MOST_BOOKMARKS:
                continue  # outlines in the wild point back at themselves
            seen.add(address)
            target = pdfium.FPDFBookmark_GetDest(self.handle, mark)
            page = pdfium.FPDFDest_GetDestPageIndex(self.handle, target) if target else -1
            title = self._bookmark_title(mark)
            if page >= 0 and title:
                found.append(Bookmark(title, level, page + 1))
            pending.append((pdfium.FPDFBookmark_GetNextSibling(self.handle, mark), level))
            if level < deepest:
                pending.append((pdfium.FPDFBookmark_GetFirstChild(self.handle, mark), level + 1))
        return found

    def _bookmark_title(self, mark: object) -> str:
        size = self.pdfium.FPDFBookmark_GetTitle(mark, None, 0)
        if not 2 < size <= _MOST_INFO_BYTES:
            return ""
        buffer = ctypes.create_string_buffer(size)
        self.pdfium.FPDFBookmark_GetTitle(mark, buffer, size)
        return _decoded(buffer.raw[: size - 2])


@contextmanager
def opened(content: bytes, options: ReadingOptions) -> Iterator[OpenFile]:
    """The document in `content`, with the first of the passwords that opens it; the lock is held meanwhile.

    Raises:
        PasswordRequired, FileDamaged, LimitExceeded: it cannot be opened, or has too many pages.
        MissingExtra: pypdfium2 is not installed.

    """
    pdfium = load_pdfium()
    with _LOCK:
        handle = _load(pdfium, content, options.passwords)
        try:
            file = OpenFile(pdfium, handle)
            most = options.limits.pages
            if file.page_count > most:
                raise LimitExceeded(
                    f"the file has {file.page_count:,} pages, the limit `pages` is {most:,}",
                    "raise the limit if the file is what it should be",
                )
            if file.page_count < 1:
                raise FileDamaged("the PDF has no pages", "open it in a viewer and save it again")
            yield file
        finally:
            pdfium.FPDF_CloseDocument(handle)


def _load(pdfium: ModuleType, content: bytes, passwords: tuple[str, ...]) -> object:
    for password in (None, *passwords):
        secret = None if password is None else password.encode("utf-8", "replace")
        handle = pdfium.FPDF_LoadMemDocument64(content, len(content), secret)
        if handle:
            return handle
        error = pdfium.FPDF_GetLastError()
        if error != pdfium.FPDF_ERR_PASSWORD:
            raise _refusal(pdfium, error)
    tried = f" (none of {len(passwords)} passwords opens it)" if passwords else ""
    raise PasswordRequired(
        f"the PDF is encrypted with a password{tried}",
        "give it with --password, or among the passwords in the settings",
    )


def _refusal(pdfium: ModuleType, error: int) -> ReadError:
    if error == pdfium.FPDF_ERR_SECURITY:
        return FileDamaged("the PDF is encrypted in a way that PDFium does not know", "save it without encryption")
    return FileDamaged("the bytes are not a whole PDF", "open it in a viewer and save it again, or fetch it anew")


def _decoded(utf16: bytes) -> str:
    return utf16.decode("utf-16-le", "replace").replace("\0", "").strip()
