"""Recall of evidence turns in long conversations, by the public API.

    python benchmarks/dialogue.py LOCOMO.json [--without-captions] [--by-conversation] [--json FILE]

LOCOMO.json is LoCoMo (Maharana et al., ACL 2024; CC BY-NC 4.0, not part of this project) or some of its conversations.

Protocol: each conversation becomes a folder and an index of its own, each of its sessions a JSON chat file. A message
is what was said; the caption of a picture that was shared follows in square brackets, as what the turn shows. Session
times have no zone and are taken as UTC. Questions of categories 1 to 4 are put as written, without quotation marks
and dashes, which the query language would take as operators. Evidence is every turn id that a question names and that
exists; questions without any are not scored. Chunks are ranked, a turn stands where its best chunk stands, and recall
is the share of a question's evidence among the first 10 turns: averaged over questions, and as the share of questions
with any and with all of it.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from machine import machine, machine_line, markdown_table

import glassdex
from glassdex.search.ledger import Candidate
from glassdex.search.request import SearchOptions

DEPTH = 10
UNANSWERABLE = 5
RANKINGS: dict[str, SearchOptions] = {
    "lexical": {"mode": "lexical"},
    "dense": {"mode": "dense"},
    "default": {"mode": "hybrid", "fusion": "convex/1"},
    "hybrid convex/1": {"mode": "hybrid", "fusion": "convex/1", "feedback": "off"},
}
CATEGORIES = {1: "several turns", 2: "time", 3: "inference", 4: "one turn"}
_OPERATORS = re.compile(r'"|(?<!\S)-')
_TURN_ID = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is put, and the ids of the turns that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Scored:
    """A question's recall under one ranking."""

    conversation: str
    category: int
    recall: float


def write_conversation(sample: dict[str, Any], folder: Path, *, captions: bool) -> set[str]:
    """Writes one chat file for each session; returns the ids of all turns."""
    folder.mkdir(parents=True)
    conversation = sample["conversation"]
    ids: set[str] = set()
    for name, turns in conversation.items():
        found = _SESSION.fullmatch(name)
        if found is None:
            continue
        sent_at = _session_time(conversation[f"{name}_date_time"])
        messages = [_message(turn, sent_at, captions=captions) for turn in turns]
        ids.update(message["id"] for message in messages)
        content = {"id": f"{sample['sample_id']}-{found[1]}", "messages": messages}
        path = folder / f"{int(found[1]):03}.json"
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    return ids


def _message(turn: dict[str, Any], sent_at: str, *, captions: bool) -> dict[str, str]:
    caption = turn.get("blip_caption") if captions else None
    content = f"{turn['text']} [{caption}]" if caption else turn["text"]
    return {"id": turn["dia_id"], "name": turn["speaker"], "role": "user", "content": content, "timestamp": sent_at}


def _session_time(written: str) -> str:
    moment = datetime.strptime(written.replace(",", ""), "%I:%M %p on %d %B %Y").replace(tzinfo=UTC)
    return moment.isoformat().replace("+00:00", "Z")


def questions_of(sample: dict[str, Any], turn_ids: set[str]) -> list[Question]:
    """The answerable questions; some evidence is packed ("D8:6; D9:17") or names a turn that there is not."""
    questions = []
    for asked in sample["qa"]:
        evidence = turn_ids.intersection(_TURN_ID.findall(" ".join(asked["evidence"])))
        if asked["category"] != UNANSWERABLE and evidence:
            questions.append(Question(_OPERATORS.sub(" ", asked["question"]), asked["category"], frozenset(evidence)))
    return questions


def score(sample: dict[str, Any], folder: Path, *, captions: bool) -> dict[str, list[Scored]]:
    """Indexes one conversation and puts its questions under every ranking."""
    turn_ids = write_conversation(sample, folder, captions=captions)
    questions = questions_of(sample, turn_ids)
    scored: dict[str, list[Scored]] = {name: [] for name in RANKINGS}
    with glassdex.Project.in_memory(folder) as project:
        report = project.index()
        if report.failures or report.pending:
            raise SystemExit(f"{folder.name}: {len(report.failures)} failures, {report.pending} pending")
        for name, options in RANKINGS.items():
            for question in questions:
                first = _first_turns(project.search(question.text, **options))
                recall = len(question.evidence.intersection(first)) / len(question.evidence)
                scored[name].append(Scored(folder.name, question.category, recall))
    return scored


def _first_turns(execution: glassdex.Execution) -> list[str]:
    """The first turns of the ranking, whatever became of them on the way to the page."""
    turns: dict[str, None] = {}
    for candidate in _ranking(execution):
        message = candidate.record.message
        if message is not None:
            turns.setdefault(message.uuid)
        if len(turns) == DEPTH:
            break
    return list(turns)


def _ranking(execution: glassdex.Execution) -> list[Candidate]:
    # Not `ledger.ranked()`: the collapse has taken all but a few chunks of each document out of that.
    found = [candidate for candidate in execution.ledger.candidates.values() if candidate.fused is not None]
    return sorted(found, key=lambda candidate: candidate.order)


def figures(scored: Iterable[Scored]) -> dict[str, float]:
    """Average, any, all, and the average of each category."""
    of = list(scored)
    by_category = {
        f"{category} {label}": fmean(one.recall for one in of if one.category == category)
        for category, label in CATEGORIES.items()
        if any(one.category == category for one in of)
    }
    found = {
        f"R@{DEPTH}": fmean(one.recall for one in of),
        "any": fmean(one.recall > 0 for one in of),
        "all": fmean(one.recall == 1 for one in of),
    }
    return {name: round(value, 4) for name, value in {**found, **by_category}.items()}


def report(scored: dict[str, list[Scored]], *, by_conversation: bool) -> str:
    """The figures as Markdown."""
    tables = [_table({name: figures(of) for name, of in scored.items()}, "ranking")]
    if by_conversation:
        of = scored["default"]
        names = list(dict.fromkeys(one.conversation for one in of))
        rows = {name: figures(one for one in of if one.conversation == name) for name in names}
        tables.append(_table(rows, "conversation (default)"))
    return "\n\n".join(tables)


def _table(rows: dict[str, dict[str, float]], first: str) -> str:
    names = list(next(iter(rows.values())))
    cells = [
        [row, *(f"{values[name]:.4f}" if name in values else "–" for name in names)] for row, values in rows.items()
    ]
    return markdown_table([first, *names], cells)


def main() -> None:
    parser = argparse.ArgumentParser(description="Recall of evidence turns in long conversations.")
    parser.add_argument("data", type=Path, help="LoCoMo's JSON file")
    parser.add_argument("--without-captions", action="store_true", help="leave out what shared pictures show")
    parser.add_argument("--by-conversation", action="store_true", help="also print each conversation's figures")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    samples = json.loads(arguments.data.read_text(encoding="utf-8"))
    scored: dict[str, list[Scored]] = {name: [] for name in RANKINGS}
    with tempfile.TemporaryDirectory(prefix="glassdex-dialogue-") as temporary:
        for sample in samples:
            found = score(sample, Path(temporary) / sample["sample_id"], captions=not arguments.without_captions)
            for name, of in found.items():
                scored[name] += of
    questions = len(next(iter(scored.values())))
    captions = "without" if arguments.without_captions else "with"
    summary = f"{len(samples)} conversations, {questions} questions with evidence, {captions} captions"
    print(machine_line(), summary, report(scored, by_conversation=arguments.by_conversation), sep="\n\n")
    if arguments.json:
        content = {
            "machine": machine(),
            "conversations": len(samples),
            "questions": questions,
            "captions": not arguments.without_captions,
            "figures": {name: figures(of) for name, of in scored.items()},
            "scored": {name: [asdict(one) for one in of] for name, of in scored.items()},
        }
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
