"""Listening: the socket, the web server, and an end without noise."""

from __future__ import annotations

import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from glassdex.errors import InvalidRequest, UnavailableError
from glassdex.server.guard import Guard
from glassdex.server.logs import JsonLinesHandler

SECONDS_TO_END = 5
MOST_CONNECTIONS = 256
MAX_HEAD = 32_768
"""Bytes of a request's line and headers that are read at most."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens nowhere yet, at an address that is ours; port 0 is any free one.

    Raises:
        UnavailableError: the port is in use, or this user may not have it.
        InvalidRequest: the host is no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise InvalidRequest(f"{host} is no address: {error}", "--host 127.0.0.1") from error
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(MOST_CONNECTIONS)
    except (OSError, OverflowError) as error:
        made.close()
        number = getattr(error, "errno", None)
        if number == errno.EADDRINUSE:
            raise UnavailableError(
                f"port {port} of {host} is in use", f"end what listens there, or choose another: --port {port + 1}"
            ) from error
        if number in (errno.EACCES, errno.EPERM):
            raise UnavailableError(f"port {port} may not be used by this user", "--port 7323") from error
        raise InvalidRequest(f"{host}:{port} cannot be listened at: {error}", "--host 127.0.0.1") from error
    return made


def url_of(listening: socket.socket) -> str:
    """Where a browser on this machine finds it."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - what is bound, in words
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(app: Guard, listening: socket.socket, started: Callable[[], None] = lambda: None) -> None:
    """Answers until SIGINT or SIGTERM, then lets requests end for a few seconds and closes everything."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEAD,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    for name in ("uvicorn", "uvicorn.error", "fastapi", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate, logger.level = [JsonLinesHandler()], False, logging.WARNING
    server = _Server(config, app, started)
    server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """Ends with the process's own exit code: uvicorn would raise the signal once more."""

    def __init__(self, config: uvicorn.Config, app: Guard, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Says that it listens."""
        await super().startup(sockets)
        if self.started:
            self._started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handles the signals for the time of the block."""
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Streams end by themselves then."""
        self._app.services.stopping.set()
        super().handle_exit(sig, frame)
