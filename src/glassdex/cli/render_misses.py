"""Misses for people: what was considered and not returned, by stage and reason, with the number that failed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from glassdex.cli.render_search import ABSENT, decimal, print_line
from glassdex.cli.terminal import safe_line
from glassdex.inspection.misses import Misses
from glassdex.search.ledger import ScopeFilter


def render_misses(found: Misses, filters: Sequence[ScopeFilter], out: Console, prefix: str = "") -> None:
    """Prints the scope's counts, the groups, and how far the list reaches; `prefix` stands before the pointers."""
    total = sum(group.total for group in found.groups)
    out.print()
    print_line(Text(f"considered, not returned: {total:,}", style="bold"), out)
    for scope_filter in filters:
        counts = f"{scope_filter.entered:,} chunks in, {scope_filter.left:,} out"
        print_line(Text(f"  scope · {safe_line(scope_filter.name)}: {counts}", style="dim"), out)
    for group in found.groups:
        print_line(Text(f"  {group.stage} · {group.reason.replace('_', ' ')}  {group.total:,}"), out)
        for miss in group.listed:
            rank = ABSENT if miss.fused_rank is None else str(miss.fused_rank)
            score = ABSENT if miss.score is None else decimal(miss.score, 3)
            line = Text(f"    F {rank:>4} {score:>6}  {safe_line(miss.detail)}  ")
            # Never folded: a pointer is there to be copied.
            out.print(line.append(prefix + miss.pointer, style="dim"), soft_wrap=True)
        if group.total > len(group.listed):
            more = f"    … {group.total - len(group.listed):,} more: --show-misses --json lists them all"
            print_line(Text(more, style="dim"), out)
    print_line(Text(f"  {found.bounds}", style="dim"), out)
