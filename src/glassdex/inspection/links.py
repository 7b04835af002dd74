"""The links of a document, or of a project: where each leads, and which lead nowhere or to one of several.

They are resolved when they are looked at; see `glassdex.storage.links` for what a target may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from glassdex.inspection.find_document import find_document
from glassdex.model import LinkRoute
from glassdex.search.link_graph import Direction, Route, route_of
from glassdex.storage.links import LinkResolver, LinkState, Resolution
from glassdex.storage.protocol import Snapshot
from glassdex.storage.records import LinkRecord
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link as the document `source` states it on `line` (1-based): the route is the way in which it is written.

    `kind`, `target` and `label` are verbatim. A resolved one leads to `path`; an ambiguous one may mean any of the
    `candidates` (the first ten, by path, of `candidates_total`). `followed_as` says what an expanded search makes of
    it, seen from the document that was asked about, or else from the one that states it; absent where it leads to no
    other document.
    """

    source: str
    route: LinkRoute
    kind: str
    target: str
    label: str | None
    context: str | None
    line: int
    state: LinkState
    path: str | None
    candidates: tuple[str, ...]
    candidates_total: int
    followed_as: Route | None


@dataclass(frozen=True, slots=True)
class DocumentLinks:
    """A document's own links in their order, and those of others that lead to it, or may, by path and line."""

    path: str
    title: str
    outgoing: tuple[LinkView, ...]
    incoming: tuple[LinkView, ...]

    def only_open(self) -> DocumentLinks:
        """The same with only those that do not mean exactly one document."""
        outgoing, incoming = (
            tuple(link for link in links if link.state != "resolved") for links in (self.outgoing, self.incoming)
        )
        return DocumentLinks(self.path, self.title, outgoing, incoming)


@dataclass(frozen=True, slots=True)
class ProjectLinks:
    """How many links to documents a project has, by state, and the first of those that do not mean exactly one."""

    total: int
    resolved: int
    unresolved: int
    ambiguous: int
    listed: tuple[LinkView, ...]


def document_links(snapshot: SqliteSnapshot, reference: str, resolver: LinkResolver) -> DocumentLinks:
    """The links of the document that a reference means; `resolver` is that of the snapshot's generation.

    Raises:
        DocumentNotFound, DocumentAmbiguous, ChunkNotFound, InvalidRequest: see `find_document`.
    """
    found = find_document(snapshot, reference)
    outgoing: list[LinkView] = []
    incoming: list[LinkView] = []
    for link, resolution in _resolved(snapshot, resolver):
        if link.document_id == found.document_id:
            outgoing.append(_view(link, resolution, resolver, "out"))
        elif resolution.may_mean(found.document_id):
            incoming.append(_view(link, resolution, resolver, "in"))
    incoming.sort(key=lambda link: (link.source, link.line))
    title = resolver.documents[found.document_id].title
    return DocumentLinks(found.path, title, tuple(outgoing), tuple(incoming))


def project_links(snapshot: Snapshot, resolver: LinkResolver, limit: int) -> ProjectLinks:
    """The links of a project that do not mean exactly one document, by path and line, `limit` of them at most.

    `resolver` is that of the snapshot's generation.
    """
    states: Counter[LinkState] = Counter()
    open_ones: list[tuple[LinkRecord, Resolution]] = []
    for link, resolution in _resolved(snapshot, resolver):
        states[resolution.state] += 1
        if resolution.state != "resolved":
            open_ones.append((link, resolution))
    open_ones.sort(key=lambda pair: (resolver.documents[pair[0].document_id].path, pair[0].line))
    return ProjectLinks(
        total=states.total(),
        resolved=states["resolved"],
        unresolved=states["unresolved"],
        ambiguous=states["ambiguous"],
        listed=tuple(_view(link, resolution, resolver, "out") for link, resolution in open_ones[:limit]),
    )


def _resolved(snapshot: Snapshot, resolver: LinkResolver) -> Iterator[tuple[LinkRecord, Resolution]]:
    """Every link that is meant for a document."""
    for link in snapshot.links():
        resolution = resolver.resolve(link.document_id, link.target)
        if resolution is not None:
            yield link, resolution


def _view(link: LinkRecord, resolution: Resolution, resolver: LinkResolver, seen_from: Direction) -> LinkView:
    target = resolution.document_id
    named = tuple(resolver.documents[id_].path for id_ in resolution.document_ids)
    return LinkView(
        source=resolver.documents[link.document_id].path,
        route=link.route,
        kind=link.kind,
        target=link.target,
        label=link.label,
        context=link.context,
        line=link.line,
        state=resolution.state,
        path=None if target is None else named[0],
        candidates=named if target is None else (),
        candidates_total=resolution.total if target is None else 0,
        followed_as=None if target in (None, link.document_id) else route_of(link.route, link.kind, seen_from),
    )
