"""The command line that asks the same."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import fields

from glassdex.search.request import SearchRequest
from glassdex.search.spans import SPANS

_OPTIONS = {
    "paths": "path",
    "tags": "tag",
    "kinds": "kind",
    "roles": "role",
    "in_document": "in",
    "page_label_from": "page_label",
    **{f"{field}_from": name for name, field in SPANS.items()},
}
"""Repeatable options, and fields that are called otherwise on the command line."""
Named = str | Sequence[str] | None
"""The project, or the projects, that a command line named."""


def command_of(request: SearchRequest, project: Named = None, usual_limit: int = 10) -> str:
    """The command line that runs a request; what has its default, of the limit the project's, is left out."""
    words = ["glassdex", "search"]
    for part in fields(SearchRequest):
        value = getattr(request, part.name)
        default = usual_limit if part.name == "limit" else part.default
        if part.name in ("query", "watch") or part.name.endswith("_to") or value == default:
            continue
        if part.name.endswith("_from"):
            last = getattr(request, f"{part.name.removesuffix('_from')}_to")
            value = value if last in (None, value) else f"{value}-{last}"
        option = f"--{_OPTIONS.get(part.name, part.name).replace('_', '-')}"
        if value is True:
            words.append(option)
            continue
        for each in value if isinstance(value, tuple) else (value,):
            # One word with its value: a negative number must not be read as an option.
            words.append(f"{option}={each}")
    projects = [project] if isinstance(project, str) else project or ()
    words += [f"--project={name}" for name in projects]
    return shlex.join([*words, "--", request.query])
