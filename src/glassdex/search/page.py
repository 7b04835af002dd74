"""Page: a slice of the one ranking, be it this project's or that of several projects merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from glassdex.search.ledger import WINDOW, Candidate, Ledger, Stage


@dataclass(frozen=True, slots=True)
class Places:
    """Where a merge puts a project's documents, in the project's order: their ranks (from 1) among all `total`."""

    ranks: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Page:
    """`number` counts from 1, `limit` and `total` count documents.

    `total` is exact only if all that matches was ranked; `Ledger.unranked` says what stood in the way.
    `window_exhausted` says that this page lies beyond what was ranked, and a leg's window was full: more may match.
    `past_end`: it lies beyond the last document. Of several projects each has its own `total`, and the page is that of
    the merged ranking.
    """

    limit: int
    number: int
    total: int
    total_exact: bool
    has_more: bool
    window_exhausted: bool
    past_end: bool = False


def page(
    ledger: Ledger, documents: Sequence[list[Candidate]], places: Places | None = None
) -> tuple[Page, list[list[Candidate]]]:
    """The documents of the asked page; the others leave with the rank that would have been needed.

    With `places` the page is one of a merged ranking, and final ranks are those in it.
    """
    request = ledger.request
    first = (request.page - 1) * request.limit
    last = first + request.limit
    ranks = tuple(range(1, len(documents) + 1)) if places is None else places.ranks
    shown = []
    with ledger.stage("page") as stage:
        for rank, matches in zip(ranks, documents, strict=True):
            if first < rank <= last:
                shown.append(matches)
                for candidate in matches:
                    assert candidate.final is not None
                    candidate.final = replace(candidate.final, rank=rank)
                continue
            reason = "earlier_page" if rank <= first else "beyond_page"
            where = (
                f"page {request.page} begins at {first + 1}" if rank <= first else f"page {request.page} ends at {last}"
            )
            for candidate in matches:
                candidate.final = None
                ledger.drop(stage, candidate, reason, f"rank {rank}, {where}")
        stage.measured["documents"] = len(shown)
    total = len(documents)
    ranked = total if places is None else places.total
    return (
        Page(
            limit=request.limit,
            number=request.page,
            total=total,
            total_exact=not ledger.unranked,
            has_more=last < ranked,
            window_exhausted=first >= ranked > 0 and any(_was_full(stage) for stage in ledger.stages),
            past_end=first >= ranked,
        ),
        shown,
    )


def _was_full(stage: Stage) -> bool:
    """Whether a leg had, or may have had, more than its window; no other stage counts what it returned."""
    return stage.measured.get("returned") == WINDOW and stage.measured.get("beyond_window") != 0
