"""`glassdex.context/1`: the passages worth reading for a task, packed into a budget of tokens."""

from __future__ import annotations

from datetime import tzinfo
from typing import Literal

from pydantic import Field

from glassdex.context.packed import Context, ContextPassage, LeftOut
from glassdex.context.text import reason_text
from glassdex.dates import zone
from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.candidate import LinkedPart
from glassdex.envelopes.search import (
    DocumentPart,
    ExecutionPart,
    PagePart,
    ScopeSummary,
    UnknownWord,
    search_answer,
)
from glassdex.envelopes.session import MessagePart, SessionPart
from glassdex.envelopes.shared import FreshnessPart, LocatorPart, VerdictPart
from glassdex.envelopes.trace import Trace


class BudgetPart(Part):
    """In tokens of `tokenizer`: the limit, and what the printed passages take, headers included.

    `needed` is there where the best passage did not fit: the least budget that holds it.
    """

    limit: int
    used: int
    tokenizer: str
    needed: int | None = None


class ReasonPart(Part):
    """Why a passage is there: `legs` has its rank in each that brought it in, `words` those of the task that it has.

    `through` is the link that brought its document in or up. `text` is all of that in a few words.
    """

    text: str
    legs: dict[str, int]
    words: tuple[str, ...]
    through: LinkedPart | None = None


class ContextPassagePart(Part):
    """A passage. `number` is its `[n]` in the text, `rank` its place among the passages that were considered.

    `merged_from` has the keys of neighbouring chunks that were made one, in their order. `tokens` are all that is
    printed of it. `score` ranks within this task; `similarity` (cosine) and `coverage` (0..1) are absolute.
    """

    number: int
    rank: int
    project: str
    document: DocumentPart
    session: SessionPart | None = None
    citation: str
    pointer: str
    section: tuple[str, ...]
    kind: str
    locator: LocatorPart
    text: str
    context: str | None = None
    tokens: int
    reason: ReasonPart
    score: float
    similarity: float | None = None
    coverage: float
    chunk_key: str
    merged_from: tuple[str, ...] | None = None
    freshness: FreshnessPart
    offset: int | None = None
    message: MessagePart | None = None

    @classmethod
    def of(cls, passage: ContextPassage, project: str, zone: tzinfo) -> ContextPassagePart:
        """From the packed passage."""
        result, found, reason = passage.result, passage.message, passage.reason
        return cls(
            number=passage.number,
            rank=passage.rank,
            project=project,
            document=DocumentPart(path=result.path, title=result.title, format=result.format),
            session=result.session and SessionPart.of(result.session, zone),
            citation=passage.citation,
            pointer=passage.pointer,
            section=passage.section,
            kind=passage.kind,
            locator=LocatorPart.of(passage.locator),
            text=passage.text,
            context=passage.context or None,
            tokens=passage.tokens,
            reason=ReasonPart(
                text=reason_text(reason, max(1, len(passage.merged_from))),
                legs=dict(reason.legs),
                words=reason.words,
                through=reason.linked and LinkedPart.of(reason.linked),
            ),
            score=passage.score,
            similarity=passage.similarity,
            coverage=passage.coverage,
            chunk_key=passage.chunk_key,
            merged_from=passage.merged_from or None,
            freshness=FreshnessPart.of(result.freshness),
            offset=found and found.offset,
            message=found and MessagePart.of(found.message, zone),
        )


class LeftOutPart(Part):
    """A passage that was considered and is not there; `tokens` are what it would have taken by itself.

    `reason`: `no_room`, it did not fit; `weak`, its score is too far below the best; `same_text`, the passage with the
    number `same_text_as` says the very same.
    """

    rank: int
    citation: str
    pointer: str
    chunk_key: str
    tokens: int
    reason: Literal["no_room", "weak", "same_text"]
    same_text_as: int | None = None

    @classmethod
    def of(cls, left_out: LeftOut) -> LeftOutPart:
        """From the packing."""
        return cls(
            rank=left_out.rank,
            citation=left_out.citation,
            pointer=left_out.pointer,
            chunk_key=left_out.chunk_key,
            tokens=left_out.tokens,
            reason=left_out.reason,
            same_text_as=left_out.same_text_as,
        )


class ContextAnswer(Envelope):
    """The passages for a task; `trace` and `executions` are those of the search that they come from, where asked for.

    `state`: `packed`; `budget_too_small`, not one passage fits, and `budget.needed` would hold the best one;
    `nothing_relevant`, as the verdict says, and `withheld` passages are not shown; `nothing_found`. `page` counts the
    documents that were considered.
    """

    schema_: Literal["glassdex.context/1"] = Field("glassdex.context/1", alias="schema")
    task: str
    mode: Literal["hybrid", "lexical", "dense", "positional"]
    state: Literal["packed", "budget_too_small", "nothing_relevant", "nothing_found"]
    verdict: VerdictPart
    budget: BudgetPart
    passages: tuple[ContextPassagePart, ...]
    left_out: tuple[LeftOutPart, ...]
    withheld: int | None = None
    scope: ScopeSummary
    page: PagePart
    unknown_words: tuple[UnknownWord, ...] | None = None
    notes: tuple[str, ...] | None = None
    executions: tuple[ExecutionPart, ...] | None = None
    trace: Trace | None = None


def context_answer(
    context: Context, project: str, *, explain: bool = False, max_candidates: int | None = None
) -> ContextAnswer:
    """The envelope of a context; what it says of the search is what `glassdex.search/1` says of the same one."""
    execution = context.execution
    answer = search_answer(execution, project, explain=explain, max_candidates=max_candidates)
    printed_in = zone(execution.request.tz)
    return ContextAnswer(
        task=context.task,
        mode=answer.mode,
        state=context.state,
        verdict=answer.verdict,
        budget=BudgetPart(limit=context.budget, used=context.used, tokenizer=context.tokenizer, needed=context.needed),
        passages=tuple(ContextPassagePart.of(passage, project, printed_in) for passage in context.passages),
        left_out=tuple(LeftOutPart.of(left_out) for left_out in context.left_out),
        withheld=context.withheld or None,
        scope=answer.scope,
        page=answer.page,
        unknown_words=answer.unknown_words,
        notes=(*(answer.notes or ()), *context.notes) or None,
        executions=answer.executions,
        trace=answer.trace,
    )
