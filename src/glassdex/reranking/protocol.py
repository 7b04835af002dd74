"""What a reranker promises. `glassdex.testing.RerankerConformance` holds every implementation to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class Reranker(Protocol):
    """Scores passages by reading each of them together with the query; higher is better.

    A score belongs to its query and passage alone: the same pair has the same score in every batch, and scores of
    different queries can be compared. A reranker that scales its scores to the best of a batch breaks that, for the
    engine could not tell a batch of answers from a batch of nonsense any more.

    Implementations may be called from several threads at once. Making one is cheap: models load, and services are
    called, when the first passages are scored.
    """

    @property
    def name(self) -> str:
        """What the user asks for: `late-interaction`, `cross-encoder`, `http`, or the entry point's name."""
        ...

    @property
    def identity(self) -> str:
        """What the scores depend on: the model with the hash of its weights, or the service and the model it names.

        Raises:
            RerankError: a model's files are not there.
        """
        ...

    @property
    def scale(self) -> str:
        """The scale of the scores in words, with its ends: `logit, unbounded`, `probability, 0..1`."""
        ...

    def rerank(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """One finite score for each passage, in their order; no passages give no scores.

        Raises:
            RerankError: the model cannot be loaded or reached, or gave something that is no score.
        """
        ...
