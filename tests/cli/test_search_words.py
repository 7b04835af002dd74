"""Which of the arguments of a search are words, although they begin with a dash."""

from __future__ import annotations

import pytest

from glassdex.cli.search import DASH_MARK, mark_dashed_words

OPTIONS = {"--limit", "-n", "--json", "-l", "--path", "-h"}
TAKERS = {"--limit", "-n", "--path"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-draft"], ["-draft"]),
        (['-"a phrase"'], ['-"a phrase"']),
        (["-x"], ["-x"]),
        (["-5"], ["-5"]),
        (["-ünter"], ["-ünter"]),
        (["-n"], []),
        (["-n5"], []),
        (["-n", "-5"], []),
        (["-l", "-lx"], ["-lx"]),
        (["-"], []),
        (["--json"], []),
        (["--unknown"], []),
        (["--", "--json", "-n", "x"], ["--json", "-n"]),
        (["--path", "-odd/", "-draft"], ["-draft"]),
        (["--path", "--", "-draft"], ["-draft"]),
        (["--path=-odd/"], []),
    ],
)
def test_words_keep_their_dash(arguments: list[str], words: list[str]) -> None:
    marked = mark_dashed_words(arguments, OPTIONS, TAKERS)
    assert ["-" + word[1:] for word in marked if word.startswith(DASH_MARK)] == words
    assert [word.replace(DASH_MARK, "-") for word in marked] == arguments
