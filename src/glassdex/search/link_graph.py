"""The links between a project's documents, resolved for one generation: who leads where, and by which route."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from glassdex.model import LinkRoute
from glassdex.storage.protocol import Snapshot

if TYPE_CHECKING:
    from glassdex.storage.links import LinkResolver

Route = Literal["successor", "related", "mention"]
ROUTES: tuple[Route, ...] = ("successor", "related", "mention")
Direction = Literal["out", "in"]
REPLACES = frozenset({"supersedes", "supercedes", "replaces", "obsoletes", "succeeds", "successor_of"})
"""Kinds by which a document says that it stands in the place of another; without case, words joined by `_`."""
REPLACED_BY = frozenset({"superseded_by", "superceded_by", "replaced_by", "obsoleted_by", "succeeded_by", "successor"})
"""Kinds by which a document names what stands in its place; a leading `is` or `has` does not matter."""
_WORDS = re.compile(r"[A-Z]?[^\W_A-Z]+|[A-Z]+(?![a-z])")


class Edge(NamedTuple):
    """A link as seen from one of its two documents: where it leads, and which of the two states it (`out`: this one).

    The route is `successor` where the other document stands in the place of this one, whoever says so.
    """

    document_id: int
    route: Route
    kind: str
    direction: Direction


class LinkGraph:
    """Every link that means exactly one other document, from both of its ends."""

    def __init__(self, snapshot: Snapshot, resolver: LinkResolver) -> None:
        self._resolver = resolver
        self._out: dict[int, list[Edge]] = {}
        self._in: dict[int, list[Edge]] = {}
        self._successors: dict[int, list[Edge]] = {}
        for link in snapshot.links():
            source = link.document_id
            resolution = self._resolver.resolve(source, link.target)
            target = resolution.document_id if resolution is not None else None
            if target is None or target == source:
                continue
            self._add(self._out, source, Edge(target, route_of(link.route, link.kind, "out"), link.kind, "out"))
            self._add(self._in, target, Edge(source, route_of(link.route, link.kind, "in"), link.kind, "in"))

    def _add(self, side: dict[int, list[Edge]], document_id: int, edge: Edge) -> None:
        side.setdefault(document_id, []).append(edge)
        if edge.route == "successor":
            self._successors.setdefault(document_id, []).append(edge)

    def path(self, document_id: int) -> str:
        """A document's path."""
        return self._resolver.documents[document_id].path

    def edges(self, document_id: int) -> Iterator[Edge]:
        """The links of a document, its own first, in the order in which they are written."""
        yield from self._out.get(document_id, ())
        yield from self._in.get(document_id, ())

    def successors(self, document_id: int) -> Sequence[Edge]:
        """Those of its links that lead to what stands in its place."""
        return self._successors.get(document_id, ())


class LinkGraphCache:
    """The links of one generation, kept between the searches and inspections of a process."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._generation: int | None = None
        self._resolver: LinkResolver | None = None
        self._graph: LinkGraph | None = None

    def resolver(self, snapshot: Snapshot) -> LinkResolver:
        """What resolves the targets of the snapshot's generation; it remembers what it resolved."""
        with self._guard:
            from glassdex.storage.links import LinkResolver  # a search that follows no link needs none

            if self._resolver is None or self._generation != snapshot.generation:
                self._resolver, self._graph = LinkResolver(snapshot.named_documents()), None
                self._generation = snapshot.generation
            return self._resolver

    def get(self, snapshot: Snapshot) -> LinkGraph:
        """The graph of the snapshot's generation."""
        with self._guard:
            resolver = self.resolver(snapshot)
            if self._graph is None:
                self._graph = LinkGraph(snapshot, resolver)
            return self._graph


@lru_cache(maxsize=10_000)  # few kinds occur
def route_of(written: LinkRoute, kind: str, direction: Direction) -> Route:
    """How a link is followed, from the document that states it (`out`) or from the one that it means (`in`)."""
    if written in ("wikilink", "link"):
        return "mention"
    words = [word.casefold() for word in _WORDS.findall(kind)]
    name = "_".join(words[1:] if words[:1] in (["is"], ["has"]) else words)
    return "successor" if name in (REPLACED_BY if direction == "out" else REPLACES) else "related"
