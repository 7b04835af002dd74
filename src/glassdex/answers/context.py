"""The passages worth reading for a task."""

from __future__ import annotations

from collections.abc import Sequence

from glassdex.answers.questions import ContextQuestion
from glassdex.envelopes.context import ContextAnswer, context_answer
from glassdex.project import Project


def context_asked(project: Project, question: ContextQuestion, *, passwords: Sequence[str] = ()) -> ContextAnswer:
    """Passages within a budget of tokens; a limit or number of matches that is not named is that of contexts."""
    options = question.options()
    if "matches" not in question.model_fields_set:
        options.pop("matches", None)
    packed = project.context(
        question.query, budget=question.budget, anyway=question.anyway, passwords=passwords, **options
    )
    return context_answer(packed, project.name, explain=question.explain, max_candidates=question.max_candidates)
