"""docs/sessions.md says what the code does: its tables, its commands, and the reader that it shows."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from glassdex.cli.main import app
from glassdex.project import Project
from glassdex.reading.protocol import Reader
from glassdex.reading.registry import discovery
from glassdex.reading.transcripts import chat_fields as fields
from glassdex.reading.transcripts.protocol import TranscriptReader
from glassdex.testing import ReaderConformance

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "sessions.md").read_text(encoding="utf-8")
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC4"
LINES = [
    {"who": "me", "said": f"Good morning, {TOKEN}", "n": "17", "at": 1764500000},
    {"who": "bot", "said": "Good morning. The owl was here.", "n": "18", "at": 1764500004},
    ["odd"],
    {"who": "me"},
]


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [block for named, block in found if named == language]


def example() -> str:
    """The reader; the other block of code tests it."""
    code, _ = blocks("python")
    return code


def table(first: str) -> dict[str, list[str]]:
    """By their first cell the names in the second one of a table's rows, from the row that begins with `first` on."""
    rest = PAGE[PAGE.index(f"\n| {first} |") :].partition("\n\n")[0]
    rows = re.findall(r"^\| ([^|]+) \| (.+?) \|$", rest, re.MULTILINE)
    return {name: re.findall(r"`([^`]+)`", cells) for name, cells in rows}


def test_the_names_are_those_of_the_code() -> None:
    assert table("the list of messages, or of conversations") == {
        "the list of messages, or of conversations": list(fields.MESSAGES),
        "a conversation's id": list(fields.CONVERSATION_ID),
        "its title": list(fields.TITLE),
        "a message's id": list(fields.MESSAGE_ID),
        "its role": list(fields.ROLE),
        "its speaker": list(fields.NAME),
        "its content": list(fields.CONTENT),
        "its time": list(fields.TIME),
        "thoughts": list(fields.THINKING),
        "the call that a result answers": list(fields.CALL_ID),
    }


def test_the_words_for_roles_are_those_of_the_code() -> None:
    assert {word: role for role, words in table("user").items() for word in words} == fields.ROLES


def commands() -> Iterator[list[str]]:
    for line in "\n".join(blocks("")).splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["glassdex"]:
            yield words[1:]
    for inline in re.findall(r"`glassdex ([^`]+)`", PAGE):
        yield shlex.split(inline)


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_command_and_option_is_there(words: list[str]) -> None:
    command: Any = get_command(app)
    while words and getattr(command, "commands", None):
        command, words = command.commands[words[0]], words[1:]
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("-")} <= known


class TestTheReaderOfThePage(ReaderConformance):
    text_format = False

    def reader(self) -> Reader:
        space: dict[str, Any] = {}
        exec(example(), space)
        made = space["DiaryBotReader"]()
        assert isinstance(made, TranscriptReader)
        return made

    def samples(self) -> Mapping[str, bytes]:
        return {"diary.jsonl": "".join(json.dumps(line) + "\n" for line in LINES).encode()}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's reader, installed as files on the path, by the page's own entry point."""
    packages = tmp_path / "packages"
    (packages / "my_package").mkdir(parents=True)
    (packages / "my_package" / "__init__.py").touch()
    (packages / "my_package" / "diarybot.py").write_text(example(), encoding="utf-8")
    metadata = packages / "diarybot-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: diarybot\nVersion: 1.0\n", encoding="utf-8")
    (entry_point,) = (line for line in blocks("toml")[0].splitlines() if line.startswith("diarybot"))
    entry_points = "[glassdex.readers]\n" + entry_point.replace('"', "")
    (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    discovery.cache_clear()
    yield
    discovery.cache_clear()
    sys.modules.pop("my_package.diarybot", None)
    sys.modules.pop("my_package", None)


@pytest.mark.usefixtures("installed")
def test_the_conformance_test_of_the_page_tests_the_reader() -> None:
    space: dict[str, Any] = {}
    exec(blocks("python")[1], space)
    suite = space["TestDiaryBotReader"]()
    assert suite.samples()
    tests = [name for name in dir(suite) if name.startswith("test_")]
    assert len(tests) > 5
    for name in tests:
        getattr(suite, name)()


def test_people_with_names_are_a_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    (said,) = blocks("json")
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "owl.json").write_text(said, encoding="utf-8")
    with Project.create("talks", [tmp_path / "talks"], kind="transcripts") as project:
        project.index(embed=False)
        assert [shown.message.speaker for shown in project.session("owl").messages] == ["Caroline", "Melanie"]


@pytest.mark.usefixtures("installed")
def test_the_reader_works_when_it_is_installed(tmp_path: Path) -> None:
    file = tmp_path / "diary" / "may.jsonl"
    file.parent.mkdir()
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    with Project.create("diary", [file.parent]) as project:
        assert project.index(embed=False).failures == []
        (result,) = project.search("owl", mode="lexical").results
        assert result.session and (result.session.source, result.session.name) == ("diarybot", "may")
        assert result.session.title == "Good morning, " + "[redacted: github token]".ljust(len(TOKEN))
        (match,) = result.matches
        assert match.message and match.message.offset == 1
        page = project.session(at=match.pointer)
        assert [shown.text for shown in page.messages] == ["Good morning. The owl was here."]
        with file.open("a", encoding="utf-8") as grown:
            grown.write(json.dumps({"who": "me", "said": "Which owl?", "n": "19"}) + "\n")
        project.index(embed=False)
        page = project.session("may")
        assert [(one.message.uuid, one.message.role) for one in page.messages] == [
            ("17", "user"), ("18", "assistant"), ("19", "user"),
        ]  # fmt: skip
        assert project.open_pointer(match.pointer).state == "exact"
        assert page.session.title.startswith("Good morning, [redacted")
