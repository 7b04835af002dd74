"""What a model fills in to say nothing is left out, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.errors import InvalidRequest
from glassdex.mcp.answering import Answering
from glassdex.mcp.parameters import SearchParameters, SessionsParameters
from glassdex.mcp.placeholders import PLACEHOLDERS
from glassdex.mcp.tools import TOOLS
from tests.mcp.talking import ask

TEXTS = ["", " ", "*", "**", "null", "None", "NULL", "undefined", "N/A", "<none>", '""', "'null'", None]
NUMBERS = [0, -1, "0", "-1", 0.0, "", "*", "null", "none", None]
QUERY = "where do owls sleep"


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["document", "sheet"])
def test_a_text_that_says_nothing(agent: Answering, name: str, text: object) -> None:
    assert ask(agent, "search", query=QUERY, **{name: text}) == ask(agent, "search", query=QUERY)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", ["page_from", "page_to", "limit", "max_tokens"])
def test_a_number_that_says_nothing(agent: Answering, name: str, number: object) -> None:
    assert ask(agent, "search", query=QUERY, **{name: number}) == ask(agent, "search", query=QUERY)


def test_everything_filled_with_nothing_at_once(agent: Answering) -> None:
    filled: dict[str, Any] = {
        "document": "*", "page_from": 0, "page_to": 0, "sheet": "", "limit": 0, "show_anyway": False,
        "max_tokens": 0, "project": "none", "filters": {}, "tags": [""], "mode": "null",
    }  # fmt: skip
    assert ask(agent, "search", query=QUERY, **filled) == ask(agent, "search", query=QUERY)


def test_of_every_tool_every_optional_parameter_may_say_nothing() -> None:
    for tool in TOOLS.values():
        fields = tool.parameters.model_fields
        required = {name: "x" for name, field in fields.items() if field.is_required()}
        plain = tool.parameters.read(required)
        for name in set(fields) - set(required):
            for nothing in ("", "*", "null", "none", None):
                assert tool.parameters.read({**required, name: nothing}) == plain, (tool.name, name, nothing)


def test_what_is_required_is_never_taken_for_nothing() -> None:
    assert SearchParameters.read({"query": "none"}).query == "none"
    with pytest.raises(InvalidRequest, match="query is missing"):
        SearchParameters.read({"query": None})


def test_a_star_beside_a_place_asks_for_all_that_is_there(agent: Answering) -> None:
    found = ask(agent, "search", query="*", document="report.pdf", page_from=2).found
    assert found["mode"] == "positional"
    assert all(match["locator"]["pages"][1] == 2 for match in found["results"][0]["matches"])


def test_numbers_may_come_as_text() -> None:
    read = SearchParameters.read({"query": "x", "document": 2024, "page_from": "30", "page_to": 90.0})
    assert (read.document, read.page_from, read.page_to) == ("2024", 30, 90)


@pytest.mark.parametrize("value", ["30-90", "thirty", 1.5, [30, 90], {"from": 30}])
def test_what_is_no_number_is_an_error_that_says_how(agent: Answering, value: object) -> None:
    said = ask(agent, "search", query="x", document="report.pdf", page_from=value)
    assert said.code == "invalid_request"
    assert "page_from" in said.answer["message"]
    assert "page_from 30 and page_to 90" in said.answer["suggestion"]


def test_a_parameter_that_there_is_not_is_an_error_that_lists_them(agent: Answering) -> None:
    said = ask(agent, "search", query="x", pages="30-90")
    assert said.code == "invalid_request"
    assert "'pages'" in said.answer["message"]
    assert said.answer["candidates"] == list(TOOLS["search"].input_schema()["properties"])  # type: ignore[arg-type]


def test_the_last_page_alone_is_an_error_that_says_how(agent: Answering) -> None:
    said = ask(agent, "search", query="x", document="report.pdf", page_to=2)
    assert said.code == "invalid_request"
    assert "page_from 1, page_to 2" in said.answer["suggestion"]


@given(st.text(min_size=1))
def test_any_other_text_is_kept(text: str) -> None:
    inner = text.strip().strip("\"'").strip().casefold()
    read = SessionsParameters.read({"since": text})
    assert read.since == (None if inner in PLACEHOLDERS else text)
