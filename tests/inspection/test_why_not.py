"""Why not: a ladder that agrees with the search, and proposals that work."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from glassdex.errors import ChunkNotFound, DocumentAmbiguous
from glassdex.inspection.execution import Execution
from glassdex.inspection.ladder import WhyNot
from glassdex.project import Project
from glassdex.search.request import SearchOptions, SearchRequest
from tests.search.vaults import HashedWords, indexed, queries, root_of, search_options, vaults, write_notes


def applied(project: Project, request: SearchRequest) -> Execution:
    """The search of a proposed request."""
    fields: dict[str, Any] = asdict(request)
    return project.search(fields.pop("query"), **fields)


def check_proposals(project: Project, found: WhyNot) -> int:
    """Applies every request that is proposed: each returns what was asked about; returns how many there were."""
    count = 0
    for proposal in found.proposals:
        if proposal.changes is None:
            continue
        count += 1
        assert proposal.derived != bool(proposal.verified)
        assert proposal.changes.watch == ()
        returned = applied(project, proposal.changes)
        shown = {result.path: [match.chunk_key for match in result.matches] for result in returned.results}
        assert found.path in shown, proposal.change
        assert found.chunk_key is None or found.chunk_key in shown[found.path], proposal.change
    return count


@settings(max_examples=80)
@given(vaults, queries, search_options(), st.data())
def test_every_proposal_returns_the_document(notes, query, options, data):
    with indexed(notes) as project:
        path = data.draw(st.sampled_from(sorted(paths_of(project))))
        found = project.why_not(query, path, **options)
        returned = [result.path for result in project.search(query, **options).results]
        assert (found.returned_at is not None) == (path in returned)
        assert not (found.returned_at and found.proposals)
        count = check_proposals(project, found)
        if found.returned_at is None and any(rung.name == "words" and rung.passed for rung in found.rungs):
            assert count, "a document with a word of the query can always be brought back"


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=queries, options=search_options(), number=st.integers(0, 119))
def test_every_proposal_returns_the_document_from_beyond_the_windows(
    crowd: Project, query: str, options: SearchOptions, number: int
):
    path = f"{number % 7}/note-{number:03}.md"
    check_proposals(crowd, crowd.why_not(query, path, **options))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=queries, options=search_options(), number=st.integers(0, 119), line=st.integers(0, 10))
def test_every_proposal_returns_the_passage_from_beyond_the_windows(
    crowd: Project, query: str, options: SearchOptions, number: int, line: int
):
    chunks = [chunk for row in crowd.chunks(f"{number % 7}/note-{number:03}.md").rows for chunk in row.chunks]
    check_proposals(crowd, crowd.why_not(query, chunks[line].pointer, **options))


@settings(max_examples=80)
@given(vaults, queries, search_options(), st.data())
def test_a_ladder_for_a_passage_agrees_with_the_results(notes, query, options, data):
    with indexed(notes) as project:
        path = data.draw(st.sampled_from(sorted(paths_of(project))))
        pointers = [chunk.pointer for row in project.chunks(path).rows for chunk in row.chunks]
        assume(pointers)
        pointer = data.draw(st.sampled_from(pointers))
        found = project.why_not(query, pointer, **options)
        results = project.search(query, **options).results
        shown = {match.chunk_key for result in results if result.path == path for match in result.matches}
        assert (found.returned_at is not None) == (found.chunk_key in shown)
        check_proposals(project, found)


def paths_of(project: Project) -> list[str]:
    with project.store.read() as snapshot:
        return list(snapshot.document_paths().values())


def failed(found: WhyNot) -> list[str]:
    return [rung.name for rung in found.rungs if rung.passed is False]


def detail(found: WhyNot, name: str) -> str:
    return next(rung.detail for rung in found.rungs if rung.name == name)


def changes(found: WhyNot) -> list[str]:
    return [proposal.change for proposal in found.proposals]


@pytest.fixture
def log(tmp_path: Path):
    notes = {
        "a.md": "# Harbour\n\nthe winter harbour lies empty\n",
        "b.md": "# Tide\n\nthe tide comes into the harbour\n",
        "c.md": "# Bread\n\nflour and salt\n",
    }
    with Project.in_memory(write_notes(tmp_path / "vault", notes), embedder=HashedWords()) as project:
        project.index()
        yield project


def test_a_document_beyond_the_page_needs_a_higher_limit_or_its_page(log: Project):
    order = [result.path for result in log.search("harbour").results]
    found = log.why_not("harbour", order[2], limit=1)
    assert failed(found) == ["words", "lexical", "page"] or failed(found)[-1] == "page"
    assert changes(found) == ["--limit ≥ 3", "--page 3"]
    assert [proposal.derived for proposal in found.proposals] == [True, True]
    assert "document rank 3, which is on page 3 at 1 a page" in detail(found, "page")


def test_an_earlier_page_is_proposed_for_a_document_that_stands_there(log: Project):
    first = log.search("harbour").results[0].path
    assert changes(log.why_not("harbour", first, page=2, limit=1)) == ["--page 1"]


def test_a_returned_document_needs_nothing(log: Project):
    found = log.why_not("winter harbour", "a")
    assert (found.returned_at, found.proposals, failed(found)) == (1, (), [])


def test_only_the_filters_that_keep_it_out_are_dropped(log: Project):
    found = log.why_not("winter", "a.md", paths=("b.md",), kinds=("entity",))
    assert failed(found)[0] == "in scope"
    assert "path lets through 0 of 1 chunks; kind lets through 1 of 1 chunks" in detail(found, "in scope")
    (proposal,) = found.proposals
    assert proposal.change == "without --path"
    assert proposal.changes == SearchRequest("winter", kinds=("entity",))
    assert (proposal.derived, proposal.verified) == (False, True)
    assert "without the filters it would have cosine" in detail(found, "dense")


def test_the_passage_with_the_fewest_filters_against_it_decides_which_are_dropped():
    with indexed(
        {"a.md": "# Log\n\nwinter\n\n- [fact] harbour harbour #boat\n", "b.md": "- x [[Y]] #boat\n"}
    ) as project:
        found = project.why_not("harbour", "a.md", kinds=("relation",), tags=("boat",))
        assert changes(found) == ["without --kind"]


def test_filters_that_only_together_keep_it_out_are_told_apart():
    notes = {"a.md": "# Log\n\nwinter\n\n- [fact] harbour #boat\n"}
    with indexed(notes) as project:
        found = project.why_not("harbour", "a.md", kinds=("entity",), tags=("boat",))
        assert detail(found, "in scope") == (
            "tag lets through 1 of 2 chunks; kind lets through 1 of 2 chunks; all of them together 0"
        )
        assert len([p for p in found.proposals if p.verified]) == 1


def test_only_the_phrase_that_keeps_it_out_becomes_words(log: Project):
    found = log.why_not('"winter harbour" "lies full" -bread', "a.md")
    (proposal,) = found.proposals
    assert proposal.changes is not None
    assert proposal.changes.query == '"winter harbour" lies full -bread'
    found = log.why_not("harbour -winter", "a.md")
    assert changes(found) == ["as the query: harbour"]


def test_a_threshold_is_lowered_to_what_the_document_has(log: Project):
    similarity = log.search("winter tide").results[-1].similarity
    assert similarity is not None
    path = log.search("winter tide").results[-1].path
    found = log.why_not("winter tide", path, min_similarity=0.99)
    assert "threshold" in failed(found)
    assert "< 0.99" in detail(found, "threshold")
    (proposal,) = found.proposals
    assert proposal.changes is not None
    assert proposal.changes.min_similarity == pytest.approx(similarity, abs=0.0011)


def test_another_leg_is_proposed_where_this_one_cannot_find_it(log: Project):
    assert changes(log.why_not("winter", "c.md", mode="lexical")) == ["--mode hybrid"]


def test_a_collapsed_passage_names_the_siblings_before_it():
    facts = "".join(f"- [fact] harbour {word}\n" for word in ("one", "two", "three", "four", "five"))
    with indexed({"a.md": f"# Log\n\n{facts}"}) as project:
        shown = project.search("harbour").results[0].matches
        everything = [chunk for row in project.chunks("a.md").rows for chunk in row.chunks]
        hidden = next(chunk for chunk in everything if chunk.key not in {match.chunk_key for match in shown})
        found = project.why_not("harbour", hidden.pointer)
        assert (found.chunk_key, found.returned_at, failed(found)) == (hidden.key, None, ["collapse"])
        for match in shown:
            assert match.pointer in detail(found, "collapse")
        assert changes(found) == [f"read the passage itself: glassdex open '{hidden.pointer}'"]
        shown_one = project.why_not("harbour", shown[1].pointer)
        assert (shown_one.chunk_key, shown_one.returned_at) == (shown[1].chunk_key, 1)


@pytest.fixture
def lines():
    """Two documents, the second of five passages that all have the word."""
    facts = "".join(f"- [fact] harbour {word}\n" for word in ("one", "two", "three", "four", "five"))
    with indexed({"a.md": "harbour harbour harbour\n", "b.md": f"# Log\n\n{facts}"}) as project:
        yield project


def pointers_of(project: Project, path: str) -> list[str]:
    return [chunk.pointer for row in project.chunks(path).rows for chunk in row.chunks]


def test_no_page_is_proposed_for_a_passage_that_its_siblings_hide_on_every_page(lines: Project):
    shown = {match.pointer for match in lines.search("harbour").results[1].matches}
    for pointer in pointers_of(lines, "b.md"):
        found = lines.why_not("harbour", pointer, limit=1)
        hidden = [] if pointer in shown else ["collapse"]
        assert failed(found) == [*hidden, "page"]
        assert ("--page 2" in changes(found)) == ("--limit ≥ 2" in changes(found)) == (not hidden)
        assert changes(found)[-1] == f"read the passage itself: glassdex open '{pointer}'"
        check_proposals(lines, found)


def test_a_threshold_is_lowered_to_what_the_passage_has_not_to_what_its_document_has(lines: Project):
    counts = [
        check_proposals(lines, lines.why_not("harbour one two", pointer, mode="dense", min_similarity=0.999))
        for pointer in pointers_of(lines, "b.md")
    ]
    assert counts.count(1) == 3


def test_a_stale_document_says_that_the_file_is_newer(log: Project):
    (root_of(log) / "c.md").write_text("# Bread\n\nwinter harbour bread\n")
    found = log.why_not("winter", "c.md", mode="lexical", limit=1)
    assert "fresh" in failed(found)
    assert "rows behind file: the file has changed" in detail(found, "fresh")
    assert "re-index (rows behind file): glassdex index" in changes(found)


def test_a_document_that_is_ignored_by_now_or_gone_says_so(log: Project):
    (root_of(log) / ".gitignore").write_text("c.*\n")
    found = log.why_not("harbour", "c.md", limit=1)
    assert "not ignored" in failed(found)
    assert "c.* in .gitignore" in detail(found, "not ignored")
    (root_of(log) / "c.md").unlink()
    assert "on disk" in failed(log.why_not("harbour", "c.md", limit=1))


@pytest.mark.parametrize("spoil", ["folder", "encoding", "link"])
def test_a_file_that_is_there_and_cannot_be_read_fails_to_be_read_not_to_be_on_disk(log: Project, spoil: str):
    file = root_of(log) / "c.md"
    file.unlink()
    if spoil == "folder":
        file.mkdir()
    elif spoil == "link":
        file.symlink_to(root_of(log) / "a.md")
    else:
        file.write_bytes(b"\xff\xfe\x00winter")
        log.index()
    found = log.why_not("harbour", "c.md", limit=1)
    assert "read" in failed(found)
    assert "on disk" not in failed(found)


def test_a_file_whose_folder_is_gone_is_not_on_disk():
    with indexed({"notes/a.md": "harbour\n", "b.md": "harbour\n"}) as project:
        (root_of(project) / "notes" / "a.md").unlink()
        (root_of(project) / "notes").rmdir()
        (root_of(project) / "notes").write_text("a file where the folder was\n")
        found = project.why_not("harbour", "a.md")
        assert "on disk" in failed(found)
        assert "read" not in failed(found)


def test_a_search_by_words_alone_does_not_blame_missing_vectors():
    with indexed({"a.md": "harbour\n", "b.md": "harbour\n"}, embed=False) as project:
        found = project.why_not("harbour", "b.md", mode="lexical", limit=1)
        assert next(rung.passed for rung in found.rungs if rung.name == "embedded") is None
        assert "embedded" in failed(project.why_not("harbour", "b.md", limit=1))


def test_without_a_vector_the_way_back_is_indexing():
    with indexed({"a.md": "harbour\n", "b.md": "tide\n"}, embed=False) as project:
        found = project.why_not("tide", "a.md")
        assert {"embedded", "words", "candidate"} <= set(failed(found))
        assert changes(found) == ["re-index (index behind rows): glassdex index"]


RULES = {
    ".gitignore": "drafts/\n*.tmp.md\n",
    "drafts/old/x.md": "x\n",
    "y.tmp.md": "y\n",
    "sub/.gitignore": "z.md\n",
    "sub/z.md": "z\n",
    "node_modules/n.md": "n\n",
    "a.md": "a\n",
}


@pytest.mark.parametrize(
    ("path", "rule", "line"),
    [
        ("y.tmp.md", "*.tmp.md in .gitignore", "!/y.tmp.md to .glassdexignore"),
        ("drafts/old/x.md", "drafts/ in .gitignore", "!/drafts/ to .glassdexignore"),
        ("sub/z.md", "z.md in sub/.gitignore", "!/z.md to sub/.glassdexignore"),
        ("node_modules/n.md", "node_modules/ in the default rules", "!/node_modules/ to .glassdexignore"),
    ],
)
def test_an_ignored_file_names_the_rule_and_the_line_that_takes_it_back_works(path: str, rule: str, line: str):
    with indexed(RULES) as project:
        found = project.why_not("x", path)
        assert (found.path, found.returned_at, failed(found)) == (path, None, ["not ignored", "indexed"])
        assert rule in detail(found, "not ignored")
        (change,) = changes(found)
        assert change == f"add the line {line}, then: glassdex index"
        added, file = line.split(" to ")
        with (root_of(project) / file).open("a") as ignore_file:
            ignore_file.write(f"{added}\n")
        project.index()
        assert project.why_not(Path(path).stem.split(".")[0], path).returned_at == 1


def test_files_that_were_skipped_or_failed_say_why(tmp_path: Path):
    notes: dict[str, str | bytes] = {"a.md": "a\n", "bad.md": b"\xff", "pic.bin": b"\0", "table.xyz": "1;2\n"}
    with indexed(notes) as project:
        (root_of(project) / "link.md").symlink_to(root_of(project) / "a.md")
        assert "unsupported_encoding" in detail(project.why_not("x", "bad.md"), "read")
        assert detail(project.why_not("x", "pic.bin"), "read") == "skipped, binary"
        assert detail(project.why_not("x", "table"), "read") == "skipped, no reader for its format"
        assert "skipped, symbolic link" in detail(project.why_not("x", "link.md"), "read")
        (root_of(project) / "new.md").write_text("new\n")
        found = project.why_not("x", str(root_of(project) / "new.md"))
        assert (found.path, changes(found)) == ("new.md", ["index it: glassdex index"])


def test_a_file_that_is_nowhere_says_where_it_was_looked_for_and_what_is_near(log: Project):
    found = log.why_not("x", "nobody/at/all.md")
    assert [(rung.name, rung.passed) for rung in found.rungs] == [("on disk", False)]
    assert str(root_of(log)) in detail(found, "on disk")
    assert changes(log.why_not("x", "Harbor")) == ["did you mean a.md?"]


def test_files_of_one_name_are_ambiguous_also_where_nothing_is_indexed(log: Project):
    for folder in ("one", "two"):
        write_notes(root_of(log) / folder, {"new.md": "x\n"})
    with pytest.raises(DocumentAmbiguous) as error:
        log.why_not("x", "new.md")
    assert error.value.candidates == ("one/new.md", "two/new.md")
    with pytest.raises(ChunkNotFound):
        log.why_not("x", "entity:0123456789abcdef:0")


def test_an_execution_that_watched_is_read_out_and_another_is_searched_again(log: Project):
    watching = log.search("winter", watch=("b.md",), limit=1)
    (root_of(log) / "b.md").write_text("winter winter winter\n")
    log.index()
    assert watching.why_not("b").rungs[-1].name == "page"
    fresh = log.search("winter", limit=1).why_not("b.md")
    assert fresh.rungs != watching.why_not("b").rungs


def test_a_pointer_whose_passage_the_index_does_not_have_says_so_and_goes_on_with_the_document(log: Project):
    pointer = log.chunks("a.md").rows[0].chunks[0].pointer
    (root_of(log) / "a.md").write_text("# Harbour\n\nice in the winter harbour\n")
    log.index()
    found = log.why_not("winter harbour", pointer)
    assert (found.chunk_key, failed(found), found.returned_at) == (None, ["passage"], 1)
