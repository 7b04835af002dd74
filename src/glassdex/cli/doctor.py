"""`glassdex doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from glassdex.cli.choose import JsonOption, ProjectOption

if TYPE_CHECKING:
    from glassdex.inspection.doctor import Diagnosis, Finding

EXIT_SOMETHING_IS_WRONG = 1


def doctor(project: str = ProjectOption, as_json: bool = JsonOption) -> None:
    """What is wrong with a project, and the command that mends it.

    Looks at every file and at the whole store, and changes nothing.

    Exit code 0: nothing is wrong, though there may be notes; 1: there is something to do; 3: the store cannot be read.
    """
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.terminal import print_json, say

    with chosen_project(project) as opened:
        found = opened.doctor()
    if as_json:
        from glassdex.envelopes.doctor import doctor_answer

        print_json(doctor_answer(found).to_json())
    else:
        say(*doctor_lines(found))
    if not found.healthy:
        raise typer.Exit(EXIT_SOMETHING_IS_WRONG)


def doctor_lines(diagnosis: Diagnosis) -> list[str]:
    """The diagnosis for people."""
    from glassdex.wording import counted

    sizes = f"{counted(diagnosis.documents, 'document')} · {counted(diagnosis.chunks, 'chunk')}"
    lines = [f"project  {diagnosis.project} · {sizes}"]
    for finding in diagnosis.findings:
        lines += _finding_lines(finding)
    if diagnosis.healthy:
        return [*lines, "nothing is wrong"]
    todo = sum(finding.severity != "note" for finding in diagnosis.findings)
    return [*lines, f"{counted(todo, 'thing')} to do"]


def _finding_lines(finding: Finding) -> list[str]:
    from glassdex.cli.terminal import safe_line, safe_path

    command = f": {safe_line(finding.command)}" if finding.command else ""
    more = ["  …"] if len(finding.examples) < finding.count and finding.examples else []
    return [
        f"{finding.severity:<8} {safe_line(finding.message)} [{finding.code}]",
        *(f"  {safe_path(example)}" for example in finding.examples),
        *more,
        f"  → {safe_line(finding.remedy)}{command}",
    ]
