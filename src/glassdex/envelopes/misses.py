"""The `misses` of a search: what was considered and not returned."""

from __future__ import annotations

from glassdex.envelopes.base import Part
from glassdex.inspection.misses import Miss, MissGroup


class MissPart(Part):
    """A chunk that left; `detail` has the number that failed."""

    document: str
    title: str
    chunk_key: str
    pointer: str
    fused_rank: int | None = None
    score: float | None = None
    detail: str

    @classmethod
    def of(cls, miss: Miss) -> MissPart:
        """From the view."""
        return cls(
            document=miss.path,
            title=miss.title,
            chunk_key=miss.chunk_key,
            pointer=miss.pointer,
            fused_rank=miss.fused_rank,
            score=miss.score,
            detail=miss.detail,
        )


class MissGroupPart(Part):
    """Misses of one stage and reason, best first; `total` counts those that are not listed, too.

    `project` is there where several were searched.
    """

    project: str | None = None
    stage: str
    reason: str
    total: int
    listed: tuple[MissPart, ...]

    @classmethod
    def of(cls, group: MissGroup) -> MissGroupPart:
        """From the view."""
        return cls(
            stage=group.stage,
            reason=group.reason,
            total=group.total,
            listed=tuple(MissPart.of(miss) for miss in group.listed),
        )
