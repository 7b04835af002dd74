"""Names in pointers: whatever is not an ASCII letter, digit or one of `._~-` is percent-encoded as UTF-8."""

from __future__ import annotations

from urllib.parse import quote, unquote

from glassdex.errors import InvalidPointer

NAME = r"(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+"


def decode_name(name: str, pointer: str) -> str:
    """The name as it was before it was encoded.

    Raises:
        InvalidPointer: its bytes are no UTF-8; `pointer` is what is shown of it.
    """
    try:
        return unquote(name, errors="surrogatepass")
    except UnicodeDecodeError as error:
        raise InvalidPointer(
            f"the percent-encoding in {pointer[:200]!r} is not UTF-8", "copy the pointer again, whole"
        ) from error


def encode_path(path: str) -> str:
    """A path: its slashes stay."""
    return quote(path.encode("utf-8", "surrogatepass"), safe="._~/-")


def encode_name(name: str) -> str:
    """A name: a slash in it is encoded, too."""
    return encode_path(name).replace("/", "%2F")
