"""Which readers there are, and which of them takes a file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from glassdex.model import Document
from glassdex.reading.protocol import HEAD_BYTES, Reader, ReadingOptions, is_isolated, read_within_limits
from glassdex.reading.transcripts.protocol import is_transcript

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from glassdex.reading.isolation import ReadingProcess

ENTRY_POINT_GROUP = "glassdex.readers"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BrokenReader:
    """An installed entry point that gave no usable reader."""

    entry_point: str
    """`name = module:attribute`, as its distribution declares it."""
    reason: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """The readers of this installation, by name, and the entry points that had to be left out."""

    readers: tuple[Reader, ...]
    broken: tuple[BrokenReader, ...]


def discover() -> Discovery:
    """Look the readers up anew: the built-in ones, then those of installed distributions.

    The built-in readers need no installed distribution (a source checkout on `PYTHONPATH` has none). Of two
    readers with one name the built-in, then the first found, stays; another class under that name is broken.
    """
    from importlib.metadata import entry_points

    found = {reader.name: reader for reader in _built_in_readers()}
    broken: list[BrokenReader] = []
    installed = entry_points(group=ENTRY_POINT_GROUP)
    for entry_point in sorted(installed, key=lambda point: (point.name, point.value)):
        reason = _admit(entry_point, found)
        if reason is not None:
            broken.append(BrokenReader(f"{entry_point.name} = {entry_point.value}", reason))
    return Discovery(tuple(found[name] for name in sorted(found)), tuple(broken))


@cache
def discovery() -> Discovery:
    """What `discover` found, looked up once in this process."""
    return discover()


def readers() -> tuple[Reader, ...]:
    """Every usable reader, by name."""
    return discovery().readers


def reader_identity(reader: Reader, *, redact: bool = True) -> str:
    """`name/version`: rows of another version are behind.

    That of a transcript's reader tells as well how its messages are made of turns, and by which rules secrets are
    redacted.
    """
    identity = f"{reader.name}/{reader.version}"
    if not is_transcript(reader):
        return identity
    from glassdex.reading.transcripts import assemble
    from glassdex.redaction import IDENTITY

    return f"{identity} messages/{assemble.VERSION} {IDENTITY if redact else 'secrets kept'}"


def reader_identities(*, redact: bool = True) -> set[str]:
    """The identities of the usable readers: rows of any other are behind."""
    return {reader_identity(reader, redact=redact) for reader in readers()}


def broken_readers() -> tuple[BrokenReader, ...]:
    """Entry points that were skipped, with the reason; `doctor` shows them."""
    return discovery().broken


def choose_reader(path: PurePosixPath, head: bytes, among: Iterable[Reader] | None = None) -> Reader | None:
    """The reader with the highest bid, ties going to the first by name; None when nobody wants the file.

    `head` is the first 64 KiB of the file; `among` replaces the installed readers.
    """
    candidates = readers() if among is None else among
    bids = [(-_bid(reader, path, head), reader.name, reader) for reader in candidates]
    bid, _, reader = min(bids, key=lambda entry: entry[:2], default=(0, "", None))
    return reader if bid < 0 else None


def read_document(
    path: PurePosixPath,
    content: bytes,
    options: ReadingOptions = ReadingOptions(),
    process: ReadingProcess | None = None,
) -> tuple[Document, Reader] | None:
    """What the best reader makes of a file, and that reader; None when nobody wants the file.

    `process` is where isolated readers read; without it one is started for this file alone.

    Raises:
        ReadError, MissingExtra: see `Reader.read`.
    """
    reader = choose_reader(path, content[:HEAD_BYTES])
    return None if reader is None else (read_by(reader, path, content, options, process), reader)


def read_by(
    reader: Reader,
    path: PurePosixPath,
    content: bytes,
    options: ReadingOptions = ReadingOptions(),
    process: ReadingProcess | None = None,
) -> Document:
    """What this reader makes of a file; see `read_document`."""
    if not is_isolated(reader):
        return read_within_limits(reader, path, content, options)
    from glassdex.reading.isolation import ReadingProcess  # a search loads this module and reads nothing

    with nullcontext(process) if process is not None else ReadingProcess() as own:
        return own.read(reader, path, content, options)


def _built_in_readers() -> list[Reader]:
    # Imported here: markdown-it costs milliseconds that commands without reading must not pay. None of these modules
    # loads the library of its format; that happens where a file is read.
    from glassdex.reading.code import CodeReader
    from glassdex.reading.csv_table import CsvReader
    from glassdex.reading.html import HtmlReader
    from glassdex.reading.json_records import JsonReader
    from glassdex.reading.markdown import MarkdownReader
    from glassdex.reading.pdf.reader import PdfReader
    from glassdex.reading.plain import TextReader
    from glassdex.reading.slides import SlidesReader
    from glassdex.reading.spreadsheet import SpreadsheetReader
    from glassdex.reading.transcripts.chat import ChatLinesReader, ChatReader
    from glassdex.reading.transcripts.claude import ClaudeCodeReader
    from glassdex.reading.transcripts.codex import CodexReader
    from glassdex.reading.word import WordReader

    return [
        ChatLinesReader(),
        ChatReader(),
        ClaudeCodeReader(),
        CodeReader(),
        CodexReader(),
        CsvReader(),
        HtmlReader(),
        JsonReader(),
        MarkdownReader(),
        PdfReader(),
        SlidesReader(),
        SpreadsheetReader(),
        TextReader(),
        WordReader(),
    ]


def _admit(entry_point: EntryPoint, found: dict[str, Reader]) -> str | None:
    """Add the entry point's reader to `found`, or say why not."""
    try:
        loaded = entry_point.load()
        reader = _instance(loaded)
    except Exception as error:  # somebody else's code may fail in any way, and must not stop ours
        return f"{type(error).__name__}: {error}"
    if not isinstance(reader, Reader):
        return "it is not a Reader: it needs name, version, format, bid() and read()"
    present = found.setdefault(reader.name, reader)
    if type(present) is not type(reader):
        return f"the name {reader.name!r} is taken by {type(present).__module__}.{type(present).__qualname__}"
    return None


def _instance(loaded: object) -> object:
    return loaded() if isinstance(loaded, type) else loaded


def _bid(reader: Reader, path: PurePosixPath, head: bytes) -> int:
    ask: Callable[[PurePosixPath, bytes], int] = reader.bid
    try:
        return ask(path, head)
    except Exception:  # a reader that fails to bid does not get the file; the others may
        _log.warning("reader %r failed to bid for %s", reader.name, path, exc_info=True)
        return 0
