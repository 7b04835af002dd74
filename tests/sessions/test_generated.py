"""Whatever a transcript has been through: a match leads to its message, by offset and by pointer."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassdex.project import Project
from glassdex.search.results import Match
from tests.sessions.generating import SESSION, Shape, Told, Transcript, begun, cut_short, grown
from tests.sessions.shelf import Shelf, contents, rebuilt, shelf

SHAPES: list[Shape] = ["claude", "codex", "codex with ids"]


def as_told(project: Project, told: tuple[Told, ...]) -> None:
    """The sequence is what the generator said, in its order, each message once."""
    if not told:
        return
    page = project.session(SESSION, limit=500)
    assert page.total == len(told)
    found = [
        Told(shown.message.uuid if each.uuid else "", shown.message.role, shown.text)
        for shown, each in zip(page.messages, told, strict=True)
    ]
    assert found == list(told)


def pointers(project: Project, told: tuple[Told, ...]) -> dict[int, str]:
    """Each message is found by its word, and its match leads to it; by offset, its pointer."""
    led: dict[int, str] = {}
    for text in {each.text for each in told}:
        wanted = [offset for offset, each in enumerate(told) if each.text == text]
        results = project.search(text.split()[0], mode="lexical", matches=100).results
        matches = [match for result in results for match in result.matches]
        for match in matches:
            lands(project, match)
        own = [match for match in matches if match.text == text]
        assert sorted(match.message.offset or 0 for match in own if match.message) == wanted
        led |= {
            match.message.offset: match.pointer for match in own if match.message and match.message.offset is not None
        }
    for offset, each in enumerate(told):
        assert project.session(SESSION, at=led[offset], limit=1).messages[0].text == each.text
    return led


def lands(project: Project, match: Match) -> None:
    assert match.message is not None and match.message.offset is not None
    (shown,) = project.session(SESSION, offset=match.message.offset, limit=1).messages
    assert shown.message == match.message.message
    assert shown.text == match.text
    opened = project.open_pointer(match.pointer)
    assert (opened.state, opened.text) == ("exact", match.text)


def still_lead(project: Project, before: dict[int, str], told: tuple[Told, ...], states: set[str]) -> None:
    for offset, pointer in before.items():
        opened = project.open_pointer(pointer)
        assert opened.text == told[offset].text, opened.detail
        assert opened.state in states
        (shown,) = project.session(at=pointer, limit=1).messages
        assert shown.text == told[offset].text


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_a_match_leads_to_its_message_whatever_happened_to_the_file(shape: Shape, data: st.DataObject) -> None:
    first = data.draw(grown(begun(shape), 1, 7), label="first")
    second = data.draw(grown(first, 0, 5), label="second")
    third = second.again(range(len(second.told))) if second.told else second
    with shelf() as kept:
        further = first.saying("user", "unfinished", 0.0)
        kept.write(first.name, cut_short(first, further, data.draw(st.integers(0, 1000), label="cut")).content)
        kept.index()
        as_told(kept.project, first.told)
        made = pointers(kept.project, first.told)
        kept.touch(first.name)
        kept.index()
        assert pointers(kept.project, first.told) == made
        for grew in (second, third):
            kept.write(grew.name, grew.content)
            kept.index()
            as_told(kept.project, grew.told)
            assert pointers(kept.project, grew.told).items() >= made.items()
        made = pointers(kept.project, third.told)
        move(kept, third)
        kept.index()
        assert pointers(kept.project, third.told) == made
        still_lead(kept.project, made, third.told, {"exact"})
        with rebuilt(kept) as anew:
            assert pointers(anew, third.told) == made
            found, expected = contents(kept.project), contents(anew)
            for part in expected:
                assert found[part] == expected[part], part


def move(kept: Shelf, transcript: Transcript) -> None:
    folder = kept.root / "archived"
    folder.mkdir()
    shutil.move(kept.root / transcript.name, folder / transcript.name)
