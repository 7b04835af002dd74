"""The verdict's floors: the documented ones, or those that `glassdex calibrate` learned for this corpus and model."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Literal

from glassdex.lexical.bm25 import FIELD_WEIGHTS, K1, B
from glassdex.search.ledger import WINDOW
from glassdex.storage.protocol import Snapshot

META_KEY = "calibration"
FORMULA = "verdict/1"
SHIPPED_MODEL = "all-MiniLM-L6-v2-int8@3bbd3722d257"
"""The embedding identity that the default similarity floor and the weights of the confidence were measured under."""
DEFAULT_SIMILARITY = 0.33
"""Nineteen of twenty unrelated questions come less near, on three collections alike (.32, .34, .33)."""
COVERAGE_FLOOR = 0.5
"""Half of the query's weight: 2 % of unrelated questions find so much in one passage (Cranfield, CISI)."""
CONFIDENCE_FLOOR = 0.4
"""Below it about two of three measured answers were without a relevant document; see docs/benchmarks.md."""


@dataclass(frozen=True, slots=True)
class RankingConfiguration:
    """What the verdict's numbers were made under.

    `fusion` is recorded, but not in the hash: what is learned is a cosine, and the order of the results changes none.
    """

    embedding_identity: str
    lexical_identity: str
    fusion: str

    @property
    def hash(self) -> str:
        """12 hex digits of the SHA-256 over the formulas, their constants and both identities."""
        parts = {
            "verdict": FORMULA,
            "window": WINDOW,
            "bm25": [K1, B, FIELD_WEIGHTS],
            "embedding_identity": self.embedding_identity,
            "lexical_identity": self.lexical_identity,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Floors:
    """What a result has to reach. `similarity` (cosine) and `confidence` (0..1) are absent where none is known.

    `configuration` is the hash of the ranking configuration that they are meant for. `ignored` says why a stored
    calibration was not used.
    """

    similarity: float | None
    coverage: float
    confidence: float | None
    source: Literal["default", "calibrated"]
    configuration: str
    ignored: str = ""


def default_floors(configuration: RankingConfiguration, ignored: str = "") -> Floors:
    """The documented floors: cosines of another model than the shipped one have none until they are calibrated."""
    shipped = configuration.embedding_identity == SHIPPED_MODEL
    return Floors(
        similarity=DEFAULT_SIMILARITY if shipped else None,
        coverage=COVERAGE_FLOOR,
        confidence=CONFIDENCE_FLOOR if shipped else None,
        source="default",
        configuration=configuration.hash,
        ignored=ignored,
    )


def stored_floors(snapshot: Snapshot, configuration: RankingConfiguration) -> Floors:
    """The calibrated floors where they were learned under this configuration, else the default ones and why."""
    stored = snapshot.meta(META_KEY)
    if stored is None:
        return default_floors(configuration)
    try:
        calibration = json.loads(str(stored))
        known = calibration["configuration"] == configuration.hash
    except (KeyError, TypeError, ValueError):
        return default_floors(configuration, "it cannot be read back from the store")
    if not known:
        return default_floors(configuration, _difference(calibration, configuration))
    return Floors(
        similarity=calibration["similarity"],
        coverage=calibration["coverage"],
        confidence=calibration.get("confidence"),
        source="calibrated",
        configuration=configuration.hash,
    )


def floors_to_store(floors: Floors, configuration: RankingConfiguration, calibrated_at: str) -> str:
    """What `stored_floors` reads, for the store's meta table."""
    return json.dumps(
        {
            "configuration": configuration.hash,
            "embedding_identity": configuration.embedding_identity,
            "lexical_identity": configuration.lexical_identity,
            "fusion": configuration.fusion,
            "similarity": floors.similarity,
            "coverage": floors.coverage,
            "confidence": floors.confidence,
            "calibrated_at": calibrated_at,
        }
    )


def _difference(calibration: dict[str, str], configuration: RankingConfiguration) -> str:
    for name, words in (
        ("embedding_identity", "the embedding model"),
        ("lexical_identity", "the analyser"),
    ):
        if calibration[name] != getattr(configuration, name):
            return f"it was made with {words} {calibration[name]}"
    return "it was made under an earlier ranking configuration"
