"""What a lexical index promises. `glassdex.testing.LexicalIndexConformance` holds every implementation to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from glassdex.lexical.query import Clause, LexicalQuery, TermStatus

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class LexicalEntry:
    """A chunk as the lexical index takes it: terms by field, words in order, parts and words apart."""

    chunk_id: int
    title: tuple[str, ...]
    headings: tuple[str, ...]
    body: tuple[str, ...]
    tags: tuple[str, ...]
    parts: tuple[str, ...]
    before: tuple[str, ...] = ()
    """Words of what was said before a message: they score it, and no phrase or clause looks at them."""


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """A query term in this project: chunks that contain it, and its idf in nats (absent for an unused term).

    `count` says how often the query names it.
    """

    term: str
    surface: str
    status: TermStatus
    document_frequency: int
    idf: float | None
    part: bool
    count: int


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """BM25 of some chunks. `scores[i]` belongs to `chunk_ids[i]`; `matched[i, j]` says whether term j is in chunk i.

    `terms` are the scored ones, in the order of the columns of `matched`.
    """

    chunk_ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    matched: NDArray[np.bool_]
    terms: tuple[str, ...]
    eligible: int | None = None
    """After a search: how many chunks in scope a term brought in, where the index can tell."""


class LexicalIndex(Protocol):
    """BM25 over the chunks of one generation; made for a snapshot, used within it, by one thread."""

    name: str

    def statistics(self, query: LexicalQuery) -> tuple[TermStatistics, ...]:
        """What the project knows of every term of the query, in the query's order."""
        ...

    def search(self, query: LexicalQuery, scope: NDArray[np.int64] | None, window: int) -> LexicalScores:
        """The best chunks that contain at least one term, best first.

        `scope` is an ascending array of the eligible chunk ids, `None` for all. Scores are rounded to 1e-6 before
        they are compared. At least `window` chunks come back where so many match, and all that tie with the last
        of them: who is cut at the border is the caller's decision.
        """
        ...

    def scores(self, query: LexicalQuery, chunk_ids: NDArray[np.int64]) -> LexicalScores:
        """BM25 of the given chunks, in the given order; 0 where no term occurs. The same numbers as `search`."""
        ...

    def estimated_frequencies(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """In about how many chunks each term is, told without reading what it does in them: shape (terms,).

        Good for choosing words, not for scores: words around a message need not count, chunks that are gone may.
        """
        ...

    def weights(self, terms: Sequence[str], chunk_ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each term alone adds to the BM25 of each chunk: shape (chunks, terms), 0 where it does not occur.

        The terms are the analyser's, as they stand in the index.
        """
        ...

    def containing(self, clause: Clause) -> NDArray[np.int64]:
        """Ascending ids of all chunks in which the clause's terms occur one after the other within one field.

        A clause of a single term also finds it as a part of a longer word.
        """
        ...


class LexicalWriter(Protocol):
    """The writing side, inside the store's transaction or fed from its outbox."""

    def upsert(self, entries: Sequence[LexicalEntry]) -> None:
        """Adds entries; the chunk ids are new."""
        ...

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Removes entries; an id that is not there is not an error."""
        ...
