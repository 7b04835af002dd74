"""`--rewrite` on the command line, with a language model's service that is really there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import QUERY, Run
from tests.reranking.services import Answer, serving
from tests.rewriting.test_http import says


@pytest.fixture
def in_vault_of(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("the harbour freezes in winter\n")
    (vault / "b.md").write_text("a vessel at its mooring\n")
    monkeypatch.chdir(vault)
    assert run("index", vault).code == 0
    return run


def configure(home: Path, url: str, kind: str, more: str = "") -> None:
    (home / "config.toml").write_text(f'{more}\n[rewriters.mine]\nurl = "{url}"\nkind = "{kind}"\n')


def test_an_explanation_shows_the_words_that_were_added(in_vault_of: Run, home: Path):
    with serving(lambda _: says("mooring\n\x1bvessel -harbour")) as service:
        configure(home, service.url, "expansion")
        ran = in_vault_of("search", "harbour", "--rewrite", "http:mine", "--explain", "--mode", "lexical")
    assert "rewrite +2 words" in " ".join(ran.out.split())
    assert "further words: mooring ×.30, vessel ×.30" in " ".join(ran.out.split())
    assert "\x1b" not in ran.out
    assert "b.md" in ran.out and "a.md" in ran.out
    assert service.questions[0]["messages"][1]["content"] == "harbour"


def test_json_has_what_the_model_said(in_vault_of: Run, home: Path):
    with serving(lambda _: says("A vessel at its mooring.")) as service:
        configure(home, service.url, "hyde", 'rewrite = "http:mine"')
        answer = in_vault_of("search", "harbour", "--explain", "--json").answer
        plain = in_vault_of("search", "harbour", "--explain", "--json", "--rewrite", "none").answer
        shown = in_vault_of("search", "harbour", "--explain").out
    assert answer["trace"]["query"]["rewrite"]["texts"] == ["A vessel at its mooring."]
    assert answer["trace"]["query"]["rewrite"]["kind"] == "hyde"
    assert answer["verdict"]["evidence"]["rewrite"] == "done"
    assert answer["results"][0]["document"]["path"] == "a.md"
    assert "rewrite" not in plain["trace"]["query"] and "rewrite" not in plain["verdict"]["evidence"]
    assert "averaged with: A vessel at its mooring." in " ".join(shown.split())
    assert len(service.questions) == 2


def test_a_service_that_fails_is_said_and_the_results_are_there(in_vault_of: Run, home: Path):
    plain = in_vault_of("search", "harbour", "--json").answer
    with serving(lambda _: Answer({"error": "model not found"}, 404)) as service:
        configure(home, service.url, "hyde")
        answer = in_vault_of("search", "harbour", "--rewrite", "http:mine", "--json").answer
        shown = " ".join(in_vault_of("search", "harbour", "--rewrite", "http:mine", "--explain").out.split())
    assert answer["results"] == plain["results"]
    assert answer["verdict"]["evidence"]["rewrite"] == "fallback"
    assert answer["verdict"]["reason"].endswith("not rewritten: the query ran as it is")
    assert "not rewritten: the rewriter 'mine' at 127.0.0.1" in shown and "model not found" in shown


def test_an_unknown_rewriter_is_a_wrong_request(in_vault: Run):
    ran = in_vault("search", QUERY, "--rewrite", "nonsense", "--json")
    assert ran.code == 2
    assert ran.error["code"] == "invalid_request"


def test_the_help_says_that_the_query_is_sent_away(run: Run):
    assert "the query is sent there" in " ".join(run("search", "--help").out.replace("│", " ").split())


def test_why_not_names_the_words_that_a_rewriter_added(in_vault_of: Run, home: Path):
    with serving(lambda _: says("mooring\nvessel")) as service:
        configure(home, service.url, "expansion")
        ran = in_vault_of("inspect", "why-not", "harbour", "b.md", "--rewrite", "http:mine")
    assert "further words for the lexical leg: mooring ×0.30, vessel ×0.30" in " ".join(ran.out.split())
    assert "rewritten" not in in_vault_of("inspect", "why-not", "harbour", "b.md").out


def test_a_diversified_document_names_what_it_is_like_by_its_pointer(in_vault_of: Run):
    out = in_vault_of("search", "harbour", "--watch", "b.md", "--diversify").out
    pointer = out.split("similarity ")[1].split(" to ")[1].split()[0]
    assert in_vault_of("inspect", "neighbors", pointer).code == 0
