"""Links for people: a line each, with where it leads or why not."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from glassdex.cli.render_search import print_line
from glassdex.cli.terminal import safe_line, safe_path
from glassdex.inspection.links import DocumentLinks, LinkView, ProjectLinks
from glassdex.wording import counted

_STATES = {"resolved": "green", "unresolved": "red", "ambiguous": "yellow"}


def render_document_links(found: DocumentLinks, out: Console) -> None:
    """The document's own links, then those that lead to it."""
    print_line(Text(safe_line(found.title), style="bold").append(f"  {safe_path(found.path)}", style="dim"), out)
    _print_links(f"outgoing: {len(found.outgoing):,}", found.outgoing, out, source=False)
    _print_links(f"incoming: {len(found.incoming):,}", found.incoming, out, source=True)


def render_project_links(found: ProjectLinks, out: Console) -> None:
    """How many links there are, and those that do not mean exactly one document."""
    counts = f"{found.resolved:,} resolved · {found.unresolved:,} unresolved · {found.ambiguous:,} ambiguous"
    _print_links(f"{counted(found.total, 'link')}: {counts}", found.listed, out, source=True)
    left_out = found.unresolved + found.ambiguous - len(found.listed)
    if left_out:
        print_line(Text(f"{left_out:,} more are not listed: --limit", style="dim"), out)


def _print_links(heading: str, links: Sequence[LinkView], out: Console, *, source: bool) -> None:
    print_line(Text(heading, style="bold"), out)
    for link in links:
        place = f"{safe_path(link.source)}:{link.line}" if source else f"line {link.line}"
        line = Text("  ● ", style=_STATES[link.state]).append(f"{place}  ", style="dim")
        line.append(safe_line(link.kind)).append(f" ({link.route.replace('_', ' ')})", style="dim")
        line.append(f"  {safe_line(link.target)}")
        line.append(f"  “{safe_line(link.label)}”" if link.label else "", style="dim")
        if link.path is not None:
            line.append(f" → {safe_path(link.path)}" if not source else "")
            line.append(f"  {link.followed_as}" if link.followed_as else "", style="dim")
        elif link.candidates:
            line.append(f"  ambiguous: {', '.join(safe_path(path) for path in link.candidates)}", style="yellow")
        else:
            line.append("  unresolved", style="red")
        line.append(f"  ({safe_line(link.context)})" if link.context else "", style="dim")
        # Never folded: a path is there to be copied.
        out.print(line, soft_wrap=True)
