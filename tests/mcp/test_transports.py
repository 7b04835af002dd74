"""Both transports, in processes of their own, with the SDK's client."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from glassdex.mcp.answering import Answering
from glassdex.mcp.tools import TOOLS
from tests.cli.running import command, environment, in_process_of_its_own
from tests.mcp.talking import ERAS, Said, Talk, Target, in_a_loop, over_http, over_stdio, said, talk
from tests.server.serving import SESSION

TOKEN = "a-token-of-enough-characters"
NAMES = [
    "search", "context", "inspect_query", "why_not", "open", "inspect_chunks", "neighbors", "list_documents",
    "list_sessions", "show_session", "status",
]  # fmt: skip
HOSTILE = [
    "\x1b[31m\u202e\x00", "'; DROP TABLE chunks; --", "../../etc/passwd", "%2e%2e%2fetc", "🦉 貓頭鷹 \u200f",
    "((((", '"', "title:", "-", "a" * 9_999, "\u0301" * 50, "NEAR(a b)", "{{7*7}}", "<script>alert(1)</script>",
]  # fmt: skip
posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest, shared_home: Path) -> Iterator[Target]:
    """A server of either kind, over the project's folder."""
    folder = shared_home.parent / "files"
    if request.param == "stdio":
        yield over_stdio(shared_home, folder)
    else:
        with over_http(shared_home, folder) as (url, _):
            yield url


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_is_listed_with_valid_schemas_and_answers_by_them(target: Target, era: str) -> None:
    async def speak(one: Talk) -> None:
        tools = {tool.name: tool for tool in (await one.client.list_tools()).tools}
        assert list(tools) == NAMES
        for tool in tools.values():
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            assert tool.output_schema is not None
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object"
            assert tool.description
            assert all(one["description"] for one in tool.input_schema["properties"].values())
            assert "project" not in tool.input_schema["properties"], "there is no choice"

        async def call(name: str, **arguments: object) -> dict[str, Any]:
            answer = (await one.call(name, **arguments)).found
            schema = tools[name].output_schema
            assert schema is not None
            Draft202012Validator(schema).validate(answer)
            Draft202012Validator(tools[name].input_schema).validate(arguments)
            return answer

        found = await call("search", query="where do owls sleep")
        pointer = found["results"][0]["matches"][0]["pointer"]
        assert found["verdict"]["status"] in ("ok", "weak")
        assert (await call("context", task="where do owls sleep"))["passages"]
        assert (await call("inspect_query", query="owls"))["stages"]
        assert (await call("why_not", query="lamp", document="owls.md"))["rungs"]
        assert (await call("open", pointer=pointer))["state"] == "exact"
        assert (await call("inspect_chunks", document="owls.md"))["rows"]
        assert (await call("neighbors", chunk=pointer))["neighbors"]
        assert (await call("list_documents"))["total"] == 7
        assert (await call("list_sessions"))["sessions"][0]["id"] == SESSION
        assert (await call("show_session", session=SESSION))["total"] == 2
        assert (await call("status"))["project"] == "files"
        short = await call("search", query="owls night ships boats", max_tokens=900)
        assert short["answer_budget"]["left_out"]
        assert (await call("search", query="quantum chromodynamics"))["not_shown"]

    talk(target, speak, era)


def test_hostile_text_is_answered_and_changes_nothing(target: Target) -> None:
    async def speak(one: Talk) -> None:
        plain = await one.call("search", query="owls")
        for text in HOSTILE:
            for tool, asked in (
                ("search", {"query": text}),
                ("search", {"query": "owls", "document": text}),
                ("search", {"query": "owls", "document": "numbers.xlsx", "sheet": text}),
                ("open", {"pointer": text}),
                ("inspect_chunks", {"document": text}),
                ("why_not", {"query": text, "document": text}),
                ("show_session", {"session": text}),
            ):
                answered = await one.call(tool, **asked)
                assert "root:" not in json.dumps(answered.answer)
                assert answered.answer.get("code") != "internal_error", (tool, text)
        too_long = await one.call("search", query="a" * 10_001)
        assert too_long.code == "invalid_request"
        assert await one.call("search", query="owls") == plain
        found = (await one.call("search", query="貓頭鷹 🦉", document="hostile.md")).found
        assert "🦉" in found["results"][0]["matches"][0]["text"]

    talk(target, speak)


def test_wrong_calls_are_answers(target: Target) -> None:
    async def speak(one: Talk) -> None:
        unknown = await one.call("searhc", query="owls")
        assert unknown.code == "tool_not_found"
        assert unknown.answer["candidates"] == NAMES
        assert (await one.call("search")).code == "invalid_request"
        missing = await one.call("search", query="owls", document="owl.md")
        assert missing.code == "document_not_found"
        assert missing.answer["candidates"][0] == "owls.md"
        pages = await one.call("search", query="ships", page_from=1)
        assert not pages.is_error, "one document has pages, so it is meant"
        assert (await one.call("search", query="owls")).found["results"], "and the conversation goes on"

    talk(target, speak)


def test_calls_run_side_by_side(target: Target) -> None:
    async def speak(one: Talk) -> None:
        alone = {word: await one.call("search", query=word) for word in ("owls", "ships", "lamp", "backups")}
        together: list[tuple[str, Said]] = []

        async def call(word: str) -> None:
            together.append((word, await one.call("search", query=word)))

        async with anyio.create_task_group() as group:
            for word in list(alone) * 6:
                group.start_soon(call, word)
        assert len(together) == 24
        for word, answered in together:
            assert answered == alone[word]

    talk(target, speak)


def test_a_budget_is_that_of_a_conversation(shared_home: Path) -> None:
    folder = shared_home.parent / "files"

    async def speak(one: Talk) -> None:
        assert (await one.call("search", query="owls")).found["calls_left"] == 0
        assert (await one.call("search", query="owls")).code == "budget_exhausted"

    for _ in range(2):
        talk(over_stdio(shared_home, folder, "--call-budget", "1"), speak)
    with over_http(shared_home, folder, "--call-budget", "1") as (url, _):
        for _ in range(2):
            talk(url, speak)


def test_requests_without_a_session_share_a_budget(shared_home: Path) -> None:
    with over_http(shared_home, shared_home.parent / "files", "--call-budget", "2") as (url, _):

        async def speak(one: Talk) -> int:
            return int((await one.call("search", query="owls")).found["calls_left"])

        assert [talk(url, speak, "auto") for _ in range(2)] == [1, 0]


def test_a_session_that_nobody_issued_has_no_budget_of_its_own(shared_home: Path) -> None:
    with over_http(shared_home, shared_home.parent / "files", "--call-budget", "1") as (url, _):

        async def search(session: str) -> Said:
            async with (
                httpx2.AsyncClient(headers={"mcp-session-id": session}) as http,
                Client(streamable_http_client(url, http_client=http), mode="auto") as client,
            ):
                return said(await client.call_tool("search", {"query": "owls"}))

        assert in_a_loop(search, "one").found["calls_left"] == 0
        assert in_a_loop(search, "another").code == "budget_exhausted"


def test_standard_output_is_the_protocols_alone(shared_home: Path) -> None:
    """And when standard input ends, so does the server, with code 0 and nothing to complain of."""
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "search", "arguments": {"query": "owls"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nope"}},
    ]  # fmt: skip
    running = subprocess.Popen(
        command("mcp"), cwd=shared_home.parent / "files", env=environment(shared_home),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write("this is no JSON\n" + "".join(json.dumps(message) + "\n" for message in messages))
    running.stdin.flush()
    answers: dict[object, dict[str, Any]] = {}
    while not {1, 2, 3} <= set(answers):
        line = json.loads(running.stdout.readline())
        assert line["jsonrpc"] == "2.0"
        answers[line.get("id")] = line
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0
    assert out == ""
    assert all(json.loads(line)["level"] != "error" for line in err.splitlines())
    assert "owls" not in err
    assert answers[1]["result"]["serverInfo"]["name"] == "glassdex"
    assert answers[2]["result"]["structuredContent"]["results"]
    assert answers[3]["result"]["isError"] is True


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_with_code_0(shared_home: Path, number: signal.Signals) -> None:
    with over_http(shared_home, shared_home.parent / "files") as (url, running):

        async def speak(one: Talk) -> None:
            assert (await one.call("search", query="owls")).found

        talk(url, speak)
        running.send_signal(number)
        _, err = running.communicate(timeout=30)
    assert running.returncode == 0
    assert "Traceback" not in err
    assert "owls" not in err


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_over_standard_input_too(shared_home: Path, number: signal.Signals) -> None:
    running = subprocess.Popen(
        command("mcp"), cwd=shared_home.parent / "files", env=environment(shared_home),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    running.stdin.flush()
    assert json.loads(running.stdout.readline())["id"] == 1
    running.send_signal(number)
    assert running.wait(timeout=30) == 0, "while standard input is still open"
    assert running.communicate() == ("", "")


def test_beyond_this_machine_a_token_is_needed(shared_home: Path) -> None:
    ran = in_process_of_its_own(shared_home, shared_home.parent / "files", "mcp", "--http", "--host", "0.0.0.0")
    assert ran.returncode == 2
    assert b"token is needed" in ran.stderr


def test_a_token_is_asked_of_every_request(shared_home: Path) -> None:
    with over_http(shared_home, shared_home.parent / "files", GLASSDEX_TOKEN=TOKEN) as (url, _):
        for headers in ({}, {"Authorization": "Bearer another"}):
            assert httpx2.post(url, json={}, headers=headers).status_code == 401

        async def search() -> Said:
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
                Client(streamable_http_client(url, http_client=http), mode="legacy") as client,
            ):
                return said(await client.call_tool("search", {"query": "owls"}))

        assert in_a_loop(search).found["results"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:7324"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_pages_elsewhere_are_refused(shared_home: Path, headers: dict[str, str], status: int) -> None:
    with over_http(shared_home, shared_home.parent / "files") as (url, _):
        usual = {"Accept": "application/json, text/event-stream"}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for method in ("POST", "GET", "DELETE"):
            answered = httpx2.request(method, url, headers=usual | headers, json=body if method == "POST" else None)
            assert answered.status_code == status, method
        assert httpx2.get(url.removesuffix("/mcp") + "/api/v1/status").status_code == 404


def test_half_a_character_is_an_error_like_others(agent: Answering) -> None:
    for text in ("\ud800", "owls \udfff"):
        called = agent.call("search", {"query": text}, "")
        assert called.is_error
        assert called.answer["code"] == "invalid_request"
        assert agent.call("\ud800", {"\ud800": "\ud800"}, "").answer["code"] == "tool_not_found"
        assert agent.call("status", {"\ud800": "\ud800"}, "").answer["code"] == "invalid_request"


def test_the_tools_are_those_of_the_list() -> None:
    assert list(TOOLS) == NAMES
