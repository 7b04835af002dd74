"""Glassdex: a local-first hybrid retrieval engine that you can see through.

>>> import glassdex
>>> with glassdex.Project.in_memory("examples/vault") as project:
...     report = project.index()
...     execution = project.search("why is the embedding model swappable")
...     execution.results[0].matches[0].pointer
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassdex.context.packed import Context, ContextPassage
    from glassdex.embedding.protocol import Embedder, EmbeddingIdentity
    from glassdex.errors import GlassdexError
    from glassdex.indexing.run import IndexReport
    from glassdex.inspection.chunks import DocumentChunks
    from glassdex.inspection.execution import Execution
    from glassdex.inspection.ladder import WhyNot
    from glassdex.inspection.links import DocumentLinks
    from glassdex.inspection.misses import Misses
    from glassdex.inspection.passage import Passage
    from glassdex.inspection.sessions.listing import SessionList
    from glassdex.inspection.sessions.show import SessionMessage, SessionPage
    from glassdex.inspection.status import Status
    from glassdex.project import Project
    from glassdex.search.neighbors import Neighbors
    from glassdex.search.request import SearchRequest
    from glassdex.search.results import Match, Result
    from glassdex.search.verdict import Verdict
    from glassdex.several.execution import SeveralExecution
    from glassdex.several.projects import Projects

__version__ = "0.1.0"
__all__ = [
    "Context",
    "ContextPassage",
    "DocumentChunks",
    "DocumentLinks",
    "Embedder",
    "EmbeddingIdentity",
    "Execution",
    "GlassdexError",
    "IndexReport",
    "Match",
    "Misses",
    "Neighbors",
    "Passage",
    "Project",
    "Projects",
    "Result",
    "SearchRequest",
    "SessionList",
    "SessionMessage",
    "SessionPage",
    "SeveralExecution",
    "Status",
    "Verdict",
    "WhyNot",
]

_HOMES = {
    "Context": "context.packed",
    "ContextPassage": "context.packed",
    "DocumentChunks": "inspection.chunks",
    "DocumentLinks": "inspection.links",
    "Embedder": "embedding.protocol",
    "EmbeddingIdentity": "embedding.protocol",
    "Execution": "inspection.execution",
    "GlassdexError": "errors",
    "IndexReport": "indexing.run",
    "Match": "search.results",
    "Misses": "inspection.misses",
    "Neighbors": "search.neighbors",
    "Passage": "inspection.passage",
    "Project": "project",
    "Projects": "several.projects",
    "Result": "search.results",
    "SearchRequest": "search.request",
    "SessionList": "inspection.sessions.listing",
    "SessionMessage": "inspection.sessions.show",
    "SessionPage": "inspection.sessions.show",
    "SeveralExecution": "several.execution",
    "Status": "inspection.status",
    "Verdict": "search.verdict",
    "WhyNot": "inspection.ladder",
}


def __getattr__(name: str) -> object:
    # Loaded on first use: `glassdex --help` must not pay for numpy.
    if name in _HOMES:
        return getattr(importlib.import_module(f"glassdex.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'glassdex' has no attribute {name!r}")
