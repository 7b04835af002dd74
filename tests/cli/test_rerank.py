"""`--rerank` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import QUERY, Run


def test_an_explanation_shows_the_new_rank_beside_the_old_ones(in_vault: Run):
    ran = in_vault("search", QUERY, "--rerank", "late-interaction", "--explain")
    assert ran.code == 0
    assert "R 50" in ran.out
    assert "R rerank" in ran.out
    assert " → R 1 (" in ran.out
    plain = in_vault("search", QUERY, "--explain")
    assert "R rerank" not in plain.out
    assert " → R " not in plain.out


def test_the_trace_lists_what_the_reranker_read(in_vault: Run):
    ran = in_vault("inspect", "query", QUERY, "--rerank", "late-interaction")
    assert "R rank" in ran.out
    assert "R rank" not in in_vault("inspect", "query", QUERY).out


def test_a_reranker_that_fails_is_said_and_the_results_are_there(in_vault: Run, tmp_path: Path):
    ran = in_vault("search", QUERY, "--rerank", f"cross-encoder:{tmp_path}", "--explain")
    plain = in_vault("search", QUERY)
    assert ran.code == plain.code
    assert "not reranked" in ran.out
    assert "→ R " not in ran.out.split("dropped")[1]


def test_json_marks_the_verdict_without_a_trace(in_vault: Run, tmp_path: Path):
    answer = in_vault("search", QUERY, "--rerank", f"cross-encoder:{tmp_path}", "--json").answer
    assert answer["verdict"]["evidence"]["rerank"] == "fallback"
    assert answer["verdict"]["reason"].endswith("not reranked: the order is that of retrieval")
    assert answer["results"] == in_vault("search", QUERY, "--json").answer["results"]


def test_an_unknown_reranker_is_a_wrong_request(in_vault: Run):
    ran = in_vault("search", QUERY, "--rerank", "nonsense", "--json")
    assert ran.code == 2
    assert ran.error["code"] == "invalid_request"


def test_the_settings_say_who_reranks_by_default(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("the harbour freezes in winter\n")
    monkeypatch.chdir(vault)
    assert run("index", vault).code == 0
    (home / "config.toml").write_text('rerank = "late-interaction"\nrerank_weight = 0.5\n')
    reranker = run("search", "harbour", "--explain", "--json").answer["trace"]["engine"]["reranker"]
    assert reranker["config"]["name"] == "late-interaction"
    assert reranker["config"]["params"] == {"w": 0.5, "head": 50}
    plain = run("search", "harbour", "--explain", "--json", "--rerank", "none").answer
    assert "reranker" not in plain["trace"]["engine"]
