"""Filters by place: one document, its pages, a sheet, rows, slides, records, lines.

A place without a document means the one document in scope that has such places; where several have, it asks which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from glassdex.errors import (
    DocumentRequired,
    FilterNotApplicable,
    InvalidRange,
    LocatorsBehind,
    PageOutOfRange,
    SheetNotFound,
)
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
    if snapshot.unlocated(documents_in_scope if document_id is None else [document_id]):
        raise LocatorsBehind(
            "the places in this store are of an older version",
            "make them anew, without reading a file: glassdex projects upgrade",
        )
    if document_id is None:
        document_id = _only_document(request, snapshot, documents_in_scope)
    document = snapshot.extents([document_id])[document_id]
    _refuse_missing(request, document)
    filters: list[Filter] = []
    sheet = None if request.sheet is None else _sheet(request.sheet, document)
    if sheet is not None:
        filters.append(("sheet", lambda: snapshot.chunk_ids_on_sheet(document_id, sheet)))
    if request.page_label_from is not None:
        label_pages = _labelled_pages(request.page_label_from, request.page_label_to, document)
        filters.append(("page_label", lambda: snapshot.chunk_ids_in_span(document_id, "page", *label_pages)))
    for name, span in request.spans.items():
        _refuse_beyond(name, span, document, sheet)
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


def _offer(available: Iterable[str]) -> str:
    names = ", ".join(f"--{name.replace('_', '-')}" for name in available)
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
    """The first and last page of a range of labels; without `last`, of one label or of `iv-x` as people write it."""
    if last is None:
        page = _page_labelled(first, document)
        halves = first.replace("–", "-").split("-")
        if page is None and len(halves) == 2:
            return _labelled_pages(halves[0].strip(), halves[1].strip(), document)
        last = first
    pages = []
    for label in (first, last):
        page = _page_labelled(label, document)
        if page is None:
            known = [label for label in document.extent.page_labels or () if label]
            raise PageOutOfRange(
                f"{document.path} has no page labelled {label!r}",
                f"its labels: {_listed(known)}; by number: --pages 1-{document.extent.pages}",
                known,
            )
        pages.append(page)
    if pages[1] < pages[0]:
        raise InvalidRange(f"page {last!r} stands before page {first!r}", f"swap them: {last}-{first}")
    return pages[0], pages[1]


def _page_labelled(wanted: str, document: DocumentExtent) -> int | None:
    """The page of a label as it is written, else in another case.

    Raises:
        InvalidRange: several pages are called so.
    """
    labels = document.extent.page_labels or ()
    exact = [page for page, label in enumerate(labels, start=1) if label == wanted]
    pages = exact or [
        page for page, label in enumerate(labels, start=1) if folded_name(label or "") == folded_name(wanted)
    ]
    if len(pages) > 1:
        listed = ", ".join(map(str, pages[:MAX_CANDIDATES]))
        raise InvalidRange(
            f"{len(pages)} pages of {document.path} are labelled {wanted!r}", f"by number: --pages {listed}"
        )
    return pages[0] if pages else None


def _refuse_beyond(name: str, span: tuple[int, int], document: DocumentExtent, sheet: str | None) -> None:
    extent = document.extent
    rows = extent.rows if sheet is None else next(s.last_row for s in extent.sheets if s.name == sheet)
    last = {"pages": extent.pages, "slide": extent.slides, "records": extent.records, "rows": rows}
    count = last.get(name, extent.lines)
    if count is None or span[0] <= count:
        return
    kind = PageOutOfRange if name == "pages" else InvalidRange
    noun = SPANS[name] if count == 1 else f"{SPANS[name]}s"
    has = "ends at row" if name == "rows" else "has"
    what = f"{document.path} {has} {count}" + ("" if name == "rows" else f" {noun}")
    raise kind(f"{what}, none numbered {span[0]}", f"ask for 1-{count}")


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:MAX_CANDIDATES])
    return shown + (f" and {len(names) - MAX_CANDIDATES} more" if len(names) > MAX_CANDIDATES else "")
