"""A session that is being written can be searched while it is, and an answer never shows half a line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ran, command, environment, in_process_of_its_own
from tests.cli.transcripts import OWLS, Agents, agents_of, claude

pytestmark = pytest.mark.skipif(os.name != "posix", reason="HOME is POSIX's")


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    return agents_of(tmp_path / "user", monkeypatch)


def pieces() -> list[tuple[str, str]]:
    """What is written in turn: the rest of a line, and the beginning of the one after it."""
    lines = [json.dumps(claude("assistant", f"m{number}", f"owl number {number}")) + "\n" for number in (1, 2, 3)]
    return [(lines[0], lines[1][:40]), (lines[1][40:], lines[2][:40]), (lines[2][40:], "")]


def test_a_session_that_is_being_written_is_followed(agents: Agents, tmp_path: Path) -> None:
    home, variables = tmp_path / "home", {"HOME": str(agents.home)}
    file = agents.with_claude([claude("user", "m0", "owl number 0")])

    def asked(*arguments: str) -> dict[str, Any]:
        ran = in_process_of_its_own(home, tmp_path, *arguments, "--json", variables=variables)
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode()).answer

    with subprocess.Popen(
        command("index", "--sessions", "--watch", "--no-embed", "--json"),
        cwd=tmp_path,
        env=environment(home, **variables),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["added"] == 1
            for number, (rest, begun) in enumerate(pieces(), start=1):
                with file.open("a", encoding="utf-8") as grown:
                    grown.write(rest + begun)  # the next line is begun, and waits for its end
                assert json.loads(process.stdout.readline())["changed"] == 1
                shown = asked("sessions", "show", OWLS)
                assert [message["text"] for message in shown["messages"]] == [
                    f"owl number {n}" for n in range(number + 1)
                ]
                found = asked("search", f"number {number}", "--mode", "lexical")["results"][0]
                assert found["freshness"]["state"] in ("fresh", "rows_behind_file", "index_behind_rows")
                for match in found["matches"]:
                    at = asked("sessions", "show", OWLS, "--offset", str(match["offset"]), "-n1")
                    assert at["messages"][0]["text"] == match["text"]
        finally:
            process.kill()
