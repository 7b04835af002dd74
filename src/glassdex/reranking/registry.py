"""Which rerankers there are: the built-in ones, then those of installed distributions.

A reranker is asked for as `name` or `name:argument`. An entry point of the group `glassdex.rerankers` is a callable
that takes the argument (empty where there is none) and gives a `Reranker`.
"""

from __future__ import annotations

from glassdex.errors import InvalidRequest, RerankError
from glassdex.reranking.protocol import Reranker
from glassdex.settings import load_settings

ENTRY_POINT_GROUP = "glassdex.rerankers"
FORMS = ("late-interaction", "cross-encoder:DIR", "http:NAME")


def open_reranker(asked: str) -> Reranker:
    """The reranker that `asked` means; its model is loaded later, by its first passages.

    Raises:
        InvalidRequest: nothing is called so, the argument is missing, or the settings have no such service.
        InvalidSetting: the settings describe the service wrongly.
        RerankError: an installed reranker cannot be made.
    """
    name, colon, argument = asked.partition(":")
    if name == "late-interaction" and not colon:
        from glassdex.reranking.late_interaction import LateInteraction

        return LateInteraction()
    if name == "cross-encoder" and argument:
        from glassdex.reranking.cross_encoder import CrossEncoder

        return CrossEncoder(argument)
    if name == "http" and argument:
        return _service(argument)
    return _installed(asked, name, argument)


def _service(name: str) -> Reranker:
    from glassdex.reranking.http import HttpReranker
    from glassdex.reranking.services import rerank_service

    services = load_settings().rerankers
    if name not in services:
        raise InvalidRequest(
            f"the settings name no reranker {name!r}",
            f"add [rerankers.{name}] with its url to config.toml",
            [*services],
        )
    return HttpReranker(rerank_service(name, services[name]))


def _installed(asked: str, name: str, argument: str) -> Reranker:
    from importlib.metadata import entry_points

    points = {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}
    if name not in points:
        known = ("none", *FORMS, *sorted(points))
        raise InvalidRequest(f"unknown reranker {asked!r}", f"one of {', '.join(known)}", known)
    try:
        reranker = points[name].load()(argument)
    except Exception as error:  # whatever a foreign adapter raises
        raise RerankError(f"the reranker {name!r} ({points[name].value}) cannot be made: {error}") from error
    if not isinstance(reranker, Reranker):
        raise RerankError(f"{points[name].value} gave a {type(reranker).__name__}, which is no reranker")
    return reranker
