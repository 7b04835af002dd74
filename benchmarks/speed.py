"""Speed and memory on synthetic vaults.

    python benchmarks/speed.py [--quick] [--fp32 MODEL.onnx] [--json FILE]

The vaults are written in an invented language whose words follow Zipf's law; notes have a few sections of a few
paragraphs. Queries are at least 100 different ones of 3 to 7 words drawn by frequency, so most hold common words.
To have large stores quickly, chunks get random unit vectors instead of embeddings: that changes what is found, not how
long it takes. Queries are embedded by the shipped model, and that is part of every time. Publishing, a process's first
search and memory are measured once. All else is repeated and the fastest counts (for warm searches: each query's
fastest), because other work on the machine only ever adds. `--quick` leaves out 100,000 chunks.

`--fp32` names an fp32 ONNX export of the embedding model (`tools/build_minilm.py --fp32-out FILE`) with which the
shipped one's throughput is compared.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora import Language
from machine import machine, machine_line, markdown_table

import glassdex
from glassdex.search.request import Mode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNKS_PER_NOTE = 10.0
QUERIES = 120
ROUNDS = 5
COLD_RUNS = 7
REINDEXED_FILES = 5_000
EMBEDDED_TEXTS = 192
VECTOR_BATCH = 4_096
RUNTIME_IMPORTS = "import apsw, numpy, onnxruntime, tokenizers"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the report; `measured` is as printed, `value` the bare number, `met` absent without a target."""

    name: str
    target: str
    measured: str
    value: float
    met: bool | None = None


def publishing(vault: Path, name: str, notes: int) -> Iterator[Row]:
    """Writes and indexes a vault without embedding; the project stays for the rows that follow."""
    Language(seed=notes).write_vault(vault, notes)
    with glassdex.Project.create(name, [vault]) as project:
        report = project.index(embed=False)
        rate = report.chunks_added / report.seconds
        name_of_row, target = f"reading and publishing, {report.files:,} notes", "≥ 1,500 chunks/s"
        yield Row(name_of_row, target, f"{rate:,.0f} chunks/s", round(rate), rate >= 1_500)
        store_random_vectors(project)


def store_random_vectors(project: glassdex.Project) -> None:
    """Gives every pending chunk a random unit vector."""
    import numpy as np

    source = np.random.default_rng(1)
    identity = project.embedder.identity
    last_id = 0
    while True:
        with project.store.read() as snapshot:
            pending = snapshot.pending_chunks(last_id, VECTOR_BATCH)
        if not pending:
            return
        hashes = list({chunk.embedded_hash for chunk in pending})
        vectors = source.standard_normal((len(hashes), identity.dimensions), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        with project.store.write() as writer:
            writer.store_vectors(identity, hashes, vectors)
        last_id = pending[-1].chunk_id


def warm_searches(name: str) -> Iterator[Row]:
    """Times searches in a process that has searched before."""
    queries = Language(seed=7).queries(QUERIES)
    with glassdex.Project.open(name) as project:
        chunks = project.status().counts.chunks
        for mode in ("hybrid", "lexical", "dense"):
            rounds = [[_search_ms(project, query, mode) for query in queries] for _ in range(1 + ROUNDS)]
            # Round 0 warms up; of the others each query's fastest time counts.
            times = [min(of_query) for of_query in zip(*rounds[1:], strict=True)]
            p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
            target = 15 if mode == "hybrid" and 5_000 < chunks < 50_000 else None
            yield Row(
                f"warm {mode} search, {chunks:,} chunks, p50 / p95",
                f"p50 ≤ {target} ms" if target else "",
                f"{p50:.1f} / {p95:.1f} ms",
                round(p50, 2),
                p50 <= target if target else None,
            )


def _search_ms(project: glassdex.Project, query: str, mode: Mode) -> float:
    started = time.perf_counter()
    project.search(query, mode=mode)
    return (time.perf_counter() - started) * 1000


def first_searches(name: str) -> Iterator[Row]:
    """The first search of a process, apart from imports: what a generation loads once."""
    with glassdex.Project.open(name) as project:
        project.embedder.embed_query("warm")
        taken = _milliseconds(lambda: project.search(Language(seed=8).queries(1)[0]))
        chunks = project.status().counts.chunks
    yield Row(f"first search of a process, {chunks:,} chunks, model loaded", "", f"{taken:.0f} ms", round(taken))


def cold_search(name: str) -> Iterator[Row]:
    """`glassdex search` as a process of its own, against one that only imports the runtime."""
    queries = Language(seed=9).queries(COLD_RUNS + 1)
    command = [sys.executable, "-m", "glassdex.cli.main", "search", "--project", name]
    imports = [sys.executable, "-c", RUNTIME_IMPORTS]
    _run([*command, queries[-1]])
    whole, bare = [], []
    for query in queries[:COLD_RUNS]:
        bare.append(_milliseconds(lambda: _run(imports)) / 1000)
        whole.append(_milliseconds(lambda query=query: _run([*command, query])) / 1000)  # type: ignore[misc]
    seconds, floor = min(whole), min(bare)
    yield Row(
        "cold `glassdex search`, 10,000 chunks, whole process",
        "≤ 0.60 s",
        f"{seconds:.2f} s",
        round(seconds, 3),
        seconds <= 0.6,
    )
    yield Row(
        f"the same above bare imports of the runtime ({floor:.2f} s)",
        "≤ 0.35 s",
        f"{seconds - floor:.2f} s",
        round(seconds - floor, 3),
        seconds - floor <= 0.35,
    )


def reindexing(folder: Path) -> Iterator[Row]:
    """A run over files of which none has changed."""
    Language(seed=3).write_vault(folder, REINDEXED_FILES, most_sections=1)
    with glassdex.Project.create("reindexed", [folder]) as project:
        project.index(embed=False)
        store_random_vectors(project)
        reports = [project.index() for _ in range(ROUNDS)]
        if any(report.unchanged != REINDEXED_FILES or report.embedded for report in reports):
            raise SystemExit("the files were taken for changed")
        seconds = min(report.seconds for report in reports)
    yield Row(
        f"indexing again, {REINDEXED_FILES:,} unchanged files",
        "≤ 1.0 s",
        f"{seconds:.2f} s",
        round(seconds, 3),
        seconds <= 1,
    )


def embedding(name: str, fp32: Path | None) -> Iterator[Row]:
    """Throughput of the shipped embedder, and its ratio to the fp32 model on the same texts."""
    with glassdex.Project.open(name) as project, project.store.read() as snapshot:
        identifiers = project.store.chunk_table(snapshot).ids[:EMBEDDED_TEXTS].tolist()
        chunks = snapshot.chunks(identifiers).values()
        texts = [f"{chunk.breadcrumb}\n{chunk.text}" for chunk in chunks]
        embedder = project.embedder
        embedder.embed_query("warm")
        reference = _fp32_embedder(fp32) if fp32 else None
        shipped_seconds, fp32_seconds = [], []
        for _ in range(ROUNDS):
            shipped_seconds.append(_milliseconds(lambda: embedder.embed_documents(texts)) / 1000)
            if reference:
                fp32_seconds.append(_milliseconds(lambda: reference(texts)) / 1000)
    rate = len(texts) / min(shipped_seconds)
    mean_length = sum(map(len, texts)) / len(texts)
    yield Row(f"embedding, chunks of {mean_length:.0f} characters", "", f"{rate:.0f} chunks/s", round(rate, 1))
    if fp32_seconds:
        ratio = min(fp32_seconds) / min(shipped_seconds)
        yield Row("embedding against fp32 on onnxruntime", "≥ 1.7×", f"{ratio:.2f}×", round(ratio, 3), ratio >= 1.7)
    else:
        print("embedding against fp32: left out, no --fp32 model given", file=sys.stderr)


def _fp32_embedder(model: Path) -> Callable[[list[str]], object]:
    """The runtime as it comes: all cores for each operator, batches of 16 texts of like length."""
    import numpy as np

    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    from glassdex.embedding.tokens import shipped_tokenizer

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    tokenizer = shipped_tokenizer()

    def embed(texts: list[str]) -> list[NDArray[np.float32]]:
        tokenized = sorted((tokenizer.encode(text).ids[:256] for text in texts), key=len)
        vectors = []
        for start in range(0, len(tokenized), 16):
            batch = tokenized[start : start + 16]
            ids = np.zeros((len(batch), len(batch[-1])), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, token_ids in enumerate(batch):
                ids[row, : len(token_ids)] = token_ids
                mask[row, : len(token_ids)] = 1
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            vectors.append(session.run(None, inputs)[0])
        return vectors

    return embed


def peak_memory(name: str) -> Iterator[Row]:
    """The peak of a fresh process that runs every query in every mode."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        megabytes, chunks = pool.apply(_peak_of_searches, (name,))
    yield Row(
        f"peak memory of a searching process, {chunks:,} chunks",
        "≤ 700 MB" if chunks > 50_000 else "",
        f"{megabytes:.0f} MB",
        round(megabytes),
        megabytes <= 700 if chunks > 50_000 else None,
    )


def _peak_of_searches(name: str) -> tuple[float, int]:
    with glassdex.Project.open(name) as project:
        for query in Language(seed=7).queries(QUERIES):
            for mode in ("hybrid", "lexical", "dense"):
                project.search(query, mode=mode)
        return _peak_megabytes(), project.status().counts.chunks


def _peak_megabytes() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        # getrusage would also count what the parent had when it started this process.
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1000
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_000_000 if sys.platform == "darwin" else 1000)


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 1):  # 1: nothing found
        raise SystemExit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")


def measure(folder: Path, sizes: list[int], fp32: Path | None) -> Iterator[Row]:
    """Every row, smallest store first."""
    for size in sizes:
        name, vault = f"chunks-{size}", folder / f"vault-{size}"
        yield from publishing(vault, name, round(size / CHUNKS_PER_NOTE))
        if size == 1_000:
            yield from embedding(name, fp32)
        yield from first_searches(name)
        yield from warm_searches(name)
        if size == 10_000:
            yield from cold_search(name)
        yield from peak_memory(name)
        shutil.rmtree(vault)
    yield from reindexing(folder / "reindexed")


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed and memory on synthetic vaults.")
    parser.add_argument("--quick", action="store_true", help="leave out the store of 100,000 chunks")
    parser.add_argument("--fp32", type=Path, help="an fp32 ONNX export of the embedding model to compare with")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    sizes = [1_000, 10_000] if arguments.quick else [1_000, 10_000, 100_000]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="glassdex-speed-") as temporary:
        os.environ["GLASSDEX_HOME"] = str(Path(temporary) / "home")
        for row in measure(Path(temporary), sizes, arguments.fp32):
            print(f"{row.name}: {row.measured}", file=sys.stderr)
            rows.append(row)
    cells = [[row.name, row.target, row.measured, {None: "", True: "yes", False: "no"}[row.met]] for row in rows]
    print(f"{machine_line()}\n\n{markdown_table(['what', 'target', 'measured', 'met'], cells)}")
    print("\nVectors of the stored chunks are random; queries are embedded by the shipped model within the times.")
    if arguments.json:
        content = {"machine": machine(), "rows": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
