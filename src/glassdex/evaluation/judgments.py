"""Judgments: which documents or passages should answer a query, as a person wrote them down.

`load_judgments` takes YAML or JSON, TREC qrels beside a file of queries, and BEIR folders. Nothing is looked up in an
index here; `resolve.py` does that. Whatever cannot be read is an error that names the file and the line or entry.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from glassdex.errors import JudgmentsInvalid
from glassdex.model import Json

MAX_QUERIES = 100_000
MAX_QUERY_CHARACTERS = 10_000
MAX_GRADE = 1000
SHOWN = 120
"""Characters of a hostile value that an error repeats."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """`target` names a document, a conversation or a passage (a pointer), as written; `where` says in which place.

    `grade` 0 is judged not relevant, and 1 and more are relevant.
    """

    target: str
    grade: int
    where: str


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query with its judgments; `options` are fields of a search's request, as JSON, that this query is put with.

    `id` is what the file calls it, else eight hex digits of text and options: the same query has the same id in every
    run.
    """

    id: str
    text: str
    judgments: tuple[Judgment, ...]
    where: str
    options: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgments:
    """`source` is the file's name; `hash` changes whenever a query, a target, a grade or an option does."""

    source: str
    form: str
    queries: tuple[JudgedQuery, ...]
    notes: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """First 12 hex digits of the SHA-256 over everything that is judged, whatever the order or the file's form."""
        lines = sorted(
            json.dumps([q.id, q.text, sorted((j.target, j.grade) for j in q.judgments), q.options], sort_keys=True)
            for q in self.queries
        )
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def load_judgments(path: str | Path, queries: str | Path | None = None, *, need_relevant: bool = True) -> Judgments:
    """Reads judgments: a `.yaml`, `.yml` or `.json` file, a BEIR folder, or TREC qrels (with `queries`).

    Without `need_relevant`, queries alone will do: entries without judgments, or a `.txt` file with a query a line.

    Raises:
        JudgmentsInvalid: names the file and the line or entry.
    """
    from glassdex.evaluation import judgments_trec, judgments_yaml

    path = Path(path)
    if path.is_dir():
        return checked(judgments_trec.load_beir(path))
    if not path.is_file():
        refuse(f"there is no file {path}", "name a YAML or JSON file, TREC qrels, or a BEIR folder")
    ending = path.suffix.lower()
    if ending in (".yaml", ".yml", ".json"):
        if queries is not None:
            refuse(f"{path}: queries stand in the file itself", "leave out --queries; it belongs to TREC qrels")
        return checked(judgments_yaml.load(path, need_relevant=need_relevant))
    if queries is not None:
        return checked(judgments_trec.load_trec(path, Path(queries)))
    if ending == ".txt" and not need_relevant:
        return checked(judgments_trec.load_plain(path))
    raise JudgmentsInvalid(
        f"{path} is taken for TREC qrels, which hold no queries",
        "--queries FILE gives them: a line each, the id, a tab, the query; or use a .yaml file",
    )


def checked(judgments: Judgments) -> Judgments:
    """`judgments`, unless they have no query, too many, or two of one id."""
    queries = judgments.queries
    if not queries:
        refuse(f"{judgments.source} has no query with a judgment")
    if len(queries) > MAX_QUERIES:
        refuse(f"{judgments.source} has {len(queries):,} queries; {MAX_QUERIES:,} are the most")
    for query_id, count in Counter(query.id for query in queries).items():
        if count > 1:
            same = [query for query in queries if query.id == query_id]
            places = " and ".join(query.where for query in same[:2])
            refuse(f"{judgments.source}: {places} are the same query {shown(same[0].text)!r}", "make one entry of them")
    for query in queries:
        if not query.text.strip():
            refuse(f"{judgments.source}, {query.where}: the query is empty")
        if len(query.text) > MAX_QUERY_CHARACTERS:
            refuse(
                f"{judgments.source}, {query.where}: the query has {len(query.text):,} characters; "
                f"{MAX_QUERY_CHARACTERS:,} are the most"
            )
    return judgments


def query_id(text: str, options: dict[str, Json]) -> str:
    """An id for a query that has none."""
    content = json.dumps([text, options], sort_keys=True).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:8]


def merged(judgments: Sequence[Judgment], source: str) -> tuple[Judgment, ...]:
    """The judgments without those that say the same twice; two grades for one target are an error."""
    by_target: dict[str, Judgment] = {}
    for judgment in judgments:
        other = by_target.setdefault(judgment.target, judgment)
        if other.grade != judgment.grade:
            refuse(
                f"{source}: {shown(judgment.target)!r} is judged {other.grade} ({other.where}) "
                f"and {judgment.grade} ({judgment.where}) for one query"
            )
    return tuple(by_target.values())


def read_text(path: Path, most_megabytes: int) -> str:
    """The file as text.

    Raises:
        JudgmentsInvalid: it is not there, too large, or no UTF-8.
    """
    try:
        size = path.stat().st_size
        if size > most_megabytes * 1_000_000:
            refuse(f"{path} has {size / 1e6:,.0f} MB; {most_megabytes} MB are the most in this form")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        refuse(f"{path} cannot be read: {(error.strerror or str(error)).lower()}")
    except UnicodeDecodeError as error:
        refuse(f"{path} is not UTF-8 (byte {error.start})", "save it as UTF-8")


def shown(value: object) -> str:
    """A value as an error repeats it: not all of a long one."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def refuse(message: str, suggestion: str = "see docs/evaluation.md for the forms") -> NoReturn:
    """Raises `JudgmentsInvalid`."""
    raise JudgmentsInvalid(message, suggestion)
