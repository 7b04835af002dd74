"""What the store keeps and gives back, frozen. Times are seconds since 1970 in UTC unless a name says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from glassdex.locators import Extent
from glassdex.model import FileStat, Json, LinkRoute, Locator, Message, ReadingWarning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WriteStatus = Literal["settled", "writing", "failed"]
PlaceColumn = Literal["page", "row", "slide", "record", "line"]
OutboxOperation = Literal["upsert", "delete"]
RootKind = Literal["files", "transcripts"]
"""Of a root of the second kind nothing but transcripts is read."""


@dataclass(frozen=True, slots=True)
class RootRecord:
    """A root folder; `label` is the first part of its documents' paths, empty for a project's first root."""

    id: int
    path: str
    label: str
    kind: RootKind = "files"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """The lineage of a file: what was last observed, what its rows were built from, how the last attempt ended.

    Hashes are SHA-256 of the file's bytes (64 hex). `raw_path` is relative to the root, in the file system's own
    bytes; `path` is the document's path within the project (NFC, `/`), which is what people see and type.
    """

    id: int
    root_id: int
    raw_path: bytes
    path: str
    stat: FileStat
    observed_hash: str | None
    observed_at: float
    rows_hash: str | None
    rows_at: float | None
    write_status: WriteStatus
    error_code: str | None
    error_message: str | None
    reader: str | None
    chunker: str | None
    lexical_identity: str | None


@dataclass(frozen=True, slots=True)
class FileObservation:
    """One look at a file during a scan."""

    root_id: int
    raw_path: bytes
    path: str
    stat: FileStat
    content_hash: str | None
    observed_at: float


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """A file or folder that the scan left out, and why."""

    path: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Growth:
    """How far a file that grows was read: where this part's text begins in the document's, and where the next begins.

    `cursor` is JSON for whoever reads the file on. `finished` says that the file was read to its end. Of all parts so
    far: the characters that were said and those of them that are indexed, and the secrets redacted, by kind.
    """

    base: int
    cursor: str
    finished: bool
    said_characters: int
    indexed_characters: int
    secrets: Mapping[str, int]


class MessageRef(NamedTuple):
    """Which message a chunk is cut from: that of `(uuid, block)` in the conversation `name` of `source`.

    `char_start` and `char_end` are the message's offsets in its document's text. `original_hash` (64 hex digits) is
    that of the passage before secrets in it were redacted, absent where none were.
    """

    row_id: int
    session_id: int
    source: str
    name: str
    uuid: str
    block: int
    char_start: int
    char_end: int
    original_hash: str | None


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A conversation without what has to be counted. `has_own`: not every message of it is one that another had first.

    `started_at` and `ended_at` are the earliest and latest time of its own messages, absent where no time is known.
    """

    session_id: int
    document_id: int
    path: str
    source: str
    name: str
    title: str
    cwd: str
    branch: str
    parent: str
    forked_from: str
    has_own: bool
    started_at: float | None
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class SessionRecord(SessionHead):
    """A conversation. `total` counts its messages, `copied` those besides that another one had first."""

    total: int
    copied: int


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """A stored message of the session `session_id`; `original_id` is the row of the same message where it was first.

    `ordinal` orders the messages of a session; it is no position. Offsets are in the document's text.
    """

    row_id: int
    session_id: int
    document_id: int
    ordinal: int
    char_start: int
    char_end: int
    message: Message
    original_id: int | None = None


class CandidateRecord(NamedTuple):
    """A chunk without its text: what ranking, pointers and explanations need. Ties break by path, then key.

    A named tuple, since a search makes hundreds of them.
    """

    chunk_id: int
    document_id: int
    path: str
    title: str
    key: str
    kind: str
    row_key: str
    headings: tuple[str, ...]
    char_start: int
    char_end: int
    locator: Locator
    message: MessageRef | None = None

    @property
    def group(self) -> tuple[int, int]:
        """What is one result: the document, or the conversation in it."""
        return self.document_id, self.message.session_id if self.message else 0


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A stored chunk with its document; offsets are code points in the document's decoded text.

    `row_key` is empty where the row that it was cut from is gone.
    """

    chunk_id: int
    document_id: int
    path: str
    title: str
    format: str
    key: str
    kind: str
    row_key: str
    ordinal: int
    char_start: int
    char_end: int
    text: str
    headings: tuple[str, ...]
    breadcrumb: str
    context: str
    token_count: int
    embedded_hash: str
    lexical_status: str
    embedding_status: str
    updated_at: float
    copied: bool
    locator: Locator
    message: MessageRef | None = None

    @property
    def passage_hash(self) -> str:
        """SHA-256 of the original passage, 16 hex digits and more."""
        redacted = self.message and self.message.original_hash
        return redacted or self.key.split(":")[1]


@dataclass(frozen=True, slots=True)
class RowRecord:
    """A stored row; offsets are code points in the document's decoded text."""

    row_id: int
    kind: str
    ordinal: int
    key: str
    text_hash: str
    char_start: int
    char_end: int
    category: str | None
    target: str | None
    context: str | None
    locator: Locator


@dataclass(frozen=True, slots=True)
class IndexPresence:
    """What is physically there for a chunk: its lexical entry, and the identities it has a vector under."""

    lexical: bool
    vector_identities: tuple[str, ...]
    slot_matches: bool
    """Whether the chunk's recorded slot is the one of its text under the active identity, and holds a vector."""


@dataclass(frozen=True, slots=True)
class LostParts:
    """A document that does not have what was published of it, and what is lost, in words."""

    path: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentExtent:
    """A document by name, and what it has of each kind of place."""

    path: str
    format: str
    extent: Extent


@dataclass(frozen=True, slots=True)
class PendingChunk:
    """A chunk without a vector under the active identity."""

    chunk_id: int
    embedded_hash: bytes
    embedded_text: str


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """Work for an index outside the store; ids ascend in the order in which the work was left."""

    id: int
    index_name: str
    operation: OutboxOperation
    chunk_id: int
    created_at: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Figures of a project; `ready + pending = chunks`, `other_identity` of the pending ones have an older vector."""

    files: int
    documents: int
    rows: int
    chunks: int
    links: int
    ready: int
    pending: int
    other_identity: int
    failed: int
    skipped: int
    skipped_by_reason: Mapping[str, int]
    text_characters: int
    store_bytes: int


@dataclass(frozen=True, slots=True)
class TranscriptFigures:
    """The project's conversations: `copied` messages are told in another one first; secrets redacted, by kind.

    `sessions` have messages of their own. `indexed_characters` of the `said_characters` are searchable: what tools
    gave is capped.
    """

    sessions: int
    messages: int
    copied: int
    said_characters: int
    indexed_characters: int
    secrets: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """Columns over all chunks of one generation, ascending by id: the row `i` of each array is one chunk.

    `slots` is the place of the vector (slab number · 1,024 + position), −1 while pending. `lengths` is the chunk's
    weighted length for BM25.
    """

    generation: int
    ids: NDArray[np.int64]
    document_ids: NDArray[np.int64]
    slots: NDArray[np.int64]
    lengths: NDArray[np.float64]

    def positions(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each chunk id; every id must exist."""
        return self.ids.searchsorted(chunk_ids)

    def known(self, chunk_ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the chunk ids exist: a derived index may hold more than the manifest."""
        found: NDArray[np.bool_] = self.ids.searchsorted(chunk_ids, "right") > self.ids.searchsorted(chunk_ids)
        return found


class NamedDocument(NamedTuple):
    """A document by all that a link may call it. `other_names` are the permalink and aliases of its front matter.

    `path` begins with `root_label` where that is not empty.
    """

    document_id: int
    path: str
    root_label: str
    title: str
    format: str
    other_names: tuple[str, ...]


class LinkRecord(NamedTuple):
    """A link as it stands in the document `document_id`; see `glassdex.model.Link`."""

    link_id: int
    document_id: int
    route: LinkRoute
    kind: str
    target: str
    line: int
    label: str | None
    context: str | None


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the manifest has it, without its text."""

    document_id: int
    path: str
    title: str
    title_source: str
    format: str
    date: str | None
    metadata: Mapping[str, Json]
    warnings: tuple[ReadingWarning, ...]
    extent: Extent
