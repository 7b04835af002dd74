"""HTTP connections whose time-out is for the whole of it: the library's own is for each piece that arrives.

So a server that sends one byte now and then, or "100 Continue" without end, is given up in time.
"""

from __future__ import annotations

import io
import socket
import time
import urllib.request
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def seconds_left(deadline: float) -> float:
    """Seconds until a time of the monotonic clock.

    Raises:
        TimeoutError: it is past.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left


class _Reader(io.RawIOBase):
    """What arrives at a socket before the time-out that it has now is over, however many pieces that is."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._deadline = time.monotonic() + (sock.gettimeout() or 0.0)
        self._raw = sock.makefile("rb", buffering=0)  # holds the socket open when its connection lets go of it

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._socket.settimeout(seconds_left(self._deadline))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    """The library's own, which reads status, headers and body through `fp`."""

    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
    ) -> None:
        super().__init__(sock, debuglevel, method, url)
        self.fp.close()
        self.fp = io.BufferedReader(_Reader(sock))


class _Connection(HTTPConnection):
    response_class = _Response

    def connect(self) -> None:
        self._deadline = time.monotonic() + (self.timeout or 0.0)
        super().connect()

    def send(self, data: Any) -> None:  # noqa: ANN401 - as the library has it
        if self.sock is None:
            self.connect()
        self.sock.settimeout(seconds_left(self._deadline))
        super().send(data)

    def getresponse(self) -> HTTPResponse:
        self.sock.settimeout(seconds_left(self._deadline))
        return super().getresponse()


class _SecureConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class HttpHandler(urllib.request.HTTPHandler):
    """HTTP with a time-out for the whole of it."""

    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        """See `urllib.request.HTTPHandler`."""
        return self.do_open(_Connection, req)


class HttpsHandler(urllib.request.HTTPSHandler):
    """HTTPS with a time-out for the whole of it."""

    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        """See `urllib.request.HTTPSHandler`."""
        return self.do_open(_SecureConnection, req)
