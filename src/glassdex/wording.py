"""How figures are put into words."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 file`, `2,000 files`; `many` where an s does not make the plural."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def fixed(value: float, places: int = 4, sign: str = "") -> str:
    """`0.4312`, with `sign` "+" `+0.4312`; what rounds to 0 has no minus."""
    return f"{round(value, places) + 0.0:{sign}.{places}f}"


def chain(names: Sequence[str], left_out: int = 0) -> str:
    """`a, b, c`; of a longer chain, `left_out` of which are not among the names: `a, … 146 more …, z`."""
    if len(names) + left_out <= 3:
        return ", ".join(names)
    return f"{names[0]}, … {len(names) + left_out - 2:,} more …, {names[-1]}"
