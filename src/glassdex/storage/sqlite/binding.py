"""Sets of ids as parameters: joined by `carray(?)`, without SQL text."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import apsw


def id_set(ids: Iterable[int]) -> apsw.CArrayBinding:
    """The ids for `carray(?)`; none are bound as one that nothing has."""
    return apsw.carray(array("q", ids) or array("q", (-1,)))
