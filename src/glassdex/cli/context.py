"""`glassdex context`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import typer

from glassdex.cli.asking import (
    FILTERS,
    PLACES,
    RANKING,
    SESSIONS,
    MaxCandidatesOption,
    asks,
)
from glassdex.cli.choose import JsonOption, ProjectOption
from glassdex.cli.search import EXIT_NOTHING_FOUND, query_text
from glassdex.search.request import SearchOptions

if TYPE_CHECKING:
    from glassdex.context.packed import Context

EXAMPLES = """\b
Examples:
  glassdex context "add a second embedding provider"
  glassdex context "how do we restore a backup" --budget 4000 --path runbooks/
  glassdex context "quarterly revenue" --in report.pdf --pages 20-40 --json"""
SHOWN_LEFT_OUT = 10


@asks(FILTERS, PLACES, SESSIONS, RANKING)
def context(
    task: list[str] = typer.Argument(
        None,
        metavar="[TASK]...",
        help="What is to be done or answered, in words, as a query of `glassdex search`. With -, or nothing: standard "
        "input.",
        show_default=False,
    ),
    *,
    options: SearchOptions,
    budget: int = typer.Option(
        None,
        "--budget",
        "-b",
        metavar="TOKENS",
        help="At most so many tokens of the shipped tokenizer (WordPiece), headers included, 50 to 200000.  "
        "[default: 2000]",
        show_default=False,
    ),
    anyway: bool = typer.Option(
        False, "--anyway", help="Pack passages even where the verdict is that nothing is relevant."
    ),
    explain: bool = typer.Option(False, "--explain", help="Show the pipeline of the search first."),
    max_candidates: int = MaxCandidatesOption,
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Gather the passages worth reading for a task, within a budget of tokens.

    Standard output has the passages, each below its number, place, pointer and the reason it is there; what is left out
    is listed on standard error.

    Exit code 0: passages are packed and the verdict is ok or weak; 1: no passage is packed, or the verdict is another
    one, also where --anyway packs passages all the same; 2: the request is wrong; 3: something is unavailable.
    """
    from glassdex.cli.choose import chosen_project

    text = query_text(task or [], options, "context")
    with chosen_project(project) as opened:
        packed = opened.context(text, budget=budget, anyway=anyway, **options)
        name = opened.name
    if as_json:
        from glassdex.cli.terminal import print_json
        from glassdex.envelopes.context import context_answer

        print_json(context_answer(packed, name, explain=explain, max_candidates=max_candidates).to_json())
    else:
        _print(packed, explain=explain)
    if not packed.passages or packed.execution.verdict.status not in ("ok", "weak"):
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _print(packed: Context, *, explain: bool) -> None:
    """The passages, exactly as they were counted; everything about them on standard error.

    A verdict that warns comes before them.
    """
    from glassdex.cli.render_search import print_overview, verdict_line
    from glassdex.cli.terminal import console

    verdict = [] if explain else [verdict_line(packed.execution).plain]
    warns = packed.execution.verdict.status != "ok"
    if explain:
        out = console()
        print_overview(packed.execution, out)
        out.print()
    if warns:
        _complain(verdict)
    sys.stdout.write(packed.text)
    sys.stdout.flush()
    if packed.passages and sys.stdout.isatty() and sys.stderr.isatty():
        _complain([""])
    _complain([*([] if warns else verdict), *_about(packed, explain=explain)])


def _complain(lines: Sequence[str]) -> None:
    """Lines on standard error, folded between words where it is a terminal: pointers stay whole."""
    from glassdex.cli.terminal import complain, console

    if not sys.stderr.isatty():
        complain(*lines) if lines else None
        return
    width = console(to_stderr=True).width
    folded = [wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""] for line in lines]
    if folded:
        complain(*(part for parts in folded for part in parts))


def _about(packed: Context, *, explain: bool) -> list[str]:
    from glassdex.cli.render_search import warnings
    from glassdex.cli.terminal import safe_line, safe_path
    from glassdex.context.pack import WEAK
    from glassdex.wording import counted

    lines = [] if explain else [line.plain for line in warnings(packed.execution)]
    lines += [safe_line(note) for note in packed.notes]
    if packed.state == "nothing_relevant":
        lines.append(f"{counted(packed.withheld, 'passage')} withheld: --anyway packs them")
    if packed.state == "budget_too_small":
        lines.append(f"no passage fits into {packed.budget:,} tokens: the best one takes --budget {packed.needed}")
    elif packed.needed is not None:
        lines.append(f"the best passage does not fit: it takes --budget {packed.needed} by itself")
    if packed.passages:
        count = counted(len(packed.passages), "passage")
        lines.append(f"{count}, {packed.used:,} of {packed.budget:,} tokens by {packed.tokenizer}")
    listed = [left_out for left_out in packed.left_out if left_out.reason != "weak"]
    for left_out in listed[:SHOWN_LEFT_OUT]:
        why = f"as [{left_out.same_text_as}]" if left_out.same_text_as else counted(left_out.tokens, "token")
        lines.append(f"left out: rank {left_out.rank}, {why}  {safe_path(left_out.pointer)}")
    more, weak = len(listed) - SHOWN_LEFT_OUT, len(packed.left_out) - len(listed)
    if more > 0:
        lines.append(f"and {more:,} more left out: --json lists them all")
    if weak:
        lines.append(f"{counted(weak, 'passage')} left out as weak: below {WEAK:g} of the best score")
    return lines
