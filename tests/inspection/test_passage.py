"""Opening a pointer: the passage as it is now, or the reason why not. Never a neighbour."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.errors import InvalidPointer, ProjectNotFound
from glassdex.inspection.passage import Passage
from glassdex.model import Locator
from glassdex.pointers import format_pointer, parse_file_pointer
from glassdex.pointers.verify import passage_hash
from glassdex.project import Project
from glassdex.reading.text import decode_utf8
from glassdex.search.results import pointer_of
from tests.search.vaults import HashedWords, indexed, modes, queries, root_of, vaults, write_notes

EXAMPLE = Path(__file__).parents[2] / "examples" / "vault"
NOTE = "# Log\n\n## One\n\nthe winter harbour lies empty\n\n## Two\n\nthe tide\nis coming in\n"


@pytest.fixture
def log(tmp_path: Path):
    root = write_notes(tmp_path / "vault", {"log.md": NOTE, "other.md": "# Other\n\nnothing here\n"})
    with Project.in_memory(root, embedder=HashedWords()) as project:
        project.index()
        yield project


def pointer_to(project: Project, words: str) -> str:
    return project.search(f'"{words}"', mode="lexical").results[0].matches[0].pointer


def opened(project: Project, pointer: str) -> Passage:
    passage = project.open_pointer(pointer)
    # Whatever the state: text is shown only if it is the pointer's own.
    assert (passage.text is not None) == (passage.state in ("exact", "moved"))
    assert (passage.resolved is not None) == (passage.state in ("exact", "moved"))
    assert bool(passage.candidates) == (passage.state == "ambiguous")
    if passage.text is not None:
        assert passage_hash(passage.text) == parse_file_pointer(pointer).passage_hash
    return passage


def test_a_passage_in_its_place_opens_exact(log: Project):
    pointer = pointer_to(log, "winter harbour")
    passage = opened(log, pointer)
    assert passage.state == "exact"
    assert passage.text == "## One\n\nthe winter harbour lies empty"
    assert passage.locator == Locator(3, 5)
    assert passage.resolved == pointer
    assert passage.file == str(root_of(log) / "log.md")


def test_text_inserted_above_moves_the_passage_and_says_where_to(log: Project):
    pointer = pointer_to(log, "winter harbour")
    (root_of(log) / "log.md").write_text("a new line\n\n" + NOTE)
    passage = opened(log, pointer)
    assert passage.state == "moved"
    assert passage.locator == Locator(5, 7)
    assert passage.resolved is not None
    assert opened(log, passage.resolved).state == "exact"


@pytest.mark.parametrize("first", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("then", ["\n", "\r\n", "\r"])
def test_newlines_rewritten_lose_no_passage(log: Project, first: str, then: str):
    file = root_of(log) / "log.md"
    file.write_bytes(NOTE.replace("\n", first).encode())
    log.index()
    pointers = [pointer_to(log, "winter harbour"), pointer_to(log, "the tide is coming")]
    file.write_bytes(NOTE.replace("\n", then).encode())
    for pointer in pointers:
        passage = opened(log, pointer)
        assert passage.state in ("exact", "moved")
        assert passage.text is not None
        assert "\r" not in passage.text


def test_a_renamed_file_is_found_after_the_next_run(log: Project):
    pointer = pointer_to(log, "winter harbour")
    (root_of(log) / "log.md").rename(root_of(log) / "diary.md")
    assert opened(log, pointer).state == "gone"
    log.index()
    passage = opened(log, pointer)
    assert passage.state == "moved"
    assert passage.file == str(root_of(log) / "diary.md")


def test_a_copy_elsewhere_does_not_matter_while_the_place_is_intact(log: Project):
    pointer = pointer_to(log, "winter harbour")
    shutil.copy(root_of(log) / "log.md", root_of(log) / "copy.md")
    log.index()
    assert opened(log, pointer).state == "exact"


def test_a_passage_that_left_for_two_other_files_is_ambiguous(log: Project):
    pointer = pointer_to(log, "winter harbour")
    write_notes(root_of(log), {"log.md": "# Log\n\nemptied\n", "b.md": NOTE, "c.md": "x\n\n" + NOTE})
    log.index()
    passage = opened(log, pointer)
    assert passage.state == "ambiguous"
    assert sorted(parse_file_pointer(candidate).path for candidate in passage.candidates) == ["b.md", "c.md"]
    assert {opened(log, candidate).state for candidate in passage.candidates} == {"exact"}


def test_a_passage_that_now_stands_twice_in_its_file_is_ambiguous(log: Project):
    pointer = pointer_to(log, "winter harbour")
    (root_of(log) / "log.md").write_text("above\n\n" + NOTE + "\n" + NOTE)
    assert len(opened(log, pointer).candidates) == 2


def test_an_edited_passage_is_changed_and_nothing_is_shown_instead(log: Project):
    pointer = pointer_to(log, "winter harbour")
    (root_of(log) / "log.md").write_text(NOTE.replace("empty", "full"))
    passage = opened(log, pointer)
    assert passage.state == "changed"
    assert "log.md" in passage.detail
    log.index()
    assert opened(log, pointer).state == "changed"


@pytest.mark.parametrize("reindex", [False, True])
def test_a_passage_of_a_deleted_file_is_gone(log: Project, reindex: bool):
    pointer = pointer_to(log, "winter harbour")
    (root_of(log) / "log.md").unlink()
    if reindex:
        log.index()
    passage = opened(log, pointer)
    assert passage.state == "gone"
    assert "log.md" in passage.detail


def test_a_file_that_is_no_text_any_more_has_no_passage(log: Project):
    pointer = pointer_to(log, "winter harbour")
    (root_of(log) / "log.md").write_bytes(b"\xff\xfe\x00")
    assert opened(log, pointer).state == "gone"


def test_a_link_that_took_the_files_place_is_not_followed(log: Project, tmp_path: Path):
    pointer = pointer_to(log, "winter harbour")
    file = root_of(log) / "log.md"
    file.rename(tmp_path / "outside.md")
    file.symlink_to(tmp_path / "outside.md")
    assert opened(log, pointer).state == "gone"


@pytest.mark.parametrize("path", ["../outside.md", "/etc/hostname", "log.md/../log.md", "nowhere.md"])
def test_a_path_that_is_no_document_opens_nothing(log: Project, path: str, tmp_path: Path):
    (tmp_path / "outside.md").write_text(NOTE)
    pointer = parse_file_pointer(pointer_to(log, "nothing here"))
    (root_of(log) / "other.md").unlink()
    foreign = type(pointer)(path, Locator(1, 1), 0, 5, passage_hash("# Log"))
    assert opened(log, format_pointer(foreign)).state == "gone"


def test_what_is_no_pointer_and_who_belongs_elsewhere_is_refused(log: Project):
    with pytest.raises(InvalidPointer):
        log.open_pointer("log.md")
    pointer = pointer_to(log, "winter harbour")
    with pytest.raises(ProjectNotFound, match="'work'"):
        log.open_pointer(f"work:{pointer}")
    assert opened(log, f"{log.name}:{pointer}").state == "exact"


EDITS = st.lists(
    st.tuples(st.sampled_from(["insert", "delete", "replace", "copy"]), st.integers(0, 200), st.integers(0, 60)),
    max_size=4,
)
SCRAPS = ("", "\n", "harbour", "\r\n\r\n", "# New\n\n", "營收", "the winter harbour lies empty")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=EDITS, scrap=st.sampled_from(SCRAPS), newline=st.sampled_from(["\n", "\r\n", "\r"]))
def test_whatever_was_edited_only_the_pointers_own_words_are_ever_shown(log: Project, edits, scrap, newline):
    file = root_of(log) / "log.md"
    file.write_text(NOTE)
    log.index()
    pointers = [pointer_to(log, "winter harbour"), pointer_to(log, "the tide is coming")]
    text = NOTE
    for kind, at, length in edits:
        piece = text[at : at + length] if kind == "copy" else scrap
        text = text[:at] + piece + text[at + (length if kind in ("delete", "replace") else 0) :]
    current = text.replace("\n", newline)
    file.write_bytes(current.encode())
    for pointer in pointers:
        passage = opened(log, pointer)
        wanted = parse_file_pointer(pointer).passage_hash
        still_there = any(words in decoded(file) for words in PASSAGES if passage_hash(words) == wanted)
        assert (passage.state in ("exact", "moved", "ambiguous")) == still_there


PASSAGES = ("## One\n\nthe winter harbour lies empty", "## Two\n\nthe tide\nis coming in")


def decoded(file: Path) -> str:
    return file.read_bytes().decode().replace("\r\n", "\n").replace("\r", "\n")


@settings(max_examples=25)
@given(vaults, st.lists(queries, min_size=1, max_size=3), modes)
def test_every_match_of_every_search_opens_exactly(notes, asked, mode):
    with indexed(notes) as project:
        for query in asked:
            check_matches(project, query, mode)


@pytest.mark.parametrize(
    "query", ["buoy battery", "營收", "when to recalibrate", "sourdough starter", "v2 OR firmware"]
)
def test_every_match_in_the_example_vault_opens_exactly(example_vault: Project, query: str):
    assert check_matches(example_vault, query, "hybrid") > 50


@pytest.fixture(scope="module")
def example_vault(tmp_path_factory: pytest.TempPathFactory):
    root = tmp_path_factory.mktemp("passages") / "vault"
    shutil.copytree(EXAMPLE, root)
    with Project.in_memory(root, embedder=HashedWords()) as project:
        project.index()
        yield project


def check_matches(project: Project, query: str, mode) -> int:
    execution = project.search(query, mode=mode, limit=100)
    for result in execution.results:
        for match in result.matches:
            passage = opened(project, match.pointer)
            assert (passage.state, passage.text) == ("exact", match.text)
            assert passage.locator == match.locator
    return sum(len(result.matches) for result in execution.results)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("front", ["", "---\ntitle: 紀錄\n---\n\n"])
def test_offsets_count_code_points_of_the_decoded_file(newline: str, mark: bytes, front: str):
    body = (
        "# 航行 🛟\n\nharbour e\u0301té 營收\n\n- [fact] harbour tide #boat\n  goes on\n\n```\nharbour\n\n  code\n```\n"
    )
    content = mark + (front + body).replace("\n", newline).encode()
    with indexed({"note.md": content}) as project:
        text = decode_utf8(content)
        execution = project.search("harbour", limit=10)
        candidates = list(execution.ledger.candidates.values())
        assert len(candidates) >= 2
        for candidate in candidates:
            pointer = parse_file_pointer(pointer_of(candidate.record))
            words = text[pointer.char_start : pointer.char_end]
            assert passage_hash(words) == pointer.passage_hash
            before = text[: pointer.char_start].replace("\r\n", "\n").replace("\r", "\n")
            assert pointer.locator.line_start == before.count("\n") + 1
        for match in execution.results[0].matches:
            assert opened(project, match.pointer).text == match.text
            assert {match.text[a:b] for a, b in match.highlights} == {"harbour"}


def test_a_folder_that_became_a_link_out_of_the_root_is_not_read_through(tmp_path: Path):
    root = write_notes(tmp_path / "vault", {"sub/log.md": NOTE})
    with Project.in_memory(root, embedder=HashedWords()) as project:
        project.index()
        pointer = pointer_to(project, "winter harbour")
        shutil.move(root / "sub", tmp_path / "outside")
        (root / "sub").symlink_to(tmp_path / "outside")
        assert opened(project, pointer).state == "gone"
        assert project.search("harbour").results[0].freshness.state == "unknown"


def test_a_pointer_with_a_lone_surrogate_leads_nowhere(log: Project):
    assert opened(log, "%ED%A0%80.md#L1,c=0-5@000000000000").state == "gone"
