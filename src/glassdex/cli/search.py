"""`glassdex search`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

import typer
from typer.core import TyperCommand

from glassdex.cli.choose import JsonOption, ProjectOption

if TYPE_CHECKING:
    from glassdex.search.engine import Execution
    from glassdex.search.request import Mode

EXIT_NOTHING_FOUND = 1
EXAMPLES = """\b
Examples:
  glassdex search "why is the embedding model swappable"
  glassdex search '"exact phrase" title:backup -draft' --explain
  glassdex search backups --path 'decisions/' --tag ops --since 2026-01-01
  glassdex search backups --json | jq -r '.results[].matches[0].pointer'"""
DASH_MARK = "\ufdd0"
"""Stands for a leading dash that belongs to the query; a noncharacter that no text holds."""


class SearchCommand(TyperCommand):
    """The command whose words may begin with a dash: `-word` and `-"a phrase"` exclude, they are no options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - click's context, wherever it lives
        """Marks the words of the query that begin with a dash, then parses as usual."""
        takers = {name for option in self.params if not getattr(option, "is_flag", True) for name in option.opts}
        known = {name for option in self.params for name in option.opts} | set(ctx.help_option_names)
        return super().parse_args(ctx, mark_dashed_words(args, known, takers))


def mark_dashed_words(arguments: list[str], options: set[str], takers: set[str]) -> list[str]:
    """`arguments` with the dash of each query word replaced by `DASH_MARK`.

    A word with one dash is an option only if it is a known one, or `-n20`; behind `--` everything is a word.
    `takers` are the options whose next argument is their value.
    """
    marked: list[str] = []
    only_words = is_value = False
    for argument in arguments:
        dashed = len(argument) > 1 and argument[0] == "-"
        attached = argument[:2] in takers and argument[2:].isdecimal()
        is_option = argument in options or argument.startswith("--") or attached
        if not is_value and dashed and (only_words or not is_option):
            argument = DASH_MARK + argument[1:]  # noqa: PLW2901
        marked.append(argument)
        is_value = not (only_words or is_value) and argument in takers
        only_words = only_words or argument == "--"
    return marked


def search(
    query: list[str] = typer.Argument(
        None,
        metavar="[QUERY]...",
        help='Words, a "quoted phrase" that must occur, -word that must not, title:word. Without any, or with -: '
        "standard input.",
        show_default=False,
    ),
    mode: str = typer.Option("hybrid", metavar="MODE", help="hybrid, lexical (words) or dense (meaning)."),
    limit: int = typer.Option(
        None, "--limit", "-n", metavar="N", help="Documents a page, 1 to 1000.  [default: 10]", show_default=False
    ),
    page: int = typer.Option(1, metavar="N", help="Which page, from 1."),
    path: list[str] = typer.Option(
        [], metavar="PATTERN", help="Only documents there, as in .gitignore: 'notes/', '*.md'. Repeatable."
    ),
    tag: list[str] = typer.Option([], metavar="TAG", help="Only with this tag, or one below it. Repeatable."),
    kind: list[str] = typer.Option([], metavar="KIND", help="Only entity, observation or relation rows. Repeatable."),
    since: str = typer.Option(
        None, metavar="DATE", help="Only documents dated then or later: 2026-01-31.", show_default=False
    ),
    until: str = typer.Option(
        None, metavar="DATE", help="Only documents dated then or earlier; a day counts whole.", show_default=False
    ),
    min_similarity: float = typer.Option(
        None, metavar="COSINE", help="Drop hits below this cosine, -1 to 1.", show_default=False
    ),
    min_score: float = typer.Option(
        None, metavar="SCORE", help="Drop hits below this final score.", show_default=False
    ),
    fusion: str = typer.Option(
        None, metavar="NAME", help="convex/1, rrf/1 or bonus/1.  [default: convex/1]", show_default=False
    ),
    explain: bool = typer.Option(False, "--explain", help="Show the pipeline, and each result's ranks and scores."),
    max_candidates: int = typer.Option(
        None,
        metavar="N",
        min=0,
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
            fusion=settings.fusion if fusion is None else fusion,
        )
        name = opened.name
    if as_json:
        print_answer(execution, name, explain=explain, max_candidates=max_candidates)
    elif only_paths:
        _print_paths(execution)
    else:
        _print_results(execution, explain=explain)
    if not execution.results or execution.verdict.status == "nothing_relevant":
        raise typer.Exit(EXIT_NOTHING_FOUND)


def print_answer(
    execution: Execution, project: str, *, explain: bool = False, max_candidates: int | None = None
) -> None:
    """The `glassdex.search/1` envelope."""
    from glassdex.cli.terminal import print_json
    from glassdex.envelopes.search import search_answer

    print_json(search_answer(execution, project, explain=explain, max_candidates=max_candidates).to_json())


def _print_paths(execution: Execution) -> None:
    from glassdex.cli.terminal import safe_path, say

    if execution.results:
        say(*(safe_path(result.path) for result in execution.results))


def _print_results(execution: Execution, *, explain: bool) -> None:
    from glassdex.cli.render_search import render
    from glassdex.cli.terminal import console

    render(execution, console(), explain=explain)


def _query_text(words: list[str]) -> str:
    from glassdex.errors import InvalidRequest

    if words and words != ["-"]:
        return " ".join("-" + word[1:] if word.startswith(DASH_MARK) else word for word in words)
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidRequest("there is no query", "glassdex search WORDS, or pipe the query to standard input")
    return sys.stdin.buffer.read().decode("utf-8", "replace").strip()
