"""The SDK's own client, talking to the server in this process and to one in a process of its own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent

from glassdex.mcp.answering import Answering
from glassdex.mcp.fitting import tokens_of
from glassdex.mcp.serving import make_server
from glassdex.server.config import ServerConfig
from glassdex.server.services import Services
from tests.cli.running import command, environment

T = TypeVar("T")
TIMES = ("ms", "milliseconds", "seconds")
ERAS = ("legacy", "auto")
"""With the handshake of protocol versions until 2025-11-25, and without it."""


@dataclass(frozen=True)
class Said:
    """What a call was answered."""

    answer: dict[str, Any]
    is_error: bool

    @property
    def code(self) -> str:
        """Of an error."""
        assert self.is_error, self.answer
        assert self.answer["schema"] == "glassdex.error/1"
        return str(self.answer["code"])

    @property
    def found(self) -> dict[str, Any]:
        """The answer, which is no error."""
        assert not self.is_error, self.answer
        return self.answer


class Talk:
    """A conversation with a server, for one test."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, name: str, /, **arguments: object) -> Said:
        """Calls a tool; the text says what the structured content says."""
        return said(await self.client.call_tool(name, arguments))


def said(result: object) -> Said:
    assert isinstance(result, CallToolResult)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert json.loads(content.text) == result.structured_content
    assert isinstance(result.structured_content, dict)
    return Said(result.structured_content, result.is_error)


Target = Answering | StdioServerParameters | str


def talk(target: Target, speak: Callable[[Talk], Awaitable[T]], era: str = "legacy") -> T:
    """Connects, speaks, and leaves."""

    async def run() -> T:
        server = make_server(target) if isinstance(target, Answering) else target
        async with Client(server, mode=era, raise_exceptions=True) as client:
            return await speak(Talk(client))

    return in_a_loop(run)


def in_a_loop(run: Callable[..., Awaitable[T]], *arguments: object) -> T:
    """Runs it in a thread of its own: a browser that other tests have open keeps a loop in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(anyio.run, run, *arguments).result()


def ask(target: Target, name: str, /, **arguments: object) -> Said:
    """One call in a conversation of its own."""

    async def speak(one: Talk) -> Said:
        return await one.call(name, **arguments)

    return talk(target, speak)


@contextmanager
def answering(pinned: str | None = None, call_budget: int | None = None) -> Iterator[Answering]:
    """What answers, in this process."""
    made = Answering(Services(ServerConfig(project=pinned)), pinned, call_budget)
    try:
        yield made
    finally:
        made.services.close()


def over_stdio(home: Path, folder: Path, *options: str) -> StdioServerParameters:
    """`glassdex mcp`, started as a client starts it."""
    program, *arguments = command("mcp", *options)
    return StdioServerParameters(command=program, args=arguments, env=environment(home), cwd=folder)


@contextmanager
def over_http(home: Path, folder: Path, *options: str, **variables: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`glassdex mcp --http` on a free port: its address, and the process."""
    running = subprocess.Popen(
        command("mcp", "--http", "--port", "0", *options),
        cwd=folder,
        env=environment(home, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + (running.communicate(timeout=30)[1] if running.poll() is not None else "")
        yield found[0], running
    finally:
        if running.poll() is None:
            running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)


def without_times(node: object) -> object:
    if isinstance(node, list):
        return [without_times(item) for item in node]
    if isinstance(node, dict):
        return {key: without_times(value) for key, value in node.items() if key not in TIMES}
    return node


def within(answer: dict[str, Any], max_tokens: int) -> None:
    """The answer keeps to its budget, and counts itself right."""
    assert tokens_of(answer) <= max_tokens
    if "answer_budget" in answer:
        budget = answer["answer_budget"]
        assert budget["max_tokens"] == max_tokens
        assert budget["tokens"] == tokens_of({**answer, "answer_budget": {**budget, "tokens": 0}})
