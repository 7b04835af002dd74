"""A part of a transcript that cannot be cut is that file's error: nothing behind it is published without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from glassdex import chunking
from glassdex.reading.transcripts import growth
from tests.sessions.shelf import Shelf, contents, rebuilt
from tests.sessions.writing import claude, uid, word

SESSION = uid("faulty")
RECORDS = [claude(n, f"said {word(n)}", session=SESSION, after=n - 1 if n else None) for n in range(12)]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "PART_CHARACTERS", 40)


def failing(number: int) -> Callable[..., Any]:
    """Cuts every part but the one of that number."""
    calls, cutting = 0, chunking.chunk_document

    def cut(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            raise RuntimeError("no cut here")
        return cutting(*arguments)

    return cut


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_part_that_cannot_be_cut_is_made_up_for_by_the_next_run(
    books: Shelf, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    books.write(f"{SESSION}.jsonl", RECORDS)
    with monkeypatch.context() as faulty:
        faulty.setattr(chunking, "chunk_document", failing(number))
        report = books.project.index(embed=False)
    assert [failure.path for failure in report.failures] == [f"{SESSION}.jsonl"]
    assert "no cut here" in report.failures[0].message

    assert not books.index().failures
    with rebuilt(books) as anew:
        assert contents(books.project) == contents(anew)
    assert books.index().unchanged == 1
