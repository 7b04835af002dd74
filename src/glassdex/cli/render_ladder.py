"""A why-not ladder for people: one line a rung, then what would bring the document back and the command for it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from glassdex.answers.command import Named, command_of
from glassdex.cli.render_search import ABSENT, print_line
from glassdex.cli.terminal import safe_line, safe_path
from glassdex.inspection.ladder import Proposal, Rung, WhyNot

_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: (ABSENT, "dim")}


def render_ladder(found: WhyNot, out: Console, project: Named, usual_limit: int) -> None:
    """Prints the ladder and the proposals; their commands name the projects that were given.

    `usual_limit` is the limit of a command that names none.
    """
    out.print()
    asked = Text("why not ", style="dim").append(safe_path(found.path), style="bold")
    if found.chunk_key is not None:
        asked.append(f"  {found.chunk_key}", style="dim")
    print_line(asked.append("  for  ", style="dim").append(safe_line(found.query)), out)
    width = max(len(rung.name) for rung in found.rungs)
    for rung in found.rungs:
        _print_rung(rung, width, out)
    if found.returned_at is not None:
        print_line(Text(f"it is there: document {found.returned_at} of the ranking", style="green"), out)
        return
    print_line(Text("what would return it:" if found.proposals else "nothing is known that would return it"), out)
    for proposal in found.proposals:
        for line in _proposal_lines(proposal, project, usual_limit):
            out.print(line, soft_wrap=True)  # a command is there to be copied


def _print_rung(rung: Rung, width: int, out: Console) -> None:
    mark, style = _MARKS[rung.passed]
    margin = width + 5
    folded = Text(safe_line(rung.detail)).wrap(out, max(20, out.width - margin))
    for position, part in enumerate(folded):
        part.rstrip()
        head = Text(f" {mark} ", style=style).append(f"{rung.name:<{width}}  ", style="dim")
        out.print((head if position == 0 else Text(" " * margin)).append_text(part), soft_wrap=True)


def _proposal_lines(proposal: Proposal, project: Named, usual_limit: int) -> Iterator[Text]:
    known = "follows from the numbers above" if proposal.derived else "tried: it returns" if proposal.verified else ""
    line = Text(f" ▸ {safe_line(proposal.change)}")
    yield line.append(f"  ({known})" if known else "", style="dim")
    if proposal.changes is not None:
        yield Text(f"   {safe_line(command_of(proposal.changes, project, usual_limit))}", style="dim")
