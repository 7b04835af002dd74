"""`glassdex search`."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from glassdex.cli.asking import (
    FILTERS,
    OFF,
    PLACES,
    RANKING,
    SESSIONS,
    MaxCandidatesOption,
    MissesOption,
    QueryArgument,
    WatchOption,
    asks,
)
from glassdex.cli.choose import AllProjectsOption, JsonOption, ProjectsOption, several_named
from glassdex.search.request import TRADE_OFF, SearchOptions

if TYPE_CHECKING:
    from glassdex.answers.search import Searched
    from glassdex.inspection.execution import Execution

EXIT_NOTHING_FOUND = 1
EXAMPLES = """\b
Examples:
  glassdex search "why is the embedding model swappable"
  glassdex search '"exact phrase" title:backup -draft' --explain
  glassdex search backups --path 'decisions/' --tag ops --since 2026-01-01
  glassdex search backups -p notes -p work
  glassdex search backups --json | jq -r '.results[].matches[0].pointer'"""
DASH_MARK = "\ufdd0"
"""Stands for a leading dash that belongs to the query; a noncharacter that no text holds."""


class SearchCommand(TyperCommand):
    """A command whose words may begin with a dash: `-word` and `-"a phrase"` exclude, `-draft.md` is a file's name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - click's context, wherever it lives
        """Marks the words that begin with a dash and are no options, then parses as usual."""
        takers = {name for option in self.params if not getattr(option, "is_flag", True) for name in option.opts}
        known = {name for option in self.params for name in option.opts} | set(ctx.help_option_names)
        return super().parse_args(ctx, mark_dashed_words(with_trade_off(args), known, takers))


def with_trade_off(arguments: list[str]) -> list[str]:
    """`arguments` with the usual trade-off behind each `--diversify` that neither a number nor `off` follows."""
    options = arguments.index("--") if "--" in arguments else len(arguments)
    completed: list[str] = []
    for position, argument in enumerate(arguments):
        completed.append(argument)
        if (
            argument == "--diversify"
            and position < options
            and not _is_trade_off(arguments[position + 1 : position + 2])
        ):
            completed.append(f"{TRADE_OFF:g}")
    return completed


def _is_trade_off(following: list[str]) -> bool:
    if following == [OFF]:
        return True
    try:
        return bool(following) and math.isfinite(float(following[0]))
    except ValueError:
        return False


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


@asks(FILTERS, PLACES, SESSIONS, RANKING)
def search(
    query: list[str] = QueryArgument,
    *,
    options: SearchOptions,
    explain: bool = typer.Option(
        False,
        "--explain",
        help="Show the pipeline, and each result's rank and score after each stage: L lexical, D dense, F fused, "
        "P feedback, N neighbourhood, W weights, G links, R reranked, M diversified (maximal marginal relevance).",
    ),
    show_misses: bool = MissesOption,
    watch: list[str] = WatchOption,
    max_candidates: int = MaxCandidatesOption,
    only_paths: bool = typer.Option(
        False,
        "--paths",
        "-l",
        help="Print only the paths of the documents, one a line; what is to be doubted, on standard error.",
    ),
    project: list[str] = ProjectsOption,
    all_projects: bool = AllProjectsOption,
    as_json: bool = JsonOption,
) -> None:
    """Search by words and by meaning.

    Exit code 0: found; 1: nothing found, or nothing to rely on; 2: the request is wrong; 3: something is unavailable,
    of several projects also one alone.
    """
    if only_paths:
        _refuse_beside_paths(
            {
                "--explain": explain,
                "--show-misses": show_misses,
                "--watch": bool(watch),
                "--max-candidates": max_candidates is not None,
                "--json": as_json,
            }
        )
    several = several_named(project, every=all_projects)
    if several is not None:
        from glassdex.cli import several as together

        asked_all = together.ask(query_text(query or [], options), options, watch, several)
        if only_paths:
            together.print_paths(asked_all)
        else:
            shown = Shown(as_json=as_json, explain=explain, misses=show_misses, max_candidates=max_candidates)
            together.print_all(asked_all, shown)
        together.leave(asked_all)
        return
    named = project[0] if project else None
    asked = ask(query or [], options, watch, named)
    execution = asked.execution
    if as_json:
        print_answer(asked.done, explain=explain, show_misses=show_misses, max_candidates=max_candidates)
    elif only_paths:
        _print_paths(execution)
    else:
        _print_results(execution, asked.calls, explain=explain)
        print_views(asked, show_misses=show_misses, project=named)
    leave_unless_found(execution)


@dataclass(frozen=True, slots=True)
class Asked:
    """A search that was run; `calls` has by its id what shows a session.

    `usual_limit` is the limit of a command that names none.
    """

    done: Searched
    calls: Mapping[int, str]
    usual_limit: int

    @property
    def execution(self) -> Execution:
        """The search itself."""
        return self.done.execution


@dataclass(frozen=True, slots=True)
class Shown:
    """What of a search over several projects is printed; `candidates`: the whole trace of each."""

    as_json: bool
    explain: bool
    misses: bool
    max_candidates: int | None
    candidates: bool = False


def ask(words: list[str], options: SearchOptions, watch: Sequence[str], project: str | None) -> Asked:
    """Runs the search."""
    from glassdex.answers import search as answers
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.sessions import show_calls

    text = query_text(words, options)
    with chosen_project(project) as opened:
        done = answers.search(opened, text, options, watch)
        calls = show_calls(opened, [result.session for result in done.execution.results if result.session])
        return Asked(done, calls, opened.default_limit())


def _refuse_beside_paths(given: Mapping[str, bool]) -> None:
    """A list of paths has no place for what else was asked for, and dropping it in silence would mislead."""
    from glassdex.errors import InvalidRequest

    asked = " and ".join(name for name, is_given in given.items() if is_given)
    if asked:
        raise InvalidRequest(f"--paths prints paths and nothing else, not {asked}", f"leave out --paths, or {asked}")


def leave_unless_found(execution: Execution) -> None:
    """The exit code of a search that found nothing to rely on."""
    if not execution.results or execution.verdict.status not in ("ok", "weak"):
        raise typer.Exit(EXIT_NOTHING_FOUND)


def print_answer(
    done: Searched, *, explain: bool = False, show_misses: bool = False, max_candidates: int | None = None
) -> None:
    """The `glassdex.search/1` envelope."""
    from glassdex.cli.terminal import print_json

    print_json(done.answer(explain=explain, show_misses=show_misses, max_candidates=max_candidates).to_json())


def print_views(asked: Asked, *, show_misses: bool, project: str | None = None) -> None:
    """What was asked for besides the results: the misses, and a ladder for each watched document."""
    from glassdex.cli.render_ladder import render_ladder
    from glassdex.cli.render_misses import render_misses
    from glassdex.cli.terminal import console

    out = console()
    if show_misses:
        render_misses(asked.execution.misses(), asked.execution.ledger.scope_filters, out)
    for ladder in asked.done.ladders:
        render_ladder(ladder, out, project, asked.usual_limit)


def _print_paths(execution: Execution) -> None:
    from glassdex.cli.terminal import complain, safe_path, say

    if execution.results:
        say(*dict.fromkeys(safe_path(result.path) for result in execution.results))
    if execution.verdict.status != "ok":
        from glassdex.cli.render_search import verdict_line

        sys.stdout.flush()
        complain(verdict_line(execution).plain)


def _print_results(execution: Execution, calls: Mapping[int, str], *, explain: bool) -> None:
    from glassdex.cli.render_search import render
    from glassdex.cli.terminal import console

    render(execution, console(), explain=explain, calls=calls)


def query_text(words: list[str], options: SearchOptions, command: str = "search") -> str:
    """The query that the words of the command line make; without any, standard input.

    Where a document or a place in one is named, no words ask for what stands there.
    """
    from glassdex.errors import InvalidRequest
    from glassdex.search.request import SearchRequest

    if words and words != ["-"]:
        return " ".join(as_typed(word) for word in words)
    request = SearchRequest("", **options)
    if not words and (request.in_document is not None or request.places_named):
        return ""
    if sys.stdin is None or sys.stdin.isatty():
        raise InvalidRequest("there is no query", f"glassdex {command} WORDS, or pipe the query to standard input")
    return sys.stdin.buffer.read().decode("utf-8", "replace").strip()


def as_typed(word: str) -> str:
    """A word of the command line with its leading dash, if it had one."""
    return "-" + word[1:] if word.startswith(DASH_MARK) else word
