"""`glassdex compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from glassdex.cli.choose import JsonOption, ProjectOption

if TYPE_CHECKING:
    from glassdex.evaluation.runs import Run

EXAMPLES = """\b
Examples:
  glassdex compare before.run.json after.run.json
  glassdex compare --queries judgments.yaml --a mode=lexical --b mode=hybrid
  glassdex compare --queries q.txt --a fusion=rrf/1 --b min_similarity=0.3
  glassdex compare --queries q.txt --a identity=previous --b identity=active"""


def compare(
    a: str = typer.Argument(None, metavar="[A]", help="A run that `eval --save` kept.", show_default=False),
    b: str = typer.Argument(None, metavar="[B]", help="Another one.", show_default=False),
    queries: str = typer.Option(
        None,
        metavar="FILE",
        help="Instead of saved runs: ask these queries twice. Judgments, or a .txt with a query a line.",
        show_default=False,
    ),
    qrels: str = typer.Option(None, metavar="FILE", help="TREC qrels for those queries.", show_default=False),
    options_a: str = typer.Option(
        "",
        "--a",
        metavar="OPTIONS",
        help="Search options of A: fusion=rrf/1.  [default: your settings]",
        show_default=False,
    ),
    options_b: str = typer.Option(
        "",
        "--b",
        metavar="OPTIONS",
        help="Search options of B: fusion=convex/1,min_similarity=0.3.",
        show_default=False,
    ),
    measure: list[str] = typer.Option(
        [], "--measure", "-m", metavar="NAME", help="Any measure of ir-measures, for --queries. Repeatable."
    ),
    top: int = typer.Option(
        10, metavar="N", min=1, max=1000, help="Look at the first N documents of each query, and all judged ones."
    ),
    every: bool = typer.Option(False, "--all", help="Print every query that changed, not only the first."),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Show what ranks otherwise in B than in A, and the stage of the search that made the difference.

    Of a document that moved, the first stage after which it does not stand where it stood in the other search.
    """
    from glassdex.cli.terminal import print_json
    from glassdex.errors import InvalidRequest
    from glassdex.evaluation.compare import compare as compared
    from glassdex.evaluation.runs import doubts

    if queries is None:
        first, second = _saved(a, b, options_a or options_b or qrels)
    else:
        if a is not None:
            raise InvalidRequest("both saved runs and --queries are given", "leave one of them out")
        first, second = _asked(queries, qrels, (options_a, options_b), measure, top, project, as_json=as_json)
    found = compared(first, second, top)
    if not found.queries:
        raise InvalidRequest("the two runs have no query in common", "evaluate the same judgments twice")
    named = ("run A", "run B") if queries is None else ("", "")
    doubted = (doubt for run, name in zip((first, second), named, strict=True) for doubt in doubts(run, name))
    warnings = tuple(dict.fromkeys((*doubted, *found.warnings)))
    if as_json:
        from glassdex.envelopes.comparison import compare_answer

        print_json(compare_answer(found, warnings).to_json())
        return
    from glassdex.cli.render_compare import render_comparison
    from glassdex.cli.terminal import console

    render_comparison(found, warnings, console(), every=every)


def _saved(a: str | None, b: str | None, options: str | None) -> tuple[Run, Run]:
    from glassdex.errors import InvalidRequest
    from glassdex.evaluation.saved import load_run

    if a is None or b is None:
        raise InvalidRequest("two runs are compared", "glassdex compare A B, or --queries FILE --a … --b …")
    if options:
        raise InvalidRequest("a saved run has its options already", "leave out --a, --b and --qrels, or add --queries")
    return load_run(a), load_run(b)


def _asked(
    queries: str,
    qrels: str | None,
    options: tuple[str, str],
    measures: list[str],
    top: int,
    project: str,
    *,
    as_json: bool,
) -> tuple[Run, Run]:
    from glassdex.cli.choose import chosen_project
    from glassdex.cli.eval_ import measured, with_defaults
    from glassdex.evaluation.judgments import load_judgments
    from glassdex.evaluation.metrics import DEEPEST

    given = [with_defaults(text) for text in options]
    judgments = load_judgments(qrels, queries) if qrels else load_judgments(queries, need_relevant=False)
    depth = max(top, DEEPEST)
    with chosen_project(project) as opened:
        first, second = (
            measured(opened, judgments, one, measures=measures, depth=depth, traces=True, as_json=as_json)
            for one in given
        )
    return first, second
