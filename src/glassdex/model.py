"""The nouns of docs/design.md section 2, frozen: what flows from a file to a search result.

Offsets are code points, 0-based, half-open. Lines are 1-based and inclusive; a line ends at `\\n`, `\\r\\n` or a
lone `\\r`, and nowhere else.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

RowKind = Literal["entity", "observation", "relation", "section", "table", "record", "message"]
ROW_KINDS: tuple[RowKind, ...] = ("entity", "observation", "relation", "section", "table", "record", "message")
Role = Literal["user", "assistant", "system", "tool_call", "tool_result", "thinking", "summary"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool_call", "tool_result", "thinking", "summary")
ID_CHARACTERS = 32
"""Hexadecimal digits and dashes of an id that was drawn by chance, at least."""
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF-")
BlockKind = Literal["heading", "paragraph", "list_item", "quote", "fence", "table", "html", "row"]
TitleSource = Literal["front_matter", "metadata", "heading", "file_name", "conversation"]
LinkRoute = Literal["relation", "wikilink", "link", "front_matter"]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def is_drawn(name: str) -> bool:
    """Whether an id was drawn by chance, and so means the same wherever it stands: a UUID, or as many hexadecimal
    digits. Any other, such as a file's name, means something within its conversation alone.
    """
    return len(name) >= ID_CHARACTERS and _HEXADECIMAL.issuperset(name)


def unify_newlines(text: str) -> str:
    """`text` with `\\r\\n` and lone `\\r` as `\\n`: the form that is hashed, embedded and shown."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def folded_name(name: str) -> str:
    """A name as it is compared: NFC, without case, lone surrogates replaced."""
    return unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode()).casefold()


def text_hash(text: str) -> str:
    """SHA-256 of the text with `\\n` newlines, 64 hex digits; lone surrogates hash as themselves."""
    return hashlib.sha256(unify_newlines(text).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class FileStat:
    """What the file system says of a file without reading it; times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a row's structure, where a chunk may begin or end.

    `start` and `end` are offsets in the row's text, ending before the final newline. `headings` is the chain of
    headings that the block stands under; a heading's own chain includes itself. Kind `row` marks lines that are a
    row of their own (an observation, a relation) and that no chunk of this row covers. `depth` is 0 for a block that
    stands by itself, and counts the list items that a later part of an item continues: of an item with a paragraph
    and a list below it, the paragraph has depth 0, each item of that list 1, and a list below one of those 2.
    `context` is what a passage from the block cannot be understood without, such as a table's header line: it is
    indexed and embedded with each of its chunks that does not contain it, and is not part of their text.
    """

    kind: BlockKind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    depth: int = 0
    context: str = ""


class Locator(NamedTuple):
    """Where in its file a passage stands; what does not apply is absent. Numbers are 1-based, ranges inclusive.

    Pages are physical; `page_label` is the file's own name of the first of them ("iv"). `row_start` and `row_end` are
    rows of the sheet as a spreadsheet program numbers them, in CSV the records, with the header as row 1. `record` is
    the one record of a JSON or JSONL file. `hidden` says that the author hid the sheet or slide. A named tuple, since
    a search makes hundreds of them.
    """

    line_start: int | None = None
    line_end: int | None = None
    page_start: int | None = None
    page_end: int | None = None
    page_label: str | None = None
    sheet: str | None = None
    row_start: int | None = None
    row_end: int | None = None
    slide: int | None = None
    record: int | None = None
    hidden: bool = False


class Place(NamedTuple):
    """A stretch `[start, end)` of a document's text and where in the file it stands; empty for a blank page.

    A document's places ascend by start and do not overlap; text between them (separators) belongs to no place. A
    workbook has a hundred thousand of them, and a named tuple is made in a third of a frozen dataclass's time.
    """

    start: int
    end: int
    page: int | None = None
    page_label: str | None = None
    sheet: str | None = None
    row: int | None = None
    slide: int | None = None
    record: int | None = None
    line_start: int | None = None
    line_end: int | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation that a transcript holds; "" where the file does not say.

    `source` is the program's name in pointers, `id` that program's own id of it, `key` tells apart those of one file.
    `parent` is the id of the conversation that a sub-agent worked for, `forked_from` that of the one whose history
    this one begins with.
    """

    source: str
    id: str
    key: str = ""
    title: str = ""
    cwd: str = ""
    branch: str = ""
    parent: str = ""
    forked_from: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """What a message row is beside its text: one content block of one record.

    `(uuid, block)` names it within its conversation, `content_hash` (16 bytes, of role and whole text) tells two of
    one name apart. `sent_at` is in seconds since 1970 UTC, absent where unknown. Its record is the bytes
    `[byte_start, byte_end)` of the file, on line `line` (1-based); `turn` is its place among that record's turns.
    `left_out` counts the characters in its middle that its row does not have. `opening` is its first words, secrets
    redacted.
    """

    conversation: str
    uuid: str
    block: int
    role: Role
    content_hash: bytes
    sent_at: float | None
    speaker: str
    tool: str
    injected: bool
    sidechain: bool
    error: bool
    parent: str
    line: int
    byte_start: int
    byte_end: int
    turn: int
    left_out: int
    opening: str


@dataclass(frozen=True, slots=True)
class Row:
    """An authored unit; identified by (document, kind, ordinal, text hash).

    `ordinal` counts from 0 within the document and kind. `text` is the document's decoded text from `start` on, so
    `document.text[row.start : row.start + len(row.text)] == row.text`.
    """

    kind: RowKind
    ordinal: int
    text: str
    start: int
    blocks: tuple[Block, ...]
    tags: tuple[str, ...] = ()
    category: str | None = None
    """An observation's `[category]`, or a relation's kind."""
    target: str | None = None
    """What a relation points at, as written between the brackets."""
    context: str | None = None
    """The closing `(context)` of an observation or relation."""
    message: Message | None = None
    before: str = ""
    """Of a message: what was said before it, whose words are indexed with its own at less weight."""
    original: str | None = None
    """The text before secrets in it were redacted, as long as `text`; absent where none were."""

    @property
    def key(self) -> str:
        """`kind:ordinal:first 12 hex digits of the text's hash`."""
        return f"{self.kind}:{self.ordinal}:{text_hash(self.text)[:12]}"


@dataclass(frozen=True, slots=True)
class Link:
    """A reference to another document as it is written; resolving it is a later step.

    `kind` is kept verbatim: a relation's type, a front-matter kind, else `mention`.
    """

    route: LinkRoute
    kind: str
    target: str
    line: int
    label: str | None = None
    context: str | None = None


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """Something odd in a file that was read all the same."""

    code: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader made of a file's bytes.

    `text` is the decoded file without a byte-order mark, newlines as in the file; for formats that are no text, or
    whose text is wrapped in marks, what the reader extracted, the same on every machine. `places` say where in the
    file that text stands; without any, its lines are the file's lines. `date` is ISO 8601 (a date, or a
    time in UTC) from the metadata, absent where the author stated none.
    """

    format: str
    title: str
    title_source: TitleSource
    text: str
    rows: tuple[Row, ...]
    tags: tuple[str, ...] = ()
    date: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()
    places: tuple[Place, ...] = ()
    conversations: tuple[Conversation, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrieval unit cut from one row: `row.text[start:end] == text`.

    `key` is `kind:16 hex of the text hash:occurrence`; it locates a chunk in the current index and is not a
    durable id. `breadcrumb` (title › headings) and `context` (a table's header line, for example) are indexed and
    embedded with the chunk and are not part of `text`.
    `token_count` is that of `embedded_text` by the shipped tokenizer, special tokens left out. `original_hash` (64 hex
    digits) is that of the text before secrets in it were redacted, absent where none were: pointers verify that.
    """

    key: str
    row: Row
    ordinal: int
    start: int
    end: int
    locator: Locator
    text: str
    headings: tuple[str, ...]
    breadcrumb: str
    context: str
    token_count: int
    original_hash: str | None = None

    @property
    def char_start(self) -> int:
        """Offset of the chunk in the document's decoded text."""
        return self.row.start + self.start

    @property
    def char_end(self) -> int:
        """End of the chunk in the document's decoded text."""
        return self.row.start + self.end

    @property
    def embedded_text(self) -> str:
        """What the embedder sees."""
        return compose_embedded_text(self.breadcrumb, self.context, self.text)


def compose_embedded_text(breadcrumb: str, context: str, text: str) -> str:
    """Breadcrumb, context and passage, a newline between those that there are."""
    return "\n".join(part for part in (breadcrumb, context, unify_newlines(text)) if part)
