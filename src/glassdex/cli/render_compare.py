"""A comparison for people: the measures, the stages that moved documents, and each document that moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from glassdex.cli.render_eval import WIDE, described, difference_table, table_within
from glassdex.cli.render_search import print_line
from glassdex.cli.terminal import safe_line
from glassdex.evaluation.compare import Comparison, Move, QueryComparison, StageSummary
from glassdex.wording import counted

QUERIES = 20
"""Queries that are printed; the others are in `--json` and with `--all`."""
MARGIN = len("     A    B  ")
LEGEND = "STAGE: 9 → 7 says where the document stood after that stage, in A and in B; the columns are its final ranks"


def render_comparison(found: Comparison, warnings: Sequence[str], out: Console, *, every: bool) -> None:
    """Prints a comparison."""
    for name, run in (("A", found.a), ("B", found.b)):
        print_line(Text(f"{name}  {described(run)}"), out)
    if found.measures:
        out.print(difference_table(found.measures, ("A", "B"), out.width))
    moved = [query for query in found.queries if query.moves]
    print_line(
        Text(f"{len(moved)} of {counted(len(found.queries), 'query', 'queries')} changed among the first {found.top}"),
        out,
    )
    if found.stages:
        out.print(_stages(found.stages, out.width))
    shown = moved if every else moved[:QUERIES]
    for query in shown:
        _query(query, out)
    if len(moved) > len(shown):
        print_line(Text(f"and {len(moved) - len(shown)} more queries: --all", style="dim"), out)
    if shown:
        print_line(Text(LEGEND, style="dim"), out)
    for name, only in (("A", found.only_a), ("B", found.only_b)):
        if only:
            print_line(Text(f"only in {name}: {counted(len(only), 'query', 'queries')}", style="yellow"), out)
    for warning in warnings:
        print_line(Text(f"warning: {safe_line(warning)}", style="yellow"), out)


def _stages(stages: Iterable[StageSummary], width: int) -> Table:
    relevant = "relevant" if width >= WIDE else "rel."
    table = table_within(width)
    table.add_column("stage", no_wrap=True)
    for name in ("queries", "moves", "up", "down", "entered", "left", f"{relevant}\nup", f"{relevant}\ndown"):
        table.add_column(name, justify="right", no_wrap=True)
    for summary in stages:
        figures = (summary.queries, summary.moves, summary.up, summary.down, summary.entered, summary.left)
        table.add_row(safe_line(summary.stage), *map(str, (*figures, summary.relevant_up, summary.relevant_down)))
    return table


def _query(query: QueryComparison, out: Console) -> None:
    """A line for each move where all of them have the room, else two."""
    print_line(Text(safe_line(query.query), style="bold"), out)
    out.print(Text(f"{'A':>6} {'B':>4}", style="dim"))
    documents = [_document(move) for move in query.moves]
    longest = max(document.cell_len for document in documents)
    in_one = all(MARGIN + longest + 2 + cell_len(_why(move)) <= out.width for move in query.moves)
    for move, document in zip(query.moves, documents, strict=True):
        line = Text(f"{_rank(move.rank_a):>6} ")
        line.append(f"{_rank(move.rank_b):>4}", style="green" if move.is_gain else "red").append("  ")
        line.append_text(document)
        if in_one:
            line.append(" " * (longest - document.cell_len + 2)).append(_why(move), style="dim")
        # Never folded: a file's name is there to be copied.
        out.print(line, soft_wrap=True)
        for part in [] if in_one else Text(_why(move), style="dim").wrap(out, out.width - MARGIN - 2):
            part.rstrip()
            out.print(Text(" " * (MARGIN + 2)).append_text(part), soft_wrap=True)


def _document(move: Move) -> Text:
    judged = "" if move.grade is None else f" [grade {move.grade}]"
    return Text(safe_line(move.document)).append(judged, style="blue")


def _why(move: Move) -> str:
    pushed = ", pushed by others" if move.pushed else ""
    return f"{safe_line(move.stage)}: {safe_line(move.detail)}{pushed}"


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)
