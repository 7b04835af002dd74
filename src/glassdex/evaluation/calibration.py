"""Calibration: learns the verdict's floor for a corpus and its embedding model.

Negatives are about two hundred unrelated questions that ship with the package. Positives are made from the corpus: of
passages chosen by the hash of their key, every other one is asked for by its heading, the others by one of their
sentences shortened to its six rarest words. Both kinds find their own passage, so they are easier than a stranger's
question; the floor therefore comes from the negatives, and the positives only hold it down.

The similarity floor is the 95th percentile of what unrelated questions reach, lowered until at most 2 % of the
positives are judged `nothing_relevant`. The other two floors are the documented ones.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.resources import files

from glassdex.analysis import Analyzer
from glassdex.errors import InvalidRequest, UnavailableError
from glassdex.lexical.entries import lexical_identity
from glassdex.lexical.fts5 import Fts5Index, PostingsCache
from glassdex.lexical.query import parse_query
from glassdex.search.engine import Execution
from glassdex.search.floors import (
    META_KEY,
    Floors,
    RankingConfiguration,
    default_floors,
    floors_to_store,
    stored_floors,
)
from glassdex.search.request import SearchRequest
from glassdex.search.verdict import decide
from glassdex.storage.records import ChunkRecord
from glassdex.storage.sqlite import SqliteStore, checkup

SAMPLE = 200
FEWEST_PASSAGES = 20
RAREST_WORDS = 6
UNRELATED_SHARE = 0.95
FALSE_ALARMS = 0.02
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_OPERATORS = re.compile(r'["\-:]')


@dataclass(frozen=True, slots=True)
class Asked:
    """What one question reached; the same numbers as the verdict's evidence."""

    query: str
    similarity: float
    coverage: float
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured and what follows. `expected` gives, for each kind of question, the share of each status.

    The shares are held out: a floor learned from one half of the questions, applied to the other.
    """

    configuration: RankingConfiguration
    calibrated_at: str
    chunks: int
    floors: Floors
    before: Floors
    passages: tuple[Asked, ...]
    unrelated: tuple[Asked, ...]
    expected: Mapping[str, Mapping[str, float]]


def unrelated_questions() -> list[str]:
    """The questions that ship with the package."""
    text = (files("glassdex.evaluation") / "unrelated.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def calibrate(
    store: SqliteStore,
    analyzer: Analyzer,
    search: Callable[[SearchRequest], Execution],
    embedding_identity: str,
    fusion: str,
    asked: Callable[[int, int], None] = lambda _done, _total: None,
) -> Calibration:
    """Asks, learns the floor and stores it; `asked` hears how many questions are done, of how many.

    Raises:
        UnavailableError: chunks have no vector under the active model.
        InvalidRequest: there are too few passages to learn from.
        StoreLocked: another process is writing to the project.
    """
    configuration = RankingConfiguration(embedding_identity, lexical_identity(analyzer), fusion)
    _refuse_unready(store, embedding_identity)
    queries = passage_queries(store, analyzer)
    if len(queries) < FEWEST_PASSAGES:
        raise InvalidRequest(
            f"there are {len(queries)} passages to learn from, and at least {FEWEST_PASSAGES} are needed",
            "index more notes; until then the documented floors apply",
        )
    strangers = unrelated_questions()
    total = len(queries) + len(strangers)
    answers = []
    for done, query in enumerate([*queries, *strangers], start=1):
        answers.append(_ask(search, query, fusion))
        asked(done, total)
    passages, unrelated = tuple(answers[: len(queries)]), tuple(answers[len(queries) :])
    with store.read() as snapshot:
        before, chunks = stored_floors(snapshot, configuration), len(store.chunk_table(snapshot).ids)
    calibration = Calibration(
        configuration=configuration,
        calibrated_at=datetime.now(UTC).isoformat(timespec="seconds"),
        chunks=chunks,
        floors=learn_floors(passages, unrelated, configuration),
        before=before,
        passages=passages,
        unrelated=unrelated,
        expected=_expected(passages, unrelated, configuration),
    )
    with store.lock("calibrate"), store.write() as writer:
        writer.set_meta(META_KEY, floors_to_store(calibration.floors, configuration, calibration.calibrated_at))
    return calibration


def learn_floors(passages: Sequence[Asked], unrelated: Sequence[Asked], configuration: RankingConfiguration) -> Floors:
    """The documented floors with the learned similarity; see the module's docstring."""
    documented = default_floors(configuration)
    floor = quantile([question.similarity for question in unrelated], UNRELATED_SHARE)
    # A passage query with enough of its words is never judged nothing_relevant, whatever the floor.
    unworded = sorted(question.similarity for question in passages if question.coverage < documented.coverage)
    tolerated = int(FALSE_ALARMS * len(passages))
    if len(unworded) > tolerated:
        floor = min(floor, unworded[tolerated])
    return replace(documented, similarity=round(floor, 3), source="calibrated")


def passage_queries(store: SqliteStore, analyzer: Analyzer) -> list[str]:
    """Queries that the project's own passages answer; the same ones for the same content."""
    queries: dict[str, None] = {}
    with store.read() as snapshot:
        table = store.chunk_table(snapshot)
        lexical = Fts5Index(snapshot.connection, table, PostingsCache())
        records = snapshot.candidates(table.ids).values()
        chosen = sorted(records, key=lambda record: _digest(record.path, record.key))[:SAMPLE]
        chunks = snapshot.chunks(record.chunk_id for record in chosen)
        for number, record in enumerate(chosen):
            chunk = chunks[record.chunk_id]
            query = _heading(chunk) if number % 2 else _rarest_words(chunk, lexical, analyzer)
            if query:
                queries[query] = None
    return list(queries)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed, interpolated linearly."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _refuse_unready(store: SqliteStore, embedding_identity: str) -> None:
    with store.read() as snapshot:
        pending = int((store.chunk_table(snapshot).slots < 0).sum())
        foreign = snapshot.meta("embedding_identity") not in (None, embedding_identity)
        lost = 0 if pending or foreign else checkup.lost_vectors(snapshot)
    if lost:
        raise UnavailableError(f"{lost:,} vectors are lost: there is nothing to calibrate on", "glassdex index")
    if pending or foreign:
        waiting = "the vectors are another model's" if foreign else f"{pending:,} chunks have no vector yet"
        raise UnavailableError(f"{waiting}: there is nothing to calibrate on", "glassdex index")


def _ask(search: Callable[[SearchRequest], Execution], query: str, fusion: str) -> Asked:
    evidence = search(SearchRequest(query, fusion=fusion, limit=1)).verdict.evidence
    return Asked(query, evidence.similarity or 0.0, evidence.coverage or 0.0, evidence.confidence)


def _expected(
    passages: Sequence[Asked], unrelated: Sequence[Asked], configuration: RankingConfiguration
) -> dict[str, dict[str, float]]:
    counts: dict[str, Counter[str]] = {"passages": Counter(), "unrelated": Counter()}
    for half in (0, 1):
        floors = learn_floors(_half(passages, half), _half(unrelated, half), configuration)
        for kind, questions in (("passages", passages), ("unrelated", unrelated)):
            for question in _half(questions, 1 - half):
                status, _ = decide(question.similarity, question.coverage, question.confidence, floors)
                counts[kind][status] += 1
    return {
        kind: {status: round(found[status] / found.total(), 4) for status in ("ok", "weak", "nothing_relevant")}
        for kind, found in counts.items()
    }


def _half(questions: Sequence[Asked], half: int) -> list[Asked]:
    """Every other pair: headings and sentences take turns, and each half must have both."""
    return [question for number, question in enumerate(questions) if number // 2 % 2 == half]


def _digest(path: str, key: str) -> bytes:
    return hashlib.sha256(f"{path}\0{key}".encode("utf-8", "surrogatepass")).digest()


def _heading(chunk: ChunkRecord) -> str:
    return _plain(chunk.headings[-1] if chunk.headings else chunk.title)


def _rarest_words(chunk: ChunkRecord, lexical: Fts5Index, analyzer: Analyzer) -> str:
    """The longest sentence, shortened to its rarest words in their order."""
    sentence = max(_SENTENCE.split(chunk.text), key=len)
    terms = [term for term in lexical.statistics(parse_query(_plain(sentence), analyzer)) if term.idf and not term.part]
    rarest = sorted(terms, key=lambda term: -(term.idf or 0.0))[:RAREST_WORDS]
    return " ".join(term.surface for term in terms if term in rarest)


def _plain(text: str) -> str:
    """Without the signs that mean something in a query."""
    return " ".join(_OPERATORS.sub(" ", text).split())
