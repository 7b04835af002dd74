"""The verdict: can these results be relied on? It reads the ledger and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from glassdex.search.ledger import Ledger
from glassdex.search.page import Page
from glassdex.search.scope import REQUIRED

VerdictStatus = Literal["ok", "weak", "nothing_relevant", "scope_empty", "index_empty", "not_ready"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`similarity` and `coverage` are the best among the shown documents' matches; absent where nothing is shown."""

    status: VerdictStatus
    reason: str
    similarity: float | None = None
    coverage: float | None = None


def judge(ledger: Ledger, chunk_total: int, ready: int, page: Page) -> Verdict:
    """Tells empty, not ready, out of scope and found nothing apart: four different facts."""
    nowhere = _nowhere_to_search(ledger, chunk_total, ready)
    if nowhere is not None:
        return nowhere
    if not page.total:
        dropped = sum(stage.dropped.total() for stage in ledger.stages if stage.name == "threshold")
        reason = f"{dropped} passages matched, all below the threshold" if dropped else "nothing matched"
        return Verdict("nothing_relevant", reason)
    if (page.number - 1) * page.limit >= page.total:
        return Verdict("ok", f"page {page.number} is past the last of {page.total} documents")
    final = [candidate for candidate in ledger.candidates.values() if candidate.final is not None]
    similarity = max((c.legs["dense"].score for c in final if "dense" in c.legs), default=None)
    coverage = max((c.coverage for c in final), default=None)
    if ledger.request.mode == "hybrid" and ready == 0:
        return Verdict("not_ready", "no chunk has a vector yet, only words were searched", similarity, coverage)
    return Verdict("ok", "", similarity, coverage)


def _nowhere_to_search(ledger: Ledger, chunk_total: int, ready: int) -> Verdict | None:
    if chunk_total == 0:
        return Verdict("index_empty", "the project has no chunks: index a folder first")
    absent = _absent_clause(ledger)
    if absent is not None:
        return Verdict("nothing_relevant", f"no passage in scope has {absent.removeprefix(REQUIRED)}")
    if ledger.scope_total == 0:
        return Verdict("scope_empty", "the filters leave nothing to search in")
    if ledger.request.mode == "dense" and ready == 0:
        return Verdict("not_ready", "no chunk has a vector yet: run `glassdex index`")
    return None


def _absent_clause(ledger: Ledger) -> str | None:
    """The phrase or field clause that nothing met, where it alone emptied the scope."""
    for scope_filter in ledger.scope_filters:
        if scope_filter.left == 0:
            return scope_filter.name if scope_filter.entered and scope_filter.name.startswith(REQUIRED) else None
    return None
