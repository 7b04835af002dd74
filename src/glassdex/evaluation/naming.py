"""Names of documents, looked up by the thousand: what `storage.names.document_by_name` answers, from one table.

A test collection names tens of thousands of documents; comparing each name with each path would take minutes.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePosixPath

from glassdex.errors import DocumentAmbiguous, DocumentNotFound
from glassdex.model import folded_name
from glassdex.storage.names import MAX_CANDIDATES, document_by_name, path_in_project
from glassdex.storage.protocol import Snapshot

_EXPLAINED = 20
"""Names that are not found get their near misses so often; that takes a moment each."""


class Names:
    """Documents by what they are called; the same order of preference as for a single name."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._roots = snapshot.roots()
        self._explained = 0
        self._paths = snapshot.document_paths()
        self._exact = {path: document_id for document_id, path in self._paths.items()}
        self._folded: dict[str, set[int]] = defaultdict(set)
        self._endings: dict[str, set[int]] = defaultdict(set)
        self._titles: dict[str, set[int]] = defaultdict(set)
        for document_id, path in self._paths.items():
            folded = folded_name(path)
            parts = folded.split("/")
            self._folded[folded].add(document_id)
            for start in range(1, len(parts)):
                self._endings["/".join(parts[start:])].add(document_id)
            self._endings[PurePosixPath(folded).stem].add(document_id)
        for document_id, title in snapshot.titles().items():
            self._titles[folded_name(title)].add(document_id)

    def path_of(self, reference: str) -> str:
        """The path of the one document that is called so.

        Raises:
            DocumentNotFound: none.
            DocumentAmbiguous: several; the candidates are their paths.
        """
        named = path_in_project(self._roots, reference)
        for path in (reference, named):
            if path in self._exact:
                return path
        wanted = folded_name(named)
        for table in (self._folded, self._endings, self._titles):
            found = table.get(wanted, set())
            if len(found) == 1:
                return self._paths[next(iter(found))]
            if found:
                candidates = sorted(self._paths[document_id] for document_id in found)
                raise DocumentAmbiguous(
                    f"{reference[:200]!r} names {len(found)} documents",
                    "give more of the path",
                    candidates[:MAX_CANDIDATES],
                )
        self._explained += 1
        if self._explained <= _EXPLAINED:
            return document_by_name(self._snapshot, reference)[1]
        raise DocumentNotFound(f"no document is called {reference[:200]!r}")
