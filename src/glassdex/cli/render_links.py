"""Links for people: each with where it leads or why not, folded between these facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from glassdex.cli.render_search import print_line
from glassdex.cli.terminal import safe_line, safe_path
from glassdex.inspection.links import DocumentLinks, LinkView, ProjectLinks
from glassdex.wording import counted

_STATES = {"resolved": "green", "unresolved": "red", "ambiguous": "yellow"}
_INDENT = 6
SHOWN_CHARACTERS = 200
"""Of what an author wrote; `--json` has it whole."""


def render_document_links(found: DocumentLinks, out: Console, *, only_open: bool = False) -> None:
    """The document's own links, then those that lead to it; `only_open`: of these what does not mean one document."""
    print_line(Text(_shown(found.title), style="bold").append(f"  {safe_path(found.path)}", style="dim"), out)
    for name, links, source in (("outgoing", found.outgoing, False), ("incoming", found.incoming, True)):
        listed = [link for link in links if link.state != "resolved"] if only_open else links
        counts = f"unresolved or ambiguous: {len(listed):,} of {len(links):,}" if only_open else f"{len(links):,}"
        _print_links(f"{name}{', ' if only_open else ': '}{counts}", listed, out, source=source)


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
        line = Text("  ● ", style=_STATES[link.state])
        for position, fact in enumerate(_facts(link, source=source)):
            gap = "" if not position else " " if line.plain.endswith(",") else "  "
            if position and line.cell_len + len(gap) + fact.cell_len > out.width:
                # Never folded within a fact: a path is there to be copied.
                out.print(line, soft_wrap=True)
                line = Text(" " * _INDENT)
            else:
                line.append(gap)
            line.append_text(fact)
        out.print(line, soft_wrap=True)


def _facts(link: LinkView, *, source: bool) -> Iterator[Text]:
    route = link.route.replace("_", " ")
    yield Text(f"{safe_path(link.source)}:{link.line}" if source else f"line {link.line}", style="dim")
    yield Text().append(_shown(link.kind)).append(f" ({route})", style="dim")
    yield Text(_shown(link.target))
    if link.label:
        yield Text(f"“{_shown(link.label)}”", style="dim")
    if link.path is not None:
        if not source:
            yield Text(f"→ {safe_path(link.path)}")
        if link.followed_as and link.followed_as not in (link.kind, route):
            yield Text(f"followed as {link.followed_as}", style="dim")
    elif link.candidates:
        for position, path in enumerate(link.candidates):
            comma = "," if position + 1 < len(link.candidates) else ""
            yield Text(f"{'' if position else 'ambiguous: '}{safe_path(path)}{comma}", style="yellow")
        more = link.candidates_total - len(link.candidates)
        if more:
            yield Text(f"and {more:,} more", style="yellow")
    else:
        yield Text("unresolved", style="red")
    if link.context:
        yield Text(f"({_shown(link.context)})", style="dim")


def _shown(text: str) -> str:
    return safe_line(text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…")
