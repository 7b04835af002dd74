"""Unit length, once, at the boundary where vectors enter the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glassdex.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def unit_rows(vectors: NDArray[np.floating], model: str) -> NDArray[np.float32]:
    """Scale each row of shape (n, dimensions) to length 1 and return float32.

    `model` is named in the error.

    Raises:
        EmbeddingError: a row is zero or holds an infinity or NaN; it has no direction to compare.

    """
    import numpy as np

    # float64, because the squares of large float32 components overflow to infinity.
    lengths = np.sqrt(np.square(vectors, dtype=np.float64).sum(axis=1, keepdims=True))
    unusable = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if unusable.size:
        row = int(unusable[0])
        fault = "a zero vector" if lengths[row, 0] == 0 else "a vector that is not finite"
        raise EmbeddingError(
            f"{model} gave {fault} for text {row} of {len(vectors)}",
            suggestion="Check the model file: `glassdex doctor` compares it with its recorded hash.",
        )
    scaled: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
    return scaled
