"""Which document a link means: paths and names as authors write them, resolved within one project.

Resolutions are never stored. They are worked out from the names and links of one generation, so that a link is
resolved to nothing that is gone, and to what it names as soon as that is there.

A target is looked up in this order, and the first reading that finds anything decides: the path from the linking
file's folder, the path from the root folder, the path in the project, the file's name (or the end of its path), the
title, a permalink or alias of the front matter. In paths and names the file's ending may be left out. A target that
begins with `/`, `./` or `../` is a path and nothing else. Names are compared in NFC and without case, whole and never
by a part. Of several documents the one in the linking file's folder is meant, then the one that is spelled exactly so,
then the one in Markdown; else the link is ambiguous.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal
from urllib.parse import unquote

from glassdex.model import folded_name
from glassdex.storage.records import NamedDocument

LinkState = Literal["resolved", "unresolved", "ambiguous"]
MAX_READINGS = 12
"""Of one target: with and without what stands behind each `#`, as it is written and percent-decoded."""
MAX_CANDIDATES = 10
"""Of an ambiguous link, those that are told by name; how many there are is always known."""
# A scheme alone is not enough: "ADR: storage" may be a title.
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*://|//|(?:mailto|tel|sms|data|javascript|about|urn|doi|magnet|news):", re.I)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a link means: one document, none, or any of `total` (`document_ids` has the first ten by path)."""

    state: LinkState
    document_ids: tuple[int, ...] = ()
    total: int = 0
    # Shared by all links that mean the same documents, never copied for each.
    _all: Collection[int] = field(default=(), repr=False, compare=False)

    @property
    def document_id(self) -> int | None:
        """The document of a resolved link."""
        return self.document_ids[0] if self.state == "resolved" else None

    def may_mean(self, document_id: int) -> bool:
        """Whether the document is meant, or is one of those that may be."""
        return document_id in self._all


UNRESOLVED = Resolution("unresolved")


class _Found:
    """The documents that one name finds, and what each spelling of it means from where.

    Only the preference for the linking file's folder depends on where a link stands: whatever else is worked out once,
    however many documents and links there are of one name.
    """

    def __init__(self, documents: Mapping[int, NamedDocument], ids: Iterable[int]) -> None:
        self._documents = documents
        self._all = frozenset(ids)
        self._only: Resolution | None = None
        self._by_folder: dict[str, list[int]] = {}
        self._meant: dict[tuple[str, str | None], Resolution] = {}
        if len(self._all) == 1:
            self._only = Resolution("resolved", tuple(self._all), 1, self._all)
            return
        for id_ in self._all:
            self._by_folder.setdefault(_folder(documents[id_].path), []).append(id_)

    def meant(self, folder: str, written: str) -> Resolution:
        """The one that is meant, if the reader of a notes program would expect it."""
        if self._only is not None:
            return self._only
        key = (written, folder if folder in self._by_folder else None)
        if key not in self._meant:
            self._meant[key] = self._chosen(self._by_folder.get(folder, self._all), written)
        return self._meant[key]

    def _chosen(self, found: Collection[int], written: str) -> Resolution:
        left = found
        for preferred in (
            lambda document: _is_spelled(document, written),
            lambda document: document.format == "markdown",
        ):
            if len(left) > 1:
                chosen = [id_ for id_ in left if preferred(self._documents[id_])]
                left = chosen if 0 < len(chosen) < len(left) else left
        first = heapq.nsmallest(MAX_CANDIDATES, left, key=lambda id_: self._documents[id_].path)
        state: LinkState = "resolved" if len(left) == 1 else "ambiguous"
        return Resolution(state, tuple(first), len(left), left if left is self._all else frozenset(left))


class _Names:
    """Documents by one sort of name, compared folded."""

    def __init__(self, documents: Mapping[int, NamedDocument]) -> None:
        self._documents = documents
        self._ids: dict[str, list[int]] = {}
        self._found: dict[str, _Found] = {}

    def add(self, name: str, document_id: int) -> None:
        self._ids.setdefault(name, []).append(document_id)

    def get(self, name: str) -> _Found | None:
        """Those of a name; the same object whenever it is asked for."""
        ids = self._ids.get(name)
        if not ids:
            return None
        if name not in self._found:
            self._found[name] = _Found(self._documents, ids)
        return self._found[name]


class _Endings:
    """Documents by the end of their path, with and without the file's ending.

    Paths are kept backwards and sorted: those of one end stand together, and none of the others is looked at.
    """

    def __init__(self, documents: Mapping[int, NamedDocument], paths: Iterable[tuple[str, int]]) -> None:
        self._documents = documents
        # Sorted by the path alone: a bisection by prefix needs no more.
        self._backwards = sorted((f"/{path}"[::-1], id_) for path, id_ in paths)
        self._found: dict[tuple[int, int], _Found] = {}

    def get(self, ending: str) -> _Found | None:
        """Those whose path is `ending` or ends in it after a `/`."""
        prefix = f"/{ending}"[::-1]

        def beginning(entry: tuple[str, int]) -> str:
            return entry[0][: len(prefix)]

        low = bisect_left(self._backwards, prefix, key=beginning)
        high = bisect_right(self._backwards, prefix, lo=low, key=beginning)
        if low == high:
            return None
        if (low, high) not in self._found:
            self._found[low, high] = _Found(self._documents, (id_ for _, id_ in self._backwards[low:high]))
        return self._found[low, high]


class LinkResolver:
    """Resolves targets among the documents of one project and generation."""

    def __init__(self, documents: Iterable[NamedDocument]) -> None:
        self.documents = {document.document_id: document for document in documents}
        self._paths, self._bare_paths = _Names(self.documents), _Names(self.documents)
        self._titles, self._other_names = _Names(self.documents), _Names(self.documents)
        self._known: dict[tuple[str, str, str], Resolution | None] = {}
        ends: list[tuple[str, int]] = []
        for id_, document in self.documents.items():
            path = _folded(document.path)
            bare = _without_ending(path)
            self._paths.add(path, id_)
            self._bare_paths.add(bare, id_)
            ends += [(name, id_) for name in {path, bare}]
            self._titles.add(_folded(_spaced(document.title)), id_)
            for name in {_folded(_spaced(name)) for name in document.other_names}:
                self._other_names.add(name, id_)
        self._endings = _Endings(self.documents, ends)

    def resolve(self, source_id: int, target: str) -> Resolution | None:
        """What `target`, written in the document `source_id`, means; `None` for what points to no document at all.

        That is an address outside the project (`https://…`) and a place within the same document (`#heading`).
        """
        if _EXTERNAL.match(target.strip()) or not target.partition("#")[0].strip():
            return None
        source = self.documents[source_id]
        folder = _folder(source.path)
        key = (source.root_label, folder, target)
        if key not in self._known:
            self._known[key] = self._resolved(source.root_label, folder, target)
        return self._known[key]

    def _resolved(self, label: str, folder: str, target: str) -> Resolution:
        for written in islice(_readings(target), MAX_READINGS):
            for found in self._candidates(label, folder, written):
                if found is not None:
                    return found.meant(folder, written)
        return UNRESOLVED

    def _candidates(self, label: str, folder: str, written: str) -> Iterator[_Found | None]:
        """Each reading of a target, the surest first."""
        slashed = written.replace("\\", "/")
        prefix = f"{label}/" if label else ""
        within = folder.removeprefix(label).removeprefix("/") if label else folder
        if not slashed.startswith("/"):
            yield from self._at(prefix, _joined(within, slashed))
        if slashed.startswith(("./", "../")):
            return
        yield from self._at(prefix, _joined("", slashed))
        if prefix:
            yield from self._at("", _joined("", slashed))
        if slashed.startswith("/"):
            return
        yield self._endings.get(_folded(slashed))
        name = _folded(_spaced(written))
        yield self._titles.get(name)
        yield self._other_names.get(name)

    def _at(self, prefix: str, path: str | None) -> Iterator[_Found | None]:
        if path:
            folded = _folded(prefix + path)
            yield self._paths.get(folded)
            yield self._bare_paths.get(folded)


def other_names(metadata: Mapping[str, object]) -> tuple[str, ...]:
    """The names that front matter gives a document besides its title: its permalink and its aliases."""
    found: list[str] = []
    for key, value in metadata.items():
        if key.casefold() in ("permalink", "alias", "aliases"):
            found += [str(name) for name in (value if isinstance(value, list) else [value]) if name]
    return tuple(found)


def _readings(target: str) -> Iterator[str]:
    """The target as it is written, then without what may be a heading or a query; the same percent-decoded."""
    decoded = unquote(target) if "%" in target else target
    for text in dict.fromkeys((target, decoded)):
        rest = text.strip()
        while rest:
            yield rest
            rest, mark, _ = rest.rpartition("#")
            rest = rest.rstrip() if mark else ""
        page, mark, _ = text.partition("?")
        if mark and page.strip():
            yield page.strip()


def _joined(folder: str, written: str) -> str | None:
    """`written` from `folder` on, `.` and `..` taken away; nothing where it leaves the root."""
    parts = folder.split("/") if folder else []
    for part in written.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _without_ending(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    return folder + slash + (stem if dot and stem else name)


def _ends_in(path: str, ending: str) -> bool:
    return any(text == ending or text.endswith("/" + ending) for text in (path, _without_ending(path)))


def _is_spelled(document: NamedDocument, written: str) -> bool:
    """Whether the name stands there as it was written, letter by letter."""
    return written in (document.title, *document.other_names) or _ends_in(document.path, written)


def _spaced(name: str) -> str:
    return " ".join(name.split())


def _folded(name: str) -> str:
    return name.lower() if name.isascii() else folded_name(name)
