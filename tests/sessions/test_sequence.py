"""Selecting a page, counting and finding a position agree on one order: that of the file."""

from __future__ import annotations

from collections.abc import Callable

import apsw
import pytest

from glassdex.storage.sqlite import copies, sequence
from tests.sessions.shelf import Shelf
from tests.sessions.writing import Record, claude, uid, word

EARLIER, DISORDERED = uid("earlier"), uid("disordered")
TIMES = [90.0, 30.0, 30.0, 30.0, None, 60.0, 0.0, -500.0, 30.0, 9_000.0, None, 1.0]


def message(number: int, session: str = DISORDERED) -> Record:
    return claude(number, f"{word(number)} said", session=session, at=TIMES[number % len(TIMES)])


@pytest.fixture
def disordered(books: Shelf) -> Shelf:
    """Times run backwards and tie; lines stand there twice; the first three are another session's."""
    copies = [message(number, EARLIER) for number in (100, 101, 102)]
    own = [message(number) for number in range(12)]
    books.write(f"{EARLIER}.jsonl", [*copies, claude(103, "earlier", session=EARLIER, at=-9_000.0)])
    books.write(
        f"{DISORDERED}.jsonl", [*copies, *own[:4], own[1], b"", *own[4:9], *own[:7], *own[9:], copies[0], own[11]]
    )
    books.index()
    return books


EXPECTED = [f"{word(number)} said" for number in range(12)]


def test_select_page_and_count_agree_on_the_order_of_the_file(disordered: Shelf) -> None:
    assert disordered.texts(DISORDERED) == EXPECTED
    with disordered.project.store.read() as snapshot:
        (session,) = snapshot.sessions_named(DISORDERED, 9)
        whole = snapshot.session_page(session.session_id, 0, 500)
        assert snapshot.sessions([session.session_id])[0].total == len(whole) == len(EXPECTED)
        assert [snapshot.message_position(record.row_id) for record in whole] == list(range(len(EXPECTED)))
        for place, record in enumerate(whole):
            around = snapshot.messages_around(record)
            assert around == (whole[place - 1] if place else None, whole[place + 1] if place < 11 else None)
        for limit in range(1, len(EXPECTED) + 2):
            starts = range(0, len(EXPECTED), limit)
            pages = [snapshot.session_page(session.session_id, start, limit) for start in starts]
            assert [record.row_id for page in pages for record in page] == [record.row_id for record in whole]
    for place, text in enumerate(EXPECTED):
        (match,) = disordered.saying(text.split()[0])
        assert match.message is not None and match.message.offset == place


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 11, 12, 13, 500])
def test_pages_one_after_the_other_give_each_message_once(disordered: Shelf, limit: int) -> None:
    there: list[str] = []
    cursor: str | None = "0"
    while cursor is not None:
        page = disordered.project.session(DISORDERED, offset=cursor, limit=limit)
        assert (page.offset, page.total, page.limit) == (len(there), 12, limit)
        there += [message.text for message in page.messages]
        cursor = page.next
    assert there == EXPECTED
    last = disordered.project.session(DISORDERED, offset=11, limit=limit)
    back, cursor = [message.text for message in last.messages], last.previous
    while cursor is not None:
        page = disordered.project.session(DISORDERED, offset=cursor)
        back = [*(message.text for message in page.messages), *back]
        cursor = page.previous
    assert back == EXPECTED


def plans(connection: apsw.Connection, ask: Callable[[], object]) -> list[list[str]]:
    """How SQLite goes about each of the queries that are asked."""
    asked: list[tuple[str, apsw.Bindings | None]] = []

    def note(_cursor: apsw.Cursor, query: str, values: apsw.Bindings | None) -> bool:
        asked.append((query, values))
        return True

    connection.exec_trace = note
    try:
        ask()
    finally:
        connection.exec_trace = None
    explained = [list(connection.execute(f"EXPLAIN QUERY PLAN {query}", values)) for query, values in asked]
    return [[str(step[3]) for step in steps] for steps in explained]


def test_a_position_is_one_count_over_one_index(disordered: Shelf) -> None:
    with disordered.project.store.read() as snapshot:
        (session,) = snapshot.sessions_named(DISORDERED, 9)
        record = snapshot.session_page(session.session_id, 7, 1)[0]
        connection = snapshot.connection
        over_the_index = "SEARCH message USING COVERING INDEX message_sequence"
        assert plans(connection, lambda: snapshot.message_position(record.row_id)) == [
            ["SEARCH message USING INTEGER PRIMARY KEY (rowid=?)"],
            [f"{over_the_index} (session_id=? AND ordinal<?)"],
        ]
        assert plans(connection, lambda: sequence.page(connection, session.session_id, 3, 5)) == [
            [f"{over_the_index} (session_id=?)"]
        ]
        beside = plans(
            connection, lambda: sequence.around(connection, session.session_id, record.ordinal, record.row_id)
        )
        assert beside == [
            [f"{over_the_index} (session_id=? AND ordinal<?)"],
            [f"{over_the_index} (session_id=? AND ordinal>?)"],
        ]


def test_what_a_search_asks_of_a_session_is_a_step_into_an_index(disordered: Shelf) -> None:
    with disordered.project.store.read() as snapshot:
        (session,) = snapshot.sessions_named(DISORDERED, 9)
        connection, ids = snapshot.connection, [session.session_id]
        (head,) = plans(connection, lambda: snapshot.session_heads(ids))
        assert searched(head) == [
            "session USING INTEGER PRIMARY KEY (rowid=?)",
            "file USING INTEGER PRIMARY KEY (rowid=?)",
            "message USING COVERING INDEX message_sequence (session_id=?)",
            "message USING COVERING INDEX message_by_time (session_id=? AND sent_at>?)",
            "message USING COVERING INDEX message_by_time (session_id=? AND sent_at>?)",
        ]
        (whole,) = plans(connection, lambda: snapshot.sessions(ids))
        assert searched(whole)[len(searched(head)) :] == [
            "message USING COVERING INDEX message_sequence (session_id=?)",
            "message USING COVERING INDEX message_copied (session_id=? AND original_id>?)",
        ]


def test_what_an_append_asks_goes_by_what_is_new(disordered: Shelf) -> None:
    with disordered.project.store.read() as snapshot:
        (session,) = snapshot.sessions_named(DISORDERED, 9)
        connection = snapshot.connection
        (last,) = snapshot.session_page(session.session_id, len(EXPECTED) - 1, 1)
        new, gone_on = plans(connection, lambda: copies.is_unsettled(connection, session.session_id, last.ordinal))
        since = "INDEX message_by_session (session_id=? AND ordinal>?)"
        assert [step for step in searched(new) if step.startswith("message ")] == [
            f"message USING COVERING {since}",
            f"message USING {since}",
        ]
        assert [step for step in searched(gone_on) if step.startswith(("message ", "later "))] == [
            "message USING INDEX message_by_session (session_id=? AND ordinal<?)",
            f"later USING {since}",
        ]
        recent = plans(connection, lambda: snapshot.recent_messages(session.document_id, 9))
        content = last.message.content_hash
        told = plans(connection, lambda: snapshot.times_told(session.document_id, "", content))
        steps = [step for plan in (new, gone_on, *recent, *told) for step in plan if step != "SCAN CONSTANT ROW"]
        assert not any("SCAN" in step or "TEMP B-TREE" in step for step in steps), steps
        assert "message USING COVERING INDEX message_by_content (session_id=? AND content_hash=?)" in searched(told[0])


def test_dates_and_roles_read_what_they_find_alone(disordered: Shelf) -> None:
    with disordered.project.store.read() as snapshot:
        connection = snapshot.connection
        (dated,) = plans(connection, lambda: snapshot.chunk_ids_dated(0.0, 50.0))
        in_range = "message USING COVERING INDEX message_by_time (session_id=? AND sent_at>? AND sent_at<?)"
        assert in_range in searched(dated)
        (roles,) = plans(connection, lambda: snapshot.chunk_ids_of_roles(["user"]))
        assert "message USING COVERING INDEX message_by_role (role=?)" in searched(roles)


def searched(plan: list[str]) -> list[str]:
    """Which tables are looked up in, and by what."""
    return [step.removeprefix("SEARCH ") for step in plan if step.startswith("SEARCH ")]
