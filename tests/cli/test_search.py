"""`glassdex search`: every option, and what the exit code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import QUERY, Run, in_process_of_its_own, write


def paths(run: Run, *arguments: str) -> list[str]:
    return run("search", *arguments, "--paths").out.splitlines()


def test_the_best_document_comes_first(in_vault: Run) -> None:
    ran = in_vault("search", *QUERY.split(), "-n", "3")
    assert ran.code == 0
    verdict, _, first = ran.out.splitlines()[:3]
    assert verdict.startswith("verdict ok (best cos ")
    assert first.startswith(" 1  Embedding providers")
    assert "next: --page 2" in ran.out


def test_nothing_found_is_exit_code_1(in_vault: Run) -> None:
    ran = in_vault("search", "zyzzyva", "--mode", "lexical")
    assert ran.code == 1
    assert "not in the index: zyzzyva" in ran.out
    assert "verdict nothing relevant (nothing matched)" in ran.out


def test_nothing_found_is_exit_code_1_with_paths_and_with_json(in_vault: Run) -> None:
    words = ("search", "zyzzyva", "--mode", "lexical")
    assert in_vault(*words, "--paths").out == ""
    assert in_vault(*words, "--paths").code == 1
    assert in_vault(*words, "--json").code == 1
    assert in_vault(*words, "--json").answer["results"] == []


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_modes(in_vault: Run, mode: str) -> None:
    answer = in_vault("search", "restore a backup", "--mode", mode, "--json", "--explain").answer
    assert answer["results"][0]["document"]["path"] == "runbooks/restore-shoal-from-backup.md"
    assert answer["trace"]["request"]["mode"] == mode


def test_pages_are_slices_of_one_ranking(in_vault: Run) -> None:
    whole = paths(in_vault, "buoy", "--mode", "lexical", "--limit", "6")
    first = paths(in_vault, "buoy", "--mode", "lexical", "-n3")
    second = paths(in_vault, "buoy", "--mode", "lexical", "-n", "3", "--page", "2")
    assert (len(whole), first + second) == (6, whole)


def test_path_filter(in_vault: Run) -> None:
    found = paths(in_vault, "embedding", "--path", "decisions/", "--path", "people/")
    assert found
    assert all(path.startswith(("decisions/", "people/")) for path in found)


def test_tag_and_kind_filters(in_vault: Run) -> None:
    answer = in_vault("search", "buoy", "--kind", "relation", "--json").answer
    assert {match["kind"] for result in answer["results"] for match in result["matches"]} == {"relation"}
    none = in_vault("search", "buoy", "--tag", "no-such-tag", "--json")
    assert none.code == 1
    assert none.answer["verdict"]["status"] == "scope_empty"
    chunks = in_vault("status", "--json").answer["chunks"]
    assert none.answer["scope"]["filters"] == [{"name": "tag", "in": chunks, "out": 0}]


def test_date_filters(in_vault: Run) -> None:
    answer = in_vault("search", "buoy", "--since", "2025-09-01", "--until", "2025-09-30", "--json").answer
    dated = answer["scope"]["filters"][0]
    assert dated["name"] == "date"
    assert 0 < dated["out"] < dated["in"]


def test_thresholds(in_vault: Run) -> None:
    answer = in_vault("search", QUERY, "--min-similarity", "0.5", "--json").answer
    assert all(match["similarity"] >= 0.5 for result in answer["results"] for match in result["matches"])
    assert in_vault("search", QUERY, "--min-score", "2").code == 1


@pytest.mark.parametrize("fusion", ["convex/1", "rrf/1", "bonus/1"])
def test_fusions(in_vault: Run, fusion: str) -> None:
    answer = in_vault("search", QUERY, "--fusion", fusion, "--json", "--explain").answer
    named = answer["trace"]["engine"]["fusion"]
    assert f"{named['name']}/{named['version']}" == fusion


def test_the_settings_give_the_defaults(run: Run, home: Path, tmp_path: Path) -> None:
    run("index", write(tmp_path / "notes", a="# A\n\nowl\n", b="# B\n\nowl\n", c="# C\n\nowl\n"))
    (home / "config.toml").write_text('limit = 2\nfusion = "rrf/1"\n', encoding="utf-8")
    answer = run("search", "owl", "--json", "--explain").answer
    assert answer["page"]["limit"] == 2
    assert answer["trace"]["engine"]["fusion"]["name"] == "rrf"
    assert len(paths(run, "owl", "--limit", "3")) == 3


def test_a_phrase_must_occur_and_a_word_may_be_excluded(in_vault: Run) -> None:
    with_phrase = paths(in_vault, '"embedding providers"', "-n", "50")
    assert "decisions/adr-7d9f-embedding-providers.md" in with_phrase
    without = paths(in_vault, '"embedding providers"', "-swappable", '-"fanless box"', "-n", "50")
    assert "decisions/adr-7d9f-embedding-providers.md" in with_phrase
    assert set(without) <= set(with_phrase)
    answer = in_vault("search", "embedding", "-providers", '-"fanless box"', "--json", "--explain").answer
    assert answer["query"] == 'embedding -providers -"fanless box"'
    assert answer["trace"]["query"]["excluded"] == ["providers", "fanless box"]


def test_a_query_may_begin_with_a_dash(in_vault: Run) -> None:
    ran = in_vault("search", "-swappable", "embedding", "--json")
    assert ran.code == 0
    assert ran.answer["query"] == "-swappable embedding"


def test_behind_two_dashes_everything_is_a_query(in_vault: Run) -> None:
    ran = in_vault("search", "--mode", "lexical", "--", "model", "--json", "-n", "--explain")
    assert "error" not in ran.err
    assert not ran.out.startswith("{")


@pytest.mark.parametrize("option", [(), ("-",)])
def test_the_query_comes_from_standard_input(vault_home: Path, option: tuple[str, ...]) -> None:
    vault = vault_home.parent / "vault"
    ran = in_process_of_its_own(
        vault_home, vault, "search", *option, "-l", "-n1", "--mode", "lexical", given=b"\nrestore from backup\n"
    )
    assert ran.stdout == b"runbooks/restore-shoal-from-backup.md\n"


def test_an_empty_standard_input_is_no_query(vault_home: Path) -> None:
    ran = in_process_of_its_own(vault_home, vault_home, "search", given=b" \n")
    assert ran.returncode == 2
    assert b"the query is empty [invalid_request]" in ran.stderr


def test_bytes_that_are_no_text_do_not_end_a_search(vault_home: Path) -> None:
    vault = vault_home.parent / "vault"
    ran = in_process_of_its_own(vault_home, vault, "search", "--mode", "lexical", "--json", given=b"backup \xff\xfe")
    assert ran.returncode == 0
    assert ran.stdout.decode("utf-8").startswith('{"schema": "glassdex.search/1", "query": "backup \ufffd\ufffd"')


def test_the_only_project_needs_no_name(run: Run, tmp_path: Path) -> None:
    run("index", write(tmp_path / "notes", a="# A\n\nowl\n"), "--no-embed")
    assert paths(run, "owl") == ["a.md"]
    run("index", write(tmp_path / "other", b="# B\n\nowl\n"), "--no-embed")
    ran = run("search", "owl", "--json")
    assert ran.code == 2
    assert ran.error["candidates"] == ["notes", "other"]
    assert paths(run, "owl", "--project", "other") == ["b.md"]
    assert paths(run, "owl", "-p", "notes") == ["a.md"]


def test_paths_alone_say_on_standard_error_what_is_to_be_doubted(in_vault: Run) -> None:
    assert in_vault("search", QUERY, "-l").err == ""
    ran = in_vault("search", "zyzzyva", "-l", "--mode", "lexical")
    assert (ran.out, ran.err) == ("", "verdict nothing relevant (nothing matched)\n")


def test_a_stop_word_that_no_note_has_is_not_missing(run: Run, tmp_path: Path) -> None:
    run("index", write(tmp_path / "notes", a="owls hunt"), "--no-embed")
    assert "not in the index" not in run("search", "what did owls do about it", "--mode", "lexical").out
    assert "not in the index: what" in run("search", "what", "--mode", "lexical").out, "nothing else was asked"
