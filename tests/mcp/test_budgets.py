"""Tokens and calls: what is left out is said and counted, and nothing exceeds what was asked for."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.errors import BudgetExhausted, InvalidRequest
from glassdex.mcp.answering import Answering
from glassdex.mcp.calls import CallBudget
from glassdex.mcp.fitting import CUT, Answer, Trim, fitted, tokens_of
from glassdex.mcp.parameters import MAX_TOKENS
from glassdex.project import Project
from tests.cli.running import write
from tests.cli.transcripts import claude, write_lines
from tests.mcp.talking import Talk, answering, ask, talk, within

LONG = "The tide turns twice a day, and the pilots wait for it with their lamps lit. "
SESSION = "33333333-3333-4333-8333-333333333333"


@pytest.fixture(scope="module")
def large_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of many notes, one of them long, and a long conversation."""
    folder = tmp_path_factory.mktemp("large")
    notes = write(folder / "notes", **{f"tide{n:02}": f"# Tide {n}\n\n{LONG * 4}Number {n}.\n" for n in range(40)})
    write(notes, book="# Book\n\n" + "\n\n".join(f"## Part {n}\n\n{LONG * 6}" for n in range(40)))
    records = [
        claude(
            "user" if n % 2 == 0 else "assistant", f"u{n}", f"{LONG * (n % 5 + 1)}Turn {n}.", SESSION, f"10:{n:02}:00"
        )
        for n in range(50)
    ]
    write_lines(notes / f"{SESSION}.jsonl", records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(folder / "home"))
        with Project.create("large", [notes]) as project:
            project.index()
    return folder / "home"


@pytest.fixture
def large(large_home: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("GLASSDEX_HOME", str(large_home))
    with answering("large") as made:
        yield made


@pytest.mark.parametrize("max_tokens", [800, 1000, 2500, 6000])
@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("search", {"query": "when does the tide turn", "limit": 30}),
        ("context", {"task": "when does the tide turn"}),
        ("inspect_query", {"query": "tide", "max_candidates": 200}),
        ("why_not", {"query": "tide", "document": "tide07.md"}),
        ("inspect_chunks", {"document": "book.md"}),
        ("list_documents", {}),
        ("list_sessions", {}),
        ("show_session", {"session": SESSION, "limit": 50}),
        ("status", {}),
    ],
)
def test_no_answer_exceeds_its_budget(large: Answering, tool: str, asked: dict[str, Any], max_tokens: int) -> None:
    said = ask(large, tool, **asked, max_tokens=max_tokens)
    if said.is_error:  # what cannot be shortened so far says what it takes
        assert said.code == "invalid_request"
        assert "tokens, and max_tokens is" in said.answer["message"]
        assert max_tokens < 2500, "the usual answers fit well below the usual budget"
    else:
        within(said.found, max_tokens)


def test_results_that_fit_are_the_first_ones_and_the_rest_is_counted(large: Answering) -> None:
    asked = {"query": "when does the tide turn", "limit": 30}
    whole = ask(large, "search", **asked, max_tokens=MAX_TOKENS[1]).found
    few = ask(large, "search", **asked, max_tokens=3000).found
    kept = len(few["results"])
    assert 0 < kept < len(whole["results"])
    assert few["results"] == whole["results"][:kept]
    (left_out,) = few["answer_budget"]["left_out"]
    assert left_out == {"what": "results", "left_out": 30 - kept, "of": 30, "unit": "items"}
    assert "answer_budget" not in whole


def test_a_larger_budget_shows_at_least_as_much(large: Answering) -> None:
    shown = [
        len(ask(large, "search", query="tide", limit=30, max_tokens=tokens).found["results"])
        for tokens in (1500, 3000, 6000, 12000, 50000)
    ]
    assert shown == sorted(shown)
    assert shown[0] < shown[-1] == 30


def test_a_long_passage_is_cut_and_says_how_much() -> None:
    match: dict[str, Any] = {"text": "貓頭鷹在夜裡狩獵。" * 60, "highlights": [[0, 3], [100, 103], [500, 503]]}
    answer: Answer = {"results": [{"matches": [match]}]}
    path = ("results", 0, "matches", 0, "text")
    found = cast("Any", fitted(answer, (Trim(path, 20),), 400, "more"))
    (cut,) = found["results"][0]["matches"]
    kept = cut["text"].removesuffix(CUT)
    assert kept != cut["text"]
    assert match["text"].startswith(kept)
    assert cut["highlights"] == [[0, 3], [100, 103]]
    assert found["answer_budget"]["left_out"] == [
        {"what": "results.0.matches.0.text", "left_out": 540 - len(kept), "of": 540, "unit": "characters"}
    ]
    assert tokens_of(found) <= 400


def test_pages_of_a_conversation_lead_on_to_all_of_it(large: Answering) -> None:
    async def read(one: Talk) -> list[int]:
        seen: list[int] = []
        offset = None
        while True:
            page = (await one.call("show_session", session=SESSION, offset=offset, limit=50, max_tokens=1600)).found
            within(page, 1600)
            seen += [message["offset"] for message in page["messages"]]
            offset = page.get("next")
            if offset is None:
                return seen

    assert talk(large, read) == list(range(50))


def test_pages_of_documents_lead_on_to_all_of_them(large: Answering) -> None:
    async def read(one: Talk) -> list[str]:
        seen: list[str] = []
        offset = None
        while True:
            page = (await one.call("list_documents", offset=offset, max_tokens=800)).found
            within(page, 800)
            seen += [document["path"] for document in page["documents"]]
            offset = page.get("next")
            if offset is None:
                return seen

    seen = talk(large, read)
    assert seen == sorted(set(seen))
    assert len(seen) == 42


def test_a_shortened_trace_counts_the_candidates_that_it_leaves_out(large: Answering) -> None:
    whole = ask(large, "inspect_query", query="tide", max_candidates=1000, max_tokens=MAX_TOKENS[1]).found
    few = ask(large, "inspect_query", query="tide", max_candidates=1000, max_tokens=6000).found
    assert few["truncated"] + len(few["candidates"]) == whole["truncated"] + len(whole["candidates"])
    assert few["truncated"] > whole["truncated"]


@pytest.mark.parametrize("tokens", [1, MAX_TOKENS[0] - 1, MAX_TOKENS[1] + 1, 10**12, -5])
def test_a_budget_out_of_bounds_is_an_error(large: Answering, tokens: int) -> None:
    assert ask(large, "search", query="tide", max_tokens=tokens).code == "invalid_request"


texts = st.text(max_size=60)
items = st.lists(st.fixed_dictionaries({"text": texts, "n": st.integers(0, 99)}), max_size=30)


@given(items, st.integers(60, 900))
def test_whatever_is_shortened_is_a_prefix_within_the_budget(made: list[dict[str, Any]], max_tokens: int) -> None:
    answer: Answer = {"schema": "x", "items": cast("Any", made)}
    trims = (Trim(("items",), 1), Trim(("items", 0, "text")), Trim(("items",)))
    try:
        found = fitted(answer, trims, max_tokens, "more")
    except InvalidRequest:
        assert max_tokens < 150
        return
    assert tokens_of(found) <= max_tokens
    if "answer_budget" not in found:
        assert found == answer
        return
    kept = cast("list[dict[str, Any]]", found["items"])
    assert json.dumps(kept[1:]) == json.dumps(made[1 : len(kept)])
    said = {one["what"]: one["left_out"] for one in cast("Any", found["answer_budget"])["left_out"]}
    assert said["items"] == len(made) - len(kept) if len(made) > 1 or not kept else True


def test_a_conversation_has_so_many_searches_and_then_an_error_that_says_what_to_do(files: Path) -> None:
    with answering("files", call_budget=3) as agent:

        async def speak(one: Talk) -> None:
            assert (await one.call("search", query="owls")).found["calls_left"] == 2
            assert (await one.call("why_not", query="lamp", document="owls.md")).found["calls_left"] == 1
            wrong = await one.call("search", query="owls", document="no such file")
            assert wrong.code == "document_not_found"
            assert "calls_left" not in (await one.call("list_documents")).found
            assert (await one.call("context", task="owls")).found["calls_left"] == 0
            for tool, asked in (("search", {"query": "owls"}), ("inspect_query", {"query": "owls"})):
                over = await one.call(tool, **asked)
                assert over.code == "budget_exhausted"
                assert "answer from what was found" in over.answer["suggestion"]
            assert (await one.call("inspect_chunks", document="owls.md")).found["rows"]

        talk(agent, speak)


def test_a_search_whose_answer_does_not_fit_has_run_and_counts(large: Answering) -> None:
    with answering("large", call_budget=1) as agent:

        async def speak(one: Talk) -> None:
            unfit = await one.call("inspect_query", query="tide", max_tokens=MAX_TOKENS[0])
            assert unfit.code == "invalid_request"
            assert "max_tokens is" in unfit.answer["message"]
            assert (await one.call("search", query="tide")).code == "budget_exhausted"

        talk(agent, speak)


def test_without_a_budget_nothing_is_counted(agent: Answering) -> None:
    assert "calls_left" not in ask(agent, "search", query="owls").found


def test_threads_share_a_budget_to_the_last_call() -> None:
    budget = CallBudget(50)
    outcomes: list[int | None] = []

    def spend() -> None:
        for _ in range(20):
            try:
                outcomes.append(budget.charge("one"))
            except BudgetExhausted:
                outcomes.append(None)

    threads = [threading.Thread(target=spend) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(left for left in outcomes if left is not None) == list(range(50))
    assert outcomes.count(None) == 50
    assert budget.charge("another") == 49
