"""How much of what is relevant `glassdex context` packs into a budget, on public test collections.

    python benchmarks/context.py --data DIR [--keep DIR] [--json FILE] [--queries N]

DIR and the notes are as in `quality.py`. Every judged query is a task; its context is packed at each budget, without
diversity and at each λ. `share` is the mean share of a query's relevant documents (any grade of 1 or more) of which at
least one passage is in the pack; beside it the mean difference to packing without diversity, with its standard error
over queries. `passages` and `documents` are how many a pack holds, `relevant` the mean share of its documents that are
relevant, `ms` the median time of search and packing together.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from corpora import Collection, collections_in, write_notes
from machine import machine, machine_line, markdown_table
from quality import _OPERATORS, _project

import glassdex
from glassdex.context.merge import merger
from glassdex.context.pack import DEFAULTS, pack
from glassdex.context.packed import Context
from glassdex.reading.protocol import ReadingOptions

BUDGETS = (1000, 2000, 4000)
TRADE_OFFS = (None, 0.9, 0.7, 0.5, 0.3)


@dataclass(frozen=True, slots=True)
class Figure:
    """One budget and trade-off; see above."""

    budget: int
    trade_off: float | None
    share: float
    difference: float
    error: float
    passages: float
    documents: float
    relevant: float
    used: float
    ms: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One collection's figures."""

    collection: str
    queries: int
    figures: list[Figure]


@dataclass(frozen=True, slots=True)
class Packed:
    """What one pack held of a query's relevant documents."""

    share: float
    passages: int
    documents: int
    relevant: float
    used: int
    ms: float


def measure(collection: Collection, folder: Path, most: int | None) -> Outcome:
    """Indexes a collection below `folder` and packs every judged query at every budget and trade-off."""
    notes = folder / "notes" / collection.name
    write_notes(collection, notes)
    judged = {
        query_id: {document for document, grade in collection.judgments[query_id].items() if grade > 0}
        for query_id in list(collection.queries)[:most]
    }
    judged = {query_id: documents for query_id, documents in judged.items() if documents}
    figures = []
    with _project(collection.name, notes) as project:
        project.index()
        plain: dict[int, list[Packed]] = {}
        for trade_off in TRADE_OFFS:
            packs = [
                _packs(project, _OPERATORS.sub(" ", collection.queries[query_id]), documents, trade_off)
                for query_id, documents in judged.items()
            ]
            for budget in BUDGETS:
                packed = [pack_of[budget] for pack_of in packs]
                figures.append(_figure(budget, trade_off, packed, plain.setdefault(budget, packed)))
    return Outcome(collection.name, len(judged), figures)


def _packs(project: glassdex.Project, query: str, relevant: set[str], trade_off: float | None) -> dict[int, Packed]:
    """By budget: one search, packed for each, as `Project.context` does it."""
    started = time.perf_counter()
    asked = DEFAULTS.copy()
    asked["diversify"] = trade_off
    execution = project.search(query, **asked)
    searching = time.perf_counter() - started
    packs = {}
    for budget in BUDGETS:
        started = time.perf_counter()
        generation = execution.engine.generation
        with project.store.read() as snapshot, merger(snapshot, ReadingOptions(), generation) as merging:
            context = pack(query, execution, snapshot, merging, budget, anyway=True)
        packs[budget] = _packed(context, relevant, (searching + time.perf_counter() - started) * 1000)
    return packs


def _packed(context: Context, relevant: set[str], took: float) -> Packed:
    found = {Path(passage.result.path).stem for passage in context.passages}
    return Packed(
        share=len(found & relevant) / len(relevant),
        passages=len(context.passages),
        documents=len(found),
        relevant=len(found & relevant) / len(found) if found else 0.0,
        used=context.used,
        ms=took,
    )


def _figure(budget: int, trade_off: float | None, packed: list[Packed], plain: list[Packed]) -> Figure:
    gaps = [one.share - other.share for one, other in zip(packed, plain, strict=True)]
    return Figure(
        budget=budget,
        trade_off=trade_off,
        share=round(statistics.mean(one.share for one in packed), 4),
        difference=round(statistics.mean(gaps), 4),
        error=round(statistics.stdev(gaps) / len(gaps) ** 0.5, 4),
        passages=round(statistics.mean(one.passages for one in packed), 1),
        documents=round(statistics.mean(one.documents for one in packed), 1),
        relevant=round(statistics.mean(one.relevant for one in packed), 4),
        used=round(statistics.mean(one.used for one in packed), 1),
        ms=round(statistics.median(one.ms for one in packed), 1),
    )


def report(outcomes: list[Outcome]) -> str:
    """The figures as Markdown: a row for each trade-off, a column for each budget."""
    parts = [machine_line()]
    for outcome in outcomes:
        parts.append(f"**{outcome.collection}**: {outcome.queries} queries; the share of relevant documents")
        rows = []
        for trade_off in TRADE_OFFS:
            own = [figure for figure in outcome.figures if figure.trade_off == trade_off]
            name = "none" if trade_off is None else f"λ = {trade_off:g}"
            gap = [f" ({figure.difference:+.4f} ± {figure.error:.4f})" if trade_off else "" for figure in own]
            rows.append([name, *(f"{figure.share:.4f}{said}" for figure, said in zip(own, gap, strict=True))])
        parts.append(markdown_table(["diversity", *(f"{budget:,} tokens" for budget in BUDGETS)], rows))
        plain = [figure for figure in outcome.figures if figure.trade_off is None]
        kinds = ("passages", "documents", "relevant", "used", "ms")
        packs = [[f"{figure.budget:,}", *(f"{getattr(figure, kind):g}" for kind in kinds)] for figure in plain]
        parts.append(markdown_table(["tokens", *kinds], packs))
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a context holds of the relevant documents.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of collection folders")
    parser.add_argument("--keep", type=Path, help="keep notes and stores here between runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--queries", type=int, help="only so many of each collection, to try it out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glassdex-context-") as temporary:
        folder: Path = arguments.keep or Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        outcomes = [measure(collection, folder, arguments.queries) for collection in collections_in(arguments.data)]
    print(report(outcomes))
    if arguments.json:
        content = {"machine": machine(), "collections": [asdict(outcome) for outcome in outcomes]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
