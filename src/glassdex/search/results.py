"""What a search returns, computed from the ledger for the documents of the page alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glassdex.analysis import Analyzer
from glassdex.locators import described
from glassdex.model import Locator, unify_newlines
from glassdex.pointers import Pointer, SessionPointer, format_pointer, format_session_pointer
from glassdex.pointers.pointer import HASH_DIGITS
from glassdex.search.freshness import Freshness
from glassdex.search.highlight import highlights
from glassdex.search.ledger import Candidate, Linked
from glassdex.search.locate import Located, MatchedMessage
from glassdex.storage.records import CandidateRecord, ChunkRecord, SessionHead

SCORE_PLACES = 3


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk of a returned document. `context` is what it cannot be understood without: a table's header.

    Of a conversation it is a passage of one `message`, which tells who said it, when, and at which offset.

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
    message: MatchedMessage | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A returned document, or conversation (`session`); its score is that of its best match, which comes first."""

    rank: int
    path: str
    title: str
    format: str
    score: float
    similarity: float | None
    coverage: float
    freshness: Freshness
    matches: tuple[Match, ...]
    session: SessionHead | None = None
    linked: Linked | None = None
    """The link through which it came in or up; absent where it is there by itself."""


def make_results(
    shown: Sequence[Sequence[Candidate]],
    chunks: Mapping[int, ChunkRecord],
    located: Located,
    freshness: Mapping[int, Freshness],
    terms: Sequence[str],
    analyzer: Analyzer,
) -> tuple[Result, ...]:
    """Results in order; `chunks` and `freshness` hold what the shown candidates need, by chunk and document id."""
    results = []
    for candidates in shown:
        best = candidates[0]
        assert best.final is not None
        session = located.sessions.get(best.record.message.session_id) if best.record.message else None
        matches = tuple(
            _match(candidate, chunks[candidate.record.chunk_id], located, terms, analyzer) for candidate in candidates
        )
        results.append(
            Result(
                rank=best.final.rank,
                path=best.record.path,
                title=session.title if session and session.title else best.record.title,
                format=chunks[best.record.chunk_id].format,
                score=round(best.final.score, SCORE_PLACES),
                similarity=matches[0].similarity,
                coverage=matches[0].coverage,
                freshness=freshness[best.record.document_id],
                matches=matches,
                session=session,
                linked=best.linked if best.is_by_link else None,
            )
        )
    return tuple(results)


def pointer_of(record: CandidateRecord) -> str:
    """The pointer of a chunk; its hash is the beginning of the one in the chunk's key, where no secret was redacted."""
    passage_hash = record.key.split(":")[1][:HASH_DIGITS]
    message = record.message
    if message is None:
        return format_pointer(Pointer(record.path, record.locator, record.char_start, record.char_end, passage_hash))
    whole = (record.char_start, record.char_end) == (message.char_start, message.char_end)
    return format_session_pointer(
        SessionPointer(
            source=message.source,
            session=message.name,
            uuid=message.uuid,
            block=message.block,
            passage_hash=message.original_hash[:HASH_DIGITS] if message.original_hash else passage_hash,
            char_start=None if whole else record.char_start - message.char_start,
            char_end=None if whole else record.char_end - message.char_start,
        )
    )


def citation(path: str, locator: Locator) -> str:
    """For people: the file and the place in it."""
    return ", ".join([path, *described(locator)])


def _citation(record: CandidateRecord, matched: MatchedMessage | None) -> str:
    if record.message is None:
        return citation(record.path, record.locator)
    place = [] if matched is None or matched.offset is None else [f"offset {matched.offset}"]
    return ", ".join([f"{record.message.source} session {record.message.name}", *place])


def _match(
    candidate: Candidate, chunk: ChunkRecord, located: Located, terms: Sequence[str], analyzer: Analyzer
) -> Match:
    record = candidate.record
    text = unify_newlines(chunk.text)
    dense = candidate.legs.get("dense")
    matched = located.messages.get(record.message.row_id) if record.message else None
    return Match(
        pointer=pointer_of(record),
        citation=_citation(record, matched),
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
        message=matched,
    )
