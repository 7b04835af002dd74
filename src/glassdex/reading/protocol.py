"""What a reader is: a name, a version, a format, a bid and a reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Protocol, runtime_checkable

from glassdex.errors import LimitExceeded
from glassdex.model import Document

LINE_SUFFIXES = (".jsonl", ".ndjson")
"""Of files whose every line is a record: what such a file holds may be read bit by bit, however long it is."""
HEAD_BYTES = 65_536
"""How much of a file a reader sees before it bids: the first 64 KiB."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one file may ask for before it is given up as a bomb: an error that names the limit."""

    file_bytes: int = 20_000_000
    """Of a file that is read as a whole."""
    transcript_bytes: int = 4_000_000_000
    """Of a transcript that is read line by line."""
    unpacked_bytes: int = 512 * 1024 * 1024
    """Of everything inside a zip container (XLSX, DOCX, PPTX)."""
    characters: int = 50_000_000
    """Of the text that is extracted."""
    pages: int = 20_000
    """Pages or slides."""
    cells: int = 5_000_000
    """Cells of a workbook that hold something."""
    nesting: int = 100
    """Groups in groups, tables in tables, elements in elements."""
    seconds: float = 120.0
    """Of one file of an isolated reader, whose process is killed then."""
    memory_bytes: int = 4 * 1024 * 1024 * 1024
    """Of that process, where the system can hold it to that."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What a reader may be told: passwords to try on an encrypted file, and how much a file may ask for.

    `redact` says whether secrets in transcripts are replaced before anything is made of them.
    """

    passwords: tuple[str, ...] = field(default=(), repr=False)
    limits: Limits = Limits()
    redact: bool = True


@runtime_checkable
class Reader(Protocol):
    """Turns the bytes of one file format into a document and its rows.

    A reader holds no state between files and touches nothing but its arguments: the same path and bytes give
    the same document on every machine. It is registered under the entry-point group `glassdex.readers` as a
    class without constructor arguments, or as an instance.

    One whose parser may hang, swell or crash on a bad file carries `isolated = True` as well: its files are read in
    a process of its own (reading/isolation.py). It must be importable there by its module's name.
    """

    name: str
    """Unique among the installed readers, such as `markdown`."""

    version: int
    """Raised whenever the same bytes may give different rows; what an older one read is then read again."""

    format: str
    """The `Document.format` that it produces; what `--format` filters on."""

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """How sure this reader is that the file is its own: 0 is "not mine", 100 is "certainly".

        `head` is the first 64 KiB. A reader that goes by the file name alone bids at most 80; one that has
        recognised the content (a front-matter key, a magic number) may bid more, so specific beats generic.
        """
        ...

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """Make a document of the whole file.

        `path` is relative to its root and serves for names only; `content` is every byte of the file.
        What is merely odd becomes a `ReadingWarning` of the document.

        Raises:
            ReadError: not readable as this format (`UnsupportedEncoding`, `LimitExceeded`, …).
            MissingExtra: a library that the format needs is not installed. Nothing else escapes.

        """
        ...


def is_isolated(reader: Reader) -> bool:
    """Whether the reader asks for a process of its own."""
    return bool(getattr(reader, "isolated", False))


def read_within_limits(reader: Reader, path: PurePosixPath, content: bytes, options: ReadingOptions) -> Document:
    """What the reader makes of the file, here, held to the one limit that no reader may forget.

    Raises:
        LimitExceeded: the document holds more text than a file may.
        ReadError, MissingExtra: see `Reader.read`.
    """
    document = reader.read(path, content, options)
    characters = len(document.text)
    if characters > options.limits.characters:
        raise LimitExceeded(
            f"the file holds {characters:,} characters of text, the limit is {options.limits.characters:,}",
            "leave the file out with a line in .glassdexignore, or split it",
        )
    return document
