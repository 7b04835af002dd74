"""On real transcripts every message is found, and its match leads to it."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassdex.inspection.sessions.show import SessionMessage
from glassdex.project import Project

CASES = Path(__file__).parents[1] / "data" / "cases"
FILES = sorted(file.name for file in CASES.glob("*.jsonl"))
FACTS = [fact for fact in json.loads((CASES / "expected-claude.json").read_text()) if "contains" in fact]
WORD = re.compile(r"[^\W\d_]{3,}")


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    root = tmp_path_factory.mktemp("cases")
    for file in FILES:
        shutil.copy(CASES / file, root)
    with Project.in_memory(root) as project:
        assert project.index(embed=False).failures == []
        yield project


def whole(project: Project, file: str) -> list[SessionMessage]:
    """The session of a file, page by page."""
    shown: list[SessionMessage] = []
    cursor: str | None = "0"
    while cursor is not None:
        page = project.session(file, offset=cursor, limit=50)
        shown += page.messages
        cursor = page.next
    assert len(shown) == page.total
    return shown


def telling(text: str, frequency: Counter[str]) -> str:
    """The rarest of its words, or all that it has where it has none."""
    words = sorted({*WORD.findall(text.casefold())}, key=lambda word: (frequency[word], word))
    return " ".join(words[:8]) or text[:200]


@pytest.mark.parametrize("file", FILES)
def test_every_message_is_found_and_landed_on(cases: Project, file: str) -> None:
    messages = whole(cases, file)
    assert len(messages) >= 2
    frequency = Counter(word for message in messages for word in {*WORD.findall(message.text.casefold())})
    missed = [
        message.offset for message in messages if not lands_on(cases, file, message, telling(message.text, frequency))
    ]
    assert missed == []


def lands_on(project: Project, file: str, wanted: SessionMessage, query: str) -> bool:
    name = project.session(file, limit=1).session.name
    found = project.search(query, session=name, mode="lexical", matches=100, limit=100)
    there = False
    for match in (match for result in found.results for match in result.matches):
        assert match.message is not None and match.message.offset is not None
        page = project.session(name, offset=match.message.offset, limit=1)
        assert page.messages[0].message == match.message.message
        assert match.text in page.messages[0].text
        there |= page.messages[0] == wanted
    assert wanted.pointer is not None
    opened = project.open_pointer(wanted.pointer)
    assert (opened.state, opened.text) == ("exact", wanted.text) or opened.state == "ambiguous"
    return there


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact['file']}:{fact['contains'][:20]}")
def test_a_search_leads_to_the_line_that_a_reader_found(cases: Project, fact: dict[str, object]) -> None:
    name = cases.session(str(fact["file"]), limit=1).session.name
    roles = (str(fact["role"]),) if "role" in fact else ()
    found = cases.search(f'"{fact["contains"]}"', session=name, roles=roles, mode="lexical", matches=100)
    offsets = [m.message.offset for result in found.results for m in result.matches if m.message]
    shown = [cases.session(name, offset=offset, limit=1).messages[0] for offset in offsets]
    lines = {each.message.line for each in shown if str(fact["contains"]) in each.text}
    assert lines == set(fact.get("lines_with", [fact.get("line")]))  # type: ignore[call-overload]
