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
    files: bool = typer.Option(False, "--files", help="List every file that is indexed, with its number of chunks."),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Show what is indexed, what is pending, what failed and why."""
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.terminal import print_json, say

    with chosen_project(project) as opened:
        found = opened.status()
    if as_json:
        from glassdex.envelopes.status import status_answer

        print_json(status_answer(found, with_files=files).to_json())
        return
    say(*status_lines(found, None if everything else SHOWN))
    if files:
        say(*file_lines(found))


def file_lines(status: Status) -> list[str]:
    """Every file: its chunks, its path, and what is amiss with it."""
    from glassdex.cli.terminal import safe_path

    lines = [f"{'chunks':>10}  file"]
    for file in status.files:
        amiss: list[str] = [file.state] if file.state != "settled" else []
        amiss += [f"{file.pending:,} without a vector"] if file.pending else []
        lines.append(f"{file.chunks:>10,}  {safe_path(file.path)}" + (f"  ({', '.join(amiss)})" if amiss else ""))
    return lines


def status_lines(status: Status, shown: int | None) -> list[str]:
    """The status for people; of failed and skipped files the first `shown`."""
    from glassdex.cli.terminal import safe_path

    counts = status.counts
    pending = f"{counts.pending:,} pending" + (
        f" ({counts.other_identity:,} with a vector of another model)" if counts.other_identity else ""
    )
    store = f"store      {safe_path(status.store or 'in memory')} · {counts.store_bytes / 1e6:.1f} MB"
    lines = [
        f"project    {status.project}",
        *(f"root       {safe_path(root)}" for root in status.roots),
        f"files      {counts.files:,} · documents {counts.documents:,} · links {counts.links:,}",
        f"rows       {counts.rows:,} · chunks {counts.chunks:,} · {counts.text_characters:,} characters",
        f"vectors    {counts.ready:,} ready · {pending}",
        f"model      {status.embedding_identity}",
        f"words      {status.lexical_identity}",
        *_transcripts(status),
        f"{store} · generation {status.generation}",
        *_failed(status, shown),
        *_odd(status, shown),
        *_skipped(status, shown),
    ]
    if shown is not None and max(len(status.failures), len(status.skipped), len(status.odd)) > shown:
        lines.append("  … all of them: glassdex status --all")
    return lines


def _transcripts(status: Status) -> list[str]:
    figures = status.transcripts
    if figures is None:
        return []
    copied = f" · {figures.copied:,} more are copies" if figures.copied else ""
    share = f"{figures.indexed_characters / max(1, figures.said_characters) * 100:.0f} % of their text is indexed"
    kinds = ", ".join(f"{count:,} {name}" for name, count in figures.secrets.items())
    secrets = f"{sum(figures.secrets.values()):,} redacted" + (f": {kinds}" if kinds else "")
    return [
        f"sessions   {figures.sessions:,} · messages {figures.messages:,}{copied} · {share}",
        f"secrets    {secrets}",
    ]


def _failed(status: Status, shown: int | None) -> list[str]:
    from glassdex.cli.terminal import safe_line, safe_path

    if not status.failures:
        return []
    lines = [f"failed     {len(status.failures):,}"]
    for failure in status.failures[:shown]:
        kept = " (an older state is searchable)" if failure.has_older_rows else ""
        lines.append(f"  {safe_path(failure.path)}: {safe_line(failure.message)} [{failure.code}]{kept}")
    return lines


def _skipped(status: Status, shown: int | None) -> list[str]:
    from glassdex.cli.terminal import safe_line, safe_path
    from glassdex.indexing.scan import in_words

    if not status.skipped:
        return []
    reasons = (f"{count:,} {in_words(reason)} [{reason}]" for reason, count in status.counts.skipped_by_reason.items())
    lines = [f"skipped    {len(status.skipped):,}: {', '.join(reasons)}"]
    for skipped in status.skipped[:shown]:
        detail = f": {safe_line(skipped.detail)}" if skipped.detail else ""
        lines.append(f"  {safe_path(skipped.path)}: {in_words(skipped.reason)}{detail}")
    return lines


def _odd(status: Status, shown: int | None) -> list[str]:
    from glassdex.cli.terminal import safe_line, safe_path

    if not status.odd:
        return []
    lines = [f"odd        {len(status.odd):,} (read all the same)"]
    for odd in status.odd[:shown]:
        line = f", line {odd.line}" if odd.line else ""
        lines.append(f"  {safe_path(odd.path)}{line}: {safe_line(odd.message)} [{odd.code}]")
    return lines
