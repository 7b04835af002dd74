"""A message that several files tell is one message: that of the session which had it first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import pytest

from glassdex.search.request import SearchOptions
from tests.sessions.shelf import Shelf, contents, rebuilt, shelf
from tests.sessions.writing import Record, claude, codex_head, codex_item, uid, word

A, B, C = uid("session A"), uid("session B"), uid("session C")
CODEX_A, CODEX_B, CODEX_C = (f"rollout-{session}.jsonl" for session in (A, B, C))


def said(session: str, *numbers: int, late: float = 0.0) -> list[Record]:
    """Messages that follow each other; a number stands for one message wherever it is told."""
    return [
        claude(
            n,
            f"{word(n)} harbour",
            session=session,
            role=("user", "assistant")[n % 2],
            after=n - 1 if n else None,
            at=n + late,
        )
        for n in numbers
    ]


def copied(records: Sequence[Record], into: str | None = None, forked_from: str | None = None) -> list[Record]:
    """Copies as a resumed session begins with them: with its own id, or the old one's, with or without the origin."""
    own = {} if into is None else {"sessionId": into}
    origin = {} if forked_from is None else {"forkedFrom": {"sessionId": forked_from}}
    return [record | own | origin for record in records]


Files = dict[str, list[Record]]
FIRST = said(A, 0, 1, 2, 3)


def one_resumed(into: str | None, forked_from: str | None) -> Files:
    return {A: [*FIRST, *said(A, 4)], B: [*copied(FIRST, into, forked_from), *said(B, 20, 21)]}


def chain(into: Callable[[str], str | None], origin: Callable[[str], str | None]) -> Files:
    """A, resumed as B, which was resumed as C."""
    b = [*copied(FIRST, into(B), origin(A)), *said(B, 20, 21)]
    return {A: FIRST, B: b, C: [*copied(b, into(C), origin(B)), *said(C, 40)]}


FAMILIES: dict[str, Files] = {
    "ids kept": one_resumed(None, None),
    "ids changed": one_resumed(B, None),
    "ids changed, origin told": one_resumed(B, A),
    "a chain": chain(lambda session: None, lambda session: None),
    "a chain, ids changed": chain(lambda session: session, lambda session: None),
    "a chain, origin told": chain(lambda session: session, lambda session: session),
}
OWN: dict[str, list[int]] = {A: [0, 1, 2, 3], B: [20, 21], C: [40]}


def placed(books: Shelf, files: Files, order: Sequence[str]) -> None:
    """Files that turn up one after the other."""
    for session in order:
        books.write(f"{session}.jsonl", files[session])
        books.index()


@pytest.mark.parametrize("family", FAMILIES)
def test_in_whatever_order_files_turn_up_the_messages_are_those_of_the_first(family: str) -> None:
    files = FAMILIES[family]
    with shelf() as together:
        for session, records in files.items():
            together.write(f"{session}.jsonl", records)
        together.index()
        expected = contents(together.project)
        for session in files:
            own = [4] if session == A and len(files) == 2 else []
            assert together.texts(session) == [f"{word(n)} harbour" for n in [*OWN[session], *own]]
        numbers = [0, 1, 2, 3, 20, 21]
        assert [len(together.saying(word(n))) for n in numbers] == [1] * len(numbers)
        for order in permutations(files):
            with shelf() as one_by_one:
                placed(one_by_one, files, order)
                found = contents(one_by_one.project)
                assert found["message"] == expected["message"], order
                assert found["chunk"] == expected["chunk"], order


def test_forks_of_a_deleted_original_share_its_messages_out_once(books: Shelf) -> None:
    files = {
        B: [*copied(FIRST, B, A), *said(B, 20)],
        C: [*copied(FIRST, C, A), *said(C, 40)],
    }
    placed(books, files, (C, B))
    assert books.texts(B) == [f"{word(n)} harbour" for n in (0, 1, 2, 3, 20)], "B went on first"
    assert books.texts(C) == [f"{word(40)} harbour"]
    assert all(len(books.saying(word(n))) == 1 for n in range(4))


def test_a_pointer_into_a_copy_leads_to_the_original_and_back_when_that_is_gone(books: Shelf) -> None:
    files = one_resumed(B, A)
    placed(books, files, (B,))
    (match,) = books.saying(word(2))
    assert match.pointer.startswith(f"session:claude/{B}#{uid(2)}.0@")
    assert books.project.open_pointer(match.pointer).state == "exact"

    placed(books, files, (A,))
    opened = books.project.open_pointer(match.pointer)
    assert (opened.state, opened.text) == ("moved", f"{word(2)} harbour")
    assert opened.resolved is not None and opened.resolved.startswith(f"session:claude/{A}#{uid(2)}.0@")
    assert opened.file is not None and opened.file.endswith(f"{A}.jsonl")
    page = books.project.session(at=match.pointer, limit=1)
    assert (page.session.name, page.offset, page.messages[0].text) == (A, 2, f"{word(2)} harbour")

    (books.root / f"{A}.jsonl").unlink()
    books.index()
    assert books.texts(B) == [f"{word(n)} harbour" for n in (0, 1, 2, 3, 20, 21)]
    assert books.project.open_pointer(match.pointer).state == "exact"
    back = books.project.open_pointer(opened.resolved)
    assert (back.state, back.text, back.resolved) == ("moved", f"{word(2)} harbour", match.pointer)
    with rebuilt(books) as anew:
        assert contents(anew) == contents(books.project)


def test_a_copy_that_goes_on_changes_nothing_for_the_one_it_was_made_from(books: Shelf) -> None:
    """While B holds copies alone nothing tells which was first; once it goes on, everything does."""
    placed(books, {B: copied(FIRST, B), A: FIRST}, (B, A))
    books.append(f"{B}.jsonl", said(B, 20, 21))
    books.index()
    assert books.texts(A) == [f"{word(n)} harbour" for n in range(4)]
    assert books.texts(B) == [f"{word(n)} harbour" for n in (20, 21)]
    with rebuilt(books) as anew:
        assert contents(anew)["message"] == contents(books.project)["message"]


def test_scopes_and_statistics_do_not_count_copies() -> None:
    with shelf() as alone, shelf() as both:
        alone.write(f"{A}.jsonl", FIRST)
        both.write(f"{A}.jsonl", FIRST)
        both.write(f"{B}.jsonl", copied(FIRST, B, A))
        for books in (alone, both):
            books.index()
        scopes: list[SearchOptions] = [
            {},
            {"roles": ("user",)},
            {"since": "2026-11-30"},
            {"session": A},
            {"in_document": f"{A}.jsonl"},
        ]
        for options in scopes:
            runs = [books.project.search("harbour", **options) for books in (alone, both)]
            frequencies, sizes, found = (
                [[t.document_frequency for t in run.trace.terms] for run in runs],
                [run.trace.scope_total for run in runs],
                [[(m.pointer, m.score) for r in run.results for m in r.matches] for run in runs],
            )
            for pair in (frequencies, sizes, found):
                assert pair[0] == pair[1], options
        assert alone.project.status().counts.chunks == 4
        assert both.project.search("harbour", mode="lexical", session=B).results == ()
        assert both.project.search("harbour", mode="lexical", in_document=f"{B}.jsonl").results == ()
        assert [one.name for one in both.project.sessions().sessions] == [A]


def rollout(session: str, texts: Sequence[str], origin: str | None = None, late: float = 0.0) -> list[Record]:
    """Codex writes the history of a fork again, at the time of the fork."""
    more = {} if origin is None else {"forked_from_id": origin}
    items = [codex_item(("user", "assistant")[n % 2], text, n + late) for n, text in enumerate(texts)]
    return [codex_head(session, at=late, **more), *items]


HISTORY = [f"{word(n)} harbour" for n in range(4)]


@pytest.mark.parametrize("order", list(permutations([CODEX_A, CODEX_B, CODEX_C])))
def test_forks_of_a_rollout_begin_with_its_messages(books: Shelf, order: Sequence[str]) -> None:
    files = {
        CODEX_A: rollout(A, [*HISTORY, "go on", f"{word(9)} a"]),
        CODEX_B: rollout(B, [*HISTORY, f"{word(20)} b", "yes", "go on"], A, 100.0),
        CODEX_C: rollout(C, [*HISTORY, f"{word(20)} b", f"{word(40)} c"], B, 200.0),
    }
    for name in order:
        books.write(name, files[name])
        books.index()
    assert books.texts(A) == [*HISTORY, "go on", f"{word(9)} a"]
    assert books.texts(B) == [f"{word(20)} b", "yes", "go on"], "said again, not copied"
    assert books.texts(C) == [f"{word(40)} c"]


def test_forks_of_a_rollout_that_is_gone(books: Shelf) -> None:
    books.write(CODEX_C, rollout(C, [*HISTORY, f"{word(40)} c"], A, 200.0))
    books.write(CODEX_B, rollout(B, [*HISTORY, f"{word(20)} b"], A, 100.0))
    books.index()
    assert books.texts(B) == [*HISTORY, f"{word(20)} b"]
    assert books.texts(C) == [f"{word(40)} c"]


def test_a_rollout_that_was_copied_to_another_folder_is_one_session(books: Shelf) -> None:
    books.write(CODEX_A, rollout(A, HISTORY))
    books.index()
    (before,) = books.saying(word(1))
    books.write(f"archived/{CODEX_A}", rollout(A, HISTORY))
    books.index()
    assert books.texts(A) == HISTORY
    (match,) = books.saying(word(1))
    assert match.pointer == before.pointer
    assert books.project.open_pointer(match.pointer).state == "exact"


def test_sessions_that_say_the_same_by_chance_stay_apart(books: Shelf) -> None:
    books.write(CODEX_A, rollout(A, ["hello", "hello to you"]))
    books.write(CODEX_B, rollout(B, ["hello", "hello to you"]))
    books.index()
    assert books.texts(A) == books.texts(B) == ["hello", "hello to you"]


def test_a_transcript_under_another_name_is_found_by_the_ids_of_its_messages(books: Shelf) -> None:
    books.write(f"{A}.jsonl", FIRST)
    books.index()
    (match,) = books.saying(word(1))
    (books.root / f"{A}.jsonl").rename(books.root / f"{B}.jsonl")
    books.index()
    opened = books.project.open_pointer(match.pointer)
    assert (opened.state, opened.text) == ("moved", match.text)
    assert books.project.session(at=match.pointer, limit=1).messages[0].text == match.text
