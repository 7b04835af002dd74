"""The JSON Schemas of the tools: inputs from the parameters, outputs from the published envelopes."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

from glassdex.envelopes.base import Envelope
from glassdex.mcp.parameters import Parameters
from glassdex.model import Json

Schema = dict[str, Json]

ADDED: Schema = {
    "not_shown": {
        "type": "object",
        "description": "Results that the verdict says not to rely on, and that are not shown.",
        "properties": {"results": {"type": "integer"}, "suggestion": {"type": "string"}},
        "required": ["results", "suggestion"],
    },
    "answer_budget": {
        "type": "object",
        "description": "Present where something was left out to stay within max_tokens.",
        "properties": {
            "max_tokens": {"type": "integer"},
            "tokens": {"type": "integer", "description": "Of this answer, counted with 0 in this place."},
            "tokenizer": {"type": "string"},
            "left_out": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "what": {"type": "string"},
                        "left_out": {"type": "integer"},
                        "of": {"type": "integer"},
                        "unit": {"enum": ["items", "characters"]},
                    },
                    "required": ["what", "left_out", "of", "unit"],
                },
            },
            "suggestion": {"type": "string"},
        },
        "required": ["max_tokens", "tokens", "tokenizer", "left_out", "suggestion"],
    },
    "calls_left": {"type": "integer", "description": "Searches that this conversation may still make."},
}
"""Keys that an answer over MCP may have beside its envelope's."""


def input_schema(parameters: type[Parameters], projects: Collection[str]) -> Schema:
    """What a tool takes; with a choice of `projects` where there are several."""
    made = cast("Schema", parameters.model_json_schema())
    properties = cast("dict[str, Schema]", made["properties"])
    described: Schema = {name: _parameter(properties[name]) for name in parameters.names()}
    if projects:
        described["project"] = {
            "type": "string",
            "enum": list[Json](sorted(projects)),
            "description": "Which project to look in. Leave out where the user names none and a call without it works.",
        }
    required = list(cast("list[Json]", made.get("required", [])))
    return {"type": "object", "properties": described, "required": required, "additionalProperties": False}


def output_schema(envelope: type[Envelope], without: Collection[str] = ()) -> Schema:
    """What a tool answers: the envelope's published schema, `without` some keys, and with what MCP adds."""
    schema = cast("Schema", envelope.published_schema())
    properties = cast("Schema", schema["properties"])
    kept = {name: one for name, one in properties.items() if name not in without} | ADDED
    definitions = cast("Schema", schema.pop("$defs", {}))
    schema["properties"] = kept
    used = _used(schema, definitions)
    if used:
        schema["$defs"] = {name: one for name, one in definitions.items() if name in used}
    return schema


def _parameter(schema: Schema) -> Schema:
    """One parameter without what only lengthens it: a title, and that it may be null."""
    variants = cast("list[Schema]", schema.get("anyOf", []))
    kept = {name: one for name, one in schema.items() if name not in ("title", "anyOf", "default")}
    for variant in variants:
        if variant.get("type") != "null":
            kept = {**variant, **kept}
    return {"type": kept.pop("type"), **kept}


def _used(schema: Json, definitions: Schema) -> set[str]:
    """The names of the definitions that a schema needs, through others too."""
    found: set[str] = set()
    waiting: list[Json] = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str):
                name = reference.rpartition("/")[2]
                if name not in found:
                    found.add(name)
                    waiting.append(definitions[name])
            waiting += node.values()
    return found
