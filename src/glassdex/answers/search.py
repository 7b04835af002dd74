"""A search and its ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassdex.inspection.execution import Execution
from glassdex.inspection.ladder import WhyNot
from glassdex.project import Project
from glassdex.search.request import SearchOptions

if TYPE_CHECKING:  # the command line searches for people without Pydantic
    from glassdex.answers.questions import ContextQuestion, SearchQuestion, WhyNotQuestion
    from glassdex.embedding.protocol import Embedder
    from glassdex.envelopes.context import ContextAnswer
    from glassdex.envelopes.search import SearchAnswer
    from glassdex.envelopes.why_not import WhyNotAnswer


@dataclass(frozen=True, slots=True)
class Searched:
    """A search that was run; `ladders` has one for each watched document."""

    execution: Execution
    ladders: tuple[WhyNot, ...]
    project: str

    def answer(
        self, *, explain: bool = False, show_misses: bool = False, max_candidates: int | None = None
    ) -> SearchAnswer:
        """The envelope, with what was asked for besides."""
        from glassdex.envelopes.search import search_answer

        return search_answer(
            self.execution,
            self.project,
            explain=explain,
            max_candidates=max_candidates,
            missed=self.execution.misses(None) if show_misses else None,
            ladders=self.ladders,
        )


def search(project: Project, query: str, options: SearchOptions, watch: Sequence[str] = ()) -> Searched:
    """Runs a search; a ladder is read out of it for each of `watch`.

    Raises:
        InputError: see `Project.search` and `Execution.why_not`.
    """
    options["watch"] = tuple(watch)
    execution = project.search(query, **options)
    return Searched(execution, tuple(execution.why_not(document) for document in watch), project.name)


def search_asked(project: Project, question: SearchQuestion) -> tuple[Searched, SearchAnswer]:
    """Runs the search that a question asks for; the answer, and what it was made of."""
    done = search(project, question.query, question.options(), question.watch)
    answer = done.answer(
        explain=question.explain, show_misses=question.show_misses, max_candidates=question.max_candidates
    )
    return done, answer


def several_asked(question: SearchQuestion, names: Sequence[str], embedder: Embedder | None = None) -> SearchAnswer:
    """Runs the search in the projects of these names, which are opened for it, and merges their rankings.

    Raises:
        InputError: see `Projects.search`; a project that fails alone is told in the answer.
    """
    from glassdex.envelopes.several import several_answer
    from glassdex.several.projects import Projects

    options = question.options()
    options["watch"] = tuple(question.watch)
    with Projects.open(names, embedder=embedder) as opened:
        done = opened.search(question.query, **options)
        ladders = tuple(done.why_not(document) for document in question.watch)
        missed = {name: one.misses(None) for name, one in done.answered} if question.show_misses else None
        return several_answer(
            done, explain=question.explain, max_candidates=question.max_candidates, missed=missed, ladders=ladders
        )


def context_asked(project: Project, question: ContextQuestion, *, passwords: Sequence[str] = ()) -> ContextAnswer:
    """The passages worth reading for a task, within a budget."""
    from glassdex.envelopes.context import context_answer

    packed = project.context(
        question.query, budget=question.budget, anyway=question.anyway, passwords=passwords, **question.options()
    )
    return context_answer(packed, project.name, explain=question.explain, max_candidates=question.max_candidates)


def why_not(project: Project, question: WhyNotQuestion) -> WhyNot:
    """Why a document is not found, with the requests that would return it."""
    return project.why_not(question.query, question.document, **question.options())


def why_not_asked(project: Project, question: WhyNotQuestion) -> WhyNotAnswer:
    """The same as an envelope."""
    from glassdex.envelopes.why_not import why_not_answer

    return why_not_answer(why_not(project, question))
