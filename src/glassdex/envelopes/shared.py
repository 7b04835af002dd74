"""Parts that several envelopes carry."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Part
from glassdex.search.freshness import Freshness
from glassdex.search.ledger import ScopeFilter
from glassdex.search.verdict import Verdict


class LocatorPart(Part):
    """Where in the file: lines (1-based, inclusive) and code points of the decoded text (0-based, half-open)."""

    lines: tuple[int, int]
    chars: tuple[int, int] | None = None


class VerdictPart(Part):
    """Can these results be relied on? `similarity` (cosine) and `coverage` (0..1) are the best that is shown."""

    status: Literal["ok", "weak", "nothing_relevant", "scope_empty", "index_empty", "not_ready"]
    reason: str | None = None
    similarity: float | None = None
    coverage: float | None = None

    @classmethod
    def of(cls, verdict: Verdict) -> VerdictPart:
        """From the engine's verdict."""
        return cls(
            status=verdict.status,
            reason=verdict.reason or None,
            similarity=rounded(verdict.similarity, 3),
            coverage=rounded(verdict.coverage, 3),
        )


class FreshnessPart(Part):
    """Agreement of file and index, and what settled it."""

    state: Literal["fresh", "rows_behind_file", "index_behind_rows", "not_indexed", "unknown"]
    checked: Literal["stat", "hash"]

    @classmethod
    def of(cls, freshness: Freshness) -> FreshnessPart:
        """From the engine's freshness."""
        return cls(state=freshness.state, checked=freshness.checked)


class FilterPart(Part):
    """Chunks before and after one filter."""

    name: str
    entered: int = Field(alias="in")
    left: int = Field(alias="out")

    @classmethod
    def of(cls, scope_filter: ScopeFilter) -> FilterPart:
        """From the ledger."""
        return cls(name=scope_filter.name, entered=scope_filter.entered, left=scope_filter.left)


def rounded(value: float | None, places: int) -> float | None:
    """`value` to so many places; an absent one stays absent."""
    return None if value is None else round(value, places)
