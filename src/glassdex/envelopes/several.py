"""`glassdex.search/1` over several projects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from glassdex.dates import zone
from glassdex.envelopes.merge import MergePart, ProjectPart
from glassdex.envelopes.misses import MissGroupPart
from glassdex.envelopes.search import (
    ExecutionPart,
    PagePart,
    ResultPart,
    ScopeSummary,
    SearchAnswer,
    UnknownWord,
)
from glassdex.envelopes.shared import FilterPart, VerdictPart
from glassdex.envelopes.trace import make_trace
from glassdex.envelopes.why_not import why_not_answer
from glassdex.inspection.ladder import WhyNot
from glassdex.inspection.misses import Misses
from glassdex.pointers.encoding import encode_name
from glassdex.several.execution import SeveralExecution


def several_answer(
    done: SeveralExecution,
    *,
    explain: bool = False,
    max_candidates: int | None = None,
    missed: Mapping[str, Misses] | None = None,
    ladders: Sequence[WhyNot] = (),
) -> SearchAnswer:
    """The envelope of a search over several projects; `missed` by project, where misses were asked for."""
    printed_in, page = zone(done.request.tz), done.page
    return SearchAnswer(
        query=done.request.query,
        mode=done.request.mode,
        verdict=VerdictPart.of(done.verdict, done.decided_by),
        scope=ScopeSummary(
            filters=_filters(done),
            scope_total=sum(execution.ledger.scope_total for _, execution in done.answered),
            returned=len(done.results),
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
        results=tuple(ResultPart.of(found.result, found.project, printed_in) for found in done.results),
        projects=tuple(ProjectPart.of(outcome) for outcome in done.outcomes),
        merge=MergePart.of(done, explain=explain),
        unknown_words=tuple(UnknownWord(word=w, near=near) for w, near in unknown_words(done).items()) or None,
        notes=done.notes or None,
        misses=None if missed is None else tuple(_misses(missed)),
        misses_bounds=None
        if missed is None
        else "; ".join(f"{name}: {found.bounds}" for name, found in missed.items()),
        why_not=tuple(why_not_answer(ladder) for ladder in ladders) or None,
        executions=tuple(
            ExecutionPart(project=name, trace=make_trace(execution, max_candidates))
            for name, execution in done.answered
        )
        if explain
        else None,
    )


def unknown_words(done: SeveralExecution) -> dict[str, tuple[str, ...]]:
    """The words of the query that none of the projects has, each with those near it in any of them; no stop words."""
    unknown: dict[str, tuple[str, ...]] = {}
    ledgers = [execution.ledger for _, execution in done.answered]
    scored = {term.term for term in ledgers[0].query.scored_terms}
    for term in (term for term in ledgers[0].terms if term.term in scored):
        same = [other for ledger in ledgers for other in ledger.terms if other.surface == term.surface]
        if not term.part and len(same) == len(ledgers) and all(other.status == "unknown" for other in same):
            near = [word for ledger in ledgers for word in ledger.suggestions.get(term.surface, ())]
            unknown[term.surface] = tuple(dict.fromkeys(near))
    return unknown


def _filters(done: SeveralExecution) -> tuple[FilterPart, ...]:
    """Each filter with its counts over all projects that had it."""
    counts: dict[str, tuple[int, int]] = {}
    for _, execution in done.answered:
        for one in execution.ledger.scope_filters:
            entered, left = counts.get(one.name, (0, 0))
            counts[one.name] = entered + one.entered, left + one.left
    return tuple(FilterPart(name=name, entered=entered, left=left) for name, (entered, left) in counts.items())


def _misses(missed: Mapping[str, Misses]) -> Sequence[MissGroupPart]:
    parts = []
    for name, found in missed.items():
        for group in found.groups:
            part = MissGroupPart.of(group)
            listed = tuple(
                miss.model_copy(update={"pointer": f"{encode_name(name)}:{miss.pointer}"}) for miss in part.listed
            )
            parts.append(part.model_copy(update={"project": name, "listed": listed}))
    return parts
