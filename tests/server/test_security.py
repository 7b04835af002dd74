"""Who may ask, under which name, how much; and that nothing outside a project's folders is ever told."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from glassdex.errors import InvalidRequest
from glassdex.project import Project
from glassdex.server.config import ServerConfig, make_config
from glassdex.server.guard import MAX_BODY
from tests.cli.running import write
from tests.server.serving import client
from tests.server.test_parity import pointer

TOKEN = "correct-horse-battery-staple"
OUTSIDE = "the outside is none of your business"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:7323",
        "192.0.2.7",
        "0.0.0.0",
        "user@127.0.0.1",
        "127.0.0.1:99999999",
        "127.0.0.1, evil.example",
        "2130706433",
        "[::2]",
        "",
    ],
)
def test_another_name_is_refused(api: TestClient, host: str) -> None:
    answered = api.get("/api/v1/projects", headers={"Host": host})
    assert answered.status_code == 421
    assert answered.json()["code"] == "host_refused"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:7323", "127.0.0.1:1", "localhost."]
)
def test_the_names_of_this_machine_are_let_in(api: TestClient, host: str) -> None:
    assert api.get("/api/v1/projects", headers={"Host": host}).status_code == 200


def test_two_host_headers_are_refused(api: TestClient) -> None:
    headers = [("Host", "127.0.0.1"), ("Host", "evil.example")]
    assert api.get("/api/v1/projects", headers=headers).status_code == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:7323", ""]
)
def test_another_origin_is_refused_whatever_it_asks(api: TestClient, origin: str) -> None:
    for answered in (
        api.get("/api/v1/projects", headers={"Origin": origin}),
        api.post("/api/v1/index", json={}, headers={"Origin": origin}),
        api.options("/api/v1/search", headers={"Origin": origin, "Access-Control-Request-Method": "POST"}),
    ):
        assert answered.status_code == 403
        assert answered.json()["code"] == "origin_refused"
        assert not [name for name in answered.headers if name.lower().startswith("access-control")]


def test_our_own_origin_is_let_in(api: TestClient) -> None:
    assert api.get("/api/v1/projects", headers={"Origin": "http://127.0.0.1:7323"}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_page_elsewhere_fetches_without_an_origin_is_refused(api: TestClient, site: str) -> None:
    picture = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert api.get("/api/v1/page-image", params={"pointer": "x"}, headers=picture).status_code == 403
    followed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert api.get("/api/v1/projects", headers=followed).status_code == 403


def test_a_form_of_another_page_cannot_send_json(api: TestClient) -> None:
    answered = api.post("/api/v1/index", content=b"{}", headers={"Content-Type": "text/plain"})
    assert answered.status_code == 415


def test_a_token_is_asked_for_everywhere(files: Path) -> None:
    with client(ServerConfig(token=TOKEN)) as api:
        for headers in (
            {},
            {"Authorization": TOKEN},
            {"Authorization": f"Basic {TOKEN}"},
            {"Authorization": "Bearer "},
            {"Authorization": f"Bearer {TOKEN}x"},
            {"Authorization": f"Bearer {TOKEN[:-1]}"},
        ):
            for path in ("/api/v1/projects", "/api/v1/openapi.json", "/nothing"):
                answered = api.get(path, headers=headers)
                assert answered.status_code == 401
                assert answered.headers["WWW-Authenticate"].startswith("Bearer")
                assert TOKEN not in answered.text
        assert api.get("/api/v1/projects", headers={"Authorization": f"bearer {TOKEN}"}).status_code == 200


def test_beyond_this_machine_a_token_is_needed() -> None:
    for host in ("0.0.0.0", "192.0.2.7", "::", "nas.lan"):
        with pytest.raises(InvalidRequest, match="token is needed"):
            make_config(host)
        assert make_config(host, token=TOKEN).beyond_loopback
    for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"):
        assert not make_config(host).beyond_loopback
    for token in ("short", "with a blank in between", "ünïcödé-ünïcödé-ünïcödé", "x" * 20 + "\n"):
        with pytest.raises(InvalidRequest):
            make_config("127.0.0.1", token=token)
    assert TOKEN not in repr(make_config("0.0.0.0", token=TOKEN))


def test_beyond_this_machine_addresses_and_named_hosts_are_let_in(files: Path) -> None:
    allowed = {"Authorization": f"Bearer {TOKEN}"}
    with client(make_config("0.0.0.0", token=TOKEN, allowed=["nas.lan"])) as api:
        for host, status in (("192.0.2.7:7323", 200), ("nas.lan", 200), ("evil.example", 421)):
            assert api.get("/api/v1/projects", headers={**allowed, "Host": host}).status_code == status


def test_every_answer_has_the_headers_that_keep_it_in(api: TestClient) -> None:
    for answered in (
        api.get("/api/v1/projects"),
        api.get("/nothing"),
        api.get("/api/v1/projects", headers={"Host": "evil.example"}),
        api.post("/api/v1/search", json={}),
    ):
        assert answered.headers["X-Content-Type-Options"] == "nosniff"
        assert answered.headers["Referrer-Policy"] == "same-origin"
        assert "frame-ancestors 'none'" in answered.headers["Content-Security-Policy"]
        assert "default-src 'none'" in answered.headers["Content-Security-Policy"]
        assert answered.headers["Cache-Control"] == "no-store"
        assert answered.headers["X-Request-ID"]
        assert "unsafe" not in answered.headers["Content-Security-Policy"]


def test_a_request_id_is_echoed_only_if_it_is_one(api: TestClient) -> None:
    assert api.get("/api/v1/projects", headers={"X-Request-ID": "a-1.b"}).headers["X-Request-ID"] == "a-1.b"
    for odd in ("a b", "x" * 65, "<script>", "a;b", ""):
        assert api.get("/api/v1/projects", headers={"X-Request-ID": odd}).headers["X-Request-ID"] != odd


def test_what_is_too_large_is_refused(api: TestClient) -> None:
    headers = {"Content-Type": "application/json"}
    assert api.post("/api/v1/search", content=b" " * (MAX_BODY + 1), headers=headers).status_code == 413

    def in_parts() -> object:
        for _ in range(20):
            yield b" " * 100_000

    assert api.post("/api/v1/search", content=in_parts(), headers=headers).status_code == 413  # type: ignore[arg-type]
    assert api.get(f"/api/v1/search?query={'x' * 8200}").status_code == 414
    assert api.get("/api/v1/projects", headers={"X-Long": "x" * 17_000}).status_code == 431
    assert api.get("/api/v1/projects", headers={f"X-{n}": "" for n in range(120)}).status_code == 431


def test_deep_json_is_an_error_of_the_request(api: TestClient) -> None:
    body = b'{"query": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    answered = api.post("/api/v1/search", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answered.status_code < 500


def test_no_folder_is_chosen_by_a_request(api: TestClient, tmp_path: Path) -> None:
    for field, value in (("rerank", f"cross-encoder:{tmp_path}"), ("rewrite", f"mine:{tmp_path}")):
        for answered in (
            api.post("/api/v1/search", json={"query": "x", field: value}),
            api.get("/api/v1/search", params={"query": "x", field: value}),
            api.post("/api/v1/why-not", json={"query": "x", "document": "owls.md", field: value}),
            api.post("/api/v1/context", json={"query": "x", field: value}),
            api.post("/api/v1/eval", json={"queries": [{"query": "x", "relevant": ["y"]}], "options": {field: value}}),
            api.post("/api/v1/compare", json={"queries": [{"query": "x", "options": {field: value}}]}),
        ):
            assert answered.status_code == 422
            assert "folder" in answered.json()["detail"]


@pytest.fixture
def fenced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose folder lies beside a file that is not in it; one note is replaced by a link to that file."""
    root = write(tmp_path / "root", inside="# Inside\n\nA quiet garden.\n", swapped="# Swapped\n\nA gate of iron.\n")
    (root / "node_modules").mkdir()
    (root / "deep").mkdir()
    write(root / "deep", note="# Deep\n\nA well of stone.\n")
    (tmp_path / "outside.md").write_text(OUTSIDE, encoding="utf-8")
    write(tmp_path / "elsewhere", note=OUTSIDE)
    (root / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root)
    with Project.create("fenced", [root]) as project:
        project.index()
    return root


def outside_names(root: Path) -> list[str]:
    """Ways to write the file outside."""
    absolute = str(root.parent / "outside.md")
    return [
        "../outside.md",
        "deep/../../outside.md",
        "node_modules/../../outside.md",
        "node_modules/../../missing.md",
        "linked/note.md",
        "linked/missing.md",
        "./../outside.md",
        "..\\outside.md",
        absolute,
        "/" + absolute,
        f"{root}/../outside.md",
        f"file://{absolute}",
        "%2e%2e/outside.md",
        "%2e%2e%2foutside.md",
        "..%2foutside.md",
        "%252e%252e/outside.md",
        "..%c0%afoutside.md",
        "../outside.md\x00",
        "inside.md\x00/../../outside.md",
        "/etc/passwd",
        "../../../../../../../../etc/passwd",
        "~/outside.md",
    ]


def test_nothing_outside_the_folders_is_told(fenced: Path) -> None:
    place = f"#L1-L1,c=0-{len(OUTSIDE)}@3fa9c1d2e4b5"
    with client() as api:
        missing = api.get("/api/v1/why-not", params={"query": "x", "document": "../missing.md"}).json()
        for name in outside_names(fenced):
            answers = [
                api.get("/api/v1/open", params={"pointer": name}),
                api.get("/api/v1/open", params={"pointer": name + place}),
                api.get("/api/v1/open", params={"pointer": quote(name) + place}),
                api.get("/api/v1/page-image", params={"pointer": name + place}),
                api.get("/api/v1/chunks", params={"document": name}),
                api.get("/api/v1/links", params={"document": name}),
                api.get("/api/v1/neighbors", params={"chunk": name}),
                api.get("/api/v1/session", params={"session": name}),
                api.post("/api/v1/search", json={"query": "outside business", "in_document": name}),
                api.post("/api/v1/search", json={"query": "outside business", "watch": [name]}),
                api.get("/api/v1/status", params={"project": name}),
            ]
            why = api.get("/api/v1/why-not", params={"query": "business", "document": name})
            for answered in [*answers, why]:
                assert answered.status_code < 500, (name, answered.text)
                assert OUTSIDE not in answered.text
                assert "root:x:0" not in answered.text
            if why.status_code == 200:  # not even whether it is there
                assert len(why.json()["rungs"]) == len(missing["rungs"]) == 1, name


def test_a_link_that_took_a_files_or_folders_place_is_not_followed(fenced: Path) -> None:
    with client() as api:
        gate = pointer(api, "a gate of iron", mode="lexical")
        well = pointer(api, "a well of stone", mode="lexical")
        (fenced / "swapped.md").unlink()
        (fenced / "swapped.md").symlink_to(fenced.parent / "outside.md")
        (fenced / "deep" / "note.md").unlink()
        (fenced / "deep").rmdir()
        (fenced / "deep").symlink_to(fenced.parent / "elsewhere", target_is_directory=True)
        for one in (gate, well):
            opened = api.get("/api/v1/open", params={"pointer": one})
            assert opened.status_code == 200
            assert opened.json()["state"] in ("gone", "changed")
            whole = one.partition("#")[0] + f"#L1-L1,c=0-{len(OUTSIDE)}@" + sha(OUTSIDE)
            for pointed in (one, whole):
                assert OUTSIDE not in api.get("/api/v1/open", params={"pointer": pointed}).text
            assert OUTSIDE not in api.get("/api/v1/chunks", params={"document": one.partition("#")[0]}).text


def sha(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:12]


@pytest.mark.parametrize(
    "path",
    [
        "/../../../etc/passwd",
        "/api/v1/../../../etc/passwd",
        "/api/v1/%2e%2e/%2e%2e/etc/passwd",
        "/api/v1/..%2f..%2fetc/passwd",
        "/api/v1/traces/..%2f..%2fetc%2fpasswd",
        "/api/v1/traces/%00",
        "/api/v1/index/..%5c..%5cboot.ini",
        "//etc/passwd",
        "/static/../../etc/passwd",
        "/%c0%ae%c0%ae/etc/passwd",
    ],
)
def test_no_address_leads_to_a_file(api: TestClient, path: str) -> None:
    answered = api.get(path)
    assert answered.status_code == 404
    assert answered.headers["Content-Type"] == "application/problem+json"


def test_hostile_text_comes_as_json_that_steers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path / "root", odd="# Odd \x1b[31m\u202e<script>alert(1)</script>\n\nA gallery of \x07bells.\n")
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root)
    with Project.create("odd", [root]) as project:
        project.index()
    with client() as api:
        answered = api.post("/api/v1/search", json={"query": "gallery"})
    assert answered.json()["results"]
    assert answered.headers["Content-Type"] == "application/json"
    assert not [sign for sign in ("\x1b", "\u202e", "\x07") if sign in answered.text]


def test_the_log_has_no_query_and_no_token(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with client(ServerConfig(token=TOKEN)) as api:
        headers = {"Authorization": f"Bearer {TOKEN}", "X-Request-ID": "mine"}
        api.get("/api/v1/search", params={"query": "sekrit"}, headers=headers)
        api.post("/api/v1/search", json={"query": "sekrit", "mode": "sekrit"}, headers=headers)
    written = capsys.readouterr().err
    lines = [json.loads(line) for line in written.splitlines()]
    assert [line["request_id"] for line in lines if line["event"] == "request"] == ["mine", "mine"]
    assert {line["path"] for line in lines} == {"/api/v1/search"}
    assert "sekrit" not in written
    assert TOKEN not in written


def test_the_log_has_the_queries_where_that_is_asked_for(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with client(ServerConfig(log_queries=True)) as api:
        api.get("/api/v1/search", params={"query": "owls\n\x1b[31m"})
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["query"] for line in lines if line["event"] == "query"] == ["owls\n\x1b[31m"]


def test_a_fault_of_ours_tells_nothing_of_a_file(
    api: TestClient, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: object, **_named: object) -> None:
        raise RuntimeError(f"{os.sep}private{os.sep}file says hush")

    monkeypatch.setattr(Project, "status", broken)
    answered = api.get("/api/v1/status")
    assert answered.status_code == 500
    assert answered.json()["code"] == "internal_error"
    assert "hush" not in answered.text + capsys.readouterr().err
    assert answered.headers["X-Content-Type-Options"] == "nosniff"
