"""A search over several projects for people: a line for each project, then results that name theirs.

`merged` is the rank in the merged ranking, and the evidence that it goes by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from glassdex.cli.render_candidates import render_trace
from glassdex.cli.render_search import (
    ABSENT,
    INDENT,
    candidate_lines,
    decimal,
    print_line,
    print_overview,
    print_packed,
    print_result,
    verdict_line,
    verdict_text,
)
from glassdex.cli.terminal import safe_line, safe_path
from glassdex.dates import zone
from glassdex.envelopes.several import unknown_words
from glassdex.search.results import Result
from glassdex.several.execution import ProjectOutcome, ProjectResult, SeveralExecution
from glassdex.wording import counted

COLOUR = "cyan"


def render_several(
    done: SeveralExecution, out: Console, *, explain: bool, calls: Mapping[tuple[str, int], str]
) -> None:
    """Prints the whole answer; `calls` has by project and id the command that shows a conversation."""
    if explain:
        for name, execution in done.answered:
            print_heading(name, out)
            print_overview(execution, out)
        out.print()
    _print_summary(done, out, explain=explain)
    printed_in = zone(done.request.tz)
    executions = dict(done.answered)
    for found in done.results:
        out.print()
        session = found.result.session
        call = calls.get((found.project, session.session_id)) if session else None
        print_result(_with_project(found), out, call, printed_in, whole=done.request.mode == "positional")
        if explain:
            print_line(_evidence(found), out)
            for line in candidate_lines(executions[found.project], found.result, out.width):
                out.print(line, no_wrap=True)
    footer = list(_footer(done))
    if footer:
        out.print()
        print_packed(footer, " · ", out)


def render_traces(done: SeveralExecution, out: Console, max_candidates: int | None) -> None:
    """Prints the trace of each project, then how they were merged."""
    for name, execution in done.answered:
        print_heading(name, out)
        render_trace(execution, out, max_candidates, f"{name}:")
    print_heading("merged", out)
    _print_summary(done, out, explain=True)
    out.print()
    for found in done.results:
        line = Text(f"{found.result.rank:>4}  ", style="bold").append(f"{found.project}:{safe_path(found.result.path)}")
        out.print(line.append_text(_evidence(found)), soft_wrap=True)


def print_heading(name: str, out: Console) -> None:
    """The project that what follows is about."""
    out.print()
    out.print(Text("── ", style="dim").append(safe_line(name), style=f"bold {COLOUR}").append(" ──", style="dim"))


def outcome_line(outcome: ProjectOutcome) -> Text:
    """What became of the search in one project."""
    line = Text("  ").append(safe_line(outcome.project), style=COLOUR).append("  ")
    if outcome.execution is None:
        line.append(outcome.status, style="red" if outcome.status == "failed" else "dim")
        return line.append(f": {safe_line(outcome.reason)}", style="dim")
    line.append(f"{counted(outcome.total, 'document')} ranked · ", style="dim")
    return line.append_text(verdict_line(outcome.execution))


def combined_line(done: SeveralExecution) -> Text:
    """The verdict over all projects."""
    return verdict_text(done.verdict)


def _print_summary(done: SeveralExecution, out: Console, *, explain: bool) -> None:
    print_line(combined_line(done), out)
    for outcome in done.outcomes:
        print_line(outcome_line(outcome), out)
    merge = done.merge
    if explain:
        parameters = ", ".join(f"{name} {value:g}" for name, value in merge.parameters.items())
        print_line(Text(f"  merged by {merge.name}: {merge.formula}  ({parameters})", style="dim"), out)
    for note in done.notes:
        print_line(Text(safe_line(note), style="yellow"), out)
    unknown = [_with_near(word, near) for word, near in unknown_words(done).items()]
    if unknown:
        print_line(Text(f"in none of the projects: {', '.join(unknown)}", style="yellow"), out)


def _with_near(word: str, near: Sequence[str]) -> str:
    """A word that no project has, with those that it may be meant for: `harbuor (near: harbour)`."""
    meant = f" (near: {', '.join(safe_line(one) for one in near)})" if near else ""
    return f"{safe_line(word)}{meant}"


def _with_project(found: ProjectResult) -> Result:
    """The result with the project in front of its place."""
    result = found.result
    if result.session:
        return replace(result, session=replace(result.session, source=f"{found.project}:{result.session.source}"))
    return replace(result, path=f"{found.project}:{result.path}")


def _evidence(found: ProjectResult) -> Text:
    """`merged 3 (.497) = similarity .373 + words .124 · rank 1 in b`."""
    merged = found.merged
    line = Text(" " * INDENT).append("merged", style=COLOUR).append(f" {merged.rank} ({decimal(merged.score, 3)})")
    parts = " + ".join(f"{name} {decimal(part, 3)}" for name, part in merged.parts.items()) or ABSENT
    held = " ≈" if merged.parts and merged.evidence != merged.score else " ="
    return line.append(f"{held} {parts} · rank {merged.rank_before} in {safe_line(found.project)}", style="dim")


def _footer(done: SeveralExecution) -> Iterator[Text]:
    page = done.page
    if page.window_exhausted:
        beyond = f"page {page.number} lies beyond what was ranked (window exhausted)"
        yield Text(beyond, style="yellow")
    elif done.results:
        first, last = done.results[0].result.rank, done.results[-1].result.rank
        total = f"{'' if page.total_exact else 'at least '}{page.total:,}"
        unit = "passages" if done.request.mode == "positional" else "documents"
        yield Text(f"{unit} {first:,}-{last:,} of {total} in {counted(len(done.answered), 'project')}", style="dim")
    if page.has_more and done.results:
        yield Text(f"next: --page {page.number + 1}", style="dim")
    pending = sum(execution.readiness.pending for _, execution in done.answered)
    if pending:
        yield Text(f"{counted(pending, 'chunk')} without a vector yet", style="yellow")
