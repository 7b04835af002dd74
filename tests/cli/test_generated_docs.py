"""docs/cli.md, docs/schema and docs/images say what the code says."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from tools.generate_docs import ROOT, documents, main


def test_the_docs_are_those_that_the_code_writes(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--check"])
    assert (code, capsys.readouterr().err) == (0, "")


def test_a_drift_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(tmp_path)]) == 0
    assert main(["--check", "--root", str(tmp_path)]) == 0
    (tmp_path / "docs/cli.md").write_text("old\n", encoding="utf-8")
    (tmp_path / "docs/schema/glassdex.error.1.json").unlink()
    (tmp_path / "docs/schema/glassdex.old.1.json").write_text("{}", encoding="utf-8")
    assert main(["--check", "--root", str(tmp_path)]) == 1
    assert capsys.readouterr().err.splitlines()[:3] == [
        "docs/cli.md differs from the code",
        "docs/schema/glassdex.error.1.json is missing",
        "docs/schema/glassdex.old.1.json belongs to no envelope",
    ]


@pytest.mark.parametrize("columns", ["40", "80", "300"])
def test_the_width_of_the_terminal_does_not_matter(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    expected = documents()
    monkeypatch.setenv("COLUMNS", columns)
    assert documents() == expected


def test_the_picture_is_a_search_and_loads_nothing() -> None:
    drawn = (ROOT / "docs/images/search.svg").read_text(encoding="utf-8")
    text = " ".join("".join(ElementTree.fromstring(drawn).itertext()).replace("\xa0", " ").split())
    assert '$ glassdex search "why is the embedding model swappable" --explain -n 3' in text
    assert "decisions/adr-7d9f-embedding-providers.md#L" in text
    assert str(ROOT) not in drawn
    assert not re.search(r"url\((?!#)|href=|@import|/home/|/tmp/|/Users/", drawn)
