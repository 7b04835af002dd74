"""Collapse: a document is as good as its best chunk; the next ones are shown below it, the others recorded."""

from __future__ import annotations

from glassdex.search.ledger import MATCHES_PER_DOCUMENT, Candidate, Final, Ledger


def collapse(ledger: Ledger) -> list[list[Candidate]]:
    """Documents best first, each as its up to three best candidates; gives every one of them its final place.

    Passages that are listed by position stay by themselves.
    """
    positional = ledger.request.mode == "positional"
    with ledger.stage("collapse") as stage:
        documents: dict[int, list[Candidate]] = {}
        for candidate in ledger.ranked():
            record = candidate.record
            documents.setdefault(record.chunk_id if positional else record.document_id, []).append(candidate)
        for rank, matches in enumerate(documents.values(), start=1):
            score = matches[0].score
            for position, candidate in enumerate(matches, start=1):
                if position <= MATCHES_PER_DOCUMENT:
                    candidate.final = Final(rank, score, position)
                else:
                    detail = f"match {position} of its document, {MATCHES_PER_DOCUMENT} are shown"
                    ledger.drop(stage, candidate, "further_match", detail)
        stage.measured["documents"] = len(documents)
    return [matches[:MATCHES_PER_DOCUMENT] for matches in documents.values()]
