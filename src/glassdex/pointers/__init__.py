"""Pointers: handles that open a passage and verify it."""

from glassdex.pointers.pointer import Pointer, format_pointer, parse_pointer
from glassdex.pointers.verify import PointerState, Verification, verify

__all__ = ["Pointer", "PointerState", "Verification", "format_pointer", "parse_pointer", "verify"]
