"""Rerankers behind a URL, in the form of Cohere, Jina or Text Embeddings Inference (TEI).

Query and passages leave the machine for the URL in the user's own configuration, and for no other: redirects are
refused, for they would carry the key along. The standard library does all of this in a page, so no client is required.
"""

from __future__ import annotations

import json
import math
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPException, HTTPResponse
from ipaddress import ip_address
from typing import IO
from urllib.parse import urlsplit

from glassdex.embedding.tokens import encodable
from glassdex.errors import RerankError
from glassdex.reranking.services import RerankService

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


class HttpReranker:
    """Keeps the `Reranker` protocol with a service that the user configured."""

    name = "http"
    scale = "the service's own; higher is better"

    def __init__(self, service: RerankService, pause: Callable[[float], None] = time.sleep) -> None:
        """`pause` waits so many seconds between two attempts."""
        self._service = service
        self._pause = pause
        self._opener = _opener(service.url)

    @property
    def identity(self) -> str:
        """The model that the configuration names and the service's host: nobody can see its weights."""
        return f"http {self._service.model or self._service.api} at {urlsplit(self._service.url).netloc}"

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """The service's score of each passage, asked for in groups of `texts_a_request`.

        Raises:
            RerankError: the service cannot be reached, answers with an error, or with something that is no scores.
        """
        scores: list[float] = []
        size = self._service.texts_a_request
        for start in range(0, len(passages), size):
            group = [encodable(passage) for passage in passages[start : start + size]]
            scores += self._scores(self._answer(self._question(encodable(query), group)), len(group))
        return scores

    def _question(self, query: str, passages: Sequence[str]) -> bytes:
        question: dict[str, object] = {"query": query}
        if self._service.api == "tei":
            question |= {"texts": passages, "truncate": True}
        else:
            question |= {"documents": passages, "top_n": len(passages)}
        if self._service.model:
            question["model"] = self._service.model
        if self._service.api == "jina":
            question["return_documents"] = False
        return json.dumps(question).encode()

    def _answer(self, question: bytes) -> bytes:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._ask(question)
            except urllib.error.HTTPError as error:
                wait = _pause_asked_for(error, attempt)
                said = self._said(error)
                if error.code not in AGAIN or attempt == ATTEMPTS or wait > LONGEST_PAUSE:
                    tried = f" after {attempt} attempts" if attempt > 1 else ""
                    raise self._failure(f"answered {error.code}{tried}{said}") from error
            except TimeoutError as error:
                raise self._failure(f"did not answer within {self._service.timeout_seconds:g} s") from error
            except (OSError, HTTPException) as error:
                if _timed_out(error):
                    raise self._failure(f"did not answer within {self._service.timeout_seconds:g} s") from error
                if attempt == ATTEMPTS:
                    raise self._failure(f"cannot be reached: {getattr(error, 'reason', error)}") from error
                wait = PAUSES[attempt - 1]
            self._pause(wait)
        raise AssertionError  # the last attempt returns or raises

    def _ask(self, question: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "glassdex"}
        if self._service.key:
            headers["Authorization"] = f"Bearer {self._service.key}"
        request = urllib.request.Request(self._service.url, question, headers, method="POST")  # noqa: S310 - see `_opener`
        deadline = time.monotonic() + self._service.timeout_seconds
        with self._opener.open(request, timeout=self._service.timeout_seconds) as response:
            return self._read(response, deadline)

    def _read(self, response: HTTPResponse, deadline: float) -> bytes:
        """The body, as long as it is neither too large nor too slow: a socket's time-out is for one piece alone."""
        parts, size = [], 0
        while part := response.read1(65_536):
            parts.append(part)
            size += len(part)
            if size > MAX_ANSWER_BYTES:
                raise self._failure(f"answered with more than {MAX_ANSWER_BYTES:,} bytes")
            if time.monotonic() > deadline:
                raise TimeoutError
        return b"".join(parts)

    def _scores(self, answer: bytes, count: int) -> list[float]:
        try:
            content = json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise self._failure(f"did not answer with JSON: {error}") from error
        results = content.get("results") if isinstance(content, dict) else content
        if not isinstance(results, list):
            raise self._failure("answered without a list of results")
        scores: dict[int, float] = {}
        for result in results:
            index, score = self._scored(result, count)
            if index in scores:
                raise self._failure(f"scored passage {index} twice")
            scores[index] = score
        if len(scores) != count:
            raise self._failure(f"scored {len(scores)} of {count} passages")
        return [scores[index] for index in range(count)]

    def _scored(self, result: object, count: int) -> tuple[int, float]:
        if not isinstance(result, dict):
            raise self._failure(f"answered with the result {_brief(result)}")
        index, score = result.get("index"), result.get("relevance_score", result.get("score"))
        if type(index) is not int or not 0 <= index < count:
            raise self._failure(f"answered for passage {_brief(index)} of {count}")
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise self._failure(f"gave passage {index} the score {_brief(score)}")
        try:
            number = float(score)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self._failure(f"gave passage {index} a score that is not finite")
        return index, number

    def _said(self, error: urllib.error.HTTPError) -> str:
        """The beginning of what came with an error; many services tell there what is wrong with the request."""
        try:
            body: IO[bytes] = error
            said = " ".join(body.read(4_096).decode("utf-8", "replace").split())
        except (OSError, HTTPException):
            said = ""
        finally:
            error.close()
        if self._service.key:  # some repeat the key that they refuse
            said = said.replace(self._service.key, "…")
        return f": {said[:SAID_CHARACTERS]}" if said else ""

    def _failure(self, what: str) -> RerankError:
        service = self._service
        return RerankError(
            f"the reranker {service.name!r} at {urlsplit(service.url).netloc} {what}",
            f"see [rerankers.{service.name}] in config.toml, or search with --rerank none",
        )


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        """A redirect is the error that its status code is."""


def _opener(url: str) -> urllib.request.OpenerDirector:
    """HTTP and HTTPS alone; to this machine itself never by way of a proxy."""
    opener = urllib.request.OpenerDirector()
    proxies = urllib.request.ProxyHandler({} if _is_loopback(urlsplit(url).hostname or "") else None)
    for handler in (
        proxies,
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
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


def _brief(value: object) -> str:
    return repr(value)[:40]
