"""Graph: from the best documents one link on, in both directions, inside the scope; what replaced a document first.

The best `SEEDS` documents are the seeds. Two things happen:

- **Successors.** Where a seed is superseded, the end of the chain of its successors is placed right above it, by 1e-6,
  unless it stands higher already: whoever finds the old document should see the one that holds. A circle of documents
  that supersede each other has no end, and nothing is placed.
- **Neighbours.** Of the other documents that a link joins with a seed, those whose best passage has the most of the
  query, in words and meaning, get a share of their best seed's score on top of their own, and stay below that seed.
  What is a seed itself needs no help, and what is superseded gets none.

Successors that were no candidates yet and neighbours share `expand` places, successors first. Of a document that is
added the `PASSAGES` best passages by their own exact signals become candidates; these have no rank in a leg and no
place in the fusion. Which link leads to it is recorded of every candidate of a linked document. A link to or through a
document that the scope leaves out is not followed. If nothing is added and nobody moves, the ranking is what it was.

The share is what is called spreading activation with one step: Crestani, "Application of Spreading Activation
Techniques in Information Retrieval" (Artificial Intelligence Review, 1997).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassdex.lexical.protocol import LexicalIndex
from glassdex.search import neighborhood
from glassdex.search.complete import complete_signals
from glassdex.search.fuse import LEGS_OF_MODE, Fusion, highest_scores, normalized_by
from glassdex.search.ledger import Candidate, Ledger, Linked, Stage
from glassdex.search.link_graph import ROUTES, Edge, LinkGraph
from glassdex.storage.records import ChunkTable
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.vectors.protocol import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEEDS = 10
"""Documents whose links are followed; a constant, never derived from limit or page."""
PASSAGES = 3
"""Passages of a document that is added."""
LOOKED_UP = 200
"""Of a document with more equally good passages than that (none has a word of the query), the first ones written."""
VIA = 20
"""Documents between a seed and its successor that are named: of a longer chain the first and the last ten."""
SHARE = 0.1
"""Of its seed's score, what a neighbour gets on top of its own; measured in docs/benchmarks.md, "Links"."""
STEP = 1e-6
FORMULA = (
    "score + bonus of its document; successor: up to step above the best document that it stands in the place of; "
    "neighbour: w · score of its seed, at most up to step below that; others: 0"
)


@dataclass(frozen=True, slots=True)
class _Passages:
    """The passages in scope of linked documents: ids, their documents, and how much of the query each has.

    `signals` is the sum of the legs' normalised scores, whatever the fusion.
    """

    chunk_ids: NDArray[np.int64]
    document_ids: NDArray[np.int64]
    signals: NDArray[np.float64]

    def best(self) -> dict[int, float]:
        """What the best passage of each document has."""
        best: dict[int, float] = {}
        for document_id, signal in zip(self.document_ids.tolist(), self.signals.tolist(), strict=True):
            best[document_id] = max(best.get(document_id, 0.0), signal)
        return best


def graph(
    ledger: Ledger,
    snapshot: SqliteSnapshot,
    table: ChunkTable,
    scope: NDArray[np.int64] | None,
    lexical: LexicalIndex,
    dense: tuple[VectorIndex, NDArray[np.float32]] | None,
    fusion: Fusion,
    links: Callable[[], LinkGraph],
) -> None:
    """Adds up to `expand` documents and ranks anew; does nothing where that is 0, or nothing was asked by words."""
    most = ledger.request.expand
    if not most or ledger.request.mode == "positional":
        return
    with ledger.stage("graph") as stage:
        standing = _standing(ledger)
        walk = _Walk(links(), list(standing)[:SEEDS], table, scope)
        stage.measured.update(seeds=len(walk.seeds), links_followed=walk.followed, out_of_scope=walk.left_out)
        ledger.linked, ledger.seeds = walk.linked, tuple(walk.seeds)
        if not walk.linked:
            return
        highest = highest_scores(ledger)
        passages = _measured(ledger, walk, lexical, dense, highest)
        chosen = _chosen(walk, passages, standing, most)
        new = [document_id for document_id in chosen if document_id not in standing]
        added = _admit(ledger, stage, snapshot, passages, new)
        complete_signals(ledger, added, lexical, dense, len(table.ids), int((table.slots >= 0).sum()))
        for candidate in ledger.live():
            candidate.linked = walk.linked.get(candidate.record.document_id)
        own = {id_: _own_parts(ledger, ledger.candidates[id_], fusion, highest) for id_ in added.tolist()}
        lifted = _rank(ledger, walk, chosen, own)
        stage.measured.update(documents_added=len(new), documents_lifted=lifted)


@dataclass(frozen=True, slots=True)
class _Way:
    """How a document was reached from a seed: the one before it, its distance, and the first ones between.

    Of a long chain only both ends are kept or looked up: the work is the same for each document, however far it is.
    """

    document_id: int
    before: _Way | None
    distance: int
    first: tuple[int, ...]

    def on(self, document_id: int) -> _Way:
        """One step further."""
        is_told = self.before is not None and len(self.first) < VIA // 2
        first = (*self.first, self.document_id) if is_told else self.first
        return _Way(document_id, self, self.distance + 1, first)

    def told(self) -> tuple[tuple[int, ...], int]:
        """The documents between the seed and what follows this one, and how many are left out in their middle."""
        first = self.on(self.document_id).first
        last: list[int] = []
        way = self
        while way.before is not None and way.distance > len(first) and len(last) < VIA - len(first):
            last.append(way.document_id)
            way = way.before
        return (*first, *reversed(last)), self.distance - len(first) - len(last)


class _Walk:
    """The documents that links lead to from the seeds, within the scope.

    `linked` has of each the link that counts: a successor before a relation before a mention, the best seed's first.
    `successors` has, by the document that stands in their place, the seeds that are superseded, the best first.
    """

    def __init__(
        self, links: LinkGraph, seeds: Sequence[int], table: ChunkTable, scope: NDArray[np.int64] | None
    ) -> None:
        self._links = links
        self.seeds = seeds
        self.followed = self.left_out = 0
        self.chunk_ids, self.document_ids = _in_scope(table, scope, self._reached())
        self._inside = {*seeds, *self.document_ids.tolist()}
        self.successors: dict[int, list[int]] = {}
        self.linked: dict[int, Linked] = {}
        self.seed_of: dict[int, int] = {}
        for seed in seeds:
            for document_id, linked in (*self._ends(seed), *self._neighbours(seed)):
                self._note(seed, document_id, linked)

    def path(self, document_id: int) -> str:
        """A document's path."""
        return self._links.path(document_id)

    def is_superseded(self, document_id: int) -> bool:
        """Whether something in scope stands in its place."""
        return any(True for _ in self._steps(document_id))

    def _note(self, seed: int, document_id: int, linked: Linked) -> None:
        if linked.route == "successor":
            self.successors.setdefault(document_id, []).append(seed)
        known = self.linked.get(document_id)
        if known is None or ROUTES.index(linked.route) < ROUTES.index(known.route):
            self.linked[document_id], self.seed_of[document_id] = linked, seed

    def _reached(self) -> set[int]:
        """Everything that may be walked to, inside the scope or not: neighbours, and successors to the end."""
        reached: set[int] = set()
        for seed in self.seeds:
            reached.update(edge.document_id for edge in self._links.edges(seed))
        waiting = [*self.seeds, *reached]
        while waiting:
            steps = {edge.document_id for edge in self._links.successors(waiting.pop())}
            waiting += steps - reached
            reached |= steps
        return reached

    def _neighbours(self, seed: int) -> Iterator[tuple[int, Linked]]:
        """One link on. A successor that is not the end of its chain is told as a relation: it has no place to take."""
        for edge in self._links.edges(seed):
            if edge.document_id not in self._inside:
                self.left_out += 1
                continue
            self.followed += 1
            route = "related" if edge.route == "successor" else edge.route
            yield edge.document_id, Linked(self.path(seed), route, edge.kind, edge.direction)

    def _ends(self, seed: int) -> list[tuple[int, Linked]]:
        """The documents at the ends of the chains of successors: those that nothing in scope stands in the place of."""
        ends: list[tuple[int, Linked]] = []
        ways = {seed: _Way(seed, None, 0, ())}
        waiting = deque((edge, ways[seed]) for edge in self._steps(seed))
        while waiting:
            edge, before = waiting.popleft()
            if edge.document_id in ways:
                continue
            way = ways[edge.document_id] = before.on(edge.document_id)
            steps = list(self._steps(edge.document_id))
            if not steps:
                via, left_out = before.told()
                paths = tuple(map(self.path, via))
                linked = Linked(self.path(seed), "successor", edge.kind, edge.direction, paths, left_out)
                ends.append((edge.document_id, linked))
            waiting.extend((step, way) for step in steps)
        return ends

    def _steps(self, document_id: int) -> Iterator[Edge]:
        return (edge for edge in self._links.successors(document_id) if edge.document_id in self._inside)


def _in_scope(
    table: ChunkTable, scope: NDArray[np.int64] | None, document_ids: Iterable[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The chunks of these documents that the scope has, ascending ids, and the document of each."""
    import numpy as np

    chunk_ids = table.ids if scope is None else scope
    documents = table.document_ids if scope is None else table.document_ids[table.positions(scope)]
    held = np.isin(documents, np.fromiter(document_ids, dtype=np.int64))
    return chunk_ids[held], documents[held]


def _standing(ledger: Ledger) -> dict[int, float]:
    """Documents in their order, each with the score of its best candidate."""
    standing: dict[int, float] = {}
    for candidate in ledger.ranked():
        standing.setdefault(candidate.record.document_id, candidate.score)
    return standing


def _measured(
    ledger: Ledger,
    walk: _Walk,
    lexical: LexicalIndex,
    dense: tuple[VectorIndex, NDArray[np.float32]] | None,
    highest: Mapping[str, float],
) -> _Passages:
    import numpy as np

    kept = np.isin(walk.document_ids, np.fromiter(walk.linked, dtype=np.int64))
    chunk_ids, document_ids = walk.chunk_ids[kept], walk.document_ids[kept]
    signals = np.zeros(len(chunk_ids))
    if ledger.request.mode != "dense" and highest["lexical"] > 0:
        signals += lexical.scores(ledger.scored_query, chunk_ids).scores / highest["lexical"]
    if dense is not None and highest["dense"] > 0:
        vectors, query_vector = dense
        signals += np.nan_to_num(vectors.similarities(query_vector, chunk_ids)).clip(min=0) / highest["dense"]
    return _Passages(chunk_ids, document_ids, signals.round(6))


def _chosen(walk: _Walk, passages: _Passages, standing: Mapping[int, float], most: int) -> list[int]:
    """Documents to add or to lift: a successor that is a candidate already takes no place."""
    chosen, places = [], most
    for document_id in walk.successors:
        if document_id in standing or places:
            chosen.append(document_id)
            places -= document_id not in standing
    others = [
        document_id
        for document_id in walk.linked
        if not (document_id in walk.seeds or document_id in walk.successors or walk.is_superseded(document_id))
    ]
    best = passages.best()
    others.sort(key=lambda document_id: (-best[document_id], walk.path(document_id)))
    return chosen + others[:places]


def _admit(
    ledger: Ledger, stage: Stage, snapshot: SqliteSnapshot, passages: _Passages, documents: Sequence[int]
) -> NDArray[np.int64]:
    """The best passages of each document become candidates; of equal ones the first in the document."""
    import numpy as np

    added: list[int] = []
    for document_id in documents:
        own = passages.document_ids == document_id
        order = np.argsort(-passages.signals[own], kind="stable")
        chunk_ids, signals = passages.chunk_ids[own][order], passages.signals[own][order]
        as_good = signals >= signals[:PASSAGES][-1]
        signal_of = dict(zip(chunk_ids.tolist(), signals.tolist(), strict=True))
        records = snapshot.candidates(chunk_ids[as_good][:LOOKED_UP]).values()
        best = sorted(records, key=lambda r: (-signal_of[r.chunk_id], r.char_start, r.key))[:PASSAGES]
        ledger.admit(stage, best)
        added += [record.chunk_id for record in best]
    return np.array(sorted(added), dtype=np.int64)


def _own_parts(ledger: Ledger, candidate: Candidate, fusion: Fusion, highest: Mapping[str, float]) -> dict[str, float]:
    """What the fusion would have given an added candidate, with the maxima that it had.

    Where the ranking was averaged since, it stands behind the head, whose rest was damped.
    """
    for leg, signal in candidate.legs.items():
        signal.normalized = normalized_by(highest[leg], signal.score)
    parts = fusion.parts(candidate, LEGS_OF_MODE[ledger.request.mode])
    damped = 1 - neighborhood.WEIGHT if "neighborhood" in ledger.rescored_by else 1.0
    return {leg: round(damped * part, 6) for leg, part in parts.items()}


def _rank(ledger: Ledger, walk: _Walk, chosen: Sequence[int], own: Mapping[int, Mapping[str, float]]) -> int:
    """Ranks anew what is live; returns how many documents were lifted that were candidates before."""
    before = {
        candidate.record.chunk_id: dict(own[candidate.record.chunk_id])
        if candidate.record.chunk_id in own
        else {_last_stage(candidate): candidate.score}
        for candidate in ledger.live()
    }
    best: dict[int, float] = {}
    for chunk_id, parts in before.items():
        document_id = ledger.candidates[chunk_id].record.document_id
        best[document_id] = max(best.get(document_id, float("-inf")), round(sum(parts.values()), 6))
    bonus = _bonus(walk, chosen, best)
    if not own and not any(bonus.values()):
        return 0
    for chunk_id, parts in before.items():
        parts["graph"] = bonus.get(ledger.candidates[chunk_id].record.document_id, 0.0)
    ledger.rescore("graph", before)
    added = {ledger.candidates[chunk_id].record.document_id for chunk_id in own}
    return sum(gain > 0 and document_id not in added for document_id, gain in bonus.items())


def _bonus(walk: _Walk, chosen: Sequence[int], best: Mapping[int, float]) -> dict[int, float]:
    """What the links add to each passage of a chosen document; `best` has the score of every document's best one."""
    bonus: dict[int, float] = {}
    for document_id in chosen:
        if document_id in walk.successors:
            target = max(best[seed] for seed in walk.successors[document_id]) + STEP
        else:
            seed = best[walk.seed_of[document_id]]
            target = min(best[document_id] + SHARE * max(seed, 0.0), seed - STEP)
        bonus[document_id] = round(max(0.0, target - best[document_id]), 6)
    return bonus


def _last_stage(candidate: Candidate) -> str:
    return next(reversed(candidate.rescored), "fuse")
