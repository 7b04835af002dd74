"""What all envelopes share."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of an envelope; unknown keys are refused when it is built."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


class Envelope(Part):
    """A whole answer; its `schema` key names what it is."""

    def to_json(self) -> str:
        """One line of JSON, absent keys left out; text that is no valid Unicode is replaced, never an error."""
        return (
            json.dumps(self.model_dump(mode="python", exclude_none=True), ensure_ascii=False)
            .encode("utf-8", "replace")
            .decode()
        )

    @classmethod
    def published_schema(cls) -> dict[str, Any]:
        """The JSON Schema of what `to_json` writes: optional keys are absent rather than null.

        Unknown keys are allowed: a later version may add some, and who reads an answer passes over them.
        """
        schema = _without_null(cls.model_json_schema(mode="serialization", by_alias=True))
        assert isinstance(schema, dict)
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _without_null(node: object) -> object:
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    variants = node.get("anyOf")
    if isinstance(variants, list) and {"type": "null"} in variants:
        rest = [variant for variant in variants if variant != {"type": "null"}]
        merged = {key: value for key, value in node.items() if key not in ("anyOf", "default")}
        merged |= rest[0] if len(rest) == 1 else {"anyOf": rest}
        return _without_null(merged)
    left_out = (("default", None), ("additionalProperties", False))
    cleaned = {key: _without_null(value) for key, value in node.items() if (key, value) not in left_out}
    properties = node.get("properties")
    if isinstance(properties, dict):
        # What has a value other than "absent" is always written.
        cleaned["required"] = [name for name, value in properties.items() if not _nullable(value)]
    return cleaned


def _nullable(property_schema: object) -> bool:
    variants = property_schema.get("anyOf") if isinstance(property_schema, dict) else None
    return isinstance(variants, list) and {"type": "null"} in variants
