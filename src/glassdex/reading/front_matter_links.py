"""Links that front matter states: `related:` in its several shapes, `supersedes:`, `superseded_by:` and their like.

Wikilinks in YAML are mostly written without quotes, and then YAML reads `[[Target]]` as a list in a list. So
a list whose only element is a list is one target, and `[[ADR 1: Use X]]`, which holds a mapping, is one too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import yaml

from glassdex.model import Link
from glassdex.reading.wikilinks import split_wikilink
from glassdex.reading.yaml_values import is_null

_OWN_KIND = ("supersedes", "superseded_by", "replaces", "replaced_by", "obsoletes", "obsoleted_by")
_KIND_KEYS = ("kind", "type")
_TARGET_KEYS = ("target", "to", "note")

LineOf = Callable[[int], int]


def links_of(root: yaml.MappingNode, line_of: LineOf) -> Iterator[Link]:
    """The links of a front matter, in the order in which they are written."""
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        name = key.value.strip()
        if name.lower() == "related":
            yield from _links(value, "related", line_of)
        elif "_".join(name.lower().replace("-", " ").split()) in _OWN_KIND:
            yield from _links(value, name, line_of)


def _links(node: yaml.Node, kind: str, line_of: LineOf, context: str | None = None) -> Iterator[Link]:
    if isinstance(node, yaml.ScalarNode):
        if not is_null(node):
            yield from _link(node.value, kind, line_of(node.start_mark.index), context)
    elif isinstance(node, yaml.MappingNode):
        yield from _mapping(node, kind, line_of)
    elif isinstance(node, yaml.SequenceNode):
        written = _unquoted_wikilink(node)
        if written is not None:
            yield from _link(written, kind, line_of(node.start_mark.index), context)
            return
        for item in node.value:
            yield from _links(item, kind, line_of, context)


def _mapping(node: yaml.MappingNode, kind: str, line_of: LineOf) -> Iterator[Link]:
    """`{kind: x, target: T}`, or kinds with their targets: `{supersedes: T, extends: [U, V]}`."""
    values = {key.value.strip(): value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    target = next((values[key] for key in _TARGET_KEYS if key in values), None)
    if target is None:
        for own_kind, targets in values.items():
            yield from _links(targets, own_kind or kind, line_of)
        return
    stated = next((_scalar(values[key]) for key in _KIND_KEYS if key in values), None)
    yield from _links(target, stated or kind, line_of, _scalar(values.get("context")))


def _scalar(node: yaml.Node | None) -> str | None:
    if isinstance(node, yaml.ScalarNode) and not is_null(node):
        return node.value.strip() or None
    return None


def _unquoted_wikilink(node: yaml.SequenceNode) -> str | None:
    """The text between the brackets of `[[…]]` written without quotes, else None."""
    if len(node.value) != 1 or not isinstance(node.value[0], yaml.SequenceNode):
        return None
    words = [_words(item) for item in node.value[0].value]
    return None if None in words else ", ".join(word for word in words if word is not None)


def _words(node: yaml.Node) -> str | None:
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.MappingNode) and len(node.value) == 1:
        key, value = node.value[0]
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode):
            return f"{key.value}: {value.value}" if value.value else str(key.value)
    return None


def _link(written: str, kind: str, line: int, context: str | None) -> Iterator[Link]:
    inner = written.strip()
    if inner.startswith("[[") and inner.endswith("]]"):
        inner = inner[2:-2]
    target, label = split_wikilink(inner)
    if target:
        yield Link("front_matter", kind, target, line, label, context)
