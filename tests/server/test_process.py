"""`glassdex serve` as a process of its own, over real sockets."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.running import command, environment, in_process_of_its_own, write
from tests.server.serving import process

posix = pytest.mark.skipif(os.name == "nt", reason="signals")


def asked(url: str, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    content = None if body is None else json.dumps(body)
    if content is not None:
        headers = {"Content-Type": "application/json", **headers}
    try:
        connection.request("GET" if body is None else "POST", path, content, headers)
        answered = connection.getresponse()
        return answered.status, dict(answered.getheaders()), answered.read()
    finally:
        connection.close()


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_answers_and_ends_without_noise(shared_home: Path, files: Path, number: signal.Signals) -> None:
    with process(shared_home, files) as (url, running):
        status, headers, body = asked(url, "/api/v1/search", {"query": "owls"})
        assert status == 200
        assert json.loads(body)["results"]
        assert "server" not in {name.lower() for name in headers}
        assert asked(url, "/api/v1/projects", Host="evil.example")[0] == 421
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 0
    assert out == ""
    lines = [json.loads(line) for line in err.splitlines()]
    assert [line["status"] for line in lines if line["event"] == "request"] == [200, 421]
    assert all(line["level"] == "info" for line in lines)


@posix
def test_a_stream_that_is_open_does_not_hold_it_up(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", **{f"n{number}": f"# N {number}\n\nA heron.\n" for number in range(300)})
    home = tmp_path / "home"
    assert in_process_of_its_own(home, folder, "index", "--no-embed").returncode == 0
    with process(home, folder) as (url, running):
        status, headers, _ = asked(url, "/api/v1/index", {})
        assert status == 202
        where = urlsplit(url)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
        connection.request("GET", headers["location"] + "/events")
        stream = connection.getresponse()
        assert stream.getheader("Content-Type", "").startswith("text/event-stream")
        assert stream.readline().startswith(b"id: ")
        running.send_signal(signal.SIGTERM)
        assert stream.read() is not None
        _, err = running.communicate(timeout=60)
        connection.close()
    assert running.returncode == 0
    assert "error" not in {json.loads(line)["level"] for line in err.splitlines()}


def test_a_port_in_use_is_said(shared_home: Path, files: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = in_process_of_its_own(shared_home, files, "serve", "--port", str(port))
    assert ended.returncode == 3
    assert f"port {port} of 127.0.0.1 is in use".encode() in ended.stderr
    assert b"--port" in ended.stderr


def test_beyond_this_machine_it_does_not_start_without_a_token(shared_home: Path, files: Path, tmp_path: Path) -> None:
    ended = in_process_of_its_own(shared_home, files, "serve", "--host", "0.0.0.0", "--port", "0")
    assert ended.returncode == 2
    assert b"a token is needed" in ended.stderr
    file = tmp_path / "token"
    for content, words in (("", b"is empty"), ("short\n", b"at least 16")):
        file.write_text(content, encoding="utf-8")
        ended = in_process_of_its_own(shared_home, files, "serve", "--token-file", str(file), "--port", "0")
        assert ended.returncode == 2
        assert words in ended.stderr
    ended = in_process_of_its_own(shared_home, files, "serve", "--token-file", str(tmp_path / "none"))
    assert ended.returncode == 2


def test_the_token_of_a_file_is_asked_for(shared_home: Path, files: Path, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("correct-horse-battery-staple\n", encoding="utf-8")
    with process(shared_home, files, "--token-file", str(tmp_path / "token")) as (url, _running):
        assert asked(url, "/api/v1/projects")[0] == 401
        authorized = {"Authorization": "Bearer correct-horse-battery-staple"}
        assert asked(url, "/api/v1/projects", **authorized)[0] == 200


def test_an_unknown_project_is_said_before_it_listens(shared_home: Path, files: Path) -> None:
    ended = in_process_of_its_own(shared_home, files, "serve", "--project", "none", "--port", "0")
    assert ended.returncode == 2
    assert b"there is no project 'none'" in ended.stderr


def test_many_clients_at_once_get_the_same_answer(shared_home: Path, files: Path) -> None:
    found: list[tuple[int, bytes]] = []
    with process(shared_home, files) as (url, _running):

        def ask() -> None:
            for _ in range(5):
                status, _, body = asked(url, "/api/v1/search", {"query": "where do owls sleep"})
                found.append((status, body))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 40
    assert {status for status, _ in found} == {200}
    assert len({body for _, body in found}) == 1


def test_odd_bytes_instead_of_http_are_survived(shared_home: Path, files: Path) -> None:
    with process(shared_home, files) as (url, running):
        where = urlsplit(url)
        for sent in (b"\x16\x03\x01\x02\x00", b"GET " + b"x" * 100_000, b"GET / HTTP/1.1\r\nA: " + b"b" * 100_000):
            with socket.create_connection((where.hostname or "", where.port or 0), timeout=30) as line:
                try:
                    line.sendall(sent + b"\r\n\r\n")
                    line.recv(1000)
                except OSError:
                    pass
        assert asked(url, "/api/v1/projects")[0] == 200
        assert running.poll() is None


def test_without_the_extra_it_says_how_to_get_it(shared_home: Path, files: Path) -> None:
    code = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, *_): \n"
        "        if name.partition('.')[0] in ('fastapi', 'uvicorn'): raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from glassdex.cli.main import main\n"
        "main(['serve'])\n"
    )
    ended = subprocess.run(
        [command()[0], "-c", code],
        cwd=files,
        env=environment(shared_home),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 3
    assert b"pip install 'glassdex[server]'" in ended.stderr
