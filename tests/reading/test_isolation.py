"""Reading in a process of its own: a file that misbehaves is that file's error, and nothing is left behind."""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from glassdex.errors import GlassdexError, LimitExceeded, MissingExtra, ReadError
from glassdex.model import Block, Document, Link, Place, ReadingWarning, Row
from glassdex.reading import messages, worker
from glassdex.reading.isolation import ReadingProcess
from glassdex.reading.protocol import Limits, ReadingOptions
from glassdex.reading.registry import discovery, read_document
from tests.reading import hostile_readers
from tests.reading.hostile_readers import HostileReader, PlainReader, document

FILE = PurePosixPath("a.hostile")
SOON = ReadingOptions(limits=Limits(seconds=0.2))
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def process() -> Iterator[ReadingProcess]:
    with ReadingProcess() as made:
        yield made


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    hostile_readers.install(tmp_path / "site", monkeypatch)
    yield
    discovery.cache_clear()


def read(process: ReadingProcess, content: str, options: ReadingOptions = ReadingOptions()) -> Document:
    return process.read(HostileReader(), FILE, content.encode(), options)


def error_of(process: ReadingProcess, content: str, options: ReadingOptions = ReadingOptions()) -> GlassdexError:
    with pytest.raises(GlassdexError) as raised:
        read(process, content, options)
    return raised.value


def is_there(pid: int | None) -> bool:
    assert pid is not None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def run_script(script: str, folder: Path, *arguments: str, shell: str = "") -> subprocess.CompletedProcess[bytes]:
    """A user's script in an interpreter of its own; `shell` is put behind its command line."""
    path = folder / "script.py"
    path.write_text(f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'src')!r}]\n{script}")
    command = ["sh", "-c", f'exec "$@" {shell}', "sh", sys.executable, str(path), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60)


def test_a_file_is_read_in_another_process_and_the_next_one_in_the_same(process: ReadingProcess) -> None:
    assert process.pid is None, "nothing is started before it is needed"
    first, second = read(process, "process: "), read(process, "process: ")
    assert first.text == second.text == str(process.pid)
    assert process.pid != os.getpid()
    assert read(process, "Owls\r\nhunt \U0001f989 \ud7ff.").text == "Owls\r\nhunt \U0001f989 \ud7ff."


def test_nothing_is_left_when_the_process_is_closed(process: ReadingProcess) -> None:
    read(process, "owls")
    pid = process.pid
    assert is_there(pid)
    process.close()
    assert not is_there(pid)
    assert error_of(process, "owls").message == "reading was stopped"
    assert process.pid is None


@pytest.mark.parametrize("how", ["loop", "loop in c"])
def test_a_reader_that_does_not_end_is_ended(process: ReadingProcess, how: str) -> None:
    read(process, "owls")
    pid = process.pid
    error = error_of(process, how, SOON)
    assert isinstance(error, LimitExceeded)
    assert error.message == "reading took more than 0.2 s, the limit for one file"
    assert not is_there(pid)
    assert read(process, "bees").text == "bees"
    assert process.pid != pid


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its memory")
def test_a_reader_that_takes_all_memory_is_told_the_limit(process: ReadingProcess) -> None:
    error = error_of(process, "swell", ReadingOptions(limits=Limits(memory_bytes=300 * 1024 * 1024)))
    assert isinstance(error, LimitExceeded)
    assert error.message == "reading needs more than 0.293 GiB of memory, the limit for one file"
    assert read(process, "bees").text == "bees"


@pytest.mark.parametrize(("how", "said"), [("leave", "exit code 3"), ("crash", "signal 11, SIGSEGV")])
def test_a_reader_that_ends_its_process_is_that_files_error(process: ReadingProcess, how: str, said: str) -> None:
    read(process, "owls")
    pid = process.pid
    error = error_of(process, how)
    assert (error.code, error.message) == (
        "read_failed",
        f"the reader's process ended ({said}) while reading the file",
    )
    assert "4 GiB" in error.suggestion
    assert not is_there(pid)
    assert read(process, "bees").text == "bees"


def test_a_file_is_not_blamed_for_what_earlier_ones_did_to_the_process(process: ReadingProcess) -> None:
    assert read(process, "fresh").text == "fresh"
    assert read(process, "fresh").text == "fresh"


def test_a_process_that_somebody_killed_between_files_is_replaced(process: ReadingProcess) -> None:
    read(process, "owls")
    pid = process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert read(process, "bees").text == "bees"
    assert process.pid != pid


def test_what_a_reader_prints_is_not_taken_for_its_document(
    process: ReadingProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    assert read(process, "print").text == "quiet"
    assert read(process, "bees").text == "bees"
    assert capfd.readouterr() == ("", "")


def test_what_an_installation_prints_at_every_start_does_no_harm(
    process: ReadingProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('good', flush=True)\nprint('morning', end='', flush=True)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert read(process, "process: ").text == str(process.pid)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("strange", "StrangeError"),
        ("exit", "SystemExit: enough"),
        ("unpicklable", "the reader's document cannot be passed on: "),
        ("nothing", "AttributeError: 'NoneType' object has no attribute 'text'"),
    ],
)
def test_a_readers_own_fault_is_that_files_error(process: ReadingProcess, how: str, message: str) -> None:
    error = error_of(process, how)
    assert error.code == "read_failed"
    assert error.message.startswith(message)
    pid = process.pid
    assert read(process, "bees").text == "bees"
    assert process.pid == pid, "the process can go on"


def test_errors_travel_with_code_message_suggestion_and_candidates(process: ReadingProcess) -> None:
    own = error_of(process, "own error")
    assert type(own) is ReadError
    assert (own.code, own.message, own.suggestion, own.candidates) == (
        "own_code",
        "number 7",
        "try another",
        ("1", "2"),
    )
    missing = error_of(process, "missing")
    assert isinstance(missing, MissingExtra)
    assert (missing.code, missing.suggestion) == ("missing_extra", "pip install 'glassdex[documents]'")


def test_a_reader_that_the_process_cannot_have_is_that_files_error(process: ReadingProcess) -> None:
    class Local(HostileReader):
        """Only there inside this function."""

    with pytest.raises(ReadError, match=r"cannot be sent to a process of its own: .*Local"):
        process.read(Local(), FILE, b"owls", ReadingOptions())
    assert read(process, "bees").text == "bees"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["a.hostile", "a.plain"])
def test_no_reader_can_forget_the_limit_of_characters(name: str) -> None:
    options = ReadingOptions(limits=Limits(characters=1000))
    found = read_document(PurePosixPath(name), b"long: 1000", options)
    assert found is not None
    assert len(found[0].text) == 1000
    with pytest.raises(LimitExceeded, match="holds 1,001 characters of text, the limit is 1,000"):
        read_document(PurePosixPath(name), b"long: 1001", options)


@pytest.mark.usefixtures("installed")
def test_a_process_for_one_file_is_gone_with_its_answer() -> None:
    found = read_document(FILE, b"process: ")
    assert found is not None
    assert not is_there(int(found[0].text))
    plain = read_document(PurePosixPath("a.plain"), b"process: ")
    assert plain is not None
    assert plain[0].text == str(os.getpid())


def test_closing_ends_a_file_that_another_thread_reads(process: ReadingProcess, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    errors: list[GlassdexError] = []
    thread = threading.Thread(
        target=lambda: errors.append(error_of(process, f"tell then loop: {tmp_path / 'pipe'}")), daemon=True
    )
    thread.start()
    with (tmp_path / "pipe").open() as pipe:
        pid = int(pipe.readline())
    process.close()
    thread.join(60)
    assert [error.code for error in errors] == ["read_failed"]
    assert not is_there(pid)


@pytest.mark.parametrize(("how", "said"), [("tell", b"read\n"), ("tell then loop", b"")])
def test_a_process_ends_when_the_program_was_killed(tmp_path: Path, how: str, said: bytes) -> None:
    os.mkfifo(tmp_path / "pipe")
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'src')!r}]\n"
        "from tests.reading.test_isolation import *\n"
        "process = ReadingProcess()\n"
        "read(process, 'owls')\n"
        f"read(process, '{how}: ' + sys.argv[1], ReadingOptions(limits=Limits(seconds=2)))\n"
        "print('read', flush=True)\n"
        "sys.stdin.read()\n"
    )
    program = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "pipe")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with (tmp_path / "pipe").open() as pipe:
        pipe.readline()
        assert program.stdout is not None
        assert program.stdout.read(len(said)) == said
        program.kill()
        program.communicate()
        assert pipe.read() == "", "the pipe is closed when its only writer is gone"


def test_a_program_without_standard_streams_reads(tmp_path: Path) -> None:
    script = (
        "from tests.reading.test_isolation import *\n"
        "with ReadingProcess() as process:\n"
        "    Path('out').write_text(read(process, 'print').text + str(process.pid is not None))\n"
    )
    assert run_script(script, tmp_path, shell="<&- >&- 2>&-").returncode == 0
    assert (tmp_path / "out").read_text() == "quietTrue"


def test_a_users_script_is_not_run_again(tmp_path: Path) -> None:
    script = (
        "print('started')\n"
        "from tests.reading.test_isolation import *\n"
        "with ReadingProcess() as process:\n"
        "    print(read(process, 'owls').text)\n"
    )
    ran = run_script(script, tmp_path)
    assert (ran.stdout, ran.stderr) == (b"started\nowls\n", b"")


def test_code_in_the_current_folder_is_not_run(
    process: ReadingProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pickle", "struct", "glassdex", "sitecustomize", "tests"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'was_run')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    assert read(process, "owls").text == "owls"
    assert not (tmp_path / "was_run").exists()


def test_a_frozen_program_reads_by_itself_and_says_so(
    process: ReadingProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert read(process, "process: ").text == str(os.getpid())
    assert read(process, "owls").text == "owls"
    assert [record.message for record in caplog.records] == [
        "files are read without limits of time and memory: this program has no interpreter of its own to start"
    ]


def test_a_machine_that_runs_out_of_processes_does_not_read_without_limits(
    process: ReadingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(process, "owls")
    error_of(process, "loop", SOON)
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert "no process to read the file in" in error_of(process, "loop").message
    monkeypatch.undo()
    assert read(process, "bees").text == "bees"


@pytest.mark.parametrize("program", ["/bin/false", "/no/such/python"])
def test_where_no_process_can_be_started_files_are_read_here(
    process: ReadingProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, program: str
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    assert read(process, "process: ").text == str(os.getpid())
    assert "without limits of time and memory" in caplog.text
    assert process.pid is None


def test_a_document_arrives_as_it_was_made() -> None:
    text = "a\ud800\u2028b\r\n" * 3
    made = Document(
        format="f",
        title="t",
        title_source="heading",
        text=text,
        rows=(
            Row("section", 0, text, 0, (Block("heading", 0, 1, ("a",)), Block("row", 2, 3, ("a",), 1, "c"))),
            Row("table", 0, "b", 3, (Block("table", 0, 1),), ("tag",), "c", "t", "x"),
            Row("table", 1, "b", 3, ()),
        ),
        tags=("x", "y"),
        date="2026-01-31",
        metadata={"pages": 3, "nested": {"list": [1, None, 2.5, True]}},
        links=(Link("link", "mention", "b", 1), Link("wikilink", "k", "c", 2, "l", "x")),
        warnings=(ReadingWarning("odd", "m", 3),),
        places=(Place(0, 4, page=1, page_label="iv"), Place(4, 8, sheet="S", row=2, hidden=True)),
    )
    pipe = io.BytesIO()
    messages.send(pipe, made, b"payload")
    pipe.seek(0)
    pickled, payload = messages.receive(pipe)
    arrived = pickle.loads(pickled)
    assert arrived == made
    assert hash(arrived.places[1]) == hash(made.places[1])
    assert payload == b"payload"
    with pytest.raises(EOFError):
        messages.receive(pipe)


def test_the_process_answers_one_request_after_another() -> None:
    requests, replies = io.BytesIO(), io.BytesIO()
    for content in (b"owls", b"own error", b"strange", b"unpicklable"):
        messages.send(requests, (PlainReader(), FILE, ReadingOptions()), content)
    messages.send(requests, "no request")
    requests.seek(0)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(EOFError):
        patch.setattr(worker, "_hold_to", lambda limits: None)
        worker.serve(requests, replies)
    replies.seek(0)
    answers = [pickle.loads(messages.receive(replies)[0]) for _ in range(5)]
    assert answers[0] == document("owls")
    assert [answer.code for answer in answers[1:]] == ["own_code", "read_failed", "read_failed", "read_failed"]
    assert "cannot be had in a process of its own" in answers[4].message
