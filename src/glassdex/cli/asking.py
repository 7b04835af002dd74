"""The options of every command that asks the index, written once.

A command decorated with `@asks(...)` takes `options`, and on the command line the options of those groups in its
place. What is not given there comes from the user's settings.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast, get_type_hints

import typer

from glassdex.search.request import FeedbackChoice, IdentityChoice, Mode, SearchOptions

OFF = "off"
Group = Callable[..., SearchOptions]

QueryArgument = typer.Argument(
    None,
    metavar="[QUERY]...",
    help='Words, a "quoted phrase" that must occur, -word that must not, title:word. With -, or nothing: '
    "standard input; beside --in or a place in it, nothing shows what stands there.",
    show_default=False,
)
MissesOption = typer.Option(
    False, "--show-misses", help="Show what was considered and left out, at which step and by which number."
)
WatchOption = typer.Option(
    [], "--watch", metavar="DOC", help="Say of this document or pointer why it is there, or why not. Repeatable."
)
MaxCandidatesOption = typer.Option(
    None,
    metavar="N",
    min=0,
    help="List at most N candidates of the trace; those that are returned are always among them.",
    show_default=False,
)
LimitOption = typer.Option(
    None,
    "--limit",
    "-n",
    metavar="N",
    help="Documents on a page, 1 to 1000.  [default: 10; 5 where all are transcripts; context: 50]",
    show_default=False,
)
NeighborLimitOption = typer.Option(
    None, "--limit", "-n", metavar="N", help="How many neighbours, 1 to 1000.  [default: 10]", show_default=False
)
IdentityOption = typer.Option(
    "active",
    "--identity",
    metavar="WHOSE",
    help="Which model's vectors to use: active, or previous while a new model's are not complete yet.",
)


def FILTERS(  # noqa: N802 - a group of options, named as the constant that it is
    path: list[str] = typer.Option(
        [],
        metavar="PATTERN",
        help="Only documents at these paths, written as in .gitignore: 'notes/', '*.md'. Repeatable.",
    ),
    tag: list[str] = typer.Option(
        [], metavar="TAG", help="Only what has this tag, or one below it (ops finds ops/backup). Repeatable."
    ),
    kind: list[str] = typer.Option(
        [],
        metavar="KIND",
        help="Only prose (entity), facts (observation), links (relation) or messages (message). Repeatable.",
    ),
    since: str = typer.Option(
        None,
        metavar="DATE",
        help="Only documents of this day, month or year, or later: 2026-01-31, 2026-01. Messages of transcripts go by "
        "their own time.",
        show_default=False,
    ),
    until: str = typer.Option(
        None,
        metavar="DATE",
        help="Only documents of this day, month or year, or earlier. Messages of transcripts go by their own time.",
        show_default=False,
    ),
) -> SearchOptions:
    """What may be seen at all."""
    return {"paths": tuple(path), "tags": tuple(tag), "kinds": tuple(kind), "since": since, "until": until}


def PLACES(  # noqa: N802
    in_document: str = typer.Option(
        None,
        "--in",
        metavar="DOC",
        help="Only in this document: its path, the end of it, its title, or a session's id.",
        show_default=False,
    ),
    pages: str = typer.Option(None, metavar="N[-N]", help="Only on these pages: 30 or 30-90.", show_default=False),
    page_label: str = typer.Option(
        None, metavar="X[-X]", help="Only on the pages that the file calls so: iv or iv-x.", show_default=False
    ),
    sheet: str = typer.Option(None, metavar="NAME", help="Only on this sheet, also a hidden one.", show_default=False),
    rows: str = typer.Option(
        None, metavar="N[-N]", help="Only in these rows of a sheet or CSV file.", show_default=False
    ),
    slide: str = typer.Option(None, metavar="N[-N]", help="Only on these slides.", show_default=False),
    records: str = typer.Option(
        None, metavar="N[-N]", help="Only in these records of a JSON or JSONL file.", show_default=False
    ),
    lines: str = typer.Option(None, metavar="N[-N]", help="Only in these lines.", show_default=False),
    hidden: bool = typer.Option(False, "--hidden", help="Also on hidden sheets and slides."),
) -> SearchOptions:
    """Where in a document; without words, what stands there is shown in its order."""
    from glassdex.search.spans import SPANS, parse_span

    options: SearchOptions = {"in_document": in_document, "sheet": sheet, "hidden": hidden}
    if page_label is not None:  # which labels there are, and whether one has a dash in it, the document knows
        options["page_label_from"] = page_label
    given = {"pages": pages, "rows": rows, "slide": slide, "records": records, "lines": lines}
    for name, text in given.items():
        if text is not None:
            first, last = parse_span(name, text)
            options.update(cast("SearchOptions", {f"{SPANS[name]}_from": first, f"{SPANS[name]}_to": last}))
    return options


def SESSIONS(  # noqa: N802
    session: str = typer.Option(
        None, metavar="ID", help="Only in this session: its id or the beginning of it.", show_default=False
    ),
    role: list[str] = typer.Option(
        [],
        metavar="ROLE",
        help="Only what was said as user, assistant, system, tool_call, tool_result, thinking or summary. Repeatable.",
    ),
    tz: str = typer.Option(
        None,
        "--tz",
        metavar="ZONE",
        help="The zone of --since and --until, and of the times that are printed.  [default: UTC]",
        show_default=False,
    ),
) -> SearchOptions:
    """Whose words in transcripts."""
    return {"session": session, "roles": tuple(role), "tz": tz}


def RANKING(  # noqa: N802
    mode: str = typer.Option(
        "hybrid", metavar="MODE", help="hybrid (words and meaning), lexical (words) or dense (meaning)."
    ),
    limit: int = LimitOption,
    page: int = typer.Option(1, metavar="N", help="Which page of the ranking, from 1."),
    min_similarity: float = typer.Option(
        None,
        metavar="COSINE",
        help="Drop passages below this cosine, -1 to 1; those without a vector stay.",
        show_default=False,
    ),
    min_score: float = typer.Option(
        None, metavar="SCORE", help="Drop passages below this final score, as --explain prints it.", show_default=False
    ),
    fusion: str = typer.Option(
        None,
        metavar="NAME",
        help="How words and meaning are weighed: convex/1, rrf/1 or bonus/1.  [default: convex/1]",
        show_default=False,
    ),
    feedback: str = typer.Option(
        None,
        metavar="WHEN",
        help="Weigh the passages also by the words that the best ones share: auto (where these have little of the "
        "query), on or off.  [default: auto]",
        show_default=False,
    ),
    expand: int = typer.Option(
        None,
        metavar="N",
        help="Follow links: bring in or up to N documents that one joins with the best, 0 to 100, and what replaced a "
        "superseded one.  [default: 0; context: 3]",
        show_default=False,
    ),
    rerank: str = typer.Option(
        None,
        metavar="NAME",
        help="Who reads the best passages once more: none, late-interaction, cross-encoder:DIR (an ONNX model) or "
        "http:NAME (a service of your settings; the texts are sent there).  [default: none]",
        show_default=False,
    ),
    rerank_weight: float = typer.Option(
        None,
        metavar="SHARE",
        help="The reranker's share in the final score, 0 to 1.  [default: 0.3]",
        show_default=False,
    ),
    diversify: str = typer.Option(
        None,
        "--diversify",
        metavar="[LAMBDA]",
        help="Move down what says the same as a passage above it: 1 is relevance alone, 0 diversity alone; 0.7 where "
        "no number follows, --diversify=off for none.  [default: off]",
        show_default=False,
    ),
    rewrite: str = typer.Option(
        None,
        metavar="NAME",
        help="Who says the query in other words before it is searched: none, or http:NAME (a language model of your "
        "settings; the query is sent there).  [default: none]",
        show_default=False,
    ),
    weights: bool = typer.Option(
        None,
        "--weights/--no-weights",
        help="Weigh documents by what their front matter says, as [weights] in your settings reads it: by its `weight` "
        "where nothing is set there.  [default: where [weights] is set]",
        show_default=False,
    ),
    matches: int = typer.Option(
        None,
        metavar="N",
        help="Passages shown of a document, or messages of a session, 1 to 100.  [default: 3; context: all]",
        show_default=False,
    ),
    identity: str = IdentityOption,
) -> SearchOptions:
    """How what may be seen is ranked, and how much of the ranking is shown."""
    from glassdex.settings import load_settings

    settings = load_settings()
    given: SearchOptions = {} if limit is None else {"limit": limit}  # whose default the project or the command knows
    given |= {} if matches is None else {"matches": matches}
    given |= {} if diversify is None else {"diversify": _trade_off(diversify)}
    expanding = settings.expand or None if expand is None else expand
    given |= {} if expanding is None else {"expand": expanding}
    return given | {
        "mode": cast("Mode", mode),
        "page": page,
        "min_similarity": min_similarity,
        "min_score": min_score,
        "fusion": settings.fusion if fusion is None else fusion,
        "identity": cast("IdentityChoice", identity),
        "feedback": cast("FeedbackChoice", settings.feedback if feedback is None else feedback),
        "rerank": settings.rerank if rerank is None else rerank,
        "rerank_weight": settings.rerank_weight if rerank_weight is None else rerank_weight,
        "rewrite": settings.rewrite if rewrite is None else rewrite,
        "weights": bool(settings.weights) if weights is None else weights,
    }


def _trade_off(text: str) -> float | None:
    """Behind `--diversify`: a number, or off.

    Raises:
        InvalidRequest: neither.
    """
    from glassdex.errors import InvalidRequest

    if text == OFF:
        return None
    try:
        return float(text)
    except ValueError:
        wanted = "--diversify=0.7 (1 is relevance alone, 0 diversity alone), or --diversify=off"
        raise InvalidRequest(f"--diversify is {text[:80]!r}, which is no number", wanted) from None


def NEAREST(limit: int = NeighborLimitOption, identity: str = IdentityOption) -> SearchOptions:  # noqa: N802
    """How many neighbours are shown, and whose vectors tell; nothing else of a ranking can be chosen."""
    from glassdex.settings import load_settings

    return {
        "limit": load_settings().limit if limit is None else limit,
        "identity": cast("IdentityChoice", identity),
    }


def asks(*groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Puts the options of the groups where the command takes `options`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        def run(**given: Any) -> None:  # noqa: ANN401 - what Typer parsed
            options: SearchOptions = {}
            for group in groups:
                names = inspect.signature(group).parameters
                options.update(group(**{name: given.pop(name) for name in names}))
            command(**given, options=options)

        parameters: list[inspect.Parameter] = []
        for parameter in _parameters(command):
            parameters += [own for group in groups for own in _parameters(group)] if parameter.name == "options" else ()
            parameters += [parameter] if parameter.name != "options" else ()
        run.__doc__, run.__name__ = command.__doc__, command.__name__
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # read by `inspect.signature`
        return run

    return decorate


def _parameters(function: Callable[..., object]) -> list[inspect.Parameter]:
    """A function's parameters, each by its name alone and with its type resolved."""
    hints = get_type_hints(function)
    return [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for parameter in inspect.signature(function).parameters.values()
    ]
