"""`glassdex eval`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from glassdex.cli.choose import JsonOption, ProjectOption

if TYPE_CHECKING:
    from glassdex.evaluation.gates import Bound, Gate
    from glassdex.evaluation.judgments import Judgments
    from glassdex.evaluation.runs import Run
    from glassdex.evaluation.significance import Difference
    from glassdex.model import Json
    from glassdex.project import Project

EXIT_GATE_FAILED = 1
DEFAULT_FILE = "judgments.yaml"
EXAMPLES = """\b
Examples:
  glassdex eval --init ../judgments.yaml
  glassdex eval ../judgments.yaml --save ../a.run.json
  glassdex eval ../judgments.yaml --with fusion=rrf/1 --baseline ../a.run.json
  glassdex eval ../judgments.yaml --fail-under nDCG@10=0.8
  glassdex eval ../judgments.yaml --baseline ../a.run.json --max-drop RR@10=0"""
WITH_HELP = "Search with these options: fusion=rrf/1,mode=lexical,min_similarity=0.3."


def eval_(
    judgments: str = typer.Argument(
        None,
        metavar="[JUDGMENTS]",
        help="YAML or JSON, TREC qrels with --queries, or a BEIR folder; with --init the file to make.",
        show_default=False,
    ),
    init: bool = typer.Option(
        False, "--init", help=f"Propose judgments from your notes, for you to edit.  [file: {DEFAULT_FILE}]"
    ),
    queries: str = typer.Option(
        None, metavar="FILE", help="The queries of TREC qrels: a line each, id, tab, query.", show_default=False
    ),
    measure: list[str] = typer.Option(
        [],
        "--measure",
        "-m",
        metavar="NAME",
        help="Any measure of ir-measures. Repeatable.  [default: nDCG@10 R@10 RR@10 P@5 Success@1 Success@5]",
    ),
    with_: str = typer.Option("", "--with", metavar="OPTIONS", help=WITH_HELP, show_default=False),
    depth: int = typer.Option(
        None,
        metavar="N",
        min=1,
        max=1000,
        help="Results asked for a query.  [default: what the measures look at]",
        show_default=False,
    ),
    save: str = typer.Option(
        None, metavar="FILE", help="Keep the run here: rankings, measures, traces.", show_default=False
    ),
    no_traces: bool = typer.Option(False, "--no-traces", help="Keep no traces in it; compare then names no stages."),
    trec: str = typer.Option(None, metavar="FILE", help="Write the rankings here in TREC's form.", show_default=False),
    baseline: str = typer.Option(None, metavar="RUN", help="Compare with this saved run.", show_default=False),
    fail_under: list[str] = typer.Option(
        [], metavar="MEASURE=VALUE", help="Exit with 1 where the mean is below: nDCG@10=0.43. Repeatable."
    ),
    max_drop: list[str] = typer.Option(
        [],
        metavar="MEASURE=VALUE",
        help="Exit with 1 where the mean lost more against the baseline: nDCG@10=0.01. Repeatable.",
    ),
    allow_stale: bool = typer.Option(
        False,
        "--allow-stale",
        help="Let gates pass although the index is behind, or differs from the baseline's.",
    ),
    per_query: bool = typer.Option(False, "--per-query", help="Print every query, not only the worst."),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Measure how well searches find what you judged relevant.

    Exit code 0: measured, and every gate passed; 1: a gate failed, or nothing could be measured; 2: the request or the
    judgments are wrong; 3: something is unavailable.
    """
    from glassdex.cli.choose import chosen_project

    if init:
        with chosen_project(project) as opened:
            _propose(opened, Path(judgments or DEFAULT_FILE), named=project is not None, as_json=as_json)
        return
    _refuse_nowhere(save, trec)
    bounds = _bounds(fail_under, max_drop, baseline)
    judged = _loaded(judgments, queries)
    before = _baseline(baseline)
    with chosen_project(project) as opened:
        run = measured(
            opened,
            judged,
            with_defaults(with_),
            measures=measure,
            depth=depth,
            traces=save is not None and not no_traces,
            as_json=as_json,
        )
    _write(run, save, trec)
    _report(run, before, bounds, allow_stale=allow_stale, per_query=per_query, saved=save, as_json=as_json)


def with_defaults(text: str) -> dict[str, Json]:
    """The options of `--with`; the fusion is the user's own where none is named."""
    from glassdex.evaluation.options import options_from_text
    from glassdex.settings import load_settings

    return {"fusion": load_settings().fusion, **options_from_text(text)}


def measured(
    opened: Project,
    judgments: Judgments,
    options: dict[str, Json],
    *,
    measures: Sequence[str] = (),
    depth: int | None = None,
    traces: bool,
    as_json: bool,
) -> Run:
    """Evaluates, with a bar on a terminal."""
    from glassdex.cli.terminal import console
    from glassdex.envelopes.run import trace_text

    trace_of = trace_text if traces else None
    out = console(to_stderr=True)
    if as_json or not out.is_terminal:
        return opened.evaluate(judgments, measures=measures, options=options, depth=depth, trace_of=trace_of)
    from rich.progress import Progress

    with Progress(console=out, transient=True) as bars:
        task = bars.add_task("asking")
        return opened.evaluate(
            judgments,
            measures=measures,
            options=options,
            depth=depth,
            trace_of=trace_of,
            asked=lambda done, all_: bars.update(task, completed=done, total=all_),
        )


def _loaded(judgments: str | None, queries: str | None) -> Judgments:
    from glassdex.errors import InvalidRequest
    from glassdex.evaluation.judgments import load_judgments

    if judgments is None:
        raise InvalidRequest(
            "there are no judgments", f"glassdex eval FILE; to make one: glassdex eval --init {DEFAULT_FILE}"
        )
    return load_judgments(judgments, queries)


def _baseline(path: str | None) -> Run | None:
    from glassdex.evaluation.saved import load_run

    return None if path is None else load_run(path, traces=False)  # measures alone are compared


def _bounds(fail_under: Sequence[str], max_drop: Sequence[str], baseline: str | None) -> list[Bound]:
    from glassdex.errors import InvalidRequest
    from glassdex.evaluation.gates import bound
    from glassdex.evaluation.metrics import measure_names

    if max_drop and baseline is None:
        raise InvalidRequest("--max-drop needs a run to drop from", "--baseline RUN, one that --save made")
    asked = [bound("fail_under", text, lambda name: measure_names([name])[0]) for text in fail_under]
    return asked + [bound("max_drop", text, lambda name: measure_names([name])[0]) for text in max_drop]


def _refuse_nowhere(*files: str | None) -> None:
    """A file that cannot be written is better known before a long run than after it."""
    from glassdex.errors import InvalidRequest

    for file in files:
        if file is not None and (Path(file).is_dir() or not Path(file).absolute().parent.is_dir()):
            raise InvalidRequest(f"{file} cannot be written: it is a folder, or lies in none", "name a file")


def _propose(opened: Project, path: Path, *, named: bool, as_json: bool) -> None:
    from glassdex.cli.terminal import print_json, safe_path, say
    from glassdex.evaluation.starter import starter_yaml, write_new

    _refuse_nowhere(str(path))
    proposals = opened.propose_judgments()
    write_new(path, starter_yaml(proposals, opened.name))
    if as_json:
        from glassdex.envelopes.evaluation import ProposedAnswer

        print_json(ProposedAnswer(file=str(path), queries=len(proposals)).to_json())
        return
    say(
        f"{len(proposals)} queries proposed in {safe_path(str(path))}",
        "",
        "Edit them first: as they are, they are too easy.",
    )
    chosen = f" --project {opened.name}" if named else ""
    file, run = (safe_path(shlex.quote(str(name))) for name in (path, path.with_name("before.run.json")))
    say(f"  then: glassdex eval {file}{chosen} --save {run}")


def _write(run: Run, save: str | None, trec: str | None) -> None:
    from glassdex.envelopes.run import save_run, trec_lines

    if save is not None:
        save_run(run, Path(save))
    if trec is not None:
        Path(trec).write_text("".join(f"{line}\n" for line in trec_lines(run)), encoding="utf-8", newline="\n")


def _report(
    run: Run,
    before: Run | None,
    bounds: Sequence[Bound],
    *,
    allow_stale: bool,
    per_query: bool,
    saved: str | None,
    as_json: bool,
) -> None:
    from glassdex.cli.terminal import print_json
    from glassdex.evaluation.gates import against, gates
    from glassdex.evaluation.runs import differences, doubts, share_no_query

    warnings = doubts(run)
    if before is not None:
        warnings += [*doubts(before, "the baseline"), *differences(before, run)]
        if share_no_query(before, run):
            warnings.append("no query is in common with the baseline: nothing is compared; measure the same judgments")
    warnings += [f"{name} is not in this run; measure it with -m {name}" for name in _unmeasured(run, bounds)]
    changes: list[Difference] | None = None if before is None else against(run, before)
    passed: list[Gate] = gates(bounds, run, changes or [], () if allow_stale else warnings, before)
    if as_json:
        from glassdex.envelopes.evaluation import eval_answer

        answer = eval_answer(
            run, warnings=warnings, changes=changes, gates=passed, stale_allowed=allow_stale, saved=saved
        )
        print_json(answer.to_json())
    else:
        from glassdex.cli.render_eval import render_run
        from glassdex.cli.terminal import console

        render_run(run, changes, passed, warnings, console(), per_query=per_query)
    if not run.per_query or not all(gate.passed for gate in passed):
        raise typer.Exit(EXIT_GATE_FAILED)


def _unmeasured(run: Run, bounds: Sequence[Bound]) -> list[str]:
    return [bound.measure for bound in bounds if bound.measure not in run.measures]
