"""Markdown source → a tree of blocks with lines; by markdown-it's block rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from glassdex.reading.inline import LinkDefinitions

NodeKind = Literal["heading", "paragraph", "list", "item", "quote", "fence", "table", "html"]

# 25 lists within each other. Deeper text still belongs to the outer item; without a bound, ten thousand
# quote marks would exhaust the interpreter's stack.
_MAX_NESTING = 50
_MAX_INLINE_LENGTH = 1_000

_KINDS: dict[str, NodeKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "fence": "fence",
    "code_block": "fence",
    "table_open": "table",
    "html_block": "html",
    "hr": "paragraph",
}
_CONTAINERS = ("list", "item", "quote")
_CLOSINGS = ("bullet_list_close", "ordered_list_close", "list_item_close", "blockquote_close")
_BULLETS = ("-", "*", "+")
_MARKUP = re.compile(r"[\\`*_\[\]!<&\n]")
_WIKILINK = re.compile(r"\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")


@dataclass(slots=True)
class Node:
    """A block of the source: lines `first` to before `stop` (1-based).

    `content` is the inline source of a paragraph and the plain text of a heading; `level` is a heading's;
    `bullet` says that an item has `-`, `*` or `+` before it.
    """

    kind: NodeKind
    first: int
    stop: int
    content: str = ""
    level: int = 0
    bullet: bool = False
    children: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Structure:
    """The top-level blocks in order, and the link definitions, which are no blocks."""

    nodes: list[Node]
    definitions: LinkDefinitions


class _Parser(MarkdownIt):
    """markdown-it that keeps link destinations as they are written: nothing is rendered here."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


@cache
def _parser() -> MarkdownIt:
    # CommonMark and tables; inline text is scanned by `inline.scan` or, for headings, parsed on demand.
    parser = _Parser("commonmark", {"maxNesting": _MAX_NESTING})
    return parser.enable("table").disable(["inline", "text_join"])


def parse_structure(body: str, first_line: int) -> Structure:
    r"""The blocks of `body`, which has `\n` newlines and begins on line `first_line` of its file."""
    environment: dict[str, dict[str, dict[str, str]]] = {}
    tokens = _parser().parse(body, environment)
    references = environment.get("references", {})
    nodes = _tree(tokens, first_line)
    for node in _walk(nodes):
        if node.kind == "heading":
            node.content = _plain_text(node.content, environment)
    return Structure(nodes, LinkDefinitions({label: entry["href"] for label, entry in references.items()}))


def _tree(tokens: list[Token], first_line: int) -> list[Node]:
    root: list[Node] = []
    siblings = [root]
    latest: Node | None = None
    for token in tokens:
        kind = _KINDS.get(token.type)
        if kind is not None and token.map is not None:
            latest = _node(kind, token, first_line)
            siblings[-1].append(latest)
            if kind in _CONTAINERS:
                siblings.append(latest.children)
        elif token.type in _CLOSINGS:
            siblings.pop()
        elif token.type == "inline" and latest is not None and latest.kind in ("heading", "paragraph"):
            latest.content = token.content
    return root


def _node(kind: NodeKind, token: Token, first_line: int) -> Node:
    first, stop = token.map or (0, 0)
    level = int(token.tag[1]) if kind == "heading" else 0
    return Node(kind, first + first_line, stop + first_line, level=level, bullet=token.markup in _BULLETS)


def _walk(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _walk(node.children)


def _plain_text(content: str, environment: dict[str, dict[str, dict[str, str]]]) -> str:
    """A heading as its reader sees it: no emphasis, links as their text, code without its ticks."""
    text = content
    if len(content) <= _MAX_INLINE_LENGTH and _MARKUP.search(content):
        tokens: list[Token] = []
        parser = _parser()
        parser.inline.parse(content, parser, environment, tokens)
        text = _WIKILINK.sub(lambda link: link[2] or link[1], "".join(_texts(tokens)))
    return " ".join(text.split())


def _texts(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type == "image":
            yield from _texts(token.children or ())
        elif token.type != "html_inline":
            yield token.content
