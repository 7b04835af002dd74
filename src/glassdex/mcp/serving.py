"""The protocol: tools are listed and called, and nothing else is offered."""

from __future__ import annotations

from functools import partial
from typing import Any

import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION

from glassdex import __version__
from glassdex.mcp.answering import Answering
from glassdex.mcp.fitting import as_text
from glassdex.mcp.instructions import INSTRUCTIONS
from glassdex.mcp.tools import TOOLS

THREADS = 8
"""Calls that run side by side; the others wait."""


def make_server(answering: Answering) -> Server[Any]:
    """The server, for any transport."""
    limiter: list[CapacityLimiter] = []

    async def list_tools(
        _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        names = await to_thread.run_sync(answering.projects)
        return types.ListToolsResult(tools=[_described(name, names) for name in TOOLS])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if not limiter:  # it belongs to the event loop that runs
            limiter.append(CapacityLimiter(THREADS))
        call = partial(answering.call, params.name, params.arguments or {}, _conversation(context))
        answered = await to_thread.run_sync(call, limiter=limiter[0])
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=as_text(answered.answer))],
            structured_content=answered.answer,
            is_error=answered.is_error,
        )

    return Server(
        "glassdex",
        version=__version__,
        title="Glassdex",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _described(name: str, projects: list[str]) -> types.Tool:
    tool = TOOLS[name]
    return types.Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(projects),
        output_schema=tool.output_schema(),
        annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _conversation(context: ServerRequestContext[Any]) -> str:
    """What the transport knows a conversation by: the session over HTTP, where the transport issued it.

    Versions without the handshake have no sessions: nobody looks at the header there, so it says nothing.
    """
    headers = getattr(context.request, "headers", None)
    if headers is None or headers.get(MCP_PROTOCOL_VERSION_HEADER, LATEST_HANDSHAKE_VERSION) not in (
        HANDSHAKE_PROTOCOL_VERSIONS
    ):
        return ""
    return str(headers.get(MCP_SESSION_ID_HEADER, ""))
