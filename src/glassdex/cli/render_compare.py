"""A comparison for people: the measures, the stages that moved documents, and each document that moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from glassdex.cli.render_eval import described, difference_table
from glassdex.cli.render_search import print_line
from glassdex.cli.terminal import safe_line
from glassdex.evaluation.compare import Comparison, Move, QueryComparison, StageSummary
from glassdex.wording import counted

QUERIES = 20
"""Queries that are printed; the others are in `--json` and with `--all`."""


def render_comparison(found: Comparison, warnings: Sequence[str], out: Console, *, every: bool) -> None:
    """Prints a comparison."""
    for name, run in (("A", found.a), ("B", found.b)):
        print_line(Text(f"{name}  {described(run)}"), out)
    if found.measures:
        out.print(difference_table(found.measures, ("A", "B")))
    moved = [query for query in found.queries if query.moves]
    print_line(
        Text(f"{len(moved)} of {counted(len(found.queries), 'query', 'queries')} changed among the first {found.top}"),
        out,
    )
    if found.stages:
        out.print(_stages(found.stages))
    shown = moved if every else moved[:QUERIES]
    for query in shown:
        _query(query, out)
    if len(moved) > len(shown):
        print_line(Text(f"and {len(moved) - len(shown)} more queries: --all", style="dim"), out)
    for name, only in (("A", found.only_a), ("B", found.only_b)):
        if only:
            print_line(Text(f"only in {name}: {counted(len(only), 'query', 'queries')}", style="yellow"), out)
    for warning in warnings:
        print_line(Text(f"warning: {safe_line(warning)}", style="yellow"), out)


def _stages(stages: Iterable[StageSummary]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("stage")
    for name in ("queries", "moves", "up", "down", "entered", "left", "relevant up", "relevant down"):
        table.add_column(name, justify="right")
    for summary in stages:
        figures = (summary.queries, summary.moves, summary.up, summary.down, summary.entered, summary.left)
        table.add_row(safe_line(summary.stage), *map(str, (*figures, summary.relevant_up, summary.relevant_down)))
    return table


def _query(query: QueryComparison, out: Console) -> None:
    print_line(Text(safe_line(query.query), style="bold"), out)
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1))
    table.add_column(justify="right", no_wrap=True, min_width=6)
    table.add_column(justify="right", no_wrap=True, min_width=4)
    table.add_column(overflow="fold", ratio=3)
    table.add_column(overflow="fold", ratio=4)
    for move in query.moves:
        style = "green" if move.is_gain else "red"
        judged = "" if move.grade is None else f" [grade {move.grade}]"
        table.add_row(
            _rank(move.rank_a),
            Text(_rank(move.rank_b), style=style),
            Text(safe_line(move.document)).append(judged, style="blue"),
            Text(_why(move), style="dim"),
        )
    out.print(table)


def _why(move: Move) -> str:
    pushed = ", pushed by others" if move.pushed else ""
    return f"{safe_line(move.stage)}: {safe_line(move.detail)}{pushed}"


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)
