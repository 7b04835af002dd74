"""Texts one at a time, several at once: a score must not depend on what is scored beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from glassdex.embedding.session import threads_at_hand


def side_by_side(score: Callable[[str], float], passages: Sequence[str]) -> list[float]:
    """`score` of every passage, in their order, on as many threads as there are processors."""
    workers = min(threads_at_hand(), len(passages))
    if workers < 2:
        return [score(passage) for passage in passages]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers, thread_name_prefix="glassdex-rerank") as pool:
        jobs = [pool.submit(score, passage) for passage in passages]
        try:
            return [job.result() for job in jobs]
        except BaseException:
            # One failure, or Ctrl-C, must not wait for the passages that are still queued.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
