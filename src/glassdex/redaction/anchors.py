"""Where one of many short literals stands, in one pass over the text, however many literals there are.

Every four bytes of the text are hashed into a table of the literals' own hashes: the first step of Wu and Manber, "A
fast algorithm for multi-pattern searching" (1994), without its shift. One `bytes.find` for each literal would take
0.5 ms/MB a literal; this takes 2 ms/MB for all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDTH = 4
"""Bytes of each literal."""

_BLOCK = 1 << 16  # words and hashes of a block stay in the processor's cache
_TABLE_BITS = 18
_MULTIPLIER = 0xC2B2AE35  # of MurmurHash3's finaliser: one word in 500 of prose and code collides with a literal


class AnchorIndex:
    """A set of literals of `WIDTH` bytes that texts are looked through for."""

    def __init__(self, literals: Collection[bytes]) -> None:
        import numpy as np

        self._literals = frozenset(int.from_bytes(literal, "little") for literal in literals)
        hashes = np.array(sorted(self._literals), dtype=np.uint32)
        _hash(hashes, hashes)
        self._table: NDArray[np.bool_] = np.zeros(1 << _TABLE_BITS, dtype=np.bool_)
        self._table[hashes] = True

    def positions(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """(position, literal) of every occurrence, in the text's order."""
        import numpy as np

        word_count = max(0, len(text) - WIDTH + 1)
        hashes = np.empty(min(_BLOCK, word_count), dtype=np.uint32)
        is_candidate = np.empty(len(hashes), dtype=np.bool_)
        for start in range(0, word_count, _BLOCK):
            size = min(_BLOCK, word_count - start)
            words: NDArray[np.uint32] = np.ndarray((size,), dtype="<u4", buffer=text, offset=start, strides=(1,))
            _hash(words, hashes[:size])
            self._table.take(hashes[:size], out=is_candidate[:size], mode="clip")  # "raise" would copy `out`
            candidates = np.flatnonzero(is_candidate[:size])
            for offset, word in zip(candidates.tolist(), words[candidates].tolist(), strict=True):
                if word in self._literals:
                    yield start + offset, word.to_bytes(WIDTH, "little")


def _hash(words: NDArray[np.uint32], hashes: NDArray[np.uint32]) -> None:
    """Write the words' multiplicative hashes, of `_TABLE_BITS` bits, into `hashes`."""
    import numpy as np

    np.multiply(words, np.uint32(_MULTIPLIER), out=hashes)
    np.right_shift(hashes, np.uint32(32 - _TABLE_BITS), out=hashes)
