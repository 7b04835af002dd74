"""The application: the API's routes behind the guard, and a place for pages beside them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from anyio import to_thread
from fastapi import FastAPI

from glassdex.server.config import ServerConfig
from glassdex.server.documentation import openapi_document
from glassdex.server.guard import Guard
from glassdex.server.problems import handle_problems
from glassdex.server.routes.answering import PREFIX
from glassdex.server.routes.context import add_context_routes
from glassdex.server.routes.indexing import add_indexing_routes
from glassdex.server.routes.looking import add_looking_routes
from glassdex.server.routes.measuring import add_measuring_routes
from glassdex.server.routes.search import add_search_routes
from glassdex.server.routes.sessions import add_session_routes
from glassdex.server.routes.why_not import add_why_not_routes
from glassdex.server.services import Services

THREADS = 16
"""Searches and other questions that run side by side."""

AddPages = Callable[[FastAPI, Services], None]


def create_app(config: ServerConfig, *, add_pages: AddPages | None = None) -> Guard:
    """The server as an ASGI application.

    `add_pages` adds routes outside of `/api/`, with `include_in_schema=False`, to the same application: they pass the
    same guard, under a content security policy for pages that load from here alone.
    """
    services = Services(config)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield
        await to_thread.run_sync(services.close)

    app = _Application(
        title="Glassdex",
        lifespan=lifespan,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    handle_problems(app)
    add_search_routes(app, services)
    add_context_routes(app, services)
    add_why_not_routes(app, services)
    add_looking_routes(app, services)
    add_session_routes(app, services)
    add_indexing_routes(app, services)
    add_measuring_routes(app, services)
    if add_pages is not None:
        add_pages(app, services)
    return Guard(app, config, services)


class _Application(FastAPI):
    def openapi(self) -> dict[str, Any]:
        if not self.openapi_schema:
            self.openapi_schema = openapi_document(self)
        return self.openapi_schema
