"""A search's options as text or JSON: `fusion=rrf/1,mode=hybrid` on the command line, `options:` in judgments.

The names are those of `SearchRequest`, and the command line's where they differ (`in`, `path`, `pages: 3-5`).
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Literal, Union, cast, get_args, get_origin, get_type_hints

from glassdex.errors import InvalidRequest
from glassdex.model import Json
from glassdex.search.request import SearchOptions, SearchRequest
from glassdex.search.spans import SPANS, parse_span

ALIASES = {"in": "in_document", "path": "paths", "tag": "tags", "kind": "kinds", "role": "roles"}
OFF = "off"
NOT_HERE = frozenset({"limit", "page", "watch"})
"""What a measurement decides by itself."""


def options_from_json(value: Json, query: str = "any") -> dict[str, Json]:
    """The options of a judged query as JSON by field name; `search_options` makes a request's of them.

    Raises:
        InvalidRequest, InvalidRange: an unknown name, a value of the wrong type or outside its domain.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidRequest("`options` is no mapping", "for example options: {in: report.pdf, pages: 3-5}")
    options: dict[str, Json] = {}
    for name, item in value.items():
        for field, fitting in _fields(name.replace("-", "_"), item):
            if field in options:
                raise InvalidRequest(f"the option {field} is given twice")
            options[field] = fitting
    SearchRequest(query if query.strip() else "any", **search_options(options)).validate()
    return options


def options_from_text(text: str) -> dict[str, Json]:
    """`fusion=rrf/1,mode=hybrid,min_similarity=0.3` as JSON by field name; a list's name may be repeated.

    Raises:
        InvalidRequest, InvalidRange: as `options_from_json`, or a part without `=`.
    """
    given: dict[str, Json] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        name = name.strip().replace("-", "_")
        name = ALIASES.get(name, name)
        if not equals:
            raise InvalidRequest(f"{part!r} is no option", "write NAME=VALUE, for example fusion=rrf/1")
        item = _parsed(name, value.strip())
        if name in given:
            before = given[name]
            if not isinstance(before, list) or not isinstance(item, list):
                raise InvalidRequest(f"the option {name} is given twice")
            item = before + item
        given[name] = item
    return options_from_json(given)


def search_options(options: Mapping[str, Json]) -> SearchOptions:
    """Options as JSON for a request: lists become tuples."""
    made = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    return cast("SearchOptions", made)


def option_text(name: str, value: Json) -> str:
    """An option as it is written: `fusion=rrf/1`, `weights=off`, `paths=a/,paths=b/`."""
    if isinstance(value, list):
        return ",".join(f"{name}={item}" for item in value)
    return f"{name}={OFF if value is None or value is False else 'on' if value is True else value}"


def _fields(name: str, value: Json) -> list[tuple[str, Json]]:
    name = ALIASES.get(name, name)
    if name in SPANS:
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str):
            raise InvalidRequest(f"the option {name} is {value!r}", f"write {name}: 30-90")
        first, last = parse_span(name, text)
        return [(f"{SPANS[name]}_from", first), (f"{SPANS[name]}_to", last)]
    if name in NOT_HERE:
        raise InvalidRequest(f"the option {name} is not for a measurement, which asks for as much as it measures")
    hint = _hints().get(name)
    if hint is None:
        raise InvalidRequest(f"unknown option {str(name)[:80]!r}", "the options of a search, as `glassdex search -h`")
    if _is_list(hint) and isinstance(value, str):
        value = [value]
    if name == "diversify" and (value == OFF or value is False):  # YAML reads a bare `off` as false
        value = None
    if not _fits(value, hint):
        raise InvalidRequest(
            f"the option {name} is {str(value)[:80]!r}, which is not of its type: {_described(hint)}",
            "1 is relevance alone, 0 diversity alone, off none" if name == "diversify" else "",
        )
    return [(name, value)]


def _parsed(name: str, text: str) -> Json:
    """A value of the command line in the type of its option; what does not fit stays text, and is refused later."""
    hint = _hints().get(name)
    if hint is None or name in SPANS:
        return text
    if _is_list(hint):
        return [text]
    kinds = _kinds(hint)
    if bool in kinds and text.lower() in ("true", "false", "yes", "no", "on", OFF):
        return text.lower() in ("true", "yes", "on")
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(text)
            except ValueError:
                continue
    return text


def _hints() -> dict[str, object]:
    return get_type_hints(SearchOptions)


def _kinds(hint: object) -> tuple[object, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _is_list(hint: object) -> bool:
    return any(get_origin(kind) is tuple for kind in _kinds(hint))


def _described(hint: object) -> str:
    """What an option takes, in words."""
    kinds = _kinds(hint)
    if bool in kinds:
        return "true or false"
    if float in kinds or int in kinds:
        return "a number" if float in kinds else "a whole number"
    return "a text or a list of texts" if _is_list(hint) else "a text"


def _fits(value: Json, hint: object) -> bool:
    for kind in _kinds(hint):
        if get_origin(kind) is tuple:
            fits = isinstance(value, list) and all(isinstance(item, str) for item in value)
        elif get_origin(kind) is Literal:
            fits = isinstance(value, str)  # which of them, the request knows
        elif kind is float:
            fits = isinstance(value, int | float) and not isinstance(value, bool)
        elif kind is int:
            fits = isinstance(value, int) and not isinstance(value, bool)
        else:
            fits = isinstance(kind, type) and isinstance(value, kind)
        if fits:
            return True
    return False
