"""Observations and relations on list items, in the notation of Basic Memory.

`- [category] content #tag (context)` and `- relation_type [[Target]] (context)`.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from glassdex.reading.wikilinks import split_wikilink

BARE_RELATION = "links_to"
"""The kind of `- [[Target]]` under a heading "Relations"."""

_OBSERVATION = re.compile(r"\[([^\[\]\n]+)\]\s+\S")
_TASK_MARKS = ("", "x", "X", "-")
_RELATION = re.compile(r"([^\[\]]*)\[\[([^\[\]\n]+)\]\](.*)\Z", re.DOTALL)
# A relation's type is a name. Sentence punctuation, code, URLs and markup say that it is prose.
_NOT_A_NAME = re.compile(r"[.:;?!,`<>{}()|=\"“”„«»…。：；？！，、\n]")
_MAX_KIND_LENGTH = 60
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Observation:
    """`[category] content (context)`."""

    category: str
    context: str | None


@dataclass(frozen=True, slots=True)
class Relation:
    """`kind [[target]] (context)`; `label` is the part of the wikilink behind its bar."""

    kind: str
    target: str
    label: str | None
    context: str | None


def parse_item(content: str, *, in_relations: bool, labels: Container[str] = ()) -> Observation | Relation | None:
    """What a list item's own paragraph (without bullet) says, None for an ordinary item.

    `in_relations` says whether the item stands under a heading "Relations". `labels` are those for which the
    document defines a link: `- [1.2.0] - 2026-03-01` begins with a link there, and is no observation.
    """
    if content.startswith("[") and not content.startswith("[["):
        return _observation(content, labels)
    if "[[" in content:
        return _relation(content, in_relations)
    return None


def _observation(content: str, labels: Container[str]) -> Observation | None:
    match = _OBSERVATION.match(content)
    if match is None:
        return None
    category = match[1].strip()
    # `[^1]` refers to a footnote.
    if category in _TASK_MARKS or category.startswith("^") or category in labels:
        return None
    said, context = split_context(content[match.end() - 1 :])
    return Observation(category, context if said else None)


def _relation(content: str, in_relations: bool) -> Relation | None:
    match = _RELATION.match(content)
    if match is None:
        return None
    target, label = split_wikilink(match[2])
    said, context = split_context(match[3])
    kind = match[1].strip().strip("*").strip()
    if not target or not _plausible(kind, said, in_relations):
        return None
    return Relation(kind or BARE_RELATION, target, label, context)


def _plausible(kind: str, said: str, in_relations: bool) -> bool:
    if not kind:
        return in_relations and not said
    if len(kind) > _MAX_KIND_LENGTH or _NOT_A_NAME.search(kind) or not any(map(str.isalnum, kind)):
        return False
    # "- We moved everything to [[Postgres]] last year" is a sentence; "- uses [[Postgres]] for the catalogue"
    # is a relation with a remark.
    return not said or len(kind.split()) == 1


def split_context(content: str) -> tuple[str, str | None]:
    """What is said, and the `(context)` at its end; tags behind either belong to neither."""
    said = _without_closing_tags(content.strip())
    opening = _opening_parenthesis(said)
    # A parenthesis that touches a word belongs to it: `f(x)`, `[text](url)`.
    if opening is None or (opening > 0 and not said[opening - 1].isspace()):
        return said, None
    context = said[opening + 1 : -1].strip()
    if not context:
        return said, None
    return _without_closing_tags(said[:opening].strip()), " ".join(context.split())


def _without_closing_tags(said: str) -> str:
    if "#" not in said:
        return said
    # Not one regular expression: a megabyte of tags would make it quadratic.
    words = list(_WORD.finditer(said))
    while words and words[-1][0].startswith("#"):
        words.pop()
    return said[: words[-1].end()] if words else ""


def _opening_parenthesis(said: str) -> int | None:
    if not said.endswith(")"):
        return None
    depth = 0
    for offset in range(len(said) - 1, -1, -1):
        if said[offset] == ")":
            depth += 1
        elif said[offset] == "(":
            depth -= 1
            if depth == 0:
                return offset
    return None
