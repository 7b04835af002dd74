"""YAML front matter: where it ends, and what title, tags, date and links an author stated in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import yaml

from glassdex.model import Json, Link, ReadingWarning
from glassdex.reading.front_matter_links import links_of
from glassdex.reading.text import LineIndex
from glassdex.reading.yaml_values import YamlError, YamlText, is_null

MAX_LENGTH = 65_536
DATE_KEYS = ("updated", "modified", "date", "created")

_OPENING = re.compile(r"---[ \t]*(?=[\r\n])")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
# Tells broken front matter from prose between two thematic breaks, which must stay searchable.
_LOOKS_LIKE_A_KEY = re.compile(r"""['"]?[^\W\d][\w .-]*['"]?[ \t]*:(?:\s|\Z)""")
_SPACE_BEFORE_ZONE = re.compile(r"\s+(?=[+-]\d|Z)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the lines between the two `---` say; all empty where there are none.

    `body_line` is the first line (1-based) behind it, one more than the file has when nothing follows.
    """

    body_line: int = 1
    title: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    date: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()


def read_front_matter(text: str, lines: LineIndex) -> FrontMatter:
    """The front matter at the very start of `text`; oddities become warnings, never errors.

    A block that never closes, and one that holds no mapping, is plain Markdown. One that looks like front
    matter and is no valid YAML is left out of the body all the same, without metadata.
    """
    if not _OPENING.match(text):
        return FrontMatter()
    closing = _closing_line(text, lines)
    if closing is None:
        return FrontMatter(warnings=(_unclosed(),))
    start, end = lines.start_of(2), lines.start_of(closing)
    try:
        content = YamlText(text[start:end])
    except YamlError as fault:
        return _refused(fault, text, lines, closing)
    if content.root is None:
        warning = ReadingWarning("front_matter_empty", "The front matter is empty.", 1)
        return FrontMatter(body_line=closing + 1, warnings=(warning,))
    if not isinstance(content.root, yaml.MappingNode) or not isinstance(content.json, dict):
        message = "What stands between the first two --- is no list of keys and values; it was read as text."
        return FrontMatter(warnings=(ReadingWarning("front_matter_not_a_mapping", message, 1),))
    return _recognise(content.root, content.json, content.duplicates, closing, _Lines(lines, start))


@dataclass(frozen=True, slots=True)
class _Lines:
    """Offsets in the YAML text → lines of the file."""

    lines: LineIndex
    start: int

    def __call__(self, index: int) -> int:
        return self.lines.line_of(self.start + index)


def _closing_line(text: str, lines: LineIndex) -> int | None:
    for line in range(2, lines.line_count + 1):
        start = lines.start_of(line)
        if start > MAX_LENGTH:
            return None
        # The first character settles nearly every line; the slice is for the few that remain.
        if text[start] in "-." and _CLOSING.match(text[start : lines.end_of(line)]):
            return line
    return None


def _unclosed() -> ReadingWarning:
    return ReadingWarning(
        "front_matter_unclosed",
        "The file starts with --- and no --- closes it within 64 KiB; it was read as plain Markdown.",
        1,
    )


def _refused(fault: YamlError, text: str, lines: LineIndex, closing: int) -> FrontMatter:
    start = lines.start_of(2)
    line = 1 if fault.index is None else min(lines.line_of(start + fault.index), closing)
    code = "front_matter_alias" if fault.alias else "front_matter_invalid"
    warning = ReadingWarning(code, f"The front matter was not read: {fault.problem}.", line)
    if _LOOKS_LIKE_A_KEY.match(text[start : lines.end_of(2)]):
        return FrontMatter(body_line=closing + 1, warnings=(warning,))
    return FrontMatter(warnings=(warning,))


def _repeated(key: str, line: int) -> ReadingWarning:
    return ReadingWarning("front_matter_duplicate_key", f"The key {key!r} occurs again; the last one counts.", line)


def _recognise(
    root: yaml.MappingNode,
    metadata: dict[str, Json],
    duplicates: Iterable[tuple[str, int]],
    closing: int,
    line_of: _Lines,
) -> FrontMatter:
    nodes = {key.value.lower(): value for key, value in root.value if isinstance(key, yaml.ScalarNode)}
    warnings = [_repeated(key, line_of(at)) for key, at in duplicates]
    stated, problem = _date(metadata, nodes, line_of)
    if problem is not None:
        warnings.append(problem)
    aliases = tuple(name.strip() for name in _strings(nodes.get("aliases")) if name.strip())
    return FrontMatter(
        body_line=closing + 1,
        title=_title(nodes.get("title")),
        tags=_tags(nodes.get("tags")),
        aliases=aliases,
        date=stated,
        metadata={**metadata, "aliases": list(aliases)} if aliases else metadata,
        links=tuple(links_of(root, line_of)),
        warnings=tuple(warnings),
    )


def _strings(node: yaml.Node | None) -> Iterator[str]:
    """A scalar's or a list of scalars' values as they are written: `1.10` stays `1.10`, `no` stays `no`."""
    if isinstance(node, yaml.ScalarNode) and not is_null(node):
        yield node.value
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            if isinstance(item, yaml.ScalarNode) and not is_null(item):
                yield item.value


def _title(node: yaml.Node | None) -> str | None:
    if not isinstance(node, yaml.ScalarNode) or is_null(node):
        return None
    return " ".join(node.value.split()) or None


def _tags(node: yaml.Node | None) -> tuple[str, ...]:
    names = _strings(node)
    if isinstance(node, yaml.ScalarNode):
        names = (name for value in names for name in (value.split(",") if "," in value else value.split()))
    return unique_tags(name.strip().removeprefix("#").strip() for name in names)


def unique_tags(names: Iterable[str]) -> tuple[str, ...]:
    """The names in order, empty ones and repetitions in another case left out."""
    seen: dict[str, str] = {}
    for name in names:
        if name:
            seen.setdefault(name.casefold(), name)
    return tuple(seen.values())


def _date(
    metadata: Mapping[str, Json], nodes: Mapping[str, yaml.Node], line_of: _Lines
) -> tuple[str | None, ReadingWarning | None]:
    values = {key.lower(): value for key, value in metadata.items()}
    for key in DATE_KEYS:
        value = values.get(key)
        if value is None or value == "":
            continue
        stated = parse_date(str(value))
        if stated is not None:
            return stated, None
        message = f"{key}: {str(value)[:40]!r} is not an ISO 8601 date (2026-03-01, 2026-03-01T09:30:00Z)."
        return None, ReadingWarning("front_matter_date", message, line_of(nodes[key].start_mark.index))
    return None, None


def parse_date(written: str) -> str | None:
    """An ISO 8601 date as `YYYY-MM-DD`, a time in UTC with `Z` (no zone is taken for UTC), else None."""
    written = written.strip()
    try:
        return date.fromisoformat(written).isoformat()
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(_SPACE_BEFORE_ZONE.sub("", written))
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment.isoformat().replace("+00:00", "Z")
