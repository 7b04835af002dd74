"""One verdict over several projects: the best of them, and no better than `weak` while a part was not searched.

Whether results can be relied on is settled where they come from, so the project that answers best decides. A project
that failed, or that has no vectors to search by meaning, may hold a better answer: then `ok` becomes `weak`, and the
reason names it. What was skipped was not asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from glassdex.search.page import Page
from glassdex.search.verdict import Verdict, VerdictStatus
from glassdex.wording import counted

ORDER: tuple[VerdictStatus, ...] = ("ok", "weak", "not_ready", "nothing_relevant", "scope_empty", "index_empty")
"""Best first; a project that is not ready may still have what is looked for, one that has nothing has not."""


def combine(verdicts: Mapping[str, Verdict], failed: Sequence[str], page: Page, unit: str) -> tuple[Verdict, str]:
    """The verdict over all, and the project that decides it; `verdicts` by project, of those that answered.

    `unit` is what a page counts.
    """

    def standing(item: tuple[str, Verdict]) -> tuple[int, float, str]:
        name, verdict = item
        return ORDER.index(verdict.status), -(verdict.evidence.confidence or verdict.similarity or 0.0), name

    decider, best = min(verdicts.items(), key=standing)
    unready = [name for name, verdict in verdicts.items() if verdict.status == "not_ready"]
    missing = [f"{name} could not be searched" for name in failed]
    missing += [f"{name} is not ready" for name in unready if best.status != "not_ready"]
    status = "weak" if missing and best.status == "ok" else best.status
    reason = f"{decider}: {best.reason}" if best.reason and len(verdicts) > 1 else best.reason
    reason = "; ".join([*([reason] if reason else []), *missing])
    freshness: Counter[str] = Counter()
    for verdict in verdicts.values():
        freshness.update(verdict.evidence.freshness)
    evidence = replace(best.evidence, freshness=dict(sorted(freshness.items())))
    combined = replace(best, status=status, reason=reason, evidence=evidence)
    if page.past_end and page.total:
        past = f"page {page.number} is past the last of {counted(page.total, unit)}"
        combined = replace(combined, reason="; ".join([past, *missing]), similarity=None, coverage=None)
    return combined, decider
