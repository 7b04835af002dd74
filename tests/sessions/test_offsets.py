"""What a search prints is what the reader takes: the offset of the message, never a number of a line or a row.

In this session line number, row number and offset differ for every message: it begins with what another session told,
and lines that say nothing stand between those that do.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from glassdex.project import Project
from tests.cli.running import Run
from tests.sessions.writing import Record, claude, lines, uid, word

FIRST, SECOND = uid("first session"), uid("second session")
COPIED, OWN = 5, 9


def told(session: str, numbers: range) -> list[Record]:
    return [
        claude(
            number,
            f"{word(number)} is the word of message {number}",
            session=session,
            role=("user", "assistant")[number % 2],
            after=number - 1 if number else None,
            at=float(number),
        )
        for number in numbers
    ]


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    """The transcripts, indexed as the project `talk`."""
    root = tmp_path / "talk"
    root.mkdir()
    silent: list[Record | bytes] = [
        {"type": "mode", "mode": "normal", "sessionId": SECOND},
        b"",
        b"\0\0",
        {"type": "novel"},
    ]
    copies = [
        record | {"forkedFrom": {"sessionId": FIRST}, "sessionId": SECOND} for record in told(FIRST, range(COPIED))
    ]
    own: list[Record | bytes] = [
        row for record in told(SECOND, range(COPIED, COPIED + OWN)) for row in (b"", record, record)
    ]
    (root / f"{FIRST}.jsonl").write_bytes(lines(told(FIRST, range(COPIED))))
    (root / f"{SECOND}.jsonl").write_bytes(lines([*silent, *copies, *own]))
    with Project.create("talk", [root]) as project:
        project.index(embed=False)
    return root


def test_the_raw_numbers_are_other_numbers(folder: Path) -> None:
    with Project.open("talk") as project, project.store.read() as snapshot:
        session = next(one for one in snapshot.sessions() if one.name == SECOND)
        records = snapshot.session_page(session.session_id, 0, 500)
    assert len(records) == OWN
    for offset, record in enumerate(records):
        assert offset not in (record.ordinal, record.ordinal + 1, record.message.line, record.message.line - 1)
        assert offset not in (record.row_id, record.row_id - 1)


@pytest.mark.parametrize("offset", range(OWN))
def test_every_way_in_names_the_offset(folder: Path, run: Run, offset: int) -> None:
    wanted = word(COPIED + offset)
    said = f"{wanted} is the word of message {COPIED + offset}"

    with Project.open("talk") as project:
        matches = [m for r in project.search(wanted, mode="lexical", matches=9).results for m in r.matches]
        (match,) = [match for match in matches if wanted in match.text]
        assert match.message is not None and match.message.offset == offset
        assert project.session(SECOND, offset=offset, limit=1).messages[0].text == said

    answer = run("search", wanted, "--mode", "lexical", "--project", "talk", "--json").answer
    result = next(result for result in answer["results"] if result["session"]["id"] == SECOND)
    found = next(match for match in result["matches"] if wanted in match["text"])
    assert found["offset"] == offset
    shown = run("sessions", "show", SECOND, "--offset", str(found["offset"]), "--limit", "1", "--json").answer
    assert [(each["offset"], each["text"]) for each in shown["messages"]] == [(offset, said)]
    at = run("sessions", "show", "--at", found["pointer"], "--limit", "1", "--json").answer
    assert at["messages"] == shown["messages"]

    printed = run("search", wanted, "--mode", "lexical", "--project", "talk").out
    call = next(row.strip() for row in printed.splitlines() if row.strip().startswith("glassdex sessions show"))
    assert call == f"glassdex sessions show {SECOND} --offset {offset}"
    page = run(*shlex.split(call)[1:], "--limit", "1").out
    assert f"[{offset}] " in page and said in page
    assert not re.search(r"\bL\d+\b|\blines? \d", printed + page), "a raw line number is printed"
