"""Scope: which chunks may be seen at all. Every leg ranks inside it; nothing outside is ever a candidate."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from glassdex.lexical.protocol import LexicalIndex
from glassdex.model import folded_name
from glassdex.patterns import compile_asked_patterns
from glassdex.search.ledger import Ledger, ScopeFilter, Stage
from glassdex.search.places import Filter, asks_for_hidden, document_filter, place_filters
from glassdex.storage.names import session_by_name
from glassdex.storage.records import ChunkTable
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


REQUIRED = "required "
"""How the filter of a phrase or field clause is named, before the clause."""


def resolve_scope(
    ledger: Ledger, snapshot: SqliteSnapshot, table: ChunkTable, lexical: LexicalIndex
) -> NDArray[np.int64] | None:
    """Ascending ids of the chunks in scope; `None` when nothing narrows it, never a set of everything."""
    import numpy as np

    request = ledger.request
    scope: NDArray[np.int64] | None = None
    total = len(table.ids)
    stage = Stage("scope", entered=total)
    started = time.perf_counter()

    def narrow(filters: Iterable[Filter]) -> None:
        nonlocal scope
        for name, eligible in filters:
            entered = total if scope is None else len(scope)
            wanted = eligible()
            if request.watch:
                ledger.filter_sets.append((name, wanted))
            scope = wanted if scope is None else np.intersect1d(scope, wanted, assume_unique=True)
            ledger.scope_filters.append(ScopeFilter(name, entered, len(scope)))
            if entered > len(scope):
                stage.dropped[name] += entered - len(scope)

    named = document_filter(request, snapshot)
    narrow([named[1]] if named else [])
    narrow(_filters(ledger, snapshot))
    if request.places_named and (scope is None or len(scope)):
        # Before the words: they must not decide which document is meant.
        left = None if scope is None else set(table.document_ids[table.positions(scope)].tolist())
        narrow(place_filters(request, snapshot, named[0] if named else None, left))
    if not asks_for_hidden(request):
        hidden = snapshot.hidden_chunk_ids()
        narrow([("hidden", lambda: np.setdiff1d(table.ids, hidden, assume_unique=True))] if len(hidden) else [])
    narrow(_clauses(ledger, table, lexical))
    stage.left = ledger.scope_total = total if scope is None else len(scope)
    slots = table.slots if scope is None else table.slots[table.positions(scope)]
    stage.measured["ready"] = ledger.scope_ready = int((slots >= 0).sum())
    stage.milliseconds = (time.perf_counter() - started) * 1000
    ledger.stages.append(stage)
    return scope


def _filters(ledger: Ledger, snapshot: SqliteSnapshot) -> list[Filter]:
    import numpy as np

    request = ledger.request
    filters: list[Filter] = []
    if request.paths:
        filters.append(("path", lambda: snapshot.chunk_ids_of_documents(_documents_at(request.paths, snapshot))))
    if request.tags:
        tags = [folded_name(tag.removeprefix("#")) for tag in request.tags]
        filters.append(("tag", lambda: np.unique(np.concatenate([snapshot.chunk_ids_with_tag(tag) for tag in tags]))))
    if request.kinds:
        filters.append(("kind", lambda: snapshot.chunk_ids_of_kinds(request.kinds)))
    if request.since is not None or request.until is not None:
        since, until = request.date_bounds()
        filters.append(("date", lambda: snapshot.chunk_ids_dated(since, until)))
    if request.session is not None:
        session = session_by_name(snapshot, request.session)
        filters.append(("session", lambda: snapshot.chunk_ids_of_session(session.session_id)))
    if request.roles:
        filters.append(("role", lambda: snapshot.chunk_ids_of_roles(request.roles)))
    return filters


def _clauses(ledger: Ledger, table: ChunkTable, lexical: LexicalIndex) -> list[Filter]:
    """The phrases, fields and exclusions of the query."""
    import numpy as np

    query = ledger.query
    filters: list[Filter] = []
    for clause in query.required:
        filters.append((f"{REQUIRED}{clause.surface!r}", lambda clause=clause: lexical.containing(clause)))  # type: ignore[misc]
    if query.excluded:
        excluded = query.excluded

        def without() -> NDArray[np.int64]:
            unwanted = np.concatenate([lexical.containing(clause) for clause in excluded])
            return np.setdiff1d(table.ids, unwanted)

        filters.append(("excluded words", without))
    return filters


def _documents_at(patterns: tuple[str, ...], snapshot: SqliteSnapshot) -> list[int]:
    spec = compile_asked_patterns(unicodedata.normalize("NFC", pattern) for pattern in patterns)
    return [document_id for document_id, path in snapshot.document_paths().items() if spec.match_file(path)]
