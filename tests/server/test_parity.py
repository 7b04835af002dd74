"""The same question on the command line and over HTTP has the same answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.cli.running import Run
from tests.server.serving import SESSION

TIMES = ("ms", "milliseconds", "seconds")
SEARCHES: list[tuple[list[str], dict[str, Any]]] = [
    (["owls"], {}),
    (["where do owls sleep"], {"limit": 1, "page": 2}),
    (["ships"], {"in_document": "report.pdf", "page_from": 2}),
    (["backups"], {"tags": ["ops"], "paths": ["*.md"], "kinds": ["entity"], "mode": "lexical"}),
    (["night"], {"fusion": "rrf/1", "min_similarity": 0.1, "matches": 1, "feedback": "off"}),
    (["night"], {"explain": True, "show_misses": True, "watch": ["buoys.md"], "max_candidates": 2}),
    (["owls"], {"session": SESSION, "roles": ["assistant"], "tz": "Europe/Berlin"}),
    (["night"], {"expand": 2, "diversify": 0.5, "explain": True}),
    (["owls"], {"rerank": "late-interaction", "rerank_weight": 0.5}),
    ([], {"in_document": "owls.md"}),
    (["nothing of the kind"], {"since": "2030"}),
]
FLAGS = {"in_document": "--in", "page_from": "--pages", "tags": "--tag", "paths": "--path", "kinds": "--kind",
         "roles": "--role"}  # fmt: skip


def arguments(options: dict[str, Any]) -> list[str]:
    """The options as the command line writes them."""
    written = []
    for name, value in options.items():
        flag = FLAGS.get(name, "--" + name.replace("_", "-"))
        values = value if isinstance(value, list) else [value]
        written += [flag] if value is True else [part for one in values for part in (flag, str(one))]
    return written


def without_times(node: object) -> object:
    if isinstance(node, list):
        return [without_times(item) for item in node]
    if isinstance(node, dict):
        return {key: without_times(value) for key, value in node.items() if key not in TIMES}
    return node


def same(printed: str, answered: str) -> None:
    assert without_times(json.loads(printed)) == without_times(json.loads(answered))


@pytest.mark.parametrize(("words", "options"), SEARCHES)
def test_a_search(run: Run, api: TestClient, words: list[str], options: dict[str, Any]) -> None:
    printed = run("search", *words, *arguments(options), "--json")
    question = {"query": " ".join(words), **options}
    by_body = api.post("/api/v1/search", json=question)
    by_address = api.get("/api/v1/search", params=question)
    assert by_body.status_code == by_address.status_code == 200
    same(printed.out, by_body.text)
    same(printed.out, by_address.text)
    if not options.get("explain"):
        assert printed.out == by_body.text == by_address.text, "to the byte, where no time is in it"


def test_a_trace_is_the_one_that_explain_prints(run: Run, api: TestClient) -> None:
    printed = run("search", "owls", "--explain", "--json")
    found = api.post("/api/v1/search", json={"query": "owls"})
    trace = api.get(f"/api/v1/traces/{found.headers['X-Trace-ID']}")
    assert without_times(trace.json()) == without_times(printed.answer["trace"])
    found = api.post("/api/v1/search", json={"query": "owls", "limit": 1})
    few = api.get(f"/api/v1/traces/{found.headers['X-Trace-ID']}", params={"max_candidates": 1}).json()
    assert len(few["candidates"]) < len(trace.json()["candidates"])


def pointer(api: TestClient, query: str, **options: object) -> str:
    found = api.post("/api/v1/search", json={"query": query, **options}).json()
    return str(found["results"][0]["matches"][0]["pointer"])


def test_what_looks_into_the_project(run: Run, api: TestClient) -> None:
    owls = pointer(api, "owls hunt", in_document="owls.md")
    asked: list[tuple[list[str], str, dict[str, object]]] = [
        (["inspect", "chunks", "owls.md"], "chunks", {"document": "owls.md"}),
        (["inspect", "chunks", owls], "chunks", {"document": owls}),
        (["inspect", "neighbors", owls, "--limit", "2"], "neighbors", {"chunk": owls, "limit": 2}),
        (["inspect", "why-not", "lamp", "owls.md"], "why-not", {"query": "lamp", "document": "owls.md"}),
        (["inspect", "links", "owls.md"], "links", {"document": "owls.md"}),
        (["inspect", "links", "--limit", "3"], "links", {"limit": 3}),
        (["context", "where owls sleep", "--budget", "200"], "context", {"query": "where owls sleep", "budget": 200}),
        (["search", "owls", "--all-projects"], "search", {"query": "owls", "all_projects": True}),
        (["inspect", "why-not", "lamp", "no.md"], "why-not", {"query": "lamp", "document": "no.md"}),
        (["open", owls], "open", {"pointer": owls}),
        (["status"], "status", {}),
        (["status", "--files"], "status", {"files": True}),
        (["projects", "list"], "projects", {}),
        (["sessions", "list"], "sessions", {}),
        (["sessions", "list", "--since", "2030"], "sessions", {"since": "2030"}),
        (["sessions", "show", SESSION[:8], "--limit", "1"], "session", {"session": SESSION[:8], "limit": 1}),
        (["sessions", "show", SESSION, "--offset", "1", "--tz", "Asia/Tokyo"], "session",
         {"session": SESSION, "offset": "1", "tz": "Asia/Tokyo"}),
    ]  # fmt: skip
    for words, path, question in asked:
        printed = run(*words, "--json")
        answered = api.get(f"/api/v1/{path}", params=question)  # type: ignore[arg-type]
        assert answered.status_code == 200, answered.text
        same(printed.out, answered.text)
        assert printed.out == answered.text or '"ms"' in printed.out, words


def test_an_evaluation_and_a_comparison(run: Run, api: TestClient, tmp_path: Path) -> None:
    queries = [
        {"query": "where do owls sleep", "relevant": {"owls.md": 2, f"{SESSION}.jsonl": 1}},
        {"query": "lamp", "relevant": ["buoys.md"], "options": {"mode": "lexical"}},
    ]
    file = tmp_path / "judgments.json"
    file.write_text(json.dumps(queries), encoding="utf-8")
    printed = run("eval", file, "-m", "RR@10", "--json").answer
    answered = api.post("/api/v1/eval", json={"queries": queries, "measures": ["RR@10"]}).json()
    assert answered["overall"] == printed["overall"]
    assert answered["queries"] == printed["queries"]

    printed = run("compare", "--queries", file, "--a", "mode=lexical", "--b", "mode=dense", "--json").answer
    question = {"queries": queries, "a": {"mode": "lexical"}, "b": {"mode": "dense"}}
    answered = api.post("/api/v1/compare", json=question).json()
    assert answered["queries"] == printed["queries"]
    assert answered["stages"] == printed["stages"]


@pytest.mark.parametrize(
    ("words", "method", "path", "question", "status"),
    [
        (["search", "x", "--in", "owl.md"], "POST", "search", {"query": "x", "in_document": "owl.md"}, 404),
        (["search", "x", "--mode", "odd"], "POST", "search", {"query": "x", "mode": "odd"}, 422),
        (["search", "x", "--limit", "0"], "POST", "search", {"query": "x", "limit": 0}, 422),
        (["search", "x", "--project", "none"], "POST", "search", {"query": "x", "project": "none"}, 404),
        (["search", "x", "--in", "report.pdf", "--pages", "9"], "POST", "search",
         {"query": "x", "in_document": "report.pdf", "page_from": 9}, 422),
        (["inspect", "chunks", "owl.md"], "GET", "chunks", {"document": "owl.md"}, 404),
        (["inspect", "neighbors", "owls.md"], "GET", "neighbors", {"chunk": "owls.md"}, 404),
        (["sessions", "show", SESSION, "--offset", "99"], "GET", "session",
         {"session": SESSION, "offset": "99"}, 422),
    ],
)  # fmt: skip
def test_an_error_says_the_same(
    run: Run, api: TestClient, words: list[str], method: str, path: str, question: dict[str, Any], status: int
) -> None:
    said = run(*words, "--json").error
    if method == "POST":
        answered = api.post(f"/api/v1/{path}", json=question)
    else:
        answered = api.get(f"/api/v1/{path}", params=question)
    problem = answered.json()
    assert answered.status_code == problem["status"] == status
    assert answered.headers["Content-Type"] == "application/problem+json"
    assert problem["detail"] == said["message"]
    for name in ("code", "suggestion", "candidates"):
        assert problem.get(name) == said.get(name)
