"""The tools: what each is for, what it takes and answers, and what of its answer may be left out first."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import cast

from glassdex.envelopes.base import Envelope
from glassdex.envelopes.chunks import ChunksAnswer
from glassdex.envelopes.context import ContextAnswer
from glassdex.envelopes.documents import DocumentsAnswer
from glassdex.envelopes.neighbors import NeighborsAnswer
from glassdex.envelopes.passage import PassageAnswer
from glassdex.envelopes.search import SearchAnswer
from glassdex.envelopes.session import SessionAnswer, SessionsAnswer
from glassdex.envelopes.status import StatusAnswer
from glassdex.envelopes.trace import Trace
from glassdex.envelopes.why_not import WhyNotAnswer
from glassdex.mcp import asking
from glassdex.mcp.fitting import Answer, Trim
from glassdex.mcp.parameters import (
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
    StatusParameters,
    WhyNotParameters,
)
from glassdex.mcp.schemas import Schema, input_schema, output_schema

LEAST_CHARACTERS = 200
"""Of a text that is cut."""
_EXPLAINED = ("misses", "misses_bounds", "why_not", "executions", "trace")
"""What a search over MCP never has: `inspect_query` and `why_not` are for that."""


@dataclass(frozen=True, slots=True)
class Tool:
    """`ask` answers; `trims` say in which order the answer is shortened, and `shorter` how to ask for more of it.

    `is_search`: a call costs one of a conversation's budget. `reference` is the parameter that may be a pointer, which
    may name its project. `pages`: where the answer's list of this name was shortened, it is asked for once more with
    that limit, so that its cursors fit. `repair` puts right what another list's length says of it.
    """

    name: str
    title: str
    description: str
    parameters: type[Parameters]
    envelope: type[Envelope]
    ask: Callable[[asking.Call], Answer]
    trims: tuple[Trim, ...] = ()
    shorter: str = "give a larger max_tokens"
    is_search: bool = False
    of_sessions: bool = False
    reference: str | None = None
    pages: str | None = None
    repair: Callable[[Answer, Answer], Answer] | None = None
    without: tuple[str, ...] = ()

    def input_schema(self, projects: Collection[str] = ()) -> Schema:
        """The JSON Schema of its parameters."""
        return input_schema(self.parameters, projects)

    def output_schema(self) -> Schema:
        """The JSON Schema of its answers."""
        return output_schema(self.envelope, self.without)


def _next_offset(whole: Answer, shortened: Answer) -> Answer:
    kept = len(cast("list[object]", shortened["documents"]))
    return {**shortened, "next": cast("int", whole["offset"]) + kept} if kept else shortened


def _more_truncated(whole: Answer, shortened: Answer) -> Answer:
    before, kept = (len(cast("list[object]", one["candidates"])) for one in (whole, shortened))
    return {**shortened, "truncated": cast("int", whole["truncated"]) + before - kept}


def _tool(tool: Tool) -> tuple[str, Tool]:
    return tool.name, tool


TOOLS: dict[str, Tool] = dict(
    map(
        _tool,
        (
            Tool(
                "search",
                "Search",
                "Search the user's notes, documents and conversations with agents, by words and by meaning. Returns "
                "documents with their best passages, each with a pointer to cite and to open, and a verdict: 'ok'; "
                "'weak', the answer may not be there; anything else, nothing to rely on, and no results are shown. "
                "Say so then instead of guessing.",
                SearchParameters,
                SearchAnswer,
                asking.search,
                trims=(
                    Trim(("results",), 1),
                    Trim(("results", 0, "matches"), 1),
                    Trim(("results", 0, "matches", 0, "text"), LEAST_CHARACTERS),
                    Trim(("results",)),
                ),
                shorter="give a larger max_tokens or a smaller limit; open shows a passage by its pointer",
                is_search=True,
                reference="document",
                without=_EXPLAINED,
            ),
            Tool(
                "context",
                "Gather passages for a task",
                "Gather the passages worth reading for a task, packed into a budget of tokens, with the reason for "
                "each. For a question with one answer, search is enough.",
                ContextParameters,
                ContextAnswer,
                asking.context,
                trims=(Trim(("left_out",)), Trim(("unknown_words",))),
                shorter="give a larger max_tokens; open shows a passage by its pointer",
                is_search=True,
                reference="document",
                without=("executions", "trace"),
            ),
            Tool(
                "inspect_query",
                "See how a search ran",
                "The trace of a search: every stage with what went in and out, and each candidate's ranks and scores. "
                "To find out why results are as they are, not to find something.",
                InspectQueryParameters,
                Trace,
                asking.inspect_query,
                trims=(Trim(("candidates",)),),
                shorter="give a smaller max_candidates or a larger max_tokens",
                is_search=True,
                reference="document",
                repair=_more_truncated,
            ),
            Tool(
                "why_not",
                "See why a document was not found",
                "Why a search did not return a document that was expected: every step from the file to the page, and "
                "the smallest changes that would return it.",
                WhyNotParameters,
                WhyNotAnswer,
                asking.why_not,
                trims=(Trim(("proposals",)), Trim(("rungs",), 1)),
                is_search=True,
                reference="document",
            ),
            Tool(
                "open",
                "Open a pointer",
                "The passage behind a pointer, checked against the file as it is now: exact, moved, changed, gone or "
                "ambiguous. Use it before quoting.",
                OpenParameters,
                PassageAnswer,
                asking.open_pointer,
                trims=(Trim(("candidates",), 1), Trim(("text",), LEAST_CHARACTERS)),
                reference="pointer",
            ),
            Tool(
                "inspect_chunks",
                "See a document as the index has it",
                "A document's rows and chunks with their pointers, and whether the index is current with the file.",
                ChunksParameters,
                ChunksAnswer,
                asking.inspect_chunks,
                trims=(
                    Trim(("rows",), 1),
                    Trim(("rows", 0, "chunks"), 1),
                    Trim(("rows", 0, "chunks", 0, "text"), LEAST_CHARACTERS),
                    Trim(("rows",)),
                ),
                shorter="give a larger max_tokens, or search within the document",
                reference="document",
            ),
            Tool(
                "neighbors",
                "Find what is alike",
                "The passages nearest in meaning to one that another tool returned, with near-duplicates marked.",
                NeighborsParameters,
                NeighborsAnswer,
                asking.neighbors,
                trims=(Trim(("neighbors",), 1), Trim(("neighbors", 0, "text"), LEAST_CHARACTERS), Trim(("neighbors",))),
                shorter="give a smaller limit or a larger max_tokens",
                reference="chunk",
            ),
            Tool(
                "list_documents",
                "List documents",
                "The documents there are, by path. To find something in them, search.",
                DocumentsParameters,
                DocumentsAnswer,
                asking.list_documents,
                trims=(Trim(("documents",)),),
                shorter="the next page: offset is `next`",
                repair=_next_offset,
            ),
            Tool(
                "list_sessions",
                "List conversations",
                "The user's earlier conversations with agents, the one with the latest message first. To find what was "
                "said, search.",
                SessionsParameters,
                SessionsAnswer,
                asking.list_sessions,
                trims=(Trim(("sessions",)),),
                shorter="the next page: raise offset by the number of sessions that are here",
                of_sessions=True,
            ),
            Tool(
                "show_session",
                "Read a conversation",
                "A page of an earlier conversation with an agent, in order. Begin where search found something: `at` "
                "is the match's pointer.",
                SessionParameters,
                SessionAnswer,
                asking.show_session,
                trims=(
                    Trim(("messages",), 1),
                    Trim(("sub_agents",)),
                    Trim(("messages", 0, "text"), LEAST_CHARACTERS),
                    Trim(("messages",)),
                ),
                shorter="the next page: offset is `next`",
                of_sessions=True,
                reference="at",
                pages="messages",
            ),
            Tool(
                "status",
                "See the state of the index",
                "What is indexed and how much is pending, and which files failed or were skipped, and why.",
                StatusParameters,
                StatusAnswer,
                asking.status,
                trims=(Trim(("skipped",)), Trim(("odd",)), Trim(("failures",))),
            ),
        ),
    )
)
"""By name, in the order in which they are listed."""
