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

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from urllib.parse import unquote

from glassdex.model import folded_name
from glassdex.storage.records import NamedDocument

LinkState = Literal["resolved", "unresolved", "ambiguous"]
MAX_READINGS = 12
"""Of one target: with and without what stands behind each `#`, as it is written and percent-decoded."""
# A scheme alone is not enough: "ADR: storage" may be a title.
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*://|//|(?:mailto|tel|sms|data|javascript|about|urn|doi|magnet|news):", re.I)


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a link means: one document, none, or any of several (ids ordered by path)."""

    state: LinkState
    document_ids: tuple[int, ...] = ()

    @property
    def document_id(self) -> int | None:
        """The document of a resolved link."""
        return self.document_ids[0] if self.state == "resolved" else None


UNRESOLVED = Resolution("unresolved")


class LinkResolver:
    """Resolves targets among the documents of one project and generation."""

    def __init__(self, documents: Iterable[NamedDocument]) -> None:
        self.documents = {document.document_id: document for document in documents}
        self._paths: dict[str, list[int]] = {}
        self._bare_paths: dict[str, list[int]] = {}
        self._file_names: dict[str, list[int]] = {}
        self._titles: dict[str, list[int]] = {}
        self._other_names: dict[str, list[int]] = {}
        self._known: dict[tuple[str, str, str], Resolution | None] = {}
        for id_, document in self.documents.items():
            path = _folded(document.path)
            bare = _without_ending(path)
            self._paths.setdefault(path, []).append(id_)
            self._bare_paths.setdefault(bare, []).append(id_)
            for name in {path.rpartition("/")[2], bare.rpartition("/")[2]}:
                self._file_names.setdefault(name, []).append(id_)
            self._titles.setdefault(_folded(_spaced(document.title)), []).append(id_)
            for name in {_folded(_spaced(name)) for name in document.other_names}:
                self._other_names.setdefault(name, []).append(id_)

    def resolve(self, source_id: int, target: str) -> Resolution | None:
        """What `target`, written in the document `source_id`, means; `None` for what points to no document at all.

        That is an address outside the project (`https://…`) and a place within the same document (`#heading`).
        """
        if _EXTERNAL.match(target.strip()) or not target.partition("#")[0].strip():
            return None
        source = self.documents[source_id]
        folder = source.path.rpartition("/")[0]
        key = (source.root_label, folder, target)
        if key not in self._known:
            self._known[key] = self._resolved(source.root_label, folder, target)
        return self._known[key]

    def _resolved(self, label: str, folder: str, target: str) -> Resolution:
        for written in islice(_readings(target), MAX_READINGS):
            for found in self._candidates(label, folder, written):
                if found:
                    return self._chosen(found, folder, written)
        return UNRESOLVED

    def _candidates(self, label: str, folder: str, written: str) -> Iterator[Sequence[int]]:
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
        ending = _folded(slashed)
        yield [
            id_
            for id_ in self._file_names.get(ending.rpartition("/")[2], ())
            if _ends_in(_folded(self.documents[id_].path), ending)
        ]
        name = _folded(_spaced(written))
        yield self._titles.get(name, ())
        yield self._other_names.get(name, ())

    def _at(self, prefix: str, path: str | None) -> Iterator[Sequence[int]]:
        if path:
            folded = _folded(prefix + path)
            yield self._paths.get(folded, ())
            yield self._bare_paths.get(folded, ())

    def _chosen(self, found: Sequence[int], folder: str, written: str) -> Resolution:
        """The one that is meant, if the reader of a notes program would expect it."""
        left = list(found)
        for preferred in (
            lambda document: document.path.rpartition("/")[0] == folder,
            lambda document: _is_spelled(document, written),
            lambda document: document.format == "markdown",
        ):
            if len(left) > 1:
                left = [id_ for id_ in left if preferred(self.documents[id_])] or left
        if len(left) == 1:
            return Resolution("resolved", tuple(left))
        return Resolution("ambiguous", tuple(sorted(left, key=lambda id_: self.documents[id_].path)))


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
