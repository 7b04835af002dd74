"""What late interaction does to the ranking of public test collections, by blend and by head.

    python benchmarks/rerank.py --data DIR [--keep DIR] [--json FILE] [--queries N]

DIR and the notes are as in `quality.py`. Every judged query is searched once, reranked as the product does it; the
ledger then has the score before of every candidate and the reranker's of the head. Each blend and each smaller head is
reckoned from these numbers with the product's own `blend/1`, so all figures are of the same scores. nDCG@10 is at
document level; beside it the mean difference to the ranking without reranking, with its standard error over queries.
`ms` is the median time of the stage for the whole head.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import ir_measures
from corpora import Collection, collections_in, write_notes
from ir_measures import nDCG
from machine import machine, machine_line, markdown_table
from quality import _OPERATORS, DEPTH, _project

from glassdex.search.ledger import Candidate
from glassdex.search.rerank import HEAD, blend

MEASURE = nDCG @ 10
WEIGHTS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
HEADS = (10, 20, 30, HEAD)


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate: its document, its key, its score before reranking, and the reranker's where it was in the head."""

    path: str
    key: str
    before: float
    read: float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """nDCG@10 of one head and blend, and its difference to the order of retrieval (mean and standard error)."""

    head: int
    weight: float
    ndcg: float
    difference: float
    error: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One collection's figures; `baseline` is nDCG@10 without reranking."""

    collection: str
    queries: int
    baseline: float
    stage_ms: float
    search_ms: float
    figures: list[Figure]


def measure(collection: Collection, folder: Path, most: int | None) -> Outcome:
    """Indexes a collection below `folder`, searches once, and reckons every head and blend."""
    notes = folder / "notes" / collection.name
    write_notes(collection, notes)
    ledgers: dict[str, list[Scored]] = {}
    stage_ms, search_ms = [], []
    with _project(collection.name, notes) as project:
        project.index()
        for query_id, query in list(collection.queries.items())[:most]:
            execution = project.search(_OPERATORS.sub(" ", query), rerank="late-interaction", limit=DEPTH)
            assert execution.ledger.reranking is not None and not execution.ledger.reranking.fallback
            stage_ms += [stage.milliseconds for stage in execution.ledger.stages if stage.name == "rerank"]
            search_ms.append(execution.ledger.milliseconds - stage_ms[-1])
            scored = [_scored(candidate) for candidate in execution.ledger.candidates.values()]
            ledgers[query_id] = sorted(scored, key=lambda one: (-one.before, one.path, one.key))
    plain = _ndcg(collection, {query_id: _documents(scored) for query_id, scored in ledgers.items()})
    figures = []
    for head in HEADS:
        for weight in WEIGHTS:
            found = _ndcg(collection, {q: _documents(_reranked(s, head, weight)) for q, s in ledgers.items()})
            gaps = [found[query_id] - plain[query_id] for query_id in plain]
            error = statistics.stdev(gaps) / len(gaps) ** 0.5
            mean = statistics.mean(found.values())
            figures.append(Figure(head, weight, round(mean, 4), round(statistics.mean(gaps), 4), round(error, 4)))
    return Outcome(
        collection=collection.name,
        queries=len(ledgers),
        baseline=round(statistics.mean(plain.values()), 4),
        stage_ms=round(statistics.median(stage_ms), 1),
        search_ms=round(statistics.median(search_ms), 1),
        figures=figures,
    )


def _scored(candidate: Candidate) -> Scored:
    assert candidate.fused is not None
    read = candidate.reranked.score if candidate.reranked else None
    before = [candidate.fused.score, *(own.score for own in candidate.rescored.values())][-1]
    return Scored(candidate.record.path, candidate.record.key, before, read)


def _reranked(ranking: Sequence[Scored], size: int, weight: float) -> list[Scored]:
    head = [scored for scored in ranking[:size] if scored.read is not None]
    blended = blend([s.before for s in head], [s.read for s in head if s.read is not None], weight)
    placed = sorted(zip(head, blended, strict=True), key=lambda pair: (-pair[1], pair[0].path, pair[0].key))
    return [scored for scored, _ in placed] + list(ranking[len(head) :])


def _documents(ranking: Sequence[Scored]) -> list[str]:
    return list(dict.fromkeys(Path(scored.path).stem for scored in ranking))[:DEPTH]


def _ndcg(collection: Collection, rankings: dict[str, list[str]]) -> dict[str, float]:
    run = {q: {document: float(DEPTH - rank) for rank, document in enumerate(d)} for q, d in rankings.items()}
    judged = {query_id: collection.judgments[query_id] for query_id in rankings}
    return {found.query_id: found.value for found in ir_measures.iter_calc([MEASURE], judged, run)}


def report(outcomes: list[Outcome]) -> str:
    """The figures as Markdown: a row for each head, a column for each weight."""
    parts = [machine_line()]
    for outcome in outcomes:
        parts.append(
            f"**{outcome.collection}**: {outcome.queries} queries, nDCG@10 without reranking {outcome.baseline:.4f}; "
            f"reranking the first {HEAD} takes {outcome.stage_ms:.0f} ms, the rest {outcome.search_ms:.1f} ms"
        )
        rows = [
            [
                str(head),
                *(f"{f.ndcg:.4f} ({f.difference:+.4f} ± {f.error:.4f})" for f in outcome.figures if f.head == head),
            ]
            for head in HEADS
        ]
        parts.append(markdown_table(["head", *(f"w = {weight:g}" for weight in WEIGHTS)], rows))
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description="Late interaction on BEIR-style test collections.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of collection folders")
    parser.add_argument("--keep", type=Path, help="keep notes and stores here between runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--queries", type=int, help="only so many of each collection, to try it out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glassdex-rerank-") as temporary:
        folder: Path = arguments.keep or Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        outcomes = [measure(collection, folder, arguments.queries) for collection in collections_in(arguments.data)]
    print(report(outcomes))
    if arguments.json:
        content = {"machine": machine(), "collections": [asdict(outcome) for outcome in outcomes]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
