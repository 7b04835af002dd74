"""A secret in a transcript reaches no store and no screen; the file stays as it is, and pointers verify against it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import apsw
import pytest

from glassdex.model import Json
from tests.cli.running import Run
from tests.cli.transcripts import OWLS, Agents, agents_of, claude, codex, write_lines
from tests.redaction.samples import KEYS, TOKENS, drawn

API_KEY = TOKENS["anthropic"][1]
TOKEN = TOKENS["github_pat"][1]
PRIVATE_KEY = KEYS["RSA " + "PRIVATE KEY"]
SECRETS = (API_KEY, TOKEN, PRIVATE_KEY)
LONG = "log line\n" * 400
SETTING = "redact_secrets = false\n"


def fragments() -> set[bytes]:
    """What must not be found anywhere: each secret's own random part, cut to pieces that no cutting can miss."""
    pieces = set()
    for secret in SECRETS:
        for line in secret.split("\n"):
            if "-----" not in line:
                pieces |= {line[start : start + 12] for start in range(13, len(line) - 12, 4)}
    return {variant.encode() for piece in pieces for variant in (piece, piece.lower())}


def spoken() -> list[Json]:
    """A session in which secrets stand wherever words may: prompt, title, answer, call, result, summary."""
    call: Json = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"curl -H 'x: {TOKEN}' owl"}}
    result: Json = {"type": "tool_result", "tool_use_id": "t1", "content": f"{LONG}owl says {API_KEY}\n{LONG}"}
    return [
        claude("user", "u1", f"{TOKEN} is the token, list the owls"),
        claude("assistant", "a1", [{"type": "thinking", "thinking": f"the token {TOKEN} is the owl's"}]),
        claude("assistant", "a2", [{"type": "text", "text": f"I use {API_KEY} for the owl."}, call]),
        claude("user", "u2", [result]),
        claude("assistant", "a3", f"This owl is private:\n\n{PRIVATE_KEY}\n\nKeep it."),
        {"type": "summary", "summary": f"Owls with {API_KEY}", "leafUuid": "a3"},
        {"type": "summary", "summary": f"Elsewhere with {API_KEY}", "leafUuid": "z9"},
        claude("user", "u3", f"A summary: {TOKEN} opens the owl", isCompactSummary=True),
    ]


@pytest.fixture
def agents(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agents:
    assert home
    return agents_of(tmp_path / "user", monkeypatch)


@pytest.fixture
def spilled(run: Run, agents: Agents) -> Run:
    """Indexed transcripts of three programs, full of secrets."""
    agents.with_claude(spoken())
    prompt = "Take this one here and see which owl it lets you".ljust(50) + TOKEN  # a title of 80 characters cuts it
    agents.with_codex([codex("user", prompt), codex("assistant", f"the owl of {API_KEY}", "09:00:04")])
    agents.with_claude([claude("user", "c1", prompt, "cut"), claude("assistant", "c2", "owl", "cut")], "cut")
    said: Json = [{"role": "user", "content": f"{API_KEY} and the owl"}, {"role": "assistant", "content": PRIVATE_KEY}]
    write_lines(agents.claude / "talk.jsonl", [{"id": "talk", "title": f"about {TOKEN}", "messages": said}])
    assert run("index", "--sessions").code == 0
    return run


def stored(home: Path) -> bytes:
    """Every byte of every file of the store, its log before and after it is written back."""
    folder = home / "projects"
    before = b"".join(file.read_bytes() for file in sorted(folder.iterdir()))
    connection = apsw.Connection(str(folder / "sessions.db"))
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()
    return before + b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


def texts_of(home: Path) -> str:
    """Every value of every table, the words of the full-text index among them, as text."""
    connection = apsw.Connection(str(home / "projects" / "sessions.db"))
    connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, posting, row)")
    tables = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return "\n".join(
        value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        for table in [*tables, "temp.words"]
        for row in connection.execute(f"SELECT * FROM {table}")
        for value in row
    )


def test_the_store_holds_none_of_them(spilled: Run, home: Path) -> None:
    assert spilled("search", "owl").code == 0
    bytes_stored, text = stored(home), texts_of(home).encode()
    found = {fragment for fragment in fragments() if fragment in bytes_stored or fragment in text}
    assert not found
    assert b"redacted: anthropic key" in bytes_stored


def test_no_command_prints_them_unless_asked_to(spilled: Run) -> None:
    answer = spilled("search", "owl", "--matches", "20", "--json").answer
    pointers = [match["pointer"] for result in answer["results"] for match in result["matches"]]
    paths = [session["path"] for session in spilled("sessions", "list", "--json").answer["sessions"]]
    assert (len(paths), len(pointers) >= 8) == (4, True)
    commands: list[tuple[str, ...]] = [
        ("search", "owl", "--explain", "--show-misses"),
        ("search", "owl", "--explain", "--json", "--show-misses"),
        ("search", "owl", "--matches", "20"),
        ("search", "private key token", "--matches", "20"),
        ("inspect", "query", "owl"),
        ("sessions", "list"),
        ("sessions", "list", "--json"),
        ("status", "--files", "--all"),
        ("doctor",),
        *(("search", "--in", path) for path in paths),
        *(("inspect", "chunks", path) for path in paths),
        *(("sessions", "show", path, *more) for path in paths for more in ((), ("--full",), ("--json",))),
        *(("open", pointer, *more) for pointer in pointers for more in ((), ("--json",))),
        *(("inspect", "neighbors", pointer) for pointer in pointers),
        *(("inspect", "why-not", "owl", pointer) for pointer in pointers),
    ]
    for command in commands:
        ran = spilled(*command)
        printed = (ran.out + ran.err).encode()
        assert not [fragment for fragment in fragments() if fragment in printed], command
    assert "[redacted: private key]" in spilled("sessions", "show", "talk.jsonl").out


def test_raw_prints_what_the_file_says(spilled: Run) -> None:
    shown = spilled("sessions", "show", OWLS, "--raw", "--full").out
    assert all(secret in shown for secret in SECRETS)
    page = spilled("sessions", "show", OWLS, "--raw", "--full", "--json").answer
    texts = "\n".join(message["text"] for message in page["messages"])
    assert all(secret in texts for secret in SECRETS)
    whole = next(message for message in page["messages"] if message["message"]["uuid"] == "a3")
    assert spilled("open", whole["pointer"], "--raw", "--json").answer["text"] == whole["text"]
    assert PRIVATE_KEY in spilled("open", whole["pointer"], "--raw").out
    redacted = spilled("open", whole["pointer"], "--json").answer["text"]
    assert len(redacted) == len(whole["text"]) and "[redacted: private key]" in redacted


def test_pointers_verify_over_the_original(spilled: Run, agents: Agents) -> None:
    file = agents.claude / "-work-barn" / f"{OWLS}.jsonl"
    texts = {}
    for record in spoken():
        match record:
            case {"uuid": str(uuid), "message": {"content": str(text)}}:
                texts[uuid] = text
    pointers = []
    for message in spilled("sessions", "show", OWLS, "--json").answer["messages"]:
        uuid, pointer = message["message"]["uuid"], message["pointer"]
        pointers.append(pointer)
        assert spilled("open", pointer, "--json").answer["state"] == "exact"
        if uuid in texts:
            assert pointer.endswith(f"@{hashlib.sha256(texts[uuid].encode()).hexdigest()[:12]}")
    for result in spilled("search", "owl", "--matches", "20", "--json").answer["results"]:
        for match in result["matches"]:
            assert spilled("open", match["pointer"], "--json").answer["state"] == "exact"
    file.write_text(file.read_text(encoding="utf-8").replace(PRIVATE_KEY.split("\n")[2], drawn(64)), encoding="utf-8")
    states = [spilled("open", pointer, "--json").answer["state"] for pointer in pointers]
    assert states.count("changed") + states.count("gone") == 1, "another key is another passage"


def test_the_files_stay_as_they_are(run: Run, agents: Agents) -> None:
    file = agents.with_claude(spoken())
    before, changed = file.read_bytes(), file.stat().st_mtime_ns
    run("index", "--sessions")
    run("sessions", "show", OWLS)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (before, changed)


def test_status_counts_them_by_kind(run: Run, agents: Agents) -> None:
    agents.with_claude(spoken())
    run("index", "--sessions", "--no-embed")
    figures = run("status", "--json").answer["transcripts"]
    assert figures["secrets"] == {"anthropic key": 2, "github token": 4, "private key": 1}
    assert 0 < figures["indexed_characters"] < figures["said_characters"], "the log is not indexed whole"
    line = next(line for line in run("status").out.splitlines() if line.startswith("secrets"))
    assert line == "secrets    7 redacted: 2 anthropic key, 4 github token, 1 private key"


def test_without_secrets_it_says_so(run: Run, agents: Agents) -> None:
    agents.with_claude()
    run("index", "--sessions", "--no-embed")
    assert "secrets    0 redacted\n" in run("status").out
    assert run("status", "--json").answer["transcripts"]["secrets"] == {}


def test_a_secret_that_comes_with_growth_is_redacted_too(run: Run, agents: Agents, home: Path) -> None:
    agents.with_claude(spoken()[:1])
    run("index", "--sessions", "--no-embed")
    agents.with_claude(spoken())
    run("index", "--sessions", "--no-embed")
    found = stored(home)
    assert not [fragment for fragment in fragments() if fragment in found]
    assert run("status", "--json").answer["transcripts"]["secrets"]["github token"] == 4


def test_they_can_be_kept_and_taken_out_again(run: Run, agents: Agents, home: Path) -> None:
    agents.with_claude(spoken())
    run("index", "--sessions", "--no-embed")
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(SETTING, encoding="utf-8")
    assert run("index", "--sessions", "--no-embed", "--json").answer["changed"] == 1, "the file is read again"
    kept = run("search", "owl", "--matches", "20", "--json").answer["results"][0]["matches"]
    assert any(API_KEY in match["text"] for match in kept)
    assert all(run("open", match["pointer"], "--json").answer["state"] == "exact" for match in kept)
    assert run("status", "--json").answer["transcripts"]["secrets"] == {}
    assert run("index", "--sessions", "--no-embed", "--json").answer["unchanged"] == 1
    (home / "config.toml").unlink()
    assert run("index", "--sessions", "--no-embed", "--json").answer["changed"] == 1
    assert API_KEY not in json.dumps(run("search", "owl", "--matches", "20", "--json").answer)
