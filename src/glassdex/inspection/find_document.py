"""What a person means by a document: a path, the end of one, a file name, a title, a pointer or a chunk key.

Names are compared in NFC and without case; never by a part of a name.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass

from glassdex.errors import ChunkNotFound, DocumentAmbiguous, DocumentNotFound, InvalidPointer, InvalidRequest
from glassdex.inspection.sessions.find import sessions_of
from glassdex.pointers import SessionPointer, parse_pointer
from glassdex.storage.names import MAX_CANDIDATES, document_by_name
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

_CHUNK_KEY = re.compile(r"[a-z]+:[0-9a-f]{16}:\d+")


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
        return _named(snapshot, reference)
    if isinstance(pointer, SessionPointer):
        return _in_session(snapshot, pointer)
    document = _named(snapshot, pointer.path)
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


def without_project(reference: str, projects: Collection[str]) -> tuple[str | None, str]:
    """The project that a pointer or `project:document` names, and the reference as that project knows it.

    `projects` are the names that may stand before a document; no project for a reference that names none of them.
    """
    name, _, rest = reference.partition(":")
    if project_of(reference) is None and rest and name in projects and not _CHUNK_KEY.fullmatch(reference):
        return name, rest
    return project_of(reference), reference


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


def _in_session(snapshot: SqliteSnapshot, pointer: SessionPointer) -> FoundDocument:
    """The document that holds the message where it was first, and its chunk with the passage, else its first one."""
    sessions = [session.session_id for session in sessions_of(snapshot, pointer)]
    named = snapshot.messages_named(sessions, pointer.uuid, pointer.block)
    originals = list(snapshot.messages({record.original_id or record.row_id for record in named}).values())
    if not originals:
        raise DocumentNotFound(
            f"no indexed session {pointer.source}/{pointer.session} has the message {pointer.uuid}.{pointer.block}",
            "see which there are: glassdex sessions list",
        )
    paths = snapshot.document_paths()
    rows = {record.row_id for record in originals}
    chunks = [
        chunk
        for document_id in {record.document_id for record in originals}
        for chunk in snapshot.document_chunks(document_id)
        if chunk.message and chunk.message.row_id in rows
    ]
    alike = [chunk for chunk in chunks if chunk.passage_hash.startswith(pointer.passage_hash)] or (
        chunks if pointer.char_start is None else []
    )
    if not alike:
        record = originals[0]
        return FoundDocument(record.document_id, paths[record.document_id], passage_lost=True)
    return FoundDocument(alike[0].document_id, alike[0].path, alike[0].chunk_id)


def _named(snapshot: SqliteSnapshot, reference: str) -> FoundDocument:
    document_id, path = document_by_name(snapshot, reference)
    return FoundDocument(document_id, path)
