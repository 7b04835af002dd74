"""The OpenAPI document: the requests from the questions, the answers from the published schemas of the envelopes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from glassdex import __version__
from glassdex.envelopes.base import Envelope
from glassdex.envelopes.chunks import ChunksAnswer
from glassdex.envelopes.comparison import CompareAnswer
from glassdex.envelopes.context import ContextAnswer
from glassdex.envelopes.documents import DocumentsAnswer
from glassdex.envelopes.evaluation import EvalAnswer
from glassdex.envelopes.index_run import IndexRunAnswer
from glassdex.envelopes.links import LinksAnswer
from glassdex.envelopes.neighbors import NeighborsAnswer
from glassdex.envelopes.passage import PassageAnswer
from glassdex.envelopes.search import SearchAnswer
from glassdex.envelopes.session import SessionAnswer, SessionsAnswer
from glassdex.envelopes.status import ProjectsAnswer, StatusAnswer
from glassdex.envelopes.trace import Trace
from glassdex.envelopes.why_not import WhyNotAnswer
from glassdex.server.problems import MEDIA_TYPE, Problem

ANSWERS: Mapping[str, type[Envelope]] = {
    "search": SearchAnswer,
    "searchByQuery": SearchAnswer,
    "context": ContextAnswer,
    "contextByQuery": ContextAnswer,
    "trace": Trace,
    "whyNot": WhyNotAnswer,
    "whyNotByQuery": WhyNotAnswer,
    "chunks": ChunksAnswer,
    "neighbors": NeighborsAnswer,
    "links": LinksAnswer,
    "open": PassageAnswer,
    "documents": DocumentsAnswer,
    "status": StatusAnswer,
    "projects": ProjectsAnswer,
    "sessions": SessionsAnswer,
    "session": SessionAnswer,
    "startIndex": IndexRunAnswer,
    "indexRun": IndexRunAnswer,
    "cancelIndex": IndexRunAnswer,
    "eval": EvalAnswer,
    "compare": CompareAnswer,
}
"""By the operation's id, the envelope that it answers with."""
ACCEPTED = frozenset({"startIndex", "cancelIndex"})
DESCRIPTION = """\
Search notes, documents and transcripts by words and by meaning, and see why each answer is there.

Answers are the objects that the command line prints with `--json`; keys that do not apply are absent, and a later
version may add some. Errors are problem details (RFC 9457) with a stable `code`, a `suggestion` and `candidates`."""
EXAMPLES: Mapping[str, Mapping[str, object]] = {
    "SearchQuestion": {"query": "what did we decide about backups", "limit": 5, "paths": ["decisions/"]},
    "ContextQuestion": {"query": "add a second embedding provider", "budget": 4000},
    "WhyNotQuestion": {"query": "restore a backup", "document": "runbooks/restore.md"},
    "IndexQuestion": {"embed": True},
    "EvalQuestion": {"queries": [{"query": "backups", "relevant": {"decisions/backups.md": 2}}], "measures": ["RR@10"]},
    "CompareQuestion": {"queries": [{"query": "backups"}], "a": {"mode": "lexical"}, "b": {"mode": "hybrid"}},
}
PARAMETER_EXAMPLES: Mapping[str, object] = {
    "query": "what did we decide about backups",
    "document": "runbooks/restore.md",
    "chunk": "notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5",
    "pointer": "notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5",
    "paths": ["decisions/", "*.md"],
    "since": "2026-01",
    "tz": "Europe/Berlin",
}


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """The document of the API's own routes; pages that are mounted beside them are not in it."""
    document = get_openapi(
        title="Glassdex", version=__version__, description=DESCRIPTION, routes=app.routes, openapi_version="3.1.0"
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for name, schema in schemas.items():
        if name in EXAMPLES:
            schema["examples"] = [EXAMPLES[name]]
    _add(schemas, "Problem", Problem.model_json_schema(mode="serialization"))
    for path in document["paths"].values():
        for operation in path.values():
            _describe(operation, schemas)
    return document


def _describe(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """The responses of an operation, and an example for each parameter that has one."""
    name = operation["operationId"]
    if name in ANSWERS:
        envelope = ANSWERS[name]
        _add(schemas, envelope.__name__, envelope.published_schema())
        content: dict[str, Any] = {"application/json": {"schema": _reference(envelope.__name__)}}
    elif name == "pageImage":
        content = {"image/png": {"schema": {"type": "string", "contentMediaType": "image/png"}}}
    else:
        content = {"text/event-stream": {"schema": {"type": "string"}}}
    headers = {"X-Request-ID": {"description": "Names the request in the log.", "schema": {"type": "string"}}}
    if name in ("search", "searchByQuery"):
        headers["X-Trace-ID"] = {"description": "Names the search's trace.", "schema": {"type": "string"}}
    operation["responses"] = {
        "202" if name in ACCEPTED else "200": {
            "description": "Accepted" if name in ACCEPTED else "The answer", "content": content, "headers": headers,
        },
        "default": {"description": "A problem", "content": {MEDIA_TYPE: {"schema": _reference("Problem")}}},
    }  # fmt: skip
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in PARAMETER_EXAMPLES:
            parameter["example"] = PARAMETER_EXAMPLES[parameter["name"]]


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _add(schemas: dict[str, Any], name: str, schema: Mapping[str, Any]) -> None:
    """Puts a schema and its parts among the components.

    A part of several envelopes is one component; another part of the same name is named after its envelope as well.
    """
    own = {key: value for key, value in schema.items() if key not in ("$defs", "$schema")}
    parts = {**schema.get("$defs", {}), name: own}
    names: dict[str, str] = {}
    while True:
        moved = {names.get(part, part): _moved(definition, names) for part, definition in parts.items()}
        taken = {part for part, definition in moved.items() if schemas.get(part, definition) != definition}
        if not taken:
            schemas.update(moved)
            return
        names |= {part: f"{name}.{part}" for part in taken}


def _moved(node: Any, names: Mapping[str, str]) -> Any:  # noqa: ANN401 - a JSON Schema
    if isinstance(node, list):
        return [_moved(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    moved = {key: _moved(value, names) for key, value in node.items()}
    if isinstance(node.get("$ref"), str):
        part = node["$ref"].removeprefix("#/$defs/")
        moved["$ref"] = f"#/components/schemas/{names.get(part, part)}"
    return moved
