"""What a search returns, computed from the ledger for the documents of the page alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glassdex.analysis import Analyzer
from glassdex.locators import described
from glassdex.model import Locator, unify_newlines
from glassdex.pointers import Pointer, format_pointer
from glassdex.pointers.pointer import HASH_DIGITS
from glassdex.search.freshness import Freshness
from glassdex.search.highlight import highlights
from glassdex.search.ledger import Candidate
from glassdex.storage.records import CandidateRecord, ChunkRecord

SCORE_PLACES = 3


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk of a returned document. `context` is what it cannot be understood without: a table's header.

    `highlights` are code points in `text`, which has `\\n` newlines. `score` ranks within this query; `similarity`
    (cosine) and `coverage` (idf share of the query's terms that are present, 0..1) are absolute.
    """

    pointer: str
    citation: str
    section: tuple[str, ...]
    kind: str
    locator: Locator
    text: str
    context: str
    highlights: tuple[tuple[int, int], ...]
    chunk_key: str
    score: float
    similarity: float | None
    coverage: float


@dataclass(frozen=True, slots=True)
class Result:
    """A returned document; its score is that of its best match, which comes first."""

    rank: int
    path: str
    title: str
    format: str
    score: float
    similarity: float | None
    coverage: float
    freshness: Freshness
    matches: tuple[Match, ...]


def make_results(
    shown: Sequence[Sequence[Candidate]],
    chunks: Mapping[int, ChunkRecord],
    freshness: Mapping[int, Freshness],
    terms: Sequence[str],
    analyzer: Analyzer,
) -> tuple[Result, ...]:
    """Results in order; `chunks` and `freshness` hold what the shown candidates need, by chunk and document id."""
    results = []
    for candidates in shown:
        best = candidates[0]
        assert best.final is not None
        matches = tuple(
            _match(candidate, chunks[candidate.record.chunk_id], terms, analyzer) for candidate in candidates
        )
        results.append(
            Result(
                rank=best.final.rank,
                path=best.record.path,
                title=best.record.title,
                format=chunks[best.record.chunk_id].format,
                score=round(best.final.score, SCORE_PLACES),
                similarity=matches[0].similarity,
                coverage=matches[0].coverage,
                freshness=freshness[best.record.document_id],
                matches=matches,
            )
        )
    return tuple(results)


def pointer_of(record: CandidateRecord) -> str:
    """The pointer of a chunk; its hash is the beginning of the one in the chunk's key."""
    return format_pointer(
        Pointer(
            path=record.path,
            locator=record.locator,
            char_start=record.char_start,
            char_end=record.char_end,
            passage_hash=record.key.split(":")[1][:HASH_DIGITS],
        )
    )


def citation(path: str, locator: Locator) -> str:
    """For people: the file and the place in it."""
    return ", ".join([path, *described(locator)])


def _match(candidate: Candidate, chunk: ChunkRecord, terms: Sequence[str], analyzer: Analyzer) -> Match:
    record = candidate.record
    text = unify_newlines(chunk.text)
    dense = candidate.legs.get("dense")
    return Match(
        pointer=pointer_of(record),
        citation=citation(record.path, record.locator),
        section=record.headings,
        kind=record.kind,
        locator=record.locator,
        text=text,
        context=chunk.context,
        # A passage that only its meaning brought here has no word to mark.
        highlights=highlights(text, frozenset(terms), analyzer) if candidate.matched_terms else (),
        chunk_key=record.key,
        score=round(candidate.score, SCORE_PLACES),
        similarity=None if dense is None else round(dense.score, SCORE_PLACES),
        coverage=round(candidate.coverage, SCORE_PLACES),
    )
