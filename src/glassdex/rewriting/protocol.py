"""What a rewriter promises. `glassdex.testing.RewriterConformance` holds every implementation to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class FurtherWords:
    """A word or a few that the query might have had as well; `weight` (0..1] is their share of a word of the user's.

    They are words and nothing else: a quotation mark, a dash or a colon in them means nothing.
    """

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What a rewriter makes of a query, beside the query itself, which stays as it is.

    `words` are looked up with the user's. `texts` are passages that might answer it: their vectors are averaged with
    the query's. Either may be empty; both are a rewriter that had nothing to say, which counts as a failure.
    """

    words: Sequence[FurtherWords] = ()
    texts: Sequence[str] = ()


@runtime_checkable
class Rewriter(Protocol):
    """Says a query in other words.

    Implementations may be called from several threads at once. Making one is cheap: models load, and services are
    called, when the first query is rewritten. As far as it can, the same query gives the same rewrite.
    """

    @property
    def name(self) -> str:
        """What the user asks for: `http`, or the entry point's name."""
        ...

    @property
    def identity(self) -> str:
        """What the rewrites depend on: the model, or the service and the model that it names."""
        ...

    @property
    def kind(self) -> str:
        """What it gives: `expansion` (words alone), `hyde` (texts alone); anything else may give both."""
        ...

    def rewrite(self, query: str) -> Rewrite:
        """Further words and texts for the query, which comes without its operators and without what it excludes.

        Raises:
            RewriteError: the model cannot be loaded or reached, or gave nothing that can be used.
        """
        ...
