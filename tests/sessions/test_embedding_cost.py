"""What changes nothing but places costs no vector: order, offsets, copies, moves. An append costs what is new."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.sessions.shelf import Shelf
from tests.sessions.writing import Record, claude, codex_event, codex_head, codex_item, uid, word

SESSION, EARLIER = uid("session"), uid("earlier session")


def message(number: int, after: int | None, **more: object) -> Record:
    role = ("user", "assistant")[number % 2]
    text = f"{word(number)} harbour"
    return claude(number, text, session=SESSION, role=role, after=after, at=float(number), **more)


TRUNK = [message(number, number - 1 if number else None) for number in range(8)]
BRANCH = [message(20, 2), message(21, 20)]  # said, taken back, and said in another way
SIDE = [message(30, None, isSidechain=True), message(31, 30, isSidechain=True)]


def talk() -> list[Record]:
    return [*TRUNK[:3], *BRANCH, *SIDE, *TRUNK[3:]]


CHANGES: dict[str, tuple[Callable[[], list[Record]], list[int]]] = {
    "a duplicate in front": (lambda: [TRUNK[0], *talk()], [0, 1, 2, 20, 21, 30, 31, 3, 4, 5, 6, 7]),
    "duplicates of all at the end": (lambda: [*talk(), *talk()], [0, 1, 2, 20, 21, 30, 31, 3, 4, 5, 6, 7]),
    "a branch dropped": (lambda: [*TRUNK[:3], *SIDE, *TRUNK[3:]], [0, 1, 2, 30, 31, 3, 4, 5, 6, 7]),
    "a side chain dropped": (lambda: [*TRUNK[:3], *BRANCH, *TRUNK[3:]], [0, 1, 2, 20, 21, 3, 4, 5, 6, 7]),
    "a branch moved back": (lambda: [*TRUNK, *SIDE, *BRANCH], [0, 1, 2, 3, 4, 5, 6, 7, 30, 31, 20, 21]),
    "a branch moved in between": (
        lambda: [*TRUNK[:4], BRANCH[0], TRUNK[4], SIDE[0], BRANCH[1], SIDE[1], *TRUNK[5:]],
        [0, 1, 2, 3, 20, 4, 30, 21, 31, 5, 6, 7],
    ),
}


@pytest.fixture
def embedded(books: Shelf) -> Shelf:
    books.write(f"{SESSION}.jsonl", talk())
    assert books.index(embed=True).embedded == 12
    books.embedder.texts.clear()
    return books


@pytest.mark.parametrize("change", CHANGES)
def test_another_order_costs_nothing(embedded: Shelf, change: str) -> None:
    records, numbers = CHANGES[change][0](), CHANGES[change][1]
    embedded.write(f"{SESSION}.jsonl", records)
    report = embedded.index(embed=True)
    assert embedded.texts(SESSION) == [f"{word(number)} harbour" for number in numbers]
    assert (report.changed, report.embedded, report.pending, embedded.embedder.texts) == (1, 0, 0, [])


def test_messages_that_turn_out_to_be_copies_cost_nothing(embedded: Shelf) -> None:
    embedded.write(f"{EARLIER}.jsonl", [record | {"sessionId": EARLIER} for record in TRUNK[:3]])
    embedded.index(embed=True)
    assert embedded.texts(SESSION)[0] == f"{word(20)} harbour", "offsets have changed"
    assert embedded.embedder.texts == []
    (embedded.root / f"{EARLIER}.jsonl").unlink()
    assert embedded.index(embed=True).pending == 0
    assert embedded.texts(SESSION)[0] == f"{word(0)} harbour"
    assert embedded.embedder.texts == []


def test_an_append_costs_what_is_new(embedded: Shelf) -> None:
    for number in (8, 9):
        embedded.append(f"{SESSION}.jsonl", [*TRUNK[2:5], message(number, number - 1)])
        assert embedded.index(embed=True).embedded == 1
        (text,) = embedded.embedder.texts
        assert text.endswith(f"{word(number)} harbour")
        embedded.embedder.texts.clear()


def test_moving_renaming_and_reading_again_cost_nothing(embedded: Shelf) -> None:
    embedded.touch(f"{SESSION}.jsonl")
    embedded.index(embed=True)
    (embedded.root / "archived").mkdir()
    shutil.move(embedded.root / f"{SESSION}.jsonl", embedded.root / "archived" / f"{SESSION}.jsonl")
    assert embedded.index(embed=True).moved == 1
    (embedded.root / "archived" / f"{SESSION}.jsonl").rename(embedded.root / "other-name.jsonl")
    assert embedded.index(embed=True).moved == 1
    with embedded.project.store.write() as writer:
        writer.connection.execute("UPDATE file SET reader = 'claude/0', rows_hash = 'x'")
    assert embedded.index(embed=True).changed == 1
    assert embedded.embedder.texts == []


def test_a_title_that_comes_later_costs_nothing(embedded: Shelf) -> None:
    embedded.append(f"{SESSION}.jsonl", [{"type": "custom-title", "customTitle": "Dredging", "sessionId": SESSION}])
    embedded.index(embed=True)
    (session,) = embedded.project.sessions().sessions
    assert session.title == "Dredging"
    assert embedded.embedder.texts == []


def test_a_rollout_that_is_appended_to_costs_what_is_new(books: Shelf) -> None:
    name = f"rollout-{SESSION}.jsonl"
    turns = [(("user", "assistant")[n % 2], f"{word(n)} harbour") for n in range(4)]
    for n, (role, text) in enumerate(turns):
        content = [codex_event(role, text, n), codex_item(role, text, n)]
        books.append(name, content) if n else books.write(name, [codex_head(SESSION), *content])
        assert books.index(embed=True).embedded == 1
    assert len(books.embedder.texts) == 4
