"""The smallest changes that would return a document or one of its passages, each derived from numbers or tried."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace

from glassdex.inspection.chunks import DocumentChunks
from glassdex.inspection.ladder import Proposal, advice, literal_pattern
from glassdex.lexical.query import relaxed
from glassdex.search.engine import Execution
from glassdex.search.request import SearchRequest
from glassdex.search.scope import REQUIRED
from glassdex.search.spans import SPANS
from glassdex.search.watch import Watched, WatchedChunk
from glassdex.settings import MAX_LIMIT

Search = Callable[[SearchRequest], Execution]
MAX_TRIALS = 12
_WITHOUT: Mapping[str, tuple[str, dict[str, object]]] = {
    "path": ("without --path", {"paths": ()}),
    "tag": ("without --tag", {"tags": ()}),
    "kind": ("without --kind", {"kinds": ()}),
    "date": ("without --since/--until", {"since": None, "until": None}),
    "in": ("without --in", {"in_document": None}),
    "sheet": ("without --sheet", {"sheet": None}),
    "page_label": ("without --page-label", {"page_label_from": None, "page_label_to": None}),
    **{name: (f"without --{name}", {f"{column}_from": None, f"{column}_to": None}) for name, column in SPANS.items()},
    "hidden": ("with --hidden", {"hidden": True}),
}
"""How each filter is taken off: in words, and in the request."""


def propose(
    document: DocumentChunks, watched: Watched, chunk_key: str | None, execution: Execution, search: Search
) -> list[Proposal]:
    """What would return the document, or with a `chunk_key` that passage of it; every request among them does."""
    rank = _rank(watched, chunk_key)
    changes = _derived(execution.request, rank) if rank is not None else _tried(watched, chunk_key, execution, search)
    state = document.freshness.state
    if state in ("rows_behind_file", "index_behind_rows"):
        changes.append(advice(f"re-index ({state.replace('_', ' ')}): glassdex index"))
    if watched.pending and state == "fresh" and execution.request.mode != "lexical":
        changes.append(advice("make its vectors: glassdex index"))
    return changes


def targets(watched: Watched, chunk_key: str | None) -> list[WatchedChunk]:
    """The chunks that are asked about: the passage's, or all of the document."""
    return [chunk for chunk in watched.chunks if chunk_key in (None, chunk.record.key)]


def _rank(watched: Watched, chunk_key: str | None) -> int | None:
    """The document's rank, if what is asked about is shown with it on its page; not what its siblings hide."""
    placed = [c for c in targets(watched, chunk_key) if c.candidate and (c.exit is None or c.exit.stage == "page")]
    return watched.document_rank if placed else None


def _derived(request: SearchRequest, rank: int) -> list[Proposal]:
    """Pages are slices of one ranking: its rank there says which slice holds it."""
    page = (rank - 1) // request.limit + 1
    found = []
    if request.limit < rank <= MAX_LIMIT:
        found.append(Proposal(f"--limit ≥ {rank}", True, None, replace(request, page=1, limit=rank, watch=())))
    found.append(Proposal(f"--page {page}", True, None, replace(request, page=page, watch=())))
    return found


def _tried(watched: Watched, chunk_key: str | None, execution: Execution, search: Search) -> list[Proposal]:
    """Loosens what stopped the target first, searches again, and goes on until it is ranked."""
    request, words = replace(execution.request, page=1, watch=()), dict[str, str]()
    for _ in range(MAX_TRIALS):
        step = _next_step(watched, targets(watched, chunk_key), execution)
        if step is None:
            return []
        name, said, request = step
        words[name] = said
        execution = search(replace(request, page=1, watch=(watched.path,)))
        seen = next((found for found in execution.ledger.watched if found.path == watched.path), None)
        if seen is None:  # it left the index in this moment
            return []
        watched = seen
        rank = _rank(watched, chunk_key)
        if rank is not None:
            return [_verified(request, rank, list(words.values()))]
    return []


def _verified(request: SearchRequest, rank: int, words: list[str]) -> Proposal:
    changes = replace(request, page=1, watch=())
    if rank > request.limit:
        changes, words = replace(changes, limit=rank), [*words, f"--limit ≥ {rank}"]
    return Proposal(", ".join(words), False, True, changes)


Step = tuple[str, str, SearchRequest]
"""(what is changed, in words, the request with it)."""


def _next_step(watched: Watched, asked: list[WatchedChunk], execution: Execution) -> Step | None:
    inside = [chunk for chunk in asked if chunk.in_scope]
    if not asked:
        return None
    if not inside:
        return _into_scope(min(asked, key=lambda chunk: len(chunk.outside)), execution)
    candidates = [chunk for chunk in inside if chunk.candidate]
    if candidates:
        return _over_threshold(candidates[0], execution)
    return _into_a_window(watched, inside, execution)


def _into_scope(chunk: WatchedChunk, execution: Execution) -> Step | None:
    """Drops the filters that keep out the chunk with the fewest against it."""
    request = execution.request
    named = [_WITHOUT[name] for name in chunk.outside if name in _WITHOUT]
    if named:
        changes = {field: value for _, fields in named for field, value in fields.items()}
        return "filters", " and ".join(words for words, _ in named), replace(request, **changes)  # type: ignore[arg-type]
    query = execution.ledger.query
    failing = {clause.surface for clause in query.required if f"{REQUIRED}{clause.surface!r}" in chunk.outside}
    text = relaxed(query, failing, exclude="excluded words" not in chunk.outside)
    if not text.strip() or text == request.query:
        return None
    return "query", f"as the query: {text}", replace(request, query=text)


def _over_threshold(chunk: WatchedChunk, execution: Execution) -> Step | None:
    """Lowers the threshold that the best candidate failed to what it has."""
    request = execution.request
    if chunk.exit is None or chunk.exit.stage != "threshold":
        return None
    if chunk.exit.reason == "below_min_similarity":
        assert chunk.similarity is not None
        floor = max(-1.0, _rounded_down(chunk.similarity, 3))
        return "min_similarity", f"--min-similarity ≤ {floor:g}", replace(request, min_similarity=floor)
    assert chunk.score is not None
    floor = _rounded_down(chunk.score, 6)
    return "min_score", f"--min-score ≤ {floor:.6f}", replace(request, min_score=floor)


def _into_a_window(watched: Watched, inside: list[WatchedChunk], execution: Execution) -> Step | None:
    """No leg brought it in: another leg may, or the same one with less company."""
    request = execution.request
    has_words = any(chunk.matched_terms for chunk in inside)
    has_vector = any(not chunk.vector_pending for chunk in inside)
    if request.mode == "lexical" and not has_words and has_vector:
        return "mode", "--mode hybrid", replace(request, mode="hybrid")
    if request.mode == "dense" and not has_vector and has_words:
        return "mode", "--mode lexical", replace(request, mode="lexical")
    alone = ("/" + literal_pattern(watched.path),)
    if request.paths == alone or not (has_words or has_vector):
        return None
    return "alone", f"search in it alone: --path {shlex.quote(alone[0])}", replace(request, paths=alone)


def _rounded_down(value: float, places: int) -> float:
    """The highest number of so many places that is not above `value`."""
    scale = float(10**places)
    nearest = round(value * scale) / scale
    return nearest if nearest <= value else math.floor(value * scale) / scale
