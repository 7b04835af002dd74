"""`glassdex inspect links` and `--expand` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run, write

OLD = "# Old plan\n\nnightly backup to tape\n\n- superseded_by [[new]]\n\nsee [[gone]] and [[twin]]\n"


@pytest.fixture
def in_notes(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line, standing in a folder of linked notes that are indexed."""
    folder = write(tmp_path / "notes", old=OLD, new="# New plan\n\nsnapshots every hour\n", apart="something else\n")
    for name in ("x", "y"):
        write(folder / name, twin="twin\n")
    (folder / "\x1b[31mevil.md").write_text("- supersedes [[new]]\n[[\x1bgreen]]\n")
    monkeypatch.chdir(folder)
    assert run("index", folder).code == 0
    return run


def test_the_links_of_a_document(in_notes: Run):
    ran = in_notes("inspect", "links", "old.md")
    assert ran.code == 0
    assert "line 5  superseded_by (relation)  new  → new.md  followed as successor" in ran.out
    assert "gone  unresolved" in ran.out
    assert "twin  ambiguous: x/twin.md, y/twin.md" in ran.out
    assert "incoming: 0" in ran.out
    assert "old.md:5  superseded_by (relation)  new" in in_notes("inspect", "links", "new.md").out


def test_the_links_of_a_document_as_json(in_notes: Run):
    answer = in_notes("inspect", "links", "old", "--json").answer
    assert answer["schema"] == "glassdex.links/1"
    assert answer["document"] == {"path": "old.md", "title": "Old plan"}
    first = answer["outgoing"][0]
    assert first["path"] == "new.md" and first["state"] == "resolved" and first["followed_as"] == "successor"
    open_ones = in_notes("inspect", "links", "old", "--unresolved", "--json").answer["outgoing"]
    assert [link["target"] for link in open_ones] == ["gone", "twin"]


def test_what_is_open_in_the_project(in_notes: Run):
    ran = in_notes("inspect", "links")
    assert "2 resolved · 2 unresolved · 1 ambiguous" in ran.out
    assert ran.out == in_notes("inspect", "links", "--unresolved").out
    assert "\x1b" not in ran.out
    answer = in_notes("inspect", "links", "--limit", "1", "--json").answer
    assert (len(answer["open"]), answer["truncated"]) == (1, 2)


def test_what_an_author_wrote_at_any_length_is_shortened(in_notes: Run):
    (Path.cwd() / "long.md").write_text(f"[[{'x' * 5000}|{'y' * 5000}]]\n\n- part_of [[gone]] ({'z' * 5000})\n")
    assert in_notes("index").code == 0
    for document in (["long.md"], []):
        out = in_notes("inspect", "links", *document).out
        assert "x" * 199 + "…" in out and "z" * 199 + "…" in out
        assert max(map(len, out.splitlines())) < 600
    assert "x" * 5000 in in_notes("inspect", "links", "long.md", "--json").out


def test_a_document_that_is_not_there(in_notes: Run):
    assert in_notes("inspect", "links", "nothing", "--json").error["code"] == "document_not_found"


def test_a_hit_says_through_which_link_it_came(in_notes: Run):
    ran = in_notes("search", "nightly backup tape", "--expand", "3", "--explain")
    assert "through " in ran.out and "(successor, via new.md)" in ran.out
    assert "G graph" in ran.out and " → G 1 (" in ran.out
    assert "\x1b" not in ran.out
    plain = in_notes("search", "nightly backup tape", "--explain")
    assert "through " not in plain.out and "G graph" not in plain.out
    trace = in_notes("inspect", "query", "nightly backup tape", "--expand", "3")
    assert "G rank" in trace.out


def test_json_has_the_link_of_a_result_with_and_without_a_trace(in_notes: Run):
    ask = ("search", "nightly backup tape", "--expand", "3", "--json")
    answer, explained = in_notes(*ask).answer, in_notes(*ask, "--explain").answer
    assert answer["results"] == explained["results"]
    through = answer["results"][0]["through"]
    assert (through["seed"], through["route"], through["via"]) == ("old.md", "successor", ["new.md"])
    assert "through" not in answer["results"][1]
    graph = next(stage for stage in explained["trace"]["stages"] if stage["name"] == "graph")
    assert graph["measured"]["documents_lifted"] == 1


def test_a_number_out_of_its_domain_is_a_wrong_request(in_notes: Run):
    ran = in_notes("search", "tape", "--expand", "101", "--json")
    assert (ran.code, ran.error["code"]) == (2, "invalid_request")


def test_the_settings_say_whether_links_are_followed(in_notes: Run, home: Path):
    (home / "config.toml").write_text("expand = 3\n")
    assert "through" in in_notes("search", "nightly backup tape", "--json").answer["results"][0]
    assert "through" not in in_notes("search", "nightly backup tape", "--json", "--expand", "0").answer["results"][0]
    (home / "config.toml").write_text("expand = 101\n")
    assert in_notes("search", "tape", "--json").error["code"] == "invalid_setting"


def test_unresolved_links_are_counted_of_all_that_the_document_has(in_notes: Run):
    ran = in_notes("inspect", "links", "old.md", "--unresolved")
    assert "outgoing, unresolved or ambiguous: 2 of 3\n" in ran.out
    assert "superseded_by" not in ran.out


def test_a_route_that_says_no_more_than_the_kind_is_left_out(in_notes: Run):
    (Path.cwd() / "more.md").write_text("see [[new]]\n")
    assert in_notes("index").code == 0
    assert "line 1  mention (wikilink)  new  → new.md\n" in in_notes("inspect", "links", "more.md").out


def test_a_narrow_terminal_folds_links_between_their_facts(in_notes: Run, monkeypatch: pytest.MonkeyPatch):
    folder = write(
        Path.cwd() / "a-long-name-of-a-folder", note="[[gone]]\n- relates_to [[old plan]] (since last May)\n"
    )
    assert in_notes("index").code == 0
    monkeypatch.setenv("COLUMNS", "60")
    lines = in_notes("inspect", "links", "a-long-name-of-a-folder/note.md").out.splitlines()
    assert folder.is_dir() and max(map(len, lines)) <= 60
    assert "      followed as related  (since last May)" in lines


def test_of_many_candidates_it_is_said_how_many_more_there_are(in_notes: Run):
    write(Path.cwd(), readme="see [[many]]\n")
    for number in range(12):
        write(Path.cwd() / f"m{number:02}", many="one of them\n")
    assert in_notes("index").code == 0
    out = " ".join(in_notes("inspect", "links", "readme.md").out.split())
    assert "ambiguous: m00/many.md," in out and "m09/many.md and 2 more" in out


def test_the_whole_route_of_a_link_is_shown_at_any_width(in_notes: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "60")
    out = in_notes("search", "nightly backup tape", "--expand", "3").out
    assert "(successor, via new.md)" in " ".join(out.split())
    assert max(len(line) for line in out.splitlines() if "#" not in line) <= 60


def test_where_every_linked_document_is_among_the_best_it_is_said_that_none_is_lifted(run: Run, tmp_path: Path):
    folder = write(tmp_path / "few", a="# Tape\n\nnightly backup to tape, see [[b]]\n", b="# Disk\n\nnightly to disk\n")
    assert run("index", folder).code == 0
    ask = ("nightly backup", "--expand", "3")
    out = " ".join(run("search", *ask, "--explain").out.split())
    assert "graph · every linked document is among the 2 best already: none to lift" in out
    ladder = " ".join(run("inspect", "why-not", ask[0], "b.md", *ask[1:]).out.split())
    assert "mention (mention) joins it with a.md; it is one of the best itself, which links do not lift" in ladder
    write(folder, a="# Tape\n\nnightly backup to tape\n")
    assert run("index", folder).code == 0
    out = " ".join(run("search", *ask, "--explain").out.split())
    assert "graph · no link of the best documents leads to another one" in out
    assert "graph ·" not in run("search", ask[0], "--explain").out
