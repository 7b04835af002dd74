"""`glassdex compare`: saved runs, two configurations, tables and the envelope."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from glassdex.envelopes.comparison import CompareAnswer
from tests.cli.conftest import home, in_vault, run, vault_home
from tests.cli.running import VAULT, Run

__all__ = ["home", "in_vault", "run", "vault_home"]
SHIPPED = VAULT.parent / "judgments.yaml"


def test_two_configurations_on_the_shipped_judgments(in_vault: Run):
    ran = in_vault("compare", "--queries", SHIPPED, "--a", "fusion=rrf/1", "--b", "feedback=off", "--json")
    assert ran.code == 0
    answer = ran.answer
    jsonschema.validate(answer, CompareAnswer.published_schema())
    assert [stage["stage"] for stage in answer["stages"]] == ["fuse"]
    assert answer["measures"][0]["measure"] == "nDCG@10"
    assert 0 < answer["measures"][0]["p"] <= 1
    assert "warnings" not in answer
    move = answer["queries"][1]["moves"][0]
    assert [step["stage"] for step in move["path"]] == ["lexical", "dense", "fuse", "threshold", "collapse", "page"]
    assert all(step["a"] == step["b"] for step in move["path"][:2])


def test_for_people_it_fits_the_width(in_vault: Run):
    ran = in_vault("compare", "--queries", SHIPPED, "--a", "mode=lexical", "--b", "mode=dense,min_similarity=0.3")
    assert ran.code == 0
    assert all(len(line) <= 100 for line in ran.out.splitlines())
    assert "threshold" in ran.out
    assert "did not run" in ran.out


def test_saved_runs_and_the_same_two_asked_at_once_say_the_same(in_vault: Run, tmp_path: Path):
    files = tmp_path / "a.json", tmp_path / "b.json"
    for file, options in zip(files, ("mode=lexical", "fusion=rrf/1"), strict=True):
        in_vault("eval", SHIPPED, "--with", options, "--save", file, "--depth", "100")
    saved = in_vault("compare", *files, "--json").answer
    at_once = in_vault("compare", "--queries", SHIPPED, "--a", "mode=lexical", "--b", "fusion=rrf/1", "--json").answer
    for part in ("stages", "measures", "queries"):
        assert saved[part] == at_once[part]


def test_plain_questions_have_moves_and_no_measures(in_vault: Run, tmp_path: Path):
    (tmp_path / "questions.txt").write_text("how do I bake bread\nwho repairs buoys\n", encoding="utf-8")
    questions = tmp_path / "questions.txt"
    answer = in_vault("compare", "--queries", questions, "--b", "mode=lexical", "--json").answer
    assert answer["measures"] == []
    assert len(answer["queries"]) == 2
    assert in_vault("compare", "--queries", questions, "--b", "mode=lexical").code == 0


def test_vectors_of_a_model_that_never_was_are_an_error(in_vault: Run):
    ran = in_vault("compare", "--queries", SHIPPED, "--a", "identity=previous", "--json")
    assert (ran.code, ran.error["code"]) == (2, "invalid_request")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "two runs are compared"),
        (("a.json",), "two runs are compared"),
        (("a.json", "b.json"), "cannot be read"),
        (("a.json", "b.json", "--a", "mode=dense"), "has its options already"),
        (("a.json", "b.json", "--queries", str(SHIPPED)), "both saved runs and --queries"),
        (("--queries", str(SHIPPED), "--a", "colour=red"), "unknown option"),
        (("--queries", "nowhere.yaml"), "there is no file"),
    ],
)
def test_what_cannot_be_compared_says_why(in_vault: Run, arguments: tuple[str, ...], said: str):
    ran = in_vault("compare", *arguments)
    assert ran.code == 2
    assert said in ran.err


def test_runs_without_a_common_query_are_refused(in_vault: Run, tmp_path: Path):
    files = []
    for name in ("one", "two"):
        judged = tmp_path / f"{name}.yaml"
        judged.write_text(f"- {{query: {name}, relevant: recipes/pour-over-coffee.md}}\n", encoding="utf-8")
        files.append(tmp_path / f"{name}.json")
        in_vault("eval", judged, "--save", files[-1])
    ran = in_vault("compare", *files)
    assert (ran.code, "no query in common" in ran.err) == (2, True)


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_terminal_cuts_no_header_and_no_name(in_vault: Run, monkeypatch: pytest.MonkeyPatch, width: int):
    ask = ("compare", "--queries", SHIPPED, "--a", "weights=false,diversify=off", "--b", "diversify=0.3,feedback=on")
    monkeypatch.setenv("COLUMNS", str(width))
    out = in_vault(*ask).out
    assert "…" not in out
    assert max(len(line) for line in out.splitlines() if ".md" not in line) <= width  # names are never folded
    header = next(line.split() for line in out.splitlines() if line.split()[:1] == ["stage"])
    assert header == ["stage", "queries", "moves", "up", "down", "entered", "left", "up", "down"]
    assert "     A    B" in out.splitlines()
    assert "weights=off · diversify=off" in " ".join(out.split())
    moved = in_vault(*ask, "--json").answer["queries"][0]["moves"]
    printed = out.split()
    assert moved and all(move["document"] in printed for move in moved)
    assert "where the document stood after that stage, in A and in B" in " ".join(out.split())
