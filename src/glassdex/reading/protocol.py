"""What a reader is: a name, a version, a format, a bid and a reading."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Protocol, runtime_checkable

from glassdex.model import Document

HEAD_BYTES = 65_536
"""How much of a file a reader sees before it bids: the first 64 KiB."""


@runtime_checkable
class Reader(Protocol):
    """Turns the bytes of one file format into a document and its rows.

    A reader holds no state between files and touches nothing but its arguments: the same path and bytes give
    the same document on every machine. It is registered under the entry-point group `glassdex.readers` as a
    class without constructor arguments, or as an instance.
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

    def read(self, path: PurePosixPath, content: bytes) -> Document:
        """Make a document of the whole file.

        `path` is relative to its root and serves for names only; `content` is every byte of the file.
        What is merely odd becomes a `ReadingWarning` of the document.

        Raises:
            ReadError: not readable as this format (`UnsupportedEncoding`, …). Nothing else escapes.

        """
        ...
