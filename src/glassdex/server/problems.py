"""Errors over HTTP: problem details (RFC 9457) with the codes, suggestions and candidates of `glassdex.error/1`."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from glassdex.errors import GlassdexError, InputError, InternalError, ReadError, UnavailableError
from glassdex.escaping import harmless_json
from glassdex.server.logs import log

MEDIA_TYPE = "application/problem+json"
_STATUS = {
    "document_ambiguous": 409,
    "session_ambiguous": 409,
    "cursor_outdated": 409,
    "vector_missing": 409,
    "project_exists": 409,
    "busy": 409,
    "root_conflict": 409,
    "missing_extra": 501,
}
"""Where the kind of an error does not say its status."""
_SHOWN_ERRORS = 20


class ValueProblem(BaseModel):
    """A value of the request that cannot be used; what was sent is not repeated."""

    location: str
    message: str


class Problem(BaseModel):
    """Problem details; `code` is stable, `suggestion` says what to do, `candidates` what could have been meant."""

    type: str = Field(examples=["urn:glassdex:problem:document_not_found"])
    title: str = Field(examples=["No document answers to that name."])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["no document is called 'restor.md'"])
    code: str = Field(examples=["document_not_found"])
    suggestion: str | None = Field(None, examples=["did you mean runbooks/restore.md?"])
    candidates: list[str] | None = Field(None, examples=[["runbooks/restore.md"]])
    errors: list[ValueProblem] | None = None
    request_id: str | None = None


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    title: str = "",
    suggestion: str = "",
    candidates: Sequence[str] = (),
    errors: Sequence[ValueProblem] = (),
    request_id: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The response that says so."""
    body = Problem(
        type=f"urn:glassdex:problem:{code}",
        title=title or HTTPStatus(status).phrase,
        status=status,
        detail=_valid(detail),
        code=code,
        suggestion=_valid(suggestion) or None,
        candidates=[_valid(one) for one in candidates] or None,
        errors=list(errors) or None,
        request_id=request_id,
    )
    text = harmless_json(body.model_dump_json(exclude_none=True)) + "\n"
    return Response(text, status, headers=headers, media_type=MEDIA_TYPE)


def status_of(error: GlassdexError) -> int:
    """The HTTP status of an error of ours."""
    if error.code in _STATUS:
        return _STATUS[error.code]
    if isinstance(error, InputError):
        return 404 if error.code.endswith("_not_found") else 422
    if isinstance(error, ReadError):
        return 422
    return 503 if isinstance(error, UnavailableError) else 500


def handle_problems(app: FastAPI) -> None:
    """Answers every error of the application with problem details."""
    app.add_exception_handler(GlassdexError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _unexpected)


def _unexpected(request: Request, error: Exception) -> Response:
    """A fault of Glassdex; its own words may hold a file's text, so they are not said."""
    request_id = _request_id(request)
    log("error", "internal error", request_id=request_id, exception=type(error).__name__)
    if os.environ.get("GLASSDEX_DEBUG", "") not in ("", "0"):
        sys.stderr.write(harmless_json("".join(traceback.format_exception(error))).replace("\\u000a", "\n") + "\n")
    return problem(
        500,
        InternalError.code,
        f"a fault of Glassdex, not of your request: {type(error).__name__}",
        title="A fault of Glassdex itself.",
        suggestion="run the server with GLASSDEX_DEBUG=1 for the traceback, and report that",
        request_id=request_id,
    )


def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, GlassdexError)
    status = status_of(error)
    return problem(
        status,
        error.code,
        error.message,
        title=(inspect.getdoc(type(error)) or "").partition("\n")[0],
        suggestion=error.suggestion,
        candidates=error.candidates,
        request_id=_request_id(request),
        headers={"Retry-After": "1"} if error.code in ("busy", "store_locked") else None,
    )


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [
        ValueProblem(
            location=_valid(".".join(str(part) for part in one["loc"]))[:200], message=_valid(one["msg"])[:300]
        )
        for one in error.errors()[:_SHOWN_ERRORS]
    ]
    return problem(
        422,
        "invalid_request",
        "; ".join(f"{one.location}: {one.message}" for one in errors[:3]),
        title="A request holds a value outside its documented domain.",
        suggestion="the fields and their types: /api/v1/openapi.json",
        errors=errors,
        request_id=_request_id(request),
    )


def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    return problem(
        error.status_code,
        phrase.lower().replace(" ", "_").replace("-", "_"),
        f"{request.method} is not for this address" if error.status_code == 405 else phrase.lower(),
        suggestion="what there is: /api/v1/openapi.json",
        request_id=_request_id(request),
        headers=error.headers,
    )


def _request_id(request: Request) -> str | None:
    found = request.scope.get("glassdex.request_id")
    return found if isinstance(found, str) else None


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
