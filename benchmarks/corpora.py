"""What the benchmarks run on: BEIR-style test collections, and synthetic vaults of any size."""

from __future__ import annotations

import csv
import json
import os
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Collection:
    """A test collection. `judgments[query][document]` is a grade; queries without judgments are left out."""

    name: str
    documents: Mapping[str, tuple[str, str]]
    """(title, text) by document id."""
    queries: Mapping[str, str]
    judgments: Mapping[str, Mapping[str, int]]


def collections_in(folder: Path) -> list[Collection]:
    """Every BEIR-style collection folder (`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`) right below `folder`."""
    found = [load_collection(path.parent) for path in sorted(folder.glob("*/corpus.jsonl"))]
    if not found:
        raise SystemExit(f"{folder} has no collection folder with a corpus.jsonl")
    return found


def load_collection(folder: Path) -> Collection:
    """Reads a collection from its BEIR-style folder."""
    judgments: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            judgments.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    return Collection(
        name=folder.name,
        documents={r["_id"]: (r.get("title", ""), r["text"]) for r in _records(folder / "corpus.jsonl")},
        queries={r["_id"]: r["text"] for r in _records(folder / "queries.jsonl") if r["_id"] in judgments},
        judgments=judgments,
    )


def write_notes(collection: Collection, folder: Path) -> None:
    """One note a document, named by its id; a note that is there with the same content is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for document_id, (title, text) in collection.documents.items():
        # A JSON string is a YAML string.
        note = f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n\n{text}\n" if title else f"{text}\n"
        path = folder / f"{document_id}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != note:
            path.write_text(note, encoding="utf-8")


def _records(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


class Language:
    """An invented language: pronounceable words whose frequencies follow Zipf's law (1 / (rank + 2.7)).

    The words are always the same; `seed` decides what is said with them.
    """

    def __init__(self, seed: int = 1, word_count: int = 30_000) -> None:
        self._random = random.Random(0)
        self._words = list(self._invent(word_count))
        self._random.seed(seed)
        self._cumulative = list(accumulate(1 / (rank + 2.7) for rank in range(1, word_count + 1)))

    def words(self, count: int) -> list[str]:
        """Words drawn by frequency."""
        return self._random.choices(self._words, cum_weights=self._cumulative, k=count)

    def queries(self, count: int) -> list[str]:
        """Different queries of 3 to 7 words drawn by frequency."""
        found: dict[str, None] = {}
        while len(found) < count:
            found[" ".join(self.words(self._random.randint(3, 7)))] = None
        return list(found)

    def note(self, most_sections: int = 5) -> str:
        """A title, then sections of one to four paragraphs of a few sentences; now and then a list."""
        lines = ["---", f"title: {self._phrase(2, 6)}", f"tags: [{', '.join(self.words(2))}]", "---", ""]
        for _ in range(self._random.randint(1, most_sections)):
            lines += [f"## {self._phrase(1, 5)}", ""]
            for _ in range(self._random.randint(1, 4)):
                lines += [self._paragraph(), ""]
            if self._random.random() < 0.25:
                lines += [f"- {self._phrase(3, 12)}" for _ in range(self._random.randint(2, 6))] + [""]
        return "\n".join(lines)

    def write_vault(self, folder: Path, notes: int, most_sections: int = 5) -> None:
        """Writes a vault of that many notes, a hundred a folder, last changed a day ago."""
        yesterday = time.time() - 86_400
        for number in range(notes):
            path = folder / f"{number // 100:04}" / f"note-{number:06}.md"
            if number % 100 == 0:
                path.parent.mkdir(parents=True)
            path.write_text(self.note(most_sections), encoding="utf-8")
            # Files that are a moment old have to be hashed, which is not the usual case.
            os.utime(path, (yesterday, yesterday))

    def _invent(self, count: int) -> Iterator[str]:
        onsets = [*"bcdfghjklmnprstvwz", "br", "ch", "cl", "dr", "fl", "gr", "pl", "pr", "sh", "sl", "st", "th", "tr"]
        vowels = [*"aeiou", "ai", "ea", "ee", "io", "ou"]
        codas = ["", "", "", "l", "m", "n", "nd", "r", "s", "st", "t", "x"]
        seen: set[str] = set()
        while len(seen) < count:
            # Frequent words are short, as in any language.
            longest = 1 if len(seen) < 100 else 2 if len(seen) < 2_000 else 3
            word = "".join(
                self._random.choice(onsets) + self._random.choice(vowels) + self._random.choice(codas)
                for _ in range(self._random.randint(1, longest))
            )
            if word not in seen:
                seen.add(word)
                yield word

    def _phrase(self, fewest: int, most: int) -> str:
        return " ".join(self.words(self._random.randint(fewest, most))).capitalize()

    def _paragraph(self) -> str:
        sentences = self._random.randint(2, 7)
        # Sentence lengths are skewed: most have about fifteen words, few have forty.
        return " ".join(
            self._phrase(length, length) + "."
            for length in (min(40, max(3, round(self._random.lognormvariate(2.6, 0.5)))) for _ in range(sentences))
        )
