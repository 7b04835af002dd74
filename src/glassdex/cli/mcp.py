"""`glassdex mcp`."""

from __future__ import annotations

from pathlib import Path

import typer

from glassdex.cli.choose import ProjectOption
from glassdex.cli.index import PasswordOption, given_passwords

PORT = 7324
EXAMPLES = """\b
Examples:
  claude mcp add glassdex -- glassdex mcp --project notes
  glassdex mcp --http --port 7324
  glassdex mcp --call-budget 8"""


def mcp(
    http: bool = typer.Option(False, "--http", help="Answer over streamable HTTP instead of standard input."),
    host: str = typer.Option(
        "127.0.0.1", metavar="ADDRESS", help="With --http: where to listen. Beyond this machine a token is needed."
    ),
    port: int = typer.Option(PORT, metavar="N", min=0, max=65535, help="With --http: which port; 0 is any free one."),
    token_file: Path = typer.Option(
        None,
        "--token-file",
        metavar="FILE",
        help="With --http: ask every request for the token in this file; GLASSDEX_TOKEN holds one, too.",
        show_default=False,
    ),
    allow_host: list[str] = typer.Option(
        [], "--allow-host", metavar="NAME", help="With --http: answer under this name as well. Repeatable."
    ),
    call_budget: int = typer.Option(
        None,
        "--call-budget",
        metavar="N",
        min=1,
        help="At most so many searches a conversation; then an error says to answer from what was found.",
        show_default=False,
    ),
    password: list[str] = PasswordOption,
    project: str = ProjectOption,
) -> None:
    """Answer agents by the Model Context Protocol.

    Read-only tools: search, context, inspect_query, why_not, open, inspect_chunks, neighbors, list_documents,
    list_sessions, show_session, status. They see the named project alone, or that of the current folder; outside of
    all, a call may name one where there are several. Without --http an agent's program starts this and talks to it
    over standard input and output.

    Needs glassdex[mcp].
    """
    _require()
    from glassdex.mcp.answering import Answering
    from glassdex.project import Project
    from glassdex.projects import project_containing
    from glassdex.server.config import make_config
    from glassdex.server.services import Services

    if project is not None:
        Project.open(project).close()
    pinned = project if project is not None else project_containing(Path.cwd())
    if not http:
        from glassdex.mcp.stdio import serve_stdio

        config = make_config("127.0.0.1", project=pinned, passwords=given_passwords(password))
        answering = Answering(Services(config), pinned, call_budget)
        _tell_a_person()
        try:
            serve_stdio(answering)
        finally:
            answering.services.close()
        return
    from glassdex.cli.serve import given_token
    from glassdex.cli.terminal import say
    from glassdex.mcp.http import PATH, serve_http
    from glassdex.server.listening import bound_socket, url_of

    config = make_config(
        host, token=given_token(token_file), allowed=allow_host, project=pinned, passwords=given_passwords(password)
    )
    answering = Answering(Services(config), pinned, call_budget)
    with bound_socket(host, port) as listening:
        url = url_of(listening)

        def tell() -> None:
            import sys

            say(f"Glassdex answers agents at {url}{PATH} (Ctrl-C ends it)")
            sys.stdout.flush()

        try:
            serve_http(answering, listening, tell)
        finally:
            answering.services.close()


def _tell_a_person() -> None:
    """Nothing happens in a terminal: a program was meant to be there."""
    import sys

    if sys.stdin is not None and sys.stdin.isatty():
        from glassdex.cli.terminal import complain

        complain("an agent's program talks to this over standard input; docs/mcp.md has its settings (Ctrl-C ends it)")


def _require() -> None:
    """Says how to get what is missing before anything else is done."""
    from importlib.util import find_spec

    from glassdex.errors import MissingExtra

    missing = [name for name in ("mcp", "mcp_types", "fastapi", "uvicorn") if find_spec(name) is None]
    if missing:
        raise MissingExtra(f"answering agents needs {' and '.join(missing)}", "pip install 'glassdex[mcp]'")
