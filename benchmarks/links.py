"""What following links does to the ranking of public test collections, whose documents have no links of their own.

    python benchmarks/links.py --data DIR [--keep DIR] [--json FILE] [--queries N] [--shares SHARE ...]
    python benchmarks/links.py --speed NOTES [--keep DIR]

DIR is as in `quality.py`. No collection here has both judgments and links that somebody set, so four vaults are made of
each, and the figures say what the feature does where links mean what the vault says; no more:

- `parts`: each document is cut in two notes at the middle of its sentences, and the first links to the second by a
  wikilink. Both are relevant where the document is. The best case: a link always joins what is relevant together.
- `superseded`: every second document is cut likewise, and the second half says that it supersedes the first. Of these
  only the second half is relevant: it is what holds. The first still matches.
- `random`: whole documents, each linked to three others drawn by chance. The worst case: links say nothing.
- `unlinked`: whole documents without links. The ranking has to be the same, byte for byte.

Each is indexed and searched as a user would, once for every `expand`. nDCG@10 at document level, and the mean
difference to `expand 0` with its standard error over queries. `moved` is the share of queries whose first ten differ.
`--shares` measures other shares of the seed's score than the product's, to choose it. `ms` is the stage's median time.

`--speed` makes a vault of so many notes in an invented language with `LINKS` links each, half of them by file name, a
quarter by title, a quarter to nothing; a note in a hundred is superseded. It is searched by words alone (nothing is
embedded), and told are the first search of a process, which resolves all links, and the median of the next ones. Then
come two vaults of as many notes that are hard to resolve, each with the processor time of resolving all of its links:

- `same name`: half of the notes are a `README.md` in a folder of its own, and every other one links to `README` and to
  `docs/README.md`, which mean all of them and none.
- `hub`: every note links to one note by its file name, its title and its path, and that one to every note.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import ir_measures
from corpora import Collection, Language, collections_in
from ir_measures import nDCG
from machine import machine, machine_line, markdown_table
from quality import _OPERATORS, DEPTH, _project

from glassdex.project import Project
from glassdex.search import graph

MEASURE = nDCG @ 10
EXPANDS = (0, 1, 3, 5)
SEED = 644
RANDOM_LINKS = 3
LINKS = 5
SPEED_QUERIES = 100
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")

Judgments = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One vault at one `expand` and share: nDCG@10, its difference to `expand 0`, and how many queries moved."""

    expand: int
    share: float
    ndcg: float
    difference: float
    error: float
    moved: float
    stage_ms: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """One collection made into one kind of vault."""

    collection: str
    vault: str
    notes: int
    queries: int
    figures: list[Figure]


def halves(text: str) -> tuple[str, str]:
    """A text cut in two at the sentence nearest to its middle; the second is empty where there is only one."""
    sentences = _SENTENCE.split(text.strip())
    middle = (len(sentences) + 1) // 2
    return " ".join(sentences[:middle]), " ".join(sentences[middle:])


def parts(collection: Collection) -> tuple[dict[str, str], Judgments]:
    """Two notes a document, the first links to the second."""
    notes: dict[str, str] = {}
    for id_, (title, text) in collection.documents.items():
        first, second = halves(text)
        notes[id_] = _note(title, f"{first}\n\n[[{id_}-b]]" if second else first)
        if second:
            notes[f"{id_}-b"] = _note("", second)
    judged = {
        query: {note: grade for id_, grade in found.items() for note in (id_, f"{id_}-b") if note in notes}
        for query, found in collection.judgments.items()
    }
    return notes, judged


def superseded(collection: Collection) -> tuple[dict[str, str], Judgments]:
    """Every second document in two notes, of which the second supersedes the first and alone is relevant."""
    notes: dict[str, str] = {}
    for number, (id_, (title, text)) in enumerate(collection.documents.items()):
        first, second = halves(text)
        if number % 2 or not second:
            notes[id_] = _note(title, text)
        else:
            notes[id_] = _note(title, first)
            notes[f"{id_}-b"] = _note("", f"{second}\n\n- supersedes [[{id_}]]")
    judged = {
        query: {f"{id_}-b" if f"{id_}-b" in notes else id_: grade for id_, grade in found.items()}
        for query, found in collection.judgments.items()
    }
    return notes, judged


def randomly_linked(collection: Collection) -> tuple[dict[str, str], Judgments]:
    """Whole documents with links to three others drawn by chance."""
    chance, ids = random.Random(SEED), list(collection.documents)
    notes = {
        id_: _note(title, f"{text}\n\n" + " ".join(f"[[{other}]]" for other in chance.sample(ids, RANDOM_LINKS)))
        for id_, (title, text) in collection.documents.items()
    }
    return notes, collection.judgments


def unlinked(collection: Collection) -> tuple[dict[str, str], Judgments]:
    """Whole documents as they are."""
    return {id_: _note(title, text) for id_, (title, text) in collection.documents.items()}, collection.judgments


VAULTS: dict[str, Callable[[Collection], tuple[dict[str, str], Judgments]]] = {
    "parts": parts,
    "superseded": superseded,
    "random": randomly_linked,
    "unlinked": unlinked,
}


def measure(collection: Collection, vault: str, folder: Path, most: int | None, shares: list[float]) -> Outcome:
    """Writes and indexes a vault below `folder`, and searches it at every `expand` and share."""
    notes, judgments = VAULTS[vault](collection)
    name = f"{collection.name}-{vault}"
    written = folder / "notes" / name
    written.mkdir(parents=True, exist_ok=True)
    for id_, text in notes.items():
        path = written / f"{id_}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    queries = dict(list(collection.queries.items())[:most])
    figures: list[Figure] = []
    with _project(name, written) as project:
        project.index()
        plain, _ = _rankings(project, queries, 0)
        before = _ndcg(judgments, plain)
        for share in shares:
            graph.SHARE = share
            for expand in EXPANDS:
                found, stage_ms = _rankings(project, queries, expand) if expand else (plain, 0.0)
                after = _ndcg(judgments, found)
                gaps = [after[query] - before[query] for query in before]
                figures.append(
                    Figure(
                        expand=expand,
                        share=share,
                        ndcg=round(statistics.mean(after.values()), 4),
                        difference=round(statistics.mean(gaps), 4),
                        error=round(statistics.stdev(gaps) / len(gaps) ** 0.5, 4),
                        moved=round(statistics.mean(found[q][:10] != plain[q][:10] for q in queries), 3),
                        stage_ms=round(stage_ms, 2),
                    )
                )
    return Outcome(collection.name, vault, len(notes), len(queries), figures)


def _note(title: str, text: str) -> str:
    # A JSON string is a YAML string.
    return (f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n\n" if title else "") + f"{text}\n"


def _rankings(project: Project, queries: Mapping[str, str], expand: int) -> tuple[dict[str, list[str]], float]:
    """The first documents of each query, and the median time of the stage in milliseconds."""
    found, stage_ms = {}, [0.0]
    for query_id, query in queries.items():
        execution = project.search(_OPERATORS.sub(" ", query), expand=expand, limit=DEPTH)
        found[query_id] = [Path(result.path).stem for result in execution.results]
        stage_ms += [stage.milliseconds for stage in execution.ledger.stages if stage.name == "graph"]
    return found, statistics.median(stage_ms)


def _ndcg(judgments: Judgments, rankings: Mapping[str, list[str]]) -> dict[str, float]:
    run = {q: {document: float(DEPTH - rank) for rank, document in enumerate(d)} for q, d in rankings.items()}
    judged = {query_id: judgments[query_id] for query_id in rankings}
    return {found.query_id: found.value for found in ir_measures.iter_calc([MEASURE], judged, run)}


def speed(notes: int, folder: Path) -> str:
    """The time of the stage and of the search, with links followed and without, in milliseconds."""
    language, chance = Language(), random.Random(SEED)
    written = folder / "notes" / f"speed-{notes}"
    if not written.exists():
        language.write_vault(written, notes)
        for number, path in enumerate(sorted(written.rglob("*.md"))):
            lines = [f"[[{_name(chance, notes)}]]" for _ in range(LINKS // 2)]
            lines += [f"- part_of [[{title}]]" for title in language.words(LINKS // 4 or 1)]
            lines += [f"[there](../{chance.randrange(notes // 100):04}/{_name(chance, notes)}.md)"]
            lines += ["[[nothing of the kind]]"]
            lines += [f"- superseded_by [[{_name(chance, notes)}]]"] if number % 100 == 0 else []
            path.write_text(path.read_text(encoding="utf-8") + "\n\n".join(lines) + "\n", encoding="utf-8")
    with _project(f"speed-{notes}", written) as project:
        project.index(embed=False)
        figures = {}
        for expand in (0, 5):
            took, stage_ms = [], [0.0]
            for query in Language(2).queries(SPEED_QUERIES):
                execution = project.search(query, mode="lexical", expand=expand)
                took.append(execution.ledger.milliseconds)
                stage_ms += [stage.milliseconds for stage in execution.ledger.stages if stage.name == "graph"]
            figures[expand] = (statistics.median(took[1:]), statistics.median(stage_ms[2:] or [0.0]))
            first = stage_ms[1] if expand else 0.0
        found = project.open_links(limit=1)
        links = f"{found.total:,} links, {found.resolved:,} of them resolved, {project.status().counts.chunks:,} chunks"
    rows = [
        ["without links", f"{figures[0][0]:.1f}", "0.0"],
        ["expand 5", f"{figures[5][0]:.1f}", f"{figures[5][1]:.1f}"],
    ]
    told = f"{notes:,} notes, {links}; the first search of a process resolves them: {first:.0f} ms"
    return "\n\n".join([machine_line(), told, markdown_table(["search", "median ms", "stage ms"], rows)])


def same_name(notes: int) -> dict[str, str]:
    """Half of the notes of one file name, the others link to it."""
    half = range(notes // 2)
    return {f"pkg{number}/README.md": f"Package {number}\n" for number in half} | {
        f"src{number}/page.md": "[docs](docs/README.md) [[README]]\n" for number in half
    }


def hub(notes: int) -> dict[str, str]:
    """One note that `notes` others link to, and that links to all of them."""
    others = {f"{number % 100:02}/note-{number}.md": "[[hub]] [[The hub]] [x](../hub.md)\n" for number in range(notes)}
    return {"hub.md": "# The hub\n\n" + "\n".join(f"[[{Path(path).stem}]]" for path in others) + "\n"} | others


HARD: dict[str, Callable[[int], dict[str, str]]] = {"same name": same_name, "hub": hub}


def hard(notes: int, folder: Path) -> str:
    """What resolving the links of the hard vaults costs."""
    rows = []
    for vault, made in HARD.items():
        name = f"{vault.replace(' ', '-')}-{notes}"
        written = folder / "notes" / name
        for path, text in {} if written.exists() else made(notes).items():
            (written / path).parent.mkdir(parents=True, exist_ok=True)
            (written / path).write_text(text, encoding="utf-8")
        with _project(name, written) as project:
            project.index(embed=False)
            took = []
            for _ in range(2):
                started = time.process_time()
                found = project.open_links(limit=1)
                took.append(f"{time.process_time() - started:.3f}")
        rows.append([vault, f"{notes:,}", f"{found.total:,}", f"{found.resolved:,}", f"{found.ambiguous:,}", *took])
    header = ["vault", "notes", "links", "resolved", "ambiguous", "first, CPU s", "again, CPU s"]
    return markdown_table(header, rows)


def _name(chance: random.Random, notes: int) -> str:
    return f"note-{chance.randrange(notes):06}"


def report(outcomes: list[Outcome]) -> str:
    """The figures as Markdown: a row for each vault and share, a column for each `expand`."""
    header = ["vault", "share", *(f"expand {expand}" for expand in EXPANDS), "moved", "ms"]
    rows = []
    for outcome in outcomes:
        for share in dict.fromkeys(figure.share for figure in outcome.figures):
            own = [figure for figure in outcome.figures if figure.share == share]
            cells = [
                f"{f.ndcg:.4f} ({f.difference:+.4f} ± {f.error:.4f})" if f.expand else f"{f.ndcg:.4f}" for f in own
            ]
            last = next(figure for figure in own if figure.expand == 3)
            rows.append(
                [
                    f"{outcome.collection} {outcome.vault}, {outcome.notes:,} notes",
                    f"{share:g}",
                    *cells,
                    f"{last.moved:.0%}",
                    f"{last.stage_ms:.1f}",
                ]
            )
    return "\n\n".join([machine_line(), markdown_table(header, rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description="Following links on BEIR-style test collections.")
    parser.add_argument("--data", type=Path, help="the folder of collection folders")
    parser.add_argument(
        "--speed", type=int, metavar="NOTES", help="measure the time on a vault of so many notes instead"
    )
    parser.add_argument("--keep", type=Path, help="keep notes and stores here between runs")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--queries", type=int, help="only so many of each collection, to try it out")
    parser.add_argument("--shares", type=float, nargs="+", default=[graph.SHARE], help="shares to measure")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glassdex-links-") as temporary:
        folder: Path = arguments.keep or Path(temporary)
        os.environ["GLASSDEX_HOME"] = str(folder / "home")
        if arguments.speed:
            print(speed(arguments.speed, folder), hard(arguments.speed, folder), sep="\n\n")
            return
        outcomes = [
            measure(collection, vault, folder, arguments.queries, arguments.shares)
            for collection in collections_in(arguments.data)
            for vault in VAULTS
        ]
    print(report(outcomes))
    if arguments.json:
        content = {"machine": machine(), "vaults": [asdict(outcome) for outcome in outcomes]}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
