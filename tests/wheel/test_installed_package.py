"""What a user gets: the wheel without any extra. Nothing but pytest and the package may be imported here."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture
def glassdex(tmp_path, monkeypatch):
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    command = str(Path(sys.executable).with_name("glassdex"))

    def run(*arguments, cwd=tmp_path):
        return subprocess.run([command, *arguments], capture_output=True, text=True, cwd=cwd, check=False)

    return run


def test_demo_runs_from_the_wheel_and_explains_its_first_hit(glassdex):
    done = glassdex("demo")
    assert done.returncode == 0, done.stderr
    assert "decisions/adr-7d9f-embedding-providers.md" in done.stdout
    assert "D 1 (" in done.stdout and "glassdex index ~/notes" in done.stdout


def test_own_notes_can_be_indexed_searched_and_opened(glassdex, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "bread.md").write_text("# Bread\n\nThe loaf rests for twelve hours.\n", encoding="utf-8")
    (notes / "boat.md").write_text("# Boat\n\nThe hull was painted in May.\n", encoding="utf-8")
    assert glassdex("index", ".", cwd=notes).returncode == 0
    found = json.loads(glassdex("search", "how long does the loaf rest", "--json", cwd=notes).stdout)
    best = found["results"][0]
    assert best["document"]["path"] == "bread.md"
    opened = glassdex("open", best["matches"][0]["pointer"], cwd=notes)
    assert opened.returncode == 0
    assert "twelve hours" in opened.stdout
    assert glassdex("status", cwd=notes).returncode == 0


def test_the_python_api_of_the_readme_works(tmp_path, monkeypatch):
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path))
    import glassdex

    (tmp_path / "a.md").write_text("# Tea\n\nSteep it for three minutes.\n", encoding="utf-8")
    with glassdex.Project.in_memory(tmp_path) as project:
        assert project.index().added == 1
        execution = project.search("brewing time", mode="dense")
        assert execution.results[0].title == "Tea"


@pytest.mark.skipif(find_spec("ir_measures") is not None, reason="the extra is installed")
def test_measuring_without_its_extra_names_the_line_that_installs_it(glassdex, tmp_path):
    assert glassdex("demo").returncode == 0
    judgments = tmp_path / "home" / "demo" / "judgments.yaml"
    assert judgments.is_file()
    done = glassdex("eval", str(judgments), "--project", "glassdex-demo")
    assert done.returncode == 3
    assert "pip install 'glassdex[eval]'" in done.stderr
    assert glassdex("eval", "--init", "mine.yaml").returncode == 0


def test_type_information_travels_with_the_package():
    import glassdex

    assert Path(glassdex.__file__).with_name("py.typed").exists()
