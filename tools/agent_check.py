"""Ask a model canned prompts with the MCP tools' schemas, and check the parameters that it fills.

    python tools/agent_check.py URL [--model NAME] [--repeat N] [--json]

URL is that of an OpenAI-compatible service up to its version (http://127.0.0.1:8080/v1): what answers
`POST URL/chat/completions`. A key comes from OPENAI_API_KEY, if there is one. Exit code 0: every prompt was answered by
the right call; 1: some were not; 2: no URL was given, so nothing was checked; 3: the service could not be asked.

Nothing is searched: only the call that the model makes is looked at.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from glassdex.errors import GlassdexError
from glassdex.escaping import harmless_json
from glassdex.mcp.instructions import INSTRUCTIONS
from glassdex.mcp.tools import TOOLS

PASSED, FAILED, NOT_RUN, UNAVAILABLE = 0, 1, 2, 3
TIMEOUT = 120.0
MOST_BYTES = 4_000_000
SESSION = "0d3f5a3e-1111-4111-8111-111111111111"
POINTER = "notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5"
PLACES = ("document", "page_from", "page_to", "sheet")


@dataclass(frozen=True, slots=True)
class Case:
    """A prompt, the tools that answer it, and what they have to be asked with.

    `given` must be there and equal (texts: contained, without case). Of `PLACES`, and of `absent`, nothing else may be
    filled. `query` are words of which one has to be in the query.
    """

    name: str
    prompt: str
    tools: tuple[str, ...] = ("search",)
    given: Mapping[str, int | str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    query: tuple[str, ...] = ()


CASES = (
    Case("page range, Chinese", "請在 report.pdf 第 30-90 頁裡找出營收成長的原因。",
         given={"document": "report.pdf", "page_from": 30, "page_to": 90}, query=("營收", "revenue")),
    Case("page range, English", "What does report.pdf say about churn on pages 12 to 15?",
         given={"document": "report.pdf", "page_from": 12, "page_to": 15}, query=("churn",)),
    Case("one page", "What is on page 7 of handbook.pdf about holidays?",
         given={"document": "handbook.pdf", "page_from": 7}, query=("holiday",)),
    Case("one page, German", "Was steht auf Seite 3 von vertrag.pdf zur Kündigung?",
         given={"document": "vertrag.pdf", "page_from": 3}, query=("kündigung", "termination")),
    Case("a sheet", "In budget.xlsx, on the sheet Summary, how much is planned for travel?",
         given={"document": "budget.xlsx", "sheet": "summary"}, query=("travel",)),
    Case("a document without a place", "Does runbooks/restore.md say how long a restore takes?",
         given={"document": "restore.md"}, query=("restore", "long", "time")),
    Case("unscoped control", "What did we decide about backups?", tools=("search", "context"), query=("backup",)),
    Case("unscoped control, Chinese", "我們上次怎麼決定備份策略的？", tools=("search", "context"),
         query=("備份", "backup")),
    Case("a number that is no page", "Find notes about the 30 day retention rule.", tools=("search", "context"),
         query=("retention",)),
    Case("a session", f"Show me the conversation {SESSION} from the beginning.", tools=("show_session",),
         given={"session": SESSION}, absent=("at",)),
    Case("sessions of a time", "Which conversations with agents did I have since 2026-11-01?",
         tools=("list_sessions",), given={"since": "2026-11-01"}, absent=("until",)),
    Case("a pointer", f"Open {POINTER} and quote it.", tools=("open",), given={"pointer": POINTER}),
    Case("why not", "I searched for 'restore a backup' and runbooks/restore.md was not in the results. Why?",
         tools=("why_not",), given={"document": "restore.md"}, query=("restore", "backup")),
    Case("what there is", "Which documents are indexed?", tools=("list_documents", "status")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model called for a case, and what is wrong with that; nothing where it is right."""

    case: str
    tool: str
    arguments: Mapping[str, object]
    faults: tuple[str, ...]


Ask = Callable[[str], Mapping[str, Any]]


class ServiceError(Exception):
    """The service could not be asked, or answered something else than chat completions."""


def schemas() -> list[dict[str, object]]:
    """The tools as chat completions take them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema()},
        }
        for tool in TOOLS.values()
    ]


def asker(url: str, model: str, key: str | None) -> Ask:
    """Asks a service; the message that it answers."""

    def ask(prompt: str) -> Mapping[str, Any]:
        body = {
            "model": model,
            "temperature": 0,
            "tools": schemas(),
            "messages": [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": prompt}],
        }
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                message = json.loads(answer.read(MOST_BYTES))["choices"][0]["message"]
        except (urllib.error.URLError, OSError, ValueError, KeyError, IndexError, TypeError) as error:
            raise ServiceError(f"{url} could not be asked: {type(error).__name__}: {error}"[:300]) from error
        if not isinstance(message, dict):
            raise ServiceError(f"{url} answered no message")
        return message

    return ask


def check(case: Case, message: Mapping[str, Any]) -> Outcome:
    """What is wrong with the first call in a message; what means nothing to the server means nothing here."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or not calls:
        return Outcome(case.name, "", {}, ("no tool was called",))
    try:
        called = calls[0]["function"]
        name, arguments = str(called["name"]), called["arguments"]
        given = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (KeyError, TypeError, ValueError):
        return Outcome(case.name, "", {}, ("the call is no JSON",))
    if not isinstance(given, dict) or name not in TOOLS:
        return Outcome(case.name, name, {}, (f"there is no tool {name!r}, or its arguments are no object",))
    try:
        read = TOOLS[name].parameters.read(given).model_dump(exclude_none=True)
    except GlassdexError as error:
        return Outcome(case.name, name, given, (error.message,))
    return Outcome(case.name, name, given, tuple(_faults(case, name, read)))


def _faults(case: Case, name: str, read: Mapping[str, object]) -> list[str]:
    faults = [] if name in case.tools else [f"called {name}, not {' or '.join(case.tools)}"]
    for key, expected in case.given.items():
        value = read.get(key)
        right = value == expected if isinstance(expected, int) else str(expected).casefold() in str(value).casefold()
        if not right:
            faults.append(f"{key} is {value!r}, not {expected!r}")
    same_page = case.given.get("page_from")
    for key in (*PLACES, *case.absent):
        value = read.get(key)
        if value is not None and key not in case.given and not (key == "page_to" and value == same_page):
            faults.append(f"{key} is {value!r}, and nothing was said of it")
    query = str(read.get("query", read.get("task", ""))).casefold()
    if case.query and not any(word in query for word in case.query):
        faults.append(f"the query has none of {', '.join(case.query)}: {query[:80]!r}")
    return faults


def main(given: Sequence[str] | None = None) -> int:
    """Runs the check; the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/agent-check", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url", nargs="?", help="an OpenAI-compatible service, such as http://127.0.0.1:8080/v1")
    parser.add_argument("--model", default="default", help="the model's name, where the service has several")
    parser.add_argument("--repeat", type=int, default=1, help="ask every prompt so often")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(given)
    if not arguments.url:
        sys.stderr.write("not run: no model was given, so nothing was checked; scripts/agent-check URL\n")
        return NOT_RUN
    ask = asker(arguments.url, arguments.model, os.environ.get("OPENAI_API_KEY"))
    outcomes = []
    try:
        for case in CASES:
            for _ in range(max(1, arguments.repeat)):
                outcomes.append(check(case, ask(case.prompt)))
                if not arguments.json:
                    _tell(outcomes[-1])
    except ServiceError as error:
        sys.stderr.write(harmless_json(f"not run to the end: {error}") + "\n")
        return UNAVAILABLE
    right = sum(not outcome.faults for outcome in outcomes)
    if arguments.json:
        listed = [
            {"case": one.case, "tool": one.tool, "arguments": one.arguments, "faults": one.faults} for one in outcomes
        ]
        print(
            harmless_json(json.dumps({"model": arguments.model, "right": right, "of": len(outcomes), "cases": listed}))
        )
    else:
        print(f"{right} of {len(outcomes)} calls were right")
    return PASSED if right == len(outcomes) else FAILED


def _tell(outcome: Outcome) -> None:
    mark = "wrong" if outcome.faults else "right"
    line = f"{mark}  {outcome.case}: {outcome.tool} {json.dumps(outcome.arguments, ensure_ascii=False)}"
    print(harmless_json(line.replace("\n", " ")))
    for fault in outcome.faults:
        print(harmless_json(f"       {fault}".replace("\n", " ")))


if __name__ == "__main__":
    sys.exit(main())
