"""Rerankers are asked for by name; services and their keys come from the user's settings alone."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from glassdex.errors import InvalidRequest, InvalidSetting, RerankError
from glassdex.reranking.cross_encoder import CrossEncoder
from glassdex.reranking.http import HttpReranker
from glassdex.reranking.late_interaction import LateInteraction
from glassdex.reranking.registry import open_reranker
from glassdex.reranking.services import RerankService, rerank_service
from glassdex.settings import load_settings
from tests.testing.test_reranker_suite import SharedWords


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path))
    return tmp_path / "config.toml"


def test_the_built_in_ones_need_no_entry_point(settings_file: Path):
    settings_file.write_text('[rerankers.mine]\nurl = "http://localhost:8080/rerank"\napi = "tei"\n')
    assert isinstance(open_reranker("late-interaction"), LateInteraction)
    assert isinstance(open_reranker("cross-encoder:/models/one"), CrossEncoder)
    assert isinstance(open_reranker("http:mine"), HttpReranker)


@pytest.mark.parametrize(
    "asked", ["nonsense", "cross-encoder", "cross-encoder:", "http", "http:", "late-interaction:x"]
)
def test_what_is_not_known_is_refused_with_what_is(asked: str):
    with pytest.raises(InvalidRequest) as raised:
        open_reranker(asked)
    assert raised.value.message == f"unknown reranker {asked!r}"
    assert raised.value.suggestion.startswith("one of none, late-interaction, cross-encoder:DIR, http:NAME")


def test_a_service_that_the_settings_lack_is_refused(settings_file: Path):
    settings_file.write_text('[rerankers.mine]\nurl = "http://localhost:8080/rerank"\n')
    with pytest.raises(InvalidRequest, match="the settings name no reranker 'other'") as raised:
        open_reranker("http:other")
    assert raised.value.candidates == ("mine",)


def make_shared_words(argument: str) -> SharedWords:
    made = SharedWords()
    made.identity = f"shared-words {argument}"
    return made


def make_nothing_useful(argument: str) -> str:
    return argument


def refuse(argument: str) -> SharedWords:
    raise RuntimeError(f"no model at {argument}")


def test_an_installed_one_is_made_with_its_argument(monkeypatch: pytest.MonkeyPatch):
    points = [
        metadata.EntryPoint(name, f"{__name__}:{function}", "glassdex.rerankers")
        for name, function in (("words", "make_shared_words"), ("text", "make_nothing_useful"), ("broken", "refuse"))
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points if group == "glassdex.rerankers" else [])
    assert open_reranker("words:large").identity == "shared-words large"
    assert open_reranker("words").identity == "shared-words "
    with pytest.raises(RerankError, match="gave a str, which is no reranker"):
        open_reranker("text:x")
    with pytest.raises(RerankError, match=r"'broken' .* cannot be made: no model at x"):
        open_reranker("broken:x")
    with pytest.raises(InvalidRequest) as raised:
        open_reranker("nonsense")
    assert raised.value.suggestion.endswith("broken, text, words")


def test_a_service_has_defaults_and_may_take_its_key_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    assert rerank_service("a", {"url": "https://x.org/rerank"}) == RerankService("a", "https://x.org/rerank")
    monkeypatch.setenv("MY_KEY", "k-1")
    table = {
        "url": "https://x.org/rerank",
        "key_env": "MY_KEY",
        "timeout_seconds": 3,
        "texts_a_request": 8,
        "model": "m",
    }
    found = rerank_service("a", table)
    assert (found.key, found.timeout_seconds, found.texts_a_request, found.model) == ("k-1", 3.0, 8, "m")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "url is no http or https address"),
        ({"url": "file:///etc/passwd"}, "url is no http or https address"),
        ({"url": "ftp://x.org/"}, "url is no http or https address"),
        ({"url": "http://user:pass@x.org/"}, "url is no http or https address"),
        ({"url": "http://x.org:99999/"}, "url is no http or https address"),
        ({"url": "http://x.org/a b"}, "url is no http or https address"),
        ({"url": "http:///rerank"}, "url is no http or https address"),
        ({"url": 7}, "url is of the wrong type"),
        ({"url": "http://x.org", "api": "openai"}, "unknown api 'openai'"),
        ({"url": "http://x.org", "uri": "x"}, "unknown setting 'uri'"),
        ({"url": "http://x.org", "key": "a\nb: c"}, "the key has characters"),
        ({"url": "http://x.org", "key": "schlüssel"}, "the key has characters"),
        ({"url": "http://x.org", "key_env": "GLASSDEX_NO_SUCH_KEY"}, "the environment has no GLASSDEX_NO_SUCH_KEY"),
        ({"url": "http://x.org", "timeout_seconds": 0}, "timeout_seconds = 0 is not between 0.001 and 600"),
        ({"url": "http://x.org", "texts_a_request": 0}, "texts_a_request = 0 is not between 1 and 1000"),
        ({"url": "http://x.org", "texts_a_request": True}, "texts_a_request is of the wrong type"),
    ],
)
def test_a_wrong_service_says_what_is_wrong_with_it(table: dict[str, object], message: str):
    with pytest.raises(InvalidSetting) as raised:
        rerank_service("mine", table)
    assert raised.value.message == f"config.toml: [rerankers.mine]: {message}" or message in raised.value.message
    assert "schlüssel" not in raised.value.message


def test_the_settings_file_names_the_default_and_the_services(settings_file: Path):
    settings_file.write_text('rerank = "http:mine"\nrerank_weight = 0.5\n[rerankers.mine]\nurl = "x"\nkey = "k-1"\n')
    settings = load_settings()
    assert (settings.rerank, settings.rerank_weight) == ("http:mine", 0.5)
    assert settings.rerankers == {"mine": {"url": "x", "key": "k-1"}}
    assert "k-1" not in repr(settings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rerank_weight = 1.5", "rerank_weight = 1.5 is not between 0 and 1"),
        ("rerank_weight = nan", "rerank_weight = nan is not between 0 and 1"),
        ("rerank_weight = 1", "rerank_weight = 1 is not a float"),
        ("rerank = 3", "rerank = 3 is not a str"),
        ('rerankers = "k-1"', "rerankers is not a table of services"),
        ('[rerankers]\nmine = "k-1"', "rerankers is not a table of services"),
    ],
)
def test_wrong_settings_are_said_without_a_key(settings_file: Path, text: str, message: str):
    settings_file.write_text(text)
    with pytest.raises(InvalidSetting) as raised:
        load_settings()
    assert message in raised.value.message
    assert "k-1" not in raised.value.message + raised.value.suggestion
