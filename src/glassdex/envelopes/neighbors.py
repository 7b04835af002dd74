"""`glassdex.neighbors/1`: the nearest chunks of a chunk."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from glassdex.envelopes.base import Envelope, Part
from glassdex.envelopes.shared import LocatorPart
from glassdex.search.neighbors import Neighbor, Neighbors


class AskedChunk(Part):
    """The chunk whose neighbours these are; `embedded_now`: its vector was made for the asking and is not kept."""

    chunk_key: str
    pointer: str
    document: str
    embedded_now: bool


class NeighborPart(Part):
    """A chunk near it; `similarity` is the cosine of the vectors.

    `near_duplicate` marks one of at least .95 in another document.
    """

    chunk_key: str
    pointer: str
    document: str
    title: str
    locator: LocatorPart
    similarity: float
    near_duplicate: bool | None = None
    text: str

    @classmethod
    def of(cls, neighbor: Neighbor) -> NeighborPart:
        """From the engine."""
        return cls(
            chunk_key=neighbor.chunk_key,
            pointer=neighbor.pointer,
            document=neighbor.path,
            title=neighbor.title,
            locator=LocatorPart.of(neighbor.locator),
            similarity=neighbor.similarity,
            near_duplicate=True if neighbor.near_duplicate else None,
            text=neighbor.text,
        )


class NeighborsAnswer(Envelope):
    """Nearest first; `scope_total` counts the chunks with a vector that were compared."""

    schema_: Literal["glassdex.neighbors/1"] = Field("glassdex.neighbors/1", alias="schema")
    chunk: AskedChunk
    scope_total: int
    neighbors: tuple[NeighborPart, ...]


def neighbors_answer(found: Neighbors) -> NeighborsAnswer:
    """The envelope of a chunk's neighbours."""
    return NeighborsAnswer(
        chunk=AskedChunk(
            chunk_key=found.chunk_key,
            pointer=found.pointer,
            document=found.path,
            embedded_now=found.embedded_now,
        ),
        scope_total=found.scope_total,
        neighbors=tuple(NeighborPart.of(neighbor) for neighbor in found.neighbors),
    )
