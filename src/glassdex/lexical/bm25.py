"""BM25 as every exact lexical index of Glassdex computes it.

score(q, d) = Σ_t w(t) · qtf(t) · idf(t) · tf(t, d) · (k1 + 1) / (tf(t, d) + k1 · (1 − b + b · |d| / avgdl))
idf(t) = ln(1 + (N − n(t) + .5) / (n(t) + .5)); qtf(t) = how often the query names t
w(t) = 1 for a word of the user's, less for one that was added to the query

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that never goes
negative. Fields enter as in "Simple BM25 Extension to Multiple Weighted Fields" (Robertson, Zaragoza, Taylor 2004):
term counts and lengths are weighted sums over the fields, so one saturation applies to the whole passage. N, n(t) and
avgdl are those of the project, whatever the scope. Lengths leave stop words out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75
FIELD_WEIGHTS = {"title": 2.0, "headings": 1.0, "body": 1.0, "tags": 1.0, "parts": 0.5, "before": 0.5}
"""A title says what its note is about; a part repeats what its whole says; what was said before a message is what it
answers, in other words than its own. Measured in docs/benchmarks.md."""
TOO_COMMON_SHARE = 0.5
"""On large projects a term in more than this share of the chunks brings in no candidates; it still scores them."""
LARGE_PROJECT_CHUNKS = 1000


def idf(document_frequency: int, total: int) -> float:
    """Inverse document frequency in nats; positive for every term, also one that is in all chunks."""
    return math.log(1 + (total - document_frequency + 0.5) / (document_frequency + 0.5))


def saturated(
    weighted_counts: NDArray[np.float64], lengths: NDArray[np.float64], average_length: float
) -> NDArray[np.float64]:
    """The term-frequency factor of BM25, elementwise: 0 .. k1 + 1."""
    norm = K1 * (1 - B + B * lengths / max(average_length, 1e-9))
    result: NDArray[np.float64] = weighted_counts * (K1 + 1) / (weighted_counts + norm)
    return result
