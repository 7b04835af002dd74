"""`glassdex.search/1`: what a search answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import Literal

from pydantic import Field

from glassdex.dates import zone
from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.candidate import LinkedPart
from glassdex.envelopes.merge import MergePart, ProjectPart
from glassdex.envelopes.misses import MissGroupPart
from glassdex.envelopes.session import MessagePart, SessionPart
from glassdex.envelopes.shared import FilterPart, FreshnessPart, LocatorPart, VerdictPart
from glassdex.envelopes.trace import Trace, make_trace
from glassdex.envelopes.why_not import WhyNotAnswer, why_not_answer
from glassdex.inspection.ladder import WhyNot
from glassdex.inspection.misses import Misses
from glassdex.search.engine import Execution
from glassdex.search.locate import Neighbour
from glassdex.search.results import Match, Result


class DocumentPart(Part):
    """The document that was found."""

    path: str
    title: str
    format: str


class NeighborMessagePart(Part):
    """The message right before or after a match, with its opening words."""

    offset: int
    role: str
    speaker: str | None = None
    text: str

    @classmethod
    def of(cls, neighbour: Neighbour) -> NeighborMessagePart:
        """From the engine's neighbour."""
        message = neighbour.message
        return cls(offset=neighbour.offset, role=message.role, speaker=message.speaker or None, text=message.opening)


class MatchPart(Part):
    """A passage of it; `highlights` are code points in `text`.

    Of a conversation it is a passage of one `message`; `offset` is what `sessions show` takes, absent where it could
    not be counted (`notes` say why). `before` and `after` are the messages beside it. Times are
    in the zone that was asked for.
    """

    pointer: str
    citation: str
    section: tuple[str, ...]
    kind: str
    locator: LocatorPart
    text: str
    context: str | None = None
    highlights: tuple[tuple[int, int], ...]
    chunk_key: str
    score: float
    similarity: float | None = None
    coverage: float
    offset: int | None = None
    message: MessagePart | None = None
    before: NeighborMessagePart | None = None
    after: NeighborMessagePart | None = None

    @classmethod
    def of(cls, match: Match, zone: tzinfo = UTC) -> MatchPart:
        """From the engine's match."""
        found = match.message
        return cls(
            pointer=match.pointer,
            citation=match.citation,
            section=match.section,
            kind=match.kind,
            locator=LocatorPart.of(match.locator),
            text=match.text,
            context=match.context or None,
            highlights=match.highlights,
            chunk_key=match.chunk_key,
            score=match.score,
            similarity=match.similarity,
            coverage=match.coverage,
            offset=found and found.offset,
            message=found and MessagePart.of(found.message, zone),
            before=NeighborMessagePart.of(found.before) if found and found.before else None,
            after=NeighborMessagePart.of(found.after) if found and found.after else None,
        )


class ResultPart(Part):
    """A found document, or conversation (`session`).

    `score` ranks within this query; `similarity` (cosine) and `coverage` (0..1) are absolute. `through` is the link by
    which it came in or up, absent where it is there by itself.
    """

    rank: int
    project: str
    document: DocumentPart
    session: SessionPart | None = None
    score: float
    similarity: float | None = None
    coverage: float
    freshness: FreshnessPart
    through: LinkedPart | None = None
    matches: tuple[MatchPart, ...]

    @classmethod
    def of(cls, result: Result, project: str, zone: tzinfo = UTC) -> ResultPart:
        """From the engine's result."""
        return cls(
            rank=result.rank,
            project=project,
            document=DocumentPart(path=result.path, title=result.title, format=result.format),
            session=result.session and SessionPart.of(result.session, zone),
            score=result.score,
            similarity=result.similarity,
            coverage=result.coverage,
            freshness=FreshnessPart.of(result.freshness),
            through=result.linked and LinkedPart.of(result.linked),
            matches=tuple(MatchPart.of(match, zone) for match in result.matches),
        )


class ScopeSummary(Part):
    """`scope_total` counts the chunks searched in; `exhaustive` says that every matching one was ranked."""

    filters: tuple[FilterPart, ...]
    scope_total: int
    returned: int
    exhaustive: bool


class PagePart(Part):
    """`limit` and `total` count documents, passages where the mode is positional.

    `window_exhausted`: the page lies beyond what was ranked.
    """

    limit: int
    number: int
    total: int
    total_exact: bool
    has_more: bool
    window_exhausted: bool | None = None


class UnknownWord(Part):
    """A word of the query that the project does not have."""

    word: str
    near: tuple[str, ...]


class ExecutionPart(Part):
    """One project's share of the answer."""

    project: str
    trace: Trace


class SearchAnswer(Envelope):
    """The answer to a search; `trace` and `executions` are there when an explanation was asked for.

    `misses` are what was considered and not returned, and `misses_bounds` says how far that list reaches; `why_not`
    has a ladder for each watched document. Where several projects were searched, `projects` says what became of each,
    and `merge` how their rankings became one: a result's rank and score are of that one, its matches' scores of its
    project's, and `trace` is absent. `notes` are facts that change how far the answer can be trusted, such as
    a leg that could not run.
    """

    schema_: Literal["glassdex.search/1"] = Field("glassdex.search/1", alias="schema")
    query: str
    mode: Literal["hybrid", "lexical", "dense", "positional"]
    verdict: VerdictPart
    scope: ScopeSummary
    page: PagePart
    results: tuple[ResultPart, ...]
    projects: tuple[ProjectPart, ...] | None = None
    merge: MergePart | None = None
    unknown_words: tuple[UnknownWord, ...] | None = None
    notes: tuple[str, ...] | None = None
    misses: tuple[MissGroupPart, ...] | None = None
    misses_bounds: str | None = None
    why_not: tuple[WhyNotAnswer, ...] | None = None
    executions: tuple[ExecutionPart, ...] | None = None
    trace: Trace | None = None


def search_answer(
    execution: Execution,
    project: str,
    *,
    explain: bool = False,
    max_candidates: int | None = None,
    missed: Misses | None = None,
    ladders: Sequence[WhyNot] = (),
) -> SearchAnswer:
    """The envelope of one execution in one project, with its misses and ladders where they were asked for."""
    ledger, page = execution.ledger, execution.page
    printed_in = zone(execution.request.tz)
    trace = make_trace(execution, max_candidates) if explain else None
    scored = {term.term for term in ledger.query.scored_terms}  # no stop words
    unknown = tuple(
        UnknownWord(word=term.surface, near=ledger.suggestions.get(term.surface, ()))
        for term in ledger.terms
        if term.status == "unknown" and not term.part and term.term in scored
    )
    return SearchAnswer(
        query=execution.request.query,
        mode=execution.request.mode,
        verdict=VerdictPart.of(execution.verdict),
        scope=ScopeSummary(
            filters=tuple(FilterPart.of(f) for f in ledger.scope_filters),
            scope_total=ledger.scope_total,
            returned=len(execution.results),
            exhaustive=page.total_exact,
        ),
        page=PagePart(
            limit=page.limit,
            number=page.number,
            total=page.total,
            total_exact=page.total_exact,
            has_more=page.has_more,
            window_exhausted=True if page.window_exhausted else None,
        ),
        results=tuple(ResultPart.of(result, project, printed_in) for result in execution.results),
        unknown_words=unknown or None,
        notes=tuple(ledger.notes) or None,
        misses=None if missed is None else tuple(MissGroupPart.of(group) for group in missed.groups),
        misses_bounds=None if missed is None else missed.bounds,
        why_not=tuple(why_not_answer(ladder) for ladder in ladders) or None,
        executions=(ExecutionPart(project=project, trace=trace),) if trace else None,
        trace=trace,
    )
