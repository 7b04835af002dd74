"""Evaluation: puts every judged query, and measures what came back."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from glassdex.errors import InputError
from glassdex.evaluation.judgments import Judgments
from glassdex.evaluation.metrics import depth_for, measure_names, measured
from glassdex.evaluation.options import search_options
from glassdex.evaluation.resolve import Item, ResolvedQuery, Span, resolve
from glassdex.evaluation.revision import FreshnessCounts, Revision, freshness_counts, revision
from glassdex.evaluation.runs import Found, Identity, QueryRun, Ranked, Run
from glassdex.model import Json
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.registry import reader_identities
from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate
from glassdex.search.request import SearchRequest
from glassdex.search.results import Result, pointer_of
from glassdex.settings import MAX_LIMIT, load_settings
from glassdex.storage.sqlite import SqliteStore

TraceOf = Callable[[Execution], str]
ELSEWHERE = "#elsewhere"
"""Behind the name of a unit that was found, and not by the judged passage: a name that nobody judged."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is measured: a project's store, how it is searched, and under which identities."""

    project: str
    store: SqliteStore
    search: Callable[[SearchRequest], Execution]
    embedding_identity: str
    lexical_identity: str
    version: str
    """Glassdex's own."""


def evaluate(
    target: Target,
    judgments: Judgments,
    *,
    measures: Sequence[str] = (),
    options: Mapping[str, Json] | None = None,
    depth: int | None = None,
    trace_of: TraceOf | None = None,
    asked: Callable[[int, int], None] = lambda _done, _all: None,
) -> Run:
    """Asks every query under `options` (a query's own win) and measures the first `depth` results.

    `trace_of` makes the text of a trace that is kept; without it none is. It changes no result and no measure. `asked`
    hears how many queries are done, of how many.

    Raises:
        MissingExtra: there are judgments, and ir-measures is not installed.
        InvalidRequest: a measure is unknown, or an option outside its domain.
        UnavailableError: the store or the model cannot serve.
    """
    judged = any(query.judgments for query in judgments.queries)
    names = measure_names(measures) if judged else ()
    given = dict(options or {})
    SearchRequest("any", **search_options(given)).validate()
    deep = min(depth or depth_for(names), MAX_LIMIT)
    settings = load_settings()
    readers = frozenset(reader_identities(redact=settings.redact_secrets))
    max_bytes = settings.max_file_megabytes * 1_000_000
    with target.store.read() as snapshot:
        resolved = resolve(snapshot, judgments, target.project, ReadingOptions())
        before = revision(snapshot)
        freshness = freshness_counts(
            snapshot,
            embedding_identity=target.embedding_identity,
            lexical_identity=target.lexical_identity,
            readers=readers,
            max_bytes=max_bytes,
        )
    asking = _Asking(target, given, deep, trace_of)
    queries = []
    for done, query in enumerate(resolved, start=1):
        queries.append(asking.run(query))
        asked(done, len(resolved))
    return _measured(asking, judgments, resolved, queries, names, (before, freshness))


class _Asking:
    """Asks one query after the other; remembers the first execution, which says what all run under."""

    def __init__(self, target: Target, options: Mapping[str, Json], depth: int, trace_of: TraceOf | None) -> None:
        self.target = target
        self.options = options
        self.depth = depth
        self._trace_of = trace_of
        self.first: Execution | None = None
        self.rankings: dict[str, list[str]] = {}

    def run(self, resolved: ResolvedQuery) -> QueryRun:
        query = resolved.query
        options = search_options({**self.options, **query.options})
        options["limit"] = self.depth
        try:
            request = SearchRequest(query.text, **options)
            execution = self.target.search(request)
        except InputError as error:
            if not query.options:  # what all queries are asked with is wrong
                raise
            # Its own fault: a document that its options name is not there.
            reason = f"{error.message} [{error.code}]"
            return QueryRun(query.id, query.text, query.options, None, (), (), None, left_out=reason)
        self.first = self.first or execution
        ranked, found, names = _ranked(execution, resolved.items)
        self.rankings[query.id] = names
        return QueryRun(
            id=query.id,
            query=query.text,
            options=query.options,
            verdict=execution.verdict.status,
            ranked=ranked,
            judged=found,
            metrics=None,
            left_out=_why_left_out(resolved),
            notes=tuple(execution.ledger.notes),
            trace=self._trace_of(execution) if self._trace_of else None,
        )


def _why_left_out(resolved: ResolvedQuery) -> str | None:
    if any(item.grade > 0 for item in resolved.items):
        return None
    if resolved.unresolved:
        return "none of its judgments is in the index"
    return "nothing is judged relevant for it"


def _ranked(execution: Execution, items: Sequence[Item]) -> tuple[tuple[Ranked, ...], tuple[Found, ...], list[str]]:
    """The ranking, what became of each judged unit, and the names that the measures see."""
    spans: dict[str, Span] = {}
    for candidate in execution.ledger.live():
        spans[pointer_of(candidate.record)] = _span(candidate)
    met: dict[str, int] = {}
    elsewhere: dict[str, int] = {}
    ranked: list[Ranked] = []
    names: list[str] = []
    for result in execution.results:
        pointers = tuple(match.pointer for match in result.matches)
        unit = unit_of(pointers[0])
        shown = [spans[pointer] for pointer in pointers if pointer in spans]
        item = next((item for item in items if item.unit not in met and item.is_met_by(unit, result.path, shown)), None)
        if item is not None:
            met[item.unit] = result.rank
        else:
            for other in items:
                if other.spans and other.unit == unit:
                    elsewhere.setdefault(unit, result.rank)
        names.append(_name(unit, item, names, items))
        ranked.append(
            Ranked(result.rank, unit, result.path, _score(result), pointers, None if item is None else item.grade)
        )
    found = tuple(
        Found(
            unit=item.unit,
            document=item.path,
            targets=item.targets,
            grade=item.grade,
            rank=met.get(item.unit),
            other_passage_rank=None if item.unit in met else elsewhere.get(item.unit),
        )
        for item in items
    )
    return tuple(ranked), found, names


def _name(unit: str, item: Item | None, names: Sequence[str], items: Sequence[Item]) -> str:
    """The name by which the measures know a result: the judged unit's where it is that, else one of its own."""
    if item is not None:
        return item.unit
    name = unit + ELSEWHERE if any(unit == other.unit for other in items) else unit
    return name if name not in names else f"{name}-{len(names)}"  # two conversations of one name


def unit_of(pointer: str) -> str:
    """The unit that a pointer leads into: the percent-encoded path, or `session:source/id`."""
    return pointer.partition("#")[0]


def _score(result: Result) -> float:
    return round(result.score, 6)


def _span(candidate: Candidate) -> Span:
    return candidate.record.char_start, candidate.record.char_end


def _measured(
    asking: _Asking,
    judgments: Judgments,
    resolved: Sequence[ResolvedQuery],
    queries: Sequence[QueryRun],
    names: Sequence[str],
    stand: tuple[Revision, FreshnessCounts],
) -> Run:
    judged = {
        query.query.id: {item.unit: item.grade for item in query.items}
        for query, run in zip(resolved, queries, strict=True)
        if run.left_out is None and query.items
    }
    values = measured(names, judged, {name: asking.rankings[name] for name in judged})
    notes = list(judgments.notes)
    with asking.target.store.read() as snapshot:
        if revision(snapshot).fingerprint != stand[0].fingerprint:
            notes.append("the index changed while it was measured: measure again")
    return Run(
        identity=_identity(asking, judgments, stand),
        measures=tuple(names),
        queries=tuple(replace(query, metrics=values.per_query.get(query.id)) for query in queries),
        unresolved=tuple(judgment for query in resolved for judgment in query.unresolved),
        overall=values.overall,
        notes=tuple(notes),
    )


def _identity(asking: _Asking, judgments: Judgments, stand: tuple[Revision, FreshnessCounts]) -> Identity:
    target, first = asking.target, asking.first
    reranking = first.ledger.reranking if first else None
    request = SearchRequest("any", **search_options(asking.options))
    return Identity(
        project=target.project,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        glassdex=target.version,
        python=platform.python_version(),
        judgments=judgments.source,
        judgments_form=judgments.form,
        judgments_hash=judgments.hash,
        revision=stand[0],
        freshness=stand[1],
        embedding_identity=first.engine.embedding_identity if first else target.embedding_identity,
        lexical_identity=target.lexical_identity,
        lexical_index=first.engine.lexical_index if first else "",
        vector_index=first.engine.vector_index if first else "",
        mode=request.mode,
        fusion=first.engine.fusion.name if first else request.fusion,
        fusion_parameters=dict(first.engine.fusion.parameters) if first else {},
        reranker=None if reranking is None else f"{reranking.name} {reranking.identity or reranking.fallback}".strip(),
        options=dict(asking.options),
        depth=asking.depth,
    )
