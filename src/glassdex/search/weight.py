"""Weight: what a document states of itself in its front matter, such as `confidence: 0.8` or `status: draft`.

Which keys count, and what a value of theirs weighs, the user's settings say. Where several do, their weights are
multiplied, up to 2. Off unless it is asked for or configured: many programs write keys of their own into front matter,
and `weight: 10` is a place in a menu to some. What is no weight is passed over, and said.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from glassdex.model import Json
from glassdex.search.ledger import Ledger, Weighted
from glassdex.settings import MAX_WEIGHT
from glassdex.storage.protocol import Snapshot

WeightRules = Mapping[str, Mapping[str, float]]
"""As `Settings.weights`."""
UNCONFIGURED: WeightRules = {"weight": {}}
"""What a search goes by that asks for weights while the settings name none."""
FORMULA = "score + |score| · (weight - 1), which is score · weight where the score is not negative"
SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a document's front matter comes to; `fault` is the first value in it that is no weight."""

    weighted: Weighted | None = None
    fault: str = ""


class WeightCache:
    """The weights of one generation under one set of rules, by document id; shared by the searches of a process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._key: tuple[int, WeightRules] | None = None
        self._stated: Mapping[int, _Stated] = {}

    def get(self, snapshot: Snapshot, rules: WeightRules) -> Mapping[int, _Stated]:
        """What the documents state, read once per generation and rules."""
        with self._guard:
            if self._key != (snapshot.generation, rules):
                by_document: dict[int, dict[str, Json]] = {}
                for document_id, key, value in snapshot.front_matter(rules):
                    by_document.setdefault(document_id, {})[key] = value
                self._stated = {document_id: _stated(values, rules) for document_id, values in by_document.items()}
                self._key = (snapshot.generation, rules)
            return self._stated


def weigh(ledger: Ledger, snapshot: Snapshot, rules: Callable[[], WeightRules], cache: WeightCache) -> None:
    """Ranks anew by score and weight, where the request asks for that and any candidate's document states a weight."""
    if not ledger.request.weights or ledger.request.mode == "positional":
        return
    with ledger.stage("weight") as stage:
        ledger.weight_rules = rules() or UNCONFIGURED
        stated = cache.get(snapshot, ledger.weight_rules)
        parts, faults = {}, {}
        for candidate in ledger.live():
            found = stated.get(candidate.record.document_id, _Stated())
            candidate.weighted = found.weighted
            weight = 1.0 if found.weighted is None else found.weighted.weight
            parts[candidate.record.chunk_id] = {
                "fused": candidate.score,
                "weight": abs(candidate.score) * (weight - 1) + 0.0,  # never the -0.0 of a score of 0
            }
            if found.fault:
                faults[candidate.record.path] = found.fault
        stage.measured["weighted"] = sum(candidate.weighted is not None for candidate in ledger.live())
        if stage.measured["weighted"]:
            ledger.rescore("weight", parts)
        if faults:
            first = min(faults)
            more = f" (and in {len(faults) - 1} more)" if len(faults) > 1 else ""
            ledger.notes.append(f"no weight, so passed over: {faults[first]} in {first}{more}")


def _stated(values: Mapping[str, Json], rules: WeightRules) -> _Stated:
    weight, named, faults = 1.0, [], []
    for key, choices in rules.items():
        value = values.get(key)
        if value is None:
            continue
        factor = _factor(value, choices)
        shown = f"{key}={_shown(value)}"
        if factor is not None:
            weight *= factor
            named.append(shown)
        elif not choices or isinstance(value, list | dict):
            faults.append(shown)
    weighted = Weighted(round(min(weight, MAX_WEIGHT), 6), f"front matter {', '.join(named)}") if named else None
    return _Stated(weighted, faults[0] if faults else "")


def _factor(value: Json, choices: Mapping[str, float]) -> float | None:
    """What a value weighs; nothing where the settings do not say, or where it is no weight."""
    if choices:
        return None if isinstance(value, list | dict) else choices.get(_shown(value).casefold())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MAX_WEIGHT else None


def _shown(value: Json) -> str:
    """As front matter has it, on one line, and not too much of it."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return " ".join(text[: 4 * SHOWN_CHARACTERS].split())[:SHOWN_CHARACTERS]
