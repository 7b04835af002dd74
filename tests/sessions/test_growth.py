"""A transcript that is read as it grows gives the index that it gives when it is read at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from glassdex.indexing import publish
from glassdex.reading.transcripts import growth
from tests.sessions.shelf import Shelf, contents, rebuilt, shelf
from tests.sessions.writing import claude, codex_compaction, codex_event, codex_head, codex_item, line, lines, uid, word

CLAUDE, CODEX = uid("claude session"), uid("codex session")


def conversation() -> bytes:
    """Everything that a line of Claude Code may be, with letters of one to four bytes."""
    said = [
        claude(
            number,
            f"Grüße 你好 🛟 {word(number)}" if number % 3 else [{"type": "text", "text": f"一 {word(number)}"}] * 2,
            session=CLAUDE,
            role=("user", "assistant")[number % 2],
            after=number - 1 if number else None,
            at=float(-number) if number % 4 else None,
        )
        for number in range(6)
    ]
    return lines(
        [
            said[0],
            said[1],
            b"\0\0\0",
            said[2],
            b"",
            b"\0\0" + line(said[3]),
            said[1],
            {"type": "custom-title", "customTitle": "Über das Wasser", "sessionId": CLAUDE},
            b"{not json",
            said[4] | {"uuid": uid(2)},
            b'{"type": "novel", "sessionId": 3}',
            said[5],
        ]
    )


def rollout() -> bytes:
    """An older rollout, every turn twice, compacted, with a turn said again."""
    items = [codex_item(("user", "assistant")[n % 2], f"naïve 🛟 {word(n)}", n) for n in range(4)]
    turns = [
        record
        for n, item in enumerate(items)
        for record in (codex_event(("user", "assistant")[n % 2], f"naïve 🛟 {word(n)}", n), item)
    ]
    return lines([codex_head(CODEX), *turns, codex_compaction(items, 9), codex_item("user", f"naïve 🛟 {word(0)}", 10)])


@pytest.mark.parametrize(("session", "made"), [(CLAUDE, conversation), (CODEX, rollout)], ids=["claude", "codex"])
def test_cut_at_any_byte_a_file_gives_the_same_index(session: str, made: Callable[[], bytes]) -> None:
    name, whole = f"rollout-{session}.jsonl" if session == CODEX else f"{session}.jsonl", made()
    ends = {place + more for place, byte in enumerate(whole) if byte == 10 for more in (0, 1)}  # before and behind \\n
    cuts = sorted({*range(1, len(whole), 211), *(whole.index("🛟".encode()) + n for n in range(4)), *ends})
    with shelf() as grown, shelf() as at_once:
        for end in [*cuts, len(whole)]:
            grown.write(name, whole[:end])
            grown.index()
        at_once.write(name, whole)
        at_once.index()
        assert at_once.messages(session)
        expected, found = contents(at_once.project), contents(grown.project)
        for part in expected:
            assert without_times(found[part], part) == without_times(expected[part], part), part


def without_times(rows: list[tuple[object, ...]], part: str) -> list[tuple[object, ...]]:
    return [row[:3] + row[4:] for row in rows] if part == "document" else rows


def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "PART_CHARACTERS", 40)


def test_a_file_of_many_parts_is_what_it_is_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with shelf() as in_one, shelf() as in_many:
        in_one.write(f"{CLAUDE}.jsonl", conversation())
        in_one.index()
        small_parts(monkeypatch)
        in_many.write(f"{CLAUDE}.jsonl", conversation())
        in_many.index()
        assert contents(in_many.project) == contents(in_one.project)


@pytest.mark.parametrize("whole_parts", [1, 2, 3])
def test_a_run_that_dies_between_two_parts_is_gone_on_with(
    books: Shelf, monkeypatch: pytest.MonkeyPatch, whole_parts: int
) -> None:
    """The power goes while a further part is published: the next run reads on from the last one that was."""
    small_parts(monkeypatch)
    monkeypatch.setattr("glassdex.indexing.read.GROUP_BYTES", 1)
    publishing = publish.Publisher._write
    published: list[object] = []

    def dying(*arguments: object) -> tuple[list[int], list[int]]:
        if len(published) == whole_parts:
            raise KeyboardInterrupt
        published.append(arguments)
        return publishing(*arguments)  # type: ignore[arg-type]

    books.write(f"{CLAUDE}.jsonl", conversation())
    with monkeypatch.context() as while_dying:
        while_dying.setattr(publish.Publisher, "_write", dying)
        with pytest.raises(KeyboardInterrupt):
            books.index()
    there = books.texts(CLAUDE)
    assert 0 < len(there) < 9, "what was published can be searched"

    began: list[int] = []
    reading = growth.parts_of

    def noting(*arguments: object) -> object:
        resume = arguments[4]
        began.append(resume.cursor.rows if isinstance(resume, growth.Resume) else 0)
        return reading(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(growth, "parts_of", noting)
    books.index()
    assert began == [len(there)], "it goes on where it stopped"
    assert books.texts(CLAUDE)[: len(there)] == there
    with rebuilt(books) as anew:
        assert contents(books.project) == contents(anew)


def test_a_file_that_was_written_anew_is_read_anew(books: Shelf) -> None:
    name = f"{CLAUDE}.jsonl"
    books.write(name, [claude(n, f"{word(n)} harbour", session=CLAUDE) for n in range(6)])
    books.index()
    books.write(name, [claude(n, f"{word(n)} harbour", session=CLAUDE) for n in (5, 1, 7, 8, 9, 10, 11)])
    books.index()
    assert books.texts(CLAUDE) == [f"{word(n)} harbour" for n in (5, 1, 7, 8, 9, 10, 11)]
    books.write(name, [claude(3, f"{word(3)} harbour", session=CLAUDE)])
    books.index()
    assert books.texts(CLAUDE) == [f"{word(3)} harbour"]
    with rebuilt(books) as anew:
        assert contents(books.project) == contents(anew)


def test_a_line_that_goes_on_after_it_seemed_whole_is_read_as_it_stands_now(books: Shelf) -> None:
    """Two programs wrote at once: what looked like a record was the beginning of a line that is none."""
    name = f"{CLAUDE}.jsonl"
    first, second, third = (claude(n, f"{word(n)} harbour", session=CLAUDE) for n in range(3))
    books.write(name, lines([first]) + line(second))
    books.index()
    assert books.texts(CLAUDE) == [f"{word(n)} harbour" for n in (0, 1)], "a last line may lack its end"
    books.append(name, b"\0 \n" + line(third))
    books.index()
    assert books.texts(CLAUDE) == [f"{word(n)} harbour" for n in (0, 1, 2)]
    books.append(name, b'{"and": "more"}\n')
    books.index()
    with rebuilt(books) as anew:
        assert contents(books.project) == contents(anew)


def test_a_line_that_is_not_finished_waits(books: Shelf) -> None:
    name = f"{CLAUDE}.jsonl"
    first, second = (claude(n, f"{word(n)} harbour", session=CLAUDE) for n in range(2))
    books.write(name, lines([first]) + line(second)[:-5])
    books.index()
    assert books.texts(CLAUDE) == [f"{word(0)} harbour"]
    books.touch(name)
    assert books.index().unchanged == 1
    books.append(name, line(second)[-5:-2])
    books.index()
    assert books.texts(CLAUDE) == [f"{word(0)} harbour"]
    books.append(name, line(second)[-2:] + b"\n")
    books.index()
    assert books.texts(CLAUDE) == [f"{word(n)} harbour" for n in (0, 1)]
