"""How much of what is relevant `glassdex context` packs into a budget, on public test collections.

    python benchmarks/context.py --data DIR [--keep DIR] [--json FILE] [--queries N] [--cut-offs]

DIR and the notes are as in `quality.py`. Every judged query is a task; its context is packed at each budget, without
diversity and at each λ. `share` is the mean share of a query's relevant documents (any grade of 1 or more) of which at
least one passage is in the pack; beside it the mean difference to packing without diversity, with its standard error
over queries. `passages` and `documents` are how many a pack holds, `relevant` the mean share of its documents that are
relevant, `ms` the median time of search and packing together. `--cut-offs` measures instead, without diversity, the
share of the best score below which a passage is left out as weak; 0 is none.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from corpora import Collection, collections_in, write_notes
from machine import machine, machine_line, markdown_table
from quality import _OPERATORS, _project

import glassdex
from glassdex.context.merge import merger
from glassdex.context.pack import DEFAULTS, WEAK, pack
from glassdex.context.packed import Context
from glassdex.reading.protocol import ReadingOptions

BUDGETS = (1000, 2000, 4000)
TRADE_OFFS = (None, 0.9, 0.7, 0.5, 0.3)
PACK_KINDS = ("passages", "documents", "relevant", "used", "ms")
CUT_OFFS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6)


@dataclass(frozen=True, slots=True)
class Figure:
    """One budget and setting: a trade-off, or a cut-off; see above."""

    budget: int
    setting: float | None
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


def measure(collection: Collection, folder: Path, most: int | None, *, cut_offs: bool) -> Outcome:
    """Indexes a collection below `folder` and packs every judged query at every budget and trade-off, or cut-off."""
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
        tasks = [
            (_OPERATORS.sub(" ", collection.queries[query_id]), documents) for query_id, documents in judged.items()
        ]
        by_setting: dict[float | None, list[dict[int, Packed]]] = {}
        for query, documents in tasks:
            for trade_off in (None,) if cut_offs else TRADE_OFFS:
                packs = _packs(project, query, documents, trade_off, CUT_OFFS if cut_offs else (WEAK,))
                for cut_off, pack_of in packs.items():
                    by_setting.setdefault(cut_off if cut_offs else trade_off, []).append(pack_of)
        plain = next(iter(by_setting.values()))
        for setting, packs_of in by_setting.items():
            for budget in BUDGETS:
                packed = [pack_of[budget] for pack_of in packs_of]
                figures.append(_figure(budget, setting, packed, [pack_of[budget] for pack_of in plain]))
    return Outcome(collection.name, len(judged), figures)


def _packs(
    project: glassdex.Project, query: str, relevant: set[str], trade_off: float | None, cut_offs: Sequence[float]
) -> dict[float, dict[int, Packed]]:
    """By cut-off and budget: one search, packed for each, as `Project.context` does it."""
    started = time.perf_counter()
    asked = DEFAULTS.copy()
    asked["diversify"] = trade_off
    execution = project.search(query, **asked)
    searching = time.perf_counter() - started
    packs: dict[float, dict[int, Packed]] = {}
    for cut_off in cut_offs:
        for budget in BUDGETS:
            started = time.perf_counter()
            generation = execution.engine.generation
            with project.store.read() as snapshot, merger(snapshot, ReadingOptions(), generation) as merging:
                context = pack(query, execution, snapshot, merging, budget, anyway=True, weak=cut_off)
            took = (searching + time.perf_counter() - started) * 1000
            packs.setdefault(cut_off, {})[budget] = _packed(context, relevant, took)
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


def _figure(budget: int, setting: float | None, packed: list[Packed], plain: list[Packed]) -> Figure:
    gaps = [one.share - other.share for one, other in zip(packed, plain, strict=True)]
    return Figure(
        budget=budget,
        setting=setting,
        share=round(statistics.mean(one.share for one in packed), 4),
        difference=round(statistics.mean(gaps), 4),
        error=round(statistics.stdev(gaps) / len(gaps) ** 0.5, 4),
        passages=round(statistics.mean(one.passages for one in packed), 1),
        documents=round(statistics.mean(one.documents for one in packed), 1),
        relevant=round(statistics.mean(one.relevant for one in packed), 4),
        used=round(statistics.mean(one.used for one in packed), 1),
        ms=round(statistics.median(one.ms for one in packed), 1),
    )


def report(outcomes: list[Outcome], *, cut_offs: bool) -> str:
    """The figures as Markdown: a row for each setting, a column for each budget; then what the packs hold."""
    parts = [machine_line()]
    for outcome in outcomes:
        parts.append(f"**{outcome.collection}**: {outcome.queries} queries; the share of relevant documents")
        rows, packs = [], []
        for setting in dict.fromkeys(figure.setting for figure in outcome.figures):
            own = [figure for figure in outcome.figures if figure.setting == setting]
            name = f"{setting:g}" if cut_offs else f"λ = {setting:g}" if setting else "none"
            gap = [f" ({figure.difference:+.4f} ± {figure.error:.4f})" if setting else "" for figure in own]
            rows.append([name, *(f"{figure.share:.4f}{said}" for figure, said in zip(own, gap, strict=True))])
            if cut_offs or not setting:
                held = [[f"{getattr(figure, kind):g}" for kind in PACK_KINDS] for figure in own]
                packs += [[name, f"{one.budget:,}", *kinds] for one, kinds in zip(own, held, strict=True)]
        what = "cut-off" if cut_offs else "diversity"
        parts.append(markdown_table([what, *(f"{budget:,} tokens" for budget in BUDGETS)], rows))
        parts.append(markdown_table([what, "tokens", *PACK_KINDS], packs))
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description="What a context holds of the relevant documents.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of collection folders")
    parser.add_argument("--keep", type=Path, help="keep notes and stores here between runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--queries", type=int, help="only so many of each collection, to try it out")
    parser.add_argument("--cut-offs", action="store_true", help="measure cut-offs instead of diversity")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glassdex-context-") as temporary:
        folder: Path = arguments.keep or Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        outcomes = [
            measure(collection, folder, arguments.queries, cut_offs=arguments.cut_offs)
            for collection in collections_in(arguments.data)
        ]
    print(report(outcomes, cut_offs=arguments.cut_offs))
    if arguments.json:
        content = {"machine": machine(), "collections": [asdict(outcome) for outcome in outcomes]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
