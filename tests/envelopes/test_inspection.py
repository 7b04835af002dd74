"""What the inspector prints as JSON keeps the published schemas."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import QUERY, Run, write
from tests.envelopes.test_envelopes import decimals, holds


def test_chunks_hold(in_vault: Run) -> None:
    answer = holds(in_vault("inspect", "chunks", "Embedding providers", "--json").answer, "glassdex.chunks/1")
    assert answer["freshness"]["file_vs_rows"]["state"] == answer["freshness"]["rows_vs_index"]["state"] == "equal"
    assert "orphans" not in answer


def test_chunks_of_a_stale_document_without_vectors_hold(run: Run, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="# A\n\nowl\n\n- [fact] bee\n- eats [[B]]\n")
    run("index", notes, "--no-embed")
    write(notes, a="# A\n\nowls\n")
    answer = holds(run("inspect", "chunks", "a", "--json").answer, "glassdex.chunks/1")
    assert answer["freshness"]["state"] == "rows_behind_file"
    assert answer["freshness"]["rows_vs_index"]["state"] == "behind"
    (notes / "a.md").unlink()
    answer = holds(run("inspect", "chunks", "a", "--json").answer, "glassdex.chunks/1")
    assert (answer["freshness"]["state"], answer["freshness"]["file_vs_rows"]["state"]) == ("unknown", "unreadable")


def test_a_search_with_everything_holds(in_vault: Run) -> None:
    answer = in_vault(
        "search", QUERY, "--explain", "--show-misses", "--watch", "people/tobias-kessler.md",
        "--watch", "Restore Shoal", "--watch", "nobody.md",
        "--path", "decisions/", "--min-similarity", "0.3", "-n", "2", "--json",
    )  # fmt: skip
    found = holds(answer.answer, "glassdex.search/1")
    holds(found["trace"], "glassdex.trace/1")
    assert len(found["why_not"]) == 3
    for ladder in found["why_not"]:
        holds(ladder, "glassdex.why_not/1")
    assert decimals(found["trace"]["watched"]) <= 6
    watched = found["trace"]["watched"][0]["chunks"][0]
    assert (watched["candidate"], watched["outside"]) == (False, ["path"])


def test_why_not_holds(in_vault: Run) -> None:
    for arguments in ((QUERY, "nobody.md"), ("buoy", "Embedding providers", "-n1"), (QUERY, "Embedding providers")):
        holds(in_vault("inspect", "why-not", *arguments, "--json").answer, "glassdex.why_not/1")


def test_neighbours_hold(in_vault: Run) -> None:
    pointer = in_vault("search", QUERY, "-n1", "--json").answer["results"][0]["matches"][0]["pointer"]
    answer = holds(in_vault("inspect", "neighbors", pointer, "--json").answer, "glassdex.neighbors/1")
    assert answer["chunk"]["pointer"] == pointer
    assert len(answer["neighbors"]) == 10
