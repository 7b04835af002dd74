"""What a store promises. `glassdex.testing.StoreConformance` holds every implementation to it.

A store keeps, for one project: the catalogue (roots, files, what was skipped), the manifest (documents, rows,
chunks, tags, links), vectors by the hash of the embedded text, and the outbox of work for indexes elsewhere.

`generation` numbers the states of the index. It grows by one with each committed transaction that changed
what a search can return, and with no other; whatever is cached from a snapshot is valid for its generation.
Chunk ids are never used twice. Everything here raises `UnavailableError` (`StoreLocked`, `StoreCorrupt`, …)
when the store cannot be reached or read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.model import Chunk, Document, Json, Message, ReadingWarning
from glassdex.storage.records import (
    CandidateRecord,
    ChunkRecord,
    ChunkTable,
    Counts,
    DocumentExtent,
    FileObservation,
    FileRecord,
    Growth,
    IndexPresence,
    LinkRecord,
    LostParts,
    MessageRecord,
    NamedDocument,
    OutboxEntry,
    OutboxOperation,
    PendingChunk,
    PlaceColumn,
    RootKind,
    RootRecord,
    RowRecord,
    SessionHead,
    SessionRecord,
    SkippedRecord,
    StoredDocument,
    TranscriptFigures,
    WriteStatus,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Snapshot(Protocol):
    """One read transaction on one generation; used by one thread, inside its `with`."""

    @property
    def generation(self) -> int:
        """The generation that this snapshot sees."""
        ...

    def meta(self, key: str) -> str | int | float | None:
        """A setting or counter of the store, `None` if it was never set."""
        ...

    def roots(self) -> list[RootRecord]:
        """The project's root folders, in the order in which they were added."""
        ...

    def root_of(self, file: FileRecord) -> RootRecord:
        """The root folder that a file lies in.

        Raises:
            StoreCorrupt: it is not in the store any more.

        """
        ...

    def lost_parts(self, document_ids: Iterable[int] | None = None) -> dict[int, LostParts]:
        """By document id, the documents, of all or of the given, that lack something that was published of them."""
        ...

    def files(self) -> Iterator[FileRecord]:
        """The lineage of every known file, by path."""
        ...

    def file(self, path: str) -> FileRecord | None:
        """One file's lineage by its document path."""
        ...

    def skipped(self) -> list[SkippedRecord]:
        """What the last scan of each root left out, by path."""
        ...

    def document_paths(self) -> dict[int, str]:
        """Path by document id, of every document."""
        ...

    def titles(self) -> dict[int, str]:
        """Title by document id."""
        ...

    def named_documents(self) -> list[NamedDocument]:
        """Every document with all that a link may call it."""
        ...

    def links(self) -> list[LinkRecord]:
        """Every link as it is written, by document and then in the order in which it was read."""

    def front_matter(self, keys: Collection[str]) -> list[tuple[int, str, Json]]:
        """(document id, key, value) of what Markdown files state under these keys, given casefolded, in any case."""
        ...

    def document(self, path: str) -> StoredDocument | None:
        """A document by its path; `None` also for a file that never became one."""
        ...

    def reading_warnings(self) -> list[tuple[str, ReadingWarning]]:
        """(path, warning) of every document that was read in spite of something odd, by path."""
        ...

    def chunk_table(self) -> ChunkTable:
        """The columns over all chunks that every search needs; `Store.chunk_table` keeps them."""
        ...

    def candidates(self, chunk_ids: NDArray[np.int64]) -> dict[int, CandidateRecord]:
        """By id, what ranking needs of the given chunks; one that is not there is left out."""
        ...

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, ChunkRecord]:
        """By id, the given chunks in full; one that is not there is left out."""
        ...

    def document_chunks(self, document_id: int) -> list[ChunkRecord]:
        """A document's chunks in the order of the text."""
        ...

    def chunks_with_key(self, key: str) -> list[tuple[int, int]]:
        """(document id, chunk id) of every chunk of that key, ascending: a passage may stand in several documents."""
        ...

    def document_rows(self, document_id: int) -> list[RowRecord]:
        """A document's rows in the order of the text; the note itself first."""
        ...

    def presence(self, document_id: int) -> dict[int, IndexPresence]:
        """By chunk id, what the indexes within the store hold of a document's chunks."""
        ...

    def paths_with_passage(self, passage_hash: str) -> list[str]:
        """Documents, by path, with a chunk whose text hash begins with these hex digits."""
        ...

    def chunk_ids_of_kinds(self, kinds: Sequence[str]) -> NDArray[np.int64]:
        """Chunks cut from rows of these kinds, ascending ids."""
        ...

    def chunk_ids_with_tag(self, folded: str) -> NDArray[np.int64]:
        """Chunks whose document or own row carries the tag (casefolded) or one below it, ascending ids.

        `a` finds `a` and `a/b`, not `ab`. A tag of an `entity` row is the document's; one of another row is
        that row's alone.
        """
        ...

    def chunk_ids_dated(self, since: float | None, until: float | None) -> NDArray[np.int64]:
        """Chunks dated within `since <= date < until` (seconds, UTC), ascending ids.

        The date is that of the message, in a document without messages that of the document. A message without a time
        has no date.
        """
        ...

    def chunk_ids_of_documents(self, document_ids: Iterable[int]) -> NDArray[np.int64]:
        """Chunks of the given documents, ascending ids."""
        ...

    def extents(self, document_ids: Iterable[int] | None = None) -> dict[int, DocumentExtent]:
        """What documents have of each kind of place, by document id; of all without ids."""
        ...

    def chunk_ids_in_span(self, document_id: int, place: PlaceColumn, first: int, last: int) -> NDArray[np.int64]:
        """A document's chunks that overlap `first` to `last` of that kind of place, ascending ids."""
        ...

    def chunk_ids_on_sheet(self, document_id: int, sheet: str) -> NDArray[np.int64]:
        """A document's chunks on the sheet of exactly that name, ascending ids."""
        ...

    def hidden_chunk_ids(self) -> NDArray[np.int64]:
        """Chunks on hidden sheets and slides, ascending ids."""
        ...

    def chunk_ids_of_session(self, session_id: int) -> NDArray[np.int64]:
        """Chunks of a conversation's messages, ascending ids."""
        ...

    def chunk_ids_of_roles(self, roles: Sequence[str]) -> NDArray[np.int64]:
        """Chunks of the messages that these roles said, ascending ids."""
        ...

    def has_messages(self) -> bool:
        """Whether the project holds transcripts at all."""
        ...

    def sessions(self, session_ids: Iterable[int] | None = None) -> list[SessionRecord]:
        """All conversations, or the given ones; by path and then as they stand in their file."""
        ...

    def session_heads(self, session_ids: Iterable[int] | None = None) -> list[SessionHead]:
        """The same conversations without what has to be counted: what that takes does not grow with their length."""
        ...

    def transcript_figures(self) -> TranscriptFigures:
        """The project's conversations in figures."""
        ...

    def sessions_dated(self, since: float, until: float) -> set[int]:
        """Conversations with a message of their own within `since <= time < until` (seconds, UTC), by id."""
        ...

    def sessions_named(self, name: str, limit: int) -> list[SessionHead]:
        """Conversations of exactly that name; if there is none, those whose name begins with it: up to `limit`."""
        ...

    def sub_agents(self, session: SessionHead) -> list[SessionRecord]:
        """The conversations of those that worked for this one, by path and then as they stand in their file."""
        ...

    def continued_message(self, session_id: int) -> int | None:
        """The row id of what a conversation goes on from: the message that it tells last before its own first one.

        It is the original, another conversation's. Where nothing is told before the first one: the last of all.
        """
        ...

    def message_position(self, row_id: int) -> int | None:
        """How many messages stand before this one in its conversation; none where it is not in the sequence."""
        ...

    def messages_around(self, record: MessageRecord) -> tuple[MessageRecord | None, MessageRecord | None]:
        """The messages right before and right after one in its conversation's sequence."""
        ...

    def session_page(self, session_id: int, offset: int, limit: int) -> list[MessageRecord]:
        """Up to `limit` messages of a conversation from `offset` (0-based) on, in the same order."""
        ...

    def session_revisions(self, session_id: int, offsets: Sequence[int]) -> list[str]:
        """For each offset, ascending, a digest of the messages before it; an append leaves it as it is."""
        ...

    def messages(self, row_ids: Iterable[int]) -> dict[int, MessageRecord]:
        """By row id, the given messages; one that is not there is left out."""
        ...

    def messages_named(self, session_ids: Iterable[int], uuid: str, block: int) -> list[MessageRecord]:
        """Messages of these conversations with that name, copies among them; in order."""
        ...

    def message_chunks(self, row_id: int) -> list[tuple[int, str]]:
        """(offset in the message, text) of a message's chunks, in order."""
        ...

    def is_told(self, document_id: int, conversation: str, uuid: str, block: int, content_hash: bytes) -> bool:
        """Whether a conversation of the document, by its key, has a message of that name and content."""
        ...

    def times_told(self, document_id: int, conversation: str, content_hash: bytes) -> int:
        """How many messages of that conversation have that content."""
        ...

    def recent_messages(self, document_id: int, most: int) -> list[Message]:
        """The last messages of the document, up to `most`, in the order of its file, copies among them."""
        ...

    def cursor(self, document_id: int) -> str | None:
        """How far a file that grows was read, as it was given with its last part."""
        ...

    def in_order(self, chunk_ids: NDArray[np.int64] | None, limit: int) -> NDArray[np.int64]:
        """The first `limit` of the given chunks, or of all, by path and then by their place in the document."""
        ...

    def unlocated(self, document_ids: Iterable[int] | None = None) -> int:
        """How many chunks, of the given documents or of all, have places of an older version."""
        ...

    def similar_words(self, first: str, shortest: int, longest: int, limit: int) -> list[tuple[str, str]]:
        """(term, written form) of known words whose term begins with `first`; at most `limit`, by term.

        `shortest` and `longest` bound the length of the term in characters, inclusive.
        """
        ...

    def pending_chunks(self, after_id: int, limit: int) -> list[PendingChunk]:
        """Chunks above `after_id` that have no vector under the active identity, ascending ids."""
        ...

    def vector_slots(self, identity: EmbeddingIdentity) -> NDArray[np.int64]:
        """The slot of every chunk's text under an identity, −1 where it has none; as `ChunkTable.slots`."""
        ...

    def vectors(self, identity: EmbeddingIdentity) -> NDArray[np.float32]:
        """All vectors of an identity: float32 of shape (slots, dimensions), unit length, row = slot.

        One that was damaged in the store is NaN.
        """
        ...

    def outbox(self, index_name: str) -> list[OutboxEntry]:
        """Work that waits for the index of that name, oldest first."""
        ...

    def readiness(self) -> tuple[int, int, int]:
        """(ready, pending, pending with a vector of another identity), in chunks."""
        ...

    def pending_count(self) -> int:
        """How many chunks have no vector under the active identity: the second of `readiness`, at less cost."""
        ...

    def counts(self) -> Counts:
        """The project in figures."""
        ...


class Writer(Protocol):
    """One write transaction: all of it is committed at the end of its `with`, or none of it."""

    def set_meta(self, key: str, value: str | float | int) -> None:
        """Writes a setting or counter."""
        ...

    def add_root(self, path: str, label: str, kind: RootKind = "files") -> int:
        """Enters a root folder and returns its id; path and label are unique within the project.

        Files whose root is not in the store any more become its own where most of those of a root lie below it.
        """
        ...

    def move_root(self, root_id: int, path: str) -> None:
        """Says that a root folder is now elsewhere; its documents keep their paths."""
        ...

    def observe(
        self,
        observation: FileObservation,
        write_status: WriteStatus,
        error_code: str | None = None,
        error_message: str | None = None,
    ) -> int:
        """Records a look at a file and returns the file's id; its rows, if it has any, stay as they are.

        A look without a hash keeps the last hash that was observed.
        """
        ...

    def redate(self, file_id: int, mtime: float) -> None:
        """Dates a document without a date of its own by its file's time, seconds since 1970."""
        ...

    def remove_file(self, file_id: int) -> list[int]:
        """Forgets a file and all that came from it but the vectors; returns the ids of its chunks."""
        ...

    def replace_document(
        self,
        observation: FileObservation,
        document: Document,
        chunks: Sequence[Chunk],
        lexical_lengths: Sequence[float],
        identities: Mapping[str, str],
        dated_at: float,
        growth: Growth | None = None,
    ) -> tuple[int, list[int], list[int]]:
        """Puts a document, its rows and chunks in the place of what the file had before, if anything.

        `lexical_lengths[i]` is |d| of BM25 for `chunks[i]`. `identities` names `reader`, `chunker` and
        `lexical_identity`. `dated_at` is in seconds since 1970 UTC. Returns (document id, ids of the chunks
        that are gone, ids of the new chunks in order); the new ones are pending until vectors are linked or
        stored. `growth` comes with the first part of a file that is read in parts.

        A message that another conversation had first becomes an alias of that one: its chunks are no candidates.
        """
        ...

    def append_document(
        self,
        observation: FileObservation,
        document: Document,
        chunks: Sequence[Chunk],
        lexical_lengths: Sequence[float],
        growth: Growth,
        dated_at: float,
    ) -> tuple[int, list[int]]:
        """Adds the rows and chunks of a further part of a file to its document; what is there stays as it is.

        `document` and `chunks` hold the new part alone, their offsets counted from its beginning. Returns (document
        id, ids of the new chunks in order).
        """
        ...

    def relocate(self, limit: int) -> int:
        """Makes the places of up to `limit` documents anew whose are of an older version, from what is stored.

        Returns how many rows and chunks that were; 0 when nothing is left to do.
        """
        ...

    def replace_skipped(self, root_id: int, skipped: Iterable[SkippedRecord]) -> None:
        """Replaces the list of what the scan of a root left out."""
        ...

    def add_words(self, surfaces: Mapping[str, str]) -> None:
        """Remembers one written form per term; the first one stays."""
        ...

    def prune_words(self) -> None:
        """Forgets written forms of terms that no chunk has any more."""
        ...

    def activate_identity(self, identity: EmbeddingIdentity) -> None:
        """Makes an identity the one that chunks are ready or pending under; vectors it already has count.

        The identity that was active before, if it has vectors, becomes the setting `previous_embedding_identity`. A
        chunk that was ready and whose vector is gone or damaged is pending again.
        """
        ...

    def link_known_vectors(self, identity: EmbeddingIdentity, chunk_ids: Sequence[int]) -> None:
        """Marks chunks ready whose text was embedded before: a moved or renamed file costs nothing.

        `chunk_ids` are consecutive, as `replace_document` returns them. Under an identity that is not the
        active one nothing happens.
        """
        ...

    def store_vectors(self, identity: EmbeddingIdentity, hashes: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keeps vectors under the hash of their text and marks every pending chunk of such a text ready.

        `vectors` has shape (len(hashes), dimensions) and unit rows; `hashes` are those of `PendingChunk`. A
        hash that is there already keeps its vector. Vectors of an identity that is not active are kept and
        make nothing ready.

        Raises:
            EmbeddingError: the vectors do not have the identity's dimensions.

        """
        ...

    def enqueue(self, index_name: str, operation: OutboxOperation, chunk_ids: Iterable[int]) -> None:
        """Leaves work for an index that lives outside the store."""
        ...

    def dequeue(self, entries: Iterable[OutboxEntry]) -> None:
        """Takes work off the outbox once the other index has done it."""
        ...


class Store(Protocol):
    """A project's store: one writer at a time, any number of readers, from any thread."""

    def read(self) -> AbstractContextManager[Snapshot]:
        """A snapshot: nothing committed after its start is seen in it."""
        ...

    def write(self) -> AbstractContextManager[Writer]:
        """A write transaction: commits at the end, rolls back on any error and lets it pass.

        Raises:
            StoreLocked: the store was busy for longer than its time-out.

        """
        ...

    def lock(self, purpose: str) -> AbstractContextManager[None]:
        """Holds the project's writer lock over several transactions; `purpose` is what others read of it.

        Raises:
            StoreLocked: another process holds it and kept it for the whole time-out.

        """
        ...

    def chunk_table(self, snapshot: Snapshot) -> ChunkTable:
        """The chunk columns of the snapshot's generation, loaded once per generation."""
        ...

    def close(self) -> None:
        """Releases everything; snapshots and writers must be done."""
        ...
