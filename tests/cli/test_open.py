"""`glassdex open`: the passage, or the truth about it; and editors."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from glassdex.cli.open_ import editor_arguments
from tests.cli.running import Run, in_process_of_its_own, write


@pytest.fixture
def notes(tmp_path: Path, run: Run) -> Path:
    folder = write(
        tmp_path / "notes",
        a="# Owls\n\nOwls hunt at night.\n\n## Food\n\nMice.\n",
        b="# Bees\n\nBees sleep.\n",
    )
    run("index", folder, "--no-embed")
    return folder


def pointer_to(run: Run, *words: str) -> str:
    answer = run("search", *words, "--mode", "lexical", "-n", "1", "--json").answer
    return str(answer["results"][0]["matches"][0]["pointer"])


def test_exact(run: Run, notes: Path) -> None:
    pointer = pointer_to(run, "owls")
    ran = run("open", pointer)
    assert ran.code == 0
    assert ran.out.startswith("exact: ")
    assert "\n\n# Owls\n\nOwls hunt at night." in ran.out
    answer = run("open", pointer, "--json").answer
    assert (answer["state"], answer["resolved"], answer["pointer"]) == ("exact", pointer, pointer)
    assert answer["locator"]["lines"][0] == 1


def test_moved_within_the_file_and_to_another_one(run: Run, notes: Path) -> None:
    pointer = pointer_to(run, "bees")
    text = (notes / "b.md").read_text(encoding="utf-8")
    (notes / "b.md").write_text("A line before.\n\n" + text, encoding="utf-8")
    ran = run("open", pointer, "--json")
    assert ran.code == 0
    assert ran.answer["state"] == "moved"
    assert ran.answer["resolved"].startswith("b.md#L3-L5,")
    assert run("open", pointer).out.startswith("moved: now at b.md#L3-L5,")


def test_changed_and_gone_show_nothing_instead(run: Run, notes: Path) -> None:
    pointer = pointer_to(run, "bees")
    (notes / "b.md").write_text("# Bees\n\nBees work.\n", encoding="utf-8")
    ran = run("open", pointer)
    assert (ran.code, ran.out.partition(":")[0]) == (1, "changed")
    assert "work" not in ran.out
    (notes / "b.md").unlink()
    ran = run("open", pointer, "--json")
    assert (ran.code, ran.answer["state"]) == (1, "gone")
    assert not {"text", "resolved", "locator"} & set(ran.answer)


def test_ambiguous_lists_the_places(run: Run, notes: Path) -> None:
    pointer = pointer_to(run, "bees")
    (notes / "b.md").write_text("Also.\n\n# Bees\n\nBees sleep.\n\n# Bees\n\nBees sleep.\n", encoding="utf-8")
    ran = run("open", pointer)
    assert (ran.code, ran.out.partition(":")[0]) == (1, "ambiguous")
    assert ran.out.count("\n  b.md#L") == 2
    assert len(run("open", pointer, "--json").answer["candidates"]) == 2


@pytest.mark.parametrize("text", ["", "foo", "a.md#L2-L1,c=1-2@000000000000", "a.md#L1,c=5-5@000000000000"])
def test_what_is_no_pointer(run: Run, notes: Path, text: str) -> None:
    ran = run("open", text, "--json")
    assert ran.code == 2
    assert ran.error["code"] == "invalid_pointer"


def test_a_pointer_may_name_its_project(run: Run, notes: Path, tmp_path: Path) -> None:
    pointer = pointer_to(run, "owls")
    run("index", write(tmp_path / "other", x="# X\n\nother\n"), "--no-embed")
    assert run("open", pointer).code == 2
    assert run("open", f"notes:{pointer}").code == 0
    assert run("open", pointer, "--project", "notes").code == 0
    ran = run("open", f"nope:{pointer}", "--json")
    assert (ran.code, ran.error["code"]) == (2, "project_not_found")
    assert run("open", f"notes:{pointer}", "--project", "other").code == 2


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("vim", ["vim", "+7", "/x/a b.md"]),
        ("emacsclient -n", ["emacsclient", "-n", "+7", "/x/a b.md"]),
        ("/usr/bin/nano", ["/usr/bin/nano", "+7", "/x/a b.md"]),
        ("code --wait", ["code", "--wait", "--goto", "/x/a b.md:7"]),
        ("'/opt/my apps/code'", ["/opt/my apps/code", "--goto", "/x/a b.md:7"]),
        ("subl -w", ["subl", "-w", "/x/a b.md:7"]),
        ("hx", ["hx", "/x/a b.md:7"]),
        ("pycharm", ["pycharm", "--line", "7", "/x/a b.md"]),
    ],
)
def test_every_editor_has_its_own_way_to_say_a_line(command: str, arguments: list[str]) -> None:
    assert editor_arguments(command, "/x/a b.md", 7) == arguments


def test_the_editor_gets_file_and_line(run: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, note = tmp_path / "editor.py", tmp_path / "seen.txt"
    program.write_text(f"import sys\nopen({str(note)!r}, 'w').write('|'.join(sys.argv[1:]))\n", encoding="utf-8")
    monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(program))}")
    ran = run("open", pointer_to(run, "mice"), "--editor")
    assert ran.code == 0
    assert note.read_text(encoding="utf-8") == f"+5|{notes / 'a.md'}"
    note.unlink()
    monkeypatch.setenv("VISUAL", f"{shlex.quote(sys.executable)} {shlex.quote(str(program))} -w")
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert run("open", pointer_to(run, "bees"), "-e", "--json").answer["state"] == "exact"
    assert note.read_text(encoding="utf-8") == f"-w|+1|{notes / 'b.md'}"


@pytest.mark.parametrize(
    ("editor", "message"),
    [
        ("", "no editor is set"),
        ("  ", "no editor is set"),
        ("no-such-editor", "the editor no-such-editor cannot be started"),
        ("'unfinished", "$EDITOR is no command line"),
        (f"{shlex.quote(sys.executable)} -c 'raise SystemExit(7)'", "ended with code 7"),
    ],
)
def test_an_editor_that_does_not_work(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch, editor: str, message: str
) -> None:
    monkeypatch.setenv("EDITOR", editor)
    ran = run("open", pointer_to(run, "bees"), "--editor")
    assert ran.code == 3
    assert message in ran.err


def test_no_editor_is_opened_for_a_passage_that_is_not_there(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pointer = pointer_to(run, "bees")
    (notes / "b.md").unlink()
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert run("open", pointer, "--editor").code == 1


def test_what_the_editor_prints_does_not_spoil_the_json(run: Run, notes: Path, home: Path) -> None:
    pointer = pointer_to(run, "bees")
    editor = f"{shlex.quote(sys.executable)} -c 'print(1 + 1)'"
    ran = in_process_of_its_own(home, notes, "open", pointer, "-e", "--json", variables={"EDITOR": editor})
    assert json.loads(ran.stdout)["state"] == "exact"
    assert ran.stderr.strip() == b"2"


@pytest.mark.parametrize("text", ["a.md", "a.md#L1", "a.md#L1-L3,c=0-25@0123"])
def test_a_part_of_a_pointer_says_where_the_whole_ones_are(run: Run, notes: Path, text: str) -> None:
    suggestion = run("open", text, "--json").error["suggestion"]
    assert suggestion.endswith("those of one note: glassdex inspect chunks a.md")
