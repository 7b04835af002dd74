"""All projects at a glance; a store that cannot be opened is listed with its error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProjectListing:
    """A project's name, folders and sizes; or the error of its store."""

    name: str
    roots: tuple[str, ...] = ()
    documents: int = 0
    chunks: int = 0
    pending: int = 0
    store_bytes: int = 0
    error: str | None = None
