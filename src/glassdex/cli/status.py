"""`glassdex status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from glassdex.cli.choose import JsonOption, ProjectOption

if TYPE_CHECKING:
    from glassdex.inspection.status import Status

SHOWN = 20


def status(
    everything: bool = typer.Option(False, "--all", help="List every failed and skipped file, not only the first."),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """What is in the index, what is pending, what failed and why."""
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.terminal import print_json

    with chosen_project(project) as opened:
        found = opened.status()
    if as_json:
        from glassdex.envelopes.status import status_answer

        print_json(status_answer(found).to_json())
        return
    print("\n".join(status_lines(found, None if everything else SHOWN)))  # noqa: T201


def status_lines(status: Status, shown: int | None) -> list[str]:
    """The status for people."""
    from glassdex.cli.terminal import safe_line

    counts = status.counts
    pending = f"{counts.pending:,} pending" + (
        f" ({counts.other_identity:,} with a vector of another model)" if counts.other_identity else ""
    )
    lines = [
        f"project    {status.project}",
        *(f"root       {safe_line(root)}" for root in status.roots),
        f"files      {counts.files:,} · documents {counts.documents:,} · links {counts.links:,}",
        f"rows       {counts.rows:,} · chunks {counts.chunks:,} · {counts.text_characters:,} characters",
        f"vectors    {counts.ready:,} ready · {pending}",
        f"model      {status.embedding_identity}",
        f"words      {status.lexical_identity}",
        f"store      {status.store or 'in memory'} · {counts.store_bytes / 1e6:.1f} MB · generation {status.generation}",
    ]
    if status.failures:
        lines.append(f"failed     {len(status.failures):,}")
        for failure in status.failures[:shown]:
            kept = " (an older state is searchable)" if failure.has_older_rows else ""
            lines.append(f"  {safe_line(failure.path)}: {safe_line(failure.message)} [{failure.code}]{kept}")
    if status.skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in counts.skipped_by_reason.items())
        lines.append(f"skipped    {len(status.skipped):,} ({reasons})")
        for skipped in status.skipped[:shown]:
            detail = f": {safe_line(skipped.detail)}" if skipped.detail else ""
            lines.append(f"  {safe_line(skipped.path)}: {skipped.reason}{detail}")
    left_out = max(len(status.failures), len(status.skipped)) - (shown or 10**9)
    if left_out > 0:
        lines.append("  … all of them: glassdex status --all")
    return lines
