"""A fixture's metrics are the same whether a trace is shown or not, and whichever way its passages are handed out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glassdex.context.packed import Context
from glassdex.envelopes.context import context_answer
from glassdex.envelopes.run import trace_text
from glassdex.evaluation.judgments import load_judgments
from glassdex.evaluation.metrics import measured
from glassdex.project import Project
from glassdex.search.results import pointer_of

JUDGMENTS = Path(__file__).parents[2] / "examples" / "judgments.yaml"
MEASURES = ("nDCG@10", "R@10", "RR@10", "P@5", "Success@1")
EVERYTHING = 200_000
OPTIONS: tuple[dict[str, Any], ...] = ({"expand": 0}, {"expand": 3}, {"expand": 0, "diversify": 0.7})


def drawn_from(context: Context) -> list[str]:
    """The documents of a context in its order, as the measures name them; also those that are weak or said already."""
    places = [(passage.rank, passage.pointer) for passage in context.passages]
    places += [(left_out.rank, left_out.pointer) for left_out in context.left_out if left_out.reason != "no_room"]
    packed = list(dict.fromkeys(passage.pointer.partition("#")[0] for passage in context.passages))
    drawn = list(dict.fromkeys(pointer.partition("#")[0] for _, pointer in sorted(places)))
    by_rank = sorted((passage.rank, passage.pointer) for passage in context.passages)
    assert list(dict.fromkeys(pointer.partition("#")[0] for _, pointer in by_rank)) == packed
    assert all(one.reason != "no_room" for one in context.left_out)
    return drawn


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "expanded", "diversified"])
def test_search_and_context_rank_documents_alike_with_and_without_a_trace(own_example: Project, options):
    judgments = load_judgments(JUDGMENTS)
    silent = own_example.evaluate(judgments, measures=MEASURES, options=options)
    told = own_example.evaluate(judgments, measures=MEASURES, options=options, trace_of=trace_text)
    assert told.overall == silent.overall
    assert [query.metrics for query in told.queries] == [query.metrics for query in silent.queries]
    grades, packed, shown = {}, {}, {}
    for query in silent.queries:
        if query.metrics is None:
            continue
        grades[query.id] = {found.unit: found.grade for found in query.judged}
        asked = {"limit": silent.identity.depth, **options, **query.options}
        context = own_example.context(query.query, budget=EVERYTHING, anyway=True, **asked)
        packed[query.id] = drawn_from(context)
        answers = [context_answer(context, "p", explain=explain) for explain in (True, False)]
        assert answers[0].passages == answers[1].passages
        ranked = context.execution.ledger.ranked()
        shown[query.id] = list(dict.fromkeys(pointer_of(c.record).partition("#")[0] for c in ranked))
        assert packed[query.id] == shown[query.id]
    assert grades
    assert measured(MEASURES, grades, packed).overall == silent.overall
