"""Questions as the query of an address writes them: every value is text, and is read as the field's type."""

from __future__ import annotations

from pydantic import ConfigDict

from glassdex.answers import questions

_AS_TEXT = ConfigDict(strict=False)


class SearchQuery(questions.SearchQuestion):
    """A search."""

    model_config = _AS_TEXT


class WhyNotQuery(questions.WhyNotQuestion):
    """Why a document is not found."""

    model_config = _AS_TEXT


class ContextQuery(questions.ContextQuestion):
    """The passages worth reading for a task."""

    model_config = _AS_TEXT


class LinksQuery(questions.LinksQuestion):
    """Links."""

    model_config = _AS_TEXT


class ChunksQuery(questions.ChunksQuestion):
    """A document as the index sees it."""

    model_config = _AS_TEXT


class NeighborsQuery(questions.NeighborsQuestion):
    """The nearest chunks of a chunk."""

    model_config = _AS_TEXT


class OpenQuery(questions.OpenQuestion):
    """The passage behind a pointer."""

    model_config = _AS_TEXT


class PageImageQuery(questions.PageImageQuestion):
    """The page of a PDF with a passage marked."""

    model_config = _AS_TEXT


class SessionsQuery(questions.SessionsQuestion):
    """Which conversations there are."""

    model_config = _AS_TEXT


class SessionQuery(questions.SessionQuestion):
    """A page of a conversation."""

    model_config = _AS_TEXT


class StatusQuery(questions.StatusQuestion):
    """What is indexed."""

    model_config = _AS_TEXT


class DocumentsQuery(questions.DocumentsQuestion):
    """The documents of a project."""

    model_config = _AS_TEXT


class IndexQuery(questions.IndexQuestion):
    """An indexing run."""

    model_config = _AS_TEXT
