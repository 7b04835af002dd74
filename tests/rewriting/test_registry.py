"""Rewriters are asked for by name; services and their keys come from the user's settings alone."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from glassdex.errors import InvalidRequest, InvalidSetting, RewriteError
from glassdex.rewriting.http import HttpRewriter
from glassdex.rewriting.registry import open_rewriter
from glassdex.rewriting.services import RewriteService, rewrite_service
from glassdex.settings import load_settings
from tests.testing.test_rewriter_suite import Thesaurus

MINE = '[rewriters.mine]\nurl = "http://localhost:11434/v1/chat/completions"\nkind = "hyde"\n'


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def test_a_service_of_the_settings_is_opened_and_another_refused(settings_file: Path):
    settings_file.write_text(MINE)
    made = open_rewriter("http:mine")
    assert isinstance(made, HttpRewriter) and made.kind == "hyde"
    with pytest.raises(InvalidRequest, match="the settings name no rewriter 'other'") as raised:
        open_rewriter("http:other")
    assert raised.value.candidates == ("mine",)


@pytest.mark.parametrize("asked", ["nonsense", "http", "http:", "hyde"])
def test_what_is_not_known_is_refused_with_what_is(asked: str):
    with pytest.raises(InvalidRequest) as raised:
        open_rewriter(asked)
    assert raised.value.message == f"unknown rewriter {asked!r}"
    assert raised.value.suggestion.startswith("one of none, http:NAME")


def make_thesaurus(argument: str) -> Thesaurus:
    made = Thesaurus()
    made.identity = f"thesaurus {argument}"
    return made


def make_nothing_useful(argument: str) -> str:
    return argument


def refuse(argument: str) -> Thesaurus:
    raise RuntimeError(f"no model at {argument}")


def test_an_installed_one_is_made_with_its_argument(monkeypatch: pytest.MonkeyPatch):
    points = [
        metadata.EntryPoint(name, f"{__name__}:{function}", "glassdex.rewriters")
        for name, function in (("words", "make_thesaurus"), ("text", "make_nothing_useful"), ("broken", "refuse"))
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points if group == "glassdex.rewriters" else [])
    assert open_rewriter("words:large").identity == "thesaurus large"
    with pytest.raises(RewriteError, match="gave a str, which is no rewriter"):
        open_rewriter("text:x")
    with pytest.raises(RewriteError, match=r"'broken' .* cannot be made: no model at x"):
        open_rewriter("broken:x")


def test_a_service_has_defaults_and_may_take_its_key_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    plain = {"url": "https://x.org/v1", "kind": "hyde"}
    assert rewrite_service("a", plain) == RewriteService("a", "https://x.org/v1", "hyde")
    monkeypatch.setenv("MY_KEY", "k-1")
    found = rewrite_service("a", {**plain, "key_env": "MY_KEY", "timeout_seconds": 3, "max_tokens": 8, "model": "m"})
    assert (found.key, found.timeout_seconds, found.max_tokens, found.model) == ("k-1", 3.0, 8, "m")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "hyde"}, "url is no http or https address"),
        ({"url": "file:///etc/passwd", "kind": "hyde"}, "url is no http or https address"),
        ({"url": "http://user:pass@x.org/", "kind": "hyde"}, "url is no http or https address"),
        ({"url": "http://x.org"}, "kind is missing"),
        ({"url": "http://x.org", "kind": "rm3"}, "unknown kind 'rm3'"),
        ({"url": "http://x.org", "kind": "hyde", "api": "x"}, "unknown setting 'api'"),
        ({"url": "http://x.org", "kind": "hyde", "key": "schlüssel"}, "the key has characters"),
        ({"url": "http://x.org", "kind": "hyde", "key_env": "GLASSDEX_NO_SUCH_KEY"}, "has no GLASSDEX_NO_SUCH_KEY"),
        ({"url": "http://x.org", "kind": "hyde", "word_weight": 2}, "word_weight = 2 is not between 0.01 and 1"),
        ({"url": "http://x.org", "kind": "hyde", "word_weight": float("nan")}, "word_weight = nan is not between"),
        ({"url": "http://x.org", "kind": "hyde", "max_tokens": 0}, "max_tokens = 0 is not between 1 and 8192"),
        ({"url": "http://x.org", "kind": "hyde", "max_tokens": True}, "max_tokens is of the wrong type"),
    ],
)
def test_a_wrong_service_says_what_is_wrong_with_it(table: dict[str, object], message: str):
    with pytest.raises(InvalidSetting) as raised:
        rewrite_service("mine", table)
    assert "[rewriters.mine]" in raised.value.message and message in raised.value.message
    assert "schlüssel" not in raised.value.message


def test_a_wrong_table_of_services_does_not_show_a_key(settings_file: Path):
    settings_file.write_text('rewriters = "key-1"\n')
    with pytest.raises(InvalidSetting, match="rewriters is not a table of services") as raised:
        load_settings()
    assert "key-1" not in raised.value.message
