"""A call of a tool: its project, its budget, its answer; every error as an answer that says what to do."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from glassdex.answers.choosing import default_project, project_named_in
from glassdex.envelopes.error import error_answer
from glassdex.errors import GlassdexError, InputError, InternalError, ProjectNotFound, ToolNotFound
from glassdex.escaping import safe
from glassdex.mcp.asking import Call, as_json
from glassdex.mcp.calls import CallBudget
from glassdex.mcp.fitting import Answer, budget_part, counted, fitted, missing, tokens_of
from glassdex.mcp.parameters import Parameters
from glassdex.mcp.placeholders import says_nothing
from glassdex.mcp.tools import TOOLS, Tool
from glassdex.model import Json
from glassdex.projects import project_names
from glassdex.server.logs import log
from glassdex.server.services import Services

REASKED = 3


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, or a `glassdex.error/1`."""

    answer: Answer
    is_error: bool = False


class Answering:
    """Answers calls; safe to share between threads.

    `pinned` is the one project that may be asked: named at the start, or that of the folder in which the server runs.
    Without it a call may name one.
    """

    def __init__(self, services: Services, pinned: str | None, call_budget: int | None = None) -> None:
        self.services = services
        self.pinned = pinned
        self._calls = CallBudget(call_budget)

    def projects(self) -> list[str]:
        """Those that a call may choose between: none where there is no choice."""
        names = [] if self.pinned is not None else project_names()
        return names if len(names) > 1 else []

    def call(self, name: str, arguments: Mapping[str, object], conversation: str) -> Answered:
        """The answer to a call; whatever happens is an answer."""
        try:
            return Answered(self._answer(name, arguments, conversation))
        except GlassdexError as error:
            return Answered(as_json(error_answer(error)), is_error=True)
        except Exception as error:  # an agent can go on with an answer, not without one
            return Answered(as_json(error_answer(_unexpected(error))), is_error=True)

    def _answer(self, name: str, arguments: Mapping[str, object], conversation: str) -> Answer:
        tool = TOOLS.get(name)
        if tool is None:
            raise ToolNotFound(f"there is no tool {name[:80]!r}", f"there is: {', '.join(TOOLS)}", list(TOOLS))
        given = {key: value for key, value in arguments.items() if key != "project"}
        parameters = tool.parameters.read(given)
        project = self._project(tool, parameters, arguments.get("project"))
        try:
            return self._asked(tool, parameters, project, conversation)
        except ProjectNotFound as error:
            if self.pinned is None:
                raise
            raise ProjectNotFound(  # other projects are nothing to this server's clients
                error.message, f"this server answers for {self.pinned!r} alone; tell the user that it is not there"
            ) from error

    def _asked(self, tool: Tool, parameters: Parameters, name: str, conversation: str) -> Answer:
        most, passwords = parameters.max_tokens, self.services.config.passwords
        with self.services.project(name) as project:
            left = self._calls.charge(conversation) if tool.is_search else None
            more: dict[str, Json] = {} if left is None else {"calls_left": left}
            try:
                whole = tool.ask(Call(project, parameters, passwords)) | more
            except InputError:
                if tool.is_search:
                    self._calls.give_back(conversation)
                raise
            answer = fitted(whole, tool.trims, most, tool.shorter)
            if tool.repair is not None and "answer_budget" in answer:
                answer = counted(tool.repair(whole, answer))
            if tool.pages is None or _length(answer, tool.pages) == _length(whole, tool.pages):
                return answer
            for _ in range(REASKED):
                kept = _length(answer, tool.pages)
                if not kept:
                    break
                note = budget_part([missing(tool.pages, kept, whole[tool.pages])], most, tool.shorter)
                page = tool.ask(Call(project, parameters.model_copy(update={"limit": kept}), passwords)) | more
                answer = fitted(page, tool.trims, most - tokens_of(note), tool.shorter)
                if _length(answer, tool.pages) == kept:
                    shorter = answer.get("answer_budget")
                    if isinstance(shorter, dict):
                        cast("list[Json]", note["left_out"]).extend(cast("list[Json]", shorter["left_out"]))
                    return counted({**answer, "answer_budget": note})
            return answer

    def _project(self, tool: Tool, parameters: Parameters, asked: object) -> str:
        """The project of a call.

        Raises:
            ProjectNotFound: it names another than the one that may be asked, or none where there are several.
        """
        reference = None if tool.reference is None else getattr(parameters, tool.reference)
        in_pointer = None if reference is None else project_named_in(reference)
        named = None if says_nothing(asked, is_number=False) else str(asked)
        wanted = named or in_pointer
        if self.pinned is not None:
            if wanted not in (None, self.pinned):
                raise ProjectNotFound(
                    f"this server answers for the project {self.pinned!r} alone", "leave project out", [self.pinned]
                )
            return self.pinned
        names = project_names()
        if wanted is not None and wanted not in names:
            raise ProjectNotFound(f"no project is called {wanted[:80]!r}", _one_of(names), names)
        chosen = wanted or default_project(of_sessions=tool.of_sessions or _is_session(reference))
        if chosen is None:
            raise ProjectNotFound(
                "several projects could be meant" if names else "there is no project yet", _one_of(names), names
            )
        return chosen


def _one_of(names: list[str]) -> str:
    if not names:
        return "tell the user to make one: glassdex index FOLDER"
    return f"project is one of: {', '.join(names[:20])}"


def _is_session(reference: str | None) -> bool:
    return reference is not None and reference.startswith("session:")


def _length(answer: Answer, name: str) -> int:
    found = answer.get(name)
    return len(found) if isinstance(found, list) else 0


def _unexpected(error: Exception) -> InternalError:
    """A fault of ours; its own words may hold a file's text, so they are not said."""
    log("error", "internal error", exception=type(error).__name__)
    if os.environ.get("GLASSDEX_DEBUG", "") not in ("", "0"):
        sys.stderr.write(safe("".join(traceback.format_exception(error))))
    return InternalError(
        f"a fault of Glassdex, not of your request: {type(error).__name__}",
        "tell the user; GLASSDEX_DEBUG=1 in the server's environment writes the traceback to its standard error",
    )
