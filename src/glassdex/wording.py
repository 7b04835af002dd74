"""How figures are put into words."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 file`, `2,000 files`; `many` where an s does not make the plural."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
