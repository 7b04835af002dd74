from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from glassdex.errors import FileChangedWhileReading, FileUnreadable
from glassdex.indexing.progress import NoProgress
from glassdex.reading.files import read_steady
from tests.indexing.runs import Vault, contents

_KEEP_APPENDING = (
    "import sys\nwith open(sys.argv[1], 'ab', 0) as f:\n print(flush=True)\n while True: f.write(b'more ')"
)


@contextmanager
def being_written(path: Path) -> Iterator[None]:
    """Another process that appends to the file without a pause."""
    writer = subprocess.Popen([sys.executable, "-c", _KEEP_APPENDING, str(path)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.readline()
    try:
        yield
    finally:
        writer.kill()
        writer.communicate()


class AfterScan(NoProgress):
    """Does something to the files between the scan and the reading of them."""

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action

    def scanned(self, files: int) -> None:
        self._action()


def _status(vault: Vault, path: str) -> tuple[str, str | None]:
    with vault.store.read() as snapshot:
        record = snapshot.file(path)
    assert record is not None
    return record.write_status, record.error_code


def test_a_note_that_is_not_utf8_is_that_file_s_error_and_the_rest_is_indexed(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n", "bad.md": "caf\xe9\n".encode("latin-1"), "c.md": "gamma\n"})
    report = vault.index()
    assert [(failure.path, failure.code) for failure in report.failures] == [("bad.md", "unsupported_encoding")]
    assert "0xe9" in report.failures[0].message
    assert list(vault.texts()) == ["a.md", "c.md"]
    assert _status(vault, "bad.md") == ("failed", "unsupported_encoding")


def test_a_bad_file_is_reported_by_every_run_until_it_is_good(vault: Vault) -> None:
    vault.write({"a.md": b"\xff\n"})
    assert len(vault.index().failures) == 1
    assert len(vault.index().failures) == 1
    vault.write({"a.md": "fine\n"})
    report = vault.index()
    assert (report.failures, report.added) == ([], 1)
    assert _status(vault, "a.md") == ("settled", None)


def test_a_note_that_turns_bad_keeps_what_it_said_before(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n"})
    vault.index()
    vault.write({"a.md": b"\xff\n"})
    vault.index()
    assert vault.texts() == {"a.md": ["alpha"]}
    assert _status(vault, "a.md") == ("failed", "unsupported_encoding")


def test_a_note_that_vanishes_after_the_scan_is_an_error_of_that_file(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n", "b.md": "beta\n"})
    report = vault.index(progress=AfterScan(lambda: (vault.root / "a.md").unlink(missing_ok=True)))
    assert [(failure.path, failure.code) for failure in report.failures] == [("a.md", "file_unreadable")]
    assert list(vault.texts()) == ["b.md"]
    assert vault.index().failures == []


def test_a_link_that_takes_a_note_s_place_after_the_scan_is_not_followed(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    vault.write({"a.md": "alpha\n"})

    def swap() -> None:
        (vault.root / "a.md").unlink(missing_ok=True)
        (vault.root / "a.md").symlink_to(tmp_path / "secret.md")

    report = vault.index(progress=AfterScan(swap))
    assert [failure.code for failure in report.failures] == ["file_unreadable"]
    assert vault.texts() == {}


def test_a_pipe_that_takes_a_note_s_place_after_the_scan_does_not_hang(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n"})

    def swap() -> None:
        (vault.root / "a.md").unlink(missing_ok=True)
        os.mkfifo(vault.root / "a.md")

    assert [failure.code for failure in vault.index(progress=AfterScan(swap)).failures] == ["file_unreadable"]


def test_a_file_that_is_being_written_is_left_for_the_next_run(vault: Vault) -> None:
    vault.write({"log.md": b"word " * 150_000, "b.md": "beta\n"})
    with being_written(vault.root / "log.md"):
        report = vault.index()
    assert [(f.path, f.code) for f in report.failures] in ([("log.md", "file_changed_while_reading")], [])
    if report.failures:
        assert _status(vault, "log.md") == ("writing", "file_changed_while_reading")
    with (vault.root / "log.md").open("wb") as file:
        file.write(b"done\n")
    assert vault.index().failures == []
    assert vault.texts() == {"b.md": ["beta"], "log.md": ["done"]}


def test_bytes_of_two_versions_of_a_file_are_never_taken_together(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"word " * 2_000_000)
    with being_written(path), pytest.raises(FileChangedWhileReading, match="being written"):
        while True:
            content, stat = read_steady(str(path))
            assert len(content) == stat.size


def test_a_folder_where_a_file_should_be_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable):
        read_steady(str(tmp_path))


def test_a_folder_named_like_a_note_is_walked_like_any_folder(vault: Vault) -> None:
    vault.write({"folder.md/a.md": "alpha\n"})
    assert vault.index().failures == []
    assert list(vault.texts()) == ["folder.md/a.md"]


def test_an_unreadable_folder_keeps_its_documents(vault: Vault, tmp_path: Path) -> None:
    folder = "s" * 200
    vault.write({f"{folder}/a.md": "alpha\n", "b.md": "beta\n"})
    vault.index()
    before = contents(vault.store)
    # A path of more than 4,096 bytes cannot be listed, not even by root.
    far = tmp_path
    while len(str(far)) < 3_900:
        far /= "x" * 100
    far.mkdir(parents=True)
    vault.root.rename(far)
    with vault.store.write() as writer:
        writer.move_root(1, str(far))
    vault.index()
    assert vault.skipped() == {folder + "/": "unreadable_folder"}
    assert contents(vault.store) == before


def test_two_names_that_look_alike_are_two_documents(vault: Vault) -> None:
    composed, decomposed = unicodedata.normalize("NFC", "café.md"), unicodedata.normalize("NFD", "café.md")
    vault.write({composed: "composed\n", decomposed: "decomposed\n"})
    if len(list(vault.root.iterdir())) < 2:
        pytest.skip("this file system takes both names for one")
    assert vault.index().failures == []
    assert sorted(text for (text,) in vault.texts().values()) == ["composed", "decomposed"]
    assert set(vault.texts()) == {"café.md", "café~2.md"}
    assert vault.index().unchanged == 2
    vault.write({composed: "composed again\n"})
    vault.index()
    assert sorted(text for (text,) in vault.texts().values()) == ["composed again", "decomposed"]


def test_a_name_in_nfd_is_known_by_its_nfc_form(vault: Vault) -> None:
    vault.write({unicodedata.normalize("NFD", "Übersicht.md"): "x\n"})
    vault.index()
    assert list(vault.texts()) == [unicodedata.normalize("NFC", "Übersicht.md")]


def test_names_that_cannot_be_decoded_are_indexed_and_shown_with_a_replacement(vault: Vault) -> None:
    first, second = os.fsdecode(b"caf\xe9.md"), os.fsdecode(b"caf\xe8.md")
    vault.write({first: b"\xe9\n", second: b"\xe8\n", os.fsdecode(b"\xff/a.bin"): b"\0"})
    assert [failure.code for failure in vault.index().failures] == ["unsupported_encoding"] * 2
    vault.write({first: "fine\n", second: "fine\n"})
    assert vault.index().failures == []
    assert set(vault.texts()) == {"caf\ufffd.md", "caf\ufffd~2.md"}
    assert vault.skipped() == {"\ufffd/a.bin": "binary"}


def test_a_document_whose_format_nobody_reads_any_more_is_removed(vault: Vault) -> None:
    vault.write({"a.md": "alpha\n"})
    vault.index()
    (vault.root / "a.md").rename(vault.root / "a.xyz")
    vault.index()
    assert vault.texts() == {}


def test_an_empty_file_is_a_document_without_chunks(vault: Vault) -> None:
    vault.write({"a.md": ""})
    report = vault.index()
    assert (report.added, report.chunks_added) == (1, 0)
    assert vault.texts() == {"a.md": []}


@pytest.mark.parametrize("number", ["0x" + "f" * 5000, "0b" + "1" * 20_000, "1" + ":59" * 3000])
def test_a_huge_number_in_one_front_matter_does_not_keep_the_other_notes_out(vault: Vault, number: str) -> None:
    vault.write({"a.md": "owls", "big.md": f"---\nx: {number}\ndate: {number}\n---\nbees"})
    report = vault.index()
    assert report.failures == []
    assert vault.texts() == {"a.md": ["owls"], "big.md": ["bees"]}


def test_folders_nested_deeper_than_python_calls_do_not_keep_the_other_notes_out(vault: Vault) -> None:
    depth = sys.getrecursionlimit() + 100
    here = os.open(vault.root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    try:
        vault.write({"a.md": "owls", "d/b.md": "bees"})
        vault.index()
        assert sorted(vault.texts()) == ["a.md", "d/b.md"]
    finally:  # what clears the folders of past test runs is recursive, too
        subprocess.run(["rm", "-rf", str(vault.root / "d")], check=True)
