"""A search over several projects on the command line."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from glassdex.search.request import SearchOptions

if TYPE_CHECKING:
    from glassdex.cli.search import Shown
    from glassdex.inspection.ladder import WhyNot
    from glassdex.several.execution import SeveralExecution

EXIT_NOTHING_FOUND = 1
EXIT_UNAVAILABLE = 3


@dataclass(frozen=True, slots=True)
class AskedAll:
    """A search that was run. `ladders` has one for each watched document.

    `calls` has by project and id what shows a session, `usual_limit` is the limit of a command that names none.
    """

    execution: SeveralExecution
    ladders: tuple[WhyNot, ...]
    names: tuple[str, ...]
    calls: Mapping[tuple[str, int], str]
    usual_limit: int


def ask(text: str, options: SearchOptions, watch: Sequence[str], names: Sequence[str]) -> AskedAll:
    """Runs the search in the projects of these names."""
    from glassdex.cli.sessions import show_calls
    from glassdex.several.projects import Projects

    options["watch"] = tuple(watch)
    with Projects.open(names) as opened:
        execution = opened.search(text, **options)
        calls = {}
        for project in opened.projects:
            own = [found.result.session for found in execution.results if found.project == project.name]
            made = show_calls(project, [session for session in own if session])
            calls.update({(project.name, session_id): call for session_id, call in made.items()})
        ladders = tuple(execution.why_not(document) for document in watch)
        return AskedAll(execution, ladders, tuple(names), calls, opened.default_limit())


def print_all(asked: AskedAll, shown: Shown) -> None:
    """The envelope, or the results for people, and what was asked for besides them."""
    from glassdex.cli.terminal import console, print_json

    done = asked.execution
    if shown.as_json:
        from glassdex.envelopes.several import several_answer

        missed = {name: one.misses(None) for name, one in done.answered} if shown.misses else None
        answer = several_answer(
            done, explain=shown.explain, max_candidates=shown.max_candidates, missed=missed, ladders=asked.ladders
        )
        print_json(answer.to_json())
        return
    from glassdex.cli.render_ladder import render_ladder
    from glassdex.cli.render_misses import render_misses
    from glassdex.cli.render_several import print_heading, render_several, render_traces

    out = console()
    if shown.candidates:
        render_traces(done, out, shown.max_candidates)
    else:
        render_several(done, out, explain=shown.explain, calls=asked.calls)
    if shown.misses:
        for name, execution in done.answered:
            print_heading(name, out)
            render_misses(execution.misses(), execution.ledger.scope_filters, out, f"{name}:")
    for ladder in asked.ladders:
        render_ladder(ladder, out, asked.names, asked.usual_limit)


def print_paths(asked: AskedAll) -> None:
    """The paths of the documents, each with its project; what is to be doubted, on standard error."""
    from glassdex.cli.render_several import combined_line, outcome_line
    from glassdex.cli.terminal import complain, safe_path, say

    done = asked.execution
    if done.results:
        say(*dict.fromkeys(f"{found.project}:{safe_path(found.result.path)}" for found in done.results))
    sys.stdout.flush()
    if done.verdict.status != "ok":
        complain(combined_line(done).plain)
    if done.failed:
        complain(*(outcome_line(outcome).plain for outcome in done.failed))


def leave(asked: AskedAll) -> None:
    """The exit code: a project that failed is told by it, whatever the others found."""
    done = asked.execution
    if done.failed:
        raise typer.Exit(EXIT_UNAVAILABLE)
    if not done.results or done.verdict.status not in ("ok", "weak"):
        raise typer.Exit(EXIT_NOTHING_FOUND)
