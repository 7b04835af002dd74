"""Several projects that are searched at once: one execution in each, one merged ranking."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self, Unpack

from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.protocol import Embedder
from glassdex.errors import (
    DocumentRequired,
    FilterNotApplicable,
    GlassdexError,
    InputError,
    InvalidRequest,
    UnavailableError,
)
from glassdex.inspection.execution import Execution
from glassdex.inspection.ladder import Rung, WhyNot, advice
from glassdex.pointers.encoding import encode_name
from glassdex.project import Project
from glassdex.projects import not_found, project_names
from glassdex.reranking.registry import open_reranker
from glassdex.rewriting.registry import open_rewriter
from glassdex.search.engine import Execution as SearchExecution
from glassdex.search.engine import Ranking
from glassdex.search.ledger import Merged
from glassdex.search.page import Page, Places
from glassdex.search.request import SearchOptions, SearchRequest
from glassdex.search.results import SCORE_PLACES, Result
from glassdex.several.embedding import SharedEmbedder
from glassdex.several.execution import ProjectOutcome, ProjectResult, SeveralExecution
from glassdex.several.merge import Merge, Share, evidence_of, merge
from glassdex.several.naming import document_in, session_in, split, watched_in, with_project
from glassdex.several.rewriting import SharedRewriter
from glassdex.several.verdict import combine


@dataclass(frozen=True, slots=True)
class _Plan:
    """What each project is asked; those without a request are skipped, and why."""

    requests: Mapping[str, SearchRequest]
    skipped: Mapping[str, str]


class Projects:
    """Several projects as one: a context manager, made of open projects, or by `open` of their names.

    Only what was chosen is ever looked into. A project that cannot be opened or searched is told in the answer, and
    never stops the others.
    """

    def __init__(self, projects: Sequence[Project], unopened: Mapping[str, GlassdexError] | None = None) -> None:
        """`unopened` are those that were chosen and could not be opened, with the reason.

        Raises:
            InvalidRequest: two of them have one name, or there is none.
        """
        names = [project.name for project in projects]
        if not names or len(set(names)) < len(names):
            raise InvalidRequest("projects that are searched at once need names of their own", "name each once")
        self.projects = tuple(projects)
        self.unopened = dict(unopened or {})
        self.names = (*names, *self.unopened)
        """Those that were chosen, also where one could not be opened."""

    @classmethod
    def open(cls, names: Sequence[str], *, embedder: Embedder | None = None) -> Self:
        """Existing projects by name; they share the model, which is loaded once.

        Raises:
            ProjectNotFound: one of them is not there; lists those that are.
            UnavailableError: none of them could be opened.
        """
        names, known = list(dict.fromkeys(names)), project_names()
        if not names:
            raise not_found("no project is named")
        for name in names:
            if name not in known:
                raise not_found(f"there is no project {name!r}", name)
        shared = SharedEmbedder(embedder or MiniLmEmbedder())
        opened: list[Project] = []
        unopened: dict[str, GlassdexError] = {}
        for name in names:
            try:
                opened.append(Project.open(name, embedder=shared))
            except GlassdexError as error:
                unopened[name] = error
        if not opened:
            raise next(iter(unopened.values()))
        made = cls(opened, unopened)
        made.names = tuple(names)
        return made

    @classmethod
    def open_all(cls, *, embedder: Embedder | None = None) -> Self:
        """Every project of this user; see `open`."""
        return cls.open(project_names(), embedder=embedder)

    def default_limit(self) -> int:
        """Documents a page where none are asked for: the most that one of the projects would show."""
        return max(project.default_limit() for project in self.projects)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SeveralExecution:
        """Answers a query from all projects; options are the fields of `SearchRequest`, `limit` counts over all.

        `in_document`, `session` and `watch` take a name that one project alone has, or `project:name`.

        Raises:
            InvalidRequest, InvalidRange: an option is outside its domain.
            DocumentAmbiguous, DocumentNotFound, DocumentRequired, SessionAmbiguous, SessionNotFound: the candidates
                name their project.
            UnavailableError: a name is given as that of a project which cannot be read.
            GlassdexError: no project could answer: what the first of them says.
        """
        if "limit" not in options:
            options["limit"] = self.default_limit()
        return self._search(SearchRequest(query, **options))

    def close(self) -> None:
        """Closes the stores."""
        for project in self.projects:
            project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _search(self, request: SearchRequest) -> SeveralExecution:
        request.validate()
        started = time.perf_counter()
        self._share_readers(request)
        plan = self._plan(request)
        failed = dict(self.unopened)
        while True:
            done = self._attempt(request, plan, failed)
            if done is not None:
                return replace(done, milliseconds=(time.perf_counter() - started) * 1000)

    def _share_readers(self, request: SearchRequest) -> None:
        """One reranker and one rewriter for all, opened once; one that cannot be opened each project tells of."""
        if request.positional:
            return
        first = self.projects[0]
        if request.rerank != "none":
            with suppress(UnavailableError):
                reranker = first.rerankers.get(request.rerank) or open_reranker(request.rerank)
                for project in self.projects:
                    project.rerankers.setdefault(request.rerank, reranker)
        if request.rewrite != "none":
            with suppress(UnavailableError):
                rewriter = first.rewriters.get(request.rewrite) or open_rewriter(request.rewrite)
                base = rewriter.rewriter if isinstance(rewriter, SharedRewriter) else rewriter
                shared = SharedRewriter(base)  # a new one: a service that failed may be back
                for project in self.projects:
                    project.rewriters[request.rewrite] = shared

    def _plan(self, request: SearchRequest) -> _Plan:
        """Settles which project a named document, session or watched document belongs to."""
        requests = {project.name: replace(request, watch=()) for project in self.projects}
        skipped: dict[str, str] = {}

        def keep(owner: Project, reason: str) -> None:
            for name in requests.keys() - {owner.name}:
                skipped[name] = reason
                del requests[name]

        if request.in_document is not None:
            owner, path = document_in(self.projects, self.unopened, request.in_document)
            requests[owner.name] = replace(requests[owner.name], in_document=path)
            keep(owner, f"the document is in {owner.name}")
        if request.session is not None:
            asked = [project for project in self.projects if project.name in requests]
            owner, name = session_in(asked, self.unopened, request.session)
            requests[owner.name] = replace(requests[owner.name], session=name)
            keep(owner, f"the session is in {owner.name}")
        for reference in request.watch:
            found = watched_in(self.projects, self.unopened, reference)
            if found is not None and found[0].name in requests:
                asked_there = requests[found[0].name]
                requests[found[0].name] = replace(asked_there, watch=(*asked_there.watch, found[1]))
        return _Plan(requests, skipped)

    def _attempt(
        self, request: SearchRequest, plan: _Plan, failed: dict[str, GlassdexError]
    ) -> SeveralExecution | None:
        """The search in all projects that have not failed; nothing where one fails after the merge."""
        skipped = dict(plan.skipped)
        refused: dict[str, GlassdexError] = {}
        with ExitStack() as closing:
            rankings: dict[str, Ranking] = {}
            for project in self.projects:
                asked = plan.requests.get(project.name)
                if asked is None or project.name in failed:
                    continue
                try:
                    rankings[project.name] = project.rank(asked)
                    closing.callback(rankings[project.name].close)
                except DocumentRequired as error:
                    raise with_project(error, project.name) from error
                except FilterNotApplicable as error:
                    skipped[project.name], refused[project.name] = error.message, error
                except GlassdexError as error:
                    failed[project.name] = error
            if not rankings:
                name, reason = next(iter({**failed, **refused}.items()))
                raise with_project(reason, name) from reason
            merged = _merged(rankings)
            finished: dict[str, SearchExecution] = {}
            for places, (name, ranking) in zip(merged.places, rankings.items(), strict=True):
                try:
                    finished[name] = ranking.finish(Places(tuple(place.rank for place in places), merged.total))
                except GlassdexError as error:
                    failed[name] = error
                    return None
        if request.places_named and request.in_document is None and len(finished) > 1:
            raise _which_document(request, finished)
        return self._answer(request, skipped, failed, merged, finished)

    def _answer(
        self,
        request: SearchRequest,
        skipped: Mapping[str, str],
        failed: Mapping[str, GlassdexError],
        merged: Merge,
        finished: Mapping[str, SearchExecution],
    ) -> SeveralExecution:
        executions = {
            project.name: Execution.of(finished[project.name], self._explained(project))
            for project in self.projects
            if project.name in finished
        }
        results = [
            _result(name, result, {place.rank: place for place in places}, request)
            for places, (name, execution) in zip(merged.places, executions.items(), strict=True)
            for result in execution.results
        ]
        pages = [execution.page for execution in executions.values()]
        page = Page(
            limit=request.limit,
            number=request.page,
            total=merged.total,
            total_exact=not failed and all(page.total_exact for page in pages),
            has_more=request.page * request.limit < merged.total,
            window_exhausted=any(page.window_exhausted for page in pages),
            past_end=(request.page - 1) * request.limit >= merged.total,
        )
        verdicts = {name: execution.verdict for name, execution in executions.items()}
        verdict, decided_by = combine(verdicts, list(failed), page, "passage" if request.positional else "document")
        totals = {name: len(places) for places, name in zip(merged.places, executions, strict=True)}
        outcomes = [_outcome(name, executions, totals, skipped, failed) for name in self.names]
        return SeveralExecution(
            request=replace(request, mode="positional") if request.positional else request,
            outcomes=tuple(outcomes),
            merge=merged,
            results=tuple(sorted(results, key=lambda found: found.result.rank)),
            page=page,
            verdict=verdict,
            decided_by=decided_by,
            notes=_notes(merged, executions),
            milliseconds=0.0,
            explain=self._why_not,
        )

    def _explained(self, project: Project) -> Callable[[SearchExecution, str], WhyNot]:
        def explain(execution: SearchExecution, reference: str) -> WhyNot:
            def again(request: SearchRequest) -> SearchExecution:
                """The whole merged search, for a rank in one project is no rank in the answer."""
                done = self._search(_for_all(request, project.name))
                return dict(done.answered)[project.name]

            found = project.explain(execution, reference, again)
            return replace(
                found,
                path=f"{project.name}:{found.path}",
                rungs=_with_merge(found.rungs, execution, found.path),
                proposals=tuple(
                    replace(proposal, changes=proposal.changes and _for_all(proposal.changes, project.name))
                    for proposal in found.proposals
                ),
            )

        return explain

    def _why_not(self, execution: SeveralExecution, reference: str) -> WhyNot:
        found = watched_in(self.projects, self.unopened, reference)
        answered = dict(execution.answered)
        if found is not None:
            owner, name = found
            if owner.name in answered:
                return answered[owner.name].why_not(name)
            outcome = next(outcome for outcome in execution.outcomes if outcome.project == owner.name)
            detail = outcome.reason or (outcome.error.message if outcome.error else "")
            rungs = (
                Rung("indexed", True, f"in {owner.name}"),
                Rung("in scope", False, f"{owner.name} was not searched: {detail}"),
            )
            path = f"{owner.name}:{name}"
            return WhyNot(execution.request.query, path, None, None, rungs, (advice("leave out what narrows it"),))
        chosen, name = split(self.projects, self.unopened, reference)
        ladders = [answered[project.name].why_not(name) for project in chosen if project.name in answered]
        known = [ladder for ladder in ladders if not ladder.names_nothing]
        if known or len(ladders) == 1:
            return (known or ladders)[0]
        detail = "; ".join(ladder.rungs[0].detail for ladder in ladders)
        proposals = tuple(proposal for ladder in ladders for proposal in ladder.proposals)
        return WhyNot(execution.request.query, name, None, None, (Rung("on disk", False, detail),), proposals)


def _with_merge(rungs: Sequence[Rung], execution: SearchExecution, path: str) -> tuple[Rung, ...]:
    """The ladder with the step that the merge is, before the page."""
    candidates = execution.ledger.candidates.values()
    placed = [c.merged for c in candidates if c.merged is not None and c.record.path == path]
    if not placed or rungs[-1].name != "page":
        return tuple(rungs)
    best = min(placed, key=lambda place: place.rank)
    detail = f"rank {best.rank_before} of its project → {best.rank} of all, score {best.score:.6f}"
    if best.parts:
        parts = " + ".join(f"{name} {part:.6f}" for name, part in best.parts.items())
        detail += f"; its own evidence is {best.evidence:.6f} = {parts}"
    return (*rungs[:-1], Rung("merged", True, detail), rungs[-1])


def _merged(rankings: Mapping[str, Ranking]) -> Merge:
    """The merged ranking; each ledger gets the stage and its documents' places."""
    shares = [
        Share(name, evidence_of(ranking.ranked), ranking.ranked.embedding_identity)
        for name, ranking in rankings.items()
    ]
    mode = next(iter(rankings.values())).ranked.ledger.request.mode
    merged = merge(shares, mode)
    for places, ranking in zip(merged.places, rankings.values(), strict=True):
        with ranking.ranked.ledger.stage("merge") as stage:
            for place, matches in zip(places, ranking.ranked.documents, strict=True):
                matches[0].merged = place
            stage.measured.update(documents=len(places), of=merged.total)
    return merged


def _result(project: str, found: Result, places: Mapping[int, Merged], request: SearchRequest) -> ProjectResult:
    place = places[found.rank]
    matches = tuple(replace(match, pointer=f"{encode_name(project)}:{match.pointer}") for match in found.matches)
    score = found.score if request.positional else round(place.score, SCORE_PLACES)
    return ProjectResult(project, replace(found, score=score, matches=matches), place)


def _outcome(
    name: str,
    executions: Mapping[str, Execution],
    totals: Mapping[str, int],
    skipped: Mapping[str, str],
    failed: Mapping[str, GlassdexError],
) -> ProjectOutcome:
    if name in executions:
        return ProjectOutcome(name, "answered", execution=executions[name], total=totals[name])
    if name in failed:
        return ProjectOutcome(name, "failed", error=failed[name], reason=failed[name].message)
    return ProjectOutcome(name, "skipped", reason=skipped[name])


def _notes(merged: Merge, executions: Mapping[str, Execution]) -> tuple[str, ...]:
    """What all projects note, once, and what one notes, with its name."""
    notes = list(merged.notes)
    ledgers = {name: execution.ledger.notes for name, execution in executions.items()}
    for name, own in ledgers.items():
        notes += [note if all(note in other for other in ledgers.values()) else f"{name}: {note}" for note in own]
    return tuple(dict.fromkeys(notes))


def _which_document(request: SearchRequest, finished: Mapping[str, SearchExecution]) -> InputError:
    """A place without a document means the only one that has it; here several projects have one."""
    names = " and ".join(f"--{name.replace('_', '-')}" for name in request.places_named)
    candidates = [f"{name}:{done.results[0].path}" for name, done in finished.items() if done.results]
    return DocumentRequired(
        f"documents in {', '.join(finished)} have places for {names}", "name one: --in PROJECT:DOC", candidates
    )


def _for_all(request: SearchRequest, project: str) -> SearchRequest:
    """A project's request as one to all of them: what it names is named with the project."""
    return replace(
        request,
        in_document=request.in_document and f"{project}:{request.in_document}",
        session=request.session and f"{project}:{request.session}",
        watch=tuple(f"{project}:{path}" for path in request.watch),
    )
