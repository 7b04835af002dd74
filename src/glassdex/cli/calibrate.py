"""`glassdex calibrate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from glassdex.cli.choose import JsonOption, ProjectOption

if TYPE_CHECKING:
    from glassdex.envelopes.calibration import CalibrationAnswer, DistributionPart
    from glassdex.evaluation.calibration import Calibration
    from glassdex.project import Project

BAR = 30


def calibrate(project: str = ProjectOption, as_json: bool = JsonOption) -> None:
    """Fit the verdict to this project's own passages.

    Learns how near unrelated questions come: asks about 400 questions, half made from the project's own passages, half
    about something else. What is learned holds until the embedding model or the analyser changes, whatever the fusion;
    results are never changed by it.
    """
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.terminal import print_json, say
    from glassdex.envelopes.calibration import calibration_answer
    from glassdex.settings import load_settings

    with chosen_project(project) as opened:
        learned = _with_progress(opened, load_settings().fusion, as_json=as_json)
        answer = calibration_answer(learned, opened.name)
    if as_json:
        print_json(answer.to_json())
    else:
        say(*calibration_lines(answer))


def _with_progress(opened: Project, fusion: str, *, as_json: bool) -> Calibration:
    from glassdex.cli.terminal import console

    out = console(to_stderr=True)
    if as_json or not out.is_terminal:
        return opened.calibrate(fusion=fusion)
    from rich.progress import Progress

    with Progress(console=out, transient=True) as bars:
        task = bars.add_task("asking")
        return opened.calibrate(fusion=fusion, asked=lambda done, all_: bars.update(task, completed=done, total=all_))


def calibration_lines(answer: CalibrationAnswer) -> Iterator[str]:
    """The calibration for people: both distributions, the floor between them, the error to expect."""
    floor = answer.floors.similarity
    assert floor is not None
    own, strange = answer.passages, answer.unrelated
    yield f"{answer.project}: {own.questions} questions from its own passages, {strange.questions} unrelated ones"
    yield f"model {answer.embedding_identity} · {answer.fusion} · configuration {answer.floors.configuration}"
    yield ""
    yield f"best cosine  {'unrelated (-)':<{BAR + 5}} own passages (#)"
    yield from _bars(strange, own, floor)
    yield ""
    was = "none was known" if answer.before.similarity is None else f"{answer.before.source} {answer.before.similarity}"
    yield f"floor {floor} (before: {was}); stored"
    yield f"below it, and with under {answer.floors.coverage:.0%} of the words: nothing relevant"
    yield ""
    yield f"{'expected verdicts':<18} {'ok':>6} {'weak':>6} {'nothing relevant':>17}"
    for name, kind in (("own passages", own), ("unrelated", strange)):
        shares = kind.expected
        yield f"{name:<18} {shares.ok:>6.1%} {shares.weak:>6.1%} {shares.nothing_relevant:>17.1%}"


def _bars(strange: DistributionPart, own: DistributionPart, floor: float) -> Iterator[str]:
    bins = len(own.histogram)
    highest = max(*own.histogram, *strange.histogram)
    filled = [n for n in range(bins) if own.histogram[n] or strange.histogram[n]]
    for number in range(filled[0], filled[-1] + 1):
        left, right = strange.histogram[number], own.histogram[number]
        mark = " < floor" if number / bins <= floor < (number + 1) / bins else ""
        bars = [f"{sign * -(-count * BAR // highest)} {count}" for sign, count in (("-", left), ("#", right))]
        yield f"{number / bins:.2f} - {(number + 1) / bins:.2f}  {bars[0]:<{BAR + 5}} {bars[1]}{mark}"
