"""Source code and configuration: blocks by blank lines and indentation, without a parser for any language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from glassdex.model import Block, Document, Row
from glassdex.reading.plain import is_text, paragraphs
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.text import decode_utf8

_SUFFIXES = frozenset({
    ".py", ".pyi", ".pyx", ".pxd", ".rb", ".rake", ".gemspec", ".pl", ".pm", ".php", ".lua", ".tcl", ".r",
    ".jl", ".m", ".mm", ".f", ".f90", ".f95", ".for", ".pas", ".ada", ".adb", ".ads", ".vb", ".bas", ".d", ".nim",
    ".zig", ".cr", ".v", ".sv", ".vhd", ".vhdl", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl",
    ".cu", ".cuh", ".cs", ".fs", ".fsx", ".fsi", ".go", ".rs", ".swift", ".kt", ".kts", ".java", ".scala", ".sc",
    ".groovy", ".gradle", ".clj", ".cljs", ".cljc", ".edn", ".ex", ".exs", ".erl", ".hrl", ".hs", ".lhs", ".elm",
    ".ml", ".mli", ".re", ".rei", ".ocaml", ".lisp", ".cl", ".el", ".scm", ".rkt", ".dart", ".sol", ".move", ".js",
    ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".astro", ".coffee", ".css", ".scss",
    ".sass", ".less", ".styl", ".sh", ".bash", ".zsh", ".fish", ".ksh", ".ps1", ".psm1", ".psd1", ".bat", ".cmd",
    ".awk", ".sed", ".sql", ".psql", ".ddl", ".graphql", ".gql", ".proto", ".thrift", ".avdl", ".capnp", ".prisma",
    ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".xml", ".xsd", ".xsl",
    ".xslt", ".plist", ".csproj", ".vbproj", ".fsproj", ".sln", ".props", ".targets", ".pom", ".tf",
    ".hcl", ".nix", ".bzl", ".bazel", ".cmake", ".mk", ".mak", ".make", ".ninja", ".dockerfile", ".diff", ".patch",
    ".asm", ".s", ".ll", ".vim", ".tmpl", ".j2", ".jinja", ".jinja2", ".hbs", ".mustache", ".ejs", ".erb", ".haml",
    ".pug", ".twig", ".liquid", ".rego", ".cue", ".dhall", ".feature", ".robot", ".http", ".desktop", ".service",
    ".timer", ".socket", ".reg", ".po", ".pot",
})  # fmt: skip
_NAMES = frozenset({
    "makefile", "gnumakefile", "dockerfile", "containerfile", "jenkinsfile", "vagrantfile", "rakefile", "gemfile",
    "podfile", "brewfile", "procfile", "justfile", "caddyfile", "build", "workspace",
})  # fmt: skip
_WORD = re.compile(r"\w")
_INDENTATION = re.compile(r"[ \t]*")
_TAB_WIDTH = 4
_MOST_ENCLOSING = 3
_MOST_NAME_CHARACTERS = 120


class CodeReader:
    """Reads source code, configuration and other files that programs read.

    One row of kind `section` spans the file. A block is a group of lines up to a blank line or to the next definition
    at the margin; the deeper it is indented, the less a chunk begins there. Its context is the lines that enclose it.
    """

    name: str = "code"
    version: int = 1
    format: str = "code"

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """30 for the suffixes and names of code, and for a script that names its interpreter; 0 for bytes."""
        if not is_text(head):
            return 0
        name = path.name.lower()
        mine = path.suffix.lower() in _SUFFIXES or name in _NAMES or name.startswith("dockerfile.")
        return 30 if mine or (not path.suffix and head.startswith(b"#!")) else 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """The file's document.

        Raises:
            UnsupportedEncoding: the bytes are not UTF-8.
        """
        text = decode_utf8(content)
        blocks = tuple(_blocks(text))
        return Document(
            format=self.format,
            title=path.name or "code",
            title_source="file_name",
            text=text,
            rows=(Row("section", 0, text, 0, blocks),) if blocks else (),
        )


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    indentation: int
    says: str
    """Without indentation; empty for a line of brackets alone, which begins and names nothing."""


def _blocks(text: str) -> Iterator[Block]:
    enclosing: list[_Line] = []
    for _, end, starts in paragraphs(text):
        lines = [_line(text, first, last) for first, last in zip(starts, [*starts[1:], end], strict=True)]
        for group in _groups(lines):
            depth, context = _surroundings(group, enclosing)
            yield Block("fence", group[0].start, group[-1].end, depth=depth, context=context)
            for line in group:
                _enter(line, enclosing)


def _line(text: str, start: int, end: int) -> _Line:
    written = text[start:end].rstrip()
    indentation = _INDENTATION.match(written)
    margin = indentation[0] if indentation else ""
    says = written[len(margin) :]
    width = len(margin.expandtabs(_TAB_WIDTH))
    return _Line(start, start + len(written), width, says if _WORD.search(says) else "")


def _groups(lines: list[_Line]) -> Iterator[list[_Line]]:
    """A new group begins where a line with words is back at the margin."""
    group: list[_Line] = []
    for line in lines:
        if group and line.says and not line.indentation and group[-1].indentation + (not group[-1].says):
            yield group
            group = []
        group.append(line)
    yield group


def _surroundings(group: list[_Line], enclosing: list[_Line]) -> tuple[int, str]:
    """How deep the group stands, and the lines that it stands under, its own first definition included."""
    margin = min(line.indentation for line in [line for line in group if line.says] or group)
    around = [line for line in enclosing if line.indentation < margin]
    names = [line.says[:_MOST_NAME_CHARACTERS] for line in (*around[-_MOST_ENCLOSING:], *_definition(group, margin))]
    return len(around), " ".join(names)


def _definition(group: list[_Line], margin: int) -> list[_Line]:
    """The first line at the group's margin that others are indented under."""
    for line, following in pairwise(group):
        opens = following.indentation > margin or (following.indentation == margin and not following.says)
        if line.says and line.indentation == margin and opens:
            return [line]
    return []


def _enter(line: _Line, enclosing: list[_Line]) -> None:
    """Keep the lines that what follows may be indented under; a bracket at the margin leaves its definition open."""
    while enclosing and enclosing[-1].indentation >= line.indentation + (not line.says):
        enclosing.pop()
    if line.says:
        enclosing.append(line)
