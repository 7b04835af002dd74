"""Filters by place: one document, its pages, a sheet, rows, slides, records, lines.

A place without a document means the one document in scope that has such places; where several have, it asks which.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from glassdex.errors import (
    DocumentRequired,
    FilterNotApplicable,
    InvalidRange,
    LocatorsBehind,
    PageOutOfRange,
    SheetNotFound,
)
from glassdex.locators import Extent
from glassdex.model import folded_name
from glassdex.search.request import SearchRequest
from glassdex.search.spans import SPANS
from glassdex.storage.names import MAX_CANDIDATES, document_by_name
from glassdex.storage.records import DocumentExtent
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Filter = tuple[str, Callable[[], "NDArray[np.int64]"]]


def document_filter(request: SearchRequest, snapshot: SqliteSnapshot) -> tuple[int, Filter] | None:
    """The named document and its filter.

    Raises:
        DocumentNotFound, DocumentAmbiguous: with what could have been meant.
    """
    if request.in_document is None:
        return None
    document_id, _ = document_by_name(snapshot, request.in_document)
    return document_id, ("in", lambda: snapshot.chunk_ids_of_documents([document_id]))


def place_filters(
    request: SearchRequest, snapshot: SqliteSnapshot, document_id: int | None, documents_in_scope: set[int] | None
) -> list[Filter]:
    """The filters by place, in the document that is named or, without one, in the only one in scope that has them.

    `documents_in_scope` is what the other filters leave, None for everything.

    Raises:
        FilterNotApplicable, DocumentRequired: none or several documents have such places.
        PageOutOfRange, SheetNotFound, InvalidRange: the document has such places, but not this one.
        LocatorsBehind: the store's places are of an older version.
    """
    if not request.places_named:
        return []
    if document_id is None:
        document_id = _only_document(request, snapshot, documents_in_scope)
    if snapshot.unlocated([document_id]):
        raise LocatorsBehind(
            "the places in this store are of an older version",
            "make them anew, without reading a file: glassdex projects upgrade",
        )
    document = snapshot.extents([document_id])[document_id]
    _refuse_missing(request, document)
    filters: list[Filter] = []
    if request.sheet is not None:
        sheet = _sheet(request.sheet, document)
        filters.append(("sheet", lambda: snapshot.chunk_ids_on_sheet(document_id, sheet)))
    if request.page_label_from is not None:
        label_pages = _labelled_pages(request.page_label_from, request.page_label_to, document)
        filters.append(("page_label", lambda: snapshot.chunk_ids_in_span(document_id, "page", *label_pages)))
    for name, span in request.spans.items():
        _refuse_beyond(name, span, document)
        filters.append((name, lambda n=name, s=span: snapshot.chunk_ids_in_span(document_id, SPANS[n], *s)))  # type: ignore[misc]
    return filters


def asks_for_hidden(request: SearchRequest) -> bool:
    """Whether what an author hid is wanted: by name, or all of it."""
    one_slide = request.slide_from is not None and request.slide_to in (None, request.slide_from)
    return request.hidden or request.sheet is not None or one_slide


def _only_document(request: SearchRequest, snapshot: SqliteSnapshot, in_scope: set[int] | None) -> int:
    wanted = set(request.places_named)
    extents = snapshot.extents(in_scope)
    having = [key for key, document in extents.items() if wanted.issubset(document.extent.available)]
    if len(having) == 1:
        return having[0]
    names = " and ".join(f"--{name.replace('_', '-')}" for name in request.places_named)
    if not having:
        available = sorted({name for document in extents.values() for name in document.extent.available})
        raise FilterNotApplicable(f"no document in scope has places for {names}", _offer(available), available)
    paths = sorted(extents[key].path for key in having)
    raise DocumentRequired(
        f"{len(having)} documents in scope have places for {names}",
        f"name one: --in {paths[0]!r}",
        paths[:MAX_CANDIDATES],
    )


def _refuse_missing(request: SearchRequest, document: DocumentExtent) -> None:
    available = document.extent.available
    for name in request.places_named:
        if name not in available:
            shown = name.replace("_", " ")
            raise FilterNotApplicable(
                f"{document.path} ({document.format}) has no {shown if shown.endswith('s') else shown + 's'}",
                _offer(available),
                available,
            )


def _offer(available: object) -> str:
    names = ", ".join(f"--{name.replace('_', '-')}" for name in available)  # type: ignore[attr-defined]
    return f"what there is: {names}" if names else "leave the filter out"


def _sheet(wanted: str, document: DocumentExtent) -> str:
    names = [sheet.name for sheet in document.extent.sheets]
    if wanted in names:
        return wanted
    alike = [name for name in names if folded_name(name).strip() == folded_name(wanted).strip()]
    if len(alike) == 1:
        return alike[0]
    raise SheetNotFound(f"{document.path} has no sheet {wanted!r}", f"its sheets: {_listed(names)}", names)


def _labelled_pages(first: str, last: str | None, document: DocumentExtent) -> tuple[int, int]:
    labels = [unicodedata.normalize("NFC", label or "").casefold() for label in document.extent.page_labels or ()]
    pages = []
    for label in (first, first if last is None else last):
        folded = folded_name(label)
        if folded not in labels:
            known = [label for label in document.extent.page_labels or () if label]
            raise PageOutOfRange(
                f"{document.path} has no page labelled {label!r}",
                f"its labels: {_listed(known)}; by number: --pages 1-{document.extent.pages}",
                known,
            )
        pages.append(1 + labels.index(folded))
    if pages[1] < pages[0]:
        raise InvalidRange(f"page {last!r} stands before page {first!r}", f"swap them: {last}-{first}")
    return pages[0], pages[1]


def _refuse_beyond(name: str, span: tuple[int, int], document: DocumentExtent) -> None:
    extent: Extent = document.extent
    count = {"pages": extent.pages, "slide": extent.slides, "records": extent.records}.get(name)
    if count is None or span[0] <= count:
        return
    noun = {"pages": "page", "slide": "slide", "records": "record"}[name]
    kind = PageOutOfRange if name == "pages" else InvalidRange
    has = f"{count} {noun}" if count == 1 else f"{count} {noun}s"
    raise kind(f"{document.path} has {has}, none numbered {span[0]}", f"ask for 1-{count}")


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:MAX_CANDIDATES])
    return shown + (f" and {len(names) - MAX_CANDIDATES} more" if len(names) > MAX_CANDIDATES else "")
