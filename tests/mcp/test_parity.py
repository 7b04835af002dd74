"""The same question on the command line and over MCP has the same answer."""

from __future__ import annotations

from typing import Any

import pytest

from glassdex.mcp.answering import Answering
from tests.cli.running import Run
from tests.mcp.talking import ask, without_times
from tests.server.serving import SESSION

PLENTY = 100_000
SEARCHES: list[tuple[list[str], dict[str, Any]]] = [
    (["owls"], {"query": "owls"}),
    (["where do owls sleep", "--limit", "1"], {"query": "where do owls sleep", "limit": 1}),
    (["ships", "--in", "report.pdf", "--pages", "2"], {"query": "ships", "document": "report.pdf", "page_from": 2}),
    (
        ["ships", "--in", "report.pdf", "--pages", "1-2"],
        {"query": "ships", "document": "report.pdf", "page_from": 1, "page_to": 2},
    ),
    (["boats", "--in", "numbers.xlsx", "--sheet", "Detail"],
     {"query": "boats", "document": "numbers.xlsx", "sheet": "Detail"}),
    (["owls", "--in", SESSION], {"query": "owls", "document": SESSION}),
    (["--in", "report.pdf", "--pages", "1"], {"query": "*", "document": "report.pdf", "page_from": 1}),
    (["quantum chromodynamics"], {"query": "quantum chromodynamics"}),
    (["貓頭鷹 🦉"], {"query": "貓頭鷹 🦉"}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "asked"), SEARCHES)
def test_a_search(run: Run, agent: Answering, words: list[str], asked: dict[str, Any]) -> None:
    printed = run("search", *words, "--json").answer
    assert ask(agent, "search", **asked, show_anyway=True, max_tokens=PLENTY).found == printed


def test_a_context(run: Run, agent: Answering) -> None:
    printed = run("context", "where do owls sleep", "--budget", "900", "--json").answer
    answered = ask(agent, "context", task="where do owls sleep", max_tokens=PLENTY).found
    assert answered["passages"] == printed["passages"]
    assert answered["verdict"] == printed["verdict"]
    whole = run("context", "where do owls sleep", "--budget", str(PLENTY), "--json").answer
    assert answered == whole


def test_a_trace(run: Run, agent: Answering) -> None:
    printed = run("inspect", "query", "owls", "--max-candidates", "2", "--json").answer["trace"]
    answered = ask(agent, "inspect_query", query="owls", max_candidates=2, max_tokens=PLENTY).found
    assert without_times(answered) == without_times(printed)


def test_what_looks_into_the_project(run: Run, agent: Answering) -> None:
    found = ask(agent, "search", query="owls hunt", document="owls.md").found
    owls = found["results"][0]["matches"][0]["pointer"]
    message = ask(agent, "search", query="owls", document=SESSION).found["results"][0]["matches"][0]["pointer"]
    asked: list[tuple[list[str], str, dict[str, Any]]] = [
        (["inspect", "chunks", "owls.md"], "inspect_chunks", {"document": "owls.md"}),
        (["inspect", "chunks", owls], "inspect_chunks", {"document": owls}),
        (["inspect", "neighbors", owls, "--limit", "2"], "neighbors", {"chunk": owls, "limit": 2}),
        (["inspect", "why-not", "lamp", "owls.md"], "why_not", {"query": "lamp", "document": "owls.md"}),
        (["inspect", "why-not", "lamp", "no.md"], "why_not", {"query": "lamp", "document": "no.md"}),
        (["open", owls], "open", {"pointer": owls}),
        (["open", message], "open", {"pointer": message}),
        (["status"], "status", {}),
        (["sessions", "list"], "list_sessions", {}),
        (["sessions", "list", "--since", "2030"], "list_sessions", {"since": "2030"}),
        (["sessions", "show", SESSION[:8], "--limit", "1"], "show_session", {"session": SESSION[:8], "limit": 1}),
        (["sessions", "show", "--at", message], "show_session", {"at": message}),
        (["sessions", "show", SESSION, "--offset", "1"], "show_session", {"session": SESSION, "offset": 1}),
    ]
    for words, tool, question in asked:
        printed = run(*words, "--json").answer
        assert ask(agent, tool, **question, max_tokens=PLENTY).found == printed, words


@pytest.mark.parametrize(
    ("words", "tool", "asked"),
    [
        (["search", "x", "--in", "owl.md"], "search", {"query": "x", "document": "owl.md"}),
        (["search", "x", "--in", "report.pdf", "--pages", "9"], "search",
         {"query": "x", "document": "report.pdf", "page_from": 9}),
        (["search", "x", "--in", "numbers.xlsx", "--sheet", "Sumary"], "search",
         {"query": "x", "document": "numbers.xlsx", "sheet": "Sumary"}),
        (["search", "x", "--in", "owls.md", "--pages", "2"], "search",
         {"query": "x", "document": "owls.md", "page_from": 2}),
        (["search", "x", "--pages", "4-2", "--in", "report.pdf"], "search",
         {"query": "x", "document": "report.pdf", "page_from": 4, "page_to": 2}),
        (["inspect", "chunks", "owl.md"], "inspect_chunks", {"document": "owl.md"}),
        (["inspect", "neighbors", "owls.md"], "neighbors", {"chunk": "owls.md"}),
        (["sessions", "show", SESSION, "--offset", "99"], "show_session", {"session": SESSION, "offset": 99}),
    ],
)  # fmt: skip
def test_an_error_says_the_same(run: Run, agent: Answering, words: list[str], tool: str, asked: dict[str, Any]) -> None:
    printed = run(*words, "--json").error
    answered = ask(agent, tool, **asked)
    assert answered.code == printed["code"]
    assert answered.answer == printed
