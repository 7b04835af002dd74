"""The pieces that a context is packed from: the passages of one search, best first, each as a chunk of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from glassdex.context.packed import Reason
from glassdex.model import unify_newlines
from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate
from glassdex.search.results import Match, Result, pointer_of
from glassdex.storage.records import CandidateRecord
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk of a returned document; `rank` counts from 1 in the order of the ranking."""

    rank: int
    record: CandidateRecord
    result: Result
    match: Match
    reason: Reason


def pieces(execution: Execution, snapshot: SqliteSnapshot) -> list[Piece]:
    """Every passage that the search returned, and of a returned message those that stand behind its best one."""
    shown: dict[tuple[str, str], tuple[Result, Match]] = {}
    messages: dict[int, tuple[Result, Match]] = {}
    for result in execution.results:
        for match in result.matches:
            shown[result.path, match.chunk_key] = result, match
    candidates = list(execution.ledger.candidates.values())
    for candidate in candidates:
        record = candidate.record
        if candidate.final is not None and record.message is not None:
            messages[record.message.row_id] = shown[record.path, record.key]
    further = [
        candidate
        for candidate in candidates
        if candidate.exit is not None
        and candidate.exit.reason == "same_message"
        and candidate.record.message is not None
        and candidate.record.message.row_id in messages
    ]
    for candidate in further:
        _add_further(candidate, snapshot, messages, shown)
    returned = [c for c in candidates if c.final is not None or (c.record.path, c.record.key) in shown]
    returned.sort(key=lambda candidate: candidate.order)
    surfaces = {term.term: term.surface for term in execution.ledger.terms}
    made = []
    for rank, candidate in enumerate(returned, start=1):
        result, match = shown[candidate.record.path, candidate.record.key]
        words = tuple(dict.fromkeys(surfaces.get(term, term) for term in candidate.matched_terms))
        made.append(Piece(rank, candidate.record, result, match, _reason(candidate, words)))
    return made


def _add_further(
    candidate: Candidate,
    snapshot: SqliteSnapshot,
    messages: dict[int, tuple[Result, Match]],
    shown: dict[tuple[str, str], tuple[Result, Match]],
) -> None:
    """Enters a further passage of a returned message; one that has left the store since is passed over."""
    record = candidate.record
    chunk = snapshot.chunks([record.chunk_id]).get(record.chunk_id)
    if chunk is None or chunk.key != record.key or record.message is None:
        return
    result, best = messages[record.message.row_id]
    dense = candidate.legs.get("dense")
    shown[record.path, record.key] = (
        result,
        Match(
            pointer=pointer_of(record),
            citation=best.citation,
            section=record.headings,
            kind=record.kind,
            locator=record.locator,
            text=unify_newlines(chunk.text),
            context=chunk.context,
            highlights=(),
            chunk_key=record.key,
            score=round(candidate.score, 3),
            similarity=None if dense is None else round(dense.score, 3),
            coverage=round(candidate.coverage, 3),
            message=best.message,
        ),
    )


def _reason(candidate: Candidate, words: Sequence[str]) -> Reason:
    ranks = {leg: signal.rank for leg, signal in candidate.legs.items() if signal.rank is not None}
    return Reason(ranks, tuple(words), candidate.linked if candidate.is_by_link else None)
