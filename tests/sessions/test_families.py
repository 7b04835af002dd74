"""Sessions that continue each other in any way give the same index, in whatever order and pieces they are read."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sessions.shelf import Shelf, contents, rebuilt, shelf
from tests.sessions.writing import Record, claude, codex_head, codex_item, uid


@dataclass(frozen=True)
class Member:
    """A session, what it took over from another one, and what it says itself: (what, when)."""

    name: str
    shape: str
    inherited: tuple[tuple[str, float | None], ...]
    own: tuple[tuple[str, float | None], ...]
    origin: str
    tells_origin: bool

    @property
    def told(self) -> tuple[tuple[str, float | None], ...]:
        return (*self.inherited, *self.own)

    @property
    def file(self) -> str:
        return f"{self.name}.jsonl" if self.shape == "claude" else f"rollout-{self.name}.jsonl"

    @property
    def records(self) -> list[Record]:
        if self.shape == "codex":
            more: Record = {"forked_from_id": self.origin} if self.origin else {}
            return [codex_head(self.name, **more), *(codex_item("user", text, at) for text, at in self.told)]
        origin = {"forkedFrom": {"sessionId": self.origin}} if self.origin and self.tells_origin else {}
        return [
            claude(text, text, session=self.name, at=at) | (origin if (text, at) in self.inherited else {})
            for text, at in self.told
        ]


@st.composite
def families(draw: st.DrawFn) -> list[Member]:
    shape = draw(st.sampled_from(["claude", "codex"]))
    made: list[Member] = []
    for number in range(draw(st.integers(2, 4))):
        origin = draw(st.sampled_from([None, *made]))
        inherited = origin.told[: draw(st.integers(0, len(origin.told)))] if origin else ()
        own = []
        for turn in range(draw(st.integers(0, 3))):
            # In Codex turns are known by what they say alone, and people say the same again.
            again = shape == "codex" and draw(st.booleans())
            own.append(
                (
                    "go on" if again else f"message {turn} of {number}",
                    draw(st.sampled_from([None, 1.0, 5.0, 5.0, 90.0])),
                )
            )
        made.append(
            Member(
                uid(("member", number)),
                shape,
                inherited,
                tuple(own),
                origin.name if origin else "",
                draw(st.booleans()),
            )
        )
    return made


def place(books: Shelf, member: Member, end: int | None = None) -> None:
    books.write(member.file, member.records[:end])
    books.index()


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_family_of_sessions_is_the_same_however_it_is_read(data: st.DataObject) -> None:
    family = data.draw(families())
    with shelf() as books:
        for member in data.draw(st.permutations(family)):
            place(books, member, data.draw(st.integers(1, 4)))
        for member in data.draw(st.permutations(family)):
            place(books, member)
        same_as_rebuilt(books)
        if family[0].shape == "claude":
            told = {text for member in family for text, _ in member.told}
            assert sorted(shown(books)) == sorted(told), "each message once, and none is lost"
        for gone in data.draw(st.permutations(family))[:2]:
            (books.root / gone.file).unlink()
            books.index()
            same_as_rebuilt(books)


def shown(books: Shelf) -> list[str]:
    """What all sessions show."""
    with books.project.store.read() as snapshot:
        names = [session.name for session in snapshot.sessions()]
    return [text for name in names for text in books.texts(name)]


def same_as_rebuilt(books: Shelf) -> None:
    with rebuilt(books) as anew:
        found, expected = contents(books.project), contents(anew)
        for part in expected:
            assert found[part] == expected[part], part
