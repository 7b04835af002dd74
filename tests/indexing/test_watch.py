"""Watching real folders: what changes is found, whatever else goes on."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from glassdex.errors import EmbeddingError, InternalError, ProjectNotFound, RootNotFound, StoreLocked, UnavailableError
from glassdex.indexing import events, watch
from glassdex.indexing.events import NotifiedChanges, PolledChanges
from glassdex.projects import remove_project
from glassdex.storage.records import RootRecord
from glassdex.storage.sqlite import SqliteStore
from glassdex.storage.sqlite import store as sqlite_store
from glassdex.storage.sqlite.lock import writer_lock
from tests.cli.running import environment
from tests.indexing.watching import DEADLINE_SECONDS, watching
from tests.search.vaults import HashedWords


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("WATCHFILES_FORCE_POLLING", raising=False)
    for module, name in ((watch, "LOOK_SECONDS"), (watch, "FIRST_PAUSE_SECONDS"), (events, "POLL_SECONDS")):
        monkeypatch.setattr(module, name, 0.1)  # nobody waits here
    return tmp_path / "home"


@pytest.fixture
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy lock is given up quickly, to be tried again."""
    monkeypatch.setattr(sqlite_store, "writer_lock", functools.partial(writer_lock, wait_seconds=0.05))


def test_a_changed_file_is_found_by_words_and_its_vectors_follow(tmp_path: Path) -> None:
    with watching(tmp_path) as watcher:
        assert (watcher.reports[0].added, watcher.reports[0].embedded) == (1, 0), "the first run makes no vectors"
        watcher.write("first.md", "foxes\n")
        watcher.until_found("foxes", "first.md")
        watcher.until(lambda: watcher.total("embedded") > 0 and watcher.reports[-1].pending == 0)
        assert watcher.project.search("foxes", mode="dense").results[0].path == "first.md"
    assert all(report.files == report.unchanged + report.added + report.changed for report in watcher.reports)


def test_new_folders_renamed_and_deleted_files_are_noticed(tmp_path: Path) -> None:
    with watching(tmp_path, embed=False) as watcher:
        watcher.write("new/deeper/bees.md", "bees\n")
        watcher.until_found("bees", "new/deeper/bees.md")
        watcher.write("new/deeper/bees.md", "wasps\n")
        watcher.until_found("wasps", "new/deeper/bees.md")
        (watcher.root / "new").rename(watcher.root / "other")
        watcher.until_found("wasps", "other/deeper/bees.md")
        (watcher.root / "other/deeper/bees.md").unlink()
        watcher.until(lambda: not watcher.found("wasps"))
        assert watcher.total("embedded") == 0, "no vectors were wanted"


def test_a_burst_of_files_is_one_run(tmp_path: Path) -> None:
    with watching(tmp_path, embed=False) as watcher:
        assert watcher.project.store.path is not None
        with writer_lock(watcher.project.store.path, "test"):  # however slow this machine writes them
            for number in range(1000):
                watcher.write(f"{number % 7}/{number}.md", f"note {number}\n")
        watcher.until(lambda: watcher.total("added") == 1001)
        assert [report.added for report in watcher.reports] == [1, 1000]


def test_a_file_that_is_written_all_the_time_is_picked_up_and_searches_see_whole_generations(tmp_path: Path) -> None:
    with watching(tmp_path) as watcher:
        written, done = [0], threading.Event()

        def grow() -> None:
            with (watcher.root / "live.md").open("a", encoding="utf-8") as file:
                while not done.wait(0.02):
                    file.write(f"# Part {written[0]}\n\ngrowing mark{written[0]}\n\n")
                    file.flush()
                    written[0] += 1

        writer = threading.Thread(target=grow)
        writer.start()
        try:
            answers: dict[int, tuple[int, tuple[str, ...]]] = {}
            while len(answers) < 6:
                execution = watcher.project.search("growing", limit=100)
                texts = tuple(match.text for result in execution.results for match in result.matches)
                seen = (execution.ledger.scope_total, texts)
                assert answers.setdefault(execution.engine.generation, seen) == seen
                assert watcher.ended is None
            wanted = f"mark{written[0]}"
            watcher.until_found(wanted, "live.md")  # while it goes on being written
        finally:
            done.set()
            writer.join()
        watcher.until_found(f"mark{written[0] - 1}", "live.md")
    assert list(answers) == sorted(answers)
    assert not watcher.problems


class Gated(HashedWords):
    """Embeds when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Semaphore(0)
        self.let = threading.Semaphore(0)
        self.open = False

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.release()
        if not self.open:
            assert self.let.acquire(timeout=DEADLINE_SECONDS)
        return super().embed_documents(texts)


def test_a_backlog_of_vectors_holds_up_neither_new_files_nor_other_writers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "REST_SECONDS", 0.0)
    embedder = Gated()
    with watching(tmp_path, embedder=embedder, start=False) as watcher:
        for number in range(300):
            watcher.write(f"{number}.md", f"note {number}\n")
        watcher.start()
        try:
            assert embedder.asked.acquire(timeout=DEADLINE_SECONDS)
            assert watcher.reports[0].pending == 301
            assert watcher.project.store.path is not None
            with writer_lock(watcher.project.store.path, "test", wait_seconds=0):
                watcher.write("late.md", "latecomers\n")  # while the model works
            embedder.let.release()
            watcher.until(lambda: len(watcher.reports) > 1)
            assert watcher.found("latecomers") == ["late.md"]
            assert (watcher.reports[1].added, watcher.reports[1].embedded) == (1, 0)
            assert watcher.reports[1].pending > 290, "one slice was embedded in between"
        finally:
            embedder.open = True
            embedder.let.release(100)
        watcher.until(lambda: watcher.reports[-1].pending == 0)
        assert watcher.total("embedded") == 302


def test_a_store_that_somebody_else_writes_to_is_waited_for_and_that_is_said_once(
    tmp_path: Path, short_wait: None
) -> None:
    with watching(tmp_path, start=False) as watcher:
        assert watcher.project.store.path is not None
        with writer_lock(watcher.project.store.path, "rename"):
            watcher.start()
            watcher.until(lambda: bool(watcher.problems))
        watcher.until(lambda: bool(watcher.reports))
        assert [type(problem) for problem in watcher.problems] == [StoreLocked]
        assert "(rename, since " in watcher.problems[0].message


def test_a_root_that_goes_is_reported_and_picked_up_when_it_returns(tmp_path: Path) -> None:
    with watching(tmp_path, embed=False) as watcher:
        away = tmp_path / "away"
        watcher.root.rename(away)
        watcher.until(lambda: bool(watcher.problems))
        assert isinstance(watcher.problems[0], RootNotFound)
        assert watcher.found("owls") == ["first.md"]
        (away / "first.md").write_text("gulls\n", encoding="utf-8")
        away.rename(watcher.root)
        watcher.until_found("gulls", "first.md")
        watcher.write("first.md", "terns\n")
        watcher.until_found("terns", "first.md")
        assert len(watcher.problems) == 1


def test_one_root_of_two_goes_and_returns_and_a_third_is_added(tmp_path: Path) -> None:
    other, third = tmp_path / "other", tmp_path / "third"
    other.mkdir()
    third.mkdir()
    (other / "b.md").write_text("bees\n", encoding="utf-8")
    (third / "c.md").write_text("crows\n", encoding="utf-8")
    with watching(tmp_path, embed=False, start=False) as watcher:
        watcher.project.add_root(other)
        watcher.start(embed=False)
        watcher.until(lambda: bool(watcher.reports))
        other.rename(tmp_path / "away")
        watcher.until(lambda: [failure.path for failure in watcher.reports[-1].failures] == [str(other)])
        assert watcher.found("bees") == ["other/b.md"]
        (tmp_path / "away").rename(other)
        watcher.until(lambda: not watcher.reports[-1].failures)
        watcher.project.add_root(third)
        watcher.until_found("crows", "third/c.md")
        (third / "c.md").write_text("rooks\n", encoding="utf-8")
        watcher.until_found("rooks", "third/c.md")


class Recovers(HashedWords):
    """A model that is away at first."""

    def __init__(self) -> None:
        super().__init__()
        self.away = True

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.away:
            raise EmbeddingError("the embedding service went away", "start it")
        return super().embed_documents(texts)


def test_a_model_that_fails_is_said_once_and_tried_again_while_words_are_searched(tmp_path: Path) -> None:
    embedder = Recovers()
    with watching(tmp_path, embedder=embedder) as watcher:
        watcher.until(lambda: bool(watcher.problems))
        watcher.write("second.md", "bees\n")
        watcher.until_found("bees", "second.md")
        embedder.away = False
        watcher.until(lambda: watcher.reports[-1].embedded == 2)
        assert [str(problem) for problem in watcher.problems] == ["the embedding service went away"]


def test_a_full_disk_is_said_and_outlived(tmp_path: Path) -> None:
    with watching(tmp_path, embed=False) as watcher:
        with watcher.project.store.write() as writer:
            writer.connection.execute("PRAGMA max_page_count = 1")  # no less than the file has
        watcher.write("large.md", "\n\n".join(f"# Part {number}\n\nwhales {number}" for number in range(500)))
        watcher.until(lambda: bool(watcher.problems))
        assert type(watcher.problems[0]) is UnavailableError
        assert "full" in watcher.problems[0].message
        with watcher.project.store.write() as writer:
            writer.connection.execute("PRAGMA max_page_count = 1000000")
        watcher.until_found("whales", "large.md")


class Faulty(HashedWords):
    """Has a fault that nobody thought of, for a while."""

    faulty = False

    @property
    def identity(self):
        if self.faulty:
            raise ZeroDivisionError("nobody thought of this")
        return super().identity


def test_a_run_that_crashes_is_told_and_the_next_one_goes_well(tmp_path: Path) -> None:
    embedder = Faulty()
    with watching(tmp_path, embed=False, embedder=embedder) as watcher:
        embedder.faulty = True
        watcher.write("second.md", "bees\n")
        watcher.until(lambda: bool(watcher.problems))
        assert isinstance(watcher.problems[0], InternalError)
        assert "nobody thought of this" in watcher.problems[0].message
        embedder.faulty = False
        watcher.until_found("bees", "second.md")


def test_a_project_that_is_removed_ends_it(tmp_path: Path) -> None:
    with watching(tmp_path) as watcher:
        remove_project("vault")
        with pytest.raises(ProjectNotFound, match="was removed"):
            watcher.until(lambda: False)


def test_a_project_without_any_root_folder_does_not_begin(tmp_path: Path) -> None:
    with watching(tmp_path, start=False) as watcher:
        watcher.root.rename(tmp_path / "away")
        watcher.start()
        with pytest.raises(RootNotFound):
            watcher.until(lambda: False)


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_a_name_that_is_no_unicode_does_not_end_the_watching(tmp_path: Path) -> None:
    with watching(tmp_path, embed=False) as watcher:
        for number in range(2):
            with open(os.fsencode(watcher.root) + b"/odd\xff%d.md" % number, "w") as file:  # noqa: PTH123
                file.write(f"oddities{number}\n")
            watcher.until(lambda number=number: len(watcher.found(f"oddities{number}")) == 1)  # type: ignore[misc]
        watcher.write("plain.md", "plain\n")
        watcher.until_found("plain", "plain.md")
        assert not watcher.problems


def test_a_store_inside_the_root_does_not_wake_its_own_watcher(tmp_path: Path) -> None:
    (tmp_path / "home" / "projects").mkdir(parents=True)
    changes = NotifiedChanges([str(tmp_path)], threading.Event(), str(tmp_path / "home" / "projects"))
    try:
        SqliteStore(tmp_path / "home" / "projects" / "some.db").close()
        assert not changes.wait(0.3)
        (tmp_path / "a.md").write_text("owls\n", encoding="utf-8")
        assert changes.wait(DEADLINE_SECONDS)
    finally:
        changes.close()


@pytest.fixture
def notified(tmp_path: Path) -> Iterator[NotifiedChanges]:
    root = tmp_path / "vault"
    for folder in (".git", "drafts/old", "kept"):
        (root / folder).mkdir(parents=True)
    (root / ".gitignore").write_text("drafts/\n*.log\n", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (root / "link").symlink_to(tmp_path / "outside")
    changes = NotifiedChanges([str(root)], threading.Event(), None)
    yield changes
    changes.close()


@pytest.mark.parametrize("path", [".git/index", "drafts/old/a.md", "drafts/.gitignore", "kept/a.log", "link/a.md"])
def test_what_the_rules_leave_out_wakes_nobody(tmp_path: Path, notified: NotifiedChanges, path: str) -> None:
    (tmp_path / "vault" / path).write_text("noise\n", encoding="utf-8")
    assert not notified.wait(0.3)


@pytest.mark.parametrize("path", ["a.md", "kept/a.md", ".gitignore", "kept/.glassdexignore"])
def test_what_a_run_would_look_at_does(tmp_path: Path, notified: NotifiedChanges, path: str) -> None:
    (tmp_path / "vault" / path).write_text("news\n", encoding="utf-8")
    assert notified.wait(DEADLINE_SECONDS)
    assert not notified.wait(0)


def test_polling_finds_two_changes_within_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "POLL_SECONDS", 0.01)
    (tmp_path / ".gitignore").write_text("*.log\n", encoding="utf-8")
    changes = PolledChanges([RootRecord(1, str(tmp_path), "")], 1_000_000, threading.Event())
    assert not changes.wait(0.05)
    for text in ("one\n", "two\n", "six\n"):
        (tmp_path / "a.md").write_text(text, encoding="utf-8")
        assert changes.wait(DEADLINE_SECONDS)
    (tmp_path / "a.log").write_text("noise\n", encoding="utf-8")
    assert not changes.wait(0.05)
    changes.close()


def test_polling_when_the_user_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    with watching(tmp_path, embed=False) as watcher:
        watcher.write("new/bees.md", "bees\n")
        watcher.until_found("bees", "new/bees.md")
        assert not watcher.problems


LIMITED = "echo 12 > /proc/sys/user/max_inotify_watches && exec"
"""In a user namespace of its own, the limit is nobody else's."""


@pytest.mark.skipif(
    sys.platform != "linux"
    or subprocess.run(["unshare", "-Ur", "sh", "-c", f"{LIMITED} true"], check=False, capture_output=True).returncode
    != 0,
    reason="needs a user namespace",
)
@pytest.mark.parametrize("folders", [3, 30])
def test_too_many_folders_for_the_system_are_polled_and_the_note_says_what_to_do(tmp_path: Path, folders: int) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.indexing.watching import watching\n"
        "from glassdex.indexing import events, watch; watch.LOOK_SECONDS = events.POLL_SECONDS = 0.1\n"
        "folders, more = int(sys.argv[2]), 30\n"
        "with watching(Path(sys.argv[1]), embed=False, start=False) as watcher:\n"
        "    for n in range(folders): watcher.write(f'{n}/a.md', f'note {n}')\n"
        "    watcher.start(embed=False)\n"
        "    watcher.until(lambda: bool(watcher.reports))\n"
        "    for n in range(more): watcher.write(f'{n}/b.md', f'later{n}')\n"
        "    watcher.until_found('later29', '29/b.md')\n"
        "    watcher.until(lambda: bool(watcher.problems))\n"
        "    watcher.write('29/b.md', 'much changed')\n"
        "    watcher.until_found('much', '29/b.md')\n"
        "    print(*(f'{p.message} | {p.suggestion}' for p in watcher.problems), sep='\\n')\n"
    )
    repository = Path(__file__).resolve().parents[2]
    variables = environment(tmp_path / "home")
    variables["PYTHONPATH"] = os.pathsep.join((variables["PYTHONPATH"], str(repository)))
    words = [sys.executable, "-c", program, str(tmp_path), str(folders)]
    ran = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", f'{LIMITED} "$@"', "sh", *words],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    (note,) = ran.stdout.splitlines()
    assert note.startswith("the system does not watch so many folders")
    assert "sudo sysctl fs.inotify.max_user_watches=" in note
