"""Passwords for encrypted files: where they may come from, and that nothing shows or keeps them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassdex.errors import InvalidSetting, PasswordRequired
from glassdex.project import Project
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.registry import discovery
from glassdex.settings import Settings, load_settings
from tests.cli.running import Run, runner, write
from tests.reading import hostile_readers

SECRET = "correct horse"
FAILED = ["password_required"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    hostile_readers.install(tmp_path / "site", monkeypatch)
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("GLASSDEX_PASSWORD", raising=False)
    (tmp_path / "home").mkdir()
    yield tmp_path / "home"
    discovery.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = write(tmp_path / "papers", a="# A\n\nowls\n")
    (made / "locked.hostile").write_text(f"locked: {SECRET}")
    return made


@pytest.fixture
def project(folder: Path) -> Iterator[Project]:
    with Project.create("papers", [folder]) as made:
        yield made


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def codes(project: Project, *passwords: str) -> list[str]:
    return [failure.code for failure in project.index(embed=False, passwords=passwords).failures]


def test_an_encrypted_file_is_read_as_soon_as_its_password_is_known(project: Project) -> None:
    assert codes(project) == FAILED
    assert codes(project) == FAILED, "a failed file is due each time"
    assert codes(project, "wrong", SECRET) == []
    assert [result.path for result in project.search("opened", mode="lexical").results] == ["locked.hostile"]
    assert codes(project) == [], "and it is not read again while it does not change"


def test_one_password_need_not_stand_in_a_list(project: Project) -> None:
    assert project.index(embed=False, passwords=SECRET).failures == []


def test_passwords_of_the_configuration_are_tried_too(project: Project, home: Path) -> None:
    (home / "config.toml").write_text(f'passwords = ["other", "{SECRET}"]\n')
    assert codes(project, "wrong") == []


@pytest.mark.parametrize("value", [f'"{SECRET}"', f'["{SECRET}", 3]', f'{{ a = "{SECRET}" }}'])
def test_a_wrong_setting_is_not_repeated(home: Path, value: str) -> None:
    (home / "config.toml").write_text(f"passwords = {value}\n")
    with pytest.raises(InvalidSetting, match="passwords is not a list of strings") as raised:
        load_settings()
    assert raised.value.suggestion == 'for example passwords = ["first", "second"]'
    assert SECRET not in f"{raised.value!r} {raised.value.message}"


def test_no_representation_shows_a_password() -> None:
    assert SECRET not in repr(Settings(passwords=(SECRET,)))
    assert SECRET not in repr(ReadingOptions(passwords=(SECRET,)))


def test_the_command_line_tries_each_option_and_then_the_variable(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "[password_required]" in run("index", folder, "--no-embed").out
    assert "1 failed" in run("index", folder, "--no-embed", "--password", "wrong").out
    (folder / "second.hostile").write_text("locked: other")
    monkeypatch.setenv("GLASSDEX_PASSWORD", SECRET)
    ran = run("index", folder, "--no-embed", "--password", "wrong", "--password", "other", "--json")
    assert ran.answer["failures"] == []
    assert ran.answer["added"] == 2


def test_open_takes_them_and_says_what_is_missing(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index", folder, "--no-embed", "--password", SECRET)
    pointer = run("search", "opened", "--mode", "lexical", "--json").answer["results"][0]["matches"][0]["pointer"]
    error = run("open", pointer, "--json")
    assert (error.code, error.error["code"]) == (3, "password_required")
    assert run("open", pointer, "--password", SECRET, "--json").answer["text"] == "opened at last"
    monkeypatch.setenv("GLASSDEX_PASSWORD", SECRET)
    assert run("open", pointer, "--json").answer["state"] == "exact"


def test_the_python_interface_opens_with_a_password(project: Project) -> None:
    project.index(embed=False, passwords=[SECRET])
    pointer = project.search("opened", mode="lexical").results[0].matches[0].pointer
    with pytest.raises(PasswordRequired):
        project.open_pointer(pointer)
    assert project.open_pointer(pointer, passwords=[SECRET]).text == "opened at last"


def test_a_password_is_neither_kept_nor_shown(
    run: Run, folder: Path, home: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("GLASSDEX_DEBUG", "1")
    given = "a password of one's own"
    for arguments in (("index", folder, "--password", given), ("index", folder, "--password", given, "--json")):
        ran = run(*arguments, "--no-embed")
        assert given not in ran.out + ran.err
    for command in (["status"], ["doctor"], ["status", "--json"]):
        ran = run(*command, "--project", "papers")
        assert "password" in ran.out, "what is wrong with the file"
        assert given not in ran.out + ran.err
    assert given not in caplog.text
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert given.encode() not in kept


def test_the_help_says_who_can_see_an_option(run: Run) -> None:
    for name in ("index", "open"):
        said = " ".join(run(name, "--help").out.split())
        assert "Other users of this machine can see it" in said
        assert "GLASSDEX_PASSWORD" in said
