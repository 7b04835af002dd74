"""An evaluation for people: what was measured, the means, the worst queries, and what to doubt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from glassdex.cli.render_search import print_line
from glassdex.cli.terminal import safe_line, safe_path
from glassdex.errors import DocumentNotFound
from glassdex.evaluation.gates import Gate
from glassdex.evaluation.options import option_text
from glassdex.evaluation.resolve import Unresolved
from glassdex.evaluation.runs import QueryRun, Run
from glassdex.evaluation.significance import Difference
from glassdex.wording import counted, fixed

WORST = 10
LISTED = 20
WIDE = 70
CANDIDATES = 5
SIGNIFICANT = 0.05


def render_run(
    run: Run,
    changes: Sequence[Difference] | None,
    gates: Sequence[Gate],
    warnings: Sequence[str],
    out: Console,
    *,
    per_query: bool,
) -> None:
    """Prints a run."""
    _what(run, out)
    out.print(_means(run, changes, out.width))
    _queries(run, out, per_query=per_query)
    _left_out(run, out)
    for note in run.notes:
        print_line(Text(f"note: {safe_line(note)}", style="dim"), out)
    for warning in warnings:
        print_line(Text(f"warning: {safe_line(warning)}", style="yellow"), out)
    for gate in gates:
        option = f"--{gate.bound.kind.replace('_', '-')} {gate.bound.measure}={gate.bound.value:g}"
        style, word = ("green", "passed") if gate.passed else ("red", "FAILED")
        print_line(Text(f"{word}  ", style=style).append(f"{option}: {safe_line(gate.reason)}", style="default"), out)


def described(run: Run) -> str:
    """The run's configuration in a line."""
    identity = run.identity
    fusion = identity.fusion if identity.mode == "hybrid" else ""
    said = ("mode", "fusion", "rerank")
    options = [option_text(name, value) for name, value in identity.options.items() if name not in said]
    model = "" if identity.mode == "lexical" else identity.embedding_identity
    reranker = (identity.reranker or "").partition(" ")[0]
    parts = [identity.mode, fusion, reranker, *options, model]
    return " · ".join(safe_line(part) for part in parts if part)


def table_within(width: int) -> Table:
    """An empty table of figures that leaves no more room between them than the width has."""
    padding = 1 if width >= WIDE else 0
    return Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=bool(padding), padding=(0, padding), collapse_padding=True
    )


def difference_table(changes: Iterable[Difference], names: tuple[str, str], width: int) -> Table:
    """Two runs by measure, with the test of their difference."""
    table = table_within(width)
    table.add_column("measure")
    for name in (*names, "change", "p", "better", "same", "worse"):
        table.add_column(name, justify="right")
    for change in changes:
        style = "" if change.p > SIGNIFICANT else "green" if change.difference > 0 else "red"
        table.add_row(
            change.measure,
            fixed(change.a),
            fixed(change.b),
            Text(fixed(change.difference, sign="+"), style=style),
            "<.001" if change.p < 0.0005 else f"{change.p:.3f}",
            *map(str, (change.wins, change.ties, change.losses)),
        )
    return table


def _what(run: Run, out: Console) -> None:
    identity = run.identity
    measured = f"{counted(len(run.per_query), 'query', 'queries')} measured"
    left_out = f", {len(run.left_out)} left out" if run.left_out else ""
    print_line(Text(f"{safe_line(identity.project)}: {measured}{left_out} · {safe_line(identity.judgments)}"), out)
    print_line(Text(described(run), style="dim"), out)
    stand, fresh = identity.revision, identity.freshness.states.get("fresh", 0)
    index = f"index {stand.fingerprint}: {fresh} of {counted(stand.documents, 'document')} fresh"
    print_line(Text(f"{index} · judgments {identity.judgments_hash}", style="dim"), out)


def _means(run: Run, changes: Sequence[Difference] | None, width: int) -> Table:
    if changes:
        return difference_table(changes, ("baseline", "now"), width)
    table = table_within(width)
    table.add_column("measure")
    table.add_column("mean", justify="right")
    for name in run.measures:
        table.add_row(name, f"{run.overall[name]:.4f}" if name in run.overall else "-")
    return table


def _queries(run: Run, out: Console, *, per_query: bool) -> None:
    first = run.measures[0] if run.measures else ""
    scored = [query for query in run.queries if query.metrics is not None]
    if not per_query:
        scored = sorted((q for q in scored if _value(q, first) < 1), key=lambda q: (_value(q, first), q.id))[:WORST]
    if not scored:
        return
    print_line(Text("every query" if per_query else f"the worst queries by {first}", style="bold"), out)
    for query in scored:
        print_line(Text(f"{_value(query, first):.3f}  ", style="blue").append(safe_line(query.query), "default"), out)
        for found in query.judged[:LISTED]:
            if found.grade > 0:
                rank = _rank(found.rank, found.other_passage_rank, run.identity.depth)
                print_line(Text(f"       {rank:>12}  {safe_line(found.document)}", style="dim"), out)


def _rank(rank: int | None, other: int | None, depth: int) -> str:
    if rank is not None:
        return f"rank {rank}"
    return f"not in {depth}" if other is None else f"({other}, elsewhere)"


def _value(query: QueryRun, measure: str) -> float:
    return (query.metrics or {}).get(measure, 0.0)


def _left_out(run: Run, out: Console) -> None:
    for query in run.left_out[:LISTED]:
        print_line(Text(f"left out: {safe_line(query.query)}: {safe_line(query.left_out or '')}", style="yellow"), out)
    _more(len(run.left_out), out)
    for unresolved in run.unresolved[:LISTED]:
        place = f"unresolved ({safe_line(unresolved.where)}): {safe_line(unresolved.target)}"
        meant = _candidates(unresolved)
        print_line(Text(f"{place}: {safe_line(unresolved.reason)}{meant} [{unresolved.code}]", style="yellow"), out)
    _more(len(run.unresolved), out)


def _candidates(unresolved: Unresolved) -> str:
    """The first of the documents or passages that it may mean; near misses stand in the reason."""
    found = unresolved.candidates
    if not found or unresolved.code == DocumentNotFound.code:
        return ""
    more = ", …" if len(found) > CANDIDATES else ""
    return f": {', '.join(safe_path(name) for name in found[:CANDIDATES])}{more}"


def _more(count: int, out: Console) -> None:
    if count > LISTED:
        print_line(Text(f"and {count - LISTED} more; all of them: --json", style="yellow"), out)
