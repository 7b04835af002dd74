"""`doctor` names what is wrong, how much of it, and the command that mends it: and the command does."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from glassdex.cli.doctor import doctor_lines
from glassdex.embedding import shipped
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.envelopes.doctor import doctor_answer
from glassdex.inspection.doctor import Finding, size
from glassdex.project import Project
from glassdex.reading import registry
from tests.search.vaults import HashedWords, StopsHalfway, indexed, root_of, write_notes

NOTES: dict[str, str | bytes] = {"harbour.md": "# Harbour\n\nboats at dawn\n", "bread.md": "# Bread\n\noven\n"}


def findings(project: Project) -> dict[str, Finding]:
    return {finding.code: finding for finding in project.doctor().findings}


def wrong(project: Project) -> dict[str, Finding]:
    return {code: finding for code, finding in findings(project).items() if finding.severity != "note"}


def execute(project: Project, sql: str) -> None:
    with project.store.write() as writer:
        writer.connection.execute(sql)


def test_a_healthy_project_has_nothing_but_its_size():
    with indexed(NOTES) as project:
        diagnosis = project.doctor()
        assert diagnosis.healthy
        assert (diagnosis.documents, diagnosis.chunks) == (2, 2)
        assert [finding.code for finding in diagnosis.findings] == ["index_size"]
        assert doctor_lines(diagnosis)[-1] == "nothing is wrong"


def test_edited_deleted_and_new_files():
    with indexed({**NOTES, "gone.md": "soon\n"}) as project:
        root = root_of(project)
        (root / "harbour.md").write_text("# Harbour\n\nboats at dusk\n")
        (root / "gone.md").unlink()
        write_notes(root, {"new.md": "fresh\n", ".env": "secret\n", "picture.bin": b"\0"})
        found = wrong(project)
        assert {code: finding.examples for code, finding in found.items()} == {
            "stale_files": ("harbour.md",),
            "missing_files": ("gone.md",),
            "new_files": ("new.md", "picture.bin"),
        }
        assert {finding.command for finding in found.values()} == {"glassdex index --project memory"}
        project.index()
        assert wrong(project) == {}


def test_a_file_without_the_right_to_read_it():
    with indexed(NOTES) as project:
        (root_of(project) / "bread.md").unlink()
        (root_of(project) / "bread.md").mkdir()  # what no user, not even root, can read as a file
        assert wrong(project)["unreadable_files"].examples == ("bread.md",)


def test_a_root_folder_that_is_not_there():
    with indexed(NOTES) as project:
        root = root_of(project)
        root.rename(root.with_name("moved"))
        found = wrong(project)
        assert set(found) == {"root_missing"}
        assert found["root_missing"].command == f"glassdex projects relocate memory FOLDER --from {root}"


def test_failed_files_are_grouped_by_their_reason():
    with indexed({**NOTES, "a.md": b"\xff\n", "b.md": b"\xfe\n", "c.md": "ok\n"}) as project:
        (root_of(project) / "c.md").write_bytes(b"\xff")
        project.index()
        failed = wrong(project)["failed_files"]
        assert failed.count == 3
        assert "unsupported encoding, 1 of them searchable in an older state" in failed.message
        assert failed.examples[0].startswith("a.md: ")
        assert set(wrong(project)) == {"failed_files"}


def test_odd_files_are_named_with_their_place():
    with indexed({"odd.md": "---\ntags: [unclosed\n---\n\nharbour\n"}) as project:
        odd = wrong(project)["odd_files"]
        assert odd.examples[0].startswith("odd.md")


def test_pending_embeddings_and_vectors_of_another_model_are_two_facts():
    notes = {f"{number:03}.md": f"harbour {number}\n" for number in range(150)}
    with indexed(notes, embed=False) as project:
        assert (wrong(project)["pending_embeddings"].count, "other_identity" in wrong(project)) == (150, False)
        project.embedder = StopsHalfway(1)
        with pytest.raises(Exception, match="went away"):
            project.index()
        assert wrong(project)["pending_embeddings"].count == 22
        project.embedder = HashedWords(32)
        before_the_run = wrong(project)
        project.index(embed=False)
        for found in (before_the_run, wrong(project)):
            assert (found["other_identity"].count, found["pending_embeddings"].count) == (128, 22)
            assert "--identity previous" in found["other_identity"].remedy
        project.index()
        assert wrong(project) == {}


@pytest.mark.parametrize(
    ("damage", "code", "count"),
    [
        ("DELETE FROM vector", "vectors_missing", 2),
        ("DELETE FROM slab", "vectors_missing", 2),
        ("DELETE FROM posting WHERE rowid = 1", "postings_missing", 1),
        ("INSERT INTO posting (rowid, body) VALUES (99, 'harbour')", "postings_orphaned", 1),
        ("UPDATE file SET reader = 'markdown/0'", "index_behind", 2),
        ("UPDATE file SET chunker = 'glassdex-chunker/0'", "index_behind", 2),
    ],
)
def test_what_somebody_did_to_the_store_is_found_and_mended_by_the_next_run(damage: str, code: str, count: int):
    with indexed(NOTES) as project:
        execute(project, damage)
        found = wrong(project)
        assert {code: finding.count for code, finding in found.items()} == {code: count}
        assert found[code].command == "glassdex index --project memory"
        project.index()
        assert wrong(project) == {}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE posting_data SET block = zeroblob(length(block)) WHERE id > 10",
        "DROP INDEX tag_by_name",
    ],
)
def test_a_damaged_store_is_the_only_thing_that_is_said(damage: str):
    with indexed(NOTES) as project:
        project.store._writing_connection.execute(damage).fetchall()
        damaged = project.doctor().findings
        assert [(finding.code, finding.severity) for finding in damaged] == [("store_damaged", "error")]
        assert damaged[0].examples
        root = root_of(project)
        assert damaged[0].command == (
            f"glassdex projects remove memory --yes && glassdex index {root} --project memory --language english"
        )


def test_text_in_another_script_under_the_english_model():
    chinese = "# 會議\n\n第三季營收下降，主要原因是客戶延後訂單。\n"
    mixed = "# Café\n\nŁódź, Ærø and the word 營收\n"
    with indexed({"zh.md": chinese, "mixed.md": mixed}, embedder=MiniLmEmbedder()) as project:
        foreign = wrong(project)["language_mismatch"]
        assert foreign.examples == ("zh.md",)
        assert "search by words works" in foreign.remedy
        assert project.search("營收", mode="lexical").results
    with indexed({"zh.md": chinese}) as project:  # not the English model
        assert wrong(project) == {}
    with indexed(
        {"zh.md": chinese, **{f"{n}.md": f"# {n}\n\nplain {n}\n" for n in range(11)}}, embedder=MiniLmEmbedder()
    ) as project:
        assert findings(project)["language_mismatch"].severity == "note"


def test_duplicates_by_content_and_by_title():
    notes = {"a.md": "# Same\n\none\n", "copy/a.md": "# Same\n\none\n", "b.md": "# same\n\ntwo\n", "c.md": "# C\n\nx\n"}
    with indexed(notes) as project:
        found = findings(project)
        assert found["duplicate_content"].examples == ("a.md = copy/a.md",)
        assert found["duplicate_content"].count == 1
        assert found["duplicate_titles"].examples == ("a.md · b.md · copy/a.md",)
        assert found["duplicate_titles"].severity == "note"
    with indexed({"a.md": "# Same\n\none\n", "b.md": "# Same\n\none\n"}) as project:
        assert "duplicate_titles" not in findings(project)


def test_chunks_that_fill_the_limit_and_a_model_that_reads_less():
    crowded = "# Log\n\n" + "x1 " * 400 + "\n"

    class ReadsLittle(HashedWords):
        @property
        def identity(self):
            return type(super().identity)("reads-little", "", "mean", self.dimensions, "", "", 100)

    with indexed({"log.md": crowded}, embedder=ReadsLittle()) as project:
        found = findings(project)
        assert found["chunks_at_token_limit"].severity == "note"
        assert found["chunks_at_token_limit"].examples == ("log.md",)
        assert found["chunks_truncated"].severity == "warning"
        assert "more than 100 tokens" in found["chunks_truncated"].remedy


def test_an_empty_project():
    with indexed({}) as project:
        assert set(wrong(project)) == {"index_empty"}


def test_a_size_that_exact_search_is_too_slow_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(size, "EXACT_LIMIT_MS", 0.0)
    with indexed(NOTES) as project:
        assert "--path" in wrong(project)["index_size"].remedy


def test_a_damaged_model_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    package = tmp_path / "package"
    (package / "minilm").mkdir(parents=True)
    real = resources.files("glassdex.embedding") / "minilm"
    for name in ("model.json", "tokenizer.json"):
        (package / "minilm" / name).write_bytes((real / name).read_bytes())
    (package / "minilm" / "model.onnx").write_bytes(b"half a download")
    with indexed(NOTES) as project:
        monkeypatch.setattr(shipped, "files", lambda _: package)
        assert wrong(project)["model_damaged"].examples == ("model.onnx",)
        (package / "minilm" / "model.onnx").unlink()
        assert "lacks its file model.onnx" in wrong(project)["model_damaged"].examples[0]


def test_a_broken_reader_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    info = tmp_path / "site" / "broken_reader-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-reader\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[glassdex.readers]\nbroken = not_a_module_at_all:Reader\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    registry.discovery.cache_clear()
    try:
        with indexed(NOTES) as project:
            broken = wrong(project)["broken_readers"]
            assert broken.examples[0].startswith("broken = not_a_module_at_all:Reader: ModuleNotFoundError")
    finally:
        registry.discovery.cache_clear()


def test_the_envelope_carries_what_a_program_needs():
    with indexed(NOTES, embed=False) as project:
        answer = json.loads(doctor_answer(project.doctor()).to_json())
    assert answer["schema"] == "glassdex.doctor/1"
    assert answer["healthy"] is False
    pending = answer["findings"][0]
    assert {key: pending[key] for key in ("code", "severity", "count", "command")} == {
        "code": "pending_embeddings",
        "severity": "warning",
        "count": 2,
        "command": "glassdex index --project memory",
    }
    assert "examples" not in pending
