"""Parts that several envelopes carry."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Part
from glassdex.model import Locator
from glassdex.search.floors import Floors
from glassdex.search.freshness import Freshness
from glassdex.search.ledger import ScopeFilter
from glassdex.search.verdict import Evidence, Verdict


class LocatorPart(Part):
    """Where in the file, as far as its format has such places: lines, pages, rows of a sheet, a slide, a record.

    All 1-based and inclusive; `chars` are code points of the document's text (0-based, half-open). `page_label` is the
    file's own name of the first page. `hidden` marks what stands on a hidden sheet or slide.
    """

    lines: tuple[int, int] | None = None
    pages: tuple[int, int] | None = None
    page_label: str | None = None
    sheet: str | None = None
    rows: tuple[int, int] | None = None
    slide: int | None = None
    record: int | None = None
    hidden: bool | None = None
    chars: tuple[int, int] | None = None

    @classmethod
    def of(cls, locator: Locator, chars: tuple[int, int] | None = None) -> LocatorPart:
        """From the model's locator."""
        return cls(
            lines=_range(locator.line_start, locator.line_end),
            pages=_range(locator.page_start, locator.page_end),
            page_label=locator.page_label,
            sheet=locator.sheet,
            rows=_range(locator.row_start, locator.row_end),
            slide=locator.slide,
            record=locator.record,
            hidden=True if locator.hidden else None,
            chars=chars,
        )


class SignalsPart(Part):
    """What the confidence is made of: closeness (mean of the three best cosines), agreement of words and meaning
    (rank-biased overlap of their documents, 0..1), and coverage (mean of the five best passages).
    """

    closeness: float
    agreement: float
    coverage: float


class FloorsPart(Part):
    """What results have to reach, where that comes from, and the hash of the ranking configuration it is meant for.

    `similarity` and `confidence` are absent where none is known for the embedding model. `ignored` says why a stored
    calibration was not used.
    """

    source: Literal["default", "calibrated"]
    configuration: str
    similarity: float | None = None
    coverage: float
    confidence: float | None = None
    ignored: str | None = None

    @classmethod
    def of(cls, floors: Floors) -> FloorsPart:
        """From the engine's floors."""
        return cls(
            source=floors.source,
            configuration=floors.configuration,
            similarity=floors.similarity,
            coverage=floors.coverage,
            confidence=floors.confidence,
            ignored=floors.ignored or None,
        )


class VectorsPart(Part):
    """The vector index by name, and chunks with a vector, without one, and of these with another model's."""

    index: str
    ready: int
    pending: int
    other_identity: int


class EvidencePart(Part):
    """What the verdict rests on. `freshness` counts the returned documents by state.

    `rerank` is there where a reranker was asked for; `fallback`: it failed, and the order is that of retrieval.
    `rewrite` likewise; whatever a rewriter adds, the numbers are those of the user's own words.
    """

    similarity: float | None = None
    coverage: float | None = None
    confidence: float | None = None
    signals: SignalsPart | None = None
    floors: FloorsPart
    freshness: dict[str, int]
    vectors: VectorsPart
    rerank: Literal["done", "fallback"] | None = None
    rewrite: Literal["done", "fallback"] | None = None

    @classmethod
    def of(cls, evidence: Evidence) -> EvidencePart:
        """From the engine's evidence."""
        signals, vectors = evidence.signals, evidence.vectors
        return cls(
            similarity=rounded(evidence.similarity, 3),
            coverage=rounded(evidence.coverage, 3),
            confidence=rounded(evidence.confidence, 3),
            signals=None
            if signals is None
            else SignalsPart(
                closeness=round(signals.closeness, 3),
                agreement=round(signals.agreement, 3),
                coverage=round(signals.coverage, 3),
            ),
            floors=FloorsPart.of(evidence.floors),
            freshness=dict(evidence.freshness),
            vectors=VectorsPart(
                index=evidence.vector_index,
                ready=vectors.ready,
                pending=vectors.pending,
                other_identity=vectors.other_identity,
            ),
            rerank=evidence.rerank,
            rewrite=evidence.rewrite,
        )


class VerdictPart(Part):
    """Can these results be relied on? `similarity` (cosine) and `coverage` (0..1) are the best in the ranking.

    Over several projects the best of them decides: `project` says which one, and the evidence is its own, apart from
    the freshness of all that is returned.
    """

    project: str | None = None
    status: Literal["ok", "weak", "nothing_relevant", "scope_empty", "index_empty", "not_ready"]
    reason: str | None = None
    similarity: float | None = None
    coverage: float | None = None
    evidence: EvidencePart

    @classmethod
    def of(cls, verdict: Verdict, project: str | None = None) -> VerdictPart:
        """From the engine's verdict."""
        return cls(
            project=project,
            status=verdict.status,
            reason=verdict.reason or None,
            similarity=rounded(verdict.similarity, 3),
            coverage=rounded(verdict.coverage, 3),
            evidence=EvidencePart.of(verdict.evidence),
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


def _range(start: int | None, end: int | None) -> tuple[int, int] | None:
    return None if start is None or end is None else (start, end)


def rounded(value: float | None, places: int) -> float | None:
    """`value` to so many places; an absent one stays absent."""
    return None if value is None else round(value, places)
