"""Pages of a session say where they are, lead on to each other, and never show another place than was asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from glassdex.errors import (
    CursorOutdated,
    InvalidPointer,
    InvalidRequest,
    OffsetOutOfRange,
    PointerNotInSession,
    SessionAmbiguous,
    SessionNotFound,
)
from tests.cli.running import Run
from tests.sessions.shelf import Shelf
from tests.sessions.writing import Record, claude, uid, word

SESSION, OTHER = "aaaa0001-0000-4000-8000-000000000001", "aaaa0002-0000-4000-8000-000000000002"


def said(*numbers: int, session: str = SESSION, at: object = None) -> list[Record]:
    return [
        claude(n, f"{word(n)} harbour", session=session, at=at if isinstance(at, str) else float(n)) for n in numbers
    ]


@pytest.fixture
def talk(books: Shelf) -> Shelf:
    books.write(f"{SESSION}.jsonl", said(*range(10)))
    books.write(f"{OTHER}.jsonl", said(100, 101, session=OTHER))
    books.index()
    return books


@pytest.mark.parametrize(
    ("offset", "limit", "numbers"),
    [
        (None, None, range(10)),
        (0, 4, range(4)),
        (3, 4, range(3, 7)),
        (8, 4, (8, 9)),
        (9, 500, (9,)),
        (6, 4, range(6, 10)),
    ],
)
def test_a_page_says_where_it_is(talk: Shelf, offset: int | None, limit: int | None, numbers: range) -> None:
    page = talk.project.session(SESSION, offset=offset, limit=limit)
    assert (page.offset, page.limit, page.total) == (offset or 0, limit or 20, 10)
    assert [message.text for message in page.messages] == [f"{word(n)} harbour" for n in numbers]
    assert [message.offset for message in page.messages] == list(numbers)
    assert (page.previous is None, page.next is None) == (not offset, (offset or 0) + (limit or 20) >= 10)


@pytest.mark.parametrize("offset", [10, 11, 10**9, -1, "10", "99999"])
def test_an_offset_out_of_range_is_an_error_with_the_range(talk: Shelf, offset: int | str) -> None:
    with pytest.raises(OffsetOutOfRange, match="from 0 to 9"):
        talk.project.session(SESSION, offset=offset)


@pytest.mark.parametrize("limit", [0, 501, -1])
def test_a_limit_out_of_range_is_an_error(talk: Shelf, limit: int) -> None:
    with pytest.raises(InvalidRequest, match="between 1 and 500"):
        talk.project.session(SESSION, limit=limit)


@pytest.mark.parametrize("offset", ["", "x", "-1", "1.5", "3.", "3.20~", "3.20~xyz", "0x1", "٣", "3~aaaaaaaaaaaa"])
def test_what_is_neither_offset_nor_cursor_is_an_error(talk: Shelf, offset: str) -> None:
    with pytest.raises(InvalidRequest, match="no offset"):
        talk.project.session(SESSION, offset=offset)


def test_a_cursor_lives_through_an_append(talk: Shelf) -> None:
    first = talk.project.session(SESSION, limit=4)
    talk.append(f"{SESSION}.jsonl", said(10, 11))
    talk.index()
    second = talk.project.session(SESSION, offset=first.next)
    assert (second.offset, second.limit, second.total) == (4, 4, 12)
    assert second.messages[0].text == f"{word(4)} harbour"
    assert talk.project.session(SESSION, limit=4).revision != first.revision
    assert talk.project.session(SESSION, limit=4).next == first.next


@pytest.mark.parametrize(
    "now",
    [
        pytest.param([0, 2, 3, 4, 5, 6, 7, 8, 9], id="one is gone"),
        pytest.param([1, 0, 2, 3, 4, 5, 6, 7, 8, 9], id="two have changed places"),
        pytest.param([50, *range(10)], id="one has come before"),
    ],
)
def test_a_cursor_is_refused_when_something_before_its_place_has_changed(talk: Shelf, now: list[int]) -> None:
    cursor = talk.project.session(SESSION, limit=4).next
    talk.write(f"{SESSION}.jsonl", said(*now))
    talk.index()
    with pytest.raises(CursorOutdated, match="before offset 4"):
        talk.project.session(SESSION, offset=cursor)
    assert talk.project.session(SESSION, offset=4).offset == 4


def test_a_cursor_is_kept_when_something_behind_its_place_has_changed(talk: Shelf) -> None:
    cursor = talk.project.session(SESSION, limit=4).next
    talk.write(f"{SESSION}.jsonl", said(0, 1, 2, 3, 9, 5))
    talk.index()
    page = talk.project.session(SESSION, offset=cursor)
    assert [message.text for message in page.messages] == [f"{word(n)} harbour" for n in (9, 5)]


def test_a_pointer_begins_a_page(talk: Shelf) -> None:
    (match,) = talk.saying(word(6))
    for reference in (SESSION, None, f"claude/{SESSION}"):
        page = talk.project.session(reference, at=match.pointer, limit=2)
        assert (page.session.name, page.offset) == (SESSION, 6)
    assert talk.project.session(match.pointer).offset == 0, "as a name of its session"


def test_a_pointer_into_another_session_is_an_error(talk: Shelf) -> None:
    (match,) = talk.saying(word(6))
    with pytest.raises(PointerNotInSession, match=SESSION):
        talk.project.session(OTHER, at=match.pointer)
    with pytest.raises(PointerNotInSession):
        talk.project.session(at=match.pointer.replace(uid(6), uid("nobody")))
    with pytest.raises(PointerNotInSession):
        talk.project.session(at=match.pointer[:-1] + ("0" if match.pointer[-1] != "0" else "1"))
    with pytest.raises(InvalidPointer):
        talk.project.session(at="notes/a.md#L1,c=0-3@0123456789ab")
    with pytest.raises(InvalidRequest, match="both"):
        talk.project.session(at=match.pointer, offset=0)


def test_a_pointer_that_two_messages_answer_to_leads_to_neither(books: Shelf) -> None:
    """Same uuid, and long texts that begin alike: their first passages have one pointer; offsets tell them apart."""
    beginning = " ".join(f"{word(n)} harbour" for n in range(200))
    long = [
        claude(1, f"{beginning}\n\n{end}", session=SESSION, role="assistant") for end in ("at low tide", "at high tide")
    ]
    books.write(f"{SESSION}.jsonl", [*said(0), *long])
    books.index()
    matches = books.saying(word(0), session=SESSION)
    twins = [match for match in matches if match.message and match.message.message.uuid == uid(1)]
    assert {match.message and match.message.offset for match in twins} == {1, 2}
    assert twins[0].pointer == twins[1].pointer
    assert books.project.open_pointer(twins[0].pointer).text == twins[0].text
    with pytest.raises(InvalidRequest, match="2 messages") as ambiguous:
        books.project.session(at=twins[0].pointer)
    for offset in (1, 2):
        assert f"glassdex sessions show {SESSION} --offset {offset}" in ambiguous.value.suggestion
        assert (
            books.project.session(SESSION, offset=offset, limit=1).messages[0].text
            == (long[offset - 1]["message"]["content"][0]["text"])
        )


def test_a_session_is_called_by_its_id_its_beginning_or_its_file(talk: Shelf) -> None:
    for reference in (SESSION, SESSION[:8], f"claude/{SESSION}", f"session:claude/{SESSION[:8]}", f"{SESSION}.jsonl"):
        assert talk.project.session(reference, limit=1).session.name == SESSION


def test_a_name_that_means_several_sessions_lists_them(talk: Shelf) -> None:
    with pytest.raises(SessionAmbiguous) as ambiguous:
        talk.project.session("aaaa000")
    assert ambiguous.value.candidates == (f"claude/{SESSION}", f"claude/{OTHER}")
    for nobody in ("bbbb", f"codex/{SESSION}", "a'; DROP TABLE session; --"):
        with pytest.raises(SessionNotFound):
            talk.project.session(nobody)
    for empty in ("", "  ", None):
        with pytest.raises(InvalidRequest, match="no session is named"):
            talk.project.session(empty)


def test_a_session_without_messages_of_its_own_has_an_empty_page(talk: Shelf) -> None:
    talk.write(f"{uid('copy')}.jsonl", [record | {"forkedFrom": {"sessionId": SESSION}} for record in said(*range(10))])
    talk.index()
    page = talk.project.session(uid("copy"))
    assert (page.total, page.messages, page.next, page.previous) == (0, (), None, None)
    with pytest.raises(OffsetOutOfRange, match="no messages of its own"):
        talk.project.session(uid("copy"), offset=1)


DAYS = {  # clocks are put on in March, and back in October
    "march": ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59.999Z"),
    "october": ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59.999Z"),
    "november": ("2026-11-30", "2026-11-29T23:00:00Z", "2026-11-30T22:59:59.999Z"),
}
OUTSIDE = {
    "march": ("2026-03-28T22:59:59.999Z", "2026-03-29T22:00:00Z"),
    "october": ("2026-10-24T21:59:59.999Z", "2026-10-25T23:00:00Z"),
    "november": ("2026-11-29T22:59:59.999Z", "2026-11-30T23:00:00Z"),
}


@pytest.fixture
def dated(books: Shelf) -> Shelf:
    """Sessions of one message at the first and last moment of days in Berlin, and just before and after them."""
    for season, (_, first, last) in DAYS.items():
        for name, at in {"first": first, "last": last}.items():
            session = uid((season, name))
            books.write(f"{session}.jsonl", [claude((season, name), "harbour", session=session, at=at)])
        around = uid((season, "around"))
        both = [claude((season, n), f"harbour {n}", session=around, at=at) for n, at in enumerate(OUTSIDE[season])]
        books.write(f"{around}.jsonl", both)
    books.write(f"{uid('undated')}.jsonl", [claude("undated", "harbour", session=uid("undated"), at=None)])
    books.index()
    return books


@pytest.mark.parametrize("season", DAYS)
def test_a_day_is_included_whole_and_in_its_zone(dated: Shelf, season: str) -> None:
    day = DAYS[season][0]
    found = dated.project.sessions(since=day, until=day, tz="Europe/Berlin")
    assert {one.name for one in found.sessions} == {uid((season, "first")), uid((season, "last"))}
    assert (found.total, found.undated) == (2, 1)
    texts = [match.text for match in dated.matches("harbour", since=day, until=day, tz="Europe/Berlin")]
    assert texts == ["harbour", "harbour"]


def test_without_a_zone_days_are_those_of_utc(dated: Shelf) -> None:
    found = dated.project.sessions(since="2026-11-30", until="2026-11-30")
    assert {one.name for one in found.sessions} == {uid(("november", "last")), uid(("november", "around"))}


def test_a_session_whose_time_is_unknown_is_listed_last_and_in_no_range(dated: Shelf) -> None:
    everything = dated.project.sessions()
    last = everything.sessions[-1]
    assert (last.name, last.started_at, last.ended_at) == (uid("undated"), None, None)
    assert (everything.total, everything.undated) == (10, 0)
    ended = [one.ended_at for one in everything.sessions[:-1]]
    assert ended == sorted(ended, key=lambda time: -(time or 0))
    open_ended = dated.project.sessions(since="1970-01-01")
    assert (open_ended.total, open_ended.undated) == (9, 1)
    assert [len(dated.project.sessions(limit=n).sessions) for n in (1, 3, 50)] == [1, 3, 10]


@pytest.mark.parametrize(
    "options",
    [{"since": "soon"}, {"until": "2026-13-01"}, {"since": "2026-01-01", "tz": "Europe/Atlantis"}, {"limit": 0}],
)
def test_a_range_that_cannot_be_read_is_an_error(dated: Shelf, options: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest):
        dated.project.sessions(**options)  # type: ignore[arg-type]


@pytest.fixture
def printed(run: Run, talk: Shelf) -> Iterator[Run]:
    assert run("index", talk.root, "--project", "talk").code == 0
    yield run


def test_the_command_line_pages_as_the_api_does(printed: Run, talk: Shelf) -> None:
    there: list[str] = []
    cursor: str | None = "0"
    while cursor is not None:
        answer = printed("sessions", "show", SESSION[:8], "--offset", cursor, "--limit", "3", "--json").answer
        page = talk.project.session(SESSION, offset=cursor, limit=3)
        assert (answer["offset"], answer["limit"], answer["total"]) == (page.offset, page.limit, page.total)
        assert (answer.get("next"), answer.get("previous")) == (page.next, page.previous)
        there += [message["text"] for message in answer["messages"]]
        cursor = answer.get("next")
    assert there == talk.texts(SESSION)
    out = printed("sessions", "show", SESSION, "--offset", "3", "--limit", "2").out
    assert "messages 3 to 4 of 10 (0 to 9)" in out
    assert [f"[{n}]" in out for n in (2, 3, 4, 5)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((SESSION, "--offset", "10"), "offset_out_of_range"),
        ((SESSION, "--offset=-1"), "invalid_request"),
        ((SESSION, "--offset", "4.4~000000000000"), "cursor_outdated"),
        (("aaaa",), "session_ambiguous"),
        (("bbbb",), "session_not_found"),
        ((), "invalid_request"),
    ],
)
def test_a_wrong_place_is_bad_input(printed: Run, arguments: tuple[str, ...], code: str) -> None:
    ran = printed("sessions", "show", *arguments, "--project", "talk", "--json")
    assert (ran.code, ran.error["code"]) == (2, code)
