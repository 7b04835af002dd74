"""Serving over streamable HTTP, behind the guard of `glassdex serve`: this machine alone, or a token."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.routing import Route

from glassdex.mcp.answering import Answering
from glassdex.mcp.serving import make_server
from glassdex.mcp.stdio import quiet
from glassdex.server.guard import MAX_BODY, Guard
from glassdex.server.listening import serve

PATH = "/mcp"
MOST_SESSIONS = 256
IDLE_SECONDS = 1800.0


def create_mcp_app(answering: Answering) -> Guard:
    """The server as an ASGI application; the endpoint is `/mcp`.

    Host, Origin and token are the guard's to check, as for the HTTP API.
    """
    manager = StreamableHTTPSessionManager(
        make_server(answering),
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MOST_SESSIONS,
        max_request_body_size=MAX_BODY,
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with manager.run():
            yield

    app = FastAPI(
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        routes=[Route(PATH, endpoint=StreamableHTTPASGIApp(manager), methods=["GET", "POST", "DELETE"])],
    )
    return Guard(app, answering.services.config, answering.services)


def serve_http(answering: Answering, listening: socket.socket, started: Callable[[], None]) -> None:
    """Answers until SIGINT or SIGTERM."""
    quiet("mcp", "sse_starlette")
    serve(create_mcp_app(answering), listening, started)
