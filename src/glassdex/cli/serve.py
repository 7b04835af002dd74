"""`glassdex serve`."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from glassdex.cli.choose import ProjectOption
from glassdex.cli.index import PasswordOption, given_passwords

PORT = 7323
TOKEN_VARIABLE = "GLASSDEX_TOKEN"  # noqa: S105 - its name
EXAMPLES = """\b
Examples:
  glassdex serve
  curl 'http://127.0.0.1:7323/api/v1/search?query=backups'
  glassdex serve --host 192.0.2.7 --token-file ~/.glassdex-token"""


def serve(
    host: str = typer.Option(
        "127.0.0.1", metavar="ADDRESS", help="Where to listen. Beyond this machine a token is needed."
    ),
    port: int = typer.Option(PORT, metavar="N", min=0, max=65535, help="Which port; 0 is any free one."),
    token_file: Path = typer.Option(
        None,
        "--token-file",
        metavar="FILE",
        help=f"Ask every request for the token in this file; {TOKEN_VARIABLE} holds one, too.",
        show_default=False,
    ),
    allow_host: list[str] = typer.Option(
        [], "--allow-host", metavar="NAME", help="Answer under this name as well. Repeatable."
    ),
    log_queries: bool = typer.Option(False, "--log-queries", help="Write the queries to the log, too."),
    password: list[str] = PasswordOption,
    project: str = ProjectOption,
) -> None:
    """Answer in the browser and over HTTP: the same questions and the same answers as here.

    The address is printed: pages for people, and below /api/v1/ JSON, described at /api/v1/openapi.json. The log is
    JSON, a line each, on standard error, without what was asked. Ctrl-C and SIGTERM end it with code 0; an indexing run
    ends with the files that it is at.

    Needs glassdex[server].
    """
    _require()
    from glassdex.cli.terminal import say
    from glassdex.project import Project
    from glassdex.server.app import create_app
    from glassdex.server.config import make_config
    from glassdex.server.listening import bound_socket, serve, url_of
    from glassdex.server.pages.inspector import add_inspector

    config = make_config(
        host,
        token=given_token(token_file),
        allowed=allow_host,
        project=project,
        passwords=given_passwords(password),
        log_queries=log_queries,
    )
    if project is not None:
        Project.open(project).close()
    with bound_socket(host, port) as listening:
        url = url_of(listening)

        def tell() -> None:
            import sys

            say(f"Glassdex answers at {url}/ (the API at {url}/api/v1/; Ctrl-C ends it)")
            sys.stdout.flush()

        serve(create_app(config, add_pages=add_inspector), listening, tell)


def _require() -> None:
    """Says how to get what is missing before anything else is done."""
    from glassdex.errors import MissingExtra

    try:
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtra(f"serving needs {error.name}", "pip install 'glassdex[server]'") from error


def given_token(file: Path | None) -> str | None:
    """The token in that file, or that of the environment.

    Raises:
        InvalidRequest: the file cannot be read, or is empty.
    """
    from glassdex.errors import InvalidRequest

    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        text = file.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidRequest(f"the token file {file} cannot be read: {reason}", "name a file with one word") from error
    if not text:
        raise InvalidRequest(f"the token file {file} is empty", "write the token into it")
    return text
