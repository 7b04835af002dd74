"""Pointers: handles that open a passage and verify it."""

from glassdex.pointers.pointer import Pointer, format_pointer, parse_file_pointer, parse_pointer
from glassdex.pointers.session_pointer import SessionPointer, format_session_pointer
from glassdex.pointers.verify import PointerState, Verification, verify

__all__ = [
    "Pointer",
    "PointerState",
    "SessionPointer",
    "Verification",
    "format_pointer",
    "format_session_pointer",
    "parse_file_pointer",
    "parse_pointer",
    "verify",
]
