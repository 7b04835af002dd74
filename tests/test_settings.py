"""The user's settings, and where they lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glassdex.errors import InvalidSetting
from glassdex.settings import Settings, home, load_settings, projects_folder


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def test_without_a_file_there_are_defaults(settings_file: Path) -> None:
    assert load_settings() == Settings(language="english", max_file_megabytes=20, fusion="convex/1", limit=10)


def test_a_file_may_say_some_of_them(settings_file: Path) -> None:
    settings_file.write_text('language = "german"\nlimit = 25\n', encoding="utf-8")
    assert load_settings() == Settings(language="german", limit=25)


@pytest.mark.parametrize(
    ("text", "message", "suggestion"),
    [
        ("limit = = 3", "cannot be read: ", "mend the file"),
        ("limt = 3", "unknown setting 'limt'", "known settings: language, max_file_megabytes, fusion, feedback, limit"),
        ('limit = "3"', "limit = '3' is not a int", "for example limit = 10"),
        ("limit = 3.5", "limit = 3.5 is not a int", "limit = 10"),
        ("limit = true", "limit = True is not a int", "limit = 10"),
        ("limit = 0", "limit = 0 is not between 1 and 1000", ""),
        ("limit = 1001", "limit = 1001 is not between 1 and 1000", ""),
        ("max_file_megabytes = 0", "max_file_megabytes = 0 is not 1 or more", ""),
        ('fusion = "cold/1"', "unknown fusion 'cold/1'", "one of convex/1, rrf/1, bonus/1"),
        ("[search]\nlimit = 3", "unknown setting 'search'", "known settings"),
    ],
)
def test_a_wrong_file_says_what_is_wrong_with_it(settings_file: Path, text: str, message: str, suggestion: str) -> None:
    settings_file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidSetting) as raised:
        load_settings()
    assert raised.value.message.startswith(f"{settings_file}")
    assert message in raised.value.message
    assert suggestion in raised.value.suggestion


def test_a_file_that_is_no_text_or_no_file(settings_file: Path) -> None:
    settings_file.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidSetting, match="cannot be read"):
        load_settings()
    settings_file.unlink()
    settings_file.mkdir()
    with pytest.raises(InvalidSetting, match=f"{settings_file.name} cannot be read"):
        load_settings()


def test_home_is_where_the_variable_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "here"))
    assert home() == tmp_path / "here"
    assert projects_folder() == tmp_path / "here" / "projects"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLASSDEX_HOME", "relative")
    assert home() == Path.cwd() / "relative"


@pytest.mark.skipif(os.name == "nt", reason="HOME means nothing there")
def test_home_may_begin_with_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GLASSDEX_HOME", "~/gd")
    assert home() == tmp_path / "gd"


def test_without_the_variable_home_is_the_systems_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLASSDEX_HOME", raising=False)
    assert home().name == "glassdex"
    assert home().is_absolute()


@pytest.mark.parametrize("text", ["limit = " + "9" * 6000, "x = " + "[" * 5000])
def test_a_number_or_a_nesting_beyond_python_is_said_with_the_file(settings_file: Path, text: str) -> None:
    settings_file.write_text(text)
    with pytest.raises(InvalidSetting, match="cannot be read"):
        load_settings()
