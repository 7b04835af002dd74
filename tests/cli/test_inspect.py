"""`glassdex inspect` and what it shares with `glassdex search`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from glassdex.answers.command import command_of
from glassdex.search.request import SearchRequest
from tests.cli.running import QUERY, Run, write

ADR = "decisions/adr-7d9f-embedding-providers.md"


def first_pointer(run: Run, *arguments: str) -> str:
    return str(run("search", *arguments, "-n1", "--json").answer["results"][0]["matches"][0]["pointer"])


def test_chunks_are_a_tree_of_rows(in_vault: Run) -> None:
    out = in_vault("inspect", "chunks", ADR).out
    answer = in_vault("inspect", "chunks", ADR, "--json").answer
    assert out.splitlines()[0].startswith(f"Embedding providers  {ADR}")
    assert "● fresh" in out
    chunks = [chunk for row in answer["rows"] for chunk in row["chunks"]]
    assert len(re.findall(r"^[├└] ", out, re.MULTILINE)) == len(chunks)
    for chunk in chunks:
        assert f"{chunk['pointer']}\n" in out
        assert f"{chunk['key']}  ● current · ready · in words" in out
        assert f"{chunk['tokens']} of 240 tokens" in out


def test_whole_texts_are_shown_when_asked_for(in_vault: Run) -> None:
    text = in_vault("inspect", "chunks", ADR, "--json").answer["rows"][0]["chunks"][1]["text"]
    last = text.splitlines()[-1]
    assert last not in in_vault("inspect", "chunks", ADR).out
    assert last in in_vault("inspect", "chunks", ADR, "--text").out


def test_a_document_may_be_named_by_title_or_pointer_and_a_wrong_name_is_mended(in_vault: Run) -> None:
    for name in ("embedding providers", "adr-7d9f-embedding-providers", first_pointer(in_vault, QUERY)):
        assert in_vault("inspect", "chunks", name, "--json").answer["document"]["path"] == ADR
    ran = in_vault("inspect", "chunks", "embedding provider", "--json")
    assert (ran.code, ran.error["code"], ran.error["candidates"][0]) == (2, "document_not_found", ADR)


def test_a_word_too_many_is_named_as_it_was_typed(in_vault: Run) -> None:
    for arguments in (("inspect", "chunks", ADR, "-x"), ("open", ADR, "-x")):
        refused = in_vault(*arguments, "--json")
        assert (refused.code, refused.error["code"]) == (2, "invalid_request")
        assert "(-x)" in refused.error["message"]


def test_an_inspected_query_is_the_search_with_its_trace(in_vault: Run) -> None:
    options = ("--path", "decisions/", "--kind", "entity", "-n", "3", "--fusion", "rrf/1")
    searched = in_vault("search", QUERY, *options, "--explain", "--json").answer
    inspected = in_vault("inspect", "query", *QUERY.split(), *options, "--json").answer
    for answer in (searched, inspected):
        for stage in (*answer["trace"]["stages"], *answer["executions"][0]["trace"]["stages"]):
            del stage["ms"]
        for trace in (answer["trace"], answer["executions"][0]["trace"]):
            del trace["ms"]
    assert inspected == searched


def test_every_candidate_is_one_line_of_numbers(in_vault: Run) -> None:
    ran = in_vault("inspect", "query", QUERY)
    trace = in_vault("inspect", "query", QUERY, "--json").answer["trace"]
    lines = [line for line in ran.out.splitlines() if re.search(r"#L\d", line)]
    assert [line.split()[-1] for line in lines] == [candidate["pointer"] for candidate in trace["candidates"]]
    assert "result F rank  fused L rank   bm25 D rank    cos words  left at / pointer" in ran.out
    best = trace["candidates"][0]
    assert lines[0].split()[:6] == [
        "1.1",
        "1",
        f"{best['fused']['score']:.3f}",
        "1",
        f"{best['legs']['lexical']['score']:.2f}",
        "1",
    ]
    assert "scope " in ran.out
    assert "collapse: match 4 of its document, 3 are shown" in ran.out


def test_fewer_candidates_on_demand_never_hide_a_returned_one(in_vault: Run) -> None:
    out = in_vault("inspect", "query", QUERY, "-n", "2", "--max-candidates", "0").out
    results = re.findall(r"^ +(\d\.\d) ", out, re.MULTILINE)
    assert sorted(results) == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    assert "more candidates are not listed" in out


def test_the_exit_codes_of_an_inspected_query_are_those_of_a_search(in_vault: Run) -> None:
    for options in (("zyzzyva", "--mode", "lexical"), ("buoy", "--tag", "no-such-tag"), ("buoy",)):
        assert in_vault("inspect", "query", *options).code == in_vault("search", *options).code


@pytest.mark.parametrize("command", [("search",), ("inspect", "query")])
def test_misses_are_shown_by_stage_with_their_bounds(in_vault: Run, command: tuple[str, ...]) -> None:
    arguments = (*command, QUERY, "-n", "1", "--min-similarity", "0.4", "--path", "decisions/", "--show-misses")
    out = in_vault(*arguments).out
    assert re.search(r"  threshold · below min similarity  \d+\n    F +\d+ +\.\d{3}  similarity 0\.\d+ < 0\.4  ", out)
    assert re.search(r"  scope · path: [\d,]+ chunks in, [\d,]+ out\n", out)
    assert "page 1 ends at 1" in out
    answer = in_vault(*arguments, "--json").answer
    assert [group["stage"] for group in answer["misses"]] == ["threshold", "collapse", "page"]
    assert all(group["total"] == len(group["listed"]) for group in answer["misses"])
    assert answer["misses_bounds"] in " ".join(out.split())


def test_without_the_option_there_are_no_misses(in_vault: Run) -> None:
    assert not {"misses", "misses_bounds", "why_not"} & set(in_vault("search", QUERY, "--json").answer)


def test_why_not_is_a_ladder_with_a_command_that_returns_the_document(in_vault: Run) -> None:
    wanted = "runbooks/restore-shoal-from-backup.md"
    arguments = ("inspect", "why-not", QUERY, wanted, "--path", "decisions/", "--min-similarity", "0.3", "-n", "2")
    ran = in_vault(*arguments)
    assert ran.code == 0
    assert " ✗ in scope     path lets through 0 of 4 chunks" in ran.out
    line = next(line for line in ran.out.splitlines() if line.startswith("   glassdex search"))
    returned = in_vault(*shlex.split(line)[1:-2], "--paths", *shlex.split(line)[-2:])
    assert wanted in returned.out.splitlines()
    answer = in_vault(*arguments, "--json").answer
    assert (answer["document"], answer["proposals"][0]["verified"]) == (wanted, True)


def test_why_not_takes_a_query_that_begins_with_a_dash(in_vault: Run) -> None:
    answer = in_vault("inspect", "why-not", "-swappable embedding", ADR, "--json").answer
    assert answer["query"] == "-swappable embedding"
    assert next(rung for rung in answer["rungs"] if rung["name"] == "in scope")["detail"].startswith("excluded words")


def test_a_watched_search_has_its_ladder_and_its_trace(in_vault: Run) -> None:
    arguments = ("search", QUERY, "-n", "1", "--watch", "people/tobias-kessler.md")
    out = in_vault(*arguments).out
    assert "why not people/tobias-kessler.md  for  why is the embedding model swappable" in out
    assert out.startswith(in_vault("search", QUERY, "-n", "1").out)
    answer = in_vault(*arguments, "--explain", "--json").answer
    assert [ladder["document"] for ladder in answer["why_not"]] == ["people/tobias-kessler.md"]
    (watched,) = answer["trace"]["watched"]
    assert watched["document"] == "people/tobias-kessler.md"
    assert f"--limit ≥ {watched['document_rank']}" in out
    assert answer["trace"]["request"]["watch"] == ["people/tobias-kessler.md"]


def test_a_file_that_is_not_indexed_can_be_watched(run: Run, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="# A\n\nowl\n")
    run("index", notes, "--no-embed")
    write(notes, b="# B\n\nowl\n")
    ran = run("search", "owl", "--watch", "b.md", "--mode", "lexical")
    assert ran.code == 0
    assert " ▸ index it: glassdex index" in ran.out


def test_neighbours_in_scope_by_pointer_and_by_key(in_vault: Run) -> None:
    pointer = first_pointer(in_vault, QUERY)
    ran = in_vault("inspect", "neighbors", pointer, "--path", "decisions/", "-n", "4")
    answer = in_vault("inspect", "neighbors", pointer, "--path", "decisions/", "-n", "4", "--json").answer
    assert ran.out.startswith(f"neighbours of {pointer}\n  by its stored vector, among ")
    assert len(answer["neighbors"]) == 4
    assert all(neighbor["document"].startswith("decisions/") for neighbor in answer["neighbors"])
    assert all(f"       {neighbor['pointer']}\n" in ran.out for neighbor in answer["neighbors"])
    by_key = in_vault("inspect", "neighbors", answer["chunk"]["chunk_key"], "--path", "decisions/", "-n", "4", "--json")
    assert by_key.answer == answer


def test_no_neighbour_in_scope_is_exit_code_1(in_vault: Run) -> None:
    ran = in_vault("inspect", "neighbors", first_pointer(in_vault, QUERY), "--tag", "no-such-tag")
    assert ran.code == 1
    assert "there is no other chunk in scope" in ran.out


def test_a_chunk_without_a_vector_says_so_and_offers_to_make_one(run: Run, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="# A\n\nowl\n")
    run("index", notes)
    write(notes, b="# B\n\nowls\n")
    run("index", "--no-embed", "-p", "notes")
    pointer = first_pointer(run, "owls", "--path", "b.md")
    ran = run("inspect", "neighbors", pointer, "--json")
    assert (ran.code, ran.error["code"]) == (2, "vector_missing")
    assert "--embed" in ran.error["suggestion"]
    ran = run("inspect", "neighbors", pointer, "--embed")
    assert ran.code == 0
    assert "by a vector made for this once" in ran.out


def test_the_command_of_a_request_leaves_out_what_is_the_default() -> None:
    assert command_of(SearchRequest("a b")) == "glassdex search -- 'a b'"
    assert command_of(SearchRequest("a"), "notes") == "glassdex search --project=notes -- a"
    request = SearchRequest("-x", tags=("t 1", "u"), min_similarity=-0.5, paths=("/a b.md",), limit=3)
    assert shlex.split(command_of(request)) == [
        "glassdex", "search", "--limit=3", "--path=/a b.md", "--tag=t 1", "--tag=u", "--min-similarity=-0.5",
        "--", "-x",
    ]  # fmt: skip


def test_inspect_alone_explains_itself(run: Run) -> None:
    ran = run("inspect")
    assert (ran.code, ran.out) == (2, "")
    for command in ("chunks", "query", "why-not", "neighbors"):
        assert f"\n  {command} " in ran.err


@pytest.mark.parametrize("width", ["60", "200"])
def test_a_narrow_terminal_folds_and_keeps_pointers_whole(
    in_vault: Run, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    pointer = first_pointer(in_vault, QUERY)
    assert pointer in in_vault("inspect", "query", QUERY).out
    assert pointer in in_vault("inspect", "chunks", ADR).out
    for line in in_vault("inspect", "why-not", QUERY, "people/tobias-kessler.md").out.splitlines():
        assert len(line) <= int(width) or line.startswith("   glassdex")


def test_a_pointer_to_a_file_whose_name_begins_with_a_dash_is_no_option(run: Run, tmp_path: Path) -> None:
    assert run("index", write(tmp_path / "notes", **{"-draft": "owls hoot\n"})).code == 0
    pointer = run("search", "owls", "--json").answer["results"][0]["matches"][0]["pointer"]
    assert pointer.startswith("-draft.md#")
    assert run("open", pointer).out.startswith("exact: ")
    assert run("inspect", "chunks", "-draft.md", "--json").answer["document"]["path"] == "-draft.md"
    assert run("inspect", "neighbors", pointer, "--json").answer["chunk"]["pointer"] == pointer
    assert run("open", "--nowhere").err.startswith("error: no such option: --nowhere")


def test_a_suggested_command_survives_the_shell(run: Run, tmp_path: Path) -> None:
    assert run("index", write(tmp_path / "notes", **{"it's mine": "owls hoot\n"})).code == 0
    suggestion = run("inspect", "neighbors", "it's mine", "--json").error["suggestion"]
    words = shlex.split(suggestion.partition("glassdex ")[2])
    assert run(*words).code == 0


@pytest.mark.parametrize(
    "words", [("inspect", "why-not", "owl", ""), ("inspect", "chunks", " "), ("search", "owl", "--watch", "")]
)
def test_an_empty_name_is_bad_input(in_vault: Run, words: tuple[str, ...]) -> None:
    ran = in_vault(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "no document is named [invalid_request]" in ran.err


def test_why_not_of_what_is_nowhere_is_exit_code_1(in_vault: Run) -> None:
    ran = in_vault("inspect", "why-not", "restore", "runbooks/zyzzyva.md")
    assert ran.code == 1
    assert "there is no file runbooks/zyzzyva.md below" in " ".join(ran.out.split())
    assert in_vault("inspect", "why-not", "restore", "runbooks/zyzzyva.md", "--json").code == 1
    assert in_vault("inspect", "why-not", "restore", "recipes/pour-over-coffee.md").code == 0


def test_neighbors_asks_for_a_pointer_or_a_chunk_key(in_vault: Run) -> None:
    ran = in_vault("inspect", "neighbors", "zyzzyva", "--json")
    assert (ran.code, ran.error["code"]) == (2, "chunk_not_found")
    assert ran.error["message"] == "'zyzzyva' is no pointer and no chunk key"
    assert "glassdex inspect chunks NOTE" in ran.error["suggestion"]
