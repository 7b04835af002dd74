"""From a tool's parameters to the shared questions, and the answers as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeVar, cast

from glassdex.answers import looking, sessions
from glassdex.answers.questions import (
    ChunksQuestion,
    ContextQuestion,
    DocumentsQuestion,
    NeighborsQuestion,
    OpenQuestion,
    Question,
    SearchQuestion,
    SessionQuestion,
    SessionsQuestion,
    StatusQuestion,
    WhyNotQuestion,
)
from glassdex.answers.search import context_asked, search_asked, why_not_asked
from glassdex.context.pack import BUDGETS
from glassdex.envelopes.base import Envelope
from glassdex.envelopes.trace import make_trace
from glassdex.errors import InvalidRequest
from glassdex.mcp.fitting import Answer, tokens_of
from glassdex.mcp.parameters import (
    MOST_RESULTS,
    ChunksParameters,
    ContextParameters,
    DocumentsParameters,
    InspectQueryParameters,
    NeighborsParameters,
    OpenParameters,
    Parameters,
    SearchParameters,
    SessionParameters,
    SessionsParameters,
    WhyNotParameters,
)
from glassdex.model import Json
from glassdex.project import Project

RELIABLE = ("ok", "weak")
LEFT_OUT_LISTED = 5
"""Passages of a context that did not fit, named one by one."""
REPACKS = 6
_WHAT_TO_DO = {
    "nothing_relevant": "tell the user that nothing here answers this; or try other words once",
    "not_ready": "tell the user that the index is not ready: run `glassdex index`, then ask again",
    "index_empty": "tell the user that nothing is indexed yet: run `glassdex index FOLDER`",
    "scope_empty": "leave out document, page_from, page_to or sheet; list_documents says what there is",
}
_QuestionT = TypeVar("_QuestionT", bound=Question)
_ParametersT = TypeVar("_ParametersT", bound=Parameters)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool in an open project; `passwords` are tried on encrypted files."""

    project: Project
    parameters: Parameters
    passwords: tuple[str, ...] = ()

    def of(self, kind: type[_ParametersT]) -> _ParametersT:
        """The parameters, which are of that kind."""
        assert isinstance(self.parameters, kind)
        return self.parameters


def search(call: Call) -> Answer:
    """The results and the verdict; no results where the verdict says that they cannot be relied on."""
    given = call.of(SearchParameters)
    _refuse_beyond("limit", given.limit)
    fields = given.places() | _query(given.query, given.places()) | _optional(limit=given.limit)
    _, answer = search_asked(call.project, _question(SearchQuestion, fields))
    made = as_json(answer)
    status = answer.verdict.status
    if status in RELIABLE or given.show_anyway:
        return made
    made["results"] = []
    cast("Answer", made["scope"])["returned"] = 0
    suggestion = _WHAT_TO_DO[status]
    if answer.results:
        suggestion += "; show_anyway shows them all the same"
    return made | {"not_shown": {"results": len(answer.results), "suggestion": suggestion}}


def context(call: Call) -> Answer:
    """Passages for a task; packed so tightly that the JSON around them fits, too."""
    given = call.of(ContextParameters)
    fields = given.places() | _query(given.task, given.places()) | {"anyway": given.show_anyway}
    budget = min(given.max_tokens, BUDGETS[1])
    for _ in range(REPACKS):
        question = _question(ContextQuestion, fields | {"budget": budget})
        answer = as_json(context_asked(call.project, question, passwords=call.passwords))
        left_out = cast("list[Json]", answer["left_out"])
        tokens = tokens_of({**answer, "left_out": left_out[:LEFT_OUT_LISTED]})
        if tokens <= given.max_tokens or budget == BUDGETS[0]:
            break
        # What stands around the passages grows with them.
        budget = max(BUDGETS[0], int(budget * given.max_tokens / tokens * 0.9))
    return answer


def inspect_query(call: Call) -> Answer:
    """The trace of a search."""
    given = call.of(InspectQueryParameters)
    done, _ = search_asked(
        call.project, _question(SearchQuestion, given.places() | _query(given.query, given.places()))
    )
    return as_json(make_trace(done.execution, given.max_candidates))


def why_not(call: Call) -> Answer:
    """The ladder of a document."""
    given = call.of(WhyNotParameters)
    return as_json(
        why_not_asked(call.project, _question(WhyNotQuestion, {"query": given.query, "document": given.document}))
    )


def open_pointer(call: Call) -> Answer:
    """The passage behind a pointer."""
    given = call.of(OpenParameters)
    return as_json(
        looking.open_asked(call.project, _question(OpenQuestion, {"pointer": given.pointer}), passwords=call.passwords)
    )


def inspect_chunks(call: Call) -> Answer:
    """A document as the index sees it."""
    given = call.of(ChunksParameters)
    return as_json(looking.chunks_asked(call.project, _question(ChunksQuestion, {"document": given.document})))


def neighbors(call: Call) -> Answer:
    """The nearest chunks."""
    given = call.of(NeighborsParameters)
    _refuse_beyond("limit", given.limit)
    fields = {"chunk": given.chunk} | _optional(limit=given.limit)
    return as_json(looking.neighbors_asked(call.project, _question(NeighborsQuestion, fields)))


def list_documents(call: Call) -> Answer:
    """A page of the documents."""
    given = call.of(DocumentsParameters)
    return as_json(
        looking.documents_asked(
            call.project, _question(DocumentsQuestion, {"limit": given.limit, "offset": given.offset})
        )
    )


def list_sessions(call: Call) -> Answer:
    """A page of the conversations."""
    given = call.of(SessionsParameters)
    fields = {"limit": given.limit, "offset": given.offset} | _optional(since=given.since, until=given.until)
    return as_json(sessions.sessions_asked(call.project, _question(SessionsQuestion, fields)))


def show_session(call: Call) -> Answer:
    """A page of a conversation."""
    given = call.of(SessionParameters)
    fields = _optional(session=given.session, at=given.at, offset=given.offset, limit=given.limit)
    return as_json(sessions.session_asked(call.project, _question(SessionQuestion, fields)))


def status(call: Call) -> Answer:
    """The state of the index."""
    return as_json(looking.status_asked(call.project, _question(StatusQuestion, {})))


def as_json(envelope: Envelope) -> Answer:
    """The object that the command line prints."""
    return cast("Answer", json.loads(envelope.to_json()))


def _query(query: str, places: dict[str, object]) -> dict[str, object]:
    """The query; beside a place `*` asks for all that is there, in order."""
    return {"query": "" if places and query.strip() in ("*", "**") else query}


def _optional(**given: object) -> dict[str, object]:
    return {name: value for name, value in given.items() if value is not None}


def _question(kind: type[_QuestionT], fields: dict[str, object]) -> _QuestionT:
    return kind.model_validate(fields).refuse_oversized()


def _refuse_beyond(name: str, value: int | None) -> None:
    if value is not None and value > MOST_RESULTS:
        raise InvalidRequest(f"{name} is {value}; {MOST_RESULTS} is the most", "leave it out for the usual number")
