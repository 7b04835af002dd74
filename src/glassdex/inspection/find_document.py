"""What a person means by a document: a path, the end of one, a file name, a title, a pointer or a chunk key.

Names are compared in NFC and without case; never by a part of a name.
"""

from __future__ import annotations

import difflib
import re
import shlex
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from glassdex.errors import ChunkNotFound, DocumentAmbiguous, DocumentNotFound, InvalidPointer, InvalidRequest
from glassdex.indexing.scan import document_path
from glassdex.model import folded_name
from glassdex.pointers import parse_pointer
from glassdex.storage.records import RootRecord
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

_CHUNK_KEY = re.compile(r"[a-z]+:[0-9a-f]{16}:\d+")
MAX_CANDIDATES = 10


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document, and the chunk that the reference named, if it named one.

    `passage_lost`: the reference is a pointer, and the index has its document but not its passage.
    """

    document_id: int
    path: str
    chunk_id: int | None = None
    passage_lost: bool = False


def find_document(snapshot: SqliteSnapshot, reference: str) -> FoundDocument:
    """The one document that a reference means.

    Raises:
        DocumentNotFound: none; the candidates are near misses.
        DocumentAmbiguous: several; the candidates are their paths.
        ChunkNotFound: a chunk key that the index does not have.
        InvalidRequest: the reference is empty.
    """
    if not reference.strip():
        raise InvalidRequest("no document is named", "give a path, a title, a pointer or a chunk key")
    if _CHUNK_KEY.fullmatch(reference):
        return _by_chunk_key(snapshot, reference)
    try:
        pointer = parse_pointer(reference)
    except InvalidPointer:
        return _by_name(snapshot, reference)
    document = _by_name(snapshot, pointer.path)
    alike = [
        chunk
        for chunk in snapshot.document_chunks(document.document_id)
        if chunk.row_key and chunk.key.split(":")[1].startswith(pointer.passage_hash)
    ]
    # The same words may stand in a document twice: the place that the pointer names goes first.
    nearest = min(alike, key=lambda chunk: abs(chunk.char_start - (pointer.char_start or 0)), default=None)
    chunk_id = nearest.chunk_id if nearest else None
    return FoundDocument(document.document_id, document.path, chunk_id, passage_lost=nearest is None)


def project_of(reference: str) -> str | None:
    """The project that a pointer names; none for one without, and for every other reference."""
    try:
        return parse_pointer(reference).project
    except InvalidPointer:
        return None


def find_chunk(snapshot: SqliteSnapshot, reference: str) -> FoundDocument:
    """The one chunk that a chunk key or a pointer means; `chunk_id` is set.

    Raises:
        ChunkNotFound: there is none, or the reference names only a document.
    """
    try:
        found = find_document(snapshot, reference)
    except DocumentNotFound as error:
        raise ChunkNotFound(
            f"{reference!r} is no pointer and no chunk key",
            "search prints pointers; all of a note's pointers and keys: glassdex inspect chunks NOTE",
        ) from error
    if found.chunk_id is None or not snapshot.chunks([found.chunk_id]):
        raise ChunkNotFound(
            f"{reference!r} names no chunk of the index",
            f"its chunks: glassdex inspect chunks {shlex.quote(found.path)}",
        )
    return found


def _by_chunk_key(snapshot: SqliteSnapshot, key: str) -> FoundDocument:
    found = snapshot.chunks_with_key(key)
    paths = snapshot.document_paths()
    if not found:
        raise ChunkNotFound(f"no chunk has the key {key}", "keys change with the text: search again for a current one")
    if len(found) > 1:
        candidates = sorted(paths[document_id] for document_id, _ in found)
        raise DocumentAmbiguous(
            f"the passage {key} stands in {len(found)} documents", "use a pointer", candidates[:MAX_CANDIDATES]
        )
    document_id, chunk_id = found[0]
    return FoundDocument(document_id, paths[document_id], chunk_id)


def _by_name(snapshot: SqliteSnapshot, reference: str) -> FoundDocument:
    named = path_in_project(snapshot.roots(), reference)
    wanted = folded_name(named)
    originals = snapshot.document_paths()
    paths = {document_id: folded_name(path) for document_id, path in originals.items()}
    titles = {document_id: folded_name(title) for document_id, title in snapshot.titles().items()}
    readings: tuple[Callable[[int], bool], ...] = (
        lambda document_id: originals[document_id] in (reference, named),
        lambda document_id: paths[document_id] == wanted,
        lambda document_id: is_called(paths[document_id], wanted),
        lambda document_id: titles[document_id] == wanted,
    )
    for reading in readings:
        matching = [document_id for document_id in paths if reading(document_id)]
        if len(matching) == 1:
            return FoundDocument(matching[0], originals[matching[0]])
        if matching:
            candidates = sorted(originals[document_id] for document_id in matching)
            raise DocumentAmbiguous(
                f"{reference!r} names {len(matching)} documents", "give more of the path", candidates[:MAX_CANDIDATES]
            )
    near = _near(wanted, paths, titles)
    raise DocumentNotFound(
        f"no document is called {reference!r}",
        f"did you mean {originals[near[0]]}?" if near else "see what is indexed: glassdex status --files",
        [originals[document_id] for document_id in near],
    )


def path_in_project(roots: Sequence[RootRecord], reference: str) -> str:
    """A path as a person types it, as the project would name it: NFC, from the root on, with `/`."""
    for root in roots:
        if Path(reference).is_absolute() and Path(reference).is_relative_to(root.path):
            return document_path(root, Path(reference).relative_to(root.path).as_posix())
    return unicodedata.normalize("NFC", reference.replace("\\", "/").removeprefix("./"))


def is_called(path: str, wanted: str) -> bool:
    """Whether a folded path ends in the wanted one, or its file name without the ending is the wanted one."""
    return path.endswith("/" + wanted) or PurePosixPath(path).stem == wanted


def _near(wanted: str, paths: dict[int, str], titles: dict[int, str]) -> list[int]:
    names: dict[str, int] = {}
    for document_id, path in paths.items():
        for name in (path, PurePosixPath(path).name, PurePosixPath(path).stem, titles[document_id]):
            names.setdefault(name, document_id)
    begun = [name for name in names if wanted and name.startswith(wanted)]
    matches = difflib.get_close_matches(wanted, names, n=MAX_CANDIDATES, cutoff=0.6)
    return list(dict.fromkeys(names[match] for match in (*begun, *matches)))[:5]
