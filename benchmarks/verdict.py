"""How far the verdict can be trusted, by the public API.

    python benchmarks/verdict.py --data DIR [--keep DIR] [--json FILE]

DIR holds collections in BEIR's folder form, as for quality.py; with `locomo-dev4.json` in it (the first
conversations of LoCoMo, Maharana et al., ACL 2024) conversations are measured, too: one note a session.

(a) far: each collection's questions (answerable), against the other collections' questions, gibberish and cooking.
None of the latter two is among the questions that ship for calibrating. (b) near: each question as it is, and again
with its relevant documents taken out of the scope by a path filter; nothing else changes. The regression behind the
confidence is fitted on one collection and reported on the other, both ways, and once more on everything: these
weights are the ones in `glassdex.search.verdict`. Every corpus weighs the same in a fit. Questions are put as in
quality.py.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from corpora import collections_in, write_notes
from machine import machine, machine_line, markdown_table
from numpy.typing import NDArray

import glassdex
from glassdex.projects import store_path
from glassdex.search.floors import Floors, default_floors
from glassdex.search.verdict import BIAS, WEIGHTS, VerdictStatus, decide

_OPERATORS = re.compile(r'"|(?<!\S)-')
SIGNALS = tuple(WEIGHTS)
RIDGE = 0.1
STATUSES: tuple[VerdictStatus, ...] = ("ok", "weak", "nothing_relevant")
COOKING = """\
How do I caramelise onions without burning them?|What temperature should roast chicken reach?|Can I replace eggs in
a brownie?|How long does pizza dough have to rise?|What makes a curry creamy?|How do I poach a pear?|Which potatoes
are best for gnocchi?|Why does my cheesecake crack?|How do I thicken gravy?|What herbs go with baked salmon?|How do
I clean mussels?|Can I make jam without pectin?|How do you fold dumplings?|What is the ratio of water to
couscous?|How do I toast pine nuts?|Why is my bread so dense?|How long do I braise short ribs?|How do I make vegan
mayonnaise?|What sauce goes with ravioli?|How can I rescue a soup with too much salt?"""
GIBBERISH = """\
blorf nindle quavvy strome|wugs zibbing over the plarn|kjhsd fkjhq wepoi|mimsy slithy borogoves outgrabe|fnord
gleeb tarkle vosh|does the snarp glimble quietly|ploon of the vrexing dwib|zzt zzt hrumf|aqwsed rftgyh ujikol|why
do trillocks femble|gronky wizzle pop|lorbish nactle in a dreff|querbly moots|splinge the harnock twice|yibber
yabber yobble|tove mome rath grabe|oxnard flippance zoom zot|hesh nok varrid um|which drimble has the best
snood|pfft"""


@dataclass(frozen=True, slots=True)
class Answer:
    """The numbers of one search's verdict."""

    similarity: float
    coverage: float
    confidence: float
    signals: tuple[float, ...]


@dataclass(slots=True)
class Corpus:
    """What was measured on one index; `far` by kind of question."""

    name: str
    floors: Floors
    calibrated: Floors
    present: list[Answer] = field(default_factory=list)
    removed: list[Answer] = field(default_factory=list)
    far: dict[str, list[Answer]] = field(default_factory=dict)


Question = tuple[str, Sequence[str]]
"""Its text and the documents that answer it."""


def measure(name: str, notes: Path, questions: Sequence[Question], strangers: Mapping[str, Sequence[str]]) -> Corpus:
    """Indexes the notes, asks everything, then calibrates."""
    with _project(name, notes) as project:
        if project.index().pending:
            raise SystemExit(f"{name}: not everything could be embedded")
        calibration = project.calibrate()
        corpus = Corpus(name, default_floors(calibration.configuration), calibration.floors)
        for text, relevant in questions:
            corpus.present.append(_ask(project, text))
            corpus.removed.append(_ask(project, text, without=relevant))
        for kind, texts in strangers.items():
            corpus.far[kind] = [_ask(project, text) for text in texts]
    return corpus


def _project(name: str, notes: Path) -> glassdex.Project:
    known = store_path(name).exists()
    return glassdex.Project.open(name) if known else glassdex.Project.create(name, [notes])


def _ask(project: glassdex.Project, text: str, without: Sequence[str] = ()) -> Answer:
    paths = ("*", *(f"!/{path}" for path in without)) if without else ()
    evidence = project.search(_OPERATORS.sub(" ", text), paths=paths).verdict.evidence
    assert evidence.signals is not None
    return Answer(
        evidence.similarity or 0.0,
        evidence.coverage or 0.0,
        evidence.confidence or 0.0,
        tuple(getattr(evidence.signals, name) for name in SIGNALS),
    )


def conversations(file: Path, folder: Path) -> list[tuple[str, Path, list[Question], list[str]]]:
    """Name, notes, answerable and unanswerable questions of each conversation; its notes are written."""
    found = []
    for number, record in enumerate(json.loads(file.read_text(encoding="utf-8")), start=1):
        notes = folder / "notes" / f"conversation-{number}"
        notes.mkdir(parents=True, exist_ok=True)
        sessions = {key: turns for key, turns in record["conversation"].items() if re.fullmatch(r"session_\d+", key)}
        for key, turns in sessions.items():
            lines = [f"# {record['conversation'].get(f'{key}_date_time', key)}"]
            for turn in turns:
                picture = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                lines.append(f"{turn['speaker']}: {turn['text']}{picture}")
            note, path = "\n\n".join(lines) + "\n", notes / f"{key}.md"
            if not path.exists() or path.read_text(encoding="utf-8") != note:
                path.write_text(note, encoding="utf-8")
        questions: list[Question] = []
        unanswerable = []
        for asked in record["qa"]:
            named = re.findall(r"D(\d+):", " ".join(asked.get("evidence") or []))
            evidence = sorted({f"session_{session}.md" for session in named})
            if asked["category"] == 5:
                unanswerable.append(asked["question"])
            elif evidence:
                questions.append((asked["question"], evidence))
        found.append((f"conversation-{number}", notes, questions, unanswerable))
    return found


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """The probability that a positive scores higher than a negative, ties counted half (Mann and Whitney, 1947)."""
    ordered = np.sort(np.asarray(negatives))
    below = np.searchsorted(ordered, positives, "left") + np.searchsorted(ordered, positives, "right")
    return float(below.mean() / 2 / len(ordered))


def fit(corpora: Sequence[Corpus]) -> NDArray[np.float64]:
    """[bias, weights]: ridge-regularised logistic regression by Newton's method; each corpus has the same weight."""
    parts, labels, weights = [], [], []
    for corpus in corpora:
        for label, answers in ((1.0, corpus.present), (0.0, corpus.removed)):
            parts.append(np.array([answer.signals for answer in answers]))
            labels.append(np.full(len(answers), label))
            weights.append(np.full(len(answers), 100 / len(answers)))
    signals, wanted, weight = np.concatenate(parts), np.concatenate(labels), np.concatenate(weights)
    centre, spread = signals.mean(axis=0), signals.std(axis=0)
    design = np.column_stack([np.ones(len(signals)), (signals - centre) / spread])
    penalty = np.diag([0.0, *[RIDGE] * signals.shape[1]])
    found = np.zeros(design.shape[1])
    for _ in range(30):
        guess = 1 / (1 + np.exp(-design @ found))
        curvature = (design * (weight * guess * (1 - guess))[:, None]).T @ design + penalty
        found -= np.linalg.solve(curvature, design.T @ (weight * (guess - wanted)) + penalty @ found)
    slopes = found[1:] / spread
    return np.array([found[0] - slopes @ centre, *slopes])


def merged(name: str, corpora: Sequence[Corpus]) -> Corpus:
    """Several indexes as one: their answers together."""
    whole = Corpus(name, corpora[0].floors, corpora[0].floors)
    for corpus in corpora:
        whole.present += corpus.present
        whole.removed += corpus.removed
        for kind, answers in corpus.far.items():
            whole.far.setdefault(kind, []).extend(answers)
    return whole


def far_rows(corpora: Sequence[Corpus]) -> list[list[str]]:
    """AUROC and shares of verdicts, under the default and the calibrated floors."""
    rows = []
    for corpus in corpora:
        for kind, answers in (("answerable", corpus.present), *corpus.far.items()):
            row = [f"{corpus.name}: {kind}", f"{len(answers)}"]
            for score in (_similarity, _confidence):
                values = [score(answer) for answer in answers]
                reached = auroc([score(answer) for answer in corpus.present], values)
                row.append("" if kind == "answerable" else f"{reached:.4f}")
            row += [_shares(answers, floors) for floors in (corpus.floors, corpus.calibrated)]
            rows.append(row)
    return rows


def near_rows(corpora: Sequence[Corpus], weights: Mapping[str, NDArray[np.float64]]) -> list[list[str]]:
    """AUROC of present against removed, by score."""
    scores: dict[str, Callable[[Answer], float]] = {"best cosine alone": _similarity}
    for number, name in enumerate(SIGNALS):
        scores[f"{name} alone"] = lambda answer, number=number: answer.signals[number]  # type: ignore[misc]
    for name, fitted in weights.items():
        scores[name] = lambda answer, fitted=fitted: float(fitted[1:] @ answer.signals)  # type: ignore[misc]
    scores["confidence as published"] = _confidence
    return [
        [name, *(f"{auroc([*map(score, c.present)], [*map(score, c.removed)]):.3f}" for c in corpora)]
        for name, score in scores.items()
    ]


def _similarity(answer: Answer) -> float:
    return answer.similarity


def _confidence(answer: Answer) -> float:
    return answer.confidence


def _shares(answers: Sequence[Answer], floors: Floors) -> str:
    given = [decide(answer.similarity, answer.coverage, answer.confidence, floors)[0] for answer in answers]
    return " / ".join(f"{100 * given.count(status) / len(given):.1f}" for status in STATUSES)


def report(corpora: Sequence[Corpus], talk: Corpus | None) -> str:
    """The figures as Markdown."""
    header = ["index: questions", "n", "AUROC cosine", "AUROC confidence", "default floors", "calibrated"]
    parts = [machine_line(), "(a) far; verdicts are ok / weak / nothing_relevant in percent"]
    parts.append(markdown_table(header, far_rows(corpora)))
    parts += [
        f"{c.name}: similarity floor {c.floors.similarity}, calibrated {c.calibrated.similarity}" for c in corpora
    ]
    everything = [*corpora, *([talk] if talk else [])]
    weights = {f"fitted on {corpus.name}": fit([corpus]) for corpus in everything}
    for corpus in everything if talk else ():
        others = [other for other in everything if other is not corpus]
        weights[f"fitted on {' and '.join(other.name for other in others)}"] = fit(others)
    weights["fitted on all"] = fit(everything)
    parts.append("(b) near; AUROC of the same questions with their relevant documents in and out of the scope")
    parts.append(markdown_table(["score", *(c.name for c in everything)], near_rows(everything, weights)))
    rows = []
    for corpus in everything:
        rows.append([f"{corpus.name}: present", _shares(corpus.present, corpus.floors)])
        rows.append([f"{corpus.name}: removed", _shares(corpus.removed, corpus.floors)])
    if talk:
        kind, answers = next(iter(talk.far.items()))
        rows.append([f"{talk.name}: {kind}", _shares(answers, talk.floors)])
        reached = auroc([*map(_confidence, talk.present)], [*map(_confidence, answers)])
        parts.append(f"{talk.name}, answerable against {kind}: AUROC of the confidence {reached:.3f}")
    parts.append(markdown_table(["questions", "ok / weak / nothing_relevant"], rows))
    named = zip(("bias", *SIGNALS), weights["fitted on all"], strict=True)
    fitted = ", ".join(f"{name} {weight:.2f}" for name, weight in named)
    published = ", ".join(f"{name} {weight:.2f}" for name, weight in {"bias": BIAS, **WEIGHTS}.items())
    parts += [f"weights fitted on all: {fitted}; published: {published}"]
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description="How far the verdict can be trusted.")
    parser.add_argument("--data", type=Path, required=True, help="the folder of collection folders")
    parser.add_argument("--keep", type=Path, help="keep notes and stores here between runs")
    parser.add_argument("--json", type=Path, help="also write every answer's numbers to this file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glassdex-verdict-") as temporary:
        folder: Path = arguments.keep or Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        collections = collections_in(arguments.data)
        corpora = []
        for collection in collections:
            notes = folder / "notes" / collection.name
            write_notes(collection, notes)
            questions = [
                (text, [f"{document}.md" for document, grade in collection.judgments[key].items() if grade > 0])
                for key, text in collection.queries.items()
            ]
            strangers = {f"{o.name}'s": list(o.queries.values()) for o in collections if o is not collection}
            strangers |= {"gibberish": _listed(GIBBERISH), "cooking": _listed(COOKING)}
            corpora.append(measure(collection.name, notes, questions, strangers))
        talk = None
        if (arguments.data / "locomo-dev4.json").exists():
            spoken = conversations(arguments.data / "locomo-dev4.json", folder)
            measured = [measure(n, notes, asked, {"unanswerable": none}) for n, notes, asked, none in spoken]
            talk = merged("conversations", measured)
    print(report(corpora, talk))
    if arguments.json:
        content = {"machine": machine(), "corpora": [asdict(c) for c in (*corpora, *([talk] if talk else []))]}
        arguments.json.write_text(json.dumps(content) + "\n", encoding="utf-8")


def _listed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split("|")]


if __name__ == "__main__":
    main()
