from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.indexing.runs import MAX_BYTES, Vault


def test_gitignore_leaves_files_and_folders_out_and_says_which_rule(vault: Vault) -> None:
    vault.write({".gitignore": "drafts/\n*.tmp.md\n", "a.md": "x", "drafts/b.md": "x", "sub/c.tmp.md": "x"})
    vault.index()
    assert list(vault.texts()) == ["a.md"]
    with vault.store.read() as snapshot:
        details = {record.path: record.detail for record in snapshot.skipped() if record.reason == "ignored"}
    assert details == {"drafts/": "drafts/ in .gitignore", "sub/c.tmp.md": "*.tmp.md in .gitignore"}


def test_a_nested_gitignore_speaks_for_its_folder_alone(vault: Vault) -> None:
    vault.write({"sub/.gitignore": "secret.md\n", "sub/secret.md": "x", "secret.md": "x", "sub/deep/secret.md": "x"})
    vault.index()
    assert list(vault.texts()) == ["secret.md"]


def test_the_deeper_ignore_file_can_take_back_what_the_upper_one_left_out(vault: Vault) -> None:
    vault.write({".gitignore": "*.log.md\n", "sub/.gitignore": "!keep.log.md\n",
                 "a.log.md": "x", "sub/keep.log.md": "x", "sub/b.log.md": "x"})  # fmt: skip
    vault.index()
    assert list(vault.texts()) == ["sub/keep.log.md"]


def test_a_pattern_with_a_slash_is_anchored_at_its_ignore_file(vault: Vault) -> None:
    vault.write({".gitignore": "/top.md\ndocs/*.md\n", "top.md": "x", "sub/top.md": "x", "docs/a.md": "x",
                 "sub/docs/a.md": "x"})  # fmt: skip
    vault.index()
    assert list(vault.texts()) == ["sub/docs/a.md", "sub/top.md"]


def test_glassdexignore_beats_gitignore_beside_it(vault: Vault) -> None:
    vault.write({".gitignore": "a.md\n", ".glassdexignore": "!a.md\nb.md\n", "a.md": "x", "b.md": "x"})
    vault.index()
    assert list(vault.texts()) == ["a.md"]


def test_what_nobody_wants_indexed_is_left_out_by_default(vault: Vault) -> None:
    unwanted = (
        ".git/a.md", "node_modules/p/readme.md", ".venv/a.md", "sub/.obsidian/a.md", ".env", ".env.local", "id_rsa",
    )  # fmt: skip
    vault.write(dict.fromkeys(unwanted, "x"))
    vault.index()
    assert vault.texts() == {}
    assert set(vault.skipped().values()) == {"ignored"}


def test_an_ignore_file_can_take_back_a_default(vault: Vault) -> None:
    vault.write({".glassdexignore": "!venv/\n", "venv/a.md": "x"})
    vault.index()
    assert list(vault.texts()) == ["venv/a.md"]


def test_a_note_that_becomes_ignored_leaves_the_index(vault: Vault) -> None:
    vault.write({"a.md": "x", "b.md": "x"})
    vault.index()
    vault.write({".gitignore": "a.md\n"})
    assert vault.index().removed == 1
    assert list(vault.texts()) == ["b.md"]


def test_an_ignore_file_that_is_not_utf8_still_has_a_say(vault: Vault) -> None:
    vault.write({".gitignore": b"\xff\xfe\n a.md\nb.md\n", "b.md": "x", "c.md": "x"})
    vault.index()
    assert list(vault.texts()) == ["c.md"]


def test_every_file_that_is_left_out_has_its_reason(vault: Vault) -> None:
    vault.write({"a.md": "x", "pic.png": b"\x89PNG\0\0", "notes.unknown": "text", "big.md": b"x" * (MAX_BYTES + 1)})
    os.mkfifo(vault.root / "pipe.md")
    report = vault.index()
    assert vault.skipped() == {
        "pic.png": "binary", "notes.unknown": "no_reader", "big.md": "too_large", "pipe.md": "not_a_regular_file",
    }  # fmt: skip
    assert report.skipped == {"binary": 1, "no_reader": 1, "too_large": 1, "not_a_regular_file": 1}
    assert list(vault.texts()) == ["a.md"]


def test_a_socket_among_the_notes_is_left_out(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(vault.root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.md")
        vault.index()
    assert vault.skipped() == {"s.md": "not_a_regular_file"}


def test_a_file_as_large_as_the_limit_is_indexed(vault: Vault) -> None:
    vault.write({"a.md": b"word\n" * (MAX_BYTES // 5)})
    vault.index()
    assert list(vault.texts()) == ["a.md"]


def test_links_are_not_followed(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret\n")
    vault.write({"a.md": "alpha\n"})
    (vault.root / "in.md").symlink_to("a.md")
    (vault.root / "out.md").symlink_to(outside / "secret.md")
    (vault.root / "out").symlink_to(outside, target_is_directory=True)
    (vault.root / "loop").symlink_to(vault.root, target_is_directory=True)
    (vault.root / "dangling.md").symlink_to("nowhere.md")
    vault.index()
    assert list(vault.texts()) == ["a.md"]
    assert vault.skipped() == {
        "in.md": "symlink", "loop": "symlink", "dangling.md": "symlink",
        "out.md": "symlink_outside_root", "out": "symlink_outside_root",
    }  # fmt: skip


def test_a_root_may_itself_be_reached_through_a_link(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(vault.root, target_is_directory=True)
    vault.write({"a.md": "alpha\n"})
    (vault.root / "b.md").symlink_to("a.md")
    with vault.store.write() as writer:
        writer.move_root(1, str(tmp_path / "link"))
    vault.index()
    assert list(vault.texts()) == ["a.md"]
    assert vault.skipped() == {"b.md": "symlink"}


@pytest.mark.parametrize("line", ["!", "[z-a]"])
def test_a_line_that_is_no_pattern_does_not_expose_what_the_other_lines_leave_out(vault: Vault, line: str) -> None:
    vault.write({".gitignore": f"secret.md\n{line}\n", "secret.md": "x", "a.md": "x"})
    vault.index()
    assert list(vault.texts()) == ["a.md"]


def test_an_ignore_line_that_would_be_matched_for_ever_has_no_say(vault: Vault) -> None:
    vault.write({".gitignore": "*a" * 12 + "*b\nsecret.md\n", "a" * 100 + ".md": "owls", "secret.md": "bees"})
    vault.index()
    assert sorted(vault.texts()) == ["a" * 100 + ".md"]
