"""A search with its whole trace for people: the stages, then every candidate on one line of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from glassdex.cli.render_search import (
    ABSENT,
    COLOURS,
    LETTERS,
    decimal,
    print_line,
    print_overview,
    verdict_line,
    was_reranked,
)
from glassdex.cli.terminal import safe_line
from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate, LegSignal
from glassdex.search.results import pointer_of


def render_trace(execution: Execution, out: Console, max_candidates: int | None, prefix: str = "") -> None:
    """Prints the pipeline and the candidates in fused order; the returned ones are never left out.

    `prefix` stands before the pointers.
    """
    print_overview(execution, out)
    ordered = sorted(execution.ledger.candidates.values(), key=lambda candidate: candidate.place)
    listed = [
        candidate
        for position, candidate in enumerate(ordered)
        if max_candidates is None or position < max_candidates or candidate.final is not None
    ]
    out.print()
    rescored = execution.ledger.rescored_by
    diversified = any(candidate.diversified for candidate in listed)
    for line in _table(listed, rescored, prefix, reranked=was_reranked(execution), diversified=diversified):
        # Never folded: a pointer is there to be copied.
        out.print(line, soft_wrap=True)
    if len(listed) < len(ordered):
        print_line(Text(f"{len(ordered) - len(listed):,} more candidates are not listed", style="dim"), out)
    out.print()
    print_line(verdict_line(execution), out)


def _table(
    candidates: Sequence[Candidate], rescored: Sequence[str], prefix: str, *, reranked: bool, diversified: bool
) -> Iterator[Text]:
    header = Text(f"{'result':>6}", style="dim")
    if diversified:
        header.append(f" {'M rank':>6} {'alike':>6}", style=COLOURS["diversify"])
    if reranked:
        header.append(f" {'R rank':>6} {'read':>6}", style=COLOURS["rerank"])
    for stage in reversed(rescored):
        header.append(f" {LETTERS.get(stage, '?') + ' rank':>6} {'score':>6}", style=COLOURS.get(stage, ""))
    header.append(f" {'F rank':>6} {'fused':>6}", style=COLOURS["fuse"])
    header.append(f" {'L rank':>6} {'bm25':>6}", style=COLOURS["lexical"])
    header.append(f" {'D rank':>6} {'cos':>6}", style=COLOURS["dense"])
    yield header.append(f" {'words':>5}  left at / pointer", style="dim")
    for candidate in candidates:
        yield _line(candidate, rescored, prefix, reranked=reranked, diversified=diversified)


def _line(candidate: Candidate, rescored: Sequence[str], prefix: str, *, reranked: bool, diversified: bool) -> Text:
    """Result as `document.match`; `words` is the share of the query's weight that the chunk has, in percent.

    `read` is the reranker's own score, `alike` the similarity to a passage that diversity put above it.
    """
    final, fused, left = candidate.final, candidate.fused, candidate.exit
    line = Text(f"{f'{final.rank}.{final.match}' if final else ABSENT:>6}", style="bold" if final else "")
    if diversified:
        anew = candidate.diversified
        place, alike = (str(anew.rank), decimal(anew.similarity, 3)) if anew else (ABSENT, ABSENT)
        line.append(f" {place:>6} {alike:>6}", style=COLOURS["diversify"])
    if reranked:
        own = candidate.reranked
        place, read = (str(own.rank), decimal(own.score, 3)) if own else (ABSENT, ABSENT)
        line.append(f" {place:>6} {read:>6}", style=COLOURS["rerank"])
    for stage in reversed(rescored):
        placed = candidate.rescored.get(stage)
        place, number = (str(placed.rank), decimal(placed.score, 3)) if placed else (ABSENT, ABSENT)
        line.append(f" {place:>6} {number:>6}", style=COLOURS.get(stage, ""))
    rank, score = (str(fused.rank), decimal(fused.score, 3)) if fused else (ABSENT, ABSENT)
    line.append(f" {rank:>6} {score:>6}", style=COLOURS["fuse"])
    line.append(_signal(candidate.legs.get("lexical"), 2), style=COLOURS["lexical"])
    dense = f" {'':>6} {'wait':>6}" if candidate.vector_pending else _signal(candidate.legs.get("dense"), 3)
    line.append(dense, style=COLOURS["dense"])
    line.append(f" {candidate.coverage * 100:>5.0f}  ")
    if left is not None:
        line.append(f"{left.stage}: {safe_line(left.detail)}  ", style="dim")
    return line.append(prefix + pointer_of(candidate.record), style="" if final else "dim")


def _signal(signal: LegSignal | None, places: int) -> str:
    if signal is None:
        return f" {ABSENT:>6} {ABSENT:>6}"
    return f" {signal.rank or ABSENT:>6} {decimal(signal.score, places):>6}"
