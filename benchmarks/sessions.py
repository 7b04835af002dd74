"""Transcripts at size: how fast they are parsed, made searchable by words, grown, and found again.

    python benchmarks/sessions.py [--megabytes 1000] [--json FILE]

The transcripts are written in Claude Code's form: a prompt, then rounds of thinking, text, a tool's call and its
result, as long as such texts are in real transcripts (log-normal lengths; results are given twice, as that program
does), progress records and an image here and there. Words are those of the shipped tokenizer, drawn by Zipf's law in
its own order of frequency; what tools give is paths, numbers and names made of them. A session has
about 2 MB. Nothing is embedded. Memory is the peak of the indexing process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any

from machine import machine, machine_line, markdown_table

SESSION_BYTES = 2_000_000
POOL_WORDS = 4_000_000
"""Texts are cut from so many words in a row."""
QUERIES = 60
PARSED_SESSIONS = 20
GROWTH_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the report; `met` is absent without a target."""

    name: str
    target: str
    measured: str
    value: float
    met: bool | None = None


class SessionWriter:
    """Writes one session after the other; the same seed gives the same bytes."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        words = frequent_words()
        weights = list(accumulate(1 / (rank + 2.7) for rank in range(1, len(words) + 1)))
        drawn = self._random.choices(words, cum_weights=weights, k=POOL_WORDS)
        self._prose = " ".join(" ".join(drawn[i : i + 14]) + "." for i in range(0, POOL_WORDS, 14))
        self._output = "\n".join(self._output_line(drawn[i : i + 6]) for i in range(0, POOL_WORDS, 6))

    def write(self, path: Path, size: int) -> int:
        """A session of about `size` bytes; returns how many it has."""
        written = 0
        with path.open("w", encoding="utf-8") as stream:
            for record in self.records(path.stem):
                written += stream.write(json.dumps(record, ensure_ascii=False) + "\n")
                if written >= size:
                    break
        return written

    def records(self, session: str) -> Iterator[dict[str, Any]]:
        """Records without an end."""
        moment = 1_780_000_000.0 + self._random.random() * 1e7
        parent: str | None = None
        while True:
            turns: list[tuple[str, list[dict[str, Any]]]] = [("user", [{"type": "text", "text": self._text(180, 1.0)}])]
            for _ in range(self._random.randint(3, 14)):
                call = f"toolu_{self._random.getrandbits(64):016x}"
                turns.append(
                    ("assistant", [{"type": "thinking", "thinking": self._text(500, 0.8), "signature": "c2ln" * 90}])
                )
                turns.append(("assistant", [{"type": "text", "text": self._text(250, 0.9)}]))
                command = {"command": self._text(160, 1.1), "description": self._text(40, 0.3)}
                turns.append(("assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": command}]))
                turns.append(("progress", []))
                turns.append(
                    (
                        "user",
                        [{"type": "tool_result", "tool_use_id": call, "content": self._text(1_800, 1.4, self._output)}],
                    )
                )
            for kind, content in turns:
                moment += self._random.expovariate(0.2)
                record = self._record(kind, content, session, parent, moment)
                parent = str(record["uuid"])
                yield record

    def _record(
        self, kind: str, content: list[dict[str, Any]], session: str, parent: str | None, moment: float
    ) -> dict[str, Any]:
        own = str(uuid.UUID(int=self._random.getrandbits(128), version=4))
        record: dict[str, Any] = {
            "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/home/user/project",
            "sessionId": session, "version": "2.1.80", "gitBranch": "main", "slug": "a-b-c", "type": kind,
        }  # fmt: skip
        if kind == "progress":
            record["data"] = {
                "type": "hook_progress",
                "hookEvent": "PreToolUse",
                "hookName": "PreToolUse:Bash",
                "command": "x",
            }
        else:
            record["message"] = {
                "role": kind,
                "content": content,
                "id": f"msg_{own[:8]}",
                "usage": {"input_tokens": 3, "output_tokens": 9, "service_tier": "standard"},
            }
        if content and content[0]["type"] == "tool_result":
            record["toolUseResult"] = {"stdout": content[0]["content"], "stderr": "", "interrupted": False}
        if kind == "user" and self._random.random() < 0.01:
            image = {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 15_000},
            }
            content.append(image)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))
        record |= {"uuid": own, "timestamp": f"{stamp}.{int(moment * 1000) % 1000:03d}Z"}
        return record

    def _text(self, median: int, spread: float, pool: str = "") -> str:
        pool = pool or self._prose
        length = max(8, min(int(median * self._random.lognormvariate(0, spread)), 30_000))
        start = self._random.randrange(len(pool) - length)
        return pool[start : start + length]

    def _output_line(self, words: list[str]) -> str:
        first, second, third, *rest = words
        number = self._random.randrange(2_000)
        forms = (
            f"src/{first}/{second}_{third}.py:{number}: {' '.join(rest)}",
            f"  {number:>5}\t    {first}.{second}({third}={number}, {'_'.join(rest)})",
            f"{number:08x} {first} {second}-{third} {' '.join(rest)}",
        )
        return self._random.choice(forms)


def frequent_words() -> list[str]:
    """The whole words of the shipped tokenizer, the most frequent first."""
    from glassdex.embedding.tokens import shipped_tokenizer

    vocabulary = sorted(shipped_tokenizer().get_vocab().items(), key=lambda entry: entry[1])
    return [word for word, _ in vocabulary if word.isascii() and word.isalpha() and len(word) > 1]


def write_sessions(folder: Path, total_bytes: int) -> int:
    """Sessions of about two megabytes each until there are so many bytes; last changed a day ago."""
    writer = SessionWriter()
    yesterday = time.time() - 86_400
    written = number = 0
    while written < total_bytes:
        path = folder / f"-home-user-{number % 20:02}" / f"{uuid.UUID(int=number, version=4)}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        written += writer.write(path, min(SESSION_BYTES, total_bytes - written))
        os.utime(path, (yesterday, yesterday))
        number += 1
    return written


def parsed(files: list[Path]) -> tuple[float, float]:
    """MB/s of records decoded and made into turns; and of messages made of them, ready to be cut into chunks."""
    from glassdex.reading.protocol import ReadingOptions
    from glassdex.reading.transcripts.claude import ClaudeCodeReader
    from glassdex.reading.transcripts.growth import OpenTranscript
    from glassdex.reading.transcripts.lines import LineSource, decode

    reader = ClaudeCodeReader()
    size = sum(file.stat().st_size for file in files) / 1e6
    started = time.perf_counter()
    for file in files:
        parser = reader.parser(PurePosixPath(file.name))
        with file.open("rb") as stream:
            for line in LineSource(stream, file.stat().st_size):
                list(parser.turns(decode(line.content or b"")))
    turned = time.perf_counter()
    for file in files:
        opened = OpenTranscript(str(file))
        list(opened.parts(reader, PurePosixPath(file.name), None, ReadingOptions()))
        opened.close()
    return size / (turned - started), size / (time.perf_counter() - turned)


def index(folder: Path) -> None:
    """Indexes a folder without embedding and prints what that took, as JSON."""
    from glassdex.project import Project

    started = time.perf_counter()
    with Project.create("bench", []) as project:
        project.add_root(folder, kind="transcripts")
        report = project.index(embed=False)
        status = project.status()
    assert status.transcripts
    seconds = time.perf_counter() - started
    print(
        json.dumps(
            {
                "seconds": seconds,
                "chunks": report.chunks_added,
                "messages": status.transcripts.messages,
                "said": status.transcripts.said_characters,
                "indexed": status.transcripts.indexed_characters,
                "store_bytes": status.counts.store_bytes,
                "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            }
        )
    )


def queries(count: int) -> list[str]:
    """Queries of 3 to 7 words drawn by frequency."""
    drawn = random.Random(7)
    words = frequent_words()
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(1, len(words) + 1)))
    return [" ".join(drawn.choices(words, cum_weights=weights, k=drawn.randint(3, 7))) for _ in range(count)]


def searched(folder: Path) -> list[tuple[float, float]]:
    """Seconds of each warm search by words, and of the share that counting offsets takes."""
    from glassdex.project import Project

    times = []
    with Project.open("bench") as project:
        for query in queries(QUERIES):
            project.search(query, mode="lexical")
            execution = project.search(query, mode="lexical")
            located = sum(stage.milliseconds for stage in execution.ledger.stages if stage.name == "locate")
            times.append((execution.ledger.milliseconds / 1e3, located / 1e3))
    return times


def grown(folder: Path, *, thorough: bool) -> list[float]:
    """Seconds from a line written at the end of a session to the end of the run that indexes it.

    A thorough run looks through the store for damage, as `glassdex index` does; `--watch` does it now and then.
    """
    from glassdex.project import Project

    path = sorted(folder.rglob("*.jsonl"))[0]
    lines = SessionWriter(99).records(path.stem)
    times = []
    with Project.open("bench") as project:
        for _ in range(GROWTH_ROUNDS):
            with path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(next(lines)) + "\n")
            started = time.perf_counter()
            report = project._new_runs(())(None).run(embed=False, thorough=thorough)
            times.append(time.perf_counter() - started)
            assert report.changed + report.unchanged == report.files
    return times


def main() -> None:
    """Writes the transcripts, measures, prints a table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--megabytes", type=int, default=1000)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--index", type=Path, help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    if chosen.index:
        index(chosen.index)
        return
    work = Path(tempfile.mkdtemp(prefix="glassdex-sessions-"))
    try:
        os.environ["GLASSDEX_HOME"] = str(work / "home")
        rows = measure(work / "transcripts", chosen.megabytes)
    finally:
        shutil.rmtree(work)
    print(machine_line())
    print()
    print(markdown_table(["measured", "target", "value"], [[row.name, row.target, row.measured] for row in rows]))
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": machine(), "rows": [asdict(row) for row in rows]}, indent=1))


def measure(folder: Path, megabytes: int) -> list[Row]:
    """All rows of the report."""
    written = write_sessions(folder, megabytes * 1_000_000)
    files = sorted(folder.rglob("*.jsonl"))
    turned, assembled = parsed(files[:PARSED_SESSIONS])
    command = [sys.executable, __file__, "--index", str(folder)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    per_gigabyte = found["seconds"] / written * 1e9
    times = searched(folder)
    p50 = statistics.median(total for total, _ in times) * 1e3
    located = statistics.median(share for _, share in times) * 1e3
    growth = statistics.median(grown(folder, thorough=True)) * 1e3
    watched = statistics.median(grown(folder, thorough=False)) * 1e3
    share, of_said = found["indexed"] / written, found["indexed"] / found["said"]
    return [
        Row("JSONL parsed into turns", ">= 50 MB/s", f"{turned:.0f} MB/s", turned, turned >= 50),
        Row("turned into messages (redacted, capped, named)", "", f"{assembled:.0f} MB/s", assembled),
        Row(
            f"{written / 1e6:,.0f} MB in {len(files):,} sessions searchable by words", "< 240 s a GB",
            f"{found['seconds']:.0f} s, {per_gigabyte:.0f} s a GB", per_gigabyte, per_gigabyte < 240,
        ),
        Row("messages / chunks", "", f"{found['messages']:,} / {found['chunks']:,}", found["chunks"]),
        Row("share of the bytes that is indexed text", "", f"{share * 100:.0f} %", share),
        Row("of the characters said", "", f"{of_said * 100:.0f} %", of_said),
        Row("store", "", f"{found['store_bytes'] / 1e6:,.0f} MB", found["store_bytes"]),
        Row("peak memory of indexing", "", f"{found['peak_bytes'] / 1e6:,.0f} MB", found["peak_bytes"]),
        Row("warm search by words, p50", "", f"{p50:.1f} ms, offsets {located:.1f} ms of it", p50),
        Row("one line more in a session, indexed", "", f"{growth:.0f} ms", growth),
        Row("the same by a run of --watch", "", f"{watched:.0f} ms", watched),
    ]  # fmt: skip


if __name__ == "__main__":
    main()
