"""The check of what a model fills in: against a service on this machine that answers as models do, right and wrong."""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def check() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("agent_check", ROOT / "tools" / "agent_check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["agent_check"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["agent_check"]


Reply = Callable[[dict[str, Any]], object]


@contextmanager
def service(reply: Reply) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """What answers chat completions, and the requests that it got."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
            text = json.dumps(reply(body)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def calling(name: str, arguments: object) -> dict[str, object]:
    """A chat completion that calls a tool."""
    called = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    message = {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": called}]}
    return {"choices": [{"message": message}]}


def able(check: ModuleType) -> Reply:
    """A model that does everything right, and fills what it has nothing to say for with placeholders."""

    def reply(body: dict[str, Any]) -> object:
        prompt = body["messages"][-1]["content"]
        case = next(case for case in check.CASES if case.prompt == prompt)
        filled = dict(case.given) | ({"query": case.query[0]} if case.query else {})
        if case.tools[0] == "search":
            filled = {"document": "*", "page_from": 0, "page_to": 0, "sheet": ""} | filled
        return calling(case.tools[0], filled)

    return reply


def test_without_a_url_it_says_so_and_does_not_pass(check: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main([]) == check.NOT_RUN
    assert "nothing was checked" in capsys.readouterr().err
    assert len({check.PASSED, check.FAILED, check.NOT_RUN, check.UNAVAILABLE}) == 4
    assert check.PASSED == 0


def test_a_model_that_fills_them_right_passes(
    check: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    with service(able(check)) as (url, asked):
        assert check.main([url, "--model", "small"]) == check.PASSED
    said = capsys.readouterr().out
    assert f"{len(check.CASES)} of {len(check.CASES)}" in said
    assert "a-key" not in said
    assert {one["path"] for one in asked} == {"/v1/chat/completions"}
    assert {one["key"] for one in asked} == {"Bearer a-key"}
    assert {one["model"] for one in asked} == {"small"}
    for tool in asked[0]["tools"]:
        Draft202012Validator.check_schema(tool["function"]["parameters"])


def test_a_model_that_fills_every_place_always_fails_on_the_controls(
    check: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = {"query": "backup 備份 retention", "document": "report.pdf", "page_from": 1, "page_to": 10}
    with service(lambda _: calling("search", filled)) as (url, _):
        assert check.main([url, "--json"]) == check.FAILED
    answer = json.loads(capsys.readouterr().out)
    faults = {one["case"]: one["faults"] for one in answer["cases"]}
    assert answer["right"] == 0
    assert len(faults["unscoped control"]) == 3
    assert any("page_from is 1, not 30" in fault for fault in faults["page range, Chinese"])
    assert any("not show_session" in fault for fault in faults["a session"])


@pytest.mark.parametrize(
    "answer",
    [
        {"choices": [{"message": {"content": "I would search."}}]},
        {"choices": [{"message": {"tool_calls": [{"function": {"name": "search", "arguments": "{no json"}}]}}]},
        {"choices": [{"message": {"tool_calls": [{}]}}]},
        calling("search", [1, 2]),
        calling("no_such_tool", {}),
        calling("search", {"query": "x", "page_from": "30-90"}),
        calling("search", {"query": "x\x1b[31m", "pages": [30, 90]}),
    ],
)
def test_odd_answers_are_faults(check: ModuleType, answer: object, capsys: pytest.CaptureFixture[str]) -> None:
    with service(lambda _: answer) as (url, _):
        assert check.main([url]) == check.FAILED
    said = capsys.readouterr().out
    assert f"0 of {len(check.CASES)}" in said
    assert "\x1b" not in said


@pytest.mark.parametrize("answer", [{}, [], {"choices": []}, {"choices": [{"message": None}]}])
def test_what_is_no_service_does_not_pass_for_run(
    check: ModuleType, answer: object, capsys: pytest.CaptureFixture[str]
) -> None:
    with service(lambda _: answer) as (url, _):
        assert check.main([url]) == check.UNAVAILABLE
    assert "not run to the end" in capsys.readouterr().err


def test_nobody_there_does_not_pass_for_run(check: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with service(able(check)) as (url, _):
        pass
    assert check.main([url]) == check.UNAVAILABLE
    assert "not run to the end" in capsys.readouterr().err
