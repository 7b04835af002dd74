"""A reranking service that is really there: a web server in a thread, which may answer as wrongly as it likes."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PIECES = 250
"""What a service that never comes to an end sends, a piece every 20 ms: far longer than a test waits for it."""
ENDLESS = {
    "a header": (b"HTTP/1.1 200 OK\r\nX", b"x"),
    "a body": (b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n", b" "),
    "an error": (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 4000\r\n\r\n", b"e"),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}
"""What such a service sends first, and then again and again."""


@dataclass(frozen=True)
class Answer:
    """What the service sends; `body` as it is where it is bytes, else as JSON."""

    body: object = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Service:
    """A running service and what it was asked."""

    url: str
    questions: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


def shared_words(question: dict[str, Any]) -> list[float]:
    """The share of the query's words that each passage has."""
    asked = set(question["query"].casefold().split())
    passages = question["documents"] if "documents" in question else question["texts"]
    return [len(asked & set(passage.casefold().split())) / max(1, len(asked)) for passage in passages]


def as_cohere(question: dict[str, Any]) -> Answer:
    """Results with `relevance_score`, best first: the index says whose they are."""
    scores = sorted(enumerate(shared_words(question)), key=lambda pair: -pair[1])
    results = [{"index": index, "relevance_score": score} for index, score in scores]
    return Answer({"id": "1", "results": results, "meta": {}})


def as_tei(question: dict[str, Any]) -> Answer:
    """A bare list with `score`."""
    scores = sorted(enumerate(shared_words(question)), key=lambda pair: -pair[1])
    return Answer([{"index": index, "score": score} for index, score in scores])


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Answer]) -> Iterator[Service]:
    """Runs a service on this machine that answers every POST with what `answer` makes of the question."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            service.questions.append(question)
            service.headers.append(dict(self.headers))
            given = answer(question)
            body = given.body if isinstance(given.body, bytes) else json.dumps(given.body).encode()
            self.send_response(given.status)
            for name, value in {"Content-Length": str(len(body)), **given.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:  # who asked has gone
                self.close_connection = True

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service = Service(f"http://127.0.0.1:{server.server_port}/rerank")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def dripping(first: bytes, again: bytes) -> Iterator[tuple[str, threading.Event]]:
    """A service that sends `first`, then `again` piece by piece; its URL, and whether who asked hung up meanwhile."""
    left, closing = threading.Event(), threading.Event()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.request.recv(65_536)
            self.wfile.write(first)
            for _ in range(PIECES):
                try:
                    self.wfile.write(again)
                except OSError:
                    left.set()
                    return
                closing.wait(0.02)

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/rerank", left
    finally:
        closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
