"""`glassdex.calibration/1`: what a calibration measured and which floors follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.shared import FloorsPart
from glassdex.evaluation.calibration import Asked, Calibration, quantile

QUANTILES = (0.02, 0.05, 0.25, 0.5, 0.75, 0.95, 0.98)
BINS = 20


class SharesPart(Part):
    """Shares of the questions by the verdict that they get, held out: learned on one half, applied to the other."""

    ok: float
    weak: float
    nothing_relevant: float


class DistributionPart(Part):
    """Best cosines of a kind of question. `quantiles` by share; `histogram` counts 20 equal bins from 0 to 1.

    A cosine below 0 counts in the first bin.
    """

    questions: int
    quantiles: dict[str, float]
    histogram: tuple[int, ...]
    expected: SharesPart

    @classmethod
    def of(cls, asked: Sequence[Asked], expected: SharesPart) -> DistributionPart:
        """From the questions of one kind."""
        similarities = [question.similarity for question in asked]
        return cls(
            questions=len(asked),
            quantiles={f"{share:g}": round(quantile(similarities, share), 3) for share in QUANTILES},
            histogram=histogram(similarities),
            expected=expected,
        )


class CalibrationAnswer(Envelope):
    """The learned floors and the ones in force before; `passages` are the corpus's own, `unrelated` the strangers."""

    schema_: Literal["glassdex.calibration/1"] = Field("glassdex.calibration/1", alias="schema")
    project: str
    calibrated_at: str
    chunks: int
    embedding_identity: str
    lexical_identity: str
    fusion: str
    floors: FloorsPart
    before: FloorsPart
    passages: DistributionPart
    unrelated: DistributionPart


def calibration_answer(calibration: Calibration, project: str) -> CalibrationAnswer:
    """The envelope of a calibration."""
    configuration = calibration.configuration
    return CalibrationAnswer(
        project=project,
        calibrated_at=calibration.calibrated_at,
        chunks=calibration.chunks,
        embedding_identity=configuration.embedding_identity,
        lexical_identity=configuration.lexical_identity,
        fusion=configuration.fusion,
        floors=FloorsPart.of(calibration.floors),
        before=FloorsPart.of(calibration.before),
        passages=DistributionPart.of(calibration.passages, SharesPart(**calibration.expected["passages"])),
        unrelated=DistributionPart.of(calibration.unrelated, SharesPart(**calibration.expected["unrelated"])),
    )


def histogram(similarities: Sequence[float]) -> tuple[int, ...]:
    """How many fall into each of the equal bins of 0..1."""
    counts = [0] * BINS
    for similarity in similarities:
        counts[min(max(int(similarity * BINS), 0), BINS - 1)] += 1
    return tuple(counts)
