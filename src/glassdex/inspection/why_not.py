"""Why not: a ladder for one expected document, read out of a search that watched it.

Each rung passes or fails with its number; the numbers are those of the ledger. What would bring the document back is
worked out in `proposals`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from glassdex.errors import DocumentNotFound
from glassdex.inspection.chunks import DocumentChunks
from glassdex.inspection.freshness import FileVersusRows
from glassdex.inspection.ladder import Rung, WhyNot, advice
from glassdex.inspection.proposals import Search, propose, targets
from glassdex.inspection.unindexed import Unindexed
from glassdex.search.diversify import HEAD
from glassdex.search.engine import Execution
from glassdex.search.results import pointer_of
from glassdex.search.watch import Watched, WatchedChunk
from glassdex.wording import chain, counted


def why_not(
    document: DocumentChunks,
    there: bool,
    ignored: str | None,
    execution: Execution,
    search: Search,
    *,
    chunk_key: str | None = None,
    passage_lost: bool = False,
) -> WhyNot:
    """Reads the ladder from an execution that watched the document; `search` runs what must be tried.

    `there` says whether the file is on disk, `ignored` which rule would leave it out today. With a `chunk_key` the
    ladder is that passage's; `passage_lost` says that one was asked about that the index does not have, so the ladder
    is its document's.
    """
    path = document.document.path
    watched = next((watched for watched in execution.ledger.watched if watched.path == path), None)
    if watched is None:
        raise DocumentNotFound(f"{path} has left the index in this moment", "ask again")
    chunks = targets(watched, chunk_key)
    shown = any(chunk.final is not None for chunk in chunks)
    rungs = (
        *_file_rungs(document, there, ignored),
        *((_LOST,) if passage_lost else ()),
        _embedded(chunks, execution),
        _in_scope(watched, chunks),
        *_rewritten(execution),
        *_leg_rungs(watched, chunks, execution),
        *_ranking_rungs(watched, chunks, execution),
    )
    proposals = [] if shown else propose(document, watched, chunk_key, execution, search)
    if chunk_key is not None and not shown:
        place = next((pointer_of(chunk.record) for chunk in chunks), path)
        proposals.append(advice(f"read the passage itself: glassdex open {shlex.quote(place)}"))
    return WhyNot(
        query=execution.request.query,
        path=path,
        chunk_key=chunk_key,
        returned_at=watched.document_rank if shown else None,
        rungs=rungs,
        proposals=tuple(proposals),
    )


_LOST = Rung("passage", False, "the index has no such passage in this document; the rest is about the document")


def why_not_unindexed(query: str, file: Unindexed) -> WhyNot:
    """The ladder of a file that the index does not have: it ends where the file stopped."""
    return WhyNot(query, file.path, None, None, file.rungs, file.proposals)


def _file_rungs(document: DocumentChunks, there: bool, ignored: str | None) -> Iterator[Rung]:
    file_side, index_side = document.freshness.file_vs_rows, document.freshness.rows_vs_index
    yield Rung("on disk", there, "the file is there" if there else file_side.detail)
    yield Rung("not ignored", ignored is None, f"today left out by the rule {ignored}" if ignored else "by no rule")
    yield _read(file_side, there)
    yield Rung("indexed", index_side.chunks > 0, f"rows: {len(document.rows)}, chunks: {index_side.chunks}")
    evidence = "; ".join((file_side.detail, *index_side.reasons))
    state = document.freshness.state
    yield Rung("fresh", state == "fresh", f"{state.replace('_', ' ')}: {evidence}")


def _read(file_side: FileVersusRows, there: bool) -> Rung:
    if file_side.write_status != "settled":
        error = file_side.error or "the file was being written"
        return Rung("read", False, f"the last attempt ended as {file_side.write_status}: {error}")
    if there and file_side.state == "unreadable":
        return Rung("read", False, f"read whole when it was indexed; now {file_side.detail}")
    return Rung("read", True, "whole")


def _embedded(chunks: list[WatchedChunk], execution: Execution) -> Rung:
    if execution.request.mode == "lexical":
        return Rung("embedded", None, "this mode asks for no vectors")
    pending = sum(chunk.vector_pending for chunk in chunks)
    identity = execution.engine.embedding_identity
    return Rung("embedded", pending == 0, f"{len(chunks) - pending} of {len(chunks)} chunks, under {identity}")


def _in_scope(watched: Watched, chunks: list[WatchedChunk]) -> Rung:
    if not watched.filters:
        return Rung("in scope", True, "nothing narrows the search")
    parts = []
    for name, _ in watched.filters:
        passing = sum(name not in chunk.outside for chunk in chunks)
        parts.append(f"{name} lets through {passing} of {len(chunks)} chunks")
    inside = sum(chunk.in_scope for chunk in chunks)
    whole = f"; all of them together {inside}" if len(parts) > 1 else ""
    return Rung("in scope", inside > 0, "; ".join(parts) + whole)


def _rewritten(execution: Execution) -> Iterator[Rung]:
    """The further words that the lexical leg had, and the texts that the dense one had; where these were asked for."""
    rewriting = execution.ledger.rewriting
    if rewriting is None:
        return
    if rewriting.fallback:
        yield Rung("rewritten", None, f"it failed, the query is as you typed it: {rewriting.fallback}")
        return
    words = ", ".join(f"{term.surface} ×{term.weight:.2f}" for term in rewriting.terms)
    said = [f"further words for the lexical leg: {words}"] if words else []
    said += [f"averaged with {counted(len(rewriting.texts), 'text')} for the dense leg"] if rewriting.texts else []
    yield Rung("rewritten", None, "; ".join(said) or "it added nothing")


def _leg_rungs(watched: Watched, chunks: list[WatchedChunk], execution: Execution) -> Iterator[Rung]:
    found = sorted({term for chunk in chunks for term in chunk.matched_terms})
    named = sorted({*watched.missing_terms, *(term for chunk in watched.chunks for term in chunk.matched_terms)})
    written = {term.term: term.surface for term in execution.ledger.terms}
    lacking = [written.get(term, term) for term in named if term not in found]
    has = ", ".join(written.get(term, term) for term in found) or "none of them"
    detail = f"has {has}" + (f"; lacks {', '.join(lacking)}" if lacking else "")
    yield Rung("words", bool(found), detail)
    mode, window = execution.request.mode, execution.engine.window
    words = [(chunk.lexical_rank, chunk.lexical_score) for chunk in chunks]
    meaning = [(chunk.dense_rank, chunk.similarity) for chunk in chunks]
    yield _leg_rung("lexical", "BM25", mode != "dense", words, window)
    yield _leg_rung("dense", "cosine", mode != "lexical", meaning, window)
    yield _candidate(watched, chunks, execution)


def _candidate(watched: Watched, chunks: list[WatchedChunk], execution: Execution) -> Rung:
    """Who brought it in; where links were followed, also whether one joins its document with the best ones."""
    candidates = [chunk for chunk in chunks if chunk.candidate]
    if not candidates:
        detail = f"no leg had it within its window of {execution.engine.window}"
    elif all(chunk.added_by_link for chunk in candidates):
        detail = "no leg did, a link brought it in"
    else:
        detail = "a leg brought it in"
    linked = next((chunk.linked for chunk in chunks if chunk.linked), None)
    if linked is not None:
        way = f" via {chain(linked.via, linked.via_left_out)}" if linked.via else ""
        detail += f"; {linked.kind} ({linked.route}) joins it with {linked.seed}{way}"
        if watched.document_id in execution.ledger.seeds:
            unless = "" if linked.route == "successor" else "; it is one of the best itself, which links do not lift"
            detail += unless
        elif not candidates:
            detail += ", and other linked documents have more of the query"
    elif execution.request.expand:
        detail += "; no link joins it with one of the best documents"
    return Rung("candidate", bool(candidates), detail)


def _leg_rung(name: str, scale: str, ran: bool, places: list[tuple[int | None, float | None]], window: int) -> Rung:
    if not ran:
        return Rung(name, None, "this mode does not ask it")
    known = sorted((rank, score) for rank, score in places if rank is not None and score is not None)
    if not known:
        outside = max((score for _, score in places if score is not None), default=None)
        measured = "" if outside is None else f"; without the filters it would have {scale} {outside:.6f}"
        return Rung(name, False, "no chunk in scope has a place in its ranking" + measured)
    rank, score = known[0]
    return Rung(name, rank <= window, f"rank {rank} of the scope, {scale} {score:.6f}, window {window}")


def _ranking_rungs(watched: Watched, chunks: list[WatchedChunk], execution: Execution) -> Iterator[Rung]:
    placed = [chunk for chunk in chunks if chunk.in_scope and chunk.fused_score is not None]
    if placed:
        yield _fused(placed[0], execution)
        yield from _rescored(placed[0], execution)
        if execution.ledger.reranking is not None:
            yield _reranked(placed, execution)
        if execution.request.diversify is not None:
            yield _diversified(placed, execution)
    yield _threshold(chunks, execution)
    ranked = [c for c in chunks if c.candidate and (c.exit is None or c.exit.stage != "threshold")]
    if not ranked or watched.document_rank is None:
        return
    yield _collapse(watched, ranked)
    page, rank = execution.page, watched.document_rank
    where = (rank - 1) // page.limit + 1
    detail = f"document rank {rank}, which is on page {where} at {page.limit} a page; this is page {page.number}"
    yield Rung("page", where == page.number, detail)


def _fused(best: WatchedChunk, execution: Execution) -> Rung:
    was_fused = best.candidate and not best.added_by_link
    place = f"{'' if was_fused else 'would be '}rank {best.fused_rank}, score {best.fused_score:.6f}"
    is_last = not (execution.ledger.rescored_by or _has_later(execution))
    passed = None if best.added_by_link else best.candidate
    return Rung("fused", passed, place + (_border(execution) if is_last else ""))


def _rescored(best: WatchedChunk, execution: Execution) -> Iterator[Rung]:
    """What each stage that ranked anew made of it; one that is no candidate was not looked at."""
    before, last = best.fused_rank, next(reversed([*best.rescored]), None)
    for stage in execution.ledger.rescored_by:
        own = best.rescored.get(stage)
        if own is None:
            yield Rung(stage, None, "only candidates were ranked anew")
            continue
        border = _border(execution) if stage == last and not _has_later(execution) else ""
        yield Rung(stage, True, f"rank {before} → {own.rank}, score {own.score:.6f}{border}")
        before = own.rank


def _has_later(execution: Execution) -> bool:
    """Whether a stage behind those that rank by score has the last word."""
    return execution.ledger.reranking is not None or execution.request.diversify is not None


def _reranked(placed: list[WatchedChunk], execution: Execution) -> Rung:
    """The best placed chunk of the head; where none is in it, how the reranker scores it all the same."""
    reranking = execution.ledger.reranking
    assert reranking is not None
    if reranking.fallback:
        return Rung("reranked", None, f"it failed, the order is that of retrieval: {reranking.fallback}")
    inside = [(chunk.reranked.rank, chunk.reranked) for chunk in placed if chunk.reranked]
    if inside:
        rank, best = min(inside, key=lambda entry: entry[0])
        detail = f"rank {best.rank_before} → {rank}, score {best.score:.6f}, blended {best.blended:.6f}"
        later = execution.request.diversify is not None
        return Rung("reranked", True, detail + ("" if later else _border(execution)))
    scored = [chunk.rerank_score for chunk in placed if chunk.rerank_score is not None]
    alone = f"; its score would be {max(scored):.6f}" if scored else ""
    return Rung("reranked", False, f"only the first {reranking.head} were reranked{alone}")


def _diversified(placed: list[WatchedChunk], execution: Execution) -> Rung:
    """The best placed chunk of the head that was ordered anew."""
    inside = [chunk.diversified for chunk in placed if chunk.diversified]
    if not inside:
        return Rung("diversified", None, f"only the first {HEAD} were ordered anew")
    best = min(inside, key=lambda diversified: diversified.rank)
    detail = f"rank {best.rank_before} → {best.rank}, relevance {best.relevance:.6f}, similarity {best.similarity:.6f}"
    candidates = execution.ledger.candidates.values()
    nearest = next((pointer_of(one.record) for one in candidates if one.name == best.nearest), None)
    return Rung("diversified", True, detail + (f" to {nearest}" if nearest else ""))


def _border(execution: Execution) -> str:
    """The score of the last document of the page."""
    page = execution.page
    last = page.limit * page.number
    needed = next(
        (
            candidate.final.score
            for candidate in execution.ledger.candidates.values()
            if candidate.final is not None and candidate.final.match == 1 and candidate.final.rank == last
        ),
        None,
    )
    return f"; the last of this page has {needed:.6f}" if needed is not None else ""


def _threshold(chunks: list[WatchedChunk], execution: Execution) -> Rung:
    request = execution.request
    if request.min_similarity is None and request.min_score is None:
        return Rung("threshold", None, "none is set")
    candidates = [chunk for chunk in chunks if chunk.candidate]
    failed = [chunk.exit for chunk in candidates if chunk.exit is not None and chunk.exit.stage == "threshold"]
    if not candidates:
        return Rung("threshold", None, "it never came this far")
    if len(failed) == len(candidates):
        return Rung("threshold", False, failed[0].detail)
    return Rung("threshold", True, f"{len(candidates) - len(failed)} of {len(candidates)} candidates are above it")


def _collapse(watched: Watched, ranked: list[WatchedChunk]) -> Rung:
    """A passage leaves here under the siblings that are shown for its document."""
    exits = [chunk.exit for chunk in ranked]
    if any(left is None or left.stage != "collapse" for left in exits):
        return Rung("collapse", True, "among the passages shown of its document")
    siblings = [
        chunk
        for chunk in watched.chunks
        if chunk.candidate and (chunk.exit is None or chunk.exit.stage not in ("threshold", "collapse"))
    ]
    places = ", ".join(pointer_of(chunk.record) for chunk in siblings)
    return Rung("collapse", False, f"{exits[0].detail if exits[0] else ''}; before it come {places}")
