"""Rewriting: the user's own words keep their weight, what is added is bounded and recorded, failures change nothing."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.envelopes.trace import make_trace
from glassdex.errors import InvalidRequest, RewriteError
from glassdex.project import Project
from glassdex.rewriting import FurtherWords, Rewrite
from glassdex.search.engine import Execution
from glassdex.search.request import Mode
from glassdex.search.rewrite import MAX_TEXT_CHARACTERS, MAX_TEXTS, MAX_WORD_CHARACTERS, MAX_WORDS
from glassdex.testing import RewriterConformance
from tests.search.test_ledger import check_flow
from tests.search.vaults import HashedWords, indexed, modes, paths, queries, vaults

QUERY = "harbour winter"
NOTES = {
    "quay.md": "The mooring lines freeze.\n",
    "ice.md": "Harbour ice in winter.\n",
    "bread.md": "Bread rises at noon.\n",
    "ship.md": "A vessel at its mooring in the harbour.\n",
}
NUMBERS = itertools.count(1)


class Says:
    """Says the same to every query."""

    name = "says"

    def __init__(self, rewrite: Rewrite | Callable[[], Rewrite], kind: str = "both") -> None:
        self.given = rewrite
        self.kind = kind
        self.identity = f"says/{next(NUMBERS)}"
        self.asked: list[str] = []

    def rewrite(self, query: str) -> Rewrite:
        self.asked.append(query)
        return self.given if isinstance(self.given, Rewrite) else self.given()


def words(*given: str | tuple[str, float]) -> Rewrite:
    pairs = [(word, 0.5) if isinstance(word, str) else word for word in given]
    return Rewrite(words=tuple(FurtherWords(text, weight) for text, weight in pairs))


def saying(project: Project, rewrite: Rewrite | Callable[[], Rewrite], kind: str = "both") -> Says:
    made = Says(rewrite, kind)
    project.rewriters["says"] = made
    return made


@pytest.fixture
def project() -> Iterator[Project]:
    with indexed(NOTES) as opened:
        yield opened


class TestSays(RewriterConformance):
    def rewriter(self) -> Says:
        return Says(Rewrite(words("mooring").words, ("a passage",)))


def weights(execution: Execution) -> dict[str, float]:
    assert execution.ledger.rewriting is not None
    return {term.term: term.weight for term in execution.ledger.rewriting.terms}


def scores(execution: Execution, leg: str) -> dict[str, float]:
    return {c.record.path: c.legs[leg].score for c in execution.ledger.candidates.values() if leg in c.legs}


def test_nobody_rewrites_unless_asked(project: Project):
    says = saying(project, words("mooring"))
    execution = project.search(QUERY)
    assert says.asked == []
    assert execution.ledger.rewriting is None
    assert all(stage.name != "rewrite" for stage in execution.ledger.stages)
    assert execution.verdict.evidence.rewrite is None
    trace = make_trace(execution)
    assert trace.query.rewrite is None and trace.request.rewrite is None


def test_a_search_that_rewrites_nothing_loads_no_client(tmp_path: Path):
    (tmp_path / "a.md").write_text("the harbour freezes\n")
    script = (
        "import sys, glassdex\n"
        "with glassdex.Project.in_memory(sys.argv[1]) as project:\n"
        "    project.index()\n"
        "    assert project.search('harbour').results\n"
        "print([m for m in ('http.client', 'glassdex.rewriting.http', 'glassdex.services') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_further_words_find_what_the_users_words_do_not(project: Project):
    saying(project, words("mooring"))
    plain = project.search(QUERY, mode="lexical")
    found = project.search(QUERY, mode="lexical", rewrite="says")
    check_flow(found)
    assert "quay.md" not in paths(plain)
    assert set(paths(found)) == {"ice.md", "ship.md", "quay.md"}
    quay = next(c for c in found.ledger.candidates.values() if c.record.path == "quay.md")
    assert (quay.matched_terms, quay.coverage) == ((), 0.0), "coverage is that of the user's words"
    ship = next(result for result in found.results if result.path == "ship.md")
    text = ship.matches[0].text
    assert [text[a:b] for a, b in ship.matches[0].highlights] == ["harbour"], "what is marked are the user's words"


def test_the_added_score_is_the_weight_times_what_the_word_would_have_scored(project: Project):
    saying(project, words(("mooring", 0.5)))
    plain = scores(project.search(QUERY, mode="lexical"), "lexical")
    alone = scores(project.search("mooring", mode="lexical"), "lexical")
    found = scores(project.search(QUERY, mode="lexical", rewrite="says"), "lexical")
    for path, score in found.items():
        assert score == pytest.approx(plain.get(path, 0.0) + 0.5 * alone.get(path, 0.0), abs=2e-6)


def test_further_words_together_never_weigh_more_than_the_users(project: Project):
    saying(project, words(*[(f"word{number}", 0.9) for number in range(10)]))
    execution = project.search("harbour winter", rewrite="says")
    assert sum(weights(execution).values()) == pytest.approx(2.0, abs=1e-5)
    saying(project, words(("mooring", 7.5)))
    assert weights(project.search(QUERY, rewrite="says")) == {"moor": 1.0}


def test_a_word_that_the_user_wrote_keeps_its_weight(project: Project):
    saying(project, words(("harbours", 0.1), ("winter", 0.1)))
    execution, plain = project.search(QUERY, rewrite="says"), project.search(QUERY)
    assert weights(execution) == {}
    assert execution.results == plain.results
    given = make_trace(execution).query.rewrite
    assert given is not None and [word.text for word in given.words] == ["harbours", "winter"], "and is recorded"


def test_a_query_of_stop_words_keeps_them_beside_further_words(project: Project):
    saying(project, words("bread"))
    plain = scores(project.search("at in", mode="lexical"), "lexical")
    found = scores(project.search("at in", mode="lexical", rewrite="says"), "lexical")
    assert plain and all(found[path] >= score for path, score in plain.items())


@pytest.mark.parametrize(
    "hostile",
    ['-harbour "no such phrase" title:nothing', "-harbour", '"mooring lines"', "title:mooring", "AND * NEAR(", '"'],
)
def test_what_a_rewriter_says_is_words_whatever_signs_are_in_it(project: Project, hostile: str):
    saying(project, words(hostile, "vessel"))
    execution = project.search(f"{QUERY} -zebra", mode="lexical", rewrite="says")
    own, scored = execution.ledger.query, execution.ledger.scored_query
    assert (scored.required, scored.excluded, scored.meaning) == (own.required, own.excluded, own.meaning)
    assert execution.ledger.scope_total == len(NOTES)
    assert {"ice.md", "ship.md"} <= set(paths(execution)), "nothing was excluded or required"


def test_phrases_exclusions_and_fields_of_the_user_stay(project: Project):
    saying(project, words("mooring", "bread", "ice"))
    execution = project.search('"in the harbour" -bread', mode="lexical", rewrite="says")
    assert paths(execution) == ["ship.md"]
    assert execution.ledger.scope_total == 1


def test_only_what_is_asked_for_is_told_to_the_rewriter(project: Project):
    says = saying(project, words("mooring"))
    project.search('harbour "at noon" -secretword', rewrite="says")
    assert says.asked == ["harbour at noon"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    given_words=st.lists(st.tuples(st.text(max_size=30), st.floats()), max_size=60),
    given_texts=st.lists(st.text(max_size=60), max_size=8),
    query=queries,
    mode=modes,
)
def test_any_rewrite_whatever_keeps_the_bounds(project: Project, given_words, given_texts, query, mode):
    saying(project, Rewrite(tuple(FurtherWords(*pair) for pair in given_words), tuple(given_texts)))
    execution = project.search(query, mode=mode, rewrite="says")
    check_flow(execution)
    rewriting = execution.ledger.rewriting
    assert rewriting is not None
    assert len(rewriting.terms) <= MAX_WORDS and len(rewriting.texts) <= MAX_TEXTS
    assert all(0 <= term.weight <= 1 for term in rewriting.terms)
    own = sum(term.count for term in execution.ledger.query.scored_terms)
    assert sum(term.weight for term in rewriting.terms) <= max(1, own) + 1e-4
    assert rewriting.query.terms[: len(execution.ledger.query.terms)] or not execution.ledger.query.terms
    for text in (*rewriting.texts, *(word.text for word in rewriting.words)):
        assert not any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 for sign in text)
        assert text == text.strip() != ""
    make_trace(execution).to_json()


def test_long_and_many_are_cut_and_control_characters_go(project: Project):
    many = [FurtherWords(f"w{number} \x1b[31m" + "x" * 10_000, 0.5) for number in range(500)]
    saying(project, Rewrite(tuple(many), tuple(f"\x00text\u202e {number} " + "y " * 10_000 for number in range(50))))
    rewriting = project.search(QUERY, rewrite="says").ledger.rewriting
    assert rewriting is not None
    assert len(rewriting.words) == MAX_WORDS and len(rewriting.texts) == MAX_TEXTS
    assert all(len(word.text) <= MAX_WORD_CHARACTERS for word in rewriting.words)
    assert all(len(text) <= MAX_TEXT_CHARACTERS and text.startswith("text ") for text in rewriting.texts)
    assert rewriting.words[0].text.startswith("w0 [31mx")


def test_texts_are_averaged_with_the_query(project: Project):
    texts = ("The mooring lines freeze.", "ice on the quay")
    saying(project, Rewrite(texts=texts))
    execution = project.search(QUERY, mode="dense", rewrite="says")
    check_flow(execution)
    model = HashedWords()
    mean = model.embed_query(QUERY).astype(float) + model.embed_documents(texts).sum(axis=0)
    for path, cosine in scores(execution, "dense").items():
        stored = model.embed_documents([NOTES[path].strip()])[0]
        assert cosine == pytest.approx(float(stored @ mean / np.linalg.norm(mean)), abs=1e-5)
    assert paths(execution)[0] == "quay.md" != paths(project.search(QUERY, mode="dense"))[0]


def test_the_verdict_goes_by_the_users_own_words(project: Project):
    saying(project, Rewrite(words("mooring").words, ("The mooring lines freeze.",) * 3))
    for query in (QUERY, "zebra"):
        plain, found = project.search(query, mode="dense"), project.search(query, mode="dense", rewrite="says")
        assert found.verdict.similarity == pytest.approx(plain.verdict.similarity)
        assert plain.verdict.similarity is not None
        assert max(scores(found, "dense").values()) > plain.verdict.similarity
        assert found.verdict.status == plain.verdict.status
        assert found.verdict.evidence.rewrite == "done"


def test_another_rewriter_under_the_same_name_is_asked_itself(project: Project):
    first = saying(project, words("mooring"))
    assert weights(project.search(QUERY, rewrite="says")).keys() == {"moor"}
    second = saying(project, words("vessel"))
    assert weights(project.search(QUERY, rewrite="says")).keys() == {"vessel"}
    project.search(QUERY, rewrite="says")
    assert (len(first.asked), len(second.asked)) == (1, 1), "each once"


def test_the_trace_has_who_said_what_and_what_came_of_it(project: Project):
    rewriter = saying(project, Rewrite(words("mooring lines", "zeppelin").words, ("a passage",)))
    execution = project.search(QUERY, rewrite="says")
    trace = make_trace(execution)
    given = trace.query.rewrite
    assert given is not None and given.fallback is None
    assert (given.name, given.identity, given.kind) == ("says", rewriter.identity, "both")
    assert [(word.text, word.weight) for word in given.words] == [("mooring lines", 0.5), ("zeppelin", 0.5)]
    assert [(term.surface, term.weight, term.df, term.status) for term in given.terms] == [
        ("mooring", 0.5, 2, "used"),
        ("lines", 0.5, 1, "used"),
        ("zeppelin", 0.5, 0, "unknown"),
    ]
    assert given.texts == ("a passage",)
    assert trace.request.rewrite == "says"
    assert [term.surface for term in trace.query.terms] == ["harbour", "winter"], "the user's are the user's"
    first, second = trace.stages[0], trace.stages[1]
    assert (first.name, second.name) == ("rewrite", "scope")
    assert first.measured == {"words": 3, "texts": 1}
    assert execution.ledger.suggestions.keys() <= {"harbour", "winter"}


FAILURES: dict[str, tuple[object, str]] = {
    "raises": (lambda: (_ for _ in ()).throw(RewriteError("the service is away", "start it")), "the service is away"),
    "breaks": (lambda: [][0], "IndexError: list index out of range"),
    "nothing": (Rewrite(), "gave neither words nor a text"),
    "blank": (Rewrite(texts=(" \n ", "\x00")), "gave neither words nor a text"),
    "weightless": (words(("mooring", 0.0), ("bread", float("nan")), ("ice", -1.0)), "gave neither words nor a text"),
    "no rewrite": (lambda: "mooring", "AttributeError"),
    "no text": (Rewrite(texts=(7,)), "TypeError"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_leaves_the_query_as_it_is_and_says_so(project: Project, kind: str):
    given, reason = FAILURES[kind]
    saying(project, given)  # type: ignore[arg-type]
    plain, failed = project.search(QUERY), project.search(QUERY, rewrite="says")
    check_flow(failed)
    assert failed.results == plain.results
    assert failed.verdict.status == plain.verdict.status
    assert failed.verdict.reason.endswith("not rewritten: the query ran as it is")
    assert failed.verdict.evidence.rewrite == "fallback"
    (note,) = failed.ledger.notes
    assert note.startswith("not rewritten: ") and reason in note
    rewrite = make_trace(failed).query.rewrite
    assert rewrite is not None and rewrite.fallback is not None and reason in rewrite.fallback.reason
    assert (rewrite.words, rewrite.terms, rewrite.texts) == ((), (), ())


def test_two_failures_are_both_in_the_verdict(project: Project):
    saying(project, Rewrite())
    verdict = project.search(QUERY, rewrite="says", rerank="cross-encoder:/no/such/folder").verdict
    assert "not rewritten" in verdict.reason and "not reranked" in verdict.reason


def test_a_rewriter_that_is_not_there_is_a_wrong_request(project: Project):
    for asked in ("nonsense", "http:unheard-of"):
        with pytest.raises(InvalidRequest, match="rewriter"):
            project.search(QUERY, rewrite=asked)
    with pytest.raises(InvalidRequest, match="it must name a rewriter"):
        project.search(QUERY, rewrite="")


@pytest.mark.parametrize(("kind", "mode"), [("hyde", "lexical"), ("expansion", "dense")])
def test_nothing_is_sent_where_nothing_can_be_done_with_the_answer(project: Project, kind: str, mode: Mode):
    says = saying(project, Rewrite(words("mooring").words, ("a passage",)), kind)
    execution = project.search(QUERY, mode=mode, rewrite="says")
    assert says.asked == []
    assert f"mode {mode}" in execution.ledger.notes[0]


def test_passages_that_are_listed_by_place_are_not_rewritten(project: Project):
    says = saying(project, words("mooring"))
    assert project.search("", in_document="ice.md", rewrite="says").results
    assert says.asked == []


def test_one_query_is_rewritten_once_whatever_is_asked_of_it(project: Project):
    said: Iterator[str] = iter(("mooring", "bread", "ice"))
    says = saying(project, lambda: words(next(said)))
    first = project.search(QUERY, limit=1, rewrite="says")
    second = project.search(QUERY, limit=1, page=2, rewrite="says")
    assert says.asked == [QUERY], "pages are slices of one ranking"
    assert weights(first) == weights(second) == {"moor": 0.5}
    first.why_not("bread.md")
    assert says.asked == [QUERY]
    project.search("harbour", rewrite="says")
    assert says.asked == [QUERY, "harbour"]


def test_a_failure_is_not_remembered(project: Project):
    answers: list[Sequence[str]] = [(), ("mooring",)]
    says = saying(project, lambda: words(*answers.pop(0)))
    assert project.search(QUERY, rewrite="says").verdict.evidence.rewrite == "fallback"
    assert project.search(QUERY, rewrite="says").verdict.evidence.rewrite == "done"
    assert len(says.asked) == 2


def test_a_watched_document_is_measured_by_what_was_looked_for(project: Project):
    saying(project, Rewrite(words("mooring").words, ("The mooring lines freeze.",)))
    execution = project.search(QUERY, rewrite="says", watch=("quay.md",))
    (watched,) = execution.ledger.watched
    candidate = next(c for c in execution.ledger.candidates.values() if c.record.path == "quay.md")
    assert watched.chunks[0].lexical_score == candidate.legs["lexical"].score
    assert watched.chunks[0].similarity == pytest.approx(candidate.legs["dense"].score)
    assert watched.missing_terms == ("harbour", "winter")
    assert execution.results == project.search(QUERY, rewrite="says").results


@settings(max_examples=30, deadline=None)
@given(vaults, queries, st.integers(1, 3))
def test_pages_are_slices_of_one_rewritten_order(notes, query, limit):
    with indexed(notes) as project:
        saying(project, Rewrite(words("harbour", "sailing").words, ("winter tide",)))
        whole = project.search(query, limit=3 * limit, rewrite="says")
        pages = [project.search(query, limit=limit, page=number, rewrite="says") for number in (1, 2, 3)]
        assert [result for page in pages for result in page.results] == list(whole.results)
