"""Is the difference between two runs more than chance? A paired randomisation test.

Under the hypothesis that the runs are alike, each query's difference could as well have had the other sign. The test
counts how often random signs bring the mean at least as far from 0 as it is: Fisher's randomisation test, which
Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for Information Retrieval Evaluation"
(CIKM 2007) recommend beside the paired t-test. It assumes nothing of how differences are distributed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SAMPLES = 10_000
"""Random assignments of signs; up to 13 queries that differ, all 2^n of them are counted instead."""
SEED = 20_070_916
_EXACT_UP_TO = 13
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure in two runs, over the queries that both measured: B − A, and how many queries B wins, ties, loses.

    `p` is two-sided; small means that chance alone hardly makes such a difference. It is 1 where no query differs.
    """

    measure: str
    queries: int
    a: float
    b: float
    difference: float
    p: float
    wins: int
    ties: int
    losses: int


def compared(
    measure: str, a: Mapping[str, Mapping[str, float]], b: Mapping[str, Mapping[str, float]]
) -> Difference | None:
    """The measure over the queries that have it in both runs; nothing where there is none. Values by query id."""
    common = [name for name in a if measure in a[name] and measure in b.get(name, {})]
    if not common:
        return None
    before, after = [a[name][measure] for name in common], [b[name][measure] for name in common]
    differences = [there - here for here, there in zip(before, after, strict=True)]
    count = len(common)
    return Difference(
        measure=measure,
        queries=count,
        a=round(sum(before) / count, 6),
        b=round(sum(after) / count, 6),
        difference=round(sum(differences) / count, 6),
        p=round(randomisation_p(differences), 6),
        wins=sum(difference > _CLOSE for difference in differences),
        ties=sum(abs(difference) <= _CLOSE for difference in differences),
        losses=sum(difference < -_CLOSE for difference in differences),
    )


def randomisation_p(differences: Sequence[float]) -> float:
    """Two-sided p of the paired randomisation test; the same for the same differences, whatever their order."""
    import numpy as np

    # Queries that do not differ have no sign to turn.
    found = np.array(sorted(d for d in differences if abs(d) > _CLOSE), dtype=np.float64)
    if not len(found):
        return 1.0
    observed = abs(float(found.sum())) - _CLOSE * len(found)
    if len(found) <= _EXACT_UP_TO:
        patterns = np.arange(2 ** len(found))[:, None] >> np.arange(len(found)) & 1
        return float((np.abs((1 - 2 * patterns) @ found) >= observed).mean())
    # Raw bits: the one output of a generator that NumPy promises never to change.
    words = np.random.PCG64(SEED).random_raw(SAMPLES * -(-len(found) // 64))
    bits = np.unpackbits(words.astype("<u8").view(np.uint8)).reshape(SAMPLES, -1)[:, : len(found)]
    reached = int((np.abs((1 - 2 * bits.astype(np.int8)) @ found) >= observed).sum())
    return (reached + 1) / (SAMPLES + 1)
