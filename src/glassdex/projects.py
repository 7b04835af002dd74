"""All projects of this user: their names are the listing of one folder, and each knows its own root folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from glassdex.errors import (
    GlassdexError,
    InputError,
    ProjectExists,
    ProjectNotFound,
    RootConflict,
    RootNotFound,
    StoreLocked,
)
from glassdex.inspection.listing import ProjectListing
from glassdex.settings import projects_folder
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite.lock import writer_lock

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SUFFIX = ".db"


def project_names() -> list[str]:
    """Every project: the list is the folder's listing."""
    folder = projects_folder()
    return sorted(path.stem for path in folder.glob(f"*{_SUFFIX}")) if folder.is_dir() else []


def is_project_name(name: str) -> bool:
    """Whether a project can be called that: letters, digits, `.`, `_` and `-`, at most 64."""
    return _NAME.fullmatch(name) is not None


def list_projects() -> list[ProjectListing]:
    """Every project with its folders and sizes; one whose store cannot be opened with its error."""
    listings = []
    for name in project_names():
        try:
            with _opened(name) as store, store.read() as snapshot:
                counts, roots = snapshot.counts(), tuple(root.path for root in snapshot.roots())
            listings.append(
                ProjectListing(name, roots, counts.documents, counts.chunks, counts.pending, counts.store_bytes)
            )
        except GlassdexError as error:
            listings.append(ProjectListing(name, error=error.message))
    return listings


def project_roots(name: str) -> list[Path]:
    """The root folders of a project."""
    with _opened(name) as store, store.read() as snapshot:
        return [Path(root.path) for root in snapshot.roots()]


def project_containing(folder: Path) -> str | None:
    """The project with the deepest root that is `folder` or contains it. An unreadable store is passed over."""
    folder = folder.resolve()
    found = [
        (len(root.parts), name) for name, roots in _readable_roots() for root in roots if folder.is_relative_to(root)
    ]
    return max(found)[1] if found else None


def rename_project(old: str, new: str) -> None:
    """Gives a project another name.

    Raises:
        ProjectNotFound, ProjectExists, InputError: `old` is not there, `new` is taken or is no name.
        StoreLocked: somebody is writing to it, or reading it: their commits may not be in the file yet.
    """
    source, target = store_path(old), store_path(new)
    if target.exists():
        raise ProjectExists(f"there is a project {new!r} already", "choose another name")
    if not source.exists():
        raise not_found(f"there is no project {old!r}")
    with writer_lock(source, "rename"):
        # The last one to close a store moves its log into the file; a log that is left belongs to somebody else.
        SqliteStore(source).close()
        if source.with_suffix(".db-wal").exists():
            raise StoreLocked(f"project {old!r} is in use by another process", "close it there, then try again")
        source.rename(target)
    _remove_companions(source)


def relocate_root(name: str, new: str | Path, old: str | Path | None = None) -> None:
    """Says where a project's root folder is now; nothing is read or embedded again.

    Raises:
        RootNotFound: `new` is not there, or `old` is not a root of the project.
        InputError: the project has several roots and `old` does not say which.
    """
    folder = existing_folder(new)
    with _opened(name) as store, store.lock("relocate"):
        with store.read() as snapshot:
            roots = snapshot.roots()
        wanted = [root for root in roots if old is None or Path(root.path) == Path(old).absolute()]
        if not wanted:
            raise RootNotFound(f"{old} is not a root of {name!r}", candidates=[root.path for root in roots])
        if len(wanted) > 1:
            raise InputError("the project has several roots", "say which one: --from FOLDER", [r.path for r in roots])
        if folder != Path(wanted[0].path):
            refuse_conflict(folder)
        with store.write() as writer:
            writer.move_root(wanted[0].id, str(folder))


def remove_project(name: str) -> None:
    """Deletes a project's store; the files it was made from are not touched.

    Raises:
        ProjectNotFound: there is none of that name.
        StoreLocked: somebody is writing to it.
    """
    path = store_path(name)
    if not path.exists():
        raise not_found(f"there is no project {name!r}")
    with writer_lock(path, "remove"):  # the store itself is not opened: a damaged one can be removed, too
        path.unlink()
    _remove_companions(path)


def free_project_name(folder: Path) -> str:
    """A name for a new project over `folder`: the folder's own, made unique.

    Raises:
        StoreCorrupt, StoreTooNew, UnavailableError: the project that has the folder's name cannot be opened.
    """
    cleaned = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.name).strip("-._") or "notes"
    name = cleaned[:60]
    if name in project_names():
        project_roots(name)  # a damaged store is not passed by: it may be this folder's own
    return free_name(name, set(project_names()))


def store_path(name: str) -> Path:
    """Where a project's store lies.

    Raises:
        InputError: the name has characters that a file name should not have.
    """
    if not is_project_name(name):
        raise InputError(f"{name!r} is no project name", "use letters, digits, '.', '_' and '-', at most 64")
    return projects_folder() / f"{name}{_SUFFIX}"


@contextmanager
def _opened(name: str) -> Iterator[SqliteStore]:
    path = store_path(name)
    if not path.exists():
        raise not_found(f"there is no project {name!r}")
    store = SqliteStore(path)
    try:
        yield store
    finally:
        store.close()


def not_found(message: str, wanted: str = "") -> ProjectNotFound:
    """The error for a project that is not there, with those that are; `wanted` is the name that was given."""
    from glassdex.indexing.homes import PROJECT

    names = project_names()
    if wanted == PROJECT:
        return ProjectNotFound(message, "make it of this machine's agents: glassdex index --sessions", names)
    hint = f"choose one with --project: {', '.join(names)}" if names else "make one: glassdex index FOLDER"
    return ProjectNotFound(message, hint, names)


def _readable_roots() -> Iterator[tuple[str, list[Path]]]:
    """Every project with its root folders; one whose store cannot be read is passed over."""
    for name in project_names():
        with suppress(GlassdexError):
            yield name, project_roots(name)


def existing_folder(folder: str | Path) -> Path:
    """The folder, absolute and without links.

    Raises:
        RootNotFound: it is not there.
    """
    path = Path(folder)
    if not path.is_dir():  # a folder may be called `~`: what is there goes before what a shell would make of it
        with suppress(RuntimeError):  # `~nobody`
            path = path.expanduser()
    if not path.is_dir():
        raise RootNotFound(f"there is no folder {os.fspath(folder)}", "check the spelling")
    return path.resolve()


def refuse_conflict(root: Path) -> None:
    """Refuses a folder that is a root already.

    Raises:
        RootConflict: names the project.
    """
    for name, roots in _readable_roots():
        for other in roots:
            if other == root:
                raise RootConflict(f"{root} belongs to project {name!r} already", f"glassdex index --project {name}")


def free_name(wanted: str, taken: set[str]) -> str:
    """`wanted`, or with the first number that makes it unique."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def _remove_companions(path: Path) -> None:
    for suffix in (".db-wal", ".db-shm", ".lock", ".writer.json"):
        path.with_suffix(suffix).unlink(missing_ok=True)
