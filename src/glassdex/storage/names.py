"""What people call a document: its path, the end of it, its file name, its title.

Names are compared in NFC and without case; never by a part of a name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from glassdex.errors import DocumentAmbiguous, DocumentNotFound, SessionAmbiguous, SessionNotFound
from glassdex.model import folded_name
from glassdex.storage.protocol import Snapshot
from glassdex.storage.records import RootRecord, SessionHead

MAX_CANDIDATES = 10
MIN_BEGINNING = 8
"""Characters of a session's id that name its document; of fewer, a word may be the beginning by chance."""


def document_path(root: RootRecord, path: str) -> str:
    """The path by which people know a file: NFC, with the root's label in front; odd bytes as U+FFFD."""
    return (f"{root.label}/" if root.label else "") + unicodedata.normalize("NFC", printable(path))


def printable(text: str) -> str:
    """`text` as valid Unicode: undecodable bytes of a file name become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def document_by_name(snapshot: Snapshot, reference: str) -> tuple[int, str]:
    """Id and path of the one document that is called so.

    Raises:
        DocumentNotFound: none; the candidates are near misses.
        DocumentAmbiguous: several; the candidates are their paths.
    """
    named = path_in_project(snapshot.roots(), reference)
    for path in (reference, named):
        document = snapshot.document(path)
        if document is not None:
            return document.document_id, document.path
    wanted = folded_name(named)
    originals = snapshot.document_paths()
    paths = {document_id: folded_name(path) for document_id, path in originals.items()}
    titles = {document_id: folded_name(title) for document_id, title in snapshot.titles().items()}
    readings: tuple[Callable[[int], bool], ...] = (
        lambda document_id: paths[document_id] == wanted,
        lambda document_id: is_called(paths[document_id], wanted),
        lambda document_id: titles[document_id] == wanted,
    )
    for reading in readings:
        matching = [document_id for document_id in paths if reading(document_id)]
        matching = matching or (_of_session(snapshot, reference) if reading is readings[-1] else [])
        if len(matching) == 1:
            return matching[0], originals[matching[0]]
        if matching:
            candidates = sorted(originals[document_id] for document_id in matching)
            raise DocumentAmbiguous(
                f"{reference!r} names {len(matching)} documents", "give more of the path", candidates[:MAX_CANDIDATES]
            )
    for file in snapshot.files():
        if file.error_code and (folded_name(file.path) == wanted or is_called(folded_name(file.path), wanted)):
            raise DocumentNotFound(
                f"{file.path} could not be read: {file.error_message} [{file.error_code}]",
                "mend that, then: glassdex index; what is the matter: glassdex status",
            )
    near = _near(wanted, paths, titles)
    raise DocumentNotFound(
        f"no document is called {reference!r}",
        f"did you mean {originals[near[0]]}?" if near else "see what is indexed: glassdex status --files",
        [originals[document_id] for document_id in near],
    )


def _of_session(snapshot: Snapshot, reference: str) -> list[int]:
    """The documents of the conversations with that id, or with one that begins so: enough of it to be meant."""
    name = reference.strip().encode("utf-8", "replace").decode()  # no session has half a character in its id
    source, slash, rest = name.rpartition("/")
    found = [
        session
        for session in snapshot.sessions_named(rest, MAX_CANDIDATES)
        if (not slash or session.source == source) and (session.name == rest or len(rest) >= MIN_BEGINNING)
    ]
    told = [session for session in found if session.has_own] or found  # whole copies of one elsewhere are no choice
    return list(dict.fromkeys(session.document_id for session in told))


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
    import difflib  # only a name that is wrong needs it

    names: dict[str, int] = {}
    for document_id, path in paths.items():
        for name in (path, PurePosixPath(path).name, PurePosixPath(path).stem, titles[document_id]):
            names.setdefault(name, document_id)
    begun = [name for name in names if wanted and name.startswith(wanted)]
    matches = difflib.get_close_matches(wanted, names, n=MAX_CANDIDATES, cutoff=0.6)
    return list(dict.fromkeys(names[match] for match in (*begun, *matches)))[:5]


def session_by_name(snapshot: Snapshot, reference: str) -> SessionHead:
    """The one conversation that is called so: by its id, the beginning of it, `source/id`, or its file.

    Raises:
        SessionNotFound: none.
        SessionAmbiguous: several; the candidates are `source/id`, or their files where these are the same.
    """
    name = reference.strip().removeprefix("session:")
    found = snapshot.sessions_named(name, MAX_CANDIDATES) if name else []
    source, slash, rest = name.partition("/")
    if not found and slash:
        found = [one for one in snapshot.sessions_named(rest, MAX_CANDIDATES) if one.source == source]
    return only_session(reference, found or _sessions_of_file(snapshot, name))


def only_session(reference: str, found: Sequence[SessionHead]) -> SessionHead:
    """The one of the conversations that a reference may mean; see `session_by_name`."""
    listing = "see which there are: glassdex sessions list"
    if not found:
        raise SessionNotFound(f"there is no session {reference[:200]!r}", listing)
    told = [session for session in found if session.has_own] or found  # whole copies of one elsewhere are no choice
    if len(told) > 1:
        names = [f"{session.source}/{session.name}" for session in told]
        candidates = names if len(set(names)) == len(names) else [session.path for session in told]
        raise SessionAmbiguous(
            f"{reference[:200]!r} may mean {len(told)} sessions", "give more of the id, or the file's path", candidates
        )
    return told[0]


def _sessions_of_file(snapshot: Snapshot, name: str) -> list[SessionHead]:
    try:
        document_id, _ = document_by_name(snapshot, name)
    except (DocumentNotFound, DocumentAmbiguous):
        return []
    return [session for session in snapshot.session_heads() if session.document_id == document_id]
