"""Sets of ids as parameters: joined by `carray(?)`, without SQL text."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import apsw

from glassdex.model import ID_CHARACTERS


def id_set(ids: Iterable[int]) -> apsw.CArrayBinding:
    """The ids for `carray(?)`; none are bound as one that nothing has."""
    return apsw.carray(array("q", ids) or array("q", (-1,)))


def drawn(column: str) -> str:
    """The condition that an id was drawn by chance, as `glassdex.model.is_drawn` has it."""
    return f"length({column}) >= {ID_CHARACTERS} AND {column} NOT GLOB '*[^0-9A-Fa-f-]*'"
