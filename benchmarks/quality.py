"""Retrieval quality on public test collections, by the public API.

    python benchmarks/quality.py --data DIR [--keep DIR] [--json FILE] [--field-weights TITLE,PARTS ...]

DIR holds collections in BEIR's folder form: `NAME/corpus.jsonl`, `NAME/queries.jsonl`, `NAME/qrels/test.tsv`.

Protocol: every document becomes one Markdown note (its title in the front matter, its text below), named by its id.
The notes are indexed as a user's folder would be, with the shipped embedder and the default settings, so ranking
happens on chunks and a document's score is that of its best chunk. Every judged query is put as it is written, without
its quotation marks and dashes: in the query language they say what must and must not occur, in these collections they
are prose. The first 100 documents are scored at document level by ir-measures: nDCG@10 with the collection's grades,
R@10 and RR@10 with any grade of 1 or more as relevant. Queries without judgments are not scored. `--keep` keeps notes
and stores between runs, so that only the first one embeds. `--field-weights` prints one line for each pair of weights
of the title and of word parts: nDCG@10 of the words alone and of convex/1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import ir_measures
from corpora import Collection, collections_in, write_notes
from ir_measures import RR, R, nDCG
from machine import machine, machine_line, markdown_table

import glassdex
from glassdex.lexical.bm25 import FIELD_WEIGHTS
from glassdex.projects import store_path
from glassdex.search.request import SearchOptions

DEPTH = 100
_OPERATORS = re.compile(r'"|(?<!\S)-')
MEASURES = (nDCG @ 10, R @ 10, RR @ 10)
RANKINGS: dict[str, SearchOptions] = {
    "lexical": {"mode": "lexical"},
    "dense": {"mode": "dense"},
    "default": {"mode": "hybrid", "fusion": "convex/1"},
    "hybrid convex/1": {"mode": "hybrid", "fusion": "convex/1", "feedback": "off"},
    "hybrid rrf/1": {"mode": "hybrid", "fusion": "rrf/1"},
    "hybrid bonus/1": {"mode": "hybrid", "fusion": "bonus/1"},
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One collection's figures: by ranking, then by measure."""

    collection: str
    documents: int
    chunks: int
    queries: int
    embedding_identity: str
    lexical_identity: str
    figures: dict[str, dict[str, float]]


def measure(collection: Collection, folder: Path) -> Outcome:
    """Indexes a collection below `folder` and scores every ranking."""
    notes = folder / "notes" / collection.name
    write_notes(collection, notes)
    with _project(collection.name, notes) as project:
        report = project.index()
        if report.failures or report.pending:
            raise SystemExit(f"{collection.name}: {len(report.failures)} failures, {report.pending} pending")
        status = project.status()
        return Outcome(
            collection=collection.name,
            documents=status.counts.documents,
            chunks=status.counts.chunks,
            queries=len(collection.queries),
            embedding_identity=project.embedder.identity.key,
            lexical_identity=project.analyzer.identity,
            figures={name: _figures(project, collection, options) for name, options in RANKINGS.items()},
        )


def _project(name: str, notes: Path) -> glassdex.Project:
    known = store_path(name).exists()
    return glassdex.Project.open(name) if known else glassdex.Project.create(name, [notes])


def _figures(project: glassdex.Project, collection: Collection, options: SearchOptions) -> dict[str, float]:
    run: dict[str, dict[str, float]] = {}
    for query_id, query in collection.queries.items():
        asked: SearchOptions = {**options, "limit": DEPTH}
        results = project.search(_OPERATORS.sub(" ", query), **asked).results
        # The order is the ranking; shown scores are rounded and would tie.
        run[query_id] = {Path(result.path).stem: float(DEPTH - result.rank) for result in results}
    found = ir_measures.calc_aggregate(MEASURES, collection.judgments, run)
    return {str(name): round(found[name], 4) for name in MEASURES}


def report(outcomes: list[Outcome]) -> str:
    """The figures as Markdown."""
    names = [str(name) for name in MEASURES]
    parts = [machine_line()]
    for outcome in outcomes:
        parts.append(
            f"**{outcome.collection}**: {outcome.documents:,} documents, {outcome.chunks:,} chunks, "
            f"{outcome.queries} judged queries; {outcome.embedding_identity}; {outcome.lexical_identity}"
        )
        rows = [[ranking, *(f"{values[name]:.4f}" for name in names)] for ranking, values in outcome.figures.items()]
        parts.append(markdown_table(["ranking", *names], rows))
    return "\n\n".join(parts)


def compare_weights(collections: list[Collection], folder: Path, pairs: list[str]) -> str:
    """One line for each pair of weights; the notes are indexed anew for each, and embedded once."""
    rows = []
    for pair in pairs:
        title, parts = (float(weight) for weight in pair.split(","))
        FIELD_WEIGHTS.update(title=title, parts=parts)
        cells = []
        for collection in collections:
            figures = measure(collection, folder).figures
            cells.append(" / ".join(f"{figures[name][str(nDCG @ 10)]:.4f}" for name in ("lexical", "hybrid convex/1")))
        rows.append([f"{title:g}", f"{parts:g}", *cells])
    return markdown_table(["title", "parts", *(collection.name for collection in collections)], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Retrieval quality on BEIR-style test collections.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of collection folders")
    parser.add_argument("--keep", type=Path, help="keep notes and stores here between runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--field-weights", nargs="+", metavar="TITLE,PARTS", help="compare these weights instead")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glassdex-quality-") as temporary:
        folder: Path = arguments.keep or Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        collections = list(collections_in(arguments.data))
        if arguments.field_weights:
            print(machine_line(), compare_weights(collections, folder, arguments.field_weights), sep="\n\n")
            return
        outcomes = [measure(collection, folder) for collection in collections]
    print(report(outcomes))
    if arguments.json:
        content = {"machine": machine(), "collections": [asdict(outcome) for outcome in outcomes]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
