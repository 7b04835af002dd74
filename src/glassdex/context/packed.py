"""What a context is made of, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from glassdex.model import Locator
from glassdex.search.ledger import Linked
from glassdex.search.locate import MatchedMessage
from glassdex.search.results import Result

if TYPE_CHECKING:
    from glassdex.inspection.execution import Execution

State = Literal["packed", "budget_too_small", "nothing_relevant", "nothing_found"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a passage is there: its rank in each leg that brought it in, and which of the task's words it has.

    `linked` is the link that brought its document in or up, absent where it is there by itself.
    """

    legs: Mapping[str, int]
    words: tuple[str, ...]
    linked: Linked | None = None


@dataclass(frozen=True, slots=True)
class ContextPassage:
    """A passage of the context. `number` is its `[n]`, `rank` its place among the passages that were considered.

    `text` (newlines as `\\n`) is the document's own. `merged_from` has the keys of the chunks where neighbours were
    made one, in their order, and is empty for a single chunk; rank, score and reason are those of the best of them.
    `tokens` are all that is printed of it, its header included.
    """

    number: int
    rank: int
    result: Result
    pointer: str
    citation: str
    section: tuple[str, ...]
    kind: str
    locator: Locator
    text: str
    context: str
    chunk_key: str
    merged_from: tuple[str, ...]
    score: float
    similarity: float | None
    coverage: float
    reason: Reason
    message: MatchedMessage | None
    tokens: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A passage that was considered and is not in the context; `tokens` are what it would have taken by itself.

    `same_text_as` is the number of the passage that says the very same. `is_weak`: its score is too far below the best.
    Without either it did not fit.
    """

    rank: int
    citation: str
    pointer: str
    chunk_key: str
    tokens: int
    same_text_as: int | None = None
    is_weak: bool = False

    @property
    def reason(self) -> Literal["no_room", "weak", "same_text"]:
        """Why it is not there."""
        if self.same_text_as is not None:
            return "same_text"
        return "weak" if self.is_weak else "no_room"


@dataclass(frozen=True, slots=True)
class Context:
    """The passages worth reading for a task, in at most `budget` tokens of `tokenizer`; `used` of them are taken.

    `text` is what is printed. `state` says what there is: `packed`; `budget_too_small` (not one passage fits, `needed`
    would hold the best one); `nothing_relevant` (so the verdict says, and `withheld` passages are not shown);
    `nothing_found`. `needed` is also there where other passages fit and the best one does not. `notes` are facts about
    the packing; those about the search are in the execution's ledger.
    """

    task: str
    state: State
    passages: tuple[ContextPassage, ...]
    left_out: tuple[LeftOut, ...]
    text: str
    budget: int
    used: int
    tokenizer: str
    execution: Execution
    needed: int | None = None
    withheld: int = 0
    notes: tuple[str, ...] = ()
