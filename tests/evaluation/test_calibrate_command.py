"""`glassdex calibrate`, and the exit codes that follow from the verdict."""

from __future__ import annotations

import shutil
from pathlib import Path

import jsonschema
import pytest

from glassdex.envelopes.calibration import CalibrationAnswer
from tests.cli.conftest import home, run, vault_home
from tests.cli.running import Run, write

__all__ = ["home", "run", "vault_home"]


@pytest.fixture
def in_own_vault(run: Run, home: Path, vault_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The indexed example vault in a home that may be changed."""
    shutil.copytree(vault_home, home)
    monkeypatch.chdir(vault_home.parent / "vault")
    return run


def test_it_shows_both_distributions_the_floor_and_the_error(in_own_vault: Run) -> None:
    ran = in_own_vault("calibrate")
    assert ran.code == 0
    assert "unrelated (-)" in ran.out
    assert "own passages (#)" in ran.out
    assert ran.out.count("< floor") == 1
    assert "(before: default 0.33); stored" in ran.out
    assert "expected verdicts" in ran.out
    assert all(len(line) <= 100 for line in ran.out.splitlines())


def test_json_is_the_published_envelope_and_searches_use_it(in_own_vault: Run) -> None:
    before = in_own_vault("search", "buoy battery", "--json").answer
    assert before["verdict"]["evidence"]["floors"]["source"] == "default"
    answer = in_own_vault("calibrate", "--json").answer
    jsonschema.validate(answer, CalibrationAnswer.published_schema())
    after = in_own_vault("search", "buoy battery", "--json").answer
    assert after["verdict"]["evidence"]["floors"] == answer["floors"]
    assert after["results"] == before["results"]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("buoy battery", "ok", 0),
        ("meeting notes march", "weak", 0),
        ("what is the capital of burkina faso", "nothing_relevant", 1),
    ],
)
def test_the_exit_code_is_the_verdict_s(in_own_vault: Run, query: str, status: str, code: int) -> None:
    ran = in_own_vault("search", query, "--json")
    assert (ran.answer["verdict"]["status"], ran.code) == (status, code)
    assert ran.answer["results"]
    people = in_own_vault("search", query)
    assert people.code == code
    assert f"verdict {status.replace('_', ' ')}" in people.out


def test_an_empty_scope_an_empty_index_and_missing_vectors_exit_with_one(run: Run, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="harbour\n")
    assert run("index", notes, "--no-embed").code == 0
    assert run("search", "harbour").code == 1
    assert run("search", "harbour", "--path", "nowhere/").code == 1
    (notes / "a.md").unlink()
    run("index", notes)
    assert run("search", "harbour").code == 1


def test_a_project_that_is_not_embedded_cannot_be_calibrated(run: Run, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="harbour\n", b="tide\n")
    run("index", notes, "--no-embed")
    ran = run("calibrate", "--json")
    assert ran.code == 3
    assert ran.error["suggestion"] == "glassdex index"


def test_too_few_notes_are_bad_input(run: Run, tmp_path: Path) -> None:
    run("index", write(tmp_path / "notes", a="harbour\n", b="tide\n"))
    ran = run("calibrate")
    assert ran.code == 2
    assert "2 passages" in ran.err
