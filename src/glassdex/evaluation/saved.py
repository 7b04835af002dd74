"""Reading a saved run (`glassdex.run/1`), which somebody else may have written: every value is looked at once.

Keys that this version does not know are passed over, as the envelopes promise.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NoReturn, TypeVar

from glassdex.errors import RunInvalid
from glassdex.evaluation.resolve import Unresolved
from glassdex.evaluation.revision import FreshnessCounts, Revision
from glassdex.evaluation.runs import Found, Identity, QueryRun, Ranked, Run
from glassdex.model import Json

SCHEMA = "glassdex.run/1"
MAX_MEGABYTES = 2000
_Read = TypeVar("_Read")


def load_run(path: str | Path, *, traces: bool = True) -> Run:
    """Reads a run that `eval --save` wrote; without `traces` theirs are left in the file.

    Raises:
        RunInvalid: the file is not there, no run, or damaged; says where.
    """
    path = Path(path)
    try:
        if path.stat().st_size > MAX_MEGABYTES * 1_000_000:
            _refuse(f"{path} is larger than {MAX_MEGABYTES} MB")
        value = json.loads(path.read_bytes())
    except OSError as error:
        _refuse(f"{path} cannot be read: {(error.strerror or str(error)).lower()}")
    except (ValueError, RecursionError):
        _refuse(f"{path} is no JSON")
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        found = value.get("schema") if isinstance(value, dict) else type(value).__name__
        _refuse(f"{path} is no saved run: its schema is {str(found)[:60]}, not {SCHEMA}")
    return _run(_Part(value, str(path)), traces=traces)


class _Part:
    """A mapping of the file and where it stands in it."""

    def __init__(self, values: Mapping[str, Json], where: str) -> None:
        self.values = values
        self.where = where

    def text(self, key: str) -> str:
        return self._of(key, self.values.get(key), str, "text")

    def maybe_text(self, key: str) -> str | None:
        return None if self.values.get(key) is None else self.text(key)

    def number(self, key: str) -> float:
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
            self.refuse(key, "a number")
        return value

    def whole(self, key: str) -> int:
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            self.refuse(key, "a whole number")
        return value

    def maybe_whole(self, key: str) -> int | None:
        return None if self.values.get(key) is None else self.whole(key)

    def part(self, key: str) -> _Part:
        value: dict[str, Json] = self._of(key, self.values.get(key), dict, "a mapping")
        return _Part(value, f"{self.where}, {key}")

    def parts(self, key: str, read: Callable[[_Part], _Read]) -> tuple[_Read, ...]:
        found = []
        for number, item in enumerate(self.items(key), start=1):
            if not isinstance(item, dict):
                self.refuse(key, "a list of mappings")
            found.append(read(_Part(item, f"{self.where}, {key} {number}")))
        return tuple(found)

    def items(self, key: str) -> list[Json]:
        value = self.values.get(key)
        return [] if value is None else self._of(key, value, list, "a list")

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(self._of(key, item, str, "a list of texts") for item in self.items(key))

    def numbers(self, key: str) -> dict[str, float]:
        inner = self.part(key)
        return {name: inner.number(name) for name in inner.values}

    def options(self, key: str) -> Mapping[str, Json]:
        """A mapping of anything that JSON can hold: it is repeated as it is, and JSON has no NaN."""
        options = self.part(key)
        for name, value in options.values.items():
            if not _is_finite(value):
                options.refuse(name, "made of finite numbers")
        return options.values

    def refuse(self, key: str, wanted: str) -> NoReturn:
        _refuse(f"{self.where}: `{key}` is not {wanted}")

    def _of(self, key: str, value: Json, kind: type[_Read], wanted: str) -> _Read:
        if not isinstance(value, kind):
            self.refuse(key, wanted)
        return value


def _run(part: _Part, *, traces: bool) -> Run:
    return Run(
        identity=_identity(part.part("identity")),
        measures=part.texts("measures"),
        queries=part.parts("queries", partial(_query, traces=traces)),
        unresolved=part.parts("unresolved", _unresolved),
        overall=part.numbers("overall"),
        notes=part.texts("notes"),
    )


def _identity(part: _Part) -> Identity:
    stand, freshness = part.part("revision"), part.part("freshness")
    judgments, fusion = part.part("judgments"), part.part("fusion")
    states = freshness.part("states")
    return Identity(
        project=part.text("project"),
        made_at=part.text("made_at"),
        glassdex=part.text("glassdex"),
        python=part.text("python"),
        judgments=judgments.text("source"),
        judgments_form=judgments.text("form"),
        judgments_hash=judgments.text("hash"),
        revision=Revision(
            generation=stand.whole("generation"),
            fingerprint=stand.text("fingerprint"),
            documents=stand.whole("documents"),
            chunks=stand.whole("chunks"),
            pending=stand.whole("pending"),
        ),
        freshness=FreshnessCounts(
            states={state: states.whole(state) for state in states.values},
            new_files=freshness.whole("new_files"),
            failed_files=freshness.whole("failed_files"),
            pending=freshness.whole("pending"),
        ),
        embedding_identity=part.text("embedding_identity"),
        lexical_identity=part.text("lexical_identity"),
        lexical_index=part.text("lexical_index"),
        vector_index=part.text("vector_index"),
        mode=part.text("mode"),
        fusion=fusion.text("name"),
        fusion_parameters=fusion.numbers("params"),
        reranker=part.maybe_text("reranker"),
        options=part.options("options"),
        depth=part.whole("depth"),
    )


def _query(part: _Part, *, traces: bool) -> QueryRun:
    trace = part.part("trace").values if part.values.get("trace") is not None else None
    return QueryRun(
        id=part.text("id"),
        query=part.text("query"),
        options=part.options("options") if part.values.get("options") is not None else {},
        verdict=part.maybe_text("verdict"),
        ranked=part.parts("ranked", _ranked),
        judged=part.parts("judged", _found),
        metrics=part.numbers("metrics") if part.values.get("metrics") is not None else None,
        left_out=part.maybe_text("left_out"),
        notes=part.texts("notes"),
        trace=json.dumps(trace) if traces and trace is not None else None,
    )


def _ranked(part: _Part) -> Ranked:
    return Ranked(
        rank=part.whole("rank"),
        unit=part.text("unit"),
        document=part.text("document"),
        score=part.number("score"),
        pointers=part.texts("pointers"),
        grade=part.maybe_whole("grade"),
    )


def _found(part: _Part) -> Found:
    return Found(
        unit=part.text("unit"),
        document=part.text("document"),
        targets=part.texts("targets"),
        grade=part.whole("grade"),
        rank=part.maybe_whole("rank"),
        other_passage_rank=part.maybe_whole("other_passage_rank"),
    )


def _unresolved(part: _Part) -> Unresolved:
    return Unresolved(
        query_id=part.text("query_id"),
        target=part.text("target"),
        grade=part.whole("grade"),
        where=part.text("where"),
        code=part.text("code"),
        reason=part.text("reason"),
        candidates=part.texts("candidates"),
    )


def _is_finite(value: Json) -> bool:
    """Whether every number in it is one that a float can hold."""
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    try:
        return not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:
        return False


def _refuse(message: str) -> NoReturn:
    raise RunInvalid(message, "make one: glassdex eval JUDGMENTS --save FILE")
