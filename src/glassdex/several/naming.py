"""Which of several projects a name belongs to: `project:name`, or a name that only one of them has.

Nothing is looked up in a project that was not chosen. One whose store cannot be read is passed over: its own search
says what is the matter with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from glassdex.errors import (
    ChunkNotFound,
    DocumentAmbiguous,
    DocumentNotFound,
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

Find = Callable[[SqliteSnapshot, str], str]
"""What a name means in one project, as people know it; raises one of the errors for none or several."""


def document_in(projects: Sequence[Project], reference: str) -> tuple[Project, str]:
    """The project that has the document, and its path there.

    Raises:
        DocumentAmbiguous, DocumentNotFound: the candidates name their project: `a:report.pdf`.
    """
    project, _, path = _only(projects, reference, lambda snapshot, name: document_by_name(snapshot, name)[1])
    return project, path


def session_in(projects: Sequence[Project], reference: str) -> tuple[Project, str]:
    """The project that has the conversation, and the reference without the project in front.

    Raises:
        SessionAmbiguous, SessionNotFound: the candidates name their project.
    """

    def found(snapshot: SqliteSnapshot, name: str) -> str:
        session = session_by_name(snapshot, name)
        return f"{session.source}/{session.name}"

    project, name, _ = _only(projects, reference, found, SessionAmbiguous)
    return project, name


def watched_in(projects: Sequence[Project], reference: str) -> tuple[Project, str] | None:
    """The project that has the document, passage or message, and the reference without the project in front.

    Nothing where no project has it: it may be a file that is not indexed.

    Raises:
        DocumentAmbiguous: several projects have it, or one has several of that name.
        ChunkNotFound: a chunk key that no project has.
        ProjectNotFound: a pointer names a project that was not chosen.
    """
    try:
        project, name, _ = _only(projects, reference, lambda snapshot, name: find_document(snapshot, name).path)
    except DocumentNotFound:
        return None
    return project, name


def split(projects: Sequence[Project], reference: str) -> tuple[Sequence[Project], str]:
    """The projects that a reference may belong to, and the reference without the project's name in front.

    Raises:
        ProjectNotFound: a pointer names a project that was not chosen.
    """
    name, colon, rest = reference.partition(":")
    try:
        owner = parse_pointer(reference).project
    except InvalidPointer:
        owner = name if colon and rest and name in [project.name for project in projects] else None
    if owner is None:
        return projects, reference
    named = [project for project in projects if project.name == owner]
    if not named:
        chosen = [project.name for project in projects]
        raise ProjectNotFound(
            f"the pointer belongs to project {owner!r}, which is not among the chosen",
            f"choose it, too: --project {owner}",
            chosen,
        )
    return named, rest


def _only(
    projects: Sequence[Project],
    reference: str,
    find: Find,
    ambiguous: type[DocumentAmbiguous | SessionAmbiguous] = DocumentAmbiguous,
) -> tuple[Project, str, str]:
    """The one project in which `find` finds something, the name that it was given there, and what it found."""
    chosen, name = split(projects, reference)
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
        except UnavailableError:
            continue
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
