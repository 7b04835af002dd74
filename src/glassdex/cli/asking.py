"""The options of every command that asks the index, written once.

A command decorated with `@asks(...)` takes `options`, and on the command line the options of those groups in its
place. What is not given there comes from the user's settings.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast, get_type_hints

import typer

from glassdex.search.request import IdentityChoice, Mode, SearchOptions

Group = Callable[..., SearchOptions]

QueryArgument = typer.Argument(
    None,
    metavar="[QUERY]...",
    help='Words, a "quoted phrase" that must occur, -word that must not, title:word. Without any, or with -: '
    "standard input.",
    show_default=False,
)
MissesOption = typer.Option(
    False, "--show-misses", help="Show what was considered and not returned, and the number that failed."
)
WatchOption = typer.Option(
    [], "--watch", metavar="DOC", help="Follow this document or pointer and say why it is where it is. Repeatable."
)
MaxCandidatesOption = typer.Option(
    None,
    metavar="N",
    min=0,
    help="Of the trace's candidates list at most so many; the returned ones always.",
    show_default=False,
)
LimitOption = typer.Option(
    None, "--limit", "-n", metavar="N", help="Documents a page, 1 to 1000.  [default: 10]", show_default=False
)


def FILTERS(  # noqa: N802 - a group of options, named as the constant that it is
    path: list[str] = typer.Option(
        [], metavar="PATTERN", help="Only documents there, as in .gitignore: 'notes/', '*.md'. Repeatable."
    ),
    tag: list[str] = typer.Option([], metavar="TAG", help="Only with this tag, or one below it. Repeatable."),
    kind: list[str] = typer.Option([], metavar="KIND", help="Only entity, observation or relation rows. Repeatable."),
    since: str = typer.Option(
        None, metavar="DATE", help="Only documents dated then or later: 2026-01-31.", show_default=False
    ),
    until: str = typer.Option(
        None, metavar="DATE", help="Only documents dated then or earlier; a day counts whole.", show_default=False
    ),
) -> SearchOptions:
    """What may be seen at all."""
    return {"paths": tuple(path), "tags": tuple(tag), "kinds": tuple(kind), "since": since, "until": until}


def RANKING(  # noqa: N802
    mode: str = typer.Option("hybrid", metavar="MODE", help="hybrid, lexical (words) or dense (meaning)."),
    limit: int = LimitOption,
    page: int = typer.Option(1, metavar="N", help="Which page, from 1."),
    min_similarity: float = typer.Option(
        None, metavar="COSINE", help="Drop hits below this cosine, -1 to 1.", show_default=False
    ),
    min_score: float = typer.Option(
        None, metavar="SCORE", help="Drop hits below this final score.", show_default=False
    ),
    fusion: str = typer.Option(
        None, metavar="NAME", help="convex/1, rrf/1 or bonus/1.  [default: convex/1]", show_default=False
    ),
    identity: str = typer.Option(
        "active",
        metavar="WHOSE",
        help="Whose vectors serve: active, or previous, those of the model before, until the new ones are there.",
    ),
) -> SearchOptions:
    """How what may be seen is ranked, and how much of the ranking is shown."""
    from glassdex.settings import load_settings

    settings = load_settings()
    return {
        "mode": cast("Mode", mode),
        "limit": settings.limit if limit is None else limit,
        "page": page,
        "min_similarity": min_similarity,
        "min_score": min_score,
        "fusion": settings.fusion if fusion is None else fusion,
        "identity": cast("IdentityChoice", identity),
    }


def LIMIT(limit: int = LimitOption) -> SearchOptions:  # noqa: N802
    """How many are shown, where nothing else of the ranking can be chosen."""
    from glassdex.settings import load_settings

    return {"limit": load_settings().limit if limit is None else limit}


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
