"""Collapse: a document is as good as its best chunk; the next ones are shown below it, the others recorded.

Where a document holds conversations, each of them counts as one, and of a message its best passage alone is a match.
"""

from __future__ import annotations

from glassdex.search.ledger import Candidate, Final, Ledger, Stage


def collapse(ledger: Ledger) -> list[list[Candidate]]:
    """Documents best first, each as its up to three best candidates; gives every one of them its final place.

    Passages that are listed by position stay by themselves.
    """
    positional = ledger.request.mode == "positional"
    with ledger.stage("collapse") as stage:
        documents: dict[int | tuple[int, int], list[Candidate]] = {}
        for candidate in ledger.ranked():
            record = candidate.record
            documents.setdefault(record.chunk_id if positional else record.group, []).append(candidate)
        kept = [
            _matches(ledger, stage, rank, candidates) for rank, candidates in enumerate(documents.values(), start=1)
        ]
        stage.measured["documents"] = len(documents)
    return kept


def _matches(ledger: Ledger, stage: Stage, rank: int, candidates: list[Candidate]) -> list[Candidate]:
    """Up to `matches` of a document's candidates, best first; the others leave."""
    most, score = ledger.request.matches, max(candidate.score for candidate in candidates)
    kept: list[Candidate] = []
    messages: set[int] = set()
    for position, candidate in enumerate(candidates, start=1):
        message = candidate.record.message
        if message is not None and message.row_id in messages:
            ledger.drop(stage, candidate, "same_message", "a better passage of its message is a match")
        elif len(kept) == most:
            detail = f"match {position} of its document, {most} {'is' if most == 1 else 'are'} shown"
            ledger.drop(stage, candidate, "further_match", detail)
        else:
            kept.append(candidate)
            candidate.final = Final(rank, score, len(kept))
            messages.update(() if message is None else (message.row_id,))
    return kept
