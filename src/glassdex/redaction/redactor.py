"""Finds secrets and puts labels in their place; offsets into a text stay what they were."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from glassdex.redaction.anchors import WIDTH, AnchorIndex
from glassdex.redaction.assignments import Found
from glassdex.redaction.contexts import CONTEXTS, DISCORD_TOKEN
from glassdex.redaction.rule import Rule
from glassdex.redaction.tokens import TOKENS

RULES_VERSION = 3
"""Goes up whenever a text may be redacted in another way than before; a test holds a digest of the rules against it."""

IDENTITY = f"redaction/{RULES_VERSION}"
"""What a reader records with the texts that it redacted."""

RULES: tuple[Rule, ...] = (*TOKENS, DISCORD_TOKEN, *CONTEXTS)
"""All rules; where two overlap, the first names what is redacted."""

_LABEL = "[redacted]"
_NOTHING: Mapping[str, int] = MappingProxyType({})
_STAYS = re.compile(r"[\r\n]+")
_OURS = re.compile(r"\[redacted(?:: [a-z ]+)?\]|[\s*]+")  # labels and what fills the rest: no secret, or it never ends


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without the secrets that were found in it."""

    text: str
    """As long as the original in code points, and equal to it outside the secrets; the same object if there is none."""
    counts: Mapping[str, int]
    """Secrets by the name of their rule."""


def redact(text: str) -> Redaction:
    """Replace every secret by a label of its length: `[redacted: github token]` with spaces, its line breaks kept.

    In what comes back nothing is found any more. Linear in the text's length.
    """
    redacted, counts = text, dict[str, int]()
    while spans := _spans(redacted):
        redacted = _replace(redacted, spans)
        for _, _, rule in spans:
            counts[rule.name] = counts.get(rule.name, 0) + 1
    return Redaction(redacted, MappingProxyType(counts) if counts else _NOTHING)


def _spans(text: str) -> list[tuple[int, int, Rule]]:
    """(start, end, rule) of the secrets, apart from each other and in order; those that overlap are one."""
    spans: list[tuple[int, int, int]] = []
    for start, end, rank in sorted(_matches(text.encode("ascii", "replace"))):  # a byte a code point: offsets agree
        if spans and start < spans[-1][1]:
            first, last, first_rank = spans[-1]
            spans[-1] = (first, max(last, end), min(first_rank, rank))
        else:
            spans.append((start, end, rank))
    return [(start, end, RULES[rank]) for start, end, rank in spans]


def _matches(text: bytes) -> Iterator[tuple[int, int, int]]:
    """(start, end, rule's place in `RULES`) of everything that a rule takes for a secret."""
    index, ranks = _anchors()
    ends = [0] * len(RULES)  # a rule goes on behind its last match
    for position, literal in index.positions(text.lower()):
        for rank in ranks[literal]:
            match = RULES[rank].pattern.match(text, position) if position >= ends[rank] else None
            if match:
                found = _find(match, RULES[rank])
                ends[rank] = found.end
                yield from ((start, end, rank) for start, end in found.spans if not _is_ours(text[start:end]))
    for match in DISCORD_TOKEN.pattern.finditer(text):
        for start, end in _find(match, DISCORD_TOKEN).spans:
            yield start, end, RULES.index(DISCORD_TOKEN)


def _find(match: re.Match[bytes], rule: Rule) -> Found:
    """The secrets of a match: what its rule finds by itself, else the group that took part or all of it."""
    if rule.find is not None:
        return rule.find(match)
    start, end = match.span(match.lastindex or 0)
    is_secret = rule.is_secret(match.string[start:end].decode("ascii"))
    return Found(((start, end),) if is_secret else (), match.end())


def _is_ours(value: bytes) -> bool:
    return not _OURS.sub("", value.decode("ascii"))


@cache
def _anchors() -> tuple[AnchorIndex, Mapping[bytes, tuple[int, ...]]]:
    """What texts are looked through for, and the rules that begin at each literal, by their place in `RULES`."""
    ranks: dict[bytes, tuple[int, ...]] = {}
    for rank, rule in enumerate(RULES):
        for literal in {anchor[:WIDTH] for anchor in rule.anchors}:
            ranks[literal] = (*ranks.get(literal, ()), rank)
    return AnchorIndex(ranks), ranks


def _replace(text: str, spans: list[tuple[int, int, Rule]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end, rule in spans:
        pieces += text[position:start], _label(text[start:end], rule.name)
        position = end
    return "".join([*pieces, text[position:]])


def _label(secret: str, name: str) -> str:
    """A label of the secret's length with its line breaks: on the first line where it fits, the longest that fits."""
    longest = max(map(len, _STAYS.split(secret)))
    label = next((label for label in (f"[redacted: {name}]", _LABEL) if len(label) <= longest), "")
    pieces = []
    for line in re.split(r"([\r\n]+)", secret):
        if _STAYS.fullmatch(line):
            pieces.append(line)
        elif label and len(label) <= len(line):
            pieces.append(label.ljust(len(line)))
            label = ""
        else:
            pieces.append((" " if longest >= len(_LABEL) else "*") * len(line))
    return "".join(pieces)
