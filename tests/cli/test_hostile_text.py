"""Text from files is shown as text: no markup, no escape sequence, no reordering, wherever it comes out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from glassdex.cli.terminal import safe, safe_line, safe_path
from tests.cli.running import Run

TITLE = "[red]Title[/red] <script>alert(1)</script>"
BODY = (
    "owl \x1b[2J\x1b]0;title\x07 [/dim] [link=http://x]y[/link] :smile: "
    "\u202elive\u2066 \x9b31m end\r\nmore\x0b\x0cend\n"
)
UNSAFE = {
    *map(chr, range(32)),
    *map(chr, range(127, 160)),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069",
} - {"\n"}


@pytest.fixture
def hostile(run: Run, tmp_path: Path) -> Run:
    folder = tmp_path / "hostile"
    folder.mkdir()
    title = f'---\ntitle: "{TITLE} \\e[31m \\u202e over \\n two lines"\n---\n\n'
    (folder / "[bold]x[dim].md").write_text(title + BODY, encoding="utf-8", newline="")
    if os.name == "posix":
        (folder / "d\x1b[31m").mkdir()
        (folder / "d\x1b[31m" / "a\nb  c\u202e.md").write_text("owl\n", encoding="utf-8")
        (folder / "bad\x1b[31m\u202e\n.md").write_bytes(b"\xff\xfe")
        (folder / "skip\x1b[31m.bin").write_bytes(b"\0")
    if sys.platform == "linux":
        (Path(os.fsencode(folder).decode()) / os.fsdecode(b"\xff\xfe.md")).write_text("owl\n", encoding="utf-8")
    assert not UNSAFE & set(run("index", folder, "--no-embed").out)
    return run


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "owl"),
        ("search", "owl", "--explain"),
        ("search", "owl", "--paths"),
        ("search", "owl \x1b[31m \u202e", "--explain"),
        ("search", "zyz\x1b[31m"),
        ("status",),
        ("index", "--project", "hostile"),
        ("projects", "list"),
        ("status", "--project", "\x1b[31m"),
        ("open", "\x1b[31m\u202e"),
        ("index", "\x1b[31m\u202e"),
        ("\x1b[31m",),
        ("search", "--\x1b[31m"),
        ("search", "owl", "--kind", "\x1b[31m"),
        ("search", "owl", "--since", "\x1b[31m"),
    ],
)
def test_nothing_steers_the_terminal(hostile: Run, arguments: tuple[str, ...]) -> None:
    ran = hostile(*arguments)
    assert not UNSAFE & set(ran.out + ran.err)
    assert ran.out + ran.err


def test_markup_is_text(hostile: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = hostile("search", "title", "-n1").out
    title = next(line for line in out.splitlines() if line.startswith(" 1  "))
    assert title.startswith(f" 1  {TITLE} \\x1b[31m \\u202e over two lines  [bold]x[dim].md")
    assert "[/dim] [link=http://x]y[/link] :smile: \\u202elive\\u2066 \\x9b31m end more" in out


def test_a_passage_keeps_its_lines_and_loses_its_power(hostile: Run) -> None:
    answer = hostile("search", "title:title", "--mode", "lexical", "--json").answer
    match = answer["results"][0]["matches"][0]
    ran = hostile("open", match["pointer"])
    assert ran.code == 0
    assert ran.out.endswith(
        "owl \\x1b[2J\\x1b]0;title\\x07 [/dim] [link=http://x]y[/link] :smile: "
        "\\u202elive\\u2066 \\x9b31m end\nmore\\x0b\\x0cend\n"
    )
    assert "\x1b" in match["text"], "a program gets what the file says"


@pytest.mark.skipif(os.name != "posix", reason="file names that Windows refuses")
def test_one_path_is_one_line(hostile: Run) -> None:
    paths = hostile("search", "owl", "--paths").out.splitlines()
    assert "d\\x1b[31m/a\\nb  c\\u202e.md" in paths
    answer = hostile("search", "owl", "--json").answer
    assert len(paths) == len(answer["results"])


@pytest.mark.skipif(os.name != "posix", reason="file names that Windows refuses")
def test_every_pointer_opens_whatever_the_name(hostile: Run) -> None:
    for result in hostile("search", "owl", "--json").answer["results"]:
        for match in result["matches"]:
            assert hostile("open", match["pointer"]).code == 0
            assert match["pointer"].isascii()


def test_what_becomes_of_unsafe_text() -> None:
    assert safe("a\tb\nc\x1b\r\u202e\udcff") == "a\tb\nc\\x1b\\r\\u202e\\udcff"
    assert safe_line(" a \n\t b\x00 ") == "a b\\x00"
    assert safe_path("a  b\n\tc") == "a  b\\n\\tc"
