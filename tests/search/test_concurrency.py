"""Searching while the index is being written: always one generation, never an error."""

from __future__ import annotations

import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from glassdex.inspection.execution import Execution
from glassdex.pointers import parse_pointer
from glassdex.pointers.verify import passage_hash
from glassdex.project import Project
from tests.search.vaults import HashedWords, write_notes

FILES = 300  # two groups
WORKERS = 4


class SearchesBetweenGroups:
    """Lets the run go on only after every searcher has answered again."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._answers: dict[int, int] = defaultdict(int)
        self.finished = threading.Event()

    def answered(self, worker: int) -> None:
        with self._changed:
            self._answers[worker] += 1
            self._changed.notify_all()

    def scanned(self, files: int) -> None:
        self._wait()

    def published(self, done: int, total: int) -> None:
        self._wait()

    def embedded(self, done: int, total: int) -> None:
        self._wait()

    def _wait(self) -> None:
        with self._changed:
            wanted = {worker: self._answers[worker] + 1 for worker in range(WORKERS)}
            assert self._changed.wait_for(lambda: all(self._answers[w] >= n for w, n in wanted.items()), timeout=60)


def notes(version: str) -> dict[str, str]:
    return {
        f"{n % 9}/note-{n:03}.md": f"# Note {n}\n\nharbour {version} {n}\n\n- [fact] tide {version} {n}\n"
        for n in range(FILES)
    }


def test_searches_during_a_run_see_one_generation_each(tmp_path: Path):
    root = write_notes(tmp_path / "vault", notes("old"))
    with Project.create(f"concurrent-{tmp_path.name}"[:60], [root], embedder=HashedWords()) as project:
        project.index()
        write_notes(root, notes("new"))
        progress = SearchesBetweenGroups()

        def searcher(worker: int) -> list[Execution]:
            executions = []
            while not progress.finished.is_set():
                mode = ("hybrid", "dense", "lexical", "hybrid")[worker]
                executions.append(project.search(f"harbour old new {worker}", mode=mode, limit=20))  # type: ignore[arg-type]
                progress.answered(worker)
            return executions

        with ThreadPoolExecutor(WORKERS) as pool:
            running = [pool.submit(searcher, worker) for worker in range(WORKERS)]
            try:
                report = project.index(progress=progress)
            finally:
                progress.finished.set()
            by_worker = [future.result(timeout=60) for future in running]
        assert report.changed == FILES
        final = project.search("harbour old new 0", limit=20)

    generations = {execution.engine.generation for executions in by_worker for execution in executions}
    assert len(generations) > 3, "the searches did not fall between the groups"
    for executions in by_worker:
        seen = [execution.engine.generation for execution in executions]
        assert seen == sorted(seen)
        answers: dict[int, tuple[object, ...]] = {}
        for execution in executions:
            check(execution)
            shown = tuple((r.path, r.score, r.similarity, r.matches) for r in execution.results)
            assert answers.setdefault(execution.engine.generation, shown) == shown
    assert all("new" in match.text for result in final.results for match in result.matches)


def check(execution: Execution) -> None:
    ledger, readiness = execution.ledger, execution.readiness
    assert ledger.scope_total == readiness.ready + readiness.pending == 2 * FILES
    assert execution.results or ledger.request.mode == "dense"
    for candidate in ledger.candidates.values():
        if ledger.request.mode == "hybrid" and readiness.ready >= readiness.pending:  # before that, words alone
            assert ("dense" in candidate.legs) != candidate.vector_pending
    for result in execution.results:
        for match in result.matches:
            assert passage_hash(match.text) == parse_pointer(match.pointer).passage_hash


def test_many_threads_on_a_resting_index_get_the_same_answer(example: Project):
    questions = [("buoy battery", "hybrid"), ("營收", "lexical"), ("bread", "dense")] * 8
    with ThreadPoolExecutor(WORKERS) as pool:
        answers = list(pool.map(lambda q: example.search(q[0], mode=q[1]).results, questions))
    for (query, mode), results in zip(questions, answers, strict=True):
        assert results == example.search(query, mode=mode).results  # type: ignore[arg-type]
    assert all(answers)
