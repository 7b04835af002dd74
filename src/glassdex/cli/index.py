"""`glassdex index`."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from glassdex.cli.choose import JsonOption
from glassdex.cli.completion import complete_project
from glassdex.errors import GlassdexError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from glassdex.indexing.progress import Progress
    from glassdex.indexing.run import FileFailure, IndexReport
    from glassdex.project import Project
    from glassdex.storage.records import RootKind

EXIT_WITH_FAILURES = 3
SHOWN_FAILURES = 20
MISSING_EXTRA = "missing_extra"
EXAMPLES = """\b
Examples:
  glassdex index ~/notes
  glassdex index ~/papers -p notes    # one more folder for that project
  glassdex index                      # the current folder's project
  glassdex index ~/notes --watch      # and what changes there, until Ctrl-C
  glassdex index --sessions           # what Claude Code and Codex wrote here"""
PASSWORD_VARIABLE = "GLASSDEX_PASSWORD"  # noqa: S105 - its name

PasswordOption = typer.Option(
    [],
    "--password",
    metavar="PASSWORD",
    help="A password to try on encrypted files. Repeatable. Other users of this machine can see it among the running "
    f"programs: the environment variable {PASSWORD_VARIABLE} (one password), or passwords in config.toml, is safer.",
    show_default=False,
)


def index(
    path: Path = typer.Argument(
        None,
        metavar="[FOLDER]",
        help="The folder to index; by default the current project, else the current folder.",
        show_default=False,
    ),
    project: str = typer.Option(
        None,
        "--project",
        "-p",
        metavar="NAME",
        help="The project to fill; by default the folder's own, or a new one named after the folder.",
        show_default=False,
        autocompletion=complete_project,
    ),
    language: str = typer.Option(
        None,
        metavar="LANGUAGE",
        help="The language of a new project, for its word endings: english, german, french …",
        show_default=False,
    ),
    sessions: bool = typer.Option(
        False,
        "--sessions",
        help="Index the transcripts of Claude Code and Codex on this machine, or of FOLDER, into the project "
        "'sessions', and nothing but transcripts.",
    ),
    no_embed: bool = typer.Option(
        False, "--no-embed", help="Make no vectors now; until the next run, search words alone: --mode lexical."
    ),
    password: list[str] = PasswordOption,
    strict: bool = typer.Option(
        False, "--strict", help="Exit with code 3 if any file could not be read; with --watch: in the last run."
    ),
    watch: bool = typer.Option(
        False, "--watch", help="Go on until Ctrl-C: what changes can be searched a second or two later."
    ),
    as_json: bool = JsonOption,
) -> None:
    """Bring the index up to date with the files.

    New, changed, renamed and deleted files are found; what is unchanged costs nothing. A run that was interrupted
    goes on where it stopped.

    Markdown, text, source code, CSV, JSON and transcripts of agents are read; PDF, XLSX, PPTX, DOCX and HTML with
    glassdex[documents]. What .gitignore or .glassdexignore leaves out is not. API keys, tokens and private keys in
    transcripts are redacted before they are indexed; the files stay as they are.

    With --watch, which needs glassdex[watch], each run that did something is a line, or with --json an object on a line
    of its own. Vectors are made between the runs, and other commands can write to the project meanwhile. Trouble that
    may pass (a folder that is gone, a full disk, a project that is being written to, a model that fails) is told on
    standard error and tried again; a store that is damaged or removed ends it. Ctrl-C and SIGTERM end it with code 0.

    Exit code 0: done, also when some files could not be read; 3: something is unavailable, or --strict and a file
    failed.
    """
    if watch:
        from glassdex.indexing.events import require_watchfiles

        require_watchfiles()  # before a project is made
    choose = sessions_to_index if sessions else project_to_index
    with choose(path, project, language) as opened:
        if watch:
            from glassdex.cli.watch import keep_up

            keep_up(opened, embed=not no_embed, as_json=as_json, strict=strict, passwords=given_passwords(password))
            return
        report = run(opened, embed=not no_embed, as_json=as_json, passwords=given_passwords(password))
        name = opened.name
        shared = shared_folders(name) if report.added else []
    if as_json:
        from glassdex.cli.terminal import print_json
        from glassdex.envelopes.index import index_answer

        print_json(index_answer(report, name).to_json())
    else:
        print_report(report, name)
        warn_shared(shared)
    if strict and report.failures:
        raise typer.Exit(EXIT_WITH_FAILURES)


def given_passwords(options: Sequence[str]) -> list[str]:
    """Those of the command line, then that of the environment."""
    variable = os.environ.get(PASSWORD_VARIABLE, "")
    return [*options, *([variable] if variable else [])]


def project_to_index(path: Path | None, name: str | None, language: str | None) -> Project:
    """The project that holds the folder; a new one where none does; a named one gains the folder as a root."""
    from glassdex.project import Project
    from glassdex.projects import free_project_name, project_containing, project_names

    folder = Path.cwd() if path is None else path
    if name is not None and name in project_names():
        opened = Project.open(name)
        if path is not None:
            _add_root(opened, path)
        return _same_language(opened, language)
    if name is None:
        found = project_containing(folder)
        if found is not None:
            return _same_language(Project.open(found), language)
    return Project.create(name or free_project_name(folder.resolve()), [folder], language=language)


def sessions_to_index(path: Path | None, name: str | None, language: str | None) -> Project:
    """The project of transcripts, with the folder, or every known one, among its roots.

    Raises:
        RootNotFound: no folder is named, and no agent that is known keeps transcripts here.
    """
    from glassdex.errors import RootNotFound
    from glassdex.indexing.homes import PROJECT, transcript_homes
    from glassdex.project import Project
    from glassdex.projects import project_names

    name = name or PROJECT
    known = name in project_names()
    folders = [path] if path is not None else _outermost(transcript_homes())
    if not folders and not known:
        raise RootNotFound(
            "no transcripts of Claude Code or Codex are kept where they usually are",
            "name their folder: glassdex index --sessions FOLDER",
        )
    if not known:
        return Project.create(name, folders, kind="transcripts", language=language)
    opened = Project.open(name)
    try:
        for folder in folders:
            _add_root(opened, folder, kind="transcripts")
        return _same_language(opened, language)
    except GlassdexError:
        opened.close()
        raise


def _outermost(folders: Sequence[Path]) -> list[Path]:
    """Those that lie in no other one of them."""
    return [folder for folder in folders if not any(other in folder.parents for other in folders)]


def _add_root(opened: Project, path: Path, kind: RootKind = "files") -> None:
    from glassdex.projects import project_roots

    folder = path.resolve()
    if not any(folder.is_relative_to(root) for root in project_roots(opened.name)):
        opened.add_root(path, kind=kind)


def _same_language(opened: Project, language: str | None) -> Project:
    from glassdex.errors import InvalidRequest

    if language is not None and language != opened.language:
        current = opened.language
        opened.close()
        raise InvalidRequest(
            f"the project's language is {current}, not {language}",
            "leave --language out, or make another project",
        )
    return opened


def shared_folders(name: str) -> list[str]:
    """The roots of other projects that contain a root of this one, or lie in one: their files are in both."""
    from glassdex.projects import list_projects
    from glassdex.settings import home

    listed, own_data = list_projects(), home().resolve()  # in there, where the demo lies, no other project looks
    own = [Path(root) for project in listed if project.name == name for root in project.roots]
    return [
        f"{root} of project {project.name}"
        for project in listed
        if project.name != name
        for root in map(Path, project.roots)
        if not root.is_relative_to(own_data)
        and any(root.is_relative_to(mine) or mine.is_relative_to(root) for mine in own)
    ]


def warn_shared(shared: list[str]) -> None:
    """Says which files are indexed twice."""
    from glassdex.cli.terminal import complain, safe_path

    for folder in shared:
        complain(f"warning: it shares files with {safe_path(folder)}, so they are indexed twice")


def run(opened: Project, *, embed: bool, as_json: bool, passwords: Sequence[str] = ()) -> IndexReport:
    """Indexes, with progress bars where somebody can see them."""
    with progress_bars(as_json=as_json) as progress:
        return opened.index(embed=embed, progress=progress, passwords=passwords)


@contextmanager
def progress_bars(*, as_json: bool) -> Iterator[Progress | None]:
    """Bars on standard error, if that is a terminal and a person reads it."""
    from glassdex.cli.terminal import console

    out = console(to_stderr=True)
    if as_json or not out.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=out, transient=True) as bars:
        yield _BarProgress(bars)


class _BarProgress:
    """Draws what an indexing run tells."""

    def __init__(self, bars: object) -> None:
        from rich.progress import Progress as Bars

        assert isinstance(bars, Bars)
        self._bars = bars
        self._tasks = {name: bars.add_task(name, total=None, visible=False) for name in ("scan", "publish", "embed")}

    def scanned(self, files: int) -> None:
        self._show("scan", files, files)

    def published(self, done: int, total: int) -> None:
        self._show("publish", done, total)

    def embedded(self, done: int, total: int) -> None:
        self._show("embed", done, total)

    def _show(self, name: str, done: int, total: int) -> None:
        self._bars.update(self._tasks[name], completed=done, total=total, visible=True)


def print_report(report: IndexReport, project: str, at: str = "") -> None:
    """One line of summary, then the failures; what is missing for many files is said once. `at` begins the line."""
    from glassdex.cli.terminal import safe_line, safe_path, say

    lines = [f"{at}{project}: {', '.join(_counts(report))}  ({report.seconds:.1f} s)", *_needs(report.failures)]
    failures = [failure for failure in report.failures if failure.code != MISSING_EXTRA]
    for failure in failures[:SHOWN_FAILURES]:
        lines.append(f"  failed: {safe_path(failure.path)}: {safe_line(failure.message)} [{failure.code}]")
        if failure.suggestion:
            lines.append(f"    try: {safe_line(failure.suggestion)}")
    if len(failures) > SHOWN_FAILURES:
        lines.append(f"  … and {len(failures) - SHOWN_FAILURES:,} more: glassdex status --all")
    say(*lines)


def _needs(failures: Sequence[FileFailure]) -> Iterator[str]:
    """What the files need whose reader lacks a library, one line for each way to get it."""
    from glassdex.cli.terminal import safe_line

    needs = Counter(failure.suggestion or failure.message for failure in failures if failure.code == MISSING_EXTRA)
    for remedy, count in needs.items():
        files = "1 file needs" if count == 1 else f"{count:,} files need"
        yield f"  {files}: {safe_line(remedy)}"


def _counts(report: IndexReport) -> list[str]:
    """The files with what became of them, which adds up, then what else happened."""
    from glassdex.wording import counted

    parts = (
        (report.added - report.moved, "new"),
        (report.changed, "changed"),
        (report.moved, "moved"),
        (report.unchanged, "unchanged"),
        (report.failed, "failed"),
    )
    counts = (
        (report.removed - report.moved, "removed"),
        (sum(report.skipped.values()), "skipped (glassdex status says why)"),
        (report.odd, "odd (glassdex status says how)"),
        (report.embedded, "passage embedded" if report.embedded == 1 else "passages embedded"),
        (report.pending, "without a vector"),
    )
    whole = ", ".join(f"{count:,} {words}" for count, words in parts if count)
    files = f"{counted(report.files, 'file')} ({whole})" if whole else "no files"
    return [files, *(f"{count:,} {words}" for count, words in counts if count)]
