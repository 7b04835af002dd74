"""What feedback and neighbourhood do to the default ranking, with their condition, always, and one at a time.

    python benchmarks/feedback.py --data DIR [--dialogue LOCOMO.json] [--tune] [--keep DIR] [--json FILE]

DIR and the notes are as in `quality.py`, LOCOMO.json and its protocol as in `dialogue.py` (with captions). Every query
is put with feedback off, auto and on, one after the other, so times are of one run; `ms` is the median of the whole
search. Collections: nDCG@10 at document level; known item: RR@10 of the one document that a sentence was taken
from, asked for by three and by five of its content words (150 documents, drawn by a fixed seed); dialogue: R@10 of the
evidence turns. Beside each figure stands the mean
difference to `off` with p of the paired randomisation test, and for `auto` the share of queries where it ran.
`--tune` (over the projects that an earlier run kept) chooses the constants on each collection and measures them on the
others.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

import ir_measures
from corpora import Collection, collections_in, write_notes
from dialogue import _first_turns, questions_of, write_conversation
from ir_measures import nDCG
from machine import machine, machine_line, markdown_table
from quality import _OPERATORS, DEPTH, _project

import glassdex
from glassdex.evaluation.significance import compared
from glassdex.search import feedback, neighborhood
from glassdex.search.request import FeedbackChoice

MEASURE = nDCG @ 10
CUTOFF = 10
KNOWN_ITEMS = 150
MIN_CHARACTERS = 400
_SENTENCE_END = re.compile(r"(?<=[.?!])\s")
CHOICES: tuple[FeedbackChoice, ...] = get_args(FeedbackChoice)


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure's mean under one choice, its difference to `off` with p, wins and losses, and what a search takes."""

    choice: str
    mean: float
    difference: float
    p: float
    wins: int
    losses: int
    ran: float
    search_ms: float


Scores = dict[str, dict[str, float]]
"""The measure by choice and query."""


def _ask(
    project: glassdex.Project, query: str, times: dict[str, list[float]], ran: dict[str, list[bool]]
) -> dict[str, glassdex.Execution]:
    found: dict[str, glassdex.Execution] = {}
    for choice in CHOICES:
        started = time.perf_counter()
        found[choice] = project.search(query, feedback=choice, limit=DEPTH)
        times[choice].append((time.perf_counter() - started) * 1000)
        feedback = found[choice].ledger.feedback
        ran[choice].append(feedback is not None and feedback.ran)
    return found


def measure(collection: Collection, folder: Path) -> list[Figure]:
    """One collection, as one project."""
    notes = folder / "notes" / collection.name
    write_notes(collection, notes)
    runs: dict[str, dict[str, dict[str, float]]] = {choice: {} for choice in CHOICES}
    times: dict[str, list[float]] = {choice: [] for choice in CHOICES}
    ran: dict[str, list[bool]] = {choice: [] for choice in CHOICES}
    with _project(collection.name, notes) as project:
        project.index()
        for query_id, query in collection.queries.items():
            for choice, execution in _ask(project, _OPERATORS.sub(" ", query), times, ran).items():
                runs[choice][query_id] = {Path(r.path).stem: float(DEPTH - r.rank) for r in execution.results}
    scores = {
        choice: {m.query_id: m.value for m in ir_measures.iter_calc([MEASURE], collection.judgments, run)}
        for choice, run in runs.items()
    }
    return _figures(scores, times, ran)


def measure_known_items(collection: Collection, folder: Path) -> list[Figure]:
    """Queries of somebody who knows what is there, over the project that `measure` made."""
    chance = random.Random(7)
    scores: Scores = {choice: {} for choice in CHOICES}
    times: dict[str, list[float]] = {choice: [] for choice in CHOICES}
    ran: dict[str, list[bool]] = {choice: [] for choice in CHOICES}
    long = [document for document, (_, text) in collection.documents.items() if len(text) > MIN_CHARACTERS]
    with _project(collection.name, folder / "notes" / collection.name) as project:
        stopwords = project.analyzer.stopword_terms
        for document in chance.sample(long, KNOWN_ITEMS):
            sentences = _SENTENCE_END.split(collection.documents[document][1].replace("\n", " "))
            words = [
                word
                for word in re.findall("[A-Za-z]{4,}", chance.choice(sentences))
                if stopwords.isdisjoint(project.analyzer.terms(word)[0])
            ]
            for count in (3, 5):
                if len(words) < count:
                    continue
                query = " ".join(chance.sample(words, count))
                for choice, execution in _ask(project, query, times, ran).items():
                    rank = next((r.rank for r in execution.results if Path(r.path).stem == document), DEPTH)
                    scores[choice][f"{document} {count}"] = 1 / rank if rank <= CUTOFF else 0.0
    return _figures(scores, times, ran)


def measure_dialogue(path: Path, folder: Path) -> list[Figure]:
    """Conversations, one project each."""
    scores: Scores = {choice: {} for choice in CHOICES}
    times: dict[str, list[float]] = {choice: [] for choice in CHOICES}
    ran: dict[str, list[bool]] = {choice: [] for choice in CHOICES}
    for sample in json.loads(path.read_text(encoding="utf-8")):
        name = sample["sample_id"].lower()
        turns = folder / "dialogue" / name
        with tempfile.TemporaryDirectory() as scratch:
            ids = write_conversation(sample, turns if not turns.exists() else Path(scratch) / "again", captions=True)
        with _project(name, turns) as project:
            project.index()
            for number, question in enumerate(questions_of(sample, ids)):
                for choice, execution in _ask(project, question.text, times, ran).items():
                    hits = question.evidence.intersection(_first_turns(execution))
                    scores[choice][f"{name} {number}"] = len(hits) / len(question.evidence)
    return _figures(scores, times, ran)


def _figures(scores: Scores, times: Mapping[str, list[float]], ran: Mapping[str, list[bool]]) -> list[Figure]:
    found = []
    for choice in CHOICES:
        named = {name: {"measure": value} for name, value in scores[choice].items()}
        plain = {name: {"measure": value} for name, value in scores["off"].items()}
        difference = compared("measure", plain, named)
        assert difference is not None
        found.append(
            Figure(
                choice,
                round(difference.b, 4),
                round(difference.difference, 4),
                round(difference.p, 4),
                difference.wins,
                difference.losses,
                round(statistics.mean(ran[choice]), 2),
                round(statistics.median(times[choice]), 1),
            )
        )
    return found


def tune(collections: Sequence[Collection], folder: Path) -> str:
    """Every setting of the grid on every collection: what is best on one, and what that gives on the others."""
    grid = [Setting(*values) for values in itertools.product((5, 10), (10, 20), (0.3, 0.4, 0.5), (0.3, 0.4, 0.5))]
    scores: dict[str, dict[Setting | None, dict[str, float]]] = {}
    for collection in collections:
        with _project(collection.name, folder / "notes" / collection.name) as project:
            scores[collection.name] = {None: _ndcg(project, collection, "off")}
            for setting in grid:
                setting.apply()
                scores[collection.name][setting] = _ndcg(project, collection, "auto")
    rows = []
    for tuned, found in scores.items():
        best = max(grid, key=lambda setting: statistics.mean(found[setting].values()))
        for other, measured in scores.items():
            plain = {name: {"measure": value} for name, value in measured[None].items()}
            there = {name: {"measure": value} for name, value in measured[best].items()}
            difference = compared("measure", plain, there)
            assert difference is not None
            figures = f"{difference.b:.4f} ({difference.difference:+.4f}, p {difference.p:.4f})"
            rows.append([tuned, str(best), other, figures])
    return markdown_table(["tuned on", "best", "measured on", str(MEASURE)], rows)


@dataclass(frozen=True, slots=True)
class Setting:
    """Constants of feedback and neighbourhood."""

    passages: int
    terms: int
    weight: float
    neighbor_weight: float

    def __str__(self) -> str:
        return f"{self.passages} passages, {self.terms} terms, w {self.weight}, neighbours w {self.neighbor_weight}"

    def apply(self) -> None:
        """Sets them for the searches that follow."""
        feedback.PASSAGES, feedback.TERMS, feedback.WEIGHT = self.passages, self.terms, self.weight
        neighborhood.WEIGHT = self.neighbor_weight


def _ndcg(project: glassdex.Project, collection: Collection, choice: FeedbackChoice) -> dict[str, float]:
    run = {}
    for query_id, query in collection.queries.items():
        results = project.search(_OPERATORS.sub(" ", query), feedback=choice, limit=DEPTH).results
        run[query_id] = {Path(r.path).stem: float(DEPTH - r.rank) for r in results}
    return {m.query_id: m.value for m in ir_measures.iter_calc([MEASURE], collection.judgments, run)}


def report(outcomes: Mapping[str, list[Figure]]) -> str:
    """The figures as Markdown."""
    rows = [
        [
            name,
            figure.choice,
            f"{figure.mean:.4f}",
            f"{figure.difference:+.4f}",
            f"{figure.p:.4f}",
            f"{figure.wins} / {figure.losses}",
            f"{figure.ran:.0%}",
            f"{figure.search_ms:.1f}",
        ]
        for name, figures in outcomes.items()
        for figure in figures
    ]
    header = ["", "feedback", "mean", "to off", "p", "better / worse", "ran", "p50 ms"]
    return "\n\n".join([machine_line(), markdown_table(header, rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description="What feedback does to the default ranking.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of collection folders")
    parser.add_argument("--dialogue", type=Path, help="LoCoMo's JSON file")
    parser.add_argument("--tune", action="store_true", help="only choose settings on each collection, for the others")
    parser.add_argument("--keep", type=Path, help="keep notes and stores here between runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    outcomes: dict[str, list[Figure]] = {}
    with tempfile.TemporaryDirectory(prefix="glassdex-feedback-") as temporary:
        folder: Path = arguments.keep or Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        if arguments.tune:
            print(machine_line(), tune(collections_in(arguments.data), folder), sep="\n\n")
            return
        for collection in collections_in(arguments.data):
            outcomes[f"{collection.name}, {MEASURE}"] = measure(collection, folder)
            outcomes[f"{collection.name}, known item, RR@{CUTOFF}"] = measure_known_items(collection, folder)
        if arguments.dialogue:
            outcomes["dialogue, R@10"] = measure_dialogue(arguments.dialogue, folder)
    print(report(outcomes))
    if arguments.json:
        content = {name: [asdict(figure) for figure in figures] for name, figures in outcomes.items()}
        arguments.json.write_text(json.dumps({"machine": machine(), "figures": content}, indent=2) + "\n")


if __name__ == "__main__":
    main()
