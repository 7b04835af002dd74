"""From bytes to text, and from offsets to lines."""

from __future__ import annotations

import re
from bisect import bisect_right

from glassdex.errors import UnsupportedEncoding

# Not str.splitlines: it also breaks at \x0b, \x0c, \x1c-\x1e, \x85, U+2028 and U+2029, and no editor,
# grep or compiler agrees with that.
_NEWLINE = re.compile(r"\r\n?|\n")

_BOM = b"\xef\xbb\xbf"
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_FOREIGN_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def decode_utf8(content: bytes) -> str:
    """The text of UTF-8 bytes, without a byte-order mark, newlines as in the file.

    Raises:
        UnsupportedEncoding: the bytes are not UTF-8; the message names the offset of the first bad byte.

    """
    mark = len(_BOM) if content.startswith(_BOM) else 0
    try:
        return content[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unsupported(content, error.start + mark) from None


def _unsupported(content: bytes, offset: int) -> UnsupportedEncoding:
    for bom, encoding in _FOREIGN_BOMS:
        if content.startswith(bom):
            return UnsupportedEncoding(
                f"the file is {encoding} (byte-order mark at byte offset 0), not UTF-8",
                suggestion=f"Convert it: iconv -f {encoding} -t UTF-8 FILE > NEWFILE",
            )
    return UnsupportedEncoding(
        f"the file is not UTF-8: byte 0x{content[offset]:02x} at byte offset {offset} is not valid there",
        suggestion="Save it as UTF-8; if it comes from an older Windows editor: "
        "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE",
    )


class LineIndex:
    r"""Offsets and 1-based lines of one text; a line ends at `\n`, `\r\n` or a lone `\r`, and nowhere else.

    Offsets are code points. A newline belongs to the line that it ends, so a final newline opens no further
    line; the empty text has one line.
    """

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        starts = [0]
        starts.extend(match.end() for match in _NEWLINE.finditer(text))
        if len(starts) > 1 and starts[-1] == len(text):
            starts.pop()
        self._starts = starts
        self._text = text

    @property
    def line_count(self) -> int:
        """Number of lines; at least 1."""
        return len(self._starts)

    def line_of(self, offset: int) -> int:
        """The line that holds the code point at `offset`; the last line for the end of the text."""
        return bisect_right(self._starts, offset)

    def start_of(self, line: int) -> int:
        """Offset of the line's first code point."""
        return self._starts[line - 1]

    def end_of(self, line: int) -> int:
        """Offset just behind the line's last code point, its newline left out."""
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        start = self._starts[line - 1]
        if end > start and self._text[end - 1] == "\n":
            end -= 1
            if end > start and self._text[end - 1] == "\r":
                end -= 1
        elif end > start and self._text[end - 1] == "\r":
            end -= 1
        return end
