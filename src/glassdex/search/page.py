"""Page: a slice of the one ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glassdex.search.ledger import WINDOW, Candidate, Ledger, Stage


@dataclass(frozen=True, slots=True)
class Page:
    """`number` counts from 1, `limit` and `total` count documents.

    `total` is exact only if all that matches was ranked; `Ledger.unranked` says what stood in the way.
    `window_exhausted` says that this page lies beyond what was ranked, and a leg's window was full: more may match.
    """

    limit: int
    number: int
    total: int
    total_exact: bool
    has_more: bool
    window_exhausted: bool


def page(ledger: Ledger, documents: Sequence[list[Candidate]]) -> tuple[Page, list[list[Candidate]]]:
    """The documents of the asked page; the others leave with the rank that would have been needed."""
    request = ledger.request
    first = (request.page - 1) * request.limit
    last = first + request.limit
    with ledger.stage("page") as stage:
        for rank, matches in enumerate(documents, start=1):
            if first < rank <= last:
                continue
            reason = "earlier_page" if rank <= first else "beyond_page"
            where = (
                f"page {request.page} begins at {first + 1}" if rank <= first else f"page {request.page} ends at {last}"
            )
            for candidate in matches:
                candidate.final = None
                ledger.drop(stage, candidate, reason, f"rank {rank}, {where}")
        shown = list(documents[first:last])
        stage.measured["documents"] = len(shown)
    total = len(documents)
    return (
        Page(
            limit=request.limit,
            number=request.page,
            total=total,
            total_exact=not ledger.unranked,
            has_more=last < total,
            window_exhausted=first >= total > 0 and any(_was_full(stage) for stage in ledger.stages),
        ),
        shown,
    )


def _was_full(stage: Stage) -> bool:
    """Whether a leg had, or may have had, more than its window; no other stage counts what it returned."""
    return stage.measured.get("returned") == WINDOW and stage.measured.get("beyond_window") != 0
