"""`glassdex sessions`."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING

import typer

from glassdex.cli.choose import JsonOption, SessionsProjectOption, help_or_command
from glassdex.cli.search import SearchCommand, as_typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rich.text import Text

    from glassdex.inspection.sessions.listing import SessionList
    from glassdex.inspection.sessions.show import SessionMessage, SessionPage
    from glassdex.project import Project
    from glassdex.storage.records import SessionHead, SessionRecord

LISTED = 30
SHOWN_NAME = 80
SHORT_ID = 8
"""Characters of an id that are shown where it is not to be copied; they are still a name of the session."""
SHOWN_AGENTS = 3
MIN_FOLDER = 8
EXIT_NOTHING_FOUND = 1
LIST_EXAMPLES = """\b
Examples:
  glassdex sessions list --since 2026-11-01 --tz Europe/Berlin
  glassdex sessions list --json"""
SHOW_EXAMPLES = """\b
Examples:
  glassdex sessions show 0d3f2a6b --offset 1274
  glassdex sessions show --at 'session:claude/0d3f2a6b…#7b5e….0@3fa9c1d2e4b5'
  glassdex sessions show 0d3f2a6b --offset 1294.20~9c1b2f3a4d5e    # a cursor"""

app = typer.Typer(help="List conversations with agents, and page through one.", rich_markup_mode=None)

TzOption = typer.Option(
    None, "--tz", metavar="ZONE", help="The zone of dates and times: Europe/Berlin.  [default: UTC]", show_default=False
)


@app.callback(invoke_without_command=True)
def sessions(context: typer.Context) -> None:
    """List conversations with agents, and page through one."""
    help_or_command(context)


@app.command("list", epilog=LIST_EXAMPLES)
def list_(
    since: str = typer.Option(
        None, metavar="DATE", help="Only sessions with a message on this day, or later.", show_default=False
    ),
    until: str = typer.Option(
        None, metavar="DATE", help="Only sessions with a message on this day, or earlier.", show_default=False
    ),
    tz: str = TzOption,
    limit: int = typer.Option(LISTED, "--limit", "-n", metavar="N", help="At most this many."),
    project: str = SessionsProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """List sessions, the one with the latest message first.

    Whole copies of another session are left out. Exit code 1: there is none.
    """
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.terminal import console, print_json

    zone = _zone(tz)
    with chosen_project(project, of_sessions=True) as opened:
        found = opened.sessions(since=since, until=until, tz=tz, limit=limit)
        name = opened.name
    if as_json:
        from glassdex.envelopes.session import sessions_answer

        print_json(sessions_answer(found, name, zone).to_json())
    else:
        out = console()
        for line in list_lines(found, zone, name, out.width, in_range=bool(since or until)):
            out.print(line, soft_wrap=True)
    if not found.sessions:
        raise typer.Exit(EXIT_NOTHING_FOUND)


@app.command(cls=SearchCommand, epilog=SHOW_EXAMPLES)
def show(
    session: str = typer.Argument(
        None,
        metavar="[SESSION]",
        help="The session's id or the beginning of it, or its file; not needed beside --at.",
        show_default=False,
    ),
    at: str = typer.Option(
        None, metavar="POINTER", help="Begin at the message that a pointer leads to.", show_default=False
    ),
    offset: str = typer.Option(
        None,
        metavar="N",
        help="Begin at this message, from 0, as search prints it; or a cursor of another page.",
        show_default=False,
    ),
    limit: int = typer.Option(None, "--limit", "-n", metavar="K", help="Messages a page, 1 to 500.  [default: 20]"),
    full: bool = typer.Option(
        False, "--full", help="Show long texts to their end; by default their middle is left out."
    ),
    raw: bool = typer.Option(False, "--raw", help="Show secrets as they are in the file."),
    tz: str = TzOption,
    project: str = SessionsProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Show a page of a session, read from its file as it is now.

    Messages stand in the order of the file, so the times beside them may run backwards. An offset that the session
    does not have is an error that names the range.
    """
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.terminal import console, print_json
    from glassdex.errors import SessionNotFound

    zone, named = _zone(tz), None if session is None else as_typed(session)
    with chosen_project(project or _project_of(at), of_sessions=True) as opened:
        try:
            page = opened.session(named, at=at, offset=offset, limit=limit, raw=raw, full=full)
        except SessionNotFound as error:
            if opened.sessions(limit=1).total:
                raise
            raise SessionNotFound(error.message, _no_sessions(opened.name)) from error
        name = opened.name
        origin = [page.continues[0]] if page.continues else []
        calls = show_calls(opened, [page.session, *origin, *page.sub_agents[:SHOWN_AGENTS]])
    if as_json:
        from glassdex.envelopes.session import session_answer

        print_json(session_answer(page, name, zone).to_json())
        return
    out = console()
    for line in page_lines(page, zone, calls, raw=raw):
        out.print(line, soft_wrap=True)


def _zone(name: str | None) -> tzinfo:
    from glassdex.dates import zone
    from glassdex.errors import InvalidRequest

    try:
        return zone(name)
    except ValueError as error:
        raise InvalidRequest(f"--tz: {error}", "for example --tz Europe/Berlin") from error


def _project_of(pointer: str | None) -> str | None:
    from glassdex.pointers import parse_pointer

    return None if pointer is None else parse_pointer(pointer).project


def list_lines(found: SessionList, zone: tzinfo, project: str, width: int, *, in_range: bool) -> Iterator[Text]:
    """A session in three lines: when, how much, where; its title; its id. `in_range`: only some days were asked for."""
    from rich.text import Text

    from glassdex.cli.terminal import safe_line
    from glassdex.wording import counted

    if not found.sessions:
        yield Text("no sessions in that time" if in_range else _no_sessions(project))
    for session in found.sessions:
        facts = [
            when(session.ended_at, zone),
            session.source,
            counted(session.total, "message"),
            *([f"{session.copied:,} copied"] if session.copied else []),
        ]
        line = "  ".join(facts)
        yield Text("  ".join([line, *_end_of_path(session.cwd, width - len(line) - 2)]), "dim")
        title = Text(safe_line(session.title or session.path), "bold")
        title.truncate(width - 4, overflow="ellipsis")
        yield Text("    ").append_text(title)
        parent = f"  sub-agent of {safe_line(session.parent)[:SHORT_ID]}" if session.parent else ""
        yield Text(f"    {safe_line(session.name)}").append(parent, "dim")
    if found.total > len(found.sessions):
        yield Text(f"… {found.total - len(found.sessions):,} more: --limit {found.total}", "dim")
    if found.undated:
        yield Text(f"{counted(found.undated, 'session')} without a known time left out", "dim")


def _end_of_path(path: str, room: int) -> list[str]:
    """The path, or the end of it that has room; nothing where that would say too little."""
    from rich.cells import cell_len

    from glassdex.cli.terminal import safe_path

    shown = safe_path(path)
    if cell_len(shown) > room:
        shown = shown[-max(room - 1, 0) :]
        while cell_len(shown) > room - 1 > 0:
            shown = shown[1:]
        shown = f"…{shown}"
    return [shown] if path and (room >= MIN_FOLDER or shown == safe_path(path)) else []


def _no_sessions(project: str) -> str:
    from glassdex.indexing.homes import PROJECT
    from glassdex.projects import project_names

    if project != PROJECT and PROJECT in project_names():
        return f"no sessions in project {project}; in another: glassdex sessions list --project {PROJECT}"
    return "no sessions; index those of this machine's agents: glassdex index --sessions"


def page_lines(page: SessionPage, zone: tzinfo, calls: Mapping[int, str], *, raw: bool = False) -> Iterator[Text]:
    """Each message with its offset, and how to go on: `calls` has by its id the command that shows a session."""
    from rich.text import Text

    from glassdex.cli.terminal import safe, safe_line, squeezed

    session = page.session
    head = Text(f"{session.source}/{safe_line(session.name)}", "dim")
    yield head.append("  ").append(safe_line(session.title), "not dim bold")
    yield Text(_reach(page) + _origin(session), "dim")
    yield from _relatives(page, calls)
    for shown in page.messages:
        yield Text()
        yield message_line(shown, zone)
        yield Text(safe(shown.text if raw else squeezed(shown.text)))
    turns = [("previous", page.previous), ("next", page.next)]
    if page.previous or page.next:
        yield Text()
    for name, cursor in turns:
        if cursor:
            yield Text(f"{name + ':':<10}{calls[session.session_id]} --offset {cursor}")


def _reach(page: SessionPage) -> str:
    """`messages 20 to 39 of 614 (0 to 613)`."""
    if not page.messages:
        return "no messages of its own"
    last = page.offset + len(page.messages) - 1
    some = f"message {last}" if last == page.offset else f"messages {page.offset} to {last}"
    return f"{some} of {page.total} (0 to {page.total - 1})"


def _relatives(page: SessionPage, calls: Mapping[int, str]) -> Iterator[Text]:
    """The session that this one goes on from, and those of its sub-agents, each with the command that shows it."""
    from rich.text import Text

    from glassdex.cli.terminal import safe_line
    from glassdex.wording import counted

    if page.continues is not None:
        origin, offset = page.continues
        line = Text(f"it goes on from {origin.source}/{safe_line(origin.name)}: ", "dim")
        yield line.append(f"{calls[origin.session_id]} --offset {offset}", "not dim")
    if page.sub_agents:
        first = ", the first three" if len(page.sub_agents) > SHOWN_AGENTS else ""
        yield Text(f"{counted(len(page.sub_agents), 'sub-agent')}{first}:", "dim")
    for agent in page.sub_agents[:SHOWN_AGENTS]:
        yield Text(f"    {calls[agent.session_id]}")


def _origin(session: SessionRecord) -> str:
    from glassdex.cli.terminal import safe_line
    from glassdex.wording import counted

    if not session.copied:
        return ""
    origin = f" of {safe_line(session.forked_from)}" if session.forked_from else ""
    return f"; before them it tells {counted(session.copied, 'message')}{origin} once more"


def message_line(shown: SessionMessage, zone: tzinfo) -> Text:
    """`[1274] assistant · 2026-11-30 14:02:11 UTC · sub-agent`."""
    from rich.text import Text

    from glassdex.cli.terminal import safe_line

    message = shown.message
    who = safe_line(shortened(message.speaker)) if message.speaker else message.role.replace("_", " ")
    facts = [
        *([safe_line(shortened(message.tool))] if message.tool else []),
        *(["error"] if message.error else []),
        *(["injected"] if message.injected else []),
        *(["sub-agent"] if message.sidechain else []),
        when(message.sent_at, zone),
        *([f"{shown.left_out:,} characters left out, --full"] if shown.left_out else []),
        *([f"{shown.state}: not in its file as indexed"] if shown.state == "gone" else []),
    ]
    line = Text(f"[{shown.offset}] ", "dim").append(who, "not dim bold")
    return line.append("".join(f" · {fact}" for fact in facts))


def show_calls(opened: Project, sessions: Iterable[SessionHead]) -> dict[int, str]:
    """By a session's id the command that shows it, to be typed as it is: the project is named where it has to be."""
    import shlex

    from glassdex.cli.choose import default_project
    from glassdex.cli.terminal import safe_line

    names = {session.session_id: safe_line(opened.session_name(session)) for session in sessions}
    is_meant = not names or default_project(of_sessions=True) == opened.name
    project = "" if is_meant else f" --project {opened.name}"
    return {session_id: f"glassdex sessions show {shlex.quote(name)}{project}" for session_id, name in names.items()}


def shortened(name: str) -> str:
    """A name of a person, a tool or a folder, which a transcript may make as long as it likes."""
    return name if len(name) <= SHOWN_NAME else f"{name[: SHOWN_NAME - 1]}…"


def when(seconds: float | None, zone: tzinfo) -> str:
    """`2026-11-30 14:02:11 UTC`; what is unknown says so."""
    from datetime import datetime

    if seconds is None:
        return "time unknown"
    try:
        return f"{datetime.fromtimestamp(seconds, zone):%Y-%m-%d %H:%M:%S %Z}"
    except (ValueError, OverflowError, OSError):
        return "time unknown"
