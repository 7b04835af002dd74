"""Filters narrow what may be seen at all; every leg ranks inside."""

from __future__ import annotations

import os
import unicodedata
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassdex.project import Project
from tests.search.reference import Reference
from tests.search.vaults import WORDS, indexed, paths, queries, root_of, vaults

CAFE_NFC, CAFE_NFD = "caf\u00e9", "cafe\u0301"
NOTES = {
    "top.md": "---\ntags: [boat/deck]\ndate: 2026-01-31\n---\n\nharbour top\n",
    "notes/a.md": "---\ntags: [Boat]\ndate: 2026-02-01T09:00:00+02:00\n---\n\nharbour a\n\n"
    "- [fact] harbour rope #Splice\n",
    "notes/2026/b.md": "---\ntags: [boatyard, 財務]\ndate: 2025-12-31\n---\n\nharbour b\n\n- moored_at [[Top]]\n",
    f"{CAFE_NFD}/c.md": "harbour c\n",
}
ALL = [f"{CAFE_NFC}/c.md", "notes/2026/b.md", "notes/a.md", "top.md"]


@pytest.fixture(scope="module")
def dated():
    with indexed(NOTES) as project:
        file = root_of(project) / CAFE_NFD / "c.md"
        moment = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()
        os.utime(file, (moment, moment))
        project.index()
        yield project


def found(project: Project, **filters: Any) -> list[str]:
    return sorted(paths(project.search("harbour", limit=50, **filters)))


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("top.md",), ["top.md"]),
        (("/notes/",), ["notes/2026/b.md", "notes/a.md"]),
        (("notes/*",), ["notes/2026/b.md", "notes/a.md"]),
        (("notes/*.md",), ["notes/a.md"]),
        (("**/2026/**",), ["notes/2026/b.md"]),
        (("*.md",), ALL),
        (("b.md", "top.md"), ["notes/2026/b.md", "top.md"]),
        (("*.md", "!/notes/**"), [f"{CAFE_NFC}/c.md", "top.md"]),
        ((CAFE_NFC + "/",), [f"{CAFE_NFC}/c.md"]),
        ((CAFE_NFD + "/",), [f"{CAFE_NFC}/c.md"]),
        (("TOP.md",), []),
        (("",), []),
    ],
)
def test_paths_are_patterns_as_in_gitignore(dated: Project, patterns: tuple[str, ...], expected: list[str]):
    assert found(dated, paths=patterns) == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("boat",), ["notes/a.md", "top.md"]),
        (("#BOAT",), ["notes/a.md", "top.md"]),
        (("boat/deck",), ["top.md"]),
        (("boat/de",), []),
        (("財務",), ["notes/2026/b.md"]),
        (("boatyard", "boat/deck"), ["notes/2026/b.md", "top.md"]),
        (("\ud800",), []),
    ],
)
def test_a_tag_finds_those_below_it_in_any_case(dated: Project, tags: tuple[str, ...], expected: list[str]):
    assert found(dated, tags=tags) == expected


def test_the_tag_of_an_observation_is_not_that_of_its_note(dated: Project):
    execution = dated.search("harbour", tags=("splice",))
    assert [c.record.kind for c in execution.ledger.candidates.values()] == ["observation"]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("observation",), {"observation"}),
        (("relation",), {"relation"}),
        (("relation", "entity"), {"entity", "relation"}),
    ],
)
def test_kinds_narrow_to_rows_of_that_kind(dated: Project, kinds: tuple[str, ...], expected: set[str]):
    execution = dated.search("harbour", kinds=kinds, mode="dense")
    assert {c.record.kind for c in execution.ledger.candidates.values()} == expected


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2026-01-31", "2026-01-31", ["top.md"]),
        ("2026-02-01", None, [f"{CAFE_NFC}/c.md", "notes/a.md"]),
        (None, "2025-12-31", ["notes/2026/b.md"]),
        (None, "2025-12-30", []),
        ("2026-02-01T07:00Z", "2026-02-01T07:00Z", ["notes/a.md"]),
        ("2026-02-01T09:00+02:00", "2026-02-01T09:00+02:00", ["notes/a.md"]),
        ("2026-02-01T09:00", "2026-02-01T09:00", []),
        ("2026-02-01T07:00:01Z", "2026-02-28", []),
        ("2026-03-01", "2026-03-01", [f"{CAFE_NFC}/c.md"]),
    ],
)
def test_dates_are_inclusive_and_come_from_the_note_before_the_file(
    dated: Project, since: str | None, until: str | None, expected: list[str]
):
    assert found(dated, since=since, until=until) == expected


def test_every_filter_says_how_many_chunks_it_left(dated: Project):
    execution = dated.search("harbour -rope", paths=("notes/",), tags=("boat",), kinds=("entity", "observation"))
    ledger = execution.ledger
    assert [(f.name, f.entered, f.left) for f in ledger.scope_filters] == [
        ("path", 6, 4), ("tag", 4, 2), ("kind", 2, 2), ("excluded words", 2, 1),
    ]  # fmt: skip
    assert ledger.stages[0].dropped == {"path": 2, "tag": 2, "excluded words": 1}
    assert ledger.scope_total == 1
    assert paths(execution) == ["notes/a.md"]


@pytest.mark.parametrize("filters", [{"paths": ("nowhere/",)}, {"tags": ("nobody",)}, {"since": "2050-01-01"}])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_filters_that_leave_nothing_are_told_from_a_search_that_finds_nothing(dated: Project, filters: Any, mode: Any):
    execution = dated.search("harbour", mode=mode, **filters)
    assert execution.verdict.status == "scope_empty"
    assert execution.results == ()
    assert dated.search("zzyzx", mode="lexical").verdict.status == "nothing_relevant"


def test_an_empty_project_says_so():
    with indexed({}) as project:
        execution = project.search("harbour", paths=("a/",))
        assert execution.verdict.status == "index_empty"
        assert execution.results == ()


plain_queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "paths": st.sampled_from([("notes/",), ("*.md",), ("日記/",), (f"{CAFE_NFC}/", "a.md"), ("with space/",)]),
        "tags": st.sampled_from([("boat",), ("財務", "x1"), ("boat/deck",)]),
        "kinds": st.sampled_from([("entity",), ("observation",), ("relation", "observation")]),
        "since": st.dates().map(str),
    },
)


@settings(max_examples=60)
@given(vaults, queries, FILTERS, st.sampled_from(["hybrid", "lexical", "dense"]))
def test_nothing_outside_the_scope_is_ever_a_candidate(notes, query, filters, mode):
    with indexed(notes) as project:
        execution = project.search(query, mode=mode, limit=100, **filters)
        reference = Reference(project)
        allowed = {
            chunk_id
            for chunk_id, passage in reference.passages.items()
            if passage.record.kind in filters.get("kinds", (passage.record.kind,))
            and in_folder(passage.record.path, filters.get("paths"))
        }
        assert set(execution.ledger.candidates) <= allowed
        assert execution.ledger.scope_total <= len(allowed)
        if "paths" not in filters and "kinds" not in filters:
            return
        elsewhere = project.search(query, mode=mode, limit=100)
        # What narrows the scope changes nobody's raw score.
        for chunk_id, candidate in execution.ledger.candidates.items():
            twin = elsewhere.ledger.candidates.get(chunk_id)
            if twin is not None:
                assert {leg: s.score for leg, s in candidate.legs.items()} == {
                    leg: s.score for leg, s in twin.legs.items()
                }


def in_folder(path: str, patterns: tuple[str, ...] | None) -> bool:
    if patterns is None or "*.md" in patterns:
        return True
    names = [unicodedata.normalize("NFC", pattern).rstrip("/") for pattern in patterns]
    return any(name in path.split("/") for name in names)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(folders=st.lists(st.integers(0, 6), unique=True, min_size=1, max_size=4), query=plain_queries)
def test_meaning_inside_a_scope_is_what_brute_force_finds(
    crowd: Project, crowd_reference: Reference, folders: list[int], query: str
):
    execution = crowd.search(query, mode="dense", paths=tuple(f"{n}/" for n in folders), limit=1000)
    inside = [
        cosine
        for chunk_id, cosine in crowd_reference.cosines(query).items()
        if int(crowd_reference.passages[chunk_id].record.path.split("/")[0]) in folders
    ]
    best = sorted(inside, reverse=True)[:200]
    ranked = sorted(execution.ledger.candidates.values(), key=lambda c: c.legs["dense"].rank or 0)
    assert [c.legs["dense"].score for c in ranked] == pytest.approx(best, abs=2e-6)
    assert execution.ledger.scope_total == len(inside)


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2026", None, [f"{CAFE_NFC}/c.md", "notes/a.md", "top.md"]),
        (None, "2025", ["notes/2026/b.md"]),
        ("2026-02", "2026-02", ["notes/a.md"]),
        ("2025-12", "2026-01", ["notes/2026/b.md", "top.md"]),
    ],
)
def test_a_month_and_a_year_mean_all_of_their_days(dated, since, until, expected):
    assert found(dated, since=since, until=until) == expected
