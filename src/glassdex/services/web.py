"""Asking a web service: JSON there and back, a few attempts, and nothing that a service does can cost more than that.

Redirects are refused, for they would carry the key along. The standard library does all of this in a page, so no client
is required.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from typing import IO
from urllib.parse import urlsplit

from glassdex.errors import GlassdexError
from glassdex.services.deadline import HttpHandler, HttpsHandler, seconds_left

ATTEMPTS = 3
PAUSES = (0.25, 1.0)
"""Seconds before the second and the third attempt, where the service does not say."""
LONGEST_PAUSE = 2.0
"""A service that asks for more is not waited for."""
AGAIN = (429, 500, 502, 503, 504)
"""Status codes that may be gone a moment later."""
MAX_ANSWER_BYTES = 4_000_000
SAID_CHARACTERS = 200
"""How much of a service's own words about an error is repeated."""


class WebService:
    """A URL that answers a POST of JSON with JSON; safe to share between threads."""

    def __init__(
        self,
        url: str,
        key: str,
        timeout_seconds: float,
        failure: Callable[[str], GlassdexError],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`key` goes along as a bearer token. `failure` makes the error of what went wrong: "did not answer …".

        `timeout_seconds` are for a question with all its attempts.

        `pause` waits so many seconds between two attempts.
        """
        self._url = url
        self._key = key
        self._timeout_seconds = timeout_seconds
        self._failure = failure
        self._pause = pause
        self._opener = _opener(url)

    @property
    def host(self) -> str:
        """Host and port, which hold no secret."""
        return urlsplit(self._url).netloc

    def ask(self, question: object) -> object:
        """The service's answer to a question that JSON can hold.

        Raises:
            GlassdexError: made by `failure`: the service cannot be reached, or answers with an error, too much, or
                something else than JSON.
        """
        answer = self._answer(json.dumps(question).encode())
        try:
            return json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise self._failure(f"did not answer with JSON: {error}") from error

    def _answer(self, question: bytes) -> bytes:
        deadline = time.monotonic() + self._timeout_seconds
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._ask(question, deadline)
            except urllib.error.HTTPError as error:
                wait = _pause_asked_for(error, attempt)
                said = self._said(error)
                late = time.monotonic() + wait >= deadline
                if error.code not in AGAIN or attempt == ATTEMPTS or wait > LONGEST_PAUSE or late:
                    tried = f" after {attempt} attempts" if attempt > 1 else ""
                    raise self._failure(f"answered {error.code}{tried}{said}") from error
            except TimeoutError as error:
                raise self._failure(f"did not answer within {self._timeout_seconds:g} s") from error
            except (OSError, HTTPException) as error:
                if _timed_out(error):
                    raise self._failure(f"did not answer within {self._timeout_seconds:g} s") from error
                wait = PAUSES[min(attempt, len(PAUSES)) - 1]
                if attempt == ATTEMPTS or time.monotonic() + wait >= deadline:
                    raise self._failure(f"cannot be reached: {getattr(error, 'reason', error)}") from error
            self._pause(wait)
        raise AssertionError  # the last attempt returns or raises

    def _ask(self, question: bytes, deadline: float) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "glassdex"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, question, headers, method="POST")  # noqa: S310 - see `_opener`
        with self._opener.open(request, timeout=seconds_left(deadline)) as response:
            return self._read(response)

    def _read(self, response: HTTPResponse) -> bytes:
        """The body, as long as it is not too large."""
        parts, size = [], 0
        while part := response.read1(65_536):
            parts.append(part)
            size += len(part)
            if size > MAX_ANSWER_BYTES:
                raise self._failure(f"answered with more than {MAX_ANSWER_BYTES:,} bytes")
        return b"".join(parts)

    def _said(self, error: urllib.error.HTTPError) -> str:
        """The beginning of what came with an error; many services tell there what is wrong with the request."""
        try:
            body: IO[bytes] = error
            said = " ".join(body.read(4_096).decode("utf-8", "replace").split())
        except (OSError, HTTPException):
            said = ""
        finally:
            error.close()
        if self._key:  # some repeat the key that they refuse
            said = said.replace(self._key, "…")
        return f": {said[:SAID_CHARACTERS]}" if said else ""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        """A redirect is the error that its status code is."""


def _opener(url: str) -> urllib.request.OpenerDirector:
    """HTTP and HTTPS alone; to this machine itself never by way of a proxy."""
    opener = urllib.request.OpenerDirector()
    proxies = urllib.request.ProxyHandler({} if _is_loopback(urlsplit(url).hostname or "") else None)
    for handler in (
        proxies,
        HttpHandler(),
        HttpsHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
        _NoRedirects(),
    ):
        opener.add_handler(handler)
    return opener


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _pause_asked_for(error: urllib.error.HTTPError, attempt: int) -> float:
    """Seconds to wait before the next attempt; `Retry-After` with a date is not read."""
    asked = error.headers.get("Retry-After", "") if error.headers else ""
    return float(asked) if asked.strip().isdecimal() else PAUSES[min(attempt, len(PAUSES)) - 1]


def _timed_out(error: BaseException) -> bool:
    return isinstance(getattr(error, "reason", error), TimeoutError)
