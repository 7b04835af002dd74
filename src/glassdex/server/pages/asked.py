"""From an address to a question and back: what a page shows is all in its address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, get_origin
from urllib.parse import urlencode

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from starlette.requests import Request

from glassdex.answers.questions import Question
from glassdex.errors import InvalidRequest
from glassdex.server.queries import WhyNotQuery

Asked = TypeVar("Asked", bound=Question)
IN_FORMS = {"matches": "passages"}
"""Fields that are called otherwise here: an input of that name would hide a method of its form."""
Value = str | int | float | bool | None | Sequence[str]


def question_of(model: type[Asked], request: Request, *ours: str, **fixed: Value) -> Asked:
    """The question in the address of a page; what a form leaves empty is left out, `ours` are the page's own names.

    Raises:
        InvalidRequest: a name that is none, or a value that is not of its type; or larger than any that is meant.
    """
    given: dict[str, Value] = {}
    meant = {there: here for here, there in IN_FORMS.items()}
    for written in request.query_params:
        name = meant.get(written, written)
        values = [value for value in request.query_params.getlist(written) if value.strip()]
        field = model.model_fields.get(name)
        if name in ours or not values:
            continue
        if field is not None and len(values) > 1 and not is_list(field):
            raise InvalidRequest(f"{name} is given {len(values)} times")
        given[name] = values if field is not None and is_list(field) else values[0]
    try:
        return model.model_validate({**given, **fixed}).refuse_oversized()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:80]
        raise InvalidRequest(
            f"{where}: {first['msg']}"[:300], "the fields of the form, or /api/v1/openapi.json"
        ) from error


def is_list(field: FieldInfo) -> bool:
    """Whether a field takes several values."""
    return get_origin(field.annotation) is list


def given_in(question: Question) -> dict[str, Value]:
    """What a question says besides the defaults, by field."""
    values = question.model_dump(exclude_defaults=True)
    return {IN_FORMS.get(name, name): value for name, value in values.items() if value not in (None, [], "")}


def of_why_not(given: Mapping[str, Value]) -> dict[str, Value]:
    """What a search says that `/why-not` can be asked as well; the document is asked beside it."""
    names = {IN_FORMS.get(name, name) for name in WhyNotQuery.model_fields if name != "document"}
    kept = {name: value for name, value in given.items() if name in names}
    projects = given.get("projects")
    if isinstance(projects, list | tuple) and len(projects) == 1:
        kept["project"] = projects[0]
    return kept


def address(path: str, *given: Mapping[str, Value], **changes: Value) -> str:
    """A page's address: what is given, later ones winning; what is nothing is left out."""
    merged: dict[str, Value] = {}
    for values in (*given, changes):
        merged.update(values)
    pairs = []
    for name, value in merged.items():
        for each in value if isinstance(value, list | tuple) else (value,):
            if each not in (None, "", False):
                text = "true" if each is True else str(each)
                pairs.append((name, text.encode("utf-8", "replace").decode()))
            elif each is False and name in ("weights",):  # off is not the same as unsaid
                pairs.append((name, "false"))
    return f"{path}?{urlencode(pairs)}" if pairs else path
