"""Near spellings: for a word that the index does not have, known words that differ by a slip or two."""

from __future__ import annotations

from itertools import islice

from glassdex.lexical.protocol import LexicalIndex, TermStatistics
from glassdex.lexical.query import Clause
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

MAX_WORDS = 5
MAX_SUGGESTIONS = 3
_SCANNED = 20_000
_SHORTEST = 4


def suggestions(
    snapshot: SqliteSnapshot, lexical: LexicalIndex, terms: tuple[TermStatistics, ...]
) -> dict[str, tuple[str, ...]]:
    """Written forms near each unknown word, nearest first; words without any are left out."""
    unknown = [term for term in terms if term.status == "unknown" and not term.part and len(term.term) >= _SHORTEST]
    found = {term.surface: _near(snapshot, lexical, term.term, term.surface.casefold()) for term in unknown[:MAX_WORDS]}
    return {surface: near for surface, near in found.items() if near}


def _near(snapshot: SqliteSnapshot, lexical: LexicalIndex, term: str, written: str) -> tuple[str, ...]:
    allowed = 1 if len(term) <= 5 else 2
    letters = set(term)
    known = snapshot.similar_words(term[0], len(term) - allowed, len(term) + allowed, _SCANNED)
    scored = [
        (distance(term, word, allowed), word, surface)
        for word, surface in known
        # A slip takes away at most one letter and brings in at most one: most words fall here, cheaply.
        if len(letters.difference(word)) <= allowed and len(set(word) - letters) <= allowed
    ]
    # Stems are compared first, since "tides" is near "tide"; among equals the written form decides.
    best = sorted(
        (steps, distance(written, surface, len(written)), surface, word)
        for steps, word, surface in scored
        if steps <= allowed
    )
    # A word is remembered after the last passage with it is gone.
    present = (surface for _, _, surface, word in best if len(lexical.containing(Clause((word,), surface))))
    return tuple(islice(present, MAX_SUGGESTIONS))


def distance(a: str, b: str, limit: int) -> int:
    """Optimal string alignment distance (insert, delete, replace, swap neighbours), or `limit` + 1 when above it."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before_previous: list[int] = []
    previous = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        current = [i]
        for j, right in enumerate(b, start=1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, before_previous[j - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before_previous, previous = previous, current
    return min(previous[-1], limit + 1)
