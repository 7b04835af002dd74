"""A search over several projects that is done: what each did, how their rankings were merged, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from glassdex.errors import GlassdexError
from glassdex.inspection.execution import Execution
from glassdex.inspection.ladder import WhyNot
from glassdex.search.ledger import Merged
from glassdex.search.page import Page
from glassdex.search.request import SearchRequest
from glassdex.search.results import Result
from glassdex.search.verdict import Verdict
from glassdex.several.merge import Merge


@dataclass(frozen=True, slots=True)
class ProjectOutcome:
    """What became of the search in one project.

    `skipped`: what was asked for is in another of the projects, `reason` says why. `failed`: `error` says why.
    """

    project: str
    status: Literal["answered", "skipped", "failed"]
    execution: Execution | None = None
    reason: str = ""
    error: GlassdexError | None = None
    total: int = 0
    """Documents that it ranked."""


@dataclass(frozen=True, slots=True)
class ProjectResult:
    """A result, and the project that it is of. Its rank and score are those of the merged ranking.

    Those of its matches stay the project's own; their pointers name the project.
    """

    project: str
    result: Result
    merged: Merged


@dataclass(frozen=True, slots=True)
class SeveralExecution:
    """What `Projects.search` returns. `decided_by` names the project whose evidence the verdict shows.

    `notes` are facts that change how far the answer can be trusted; `outcomes` are in the order of the projects.
    """

    request: SearchRequest
    outcomes: tuple[ProjectOutcome, ...]
    merge: Merge
    results: tuple[ProjectResult, ...]
    page: Page
    verdict: Verdict
    decided_by: str
    notes: tuple[str, ...]
    milliseconds: float
    explain: Callable[[SeveralExecution, str], WhyNot] = field(repr=False, compare=False)

    @property
    def answered(self) -> tuple[tuple[str, Execution], ...]:
        """The executions, by project."""
        return tuple((one.project, one.execution) for one in self.outcomes if one.execution is not None)

    @property
    def failed(self) -> tuple[ProjectOutcome, ...]:
        """The projects that could not be searched."""
        return tuple(outcome for outcome in self.outcomes if outcome.status == "failed")

    def why_not(self, document: str) -> WhyNot:
        """Why a document, a pointer's passage or a file is not among the results; its ranks are the merged ones.

        Raises:
            DocumentAmbiguous: several could be meant; the candidates name their project.
        """
        return self.explain(self, document)
