"""The form of a search: every field that the question has, so that a filter of the command line is one here, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast, get_args

from pydantic.fields import FieldInfo

from glassdex.answers.questions import Filters, Question, SearchQuestion
from glassdex.server.pages.asked import IN_FORMS, is_list

PLACES = (
    "in_document", "page_from", "page_to", "page_label_from", "page_label_to", "sheet", "row_from", "row_to",
    "slide_from", "slide_to", "record_from", "record_to", "line_from", "line_to", "hidden",
)  # fmt: skip
APART = ("query", "mode", "project", "page", "explain", "show_misses", "max_candidates", "watch")
"""Fields that stand elsewhere on the page, or that the page fills in itself."""
Kind = Literal["text", "number", "check", "choice"]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form: `values` as they stand in the address, one empty for what may still be written."""

    name: str
    label: str
    kind: Kind
    values: tuple[str, ...]
    choices: tuple[str, ...]
    about: str


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that are about the same."""

    title: str
    fields: tuple[Field, ...]


def form(question: SearchQuestion) -> list[Group]:
    """The fields of a search, filled in."""
    names = [name for name in SearchQuestion.model_fields if name not in APART]
    filters = {*Filters.model_fields, "projects", "all_projects"} - {*PLACES, "limit", "identity"}
    scope = [name for name in names if name in filters]
    ranking = [name for name in names if name not in (*scope, *PLACES)]
    groups = (("What may be seen", scope), ("Where in a document", PLACES), ("How it is ranked", ranking))
    return [Group(title, tuple(_fields(question, own))) for title, own in groups]


def field(question: Question, name: str) -> Field:
    """One field, filled in."""
    return next(_fields(question, (name,)))


def chosen(question: SearchQuestion) -> Iterator[tuple[str, str, str]]:
    """The filters in force: field, label and value."""
    given = question.model_dump(exclude_defaults=True)
    for name, value in given.items():
        if name in APART or value is None:
            continue
        for each in value if isinstance(value, list) else (value,):
            yield IN_FORMS.get(name, name), _label(name), "" if each is True else str(each)


def _fields(question: Question, names: tuple[str, ...] | list[str]) -> Iterator[Field]:
    model = type(question)
    for name in names:
        info, value = model.model_fields[name], getattr(question, name)
        values = [_text(each) for each in (value if is_list(info) else [value])]
        values += [""] if is_list(info) or not values else []
        yield Field(
            IN_FORMS.get(name, name), _label(name), _kind(info), tuple(values), _choices(info), info.description or ""
        )


def _text(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _label(name: str) -> str:
    label = {"in_document": "in document", "tz": "time zone"}.get(name, name.replace("_", " "))
    return label[:-5] + " from" if label.endswith(" from") else label


def _kind(info: FieldInfo) -> Kind:
    kinds = get_args(info.annotation) or (info.annotation,)
    if _choices(info):
        return "choice"
    if info.annotation is bool:
        return "check"
    return "number" if any(kind in kinds or _inside(kinds, kind) for kind in (int, float)) else "text"


def _inside(kinds: tuple[object, ...], wanted: type) -> bool:
    return any(wanted in get_args(kind) for kind in kinds)


def _choices(info: FieldInfo) -> tuple[str, ...]:
    """The values that a field may have, with none first where it may be left out."""
    if bool in get_args(info.annotation):
        return ("", "true", "false")
    for extra in _extras(info):
        found = extra.get("enum")
        if isinstance(found, list):
            values = cast("list[str]", found)
            return tuple(values if info.default in values else ["", *values])
    return ()


def _extras(info: FieldInfo) -> Iterator[dict[str, object]]:
    """What the field's annotations say besides its type."""
    waiting: list[object] = [info, info.annotation]
    while waiting:
        item = waiting.pop()
        if isinstance(item, FieldInfo) and isinstance(item.json_schema_extra, dict):
            yield cast("dict[str, object]", item.json_schema_extra)
        waiting += [*getattr(item, "__metadata__", ()), *get_args(item)]
