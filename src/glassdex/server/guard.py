"""What stands before the application: every request passes here first, whether it asks for the API or a page."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Iterable

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from glassdex.server.config import ServerConfig
from glassdex.server.logs import log
from glassdex.server.problems import problem
from glassdex.server.refusals import API, refusal
from glassdex.server.services import Services

MAX_BODY = 1_048_576
"""Bytes."""
BODY_SECONDS = 30.0
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SHOWN_PATH = 200
_EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none at all, a browser calls the origin of our own forms null
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
API_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


class Guard:
    """An ASGI application around another: limits, who may ask, security headers, request ids, the log, HEAD, OPTIONS.

    A request that is refused here never reaches `app`.
    """

    def __init__(self, app: FastAPI, config: ServerConfig, services: Services) -> None:
        self.app = app
        self.config = config
        self.services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:  # there is no web socket here
            await send({"type": "websocket.close", "code": 1008})

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        request_id = _request_id(scope)
        answer = _Answer(send, request_id, scope["path"], without_body=scope["method"] == "HEAD")
        try:
            await self._answered({**scope, "glassdex.request_id": request_id}, receive, answer)
        except Exception as error:
            # After a complete response the application has answered the error itself, or still writes to a HEAD.
            if not answer.is_complete:
                # One that has begun cannot be taken back; to cut it off is how the client learns of it.
                log("error", "a response broke off", request_id=request_id, exception=type(error).__name__)
                raise
        finally:
            log(
                "info",
                "request",
                request_id=request_id,
                method=scope["method"][:16],
                path=scope["path"][:_SHOWN_PATH],
                status=answer.status or None,
                ms=round((time.perf_counter() - started) * 1000, 1),
            )

    async def _answered(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        request_id = scope["glassdex.request_id"]
        refused = refusal(self.config, scope, request_id)
        if refused is None and scope["method"] == "OPTIONS":
            refused = _options(self.app.routes, scope["path"], request_id)
        if refused is None:
            body = await _body(scope, receive, request_id)
            if isinstance(body, bytes):
                method = "GET" if scope["method"] == "HEAD" else scope["method"]
                await self.app({**scope, "method": method}, _replayed(body, receive), answer)
                return
            refused = body
        await refused(scope, receive, answer)


class _Answer:
    """The `send` of a request: adds what every response has, and keeps what is logged."""

    def __init__(self, send: Send, request_id: str, path: str, *, without_body: bool) -> None:
        self._send = send
        self._request_id = request_id
        self._is_api = path.startswith(API)
        self._without_body = without_body
        self.status = 0
        self.is_complete = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._add_headers(MutableHeaders(raw=message.setdefault("headers", [])))
        elif self._without_body and message["type"] == "http.response.body":
            if self.is_complete:
                raise _NothingMore
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)
        self.is_complete = message["type"] == "http.response.body" and not message.get("more_body", False)

    def _add_headers(self, headers: MutableHeaders) -> None:
        for name, value in _EVERYWHERE.items():
            headers[name] = value
        headers["Content-Security-Policy"] = API_POLICY if self._is_api else PAGE_POLICY
        if self._is_api or "cache-control" not in headers:
            headers["Cache-Control"] = "no-store"
        headers["X-Request-ID"] = self._request_id


class _NothingMore(Exception):
    """A HEAD is answered; what the application would still write has no reader."""


def _request_id(scope: Scope) -> str:
    given = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"x-request-id"]
    return given[0] if len(given) == 1 and _REQUEST_ID.fullmatch(given[0]) else secrets.token_hex(8)


def _options(routes: Iterable[object], path: str, request_id: str) -> Response:
    """Which methods an address has; no other origin is let in, so there is nothing else to say."""
    methods = {
        method
        for route in routes
        if isinstance(route, Route) and route.path_regex.match(path)
        for method in route.methods or ()
    }
    if not methods:
        return problem(404, "not_found", "not found", request_id=request_id)
    methods |= {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    return Response(status_code=204, headers={"Allow": ", ".join(sorted(methods))})


async def _body(scope: Scope, receive: Receive, request_id: str) -> bytes | Response:
    """The whole body, or the answer to one that is too large, too slow or no JSON."""
    headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
    too_large = problem(413, "body_too_large", f"the body is larger than {MAX_BODY:,} bytes", request_id=request_id)
    length = headers.get(b"content-length", "0")
    if not length.isdecimal() or int(length[:20]) > MAX_BODY:
        return too_large
    parts, size, more = [], 0, True
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    break
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MAX_BODY:
                    return too_large
                more = message.get("more_body", False)
    except TimeoutError:
        return problem(408, "body_too_slow", f"the body took more than {BODY_SECONDS:.0f} s", request_id=request_id)
    kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
    if size and scope["path"].startswith(API) and kind != "application/json":
        return problem(
            415, "unsupported_media_type", "the body is not said to be JSON",
            suggestion="Content-Type: application/json", request_id=request_id,
        )  # fmt: skip
    return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read, then what else comes: that the client went away."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
