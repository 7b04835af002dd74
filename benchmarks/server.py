"""The HTTP API under load, on loopback: 16 clients that each wait for their answer before they ask again.

    python benchmarks/server.py [--notes N] [--requests N] [--clients N] [--json FILE]

A synthetic vault as in speed.py (random unit vectors instead of embeddings; queries are embedded by the shipped model),
served by `glassdex serve` in a process of its own. The clients are threads of this process, so they take their share of
the same processors. Each request is another query; every answer has to have the status 200 and results of its own
query. A first round, unmeasured, loads the model and the vectors. Memory is that of the server's process after all of
it, with its 256 traces. Beside the load, the same searches one after the other by a single client.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from corpora import Language
from machine import machine, machine_line, markdown_table
from speed import store_random_vectors

import glassdex

PROJECT = "served"
WARMING = 32


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, int]]:
    """`glassdex serve` over the vault: its address and process id; it has to end with 0."""
    command = [sys.executable, "-m", "glassdex.cli.main", "serve", "--port", "0", "--project", PROJECT]
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True)
        assert running.stdout is not None
        found = re.search(r"http://\S+?:\d+", running.stdout.readline())
        assert found, (folder / "log").read_text(encoding="utf-8")
        try:
            yield found[0], running.pid
        finally:
            running.send_signal(signal.SIGTERM)
            assert running.wait(60) == 0


def asked(url: str, queries: Sequence[str], more: Mapping[str, object]) -> list[float]:
    """Asks one after the other on one connection; milliseconds of each, or an error that ends the measurement."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=120)
    times = []
    for query in queries:
        started = time.perf_counter()
        connection.request(
            "POST", "/api/v1/search", json.dumps({"query": query, **more}), {"Content-Type": "application/json"}
        )
        response = connection.getresponse()
        body = response.read()
        times.append((time.perf_counter() - started) * 1000)
        answer = json.loads(body)
        if (
            response.status != 200
            or answer["query"] != query
            or not (answer["results"] or more.get("mode") == "lexical")
        ):
            raise AssertionError(f"{response.status} for {query!r}: {body[:300]!r}")
    connection.close()
    return times


def load(url: str, queries: Sequence[str], clients: int, more: Mapping[str, object]) -> tuple[list[float], float, int]:
    """Milliseconds of all requests, seconds of the whole, and how many clients met an error."""
    times: list[float] = []
    errors: list[BaseException] = []
    guard = threading.Lock()

    def ask(mine: Sequence[str]) -> None:
        try:
            own = asked(url, mine, more)
        except Exception as error:
            with guard:
                errors.append(error)
            return
        with guard:
            times.extend(own)

    threads = [threading.Thread(target=ask, args=(queries[number::clients],)) for number in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return times, time.perf_counter() - started, len(errors)


def megabytes(pid: int) -> float:
    """Memory of a process that is in its RAM; nothing where the system does not tell so."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", status.read_text(encoding="utf-8")) if status.exists() else None
    return int(found[1]) / 1024 if found else float("nan")


def percentile(times: Sequence[float], share: float) -> float:
    """The time that this share of requests does not exceed."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def main() -> None:
    """Measures, prints, and exits with 1 where a request failed."""
    parser = argparse.ArgumentParser(description="Put the HTTP API under load, on loopback.")
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--requests", type=int, default=1_600)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[list[str]] = []
    found: list[dict[str, object]] = []
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        Language(seed=options.notes).write_vault(folder / "vault", options.notes)
        with glassdex.Project.create(PROJECT, [folder / "vault"]) as project:
            chunks = project.index(embed=False).chunks_added
            store_random_vectors(project)
        queries = Language(seed=7).queries(options.requests)
        with served(folder) as (url, pid):
            asked(url, queries[:WARMING], {})
            for what, clients, more, share in (
                ("hybrid, one client", 1, {}, 4),
                (f"hybrid, {options.clients} clients", options.clients, {}, 1),
                (f"by words, {options.clients} clients", options.clients, {"mode": "lexical"}, 1),
                (f"with the trace, {options.clients} clients", options.clients, {"explain": True}, 4),
            ):
                used = queries[: len(queries) // share]
                times, seconds, errors = load(url, used, clients, more)
                failed += errors
                figures = {
                    "requests": len(times),
                    "errors": errors,
                    "a second": round(len(times) / seconds, 1),
                    "p50 ms": round(statistics.median(times), 1),
                    "p95 ms": round(percentile(times, 0.95), 1),
                    "worst ms": round(max(times), 1),
                }
                found.append({"what": what, **figures})
                rows.append([what, *(f"{value:,}" for value in figures.values())])
            memory = megabytes(pid)
    print(f"{chunks:,} chunks; the server's memory afterwards: {memory:,.0f} MB; {machine_line()}")
    print(f"load of the machine, 1 minute: {os.getloadavg()[0]:.1f}\n")
    print(markdown_table(["search", "requests", "errors", "a second", "p50 ms", "p95 ms", "worst ms"], rows))
    if options.json:
        options.json.write_text(
            json.dumps({"machine": machine(), "chunks": chunks, "megabytes": memory, "rows": found}, indent=2) + "\n",
            encoding="utf-8",
        )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
