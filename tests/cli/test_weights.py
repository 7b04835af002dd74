"""`--weights` on the command line, and `[weights]` in the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run


@pytest.fixture
def in_notes(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("---\nstatus: draft\nweight: 1.5\n---\nthe harbour freezes in winter\n")
    (vault / "b.md").write_text("the harbour freezes in winter\n")
    monkeypatch.chdir(vault)
    assert run("index", vault).code == 0
    return run


def documents(run: Run, *more: str) -> list[str]:
    return [result["document"]["path"] for result in run("search", "harbour", "--json", *more).answer["results"]]


def test_off_unless_asked_for_or_set(in_notes: Run, home: Path):
    plain = in_notes("search", "harbour", "--json").answer
    assert documents(in_notes, "--weights") == ["a.md", "b.md"]
    (home / "config.toml").write_text("[weights]\nstatus = { draft = 0.5 }\n")
    assert documents(in_notes) == ["b.md", "a.md"]
    assert in_notes("search", "harbour", "--json", "--no-weights").answer == plain


def test_an_explanation_shows_the_weight_and_where_it_stands(in_notes: Run, home: Path):
    (home / "config.toml").write_text("[weights]\nstatus = { draft = 0.5 }\n")
    ran = in_notes("search", "harbour", "--explain")
    shown = " ".join(ran.out.split())
    assert "W 1" in shown and "W weight" in shown
    assert "weight 0.5 (front matter status=draft)" in shown
    assert "W rank" in in_notes("inspect", "query", "harbour").out
    answer = in_notes("search", "harbour", "--explain", "--json").answer
    assert answer["trace"]["engine"]["weights"]["keys"] == {"status": {"draft": 0.5}}
    last = next(c for c in answer["trace"]["candidates"] if c["document"] == "a.md")
    assert last["weight"] == {"weight": 0.5, "source": "front matter status=draft"}


def test_what_is_no_weight_is_escaped(in_notes: Run, tmp_path: Path):
    (tmp_path / "vault" / "c.md").write_text('---\nweight: "\\e[31mred\\u202e"\n---\nthe harbour\n')
    assert in_notes("index").code == 0
    ran = in_notes("search", "harbour", "--weights")
    assert "no weight, so passed over: weight=\\x1b[31mred\\u202e in c.md" in " ".join(ran.out.split())
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("weights = 1", "weights is not a table"),
        ("[weights]\nstatus = 0.5", "[weights] status is neither true nor a table"),
        ("[weights]\nstatus = {}", "[weights] status is neither true nor a table"),
        ("[weights]\nstatus = { draft = 2.5 }", "[weights] status.draft is no number from 0 to 2"),
        ("[weights]\nstatus = { draft = nan }", "[weights] status.draft is no number from 0 to 2"),
        ("[weights]\nstatus = { draft = true }", "[weights] status.draft is no number from 0 to 2"),
        ("[weights]\nstatus = { draft = 'low' }", "[weights] status.draft is no number from 0 to 2"),
    ],
)
def test_wrong_settings_say_what_is_wrong(in_notes: Run, home: Path, table: str, message: str):
    (home / "config.toml").write_text(table + "\n")
    ran = in_notes("search", "harbour", "--json")
    assert ran.code == 2
    assert message in ran.error["message"]
