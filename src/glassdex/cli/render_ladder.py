"""A why-not ladder for people: one line a rung, then what would bring the document back and the command for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import fields

from rich.console import Console
from rich.text import Text

from glassdex.cli.render_search import ABSENT, print_line
from glassdex.cli.terminal import safe_line, safe_path
from glassdex.inspection.ladder import Proposal, Rung, WhyNot
from glassdex.search.request import SearchRequest
from glassdex.search.spans import SPANS

_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: (ABSENT, "dim")}
Named = str | Sequence[str] | None
"""The project, or the projects, that a command line named."""
_OPTIONS = {
    "paths": "path",
    "tags": "tag",
    "kinds": "kind",
    "roles": "role",
    "in_document": "in",
    "page_label_from": "page_label",
    **{f"{field}_from": name for name, field in SPANS.items()},
}
"""Repeatable options, and fields that are called otherwise on the command line."""


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


def command_of(request: SearchRequest, project: Named = None, usual_limit: int = 10) -> str:
    """The command line that runs a request; what has its default, of the limit the project's, is left out."""
    words = ["glassdex", "search"]
    for part in fields(SearchRequest):
        value = getattr(request, part.name)
        default = usual_limit if part.name == "limit" else part.default
        if part.name in ("query", "watch") or part.name.endswith("_to") or value == default:
            continue
        if part.name.endswith("_from"):
            last = getattr(request, f"{part.name.removesuffix('_from')}_to")
            value = value if last in (None, value) else f"{value}-{last}"
        option = f"--{_OPTIONS.get(part.name, part.name).replace('_', '-')}"
        if value is True:
            words.append(option)
            continue
        for each in value if isinstance(value, tuple) else (value,):
            # One word with its value: a negative number must not be read as an option.
            words.append(f"{option}={each}")
    projects = [project] if isinstance(project, str) else project or ()
    words += [f"--project={name}" for name in projects]
    return shlex.join([*words, "--", request.query])
