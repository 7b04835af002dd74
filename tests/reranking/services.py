"""A reranking service that is really there: a web server in a thread, which may answer as wrongly as it likes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


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
