"""Places of an older version are made again from what is stored: the files may be gone, and nothing is embedded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from glassdex import Project
from glassdex.indexing import locators
from glassdex.storage.sqlite.places import LOCATOR_COLUMNS
from glassdex.storage.sqlite.writer import SqliteWriter
from tests.documents import pdf, slides, workbook

_LOCATED = f"SELECT key, {LOCATOR_COLUMNS}, locator_version FROM {{}} ORDER BY document_id, char_start, key"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "library"
    root.mkdir()
    for number in range(3):
        (root / f"note{number}.md").write_text(f"# Note {number}\n\nThe harbour.\n\n- [fact] It is deep.\n")
        (root / f"report{number}.pdf").write_bytes(pdf([f"Page {page} of {number}." for page in range(1, 6)]))
        (root / f"book{number}.xlsx").write_bytes(workbook({"One": [["a", "b"], [1, 2]], "Two": [["c"], [number]]}))
        (root / f"deck{number}.pptx").write_bytes(slides(["harbour", "boats"], hidden=[2]))
    return root


def _located(project: Project) -> list[object]:
    with project.store.read() as snapshot:
        return [snapshot.connection.execute(_LOCATED.format(table)).fetchall() for table in ("row", "chunk")]


def _age(project: Project) -> None:
    """A third of the documents unversioned, a third of version 1, which knew lines alone, a third as they are."""
    forgotten = ", ".join(
        f"{name} = NULL" for name in LOCATOR_COLUMNS.split(", ") if name[:5] not in ("line_", "hidde")
    )
    with project.store.write() as writer:
        for table in ("row", "chunk"):
            for third, version in ((0, "NULL"), (1, "1")):
                writer.connection.execute(
                    f"UPDATE {table} SET {forgotten}, hidden = 0, locator_version = {version}"
                    f" WHERE document_id % 3 = {third}"
                )
        writer.connection.execute("UPDATE document SET extent = '{}' WHERE id % 3 < 2")


class _NoModel:
    """An embedder that must not be asked."""

    def __init__(self, project: Project) -> None:
        self.identity = project.embedder.identity

    def embed_documents(self, texts: object) -> object:
        raise AssertionError("something was embedded")


def test_upgrading_gives_the_same_places_without_files_and_without_the_model(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Project.in_memory(library) as project:
        project.index()
        expected = _located(project)
        with project.store.read() as snapshot:
            extents = snapshot.extents()
        _age(project)
        assert _located(project) != expected
        shutil.rmtree(library)
        project.embedder = _NoModel(project)  # type: ignore[assignment]
        monkeypatch.setattr("glassdex.reading.files.read_steady", None)
        assert project.upgrade_places() > 0
        assert _located(project) == expected
        with project.store.read() as snapshot:
            assert snapshot.extents() == extents
            assert snapshot.unlocated() == 0
        assert project.upgrade_places() == 0


def test_an_interrupted_upgrade_goes_on_where_it_stopped(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Project.in_memory(library) as project:
        project.index()
        expected = _located(project)
        _age(project)
        with project.store.read() as snapshot:
            behind = snapshot.unlocated()
        monkeypatch.setattr(locators, "DOCUMENTS_AT_ONCE", 1)
        calls = 0

        relocate = SqliteWriter.relocate

        def interrupted(writer: SqliteWriter, limit: int) -> int:
            nonlocal calls
            calls += 1
            if calls == 4:
                raise KeyboardInterrupt
            return relocate(writer, limit)

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(SqliteWriter, "relocate", interrupted)
            project.upgrade_places()
        with project.store.read() as snapshot:
            assert 0 < snapshot.unlocated() < behind
        project.upgrade_places()
        assert _located(project) == expected


def test_indexing_upgrades_too_and_embeds_nothing(library: Path) -> None:
    with Project.in_memory(library) as project:
        project.index()
        expected = _located(project)
        _age(project)
        report = project.index()
        assert (report.embedded, report.changed, report.unchanged) == (0, 0, 12)
        assert _located(project) == expected
