"""What was done to a store behind the program's back is noticed, named and mended by the command that is named."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest

from glassdex.errors import GlassdexError, StoreCorrupt
from glassdex.inspection.doctor import Finding
from glassdex.project import Project
from glassdex.projects import store_path
from glassdex.search.floors import META_KEY
from glassdex.storage.sqlite import SqliteStore
from tests.cli.conftest import home, run
from tests.cli.running import Run, write
from tests.search.vaults import HashedWords, paths, write_notes

__all__ = ["home", "run"]

NOTES = {
    "harbour.md": "# Harbour\n\nboats at dawn\n\n- [fact] the tide turns #boat\n- leads_to [[Bread]]\n",
    "bread.md": "# Bread\n\noven and flour\n",
    "empty.md": "",
}
FIRST_SCHEMA = Path(__file__).parents[1] / "data" / "schema_1.sql"
HARBOUR = "(SELECT id FROM file WHERE path = 'harbour.md')"
LONG_AGO = 1_700_000_000


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Iterator[Project]:
    root = write_notes(tmp_path / "notes", NOTES)
    for name in NOTES:
        os.utime(root / name, (LONG_AGO, LONG_AGO))
    with Project.create("notes", [root], embedder=HashedWords()) as opened:
        opened.index()
        yield opened


def tamper(project: Project | str, sql: str, *, foreign_keys: bool = False) -> None:
    """What another SQLite tool does, which by default does not look after references."""
    name = project if isinstance(project, str) else project.name
    connection = apsw.Connection(str(store_path(name)))
    connection.execute(f"PRAGMA foreign_keys = {foreign_keys:d}")
    connection.execute(sql)
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation' AND typeof(value) = 'integer'")
    connection.close()


def all_tables() -> list[str]:
    store = SqliteStore(None)
    with store.read() as snapshot:
        rows = snapshot.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        names = [str(name) for (name,) in rows]
    store.close()
    return names


TABLES = all_tables()


def wrong(project: Project) -> dict[str, Finding]:
    return {finding.code: finding for finding in project.doctor().findings if finding.severity != "note"}


def by_words(project: Project, query: str) -> list[str]:
    """The documents that the words alone find."""
    return paths(project.search(query, mode="lexical"))


def reopened(project: Project) -> Project:
    project.close()
    return Project.open(project.name, embedder=HashedWords())


def obey(run: Run, command: str, **words: str) -> None:
    """Runs what a finding says, with the words that it leaves to the reader."""
    for part in command.split(" && "):
        arguments = [words.get(word, word) for word in shlex.split(part)]
        assert arguments[0] == "glassdex"
        assert run(*arguments[1:]).code == 0, part


@pytest.mark.parametrize("foreign_keys", [False, True])
@pytest.mark.parametrize(
    "deletion",
    [
        f"DELETE FROM chunk WHERE document_id = {HARBOUR}",
        f"DELETE FROM chunk WHERE document_id = {HARBOUR} AND ordinal = 0",
        f"DELETE FROM chunk WHERE document_id = {HARBOUR} AND kind = 'relation'",
        f"DELETE FROM row WHERE document_id = {HARBOUR}",
        f"DELETE FROM row WHERE document_id = {HARBOUR} AND kind = 'observation'",
        f"DELETE FROM row WHERE document_id = {HARBOUR}; DELETE FROM chunk WHERE document_id = {HARBOUR}",
        f"DELETE FROM tag WHERE document_id = {HARBOUR}",
        f"DELETE FROM link WHERE document_id = {HARBOUR}",
        f"DELETE FROM document WHERE id = {HARBOUR}",
    ],
)
def test_a_document_that_lost_passages_is_named_and_read_again(project: Project, deletion: str, foreign_keys: bool):
    tamper(project, deletion, foreign_keys=foreign_keys)
    found = wrong(project)
    incomplete = found["documents_incomplete"]
    assert (incomplete.count, incomplete.severity) == (1, "error")
    assert incomplete.examples[0].startswith("harbour.md: ")
    assert {finding.command for finding in found.values()} == {"glassdex index --project notes"}
    if "FROM document" not in deletion:
        assert project.chunks("harbour.md").freshness.state == "index_behind_rows"
    for result in project.search("boats tide oven").results:
        assert result.freshness.state == ("index_behind_rows" if result.path == "harbour.md" else "fresh")
    report = project.index()
    assert (report.changed, report.unchanged, report.embedded) == (1, 2, 0)
    assert wrong(project) == {}
    assert project.chunks("harbour.md").freshness.state == "fresh"
    assert paths(project.search("tide", tags=("boat",))) == ["harbour.md"]


def test_an_empty_note_has_no_passages_and_is_fresh(project: Project):
    found = project.chunks("empty.md").freshness
    assert (found.state, found.rows_vs_index.chunks) == ("fresh", 0)
    assert project.index().unchanged == 3
    assert wrong(project) == {}


def test_a_file_that_the_store_forgot_is_new_and_read_again(project: Project):
    tamper(project, f"DELETE FROM file WHERE id = {HARBOUR}")
    assert set(wrong(project)) == {"references_broken", "new_files"}
    assert by_words(project, "oven boats") == ["bread.md"]
    project.index()
    assert wrong(project) == {}
    assert by_words(project, "boats") == ["harbour.md"]


NOT_A_NUMBER = np.full(24, np.nan, dtype="<f4").tobytes().hex()
INFINITE = np.full(24, np.inf, dtype="<f4").tobytes().hex()


@pytest.mark.parametrize(
    "floats",
    [
        f"x'{NOT_A_NUMBER * 1024}'",
        f"x'{INFINITE * 1024}'",
        "zeroblob(length(floats))",
        "randomblob(length(floats))",
        "x'00'",
        "zeroblob(2 * length(floats))",
        "'text'",
    ],
    ids=["no number", "infinite", "zero", "random", "one byte", "too long", "text"],
)
def test_damaged_vectors_are_named_never_searched_and_made_again(tmp_path: Path, home: Path, floats: str):
    many = {f"{number:03}.md": f"# Note {number}\n\nharbour {number}\n" for number in range(250)}
    with Project.create("notes", [write_notes(tmp_path / "notes", many)], embedder=HashedWords()) as project:
        project.index()
        before = [(result.path, result.similarity) for result in project.search("harbour", mode="dense").results]
        tamper(project, f"UPDATE slab SET floats = {floats}")
        found = wrong(project)
        assert {code: finding.count for code, finding in found.items()} == {"vectors_damaged": 250}
        assert found["vectors_damaged"].command == "glassdex index --project notes"
        assert project.search("harbour", mode="dense").verdict.status == "not_ready"
        assert all(result.similarity is None for result in project.search("harbour").results)
        assert project.chunks("007.md").freshness.state == "index_behind_rows"
        assert project.index().embedded == 250
        assert wrong(project) == {}
        assert [(r.path, r.similarity) for r in project.search("harbour", mode="dense").results] == before


def test_one_damaged_vector_is_the_only_one_that_is_made_again(project: Project):
    slot = "(SELECT min(vector_slot) FROM chunk)"
    hole = f"CAST(substr(floats, 1, {slot} * 96) || zeroblob(96) || substr(floats, {slot} * 96 + 97) AS BLOB)"
    tamper(project, f"UPDATE slab SET floats = {hole}")
    assert wrong(project)["vectors_damaged"].count == 1
    assert paths(project.search("oven and flour", mode="dense")) == ["harbour.md"]
    assert project.index().embedded == 1
    assert wrong(project) == {}
    assert paths(project.search("oven and flour", mode="dense"))[0] == "bread.md"


@pytest.mark.parametrize("foreign_keys", [False, True])
def test_a_store_that_forgot_its_model_gets_its_vectors_again(project: Project, foreign_keys: bool):
    tamper(project, "DELETE FROM embedding_identity", foreign_keys=foreign_keys)
    found = wrong(project)
    assert found["vectors_missing"].count == 4
    assert {finding.command for finding in found.values()} == {"glassdex index --project notes"}
    assert by_words(project, "boats") == ["harbour.md"]
    assert project.index().embedded == 4
    assert wrong(project) == {}
    assert project.search("boats", mode="dense").results[0].path == "harbour.md"


def test_the_vectors_of_a_forgotten_model_do_not_become_another_ones(project: Project):
    tamper(project, "DELETE FROM embedding_identity")
    project.embedder = Backwards()
    assert project.index().embedded == 4
    assert project.search("boats at dawn", mode="dense").results[0].path == "harbour.md"
    assert wrong(project) == {}


class Backwards(HashedWords):
    """Another model of the same size."""

    @property
    def identity(self):
        return type(super().identity)("backwards", "", "mean", self.dimensions, "", "", 0)

    def embed_documents(self, texts):
        return super().embed_documents(texts)[:, ::-1]


def test_damaged_vectors_of_the_model_before_do_not_come_back_with_it(project: Project):
    project.embedder = Backwards()
    project.index()
    tamper(project, "UPDATE slab SET floats = zeroblob(length(floats)) WHERE identity_id = 1")
    project.embedder = HashedWords()
    assert project.index().embedded == 4
    assert wrong(project) == {}


@pytest.mark.parametrize(
    "change", ["details = 'nonsense'", "last_slot = 0", "last_slot = 100000000000", "last_slot = -7"]
)
def test_a_changed_record_of_the_model_costs_no_memory_and_no_vector(project: Project, change: str):
    tamper(project, f"UPDATE embedding_identity SET {change}")
    assert by_words(project, "boats") == ["harbour.md"]
    assert project.search("boats at dawn", mode="dense").verdict.status != "not_ready" or "nonsense" in change
    assert project.index().embedded == 0
    assert wrong(project) == {}
    assert project.search("boats at dawn", mode="dense").results[0].path == "harbour.md"


@pytest.mark.parametrize("rowid", [-3, 0, 99_999])
def test_words_of_a_passage_that_is_gone_do_not_stop_a_search(project: Project, rowid: int):
    before = project.search("boats").results
    tamper(project, f"INSERT INTO posting (rowid, title, body) VALUES ({rowid}, 'boats', 'boats at dawn')")
    assert project.search("boats").results == before
    assert by_words(project, '"boats at dawn"') == ["harbour.md"]
    assert by_words(project, "oven -boats") == ["bread.md"]
    assert wrong(project)["postings_orphaned"].count == 1
    project.index()
    assert wrong(project) == {}


def test_a_damaged_store_of_several_folders_is_built_anew_over_all_of_them(run: Run, tmp_path: Path):
    first = write(tmp_path / "my notes", harbour="# Hafen\n\nBoote\n")
    second = write(tmp_path / "papers", bread="# Brot\n\nOfen\n")
    assert run("index", "--language", "german", "--project", "both", first).code == 0
    assert run("index", "--project", "both", second).code == 0
    tamper("both", "UPDATE posting_data SET block = zeroblob(length(block)) WHERE id > 10")
    damaged = run("doctor", "--project", "both", "--json").answer["findings"]
    assert [finding["code"] for finding in damaged] == ["store_damaged"]
    obey(run, damaged[0]["command"])
    assert run("doctor", "--project", "both").code == 0
    status = run("status", "--project", "both", "--json").answer
    assert (status["roots"], status["language"]) == ([str(first), str(second)], "german")
    assert run("search", "--project", "both", "Ofen").code == 0


def test_no_command_removes_a_damaged_store_while_one_of_its_folders_is_not_mounted(run: Run, tmp_path: Path):
    first, second = (write(tmp_path / name, **{name: f"# {name}\n\nboats\n"}) for name in ("notes", "papers"))
    for folder in (first, second):
        assert run("index", "--project", "both", folder).code == 0
    tamper("both", "UPDATE posting_data SET block = zeroblob(length(block)) WHERE id > 10")
    second.rename(tmp_path / "unplugged")
    damaged, absent = run("doctor", "--project", "both", "--json").answer["findings"]
    assert (damaged["code"], absent["code"]) == ("store_damaged", "root_missing")
    assert "command" not in damaged
    assert damaged["remedy"].startswith(f"mount {second} first")
    (tmp_path / "unplugged").rename(second)
    obey(run, run("doctor", "--project", "both", "--json").answer["findings"][0]["command"])
    assert run("doctor", "--project", "both").code == 0


def test_a_passage_whose_words_somebody_changed_is_named_and_the_remedy_brings_them_back(run: Run, tmp_path: Path):
    notes = write(tmp_path / "notes", harbour="# Harbour\n\nboats at dawn\n")
    run("index", notes)
    tamper("notes", "UPDATE chunk SET text = 'something that nobody wrote'")
    findings = run("doctor", "--project", "notes", "--json").answer["findings"]
    assert [finding["code"] for finding in findings if finding["severity"] != "note"] == ["chunks_altered"]
    obey(run, findings[0]["command"])
    assert run("doctor", "--project", "notes").code == 0
    assert "boats at dawn" in run("search", "--project", "notes", "boats").out


@pytest.mark.parametrize("lost", ["papers", "notes"])
def test_documents_of_a_folder_that_the_store_forgot_stay_until_it_is_named_again(run: Run, tmp_path: Path, lost: str):
    for name, words in (("notes", "boats at dawn"), ("papers", "oven and flour")):
        assert run("index", "--project", "both", write(tmp_path / name, **{name: f"# {name}\n\n{words}\n"})).code == 0
    tamper("both", f"DELETE FROM root WHERE path LIKE '%{lost}'")
    finding = run("doctor", "--project", "both", "--json").answer["findings"][0]
    assert (finding["code"], finding["count"]) == ("root_unknown", 1)
    assert "root_not_found" in run("index", "--project", "both").out
    for words in ("boats", "oven"):
        assert run("search", "--project", "both", words).code == 0
    refused = run("inspect", "chunks", "--project", "both", f"{lost}.md", "--json")
    assert (refused.code, refused.error["code"]) == (3, "store_corrupt")
    obey(run, finding["command"], FOLDER=str(tmp_path / lost))
    assert run("doctor", "--project", "both").code == 0
    assert run("status", "--project", "both", "--json").answer["documents"] == 2


@pytest.mark.parametrize("named_first", ["notes", "papers"])
def test_of_two_forgotten_folders_each_gets_its_own_documents_back(run: Run, tmp_path: Path, named_first: str):
    for name in ("notes", "papers"):
        folder = write(tmp_path / name, **{name: f"# {name}\n\nboats\n", "readme": f"# Read me\n\n{name}\n"})
        assert run("index", "--project", "both", folder).code == 0
    before = run("search", "--project", "both", "boats", "-l").out
    tamper("both", "DELETE FROM root")
    run("index", "--project", "both", tmp_path / named_first)
    found = run("doctor", "--project", "both", "--json").answer["findings"]
    assert [(finding["code"], finding["count"]) for finding in found if finding["severity"] != "note"] == [
        ("root_unknown", 2)
    ], "what is known twice must not look like a copy that can be deleted"
    assert run("search", "--project", "both", "boats", "-l").out == before
    for name in ("notes", "papers"):
        assert run("index", "--project", "both", tmp_path / name).code == 0
    assert run("doctor", "--project", "both").code == 0
    assert run("status", "--project", "both", "--json").answer["documents"] == 4


def test_a_folder_with_files_of_the_same_name_does_not_take_over_those_of_a_forgotten_one(run: Run, tmp_path: Path):
    notes, papers, other = (tmp_path / name for name in ("notes", "papers", "other"))
    for folder in (notes, papers):
        run("index", "--project", "both", write(folder, readme=f"# Read me\n\n{folder.name}\n"))
    tamper("both", f"DELETE FROM root WHERE path = '{notes}'")
    run("index", "--project", "both", write(other, harbour="# Harbour\n\nboats\n"))
    for words in ("notes", "papers", "boats"):
        assert run("search", "--project", "both", "--mode", "lexical", words).code == 0
    assert run("index", "--project", "both", notes).code == 0
    assert run("doctor", "--project", "both").code == 0
    assert run("status", "--project", "both", "--json").answer["documents"] == 3


def test_a_folder_that_stands_in_the_store_under_another_number_keeps_its_documents(project: Project):
    tamper(project, "UPDATE root SET id = 7")
    assert wrong(project)["root_unknown"].count == 3
    report = project.index()
    assert (report.unchanged, report.removed, report.failures) == (3, 0, [])
    assert wrong(project) == {}
    assert by_words(project, "boats") == ["harbour.md"]


def test_copies_of_a_file_whose_folder_is_forgotten_are_not_to_be_deleted(project: Project, tmp_path: Path):
    project.add_root(write_notes(tmp_path / "copies", NOTES))
    project.index()
    assert "duplicate_content" in wrong(project)
    tamper(project, "DELETE FROM root WHERE label = ''")
    assert set(wrong(project)) == {"root_unknown"}


def test_an_emptied_store_says_that_it_has_no_folder_and_takes_one(run: Run, tmp_path: Path):
    notes = write(tmp_path / "notes", harbour="# Harbour\n\nboats\n")
    run("index", notes)
    store_path("notes").write_bytes(b"")
    findings = run("doctor", "--project", "notes", "--json").answer["findings"]
    assert [finding["code"] for finding in findings] == ["root_unknown"]
    refused = run("index", "--project", "notes", "--json")
    assert refused.error["suggestion"] == "name one: glassdex index FOLDER --project NAME"
    obey(run, findings[0]["command"], FOLDER=str(notes))
    assert run("doctor", "--project", "notes").code == 0


@pytest.mark.parametrize(
    "change", ["DELETE FROM meta WHERE key <> 'language'", "UPDATE meta SET value = 'x' WHERE key <> 'language'"]
)
def test_lost_counters_are_named_and_begin_again(project: Project, change: str):
    tamper(project, change)
    with project.store.read() as snapshot:
        before = snapshot.generation
    with reopened(project) as opened:
        assert wrong(opened)["counters_broken"].examples == ("generation", "last_chunk_id")
        assert by_words(opened, "boats") == ["harbour.md"]
        opened.index()
        assert wrong(opened) == {}
        with opened.store.read() as snapshot:
            assert snapshot.generation > before, "what is cached of a generation must not pass for another's"


def test_a_chunk_counter_that_was_set_back_brings_no_two_passages_to_one_place(project: Project, tmp_path: Path):
    tamper(project, "UPDATE meta SET value = 0 WHERE key = 'last_chunk_id'")
    write_notes(tmp_path / "notes", {"new.md": "# New\n\nfresh fish\n"})
    assert project.index().added == 1
    assert wrong(project) == {}
    assert by_words(project, "fish") == ["new.md"]


def test_work_left_for_an_index_that_is_not_installed_hurts_nobody(project: Project):
    tamper(
        project, "INSERT INTO outbox VALUES (NULL, 'elsewhere', 'upsert', 4, 0), (NULL, 'elsewhere', 'delete', 99, 0)"
    )
    assert wrong(project) == {}
    project.index()
    assert by_words(project, "boats") == ["harbour.md"]


@pytest.mark.parametrize("table", TABLES)
def test_a_table_that_is_not_there_is_a_damaged_store_that_can_be_built_anew(project: Project, table: str):
    connection = apsw.Connection(str(store_path("notes")))
    connection.execute(f"DROP TABLE {table}")
    connection.close()
    project.close()
    try:
        with Project.open("notes", embedder=HashedWords()) as damaged:
            remedy = wrong(damaged)["store_damaged"].command
    except StoreCorrupt as refused:
        remedy = refused.suggestion
    assert remedy is not None
    assert "glassdex projects remove notes --yes" in remedy


@pytest.mark.parametrize(
    ("loss", "named"),
    [("ALTER TABLE chunk DROP COLUMN updated_at", "chunk.updated_at"), ("DROP INDEX tag_by_name", "tag_by_name")],
)
def test_a_column_or_an_index_that_is_not_there_is_named(project: Project, loss: str, named: str):
    tamper(project, loss)
    damaged = wrong(project)["store_damaged"]
    assert (damaged.examples, damaged.count) == ((f"it has no {named} any more",), 1)


SPOILT = [
    "UPDATE chunk SET headings = 'no list'",
    "UPDATE chunk SET headings = '5'",
    "UPDATE chunk SET key = 'abc' WHERE ordinal = 0",
    "UPDATE chunk SET key = x'00' WHERE ordinal = 0",
    "UPDATE chunk SET text = x'ff'",
    "UPDATE chunk SET vector_slot = 'abc', lexical_length = 'abc'",
    "UPDATE document SET metadata = '{', warnings = '['",
    "UPDATE document SET warnings = '[5]'",
    "UPDATE document SET dated_at = 'abc'",
    "UPDATE file SET mtime_ns = 'abc'",
    "UPDATE file SET observed_at = 'abc', size = 'abc'",
    "UPDATE file SET rows_hash = x'00'",
    "UPDATE link SET line = 'abc'",
    "UPDATE row SET char_start = 'abc'",
]


@pytest.mark.parametrize("change", SPOILT)
def test_a_value_that_cannot_be_read_back_is_named_and_the_next_run_reads_the_document_again(
    project: Project, change: str
):
    tamper(project, change)
    for ask in (lambda: project.search("boats tide oven"), lambda: project.chunks("harbour.md"), project.status):
        try:
            ask()
        except StoreCorrupt as refused:
            assert refused.suggestion == "have the document read again: glassdex index --project notes"
    found = wrong(project)
    assert found
    assert {finding.command for finding in found.values()} == {"glassdex index --project notes"}
    assert project.index().embedded == 0
    assert wrong(project) == {}
    assert by_words(project, "boats") == ["harbour.md"]
    assert project.search("boats at dawn", mode="dense").results[0].path == "harbour.md"
    assert project.chunks("harbour.md").freshness.state == "fresh"


def test_a_path_that_cannot_be_read_back_is_a_damaged_store(project: Project):
    tamper(project, "UPDATE file SET path = zeroblob(id)")
    assert set(wrong(project)) == {"store_damaged"}
    tamper(project, "UPDATE root SET path = x'ff'")
    with pytest.raises(StoreCorrupt):
        project.doctor()


class AnswersWithAPage(HashedWords):
    """A service behind a proxy that sends its own error page, where a program expects JSON."""

    def embed_query(self, text):
        return json.loads("<html>502 Bad Gateway")


def test_an_embedders_own_fault_is_not_blamed_on_the_store(project: Project):
    project.embedder = AnswersWithAPage()
    with pytest.raises(json.JSONDecodeError):
        project.search("boats")


def test_a_wrong_name_in_our_own_sql_is_not_blamed_on_the_store(project: Project):
    for sql in ("SELECT no_such_column FROM chunk", "SELECT 1 FROM no_such_table"):
        with pytest.raises(apsw.SQLError), project.store.read() as snapshot:
            snapshot.connection.execute(sql)


def test_a_calibration_that_cannot_be_read_back_is_ignored_and_named(project: Project):
    tamper(project, "INSERT INTO meta VALUES ('floors', 'x')".replace("floors", META_KEY))
    execution = project.search("boats")
    assert any("cannot be read back" in note for note in execution.ledger.notes)


def zeroed(page: bytes, _: bytes) -> bytes:
    return bytes(len(page))


def half_written(page: bytes, _: bytes) -> bytes:
    return page[: len(page) // 2] + bytes(len(page) // 2)


def misplaced(_: bytes, other: bytes) -> bytes:
    return other


@pytest.mark.parametrize("damage", [zeroed, half_written, misplaced])
def test_no_damaged_page_whatever_ends_in_anything_but_an_answer_or_an_error_of_ours(
    project: Project, tmp_path: Path, damage: Callable[[bytes, bytes], bytes]
):
    project.close()
    store = store_path("notes")
    whole = store.read_bytes()
    pages = [whole[start : start + 4096] for start in range(0, len(whole), 4096)]
    for number in range(len(pages)):
        spoilt = [*pages]
        spoilt[number] = damage(pages[number], pages[(number + 7) % len(pages)])
        store.write_bytes(b"".join(spoilt))
        failures = list(failing(store.stem))
        assert not failures or "doctor" in failures, f"page {number}: the doctor sees nothing, but {failures} fail"
        for companion in store.parent.glob("notes.db-*"):
            companion.unlink()


def failing(name: str) -> Iterator[str]:
    """What fails, the doctor too where it finds something."""
    try:
        project = Project.open(name, embedder=HashedWords())
    except GlassdexError:
        yield "doctor"
        return
    with project:
        actions: dict[str, Callable[[], object]] = {
            "words": lambda: project.search("boats tide", mode="lexical", tags=("boat",)),
            "meaning": lambda: project.search("boats tide", mode="dense"),
            "chunks": lambda: project.chunks("harbour.md"),
            "status": project.status,
            "index": project.index,
        }
        try:
            if not project.doctor().healthy:
                yield "doctor"
        except GlassdexError:
            yield "doctor"
        for action, call in actions.items():
            try:
                call()
            except GlassdexError:
                yield action


@pytest.mark.parametrize("kept", [0.0, 0.4, 0.97])
def test_a_log_that_was_cut_off_costs_what_was_in_it_and_the_next_run_reads_it_again(
    run: Run, tmp_path: Path, home: Path, kept: float
):
    root = write_notes(tmp_path / "notes", NOTES)
    project = Project.create("notes", [root], embedder=HashedWords())
    project.index()
    store, log = store_path("notes"), store_path("notes").with_suffix(".db-wal")
    left = store.read_bytes(), log.read_bytes()  # as the power went: the log is not in the file yet
    project.close()
    store.write_bytes(left[0])
    log.write_bytes(left[1][: round(len(left[1]) * kept)])
    with Project.open("notes", embedder=HashedWords()) as project:
        found = wrong(project)
        assert found
        if "root_unknown" in found:
            project.add_root(root)
        project.index()
        assert wrong(project) == {}
        assert by_words(project, "boats") == ["harbour.md"]


@pytest.fixture
def first_schema(tmp_path: Path, home: Path) -> Path:
    """A store as the first schema's own code wrote it, over the same notes."""
    root = write_notes(tmp_path / "notes", NOTES)
    store_path("notes").parent.mkdir(parents=True)
    connection = apsw.Connection(str(store_path("notes")))
    connection.execute(FIRST_SCHEMA.read_text().replace("ROOT", str(root)))
    connection.close()
    return store_path("notes")


def test_a_store_of_the_first_schema_is_brought_up_to_date_and_learns_to_notice(first_schema: Path):
    with Project.open("notes", embedder=HashedWords()) as upgraded:
        assert by_words(upgraded, "boats") == ["harbour.md"]
        assert upgraded.search("boats at dawn", mode="dense").results[0].path == "harbour.md"
        assert set(wrong(upgraded)) == {"index_behind", "places_behind"}
        report = upgraded.index()
        assert (report.changed, report.embedded, report.failures) == (3, 0, [])
        assert wrong(upgraded) == {}
        assert paths(upgraded.search("tide", tags=("boat",))) == ["harbour.md"]
        tamper(upgraded, f"DELETE FROM chunk WHERE document_id = {HARBOUR}")
        assert "documents_incomplete" in wrong(upgraded)


@pytest.mark.parametrize("table", ["link", "document"])
def test_a_store_of_the_first_schema_without_a_table_is_a_damaged_store_for_every_command(
    run: Run, first_schema: Path, table: str
):
    connection = apsw.Connection(str(first_schema))
    connection.execute(f"DROP TABLE {table}")
    connection.close()
    for command in (("status",), ("doctor",), ("search", "boats"), ("index",)):
        refused = run(*command, "--project", "notes", "--json")
        assert (refused.code, refused.error["code"]) == (3, "store_corrupt"), command
        assert "glassdex projects remove notes --yes" in refused.error["suggestion"]
