"""Without the extra `documents`: the files are reported with the line that installs it, and read once it is there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glassdex.reading.registry import discovery
from tests.cli.running import SOURCES, Run, in_process_of_its_own, runner, write
from tests.reading import hostile_readers

INSTALL = "pip install 'glassdex[documents]'"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    hostile_readers.install(tmp_path / "site", monkeypatch)
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    discovery.cache_clear()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_many_files_that_need_one_extra_are_one_line_for_people(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "papers", a="owls\n")
    for number in range(12):
        (folder / f"{number}.hostile").write_text("missing")
    (folder / "bad.md").write_bytes(b"\xff")
    ran = run("index", folder, "--no-embed")
    assert ran.code == 0
    assert "12 files need: pip install 'glassdex[documents]'\n" in ran.out
    assert ran.out.count("failed: ") == 1
    assert "13 failed" in ran.out
    failures = run("index", folder, "--no-embed", "--json").answer["failures"]
    assert [failure["suggestion"] for failure in failures if failure["code"] == "missing_extra"] == [INSTALL] * 12
    assert run("index", folder, "--no-embed", "--strict").code == 3
    assert run("status", "--all", "--project", "papers").out.count(f"{INSTALL} [missing_extra]") == 12
    assert INSTALL in run("doctor", "--project", "papers").out
    for number in range(11):
        (folder / f"{number}.hostile").write_text("words")
    assert "1 file needs: pip install 'glassdex[documents]'\n" in run("index", folder, "--no-embed").out


def documents(folder: Path) -> Path:
    """A real file of every format that needs a library of the extra."""
    import docx
    import openpyxl
    import pptx
    from reportlab.pdfgen.canvas import Canvas

    folder.mkdir()
    word = docx.Document()
    word.add_paragraph("owls in a letter")
    word.save(str(folder / "letter.docx"))
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["owls in a sheet"])
    book.save(folder / "numbers.xlsx")
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "owls on a slide"
    deck.save(str(folder / "deck.pptx"))
    canvas = Canvas(str(folder / "report.pdf"))
    canvas.drawString(72, 720, "owls on a page")
    canvas.save()
    (folder / "page.html").write_text("<h1>owls on the web</h1>")
    (folder / "note.md").write_text("owls in a note")
    return folder


def without_the_extra(folder: Path) -> Path:
    """A folder that, first on the path, makes an interpreter one where those libraries are not installed."""
    folder.mkdir()
    for name in ("pypdfium2", "pypdfium2_raw", "python_calamine", "pptx", "docx", "lxml"):
        missing = f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')\n"
        (folder / f"{name}.py").write_text(missing)
    return folder


def test_an_installation_without_the_extra_reports_and_reads_once_it_is_there(tmp_path: Path) -> None:
    folder, lacking = documents(tmp_path / "papers"), without_the_extra(tmp_path / "lacking")

    def index(*path: Path) -> dict[str, Any]:
        variables = {"PYTHONPATH": os.pathsep.join(str(entry) for entry in (*path, SOURCES))}
        arguments = ("index", str(folder), "--no-embed", "--json")
        ran = in_process_of_its_own(tmp_path / "home", tmp_path, *arguments, variables=variables)
        assert (ran.returncode, ran.stderr) == (0, b"")
        return dict(json.loads(ran.stdout))

    needing = sorted(path.name for path in folder.iterdir() if path.name != "note.md")
    failures = index(lacking)["failures"]
    assert sorted(failure["path"] for failure in failures) == needing
    assert {(failure["code"], failure["suggestion"]) for failure in failures} == {("missing_extra", INSTALL)}
    found = index()
    assert (found["failures"], found["unchanged"], found["added"]) == ([], 1, len(needing))
