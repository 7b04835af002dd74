"""Markdown notes: CommonMark with tables, front matter, wikilinks, observations and relations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from glassdex.model import Block, Document, Link, Row, TitleSource, unify_newlines
from glassdex.reading.front_matter import read_front_matter, unique_tags
from glassdex.reading.inline import Found, Reference, scan
from glassdex.reading.layout import ItemRow, Layout
from glassdex.reading.observations import Observation, Relation
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.structure import parse_structure
from glassdex.reading.text import LineIndex, decode_utf8

_SUFFIXES = {".md": 80, ".markdown": 80, ".mdown": 80, ".mkd": 80, ".mdx": 60, ".qmd": 60, ".rmd": 60}
_MENTION = "mention"


class MarkdownReader:
    """Reads a Markdown note.

    One `entity` row spans the file, with every block of it. Each observation and relation line is a row of
    its own, and stands among the entity's blocks as kind `row`.
    """

    name: str = "markdown"
    version: int = 3
    format: str = "markdown"

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """80 for `.md` and its like, 60 for dialects with code of their own (`.mdx`), else 0."""
        return _SUFFIXES.get(path.suffix.lower(), 0)

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The note's document.

        Raises:
            UnsupportedEncoding: the bytes are not UTF-8.

        """
        text = decode_utf8(content)
        lines = LineIndex(text)
        front_matter = read_front_matter(text, lines)
        body_line = front_matter.body_line
        body = text[lines.start_of(body_line) :] if body_line <= lines.line_count else ""
        structure = parse_structure(unify_newlines(body), body_line)
        layout = Layout(text, lines, structure, body_line)
        found = [scan(text[prose.start : prose.end], structure.definitions) for prose in layout.prose]
        title, title_source = _title(path, front_matter.title, layout.first_title)
        return Document(
            format=self.format,
            title=title,
            title_source=title_source,
            text=text,
            rows=(_entity(text, lines, layout, found), *_item_rows(text, lines, layout, found)),
            tags=front_matter.tags,
            date=front_matter.date,
            metadata=front_matter.metadata,
            links=(*front_matter.links, *_links(lines, layout, found)),
            warnings=front_matter.warnings,
        )


def _title(path: PurePosixPath, stated: str | None, heading: str | None) -> tuple[str, TitleSource]:
    if stated:
        return stated, "front_matter"
    if heading:
        return heading, "heading"
    return path.stem, "file_name"


def _entity(text: str, lines: LineIndex, layout: Layout, found: list[Found]) -> Row:
    seen = zip(layout.prose, found, strict=True)
    tags = (tag for prose, inside in seen if prose.row is None for tag in inside.tags)
    return Row(
        kind="entity",
        ordinal=0,
        text=text,
        start=0,
        blocks=tuple(layout.blocks),
        tags=unique_tags(tags),
    )


def _item_rows(text: str, lines: LineIndex, layout: Layout, found: list[Found]) -> Iterator[Row]:
    tags = {prose.row: inside.tags for prose, inside in zip(layout.prose, found, strict=True)}
    counts = {Observation: 0, Relation: 0}
    for index, item in enumerate(layout.rows):
        yield _item_row(item, counts[type(item.said)], text, lines, tags[index])
        counts[type(item.said)] += 1


def _item_row(item: ItemRow, ordinal: int, text: str, lines: LineIndex, tags: tuple[str, ...]) -> Row:
    said = item.said
    own_text = text[item.start : item.end]
    return Row(
        kind="relation" if isinstance(said, Relation) else "observation",
        ordinal=ordinal,
        text=own_text,
        start=item.start,
        blocks=(Block("list_item", 0, len(own_text), item.headings),),
        tags=unique_tags(tags),
        category=said.kind if isinstance(said, Relation) else said.category,
        target=said.target if isinstance(said, Relation) else None,
        context=said.context,
    )


def _links(lines: LineIndex, layout: Layout, found: list[Found]) -> Iterator[Link]:
    for prose, seen in zip(layout.prose, found, strict=True):
        relation = None if prose.row is None else layout.rows[prose.row].said
        for reference in seen.links:
            line = lines.line_of(prose.start + reference.offset)
            if isinstance(relation, Relation) and _is_target(reference, relation):
                yield Link("relation", relation.kind, relation.target, line, relation.label, relation.context)
                relation = None
            else:
                yield Link(reference.route, _MENTION, reference.target, line, reference.label)


def _is_target(reference: Reference, relation: Relation) -> bool:
    return reference.route == "wikilink" and reference.target == relation.target
