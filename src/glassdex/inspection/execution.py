"""A search that is done, with the views of its ledger: what was missed, and why something is not there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

from glassdex.inspection.ladder import WhyNot
from glassdex.inspection.misses import Misses, misses
from glassdex.search import engine


@dataclass(frozen=True, slots=True)
class Execution(engine.Execution):
    """What `Project.search` returns: `.results`, `.page`, `.verdict`, and views of the ledger behind them.

    `.trace` is that ledger.
    """

    explain: Callable[[engine.Execution, str], WhyNot] = field(repr=False, compare=False)

    @classmethod
    def of(cls, done: engine.Execution, explain: Callable[[engine.Execution, str], WhyNot]) -> Execution:
        """The engine's execution; `explain` answers why-not for an execution and a document."""
        values = {part.name: getattr(done, part.name) for part in fields(engine.Execution)}
        return cls(**values, explain=explain)

    def misses(self, per_group: int | None = 10) -> Misses:
        """What was considered and not returned, by stage and reason; `per_group` bounds what is listed of each."""
        return misses(self, per_group)

    def why_not(self, document: str) -> WhyNot:
        """Why a document, a pointer's passage or a file is not among the results.

        Read out of this execution if it watched the document. Else the same request is searched once more, watching;
        if the project has changed since, the answer is today's.

        Raises:
            DocumentAmbiguous: several could be meant; with their paths.
        """
        return self.explain(self, document)
