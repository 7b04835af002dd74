"""Which rewriters there are: services of the settings, then those of installed distributions.

A rewriter is asked for as `name` or `name:argument`. An entry point of the group `glassdex.rewriters` is a callable
that takes the argument (empty where there is none) and gives a `Rewriter`.
"""

from __future__ import annotations

from glassdex.errors import InvalidRequest, RewriteError
from glassdex.rewriting.protocol import Rewriter
from glassdex.settings import load_settings

ENTRY_POINT_GROUP = "glassdex.rewriters"


def open_rewriter(asked: str) -> Rewriter:
    """The rewriter that `asked` means; nothing is loaded or called before its first query.

    Raises:
        InvalidRequest: nothing is called so, the argument is missing, or the settings have no such service.
        InvalidSetting: the settings describe the service wrongly.
        RewriteError: an installed rewriter cannot be made.
    """
    name, _, argument = asked.partition(":")
    return _service(argument) if name == "http" and argument else _installed(asked, name, argument)


def _service(name: str) -> Rewriter:
    from glassdex.rewriting.http import HttpRewriter
    from glassdex.rewriting.services import rewrite_service

    services = load_settings().rewriters
    if name not in services:
        raise InvalidRequest(
            f"the settings name no rewriter {name!r}",
            f"add [rewriters.{name}] with its url, model and kind to config.toml",
            [*services],
        )
    return HttpRewriter(rewrite_service(name, services[name]))


def _installed(asked: str, name: str, argument: str) -> Rewriter:
    from importlib.metadata import entry_points

    points = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in points:
        known = ("none", "http:NAME", *sorted(points))
        raise InvalidRequest(f"unknown rewriter {asked!r}", f"one of {', '.join(known)}", known)
    try:
        rewriter = points[name].load()(argument)
    except Exception as error:  # whatever a foreign adapter raises
        raise RewriteError(f"the rewriter {name!r} ({points[name].value}) cannot be made: {error}") from error
    if not isinstance(rewriter, Rewriter):
        raise RewriteError(f"{points[name].value} gave a {type(rewriter).__name__}, which is no rewriter")
    return rewriter
