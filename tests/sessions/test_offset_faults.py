"""A match whose place cannot be told is a match all the same, and the trace says what is the matter."""

from __future__ import annotations

import pytest

from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from tests.sessions.shelf import Shelf
from tests.sessions.writing import claude, uid, word

SESSION = uid("session")


@pytest.fixture
def talk(books: Shelf) -> Shelf:
    said = [claude(n, f"{word(n)} harbour", session=SESSION, after=n - 1 if n else None) for n in range(4)]
    books.write(f"{SESSION}.jsonl", said)
    books.index()
    return books


def test_where_counting_fails_the_match_comes_without_an_offset(talk: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    count = SqliteSnapshot.message_position

    def failing(self: SqliteSnapshot, row_id: int) -> int | None:
        offset = count(self, row_id)
        if offset == 2:
            raise RuntimeError("the index of the sequence is torn")
        return offset

    monkeypatch.setattr(SqliteSnapshot, "message_position", failing)
    found = talk.project.search("harbour", mode="lexical", matches=9)
    by_text = {match.text: match for result in found.results for match in result.matches}
    offsets = {n: (place := by_text[f"{word(n)} harbour"].message) and place.offset for n in range(4)}
    assert offsets == {0: 0, 1: 1, 2: None, 3: 3}
    lost = by_text[f"{word(2)} harbour"]
    assert lost.message is not None and lost.message.message.uuid == uid(2)
    assert talk.project.open_pointer(lost.pointer).text == lost.text
    (note,) = found.trace.notes
    assert "the index of the sequence is torn" in note and f"{uid(2)}.0" in note
    stage = next(stage for stage in found.trace.stages if stage.name == "locate")
    assert (stage.measured["located"], stage.measured["without_offset"]) == (3, 1)


def test_where_the_message_is_gone_from_the_store_its_passage_is_still_found(talk: Shelf) -> None:
    with talk.project.store.write() as writer:
        writer.connection.execute("DELETE FROM message WHERE uuid = ?", (uid(2),))
        writer.changed = True
    found = talk.project.search(word(2), mode="lexical", matches=9)
    (match,) = [m for result in found.results for m in result.matches if word(2) in m.text]
    assert match.message is None
    (note,) = found.trace.notes
    assert "offset" in note and match.chunk_key in note
    stage = next(stage for stage in found.trace.stages if stage.name == "locate")
    assert stage.measured["without_offset"] == 1
    assert talk.project.open_pointer(match.pointer).text == match.text


def test_a_message_out_of_the_sequence_has_no_offset(talk: Shelf) -> None:
    with talk.project.store.write() as writer:
        writer.connection.execute(
            "UPDATE message SET original_id = (SELECT row_id FROM message WHERE uuid = ?) WHERE uuid = ?",
            (uid(0), uid(2)),
        )
        writer.changed = True
    found = talk.project.search(word(2), mode="lexical", matches=9)
    (match,) = [m for result in found.results for m in result.matches if word(2) in m.text]
    assert match.message is not None and match.message.offset is None
    assert any("not in the sequence" in note for note in found.trace.notes)
