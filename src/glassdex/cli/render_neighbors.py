"""A chunk's neighbours for people: two lines each, near-duplicates marked."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from glassdex.cli.render_search import decimal, print_line
from glassdex.cli.terminal import safe_line
from glassdex.search.neighbors import Neighbor, Neighbors


def render_neighbors(found: Neighbors, out: Console, prefix: str = "") -> None:
    """Prints the neighbours, nearest first; `prefix` stands before their pointers."""
    made = "a vector made for this once" if found.embedded_now else "its stored vector"
    out.print(Text(f"neighbours of {prefix}{found.pointer}"), soft_wrap=True)
    print_line(Text(f"  by {made}, among {found.scope_total:,} chunks with one", style="dim"), out)
    if not found.neighbors:
        print_line(Text("there is no other chunk in scope"), out)
    for neighbor in found.neighbors:
        _print(neighbor, out, prefix)


def _print(neighbor: Neighbor, out: Console, prefix: str) -> None:
    line = Text(f"{decimal(neighbor.similarity, 3):>5}  ", style="blue").append(safe_line(neighbor.title), style="bold")
    if neighbor.near_duplicate:
        line.append("  near-duplicate", style="yellow")
    print_line(line, out)
    # Never folded: a pointer is there to be copied.
    out.print(Text(f"       {prefix}{neighbor.pointer}"), soft_wrap=True)
    snippet = Text(f"       {safe_line(neighbor.text)}", style="dim")
    snippet.truncate(out.width, overflow="ellipsis")
    out.print(snippet, no_wrap=True)
