"""Which of several projects a name belongs to: `project:name`, or a name that only one of them has.

Nothing is looked up in a project that was not chosen. One whose store cannot be read is passed over, for its own search
says what is the matter with it; where the name is given as that project's, it is the error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from glassdex.errors import (
    ChunkNotFound,
    DocumentAmbiguous,
    DocumentNotFound,
    DocumentRequired,
    GlassdexError,
    InputError,
    InvalidPointer,
    ProjectNotFound,
    SessionAmbiguous,
    SessionNotFound,
    UnavailableError,
)
from glassdex.inspection.find_document import find_document
from glassdex.pointers import parse_pointer
from glassdex.project import Project
from glassdex.storage.names import MAX_CANDIDATES, document_by_name, session_by_name
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

Unopened = Mapping[str, GlassdexError]
"""Chosen projects that could not be opened, and why."""
Find = Callable[[SqliteSnapshot, str], str]
"""What a name means in one project, as people know it; raises one of the errors for none or several."""


def document_in(projects: Sequence[Project], unopened: Unopened, reference: str) -> tuple[Project, str]:
    """The project that has the document, and its path there.

    Raises:
        DocumentAmbiguous, DocumentNotFound: the candidates name their project: `a:report.pdf`.
        UnavailableError: the project that the reference names cannot be read.
    """
    project, _, path = _only(projects, unopened, reference, lambda snapshot, name: document_by_name(snapshot, name)[1])
    return project, path


def session_in(projects: Sequence[Project], unopened: Unopened, reference: str) -> tuple[Project, str]:
    """The project that has the conversation, and the reference without the project in front.

    Raises:
        SessionAmbiguous, SessionNotFound: the candidates name their project.
        UnavailableError: the project that the reference names cannot be read.
    """

    def found(snapshot: SqliteSnapshot, name: str) -> str:
        session = session_by_name(snapshot, name)
        return f"{session.source}/{session.name}"

    project, name, _ = _only(projects, unopened, reference, found, SessionAmbiguous)
    return project, name


def watched_in(projects: Sequence[Project], unopened: Unopened, reference: str) -> tuple[Project, str] | None:
    """The project that has the document, passage or message, and the reference without the project in front.

    Nothing where no project has it: it may be a file that is not indexed.

    Raises:
        DocumentAmbiguous: several projects have it, or one has several of that name.
        ChunkNotFound: a chunk key that no project has.
        ProjectNotFound: a pointer names a project that was not chosen.
        UnavailableError: the project that the reference names cannot be read.
    """
    try:
        project, name, _ = _only(
            projects, unopened, reference, lambda snapshot, name: find_document(snapshot, name).path
        )
    except DocumentNotFound:
        return None
    return project, name


def split(projects: Sequence[Project], unopened: Unopened, reference: str) -> tuple[Sequence[Project], str]:
    """The projects that a reference may belong to, and the reference without the project's name in front.

    Raises:
        ProjectNotFound: a pointer names a project that was not chosen.
        UnavailableError: the project that it names could not be opened.
    """
    chosen = [*(project.name for project in projects), *unopened]
    name, colon, rest = reference.partition(":")
    try:
        owner = parse_pointer(reference).project
    except InvalidPointer:
        owner = name if colon and rest and name in chosen else None
    if owner is None:
        return projects, reference
    if owner in unopened:
        raise with_project(unopened[owner], owner)
    if owner not in chosen:
        raise ProjectNotFound(
            f"the pointer belongs to project {owner!r}, which is not among the chosen",
            f"choose it, too: --project {owner}",
            chosen,
        )
    return [project for project in projects if project.name == owner], rest


def with_project(error: GlassdexError, project: str) -> GlassdexError:
    """The error with its project in the message and in front of what could have been meant."""
    candidates = [f"{project}:{candidate}" for candidate in error.candidates]
    suggestion = f"name one: --in {candidates[0]!r}" if isinstance(error, DocumentRequired) else error.suggestion
    candidates = candidates if isinstance(error, DocumentRequired) else list(error.candidates)
    return type(error)(f"{project}: {error.message}", suggestion, candidates)


def _only(
    projects: Sequence[Project],
    unopened: Unopened,
    reference: str,
    find: Find,
    ambiguous: type[DocumentAmbiguous | SessionAmbiguous] = DocumentAmbiguous,
) -> tuple[Project, str, str]:
    """The one project in which `find` finds something, the name that it was given there, and what it found."""
    chosen, name = split(projects, unopened, reference)
    found: list[tuple[Project, str]] = []
    several: list[str] = []
    missing: list[tuple[Project, InputError]] = []
    for project in chosen:
        try:
            with project.store.read() as snapshot:
                found.append((project, find(snapshot, name)))
        except (DocumentAmbiguous, SessionAmbiguous) as error:
            several += [f"{project.name}:{candidate}" for candidate in error.candidates]
        except (DocumentNotFound, SessionNotFound, ChunkNotFound) as error:
            missing.append((project, error))
        except UnavailableError as error:
            if len(chosen) == 1:
                raise with_project(error, project.name) from error
    if len(found) == 1 and not several:
        return found[0][0], name, found[0][1]
    if found or several:
        candidates = sorted([*(f"{project.name}:{path}" for project, path in found), *several])
        unit = "documents" if ambiguous is DocumentAmbiguous else "sessions"
        raise ambiguous(
            f"{reference[:200]!r} may mean {len(candidates)} {unit} of the chosen projects",
            f"say which one, with its project: {candidates[0]}",
            candidates[:MAX_CANDIDATES],
        )
    raise _not_found(missing, reference)


def _not_found(missing: Sequence[tuple[Project, InputError]], reference: str) -> InputError:
    """What the only project says, or, of several, that none has it, with the near misses of all."""
    if not missing:
        return DocumentNotFound(f"{reference[:200]!r} could not be looked up: no project can be read")
    if len(missing) == 1:
        project, error = missing[0]
        candidates = [f"{project.name}:{candidate}" for candidate in error.candidates]
        return type(error)(error.message, error.suggestion, candidates)
    candidates = [f"{project.name}:{candidate}" for project, error in missing for candidate in error.candidates]
    names = ", ".join(project.name for project, _ in missing)
    suggestion = f"did you mean {candidates[0]}?" if candidates else missing[0][1].suggestion
    return type(missing[0][1])(f"{missing[0][1].message} (looked in {names})", suggestion, candidates[:MAX_CANDIDATES])
