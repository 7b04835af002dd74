"""What searching several projects at once costs in quality, beside one project that holds all of it.

    python benchmarks/several.py --data DIR [--keep DIR] [--json FILE] [--rerank NAME] [--only WORD]

DIR and the notes are as in `quality.py`. Each collection is dealt out to 2 and to 4 projects, once by chance and once
by subject (k-means over the documents' vectors): projects of a person differ in subject. `mixed` has both collections
as two projects; its queries are those of both, and the reference is one project that holds both. Every judged query is
put once to the one project and once to the several; the rankings that other merges would have made are reckoned from
the same ledgers. nDCG@10 at document level; beside it the mean difference to the one project ± its standard error over
queries. `--rerank` lets every project rerank; `--only` runs the settings whose name has that word in it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import ir_measures
import numpy as np
from corpora import Collection, collections_in, write_notes
from ir_measures import nDCG
from machine import machine, machine_line, markdown_table
from numpy.typing import NDArray
from quality import _OPERATORS, DEPTH

import glassdex
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.projects import store_path
from glassdex.several.merge import WEIGHTS, _not_rising

MEASURE = nDCG @ 10
PARTS = (2, 4)
ROUNDS = 30
COVERAGE_WEIGHT = 0.3


class EachTextOnce:
    """The shipped embedder, which embeds a text that stands in several projects once."""

    def __init__(self) -> None:
        self._embedder = MiniLmEmbedder()
        self._known: dict[str, NDArray[np.float32]] = {}

    @property
    def identity(self) -> EmbeddingIdentity:
        """The shipped embedder's."""
        return self._embedder.identity

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As the shipped embedder does."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._embedder.embed_documents(new), strict=True))
        return np.array([self._known[text] for text in texts], np.float32).reshape(len(texts), -1)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """As the shipped embedder does."""
        return self._embedder.embed_query(text)


@dataclass(frozen=True, slots=True)
class Setting:
    """A collection, and how its documents are dealt out."""

    name: str
    whole: Collection
    parts: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of a document in its project's ranking."""

    document: str
    project: int
    rank: int
    score: float
    similarity: float
    words: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Figure:
    """nDCG@10 of one way to merge, and its difference to the one project (mean and standard error)."""

    merge: str
    ndcg: float
    difference: float
    error: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One setting's figures; `one_ms` and `several_ms` are median times of a search."""

    setting: str
    sizes: list[int]
    queries: int
    one: float
    one_ms: float
    several_ms: float
    figures: list[Figure]


Evidence = Callable[[Document], float]


def _sorted(documents: Sequence[Document], evidence: Evidence) -> list[str]:
    return [d.document for d in sorted(documents, key=lambda d: (-round(evidence(d), 6), d.rank, d.project))]


def _kept(documents: Sequence[Document], evidence: Evidence) -> list[str]:
    """Each project's own order is kept as `merge/1` keeps it, by the product's own isotonic regression."""
    fitted: dict[str, float] = {}
    for project in {document.project for document in documents}:
        own = sorted((d for d in documents if d.project == project), key=lambda d: d.rank)
        fitted.update(zip((d.document for d in own), _not_rising([evidence(d) for d in own]), strict=True))
    return _sorted(documents, lambda d: fitted[d.document])


def _capped(documents: Sequence[Document], evidence: Evidence) -> list[str]:
    """Each project's own order is kept otherwise: a document counts for no more than those above it."""
    lowest: dict[int, float] = {}
    capped = {}
    for document in sorted(documents, key=lambda d: d.rank):
        value = min(lowest.get(document.project, float("inf")), evidence(document))
        lowest[document.project] = capped[document.document] = value
    return _sorted(documents, lambda d: capped[d.document])


def _both(document: Document) -> float:
    return WEIGHTS["similarity"] * document.similarity + WEIGHTS["words"] * document.words


def _with_coverage(document: Document) -> float:
    return (1 - COVERAGE_WEIGHT) * document.similarity + COVERAGE_WEIGHT * document.coverage


ALTERNATIVES: Mapping[str, Callable[[Sequence[Document]], list[str]]] = {
    "the same, sorted freely": lambda ds: _sorted(ds, _both),
    "the same, no more than those above": lambda ds: _capped(ds, _both),
    "cosine and coverage": lambda ds: _kept(ds, _with_coverage),
    "cosine and coverage, sorted freely": lambda ds: _sorted(ds, _with_coverage),
    "cosine alone": lambda ds: _kept(ds, lambda d: d.similarity),
    "cosine alone, sorted freely": lambda ds: _sorted(ds, lambda d: d.similarity),
    "words alone": lambda ds: _kept(ds, lambda d: d.words),
    "scores of the projects": lambda ds: _sorted(ds, lambda d: d.score),
    "reciprocal rank": lambda ds: _sorted(ds, lambda d: 1 / (60 + d.rank)),
}


def settings(collections: Sequence[Collection], embedder: EachTextOnce) -> Iterator[Setting]:
    """Every collection by chance and by subject, then both as two projects."""
    for collection in collections:
        ids = sorted(collection.documents)
        for count in PARTS:
            chance = random.Random(count)
            parts: list[list[str]] = [[] for _ in range(count)]
            for document in ids:
                chance.choice(parts).append(document)
            yield Setting(f"{collection.name}-random{count}", collection, parts)
        texts = [". ".join(collection.documents[document])[:900] for document in ids]
        vectors = embedder.embed_documents(texts)
        for count in PARTS:
            nearest = _clusters(vectors, count)
            parts = [[ids[i] for i in np.flatnonzero(nearest == cluster)] for cluster in range(count)]
            yield Setting(f"{collection.name}-subject{count}", collection, parts)
    documents = {f"{c.name}-{i}": text for c in collections for i, text in c.documents.items()}
    both = Collection(
        name="both",
        documents=documents,
        queries={f"{c.name}-{i}": text for c in collections for i, text in c.queries.items()},
        judgments={
            f"{c.name}-{query}": {f"{c.name}-{document}": grade for document, grade in judged.items()}
            for c in collections
            for query, judged in c.judgments.items()
        },
    )
    yield Setting("mixed", both, [[i for i in documents if i.startswith(f"{c.name}-")] for c in collections])


def _clusters(vectors: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    centres = vectors[np.random.default_rng(count).choice(len(vectors), count, replace=False)]
    nearest = np.zeros(len(vectors), dtype=np.int64)
    for _ in range(ROUNDS):
        nearest = (vectors @ centres.T).argmax(axis=1)
        centres = np.array([vectors[nearest == cluster].mean(axis=0) for cluster in range(count)])
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    return nearest


def _project(
    name: str, documents: Sequence[str], of: Collection, folder: Path, embedder: EachTextOnce
) -> glassdex.Project:
    notes = folder / "notes" / name
    write_notes(Collection(name, {document: of.documents[document] for document in documents}, {}, {}), notes)
    known = store_path(name).exists()
    project = (
        glassdex.Project.open(name, embedder=embedder)
        if known
        else glassdex.Project.create(name, [notes], embedder=embedder)
    )
    report = project.index()
    if report.failures or report.pending:
        raise SystemExit(f"{name}: {len(report.failures)} failures, {report.pending} pending")
    return project


One = tuple[dict[str, float], float]
"""(nDCG@10 by query, median milliseconds) of the one project."""


def measure_one(setting: Setting, folder: Path, embedder: EachTextOnce, rerank: str) -> One:
    """The reference: everything in one project."""
    whole, run, times = setting.whole, {}, []
    with _project(whole.name, list(whole.documents), whole, folder, embedder) as project:
        for query_id, query in whole.queries.items():
            done = project.search(_OPERATORS.sub(" ", query), limit=DEPTH, rerank=rerank)
            run[query_id] = [Path(result.path).stem for result in done.results]
            times.append(done.ledger.milliseconds)
    return _ndcg(whole, run), statistics.median(times)


def measure(setting: Setting, one: One, folder: Path, embedder: EachTextOnce, rerank: str) -> Outcome:
    """Searches the several projects, and reckons what other merges would have made of their rankings."""
    whole, times = setting.whole, []
    runs: dict[str, dict[str, list[str]]] = {name: {} for name in ("merge/1", *ALTERNATIVES)}
    opened = [
        _project(f"{setting.name}-{number}", part, whole, folder, embedder) for number, part in enumerate(setting.parts)
    ]
    with glassdex.Projects(opened) as projects:
        for query_id, query in whole.queries.items():
            done = projects.search(_OPERATORS.sub(" ", query), limit=DEPTH, rerank=rerank)
            times.append(done.milliseconds)
            documents = _documents(done)
            runs["merge/1"][query_id] = [Path(found.result.path).stem for found in done.results]
            for name, ranked in ALTERNATIVES.items():
                runs[name][query_id] = ranked(documents)[:DEPTH]
    figures = []
    for name, run in runs.items():
        found = _ndcg(whole, run)
        gaps = [found[query_id] - one[0][query_id] for query_id in one[0]]
        error = statistics.stdev(gaps) / len(gaps) ** 0.5
        mean = statistics.mean(found.values())
        figures.append(Figure(name, round(mean, 4), round(statistics.mean(gaps), 4), round(error, 4)))
    return Outcome(
        setting=setting.name,
        sizes=[len(part) for part in setting.parts],
        queries=len(whole.queries),
        one=round(statistics.mean(one[0].values()), 4),
        one_ms=round(one[1], 1),
        several_ms=round(statistics.median(times), 1),
        figures=figures,
    )


def _documents(done: glassdex.SeveralExecution) -> list[Document]:
    found = []
    for number, (_, execution) in enumerate(done.answered):
        for candidate in execution.ledger.candidates.values():
            if candidate.merged is not None:
                parts = candidate.merged.parts
                found.append(
                    Document(
                        document=Path(candidate.record.path).stem,
                        project=number,
                        rank=candidate.merged.rank_before,
                        score=candidate.score,
                        similarity=parts.get("similarity", 0.0) / WEIGHTS["similarity"],
                        words=parts.get("words", 0.0) / WEIGHTS["words"],
                        coverage=candidate.coverage,
                    )
                )
    return found


def _ndcg(collection: Collection, rankings: Mapping[str, Sequence[str]]) -> dict[str, float]:
    run = {q: {document: float(DEPTH - rank) for rank, document in enumerate(d)} for q, d in rankings.items()}
    return {found.query_id: found.value for found in ir_measures.iter_calc([MEASURE], collection.judgments, run)}


def report(outcomes: Sequence[Outcome]) -> str:
    """The figures as Markdown: a row for each way to merge, a column for each setting."""
    names = [figure.merge for figure in outcomes[0].figures]
    mean = statistics.mean(outcome.one for outcome in outcomes)
    rows = [["one project", *(f"{outcome.one:.4f}" for outcome in outcomes), f"{mean:.4f}"]]
    for position, name in enumerate(names):
        figures = [outcome.figures[position] for outcome in outcomes]
        cells = [f"{figure.ndcg:.4f} ({figure.difference:+.3f} ± {figure.error:.3f})" for figure in figures]
        rows.append([name, *cells, f"{statistics.mean(figure.ndcg for figure in figures):.4f}"])
    rows.append(["ms, one → several", *(f"{o.one_ms:.0f} → {o.several_ms:.0f}" for o in outcomes), ""])
    sizes = "; ".join(f"{o.setting}: {' + '.join(map(str, o.sizes))} documents" for o in outcomes)
    table = markdown_table(["merge", *(outcome.setting for outcome in outcomes), "mean"], rows)
    return "\n\n".join([machine_line(), sizes, table])


def main() -> None:
    parser = argparse.ArgumentParser(description="Several projects beside one that holds all.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of collection folders")
    parser.add_argument("--keep", type=Path, help="keep notes and stores here between runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--rerank", default="none", metavar="NAME", help="every project reranks")
    parser.add_argument("--only", default="", metavar="WORD", help="only settings with this in their name")
    arguments = parser.parse_args()
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="glassdex-several-") as temporary:
        folder: Path = arguments.keep or Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        embedder, ones = EachTextOnce(), dict[str, One]()
        for setting in settings(collections_in(arguments.data), embedder):
            if arguments.only in setting.name:
                known = ones.get(setting.whole.name)
                one = known or measure_one(setting, folder, embedder, arguments.rerank)
                ones[setting.whole.name] = one
                outcomes.append(measure(setting, one, folder, embedder, arguments.rerank))
    print(report(outcomes))
    if arguments.json:
        content = {"machine": machine(), "settings": [asdict(outcome) for outcome in outcomes]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
