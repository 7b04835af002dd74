"""What a run says of itself, and what two runs do not share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glassdex.evaluation.judgments import JudgedQuery, Judgment, Judgments
from glassdex.evaluation.runs import Run, differences, doubts
from glassdex.project import Project
from tests.search.vaults import DeafToQueries, indexed

NOTES = {"harbour.md": "the harbour at night\n", "bread.md": "the loaf rests\n"}
JUDGED = Judgments("j", "yaml", (JudgedQuery("h", "harbour", (Judgment("harbour.md", 1, "line 1"),), "line 1"),))


@pytest.fixture
def project():
    with indexed(NOTES) as opened:
        yield opened


def test_a_model_that_does_not_answer_is_a_doubt():
    with indexed(NOTES, embedder=DeafToQueries()) as project:
        run = project.evaluate(JUDGED)
    assert run.overall["RR@10"] == 1
    assert doubts(run) == [
        "1 query not answered as asked, the first: searched by words only: the embedding service did not answer"
    ]


def test_a_run_over_what_agrees_with_its_files_has_none(project: Project):
    assert doubts(project.evaluate(JUDGED)) == []


def test_each_thing_that_differs_is_named(project: Project):
    run = project.evaluate(JUDGED)
    assert differences(run, project.evaluate(JUDGED)) == []
    identity = run.identity
    others: dict[str, Run] = {
        "revision": replace(run, identity=replace(identity, revision=replace(identity.revision, fingerprint="x"))),
        "embedding model": replace(run, identity=replace(identity, embedding_identity="x")),
        "analyser": replace(run, identity=replace(identity, lexical_identity="x")),
        "judgments": replace(run, identity=replace(identity, judgments_hash="x")),
        "depth": replace(run, identity=replace(identity, depth=7)),
        "": replace(run, identity=replace(identity, revision=replace(identity.revision, generation=99))),
    }
    for named, other in others.items():
        found = differences(run, other)
        assert len(found) == (1 if named else 0)
        assert all(named in line for line in found)


def test_an_evaluation_writes_nothing_to_the_store(project: Project):
    before = project.search("harbour").engine.generation
    project.evaluate(JUDGED)
    assert project.search("harbour").engine.generation == before


def test_progress_is_heard_of_for_every_query(project: Project):
    heard: list[tuple[int, int]] = []
    project.evaluate(JUDGED, asked=lambda done, all_: heard.append((done, all_)))
    assert heard == [(1, 1)]


def test_a_file_of_judgments_may_be_named(project: Project, tmp_path):
    (tmp_path / "j.yaml").write_text("- {query: loaf, relevant: bread.md}\n", encoding="utf-8")
    assert project.evaluate(tmp_path / "j.yaml").overall["Success@1"] == 1
    assert project.evaluate(str(tmp_path / "j.yaml"), measures=["RR"], depth=5).identity.depth == 5
