"""What every store must do with conversations: one order for pages, counts and positions, and nothing told twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import NAMESPACE_URL, uuid5

from glassdex.model import Chunk, Conversation, Document, Message, Row
from glassdex.storage.protocol import Snapshot, Store, Writer
from glassdex.storage.records import Growth, SessionRecord
from glassdex.testing.notes import note, observation

_MADE_BY: Mapping[str, str] = {"reader": "claude/1", "chunker": "chunks/1", "lexical_identity": "words/1"}
_DISORDERED = (9.0, 3.0, 3.0, None, -4.0, 12.0, 3.0)


@dataclass(frozen=True, slots=True)
class _Said:
    """A message: what it is called, says, and when it was sent."""

    name: str
    text: str
    sent_at: float | None = 0.0

    @property
    def uuid(self) -> str:
        return str(uuid5(NAMESPACE_URL, self.name))


class StoreConversationsConformance:
    """The part of `StoreConformance` that is about conversations."""

    def open_store(self, folder: Path) -> Store:
        """See `StoreConformance`."""
        raise NotImplementedError

    def test_pages_counts_and_positions_agree_on_the_order_of_the_file(self) -> None:
        said = [_Said(f"m{number}", "the same" if number % 2 else "text", at) for number, at in enumerate(_DISORDERED)]
        with self._told({"talk": said}) as store, store.read() as snapshot:
            assert snapshot.has_messages()
            session = _session(snapshot, "talk")
            whole = snapshot.session_page(session.session_id, 0, 500)
            assert [record.message.uuid for record in whole] == [each.uuid for each in said]
            assert session.total == len(said)
            positions = [snapshot.message_position(record.row_id) for record in whole]
            assert positions == list(range(len(said))), f"positions {positions} of the messages in order"
            for limit in range(1, len(said) + 2):
                pages = [snapshot.session_page(session.session_id, n, limit) for n in range(0, len(said), limit)]
                paged = [record.row_id for page in pages for record in page]
                assert paged == [record.row_id for record in whole], f"{limit} at a time: {paged}"
            for place, record in enumerate(whole):
                before = whole[place - 1] if place else None
                after = whole[place + 1] if place + 1 < len(whole) else None
                assert snapshot.messages_around(record) == (before, after), f"around message {place}"
            assert snapshot.session_page(session.session_id, len(said), 5) == []
            assert snapshot.session_page(session.session_id, 0, 0) == []

    def test_a_message_comes_back_as_it_was_published(self) -> None:
        said = [_Said("one", "first", 7.5), _Said("two", "second", None)]
        with self._told({"talk": said}) as store, store.read() as snapshot:
            session = _session(snapshot, "talk")
            assert (session.source, session.title, session.total, session.copied) == ("test", "Talk", 2, 0)
            assert (session.started_at, session.ended_at) == (7.5, 7.5), "a time that is unknown is none"
            messages = [record.message for record in snapshot.session_page(session.session_id, 0, 9)]
            assert messages == [_message(each, number) for number, each in enumerate(said)]
            assert snapshot.recent_messages(session.document_id, 9) == messages
            (named,) = snapshot.messages_named([session.session_id], messages[1].uuid, 0)
            assert named.message == messages[1]
            assert snapshot.messages([named.row_id, 10**9]) == {named.row_id: named}
            assert snapshot.messages_named([session.session_id], messages[1].uuid, 1) == []
            assert snapshot.message_chunks(named.row_id) == [(0, "second")]
            assert snapshot.recent_messages(session.document_id, 1) == messages[1:], "the last ones"

    def test_a_head_is_the_session_without_its_counts(self) -> None:
        talks = {"first": [_Said("a", "a", 1.0), _Said("b", "b", 2.0)], "copy": [_Said("a", "a", 1.0)]}
        with self._told(talks, forks={"copy": "first"}) as store, store.read() as snapshot:
            heads, sessions = snapshot.session_heads(), snapshot.sessions()
            assert [(head.name, head.has_own) for head in heads] == [("copy", False), ("first", True)], f"{heads}"
            for head, session in zip(heads, sessions, strict=True):
                assert all(getattr(session, part.name) == getattr(head, part.name) for part in fields(head))
                assert snapshot.session_heads([head.session_id]) == [head]
                assert snapshot.sessions_named(head.name, 9) == [head]
            assert snapshot.session_heads([]) == []
            assert (heads[0].started_at, heads[1].ended_at) == (None, 2.0), "times are those of its own messages"

    def test_what_a_conversation_has_told_is_known_by_name_and_content(self) -> None:
        said = [_Said("a", "same"), _Said("b", "same"), _Said("c", "other")]
        with self._told({"talk": said}) as store, store.read() as snapshot:
            document_id = _session(snapshot, "talk").document_id
            same, other = _message(said[0], 0), _message(said[2], 2)
            assert snapshot.times_told(document_id, "", same.content_hash) == 2
            assert snapshot.times_told(document_id, "else", same.content_hash) == 0
            for uuid, content, told in (
                (same.uuid, same.content_hash, True),
                (same.uuid, other.content_hash, False),
                (other.uuid, same.content_hash, False),
            ):
                assert snapshot.is_told(document_id, "", uuid, 0, content) == told
            assert not snapshot.is_told(document_id, "", same.uuid, 1, same.content_hash)
            assert not snapshot.is_told(document_id, "else", same.uuid, 0, same.content_hash)

    def test_a_conversation_knows_what_it_goes_on_from_and_who_worked_for_it(self) -> None:
        first = [_Said("a", "a", 1.0), _Said("b", "b", 2.0)]
        talks = {"first": first, "second": [*first, _Said("c", "c", 3.0)], "helper": [_Said("d", "d", 4.0)]}
        told = self._told(talks, forks={"second": "first"}, parents={"helper": "first"})
        with told as store, store.read() as snapshot:
            original, copy = _session(snapshot, "first"), _session(snapshot, "second")
            last = snapshot.session_page(original.session_id, 1, 1)[0].row_id
            assert snapshot.continued_message(copy.session_id) == last
            assert snapshot.continued_message(original.session_id) is None
            assert snapshot.sub_agents(original) == [_session(snapshot, "helper")]
            assert snapshot.sub_agents(copy) == []

    def test_the_figures_are_those_of_the_last_part_of_each_document(self) -> None:
        first = [_Said("a", "a", 1.0)]
        talks = {"first": first, "second": [*first, _Said("b", "b", 2.0)], "copy": first}
        with self._told(talks, forks={"second": "first", "copy": "first"}) as store:
            with store.write() as writer:
                document, chunks = _transcript("second", [_Said("c", "c")], ordinal=2)
                growth = _growth(9, 1, {"token": 3, "key": 1})
                writer.append_document(observation(1, "second.jsonl", "grown"), document, chunks, [1.0], growth, 5.0)
            with store.read() as snapshot:
                figures = snapshot.transcript_figures()
        assert (figures.sessions, figures.messages, figures.copied) == (2, 3, 2), f"{figures}"
        assert (figures.said_characters, figures.indexed_characters) == (400, 40), f"{figures}"
        assert dict(figures.secrets) == {"key": 1, "token": 3}

    def test_a_conversation_is_found_by_its_name_or_the_beginning_of_it(self) -> None:
        with self._told({"talk": [_Said("a", "a")], "talk-2": [_Said("b", "b")]}) as store, store.read() as snapshot:
            for name, found in (("talk", ["talk"]), ("tal", ["talk", "talk-2"]), ("talk-", ["talk-2"]), ("x", [])):
                assert sorted(session.name for session in snapshot.sessions_named(name, 9)) == found, f"{name!r}"
            assert len(snapshot.sessions_named("tal", 1)) == 1
            assert [session.path for session in snapshot.sessions()] == ["talk-2.jsonl", "talk.jsonl"], "by path"
            assert snapshot.sessions([]) == []

    def test_conversations_are_dated_by_their_messages(self) -> None:
        talks = {"early": [_Said("a", "a", 10.0), _Said("b", "b", 30.0)], "none": [_Said("c", "c", None)]}
        with self._told(talks) as store, store.read() as snapshot:
            early = _session(snapshot, "early").session_id
            for since, until, found in ((10.0, 11.0, {early}), (11.0, 30.0, set()), (30.0, 31.0, {early})):
                assert snapshot.sessions_dated(since, until) == found, f"{since} to {until}"
            assert len(snapshot.chunk_ids_dated(20.0, 40.0)) == 1, "and so are their chunks"

    def test_a_message_that_two_conversations_tell_belongs_to_one(self) -> None:
        first, second = [_Said("a", "a", 1.0), _Said("b", "b", 2.0)], _Said("c", "c", 3.0)
        for order in (("first", "second"), ("second", "first")):
            talks = {name: {"first": first, "second": [*first, second]}[name] for name in order}
            with self._told(talks, forks={"second": "first"}) as store, store.read() as snapshot:
                original, copy = _session(snapshot, "first"), _session(snapshot, "second")
                assert (original.total, original.copied) == (2, 0), f"{order}: {original}"
                assert (copy.total, copy.copied) == (1, 2), f"{order}: {copy}"
                (own,) = snapshot.session_page(copy.session_id, 0, 9)
                assert (own.message.uuid, snapshot.message_position(own.row_id)) == (second.uuid, 0)
                (alias,) = snapshot.messages_named([copy.session_id], first[1].uuid, 0)
                assert alias.original_id == snapshot.session_page(original.session_id, 1, 1)[0].row_id
                assert snapshot.message_position(alias.row_id) is None
                assert len(store.chunk_table(snapshot).ids) == 3, "a copy is nobody's candidate"
                assert len(snapshot.chunk_ids_of_session(copy.session_id)) == 1
                assert len(snapshot.chunk_ids_of_roles(["user"])) == 3
                assert len(snapshot.recent_messages(copy.document_id, 9)) == 3, "its file has them all the same"

    def test_when_the_original_goes_the_copy_takes_its_place(self) -> None:
        said = [_Said("a", "a", 1.0)]
        with self._told({"first": said, "second": [*said, _Said("b", "b", 2.0)]}, forks={"second": "first"}) as store:
            with store.write() as writer:
                writer.remove_file(writer.observe(observation(1, "first.jsonl"), "settled"))
            with store.read() as snapshot:
                session = _session(snapshot, "second")
                assert (session.total, session.copied) == (2, 0), f"{session}"
                assert len(store.chunk_table(snapshot).ids) == 2

    def test_what_is_appended_comes_behind_what_is_there(self) -> None:
        with self._told({"talk": [_Said("a", "same"), _Said("b", "b")]}) as store:
            with store.read() as snapshot:
                session, generation = _session(snapshot, "talk"), snapshot.generation
                before = snapshot.session_page(session.session_id, 0, 9)
                digests = snapshot.session_revisions(session.session_id, [0, 1, 2])
                assert snapshot.cursor(session.document_id) == '{"part": 0}'
                length = before[-1].char_end
            with store.write() as writer:
                document, chunks = _transcript("talk", [_Said("c", "same")], ordinal=2, title="Renamed")
                growth = _growth(length + 2, 1)
                look = observation(1, "talk.jsonl", "grown")
                document_id, added = writer.append_document(look, document, chunks, [1.0], growth, 5.0)
            with store.read() as snapshot:
                assert snapshot.generation == generation + 1
                grown = snapshot.session_page(session.session_id, 0, 9)
                assert grown[:2] == before, "what was there has stayed as it was"
                assert (grown[2].message.uuid, grown[2].char_start) == (_Said("c", "same").uuid, length + 2)
                records = snapshot.document_chunks(document_id)
                assert [record.ordinal for record in records] == [0, 1, 2]
                assert len({record.key for record in records}) == 3, "equal texts have keys of their own"
                assert [record.chunk_id for record in records][2:] == added
                assert snapshot.session_revisions(session.session_id, [0, 1, 2]) == digests
                assert snapshot.cursor(document_id) == '{"part": 1}'
                assert _session(snapshot, "talk").title == "Renamed"
                assert snapshot.lost_parts() == {}

    def test_a_part_with_nothing_in_it_is_no_change(self) -> None:
        with self._told({"talk": [_Said("a", "a")]}) as store:
            with store.read() as snapshot:
                generation, document_id = snapshot.generation, _session(snapshot, "talk").document_id
            with store.write() as writer:
                document, _ = _transcript("talk", [], ordinal=1)
                growth = _growth(3, 1)
                writer.append_document(observation(1, "talk.jsonl", "more"), document, [], [], growth, 0.0)
            with store.read() as snapshot:
                assert (snapshot.generation, snapshot.cursor(document_id)) == (generation, '{"part": 1}')

    def test_a_revision_changes_with_what_is_before_it_and_with_nothing_else(self) -> None:
        def digests(*said: _Said) -> list[str]:
            with self._told({"talk": said}) as store, store.read() as snapshot:
                return snapshot.session_revisions(_session(snapshot, "talk").session_id, [0, 1, 2, 3])

        a, b, c = (_Said(name, name) for name in "abc")
        first = digests(a, b, c)
        assert len(set(first)) == 4 and digests(a, b, c) == first
        for changed, alike in (((a, c, b), 2), ((b, a, c), 1), ((a, replace(b, text="x"), c), 2)):
            assert [one == other for one, other in zip(first, digests(*changed), strict=True)] == [
                place < alike for place in range(4)
            ], f"{[each.name for each in changed]}"

    @contextmanager
    def _told(
        self, talks: Mapping[str, Sequence[_Said]], forks: Mapping[str, str] = {}, parents: Mapping[str, str] = {}
    ) -> Iterator[Store]:
        with TemporaryDirectory() as folder:
            store = self.open_store(Path(folder))
            with store.write() as writer:
                writer.add_root("/talks", "")
            for name, said in talks.items():
                with store.write() as writer:
                    _publish(writer, name, said, forks.get(name, ""), parents.get(name, ""))
            yield store
            store.close()


def _publish(writer: Writer, name: str, said: Sequence[_Said], forked_from: str, parent: str) -> None:
    document, chunks = _transcript(name, said, forked_from=forked_from, parent=parent)
    look = observation(1, f"{name}.jsonl", name)
    growth = _growth(0, 0)
    writer.replace_document(look, document, chunks, [1.0] * len(chunks), _MADE_BY, 0.0, growth)


def _growth(base: int, part: int, secrets: Mapping[str, int] = {}) -> Growth:
    """The last part that there is, number `part`: of 100 characters of each part 10 are indexed."""
    said = 100 * (part + 1)
    return Growth(base, f'{{"part": {part}}}', True, said, said // 10, secrets)


def _transcript(
    name: str,
    said: Sequence[_Said],
    *,
    ordinal: int = 0,
    forked_from: str = "",
    parent: str = "",
    title: str = "Talk",
) -> tuple[Document, list[Chunk]]:
    """A transcript of one row and one chunk a message, the first of them `ordinal` among those of its file."""
    document, chunks = note(title, [each.text for each in said])
    rows: list[Row] = []
    for number, (row, each) in enumerate(zip(document.rows, said, strict=True), start=ordinal):
        rows.append(replace(row, kind="message", ordinal=number, category="user", message=_message(each, number)))
    conversation = Conversation("test", name, title=title, forked_from=forked_from, parent=parent)
    made = replace(document, format="test", rows=tuple(rows), conversations=(conversation,), metadata={})
    return made, [replace(chunk, row=row) for chunk, row in zip(chunks, rows, strict=True)]


def _message(said: _Said, number: int) -> Message:
    return Message(
        conversation="", uuid=said.uuid, block=0, role="user", content_hash=sha256(said.text.encode()).digest()[:16],
        sent_at=said.sent_at, speaker="", tool="", injected=False, sidechain=number % 2 == 1, error=False, parent="",
        line=number + 1, byte_start=number * 10, byte_end=number * 10 + 9, turn=0, left_out=0, opening=said.text,
    )  # fmt: skip


def _session(snapshot: Snapshot, name: str) -> SessionRecord:
    (found,) = (session for session in snapshot.sessions() if session.name == name)
    return found
