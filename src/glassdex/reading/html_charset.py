"""In which encoding an HTML file is: its byte-order mark, else what it declares, else UTF-8."""

from __future__ import annotations

import codecs
import re

from glassdex.errors import UnsupportedEncoding
from glassdex.model import unify_newlines
from glassdex.reading.text import decode_utf8

_PRESCAN_BYTES = 4_096
_DECLARED = re.compile(
    rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]+)|<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9_:.-]+)""",
    re.IGNORECASE,
)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# Python knows encodings that no web page has, and some that are none (rot13).
_OF_WEB_PAGES = re.compile(
    r"utf-8|iso-?8859-\d+|windows-\d+|cp125\d|koi8-[ru]|big5(?:-?hkscs)?|gbk|gb2312|gb18030|euc-(?:jp|kr)"
    r"|shift[-_]jis|sjis|iso-2022-jp|macintosh|mac-?roman|tis-620|us-ascii|ascii|latin-?1|x-sjis|x-gbk|ks_c_5601-1987"
)
# What browsers take for what pages say: a superset each time.
_AS_BROWSERS_DO = {
    "iso-8859-1": "cp1252", "iso8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "us-ascii": "cp1252",
    "ascii": "cp1252", "iso-8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949", "big5": "big5hkscs", "windows-874": "cp874", "macintosh": "mac-roman",
}  # fmt: skip


def decode_html(content: bytes) -> str:
    r"""The text of an HTML file, without a byte-order mark, newlines as `\n`.

    Raises:
        UnsupportedEncoding: the bytes are not in the encoding that the file declares (UTF-8 where it declares none).
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decoded(content[len(mark) :], encoding, "by its byte-order mark")
    match = _DECLARED.search(content[:_PRESCAN_BYTES])
    declared = "" if match is None else (match[1] or match[2]).decode("ascii").lower()
    # A declaration that can be read byte by byte is no UTF-16, whatever it says.
    if not declared or declared == "utf8" or declared.startswith("utf-"):
        return unify_newlines(decode_utf8(content))
    if not _OF_WEB_PAGES.fullmatch(declared):
        raise UnsupportedEncoding(f"the file declares the encoding {declared!r}, which is unknown", "save it as UTF-8")
    return _decoded(content, _AS_BROWSERS_DO.get(declared, declared), "as it declares")


def _decoded(content: bytes, encoding: str, reason: str) -> str:
    try:
        return unify_newlines(content.decode(encoding))
    except UnicodeDecodeError as error:
        raise UnsupportedEncoding(
            f"the file is not {encoding}, {reason}: byte offset {error.start} is not valid there", "save it as UTF-8"
        ) from None
    except LookupError:
        raise UnsupportedEncoding(f"the encoding {encoding!r} of the file is unknown", "save it as UTF-8") from None
