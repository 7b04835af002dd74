"""What each tool is asked with: flat typed parameters, whose descriptions teach when to fill them.

Few parameters a tool, because every one that is offered is one that a small model may fill without need. What it fills
to say "nothing" (`placeholders.py`) counts as left out; numbers may come as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from glassdex.errors import InvalidRequest
from glassdex.mcp.placeholders import says_nothing

MAX_TOKENS = (800, 100_000)
"""The least and the most of an answer; below it not even a verdict fits with its evidence."""
USUAL_TOKENS = 6_000
MOST_RESULTS = 50

Positive = Annotated[int, Field(json_schema_extra={"minimum": 1})]

_QUERY = (
    "What to look for: a question or words in the user's own language, without the name of a document, pages or sheet "
    'that have parameters of their own. A "quoted phrase" must occur, -word must not.'
)
_DOCUMENT = (
    "Fill only when the user names one document (or one conversation) to look in: its path, file name, title, or a "
    "session's id. Leave out to search everything."
)
_PAGE_FROM = (
    "Fill only when the user asks for pages of a PDF: the first one, counted from 1. 'page 12' is page_from 12 alone; "
    "'pages 30-90' is page_from 30 and page_to 90."
)
_PAGE_TO = (
    "The last page of a range of pages, counted from 1. Leave out for a single page, or where no pages are asked for."
)
_SHEET = "Fill only when the user names a sheet (tab) of a workbook: the sheet's name. Leave out otherwise."
_POINTER = "A pointer, exactly as another tool returned it."
_CHUNK = "A pointer or chunk_key, exactly as another tool returned it."
_MAX_TOKENS = (
    f"At most this many tokens of answer ({MAX_TOKENS[0]} to {MAX_TOKENS[1]}, {USUAL_TOKENS} by default); the answer "
    "says what was left out. Fill only to get a shorter or longer answer."
)
_ANYWAY = "true shows results that the verdict says not to rely on. Leave out at first."


class Parameters(BaseModel):
    """What all tools share."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)
    max_tokens: Positive = Field(USUAL_TOKENS, description=_MAX_TOKENS)

    @classmethod
    def read(cls, arguments: Mapping[str, object]) -> Self:
        """The parameters that a call means.

        Raises:
            InvalidRequest: a name that the tool does not have, a missing or unusable value; it says which.
        """
        required = {name for name, field in cls.model_fields.items() if field.is_required()}
        given = {
            name: value
            for name, value in arguments.items()
            if (value is not None if name in required else not says_nothing(value, cls._is_number(name)))
        }
        unknown = sorted(set(given) - set(cls.model_fields))
        if unknown:
            raise InvalidRequest(
                f"there is no parameter {', '.join(repr(name[:40]) for name in unknown[:5])}",
                f"the parameters are: {', '.join(cls.names())}",
                cls.names(),
            )
        try:
            found = cls.model_validate(given)
        except ValidationError as error:
            raise _unusable(error) from None
        least, most = MAX_TOKENS
        if not least <= found.max_tokens <= most:
            raise InvalidRequest(
                f"max_tokens is {found.max_tokens}; it must be between {least} and {most}",
                f"leave it out for {USUAL_TOKENS}",
            )
        return found

    @classmethod
    def names(cls) -> list[str]:
        """The parameters' names: first what must be given, `max_tokens` last."""
        required = [name for name, field in cls.model_fields.items() if field.is_required()]
        others = [name for name in cls.model_fields if name not in (*required, "max_tokens")]
        return [*required, *others, "max_tokens"]

    @classmethod
    def _is_number(cls, name: str) -> bool:
        field = cls.model_fields.get(name)
        return field is not None and _holds_number(field.annotation)


class Scoped(Parameters):
    """Where to look."""

    document: str | None = Field(None, description=_DOCUMENT)
    page_from: Positive | None = Field(None, description=_PAGE_FROM)
    page_to: Positive | None = Field(None, description=_PAGE_TO)
    sheet: str | None = Field(None, description=_SHEET)

    def places(self) -> dict[str, object]:
        """The filters by their names in questions, those that are given.

        Raises:
            InvalidRequest: the last page of a range without the first.
        """
        if self.page_to is not None and self.page_from is None:
            raise InvalidRequest(
                "page_to is given without page_from", f"the whole range: page_from 1, page_to {self.page_to}"
            )
        names = {"document": "in_document", "page_from": "page_from", "page_to": "page_to", "sheet": "sheet"}
        given = {asked: getattr(self, own) for own, asked in names.items()}
        return {name: value for name, value in given.items() if value is not None}


class SearchParameters(Scoped):
    """Of `search`."""

    query: str = Field(description=_QUERY)
    limit: Positive | None = Field(
        None,
        description=f"How many documents to return, 1 to {MOST_RESULTS}. Leave out for the usual number.",
        json_schema_extra={"maximum": MOST_RESULTS},
    )
    show_anyway: bool = Field(False, description=_ANYWAY)


class ContextParameters(Scoped):
    """Of `context`."""

    task: str = Field(description="What is to be done or answered, in the user's own language.")
    show_anyway: bool = Field(False, description=_ANYWAY)


class InspectQueryParameters(Scoped):
    """Of `inspect_query`."""

    query: str = Field(description=_QUERY)
    max_candidates: Positive = Field(
        20, description="At most this many candidates in the trace; those returned are always there."
    )


class WhyNotParameters(Parameters):
    """Of `why_not`."""

    query: str = Field(description="The query of the search that did not return the document.")
    document: str = Field(
        description="The document that was expected among the results: its path, file name, title, or a pointer."
    )


class OpenParameters(Parameters):
    """Of `open`."""

    pointer: str = Field(description=_POINTER)


class ChunksParameters(Parameters):
    """Of `inspect_chunks`."""

    document: str = Field(description="The document: its path, file name, title, a session's id, or a pointer into it.")


class NeighborsParameters(Parameters):
    """Of `neighbors`."""

    chunk: str = Field(description=_CHUNK)
    limit: Positive | None = Field(None, description="How many neighbours, 1 to 50. Leave out for the usual number.")


class DocumentsParameters(Parameters):
    """Of `list_documents`."""

    limit: Positive = Field(100, description="At most this many.")
    offset: int = Field(0, description="Leave out so many first: the `next` of the page before. Leave out to begin.")


class SessionsParameters(Parameters):
    """Of `list_sessions`."""

    since: str | None = Field(
        None,
        description="Fill only when the user names a time: sessions with a message on this day or later, 2026-01-31.",
    )
    until: str | None = Field(
        None, description="Fill only when the user names a time: sessions with a message on this day or earlier."
    )
    limit: Positive = Field(30, description="At most this many.")
    offset: int = Field(0, description="Leave out so many first. Leave out to begin with the latest.")


class SessionParameters(Parameters):
    """Of `show_session`."""

    session: str | None = Field(
        None, description="The session's id or the beginning of it, as other tools return it; not needed beside `at`."
    )
    at: str | None = Field(None, description="A pointer to a message, as search returns it: begin there.")
    offset: str | None = Field(
        None,
        description="Begin at this message: a number from 0, or the `next` or `previous` of another page. Leave out to "
        "begin at the first.",
    )
    limit: Positive | None = Field(None, description="Messages a page, 1 to 500; 20 by default.")


class StatusParameters(Parameters):
    """Of `status`."""


def _holds_number(annotation: object) -> bool:
    return annotation is int or any(_holds_number(part) for part in get_args(annotation))


def _unusable(error: ValidationError) -> InvalidRequest:
    found = error.errors()[:5]
    said = []
    for one in found:
        name = ".".join(str(part)[:40] for part in one["loc"])
        said.append(f"{name} is missing" if one["type"] == "missing" else f"{name}: {one['msg'][:120].lower()}")
    numbers = any(one["type"].startswith("int") for one in found)
    return InvalidRequest(
        "; ".join(said), "a range is two numbers, such as page_from 30 and page_to 90" if numbers else ""
    )
