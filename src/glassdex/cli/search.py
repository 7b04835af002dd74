"""`glassdex search`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import typer

from glassdex.cli.choose import JsonOption, ProjectOption

if TYPE_CHECKING:
    from glassdex.search.engine import Execution
    from glassdex.search.request import Mode

DASH_MARK = "\ufdd0"
"""Stands for a leading dash that belongs to the query; a noncharacter that no text holds."""


def search(
    query: list[str] = typer.Argument(
        None,
        help='Words, a "quoted phrase" that must occur, -word that must not, title:word. Without any: standard input.',
        show_default=False,
    ),
    mode: str = typer.Option("hybrid", help="hybrid, lexical (words) or dense (meaning)."),
    limit: int = typer.Option(None, "--limit", "-n", help="Documents a page.  [default: 10]", show_default=False),
    page: int = typer.Option(1, help="Which page, from 1."),
    path: list[str] = typer.Option([], help="Only documents there, as in .gitignore: 'notes/', '*.md'. Repeatable."),
    tag: list[str] = typer.Option([], help="Only with this tag, or one below it. Repeatable."),
    kind: list[str] = typer.Option([], help="Only entity, observation or relation rows. Repeatable."),
    since: str = typer.Option(None, help="Only documents dated then or later: 2026-01-31.", show_default=False),
    until: str = typer.Option(
        None, help="Only documents dated then or earlier; a day counts whole.", show_default=False
    ),
    min_similarity: float = typer.Option(None, help="Drop hits below this cosine (-1..1).", show_default=False),
    min_score: float = typer.Option(None, help="Drop hits below this final score.", show_default=False),
    fusion: str = typer.Option(None, help="convex/1, rrf/1 or bonus/1.  [default: convex/1]", show_default=False),
    explain: bool = typer.Option(False, "--explain", help="Show the pipeline, and each result's ranks and scores."),
    max_candidates: int = typer.Option(
        None,
        help="With --explain --json: list at most so many candidates; the returned ones always.",
        show_default=False,
    ),
    only_paths: bool = typer.Option(False, "--paths", "-l", help="Print the paths of the documents and nothing else."),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Search by words and by meaning.

    Exit code 0: found; 1: nothing found; 2: the request is wrong; 3: something is unavailable.
    """
    from glassdex.cli.choose import chosen_project
    from glassdex.settings import load_settings

    text = _query_text(query or [])
    settings = load_settings()
    with chosen_project(project) as opened:
        execution = opened.search(
            text,
            mode=cast("Mode", mode),
            limit=settings.limit if limit is None else limit,
            page=page,
            paths=tuple(path),
            tags=tuple(tag),
            kinds=tuple(kind),
            since=since,
            until=until,
            min_similarity=min_similarity,
            min_score=min_score,
            fusion=fusion or settings.fusion,
        )
        _print(execution, opened.name, explain, max_candidates, only_paths, as_json)
    if not execution.results or execution.verdict.status not in ("ok", "weak"):
        raise typer.Exit(1)


def _print(
    execution: Execution,
    project: str,
    explain: bool,
    max_candidates: int | None,
    only_paths: bool,
    as_json: bool,
) -> None:
    from glassdex.cli.terminal import console, print_json, safe

    if as_json:
        from glassdex.envelopes.search import search_answer

        print_json(search_answer(execution, project, explain=explain, max_candidates=max_candidates).to_json())
    elif only_paths:
        for result in execution.results:
            print(safe(result.path))  # noqa: T201
    else:
        from glassdex.cli.render_search import render

        render(execution, console(), explain=explain)


def _query_text(words: list[str]) -> str:
    for word in words:
        if word.startswith("--") and len(word) > 2:
            raise typer.BadParameter(f"no such option: {word}. For a query that begins so: glassdex search -- {word}")
    if words and words != ["-"]:
        return " ".join("-" + word[1:] if word.startswith(DASH_MARK) else word for word in words)
    if sys.stdin is None or sys.stdin.isatty():
        raise typer.BadParameter("give a query, or pipe one to standard input")
    return sys.stdin.buffer.read().decode("utf-8", "replace").strip()
