"""`glassdex.links/1`: the links of a document, or those of a project that do not mean exactly one document."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.inspection.links import DocumentLinks, LinkView, ProjectLinks


class LinkPart(Part):
    """A link as the document `source` states it on `line` (1-based); kind, target and label are verbatim.

    `route` is the way in which it is written. A resolved one leads to `path`, an ambiguous one may mean any of the
    `candidates` (the first ten by path, of `candidates_total`). `followed_as`: what an expanded search makes of it,
    seen from the document that was asked about, or else from the one that states it; absent where it leads to no other
    document.
    """

    source: str
    route: Literal["relation", "wikilink", "link", "front_matter"]
    kind: str
    target: str
    label: str | None = None
    context: str | None = None
    line: int
    state: Literal["resolved", "unresolved", "ambiguous"]
    path: str | None = None
    candidates: tuple[str, ...] | None = None
    candidates_total: int | None = None
    followed_as: Literal["successor", "related", "mention"] | None = None

    @classmethod
    def of(cls, link: LinkView) -> LinkPart:
        """From the inspection."""
        return cls(
            source=link.source,
            route=link.route,
            kind=link.kind,
            target=link.target,
            label=link.label,
            context=link.context,
            line=link.line,
            state=link.state,
            path=link.path,
            candidates=link.candidates or None,
            candidates_total=link.candidates_total or None,
            followed_as=link.followed_as,
        )


class LinkedDocument(Part):
    """The document that was asked about."""

    path: str
    title: str


class LinkCounts(Part):
    """Links to documents by state; addresses outside the project are none."""

    total: int
    resolved: int
    unresolved: int
    ambiguous: int


class LinksAnswer(Envelope):
    """Of a document: `outgoing` in its order, `incoming` with those that may mean it among others.

    Of a project: `counts`, and in `open` the unresolved and ambiguous ones by path and line; `truncated` counts those
    that the limit left out.
    """

    schema_: Literal["glassdex.links/1"] = Field("glassdex.links/1", alias="schema")
    document: LinkedDocument | None = None
    outgoing: tuple[LinkPart, ...] | None = None
    incoming: tuple[LinkPart, ...] | None = None
    counts: LinkCounts | None = None
    open: tuple[LinkPart, ...] | None = None
    truncated: int | None = None


def document_links_answer(found: DocumentLinks) -> LinksAnswer:
    """The envelope of a document's links."""
    return LinksAnswer(
        document=LinkedDocument(path=found.path, title=found.title),
        outgoing=tuple(map(LinkPart.of, found.outgoing)),
        incoming=tuple(map(LinkPart.of, found.incoming)),
    )


def project_links_answer(found: ProjectLinks) -> LinksAnswer:
    """The envelope of a project's open links."""
    return LinksAnswer(
        counts=LinkCounts(
            total=found.total, resolved=found.resolved, unresolved=found.unresolved, ambiguous=found.ambiguous
        ),
        open=tuple(map(LinkPart.of, found.listed)),
        truncated=found.unresolved + found.ambiguous - len(found.listed),
    )
