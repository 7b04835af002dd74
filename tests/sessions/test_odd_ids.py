"""Ids that no store can hold, and files that others must not wait for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from glassdex.indexing.publish import Publisher
from tests.sessions.shelf import Shelf
from tests.sessions.writing import claude, codex_head, codex_item, uid, word

SESSION = uid("odd")


def escaped(record: dict[str, Any]) -> bytes:
    """As a program writes it that escapes whatever is not ASCII."""
    return json.dumps(record).encode()


def test_a_lone_surrogate_in_an_id_is_that_record_s_own_affair(books: Shelf) -> None:
    odd = claude(0, f"harbour {word(0)}", session=SESSION) | {"uuid": "\ud800abc", "parentUuid": "\udfff"}
    books.write(f"{SESSION}.jsonl", [escaped(odd), claude(1, f"harbour {word(1)}", session=SESSION)])
    item = codex_item("user", f"rollout {word(2)}", 0)
    item["payload"]["id"] = "\ud800"
    books.write("rollout-x.jsonl", [codex_head(uid("rollout")), escaped(item)])
    assert not books.index().failures
    for query in (word(0), word(1), word(2)):
        (match,) = books.saying(query)
        assert books.project.open_pointer(match.pointer).state == "exact"


def test_a_file_that_cannot_be_stored_does_not_keep_the_others_back(
    books: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    books.write("a.jsonl", [claude(0, "apple", session="a")])
    books.write("b.jsonl", [claude(1, "banana", session="b")])
    writing = Publisher._write

    def refusing(publisher: Publisher, writer: object, item: object) -> object:
        if item.file.observation.path == "a.jsonl":  # type: ignore[attr-defined]
            raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")
        return writing(publisher, writer, item)  # type: ignore[arg-type]

    monkeypatch.setattr(Publisher, "_write", refusing)
    report = books.project.index(embed=False)
    assert [failure.path for failure in report.failures] == ["a.jsonl"]
    assert books.saying("banana")
