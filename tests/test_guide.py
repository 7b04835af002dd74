"""docs/guide-why-not.md shows what the commands really print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools import generate_guide
from tools.generate_guide import GUIDE, ROOT, main, same


@pytest.fixture(scope="module")
def made() -> str:
    """The page as the commands make it now."""
    return generate_guide.guide()


def test_the_guide_is_what_the_commands_print(
    made: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_guide, "guide", lambda: made)
    code = main(["--check"])
    assert (code, capsys.readouterr().err) == (0, "")


def test_a_drift_is_named_and_mended(
    made: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate_guide, "guide", lambda: made)
    assert main(["--check", "--root", str(tmp_path)]) == 1
    assert "run: python tools/generate_guide.py" in capsys.readouterr().err
    assert main(["--root", str(tmp_path)]) == 0
    assert main(["--check", "--root", str(tmp_path)]) == 0
    (tmp_path / GUIDE).write_text(made.replace("restore", "recover", 1), encoding="utf-8")
    assert main(["--check", "--root", str(tmp_path)]) == 1


def test_it_tells_the_whole_story_and_nothing_of_the_machine(made: str) -> None:
    for command in ("search", "inspect query", "inspect why-not", "inspect chunks", "inspect neighbors", "doctor"):
        assert f"$ glassdex {command}" in made
    before, after = re.findall(r"--paths\n(.*?)```", made, re.DOTALL)
    assert generate_guide.NOTE not in before
    assert generate_guide.NOTE in after
    assert "rows behind file" in made
    assert made.index("$ glassdex index ~/vault") < made.index("$ cd ~/vault") < made.index("$ glassdex search")
    assert f"$ echo '{generate_guide.ADDED}' >> {generate_guide.NOTE}\n" in made
    assert not re.search(r"/home/|/tmp/|/Users/|/private/", made)
    assert str(ROOT) not in made


def test_numbers_may_differ_a_little_and_words_may_not() -> None:
    assert same("cosine .31 < .35, rank 6", "cosine 0.32 < .34, rank 6")
    assert not same("cosine .31", "cosine .41")
    assert not same("rank 6", "rank 7")
    assert not same("version 1.2.3 of a", "version 1.2.3 of b")
