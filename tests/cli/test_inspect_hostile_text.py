"""What files, queries and rules say never steers the terminal from an inspection either."""

from __future__ import annotations

import sys

import pytest

from tests.cli.running import Run
from tests.cli.test_hostile_text import TITLE, UNSAFE, hostile

__all__ = ["hostile"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "chunks", "[bold]x[dim].md"),
        ("inspect", "chunks", "[bold]x[dim].md", "--text"),
        ("inspect", "chunks", "\x1b[31m\u202e"),
        ("inspect", "query", "owl \x1b[31m", "--show-misses"),
        ("inspect", "query", "owl", "-n1", "--tag", "\x1b[31m", "--show-misses"),
        ("inspect", "why-not", "owl \x1b[31m", "[bold]x[dim].md", "-n1"),
        ("inspect", "why-not", 'owl "\x1b[31m\u202e"', "[bold]x[dim].md"),
        ("inspect", "why-not", "owl", "\x1b[31m\u202e"),
        ("inspect", "neighbors", "\x1b[31m"),
        ("search", "owl", "-n1", "--show-misses", "--watch", "[bold]x[dim].md"),
    ],
)
def test_nothing_steers_the_terminal(hostile: Run, arguments: tuple[str, ...]) -> None:
    ran = hostile(*arguments)
    assert not UNSAFE & set(ran.out + ran.err)
    assert ran.out + ran.err


@pytest.mark.skipif(sys.platform != "linux", reason="file names that others refuse")
def test_hostile_names_are_looked_up_and_shown_as_text(hostile: Run) -> None:
    for name in ("d\x1b[31m/a\nb  c\u202e.md", "bad\x1b[31m\u202e\n.md", "skip\x1b[31m.bin"):
        ran = hostile("inspect", "why-not", "owl", name)
        assert ran.code == 0
        assert not UNSAFE & set(ran.out + ran.err)
        assert "\\x1b[31m" in ran.out


def test_markup_is_text(hostile: Run) -> None:
    out = hostile("inspect", "chunks", "[bold]x[dim].md", "--text").out
    assert out.startswith(f"{TITLE} \\x1b[31m")
    assert "[/dim] [link=http://x]y[/link] :smile: \\u202elive\\u2066 \\x9b31m end" in out
