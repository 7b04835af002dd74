"""Answers within a budget of tokens: what is left out is said and counted.

Tokens are those of the shipped tokenizer, counted over the JSON text that is sent; a model's own tokenizer counts
otherwise, usually less.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from glassdex.embedding.shipped import shipped_model
from glassdex.embedding.tokens import token_counter
from glassdex.errors import InvalidRequest
from glassdex.escaping import harmless_json
from glassdex.mcp.parameters import MAX_TOKENS
from glassdex.model import Json

Answer = dict[str, Json]
CUT = " …"
MARGIN = 16
"""Tokens: what a count of tokens, a count of what is left out, or the offset of the next page adds afterwards."""


@dataclass(frozen=True, slots=True)
class Trim:
    """A list, or a text, that may be shortened from its end to `least` items or characters; `path` leads to it."""

    path: tuple[str | int, ...]
    least: int = 0


def as_text(answer: Answer) -> str:
    """The JSON that is sent."""
    return harmless_json(json.dumps(answer, ensure_ascii=False))


def tokens_of(answer: Answer) -> int:
    """Tokens of that JSON."""
    return token_counter().count(as_text(answer))


def fitted(answer: Answer, trims: Sequence[Trim], max_tokens: int, suggestion: str) -> Answer:
    """The answer, shortened by as many of the trims as it takes, in their order; `answer_budget` says what is missing.

    Raises:
        InvalidRequest: not even the shortest form fits; says how many tokens that takes.
    """
    if tokens_of(answer) <= max_tokens:
        return answer
    left_out: list[Json] = []
    shortened = answer
    for trim in trims:
        whole = _at(shortened, trim.path)
        if not isinstance(whole, list | str) or len(whole) <= trim.least:
            continue
        short = _Shortening(shortened, trim, whole, tuple(left_out), max_tokens, suggestion)
        kept = short.most_that_fits()
        if kept is not None:
            return counted(short.told(kept))
        left_out.append(short.missing(trim.least))
        shortened = short.told(trim.least)
    raise InvalidRequest(
        f"the answer takes at least {tokens_of(shortened)} tokens, and max_tokens is {max_tokens}",
        f"leave max_tokens out, or give more; {MAX_TOKENS[1]} are the most",
    )


def budget_part(left_out: Sequence[Json], max_tokens: int, suggestion: str) -> Answer:
    """What says that something is missing; `tokens` are still to be counted."""
    return {
        "max_tokens": max_tokens,
        "tokens": max_tokens,
        "tokenizer": shipped_model().name,
        "left_out": list(left_out),
        "suggestion": suggestion,
    }


def missing(what: str, kept: int, whole: Json) -> Json:
    """What is left out of a list or a text."""
    assert isinstance(whole, list | str)
    unit = "characters" if isinstance(whole, str) else "items"
    return {"what": what, "left_out": len(whole) - kept, "of": len(whole), "unit": unit}


def counted(answer: Answer) -> Answer:
    """The answer with its number of tokens in it, counted with 0 in that place: a number changes what is counted."""
    budget = cast("Answer", answer["answer_budget"])
    tokens = tokens_of({**answer, "answer_budget": {**budget, "tokens": 0}})
    return {**answer, "answer_budget": {**budget, "tokens": tokens}}


@dataclass(frozen=True, slots=True)
class _Shortening:
    """An answer whose list or text `whole` is shortened; `left_out` is what was before."""

    answer: Answer
    trim: Trim
    whole: list[Json] | str
    left_out: tuple[Json, ...]
    max_tokens: int
    suggestion: str

    def told(self, kept: int) -> Answer:
        """The answer with so much of it."""
        value = self.whole[:kept] + CUT if isinstance(self.whole, str) else self.whole[:kept]
        made = cast("Answer", _replaced(self.answer, self.trim.path, value))
        left_out = (*self.left_out, self.missing(kept))
        return {**made, "answer_budget": budget_part(left_out, self.max_tokens, self.suggestion)}

    def missing(self, kept: int) -> Json:
        """What is left out then."""
        return missing(".".join(str(step) for step in self.trim.path), kept, self.whole)

    def most_that_fits(self) -> int | None:
        """How much may stay; nothing where the least does not fit.

        It is sought from the least upwards: counting what is far too long takes long.
        """
        least, most = self.trim.least, len(self.whole) - 1
        if not self._fits(least):
            return None
        step = 1
        while least + step <= most and self._fits(least + step):
            least, step = least + step, step * 2
        most = min(most, least + step - 1)
        while least < most:
            middle = (least + most + 1) // 2
            if self._fits(middle):
                least = middle
            else:
                most = middle - 1
        return least

    def _fits(self, kept: int) -> bool:
        return tokens_of(self.told(kept)) + MARGIN <= self.max_tokens


def _at(node: Json, path: tuple[str | int, ...]) -> Json:
    """What the path leads to; nothing where it leads nowhere."""
    for step in path:
        if isinstance(node, dict):
            node = node.get(str(step))
        elif isinstance(node, list) and isinstance(step, int) and step < len(node):
            node = node[step]
        else:
            return None
    return node


def _replaced(node: Json, path: tuple[str | int, ...], value: Json) -> Json:
    """A copy with another value there, and highlights only where there is text."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(node, list):
        assert isinstance(step, int)
        return [_replaced(one, rest, value) if position == step else one for position, one in enumerate(node)]
    assert isinstance(node, dict)
    assert isinstance(step, str)
    made = {**node, step: _replaced(node[step], rest, value)}
    marked = made.get("highlights")
    if path == ("text",) and isinstance(marked, list):
        end = len(cast("str", value)) - len(CUT)
        made["highlights"] = [one for one in marked if isinstance(one, list) and cast("int", one[1]) <= end]
    return made
