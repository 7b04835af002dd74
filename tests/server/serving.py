"""A project of notes, a PDF and a transcript; the application over it; and a server in a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from glassdex.server.app import create_app
from glassdex.server.config import ServerConfig
from tests.cli.running import command, environment, write
from tests.cli.transcripts import claude, write_lines
from tests.documents import pdf

HERE = "http://127.0.0.1:7323"
SESSION = "11111111-1111-4111-8111-111111111111"


def make_files(folder: Path) -> Path:
    """The files of the project."""
    write(
        folder,
        owls="# Owls\n\nOwls hunt at night and sleep in barns.\n\n## Food\n\nThey eat mice and voles.\n",
        buoys="# Buoys\n\nA buoy marks the channel, and its lamp burns all night.\n",
        backups="---\ntags: [ops]\n---\n# Backups\n\nWe keep backups for thirty days, and restore one every month.\n",
    )
    (folder / "report.pdf").write_bytes(pdf(["The lighthouse keeper counts ships.", "Fog hides the ships at dawn."]))
    write_lines(
        folder / f"{SESSION}.jsonl",
        [
            claude("user", "u1", "Where do owls sleep?", SESSION, "10:00:00"),
            claude("assistant", "u2", [{"type": "text", "text": "Owls sleep in barns."}], SESSION, "10:00:05"),
        ],
    )
    return folder


@contextmanager
def client(config: ServerConfig | None = None, base_url: str = HERE) -> Iterator[TestClient]:
    """The application, called in this process; an unexpected error is an answer, as it is over the network."""
    app = create_app(config or ServerConfig())
    with TestClient(app, base_url=base_url, raise_server_exceptions=False) as made:
        yield made


@contextmanager
def process(home: Path, folder: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`glassdex serve` on a free port: its address, and the process."""
    running = subprocess.Popen(
        command("serve", "--port", "0", *options),
        cwd=folder,
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        found = re.search(r"http://\S+?:\d+", line)
        assert found, line + (running.communicate(timeout=30)[1] if running.poll() is not None else "")
        yield found[0], running
    finally:
        if running.poll() is None:
            running.send_signal(signal.SIGTERM)
        running.communicate(timeout=30)
