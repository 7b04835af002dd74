"""Judgments in YAML or JSON: a list of entries, `queries:` with such a list, or a mapping of query to what is relevant.

- query: why is the embedding model swappable
  relevant: [decisions/adr-7d9f-embedding-providers.md]
- query: what did the outage cost
  relevant: {"meetings/2025-11-04-incident-review-it-644.md": 2, "projects/shoal-ingest.md": 1}
  options: {kind: entity}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from glassdex.errors import GlassdexError
from glassdex.evaluation.judgments import (
    MAX_GRADE,
    JudgedQuery,
    Judgment,
    Judgments,
    checked,
    merged,
    query_id,
    read_text,
    refuse,
    shown,
)
from glassdex.evaluation.options import options_from_json
from glassdex.model import Json

MAX_YAML_MEGABYTES = 4
"""PyYAML takes seconds for a megabyte."""
MAX_JSON_MEGABYTES = 64
ENTRY_KEYS = frozenset({"query", "relevant", "id", "options"})
TARGET_KEYS = frozenset({"document", "pointer", "session", "grade"})

Where = Callable[[int], str]


def load(path: Path, *, need_relevant: bool) -> Judgments:
    """Reads the file; see `load_judgments`."""
    value, where = _read_json(path) if path.suffix.lower() == ".json" else _read_yaml(path)
    return Judgments(path.name, path.suffix[1:].lower(), tuple(_queries(value, path.name, where, need_relevant)))


def judgments_from_json(value: Json, source: str, *, need_relevant: bool = True) -> Judgments:
    """Judgments that come as JSON and from no file; `source` is what errors call them.

    Raises:
        JudgmentsInvalid: names the entry.
    """
    found = _queries(value, source, lambda number: f"entry {number + 1}", need_relevant)
    return checked(Judgments(source, "json", tuple(found)))


def _read_json(path: Path) -> tuple[Json, Where]:
    text = read_text(path, MAX_JSON_MEGABYTES)
    try:
        value: Json = json.loads(text, object_pairs_hook=_refuse_twice)
    except RecursionError:
        refuse(f"{path} is nested too deep")
    except json.JSONDecodeError as error:
        refuse(f"{path}, line {error.lineno}: {error.msg.lower()}")
    except ValueError as error:  # a key twice, a number of 5,000 digits
        refuse(f"{path}: {error}")
    return value, lambda number: f"entry {number + 1}"


def _refuse_twice(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {shown(twice)!r} occurs twice")
    return found


def _read_yaml(path: Path) -> tuple[Json, Where]:
    import yaml

    from glassdex.reading.yaml_values import YamlError, YamlText

    text = read_text(path, MAX_YAML_MEGABYTES)
    try:
        parsed = YamlText(text)
    except YamlError as error:
        refuse(f"{path}, line {text.count(chr(10), 0, error.index or 0) + 1}: {error.problem}")
    if parsed.duplicates:
        key, index = parsed.duplicates[0]
        refuse(f"{path}, line {text.count(chr(10), 0, index) + 1}: the key {shown(key)!r} occurs twice")
    root = parsed.root
    if isinstance(root, yaml.MappingNode):  # the list below `queries:`, if that is what it holds
        lists = [value for key, value in root.value if getattr(key, "value", None) == "queries"]
        root = lists[0] if len(lists) == 1 else root
    starts: list[int] = []
    if isinstance(root, yaml.SequenceNode):
        starts = [item.start_mark.line + 1 for item in root.value]
    elif isinstance(root, yaml.MappingNode):
        starts = [key.start_mark.line + 1 for key, _ in root.value]

    def where(number: int) -> str:
        return f"line {starts[number]}" if number < len(starts) else f"entry {number + 1}"

    return parsed.json, where


def _queries(value: Json, source: str, where: Where, need_relevant: bool) -> Iterator[JudgedQuery]:
    if isinstance(value, dict) and "queries" in value:
        unknown = set(value) - {"queries"}
        if unknown:
            refuse(f"{source}: beside `queries` stands {shown(min(unknown))!r}, which means nothing")
        value = value["queries"]
        if not isinstance(value, list):
            refuse(f"{source}: `queries` is {_kind(value)}, not a list")
    if isinstance(value, list):
        for number, entry in enumerate(value):
            yield _entry(entry, source, where(number), need_relevant)
    elif isinstance(value, dict):
        for number, (text, relevant) in enumerate(value.items()):
            yield _entry({"query": text, "relevant": relevant}, source, where(number), need_relevant)
    else:
        refuse(f"{source} holds {_kind(value)}, not a list of queries")


def _entry(entry: Json, source: str, where: str, need_relevant: bool) -> JudgedQuery:
    at = f"{source}, {where}"
    if isinstance(entry, str) and not need_relevant:
        entry = {"query": entry}
    if not isinstance(entry, dict):
        refuse(f"{at}: an entry is {_kind(entry)}, not a mapping with `query` and `relevant`")
    unknown = set(entry) - ENTRY_KEYS
    if unknown:
        refuse(f"{at}: unknown key {shown(min(unknown))!r}", f"known are {', '.join(sorted(ENTRY_KEYS))}")
    text = entry.get("query")
    if not isinstance(text, str):
        refuse(f"{at}: `query` is {_kind(text)}, not text", "put it in quotation marks")
    try:
        options = options_from_json(entry.get("options"), text)
    except GlassdexError as error:
        refuse(f"{at}: {error.message}", error.suggestion)
    if "relevant" not in entry and not need_relevant:
        judgments: tuple[Judgment, ...] = ()
    else:
        judgments = merged([_judged(*pair, at, where) for pair in _targets(entry.get("relevant"), at)], at)
        if not judgments:
            refuse(f"{at}: `relevant` names nothing", "name a document or a pointer, or take the entry out")
    return JudgedQuery(_id(entry.get("id"), at) or query_id(text, options), text, judgments, where, options)


def _targets(relevant: Json, at: str) -> Iterator[tuple[Json, Json]]:
    """(target, grade) of each judgment, neither of them looked at yet."""
    if isinstance(relevant, str):
        yield relevant, 1
    elif isinstance(relevant, dict):
        yield from relevant.items()
    elif isinstance(relevant, list):
        for item in relevant:
            if isinstance(item, dict):
                yield from _named_target(item, at)
            else:
                yield item, 1
    else:
        refuse(f"{at}: `relevant` is {_kind(relevant)}, not a document or a list of them")


def _named_target(item: dict[str, Json], at: str) -> Iterator[tuple[Json, Json]]:
    named = [key for key in ("document", "pointer", "session") if key in item]
    if not named:
        yield from item.items()  # `- notes/a.md: 2`
        return
    unknown = set(item) - TARGET_KEYS
    if unknown or len(named) > 1:
        wrong = shown(min(unknown)) if unknown else " and ".join(named)
        refuse(f"{at}: a judgment has {wrong!r}", "it has one of document, pointer, session, and a grade")
    yield item[named[0]], item.get("grade", 1)


def _judged(target: Json, grade: Json, at: str, where: str) -> Judgment:
    if not isinstance(target, str) or not target.strip():
        refuse(f"{at}: a judgment names {_kind(target)}, not a document or pointer", "put it in quotation marks")
    if isinstance(grade, bool) or not isinstance(grade, int) or not 0 <= grade <= MAX_GRADE:
        refuse(f"{at}: the grade of {shown(target)!r} is {shown(grade)}; a grade is a whole number, 0 to {MAX_GRADE}")
    return Judgment(target.strip(), grade, where)


def _id(value: Json, at: str) -> str:
    if value is None:
        return ""
    name = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(name, str) or not name or len(name) > 200 or any(sign.isspace() for sign in name):
        refuse(f"{at}: the id {shown(value)!r} is none", "an id is a word without blanks")
    return name


def _kind(value: Json) -> str:
    if value is None or value in ("", [], {}):
        return "empty"
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "a mapping"}
    return names[type(value)]
