"""Judgments in the forms of the research field: TREC qrels, BEIR folders, and plain queries, one a line.

Their queries are prose: quotation marks and dashes, which say in Glassdex's query language what must and must not
occur, are put as blanks. A document is named by its id; `resolve.py` finds it as a person's name for it is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from glassdex.evaluation.judgments import (
    MAX_GRADE,
    JudgedQuery,
    Judgment,
    Judgments,
    merged,
    query_id,
    read_text,
    refuse,
    shown,
)
from glassdex.wording import counted

MAX_MEGABYTES = 256
_OPERATORS = re.compile(r'"|(?<!\S)-')
_SPLITS = ("test", "dev", "train")


def load_trec(qrels: Path, queries: Path) -> Judgments:
    """Qrels of four columns (query, iteration, document, grade), and queries (id, tab, text; or JSON lines)."""
    judged: dict[str, list[Judgment]] = {}
    below_zero = 0
    for number, line in _lines(qrels):
        parts = line.split()
        if len(parts) != 4:
            refuse(f"{qrels.name}, line {number}: {len(parts)} columns where qrels have 4: query 0 document grade")
        grade = _grade(parts[3], f"{qrels.name}, line {number}")
        below_zero += grade < 0
        judged.setdefault(parts[0], []).append(Judgment(parts[2], max(grade, 0), f"line {number}"))
    texts = _json_queries(queries) if queries.suffix.lower() in (".jsonl", ".json") else _tabbed_queries(queries)
    return _joined(qrels.name, "trec", texts, judged, below_zero)


def load_beir(folder: Path) -> Judgments:
    """A folder with `queries.jsonl` and `qrels/*.tsv`; `test.tsv` where there are several splits."""
    queries, found = folder / "queries.jsonl", sorted((folder / "qrels").glob("*.tsv"))
    if not queries.is_file() or not found:
        refuse(f"{folder} is no BEIR folder: it needs queries.jsonl and qrels/test.tsv")
    splits = {path.stem: path for path in found}
    split = next((name for name in _SPLITS if name in splits), found[0].stem)
    judged: dict[str, list[Judgment]] = {}
    below_zero = 0
    for number, line in _lines(splits[split]):
        parts = line.split("\t")
        if number == 1 and parts[:2] == ["query-id", "corpus-id"]:
            continue
        if len(parts) != 3:
            refuse(f"{split}.tsv, line {number}: {len(parts)} columns where BEIR has 3: query-id, corpus-id, score")
        grade = _grade(parts[2], f"{split}.tsv, line {number}")
        below_zero += grade < 0
        judged.setdefault(parts[0], []).append(Judgment(parts[1], max(grade, 0), f"{split}.tsv, line {number}"))
    made = _joined(folder.resolve().name, "beir", _json_queries(queries), judged, below_zero)
    others = [name for name in splits if name != split]
    notes = (*made.notes, f"judged by qrels/{split}.tsv, not {', '.join(others)}") if others else made.notes
    return Judgments(made.source, made.form, made.queries, notes)


def load_plain(path: Path) -> Judgments:
    """Queries alone, one a line, as they would be typed; blank lines and those with # in front are passed over."""
    seen = dict.fromkeys(line.strip() for _, line in _lines(path) if not line.startswith("#"))
    queries = tuple(
        JudgedQuery(query_id(text, {}), text, (), f"query {number}") for number, text in enumerate(seen, start=1)
    )
    return Judgments(path.name, "plain", queries)


def _joined(
    source: str, form: str, texts: Mapping[str, str], judged: Mapping[str, list[Judgment]], below_zero: int
) -> Judgments:
    queries, notes = [], []
    for name, text in texts.items():
        if name in judged:
            prose = " ".join(_OPERATORS.sub(" ", text).split())
            queries.append(JudgedQuery(name, prose, merged(judged[name], f"{source}, query {name}"), f"query {name}"))
    textless = [name for name in judged if name not in texts]
    if textless:
        notes.append(
            f"left out: {counted(len(textless), 'judged query', 'judged queries')} without a text, "
            f"the first is {shown(textless[0])!r}"
        )
    if len(queries) < len(texts):
        notes.append(f"left out: {counted(len(texts) - len(queries), 'query', 'queries')} without a judgment")
    if below_zero:
        notes.append(f"taken as 0: {counted(below_zero, 'grade')} below 0")
    return Judgments(source, form, tuple(queries), tuple(notes))


def _tabbed_queries(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, line in _lines(path):
        name, tab, text = line.partition("\t")
        if not tab:
            name, _, text = line.strip().partition(" ")
        _enter(texts, name.strip(), text, f"{path.name}, line {number}")
    return texts


def _json_queries(path: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, line in _lines(path):
        at = f"{path.name}, line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            refuse(f"{at}: not JSON")
        if not isinstance(record, dict) or not isinstance(record.get("text"), str) or "_id" not in record:
            refuse(f"{at}: a query has `_id` and `text`")
        _enter(texts, str(record["_id"]), record["text"], at)
    return texts


def _enter(texts: dict[str, str], name: str, text: str, at: str) -> None:
    if not name or any(sign.isspace() for sign in name):
        refuse(f"{at}: {shown(name)!r} is no id of a query")
    if not text.strip():
        refuse(f"{at}: the query {shown(name)!r} is empty")
    if name in texts:
        refuse(f"{at}: the query {shown(name)!r} is there twice")
    texts[name] = text


def _grade(text: str, at: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,6}", text.strip()) or abs(int(text)) > MAX_GRADE:
        refuse(f"{at}: {shown(text)!r} is no grade; a grade is a whole number up to {MAX_GRADE}")
    return int(text)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line that is not blank."""
    for number, line in enumerate(read_text(path, MAX_MEGABYTES).split("\n"), start=1):
        if line.strip():
            yield number, line.rstrip("\r")
