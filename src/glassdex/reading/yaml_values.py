"""YAML from strangers: bounded, without aliases, with every value as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import yaml

from glassdex.model import Json

if TYPE_CHECKING:
    from yaml import SafeLoader as _BaseLoader
else:
    _BaseLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_DEPTH = 32
MAX_INTEGER_BITS = 1024
_NULL_TAG = "tag:yaml.org,2002:null"
_INTEGER_TAG = "tag:yaml.org,2002:int"
_TIMESTAMP_TAG = "tag:yaml.org,2002:timestamp"

# PyYAML's constructors fail in as many ways when a value does not fit its tag (`!!int ""`, `2024-13-45`).
_CONSTRUCTOR_FAULTS = (ValueError, LookupError, AttributeError, TypeError, OverflowError)


class YamlError(Exception):
    """The text is not YAML that this module accepts; `index` is a code point offset in it, where known."""

    def __init__(self, problem: str, index: int | None = None, *, alias: bool = False) -> None:
        super().__init__(problem)
        self.problem = problem
        self.index = index
        self.alias = alias


class _Loader(_BaseLoader):
    """The safe loader, with keys as they are written and a note of those that occur twice."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.duplicates: list[yaml.ScalarNode] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        mapping: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                key: Any = key_node.value
                if key in mapping:
                    self.duplicates.append(key_node)
            else:
                key = str(self.construct_object(key_node, deep=True))
            mapping[key] = self.construct_object(value_node, deep=deep)
        return mapping

    def construct_integer(self, node: yaml.ScalarNode) -> object:
        value = self.construct_yaml_int(node)
        # As written where it is a hash rather than a number: Python does not even print an integer of 5,000 digits.
        return value if value.bit_length() <= MAX_INTEGER_BITS else node.value

    def construct_timestamp(self, node: yaml.ScalarNode) -> object:
        try:
            return self.construct_yaml_timestamp(node)
        except _CONSTRUCTOR_FAULTS:
            return node.value  # `2024-02-30` is a typo, not a reason to lose the other keys


_Loader.add_constructor(_INTEGER_TAG, _Loader.construct_integer)
_Loader.add_constructor(_TIMESTAMP_TAG, _Loader.construct_timestamp)


class YamlText:
    """A YAML text as nodes (values as written, with offsets) and as JSON.

    `root` is None for a text of nothing but blanks and comments. `duplicates` are the keys that occur again
    in one mapping, the last of which counts.

    Raises:
        YamlError: not YAML, nested deeper than 32 levels, or with aliases (a few lines of which can stand for
            gigabytes).

    """

    def __init__(self, text: str) -> None:
        try:
            _check_events(text)
            loader = _Loader(text)
            self.root: yaml.Node | None = loader.get_single_node()
            value = None if self.root is None else loader.construct_document(self.root)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise YamlError(error.problem or "not YAML", mark.index if mark else None) from error
        except (yaml.YAMLError, *_CONSTRUCTOR_FAULTS) as error:
            raise YamlError(" ".join(str(error).split()) or "not YAML") from error
        self.json: Json = to_json(value)
        self.duplicates = [(node.value, node.start_mark.index) for node in loader.duplicates]


def is_null(node: yaml.Node) -> bool:
    """Whether the node is YAML's null: nothing, `~` or `null`."""
    return node.tag == _NULL_TAG


def _check_events(text: str) -> None:
    # Events come from a flat loop; composing nodes recurses in C, where too deep a text ends the process.
    depth = 0
    for event in yaml.parse(text, Loader=_BaseLoader):
        if isinstance(event, yaml.AliasEvent):
            raise YamlError("aliases (*name) are not read", _index(event), alias=True)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise YamlError(f"nested deeper than {MAX_DEPTH} levels", _index(event))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _index(event: yaml.Event) -> int | None:
    return event.start_mark.index if event.start_mark is not None else None


def to_json(value: object) -> Json:
    """`value` with dates as ISO 8601 strings and whatever JSON does not know as `str`."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return str(value) if not isinstance(value, set) else [to_json(item) for item in sorted(value, key=str)]
