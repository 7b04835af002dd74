"""Another embedding model: what becomes of the vectors, and which of them answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.envelopes.search import search_answer
from glassdex.errors import EmbeddingError, InvalidRequest
from glassdex.project import Project
from glassdex.testing import EmbedderConformance
from tests.cli.running import runner
from tests.indexing.runs import Interrupting
from tests.search.vaults import HashedWords, StopsHalfway, paths, write_notes

NOTES = {f"{number:03}.md": f"harbour {number}\n" for number in range(150)}
PAIR = {"harbour.md": "harbour boats\n", "kitchen.md": "bread oven\n"}


SAME = {"quay": "harbour", "loaf": "bread"}


class Thesaurus(HashedWords):
    """A model that also knows that two different words mean the same."""

    def __init__(self) -> None:
        super().__init__(40)
        self.embedded: list[str] = []

    @property
    def identity(self) -> EmbeddingIdentity:
        return EmbeddingIdentity("thesaurus", "", "mean", self.dimensions, "", "", 0)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        translated = [" ".join(SAME.get(word, word) for word in text.split()) for text in texts]
        return super().embed_documents(translated)


class TestTheSecondModelIsARealOne(EmbedderConformance):
    def embedder(self) -> Thesaurus:
        return Thesaurus()


class NamedLikeTheOther(StopsHalfway):
    """The first model's successor, whose service goes away after so many batches."""

    @property
    def identity(self) -> EmbeddingIdentity:
        return EmbeddingIdentity("successor", "", "mean", self.dimensions, "", "", 0)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.in_memory(write_notes(tmp_path / "vault", PAIR), embedder=Thesaurus()) as opened:
        opened.index()
        yield opened


def readiness(project: Project) -> tuple[int, int, int]:
    counts = project.status().counts
    return counts.ready, counts.pending, counts.other_identity


def switch(project: Project, *, embed: bool = False) -> None:
    """From the thesaurus to hashed words."""
    assert isinstance(project.embedder, Thesaurus)
    project.previous_embedder, project.embedder = project.embedder, HashedWords()
    project.index(embed=embed)


def test_the_next_run_marks_every_chunk_as_one_of_another_model(project: Project):
    assert readiness(project) == (2, 0, 0)
    switch(project)
    assert readiness(project) == (0, 2, 2)
    execution = project.search("boats")
    assert (execution.readiness.pending, execution.readiness.other_identity) == (2, 2)
    assert execution.verdict.status == "not_ready"
    assert [view.condition for row in project.chunks("harbour.md").rows for view in row.chunks] == ["other_identity"]


def test_embedding_under_the_new_model_goes_on_where_it_was_stopped(tmp_path: Path):
    with Project.in_memory(write_notes(tmp_path / "vault", NOTES), embedder=HashedWords()) as project:
        project.index()
        project.embedder = NamedLikeTheOther(1)
        with pytest.raises(EmbeddingError):
            project.index()
        project.embedder = NamedLikeTheOther(9)
        assert readiness(project) == (128, 22, 22)
        execution = project.search("harbour", limit=1000)
        assert (execution.readiness.ready, execution.readiness.pending) == (128, 22)
        assert sum(c.vector_pending for c in execution.ledger.candidates.values()) == 22
        assert project.index().embedded == 22
        assert readiness(project) == (150, 0, 0)


def test_interrupted_in_between_both_models_answer_and_the_next_run_does_the_rest(tmp_path: Path):
    with Project.in_memory(write_notes(tmp_path / "vault", NOTES), embedder=Thesaurus()) as project:
        project.index()
        before = project.search("quay 7", limit=1000)
        project.previous_embedder, project.embedder = project.embedder, HashedWords()
        with pytest.raises(KeyboardInterrupt):
            project.index(progress=Interrupting(embedded=128))
        old = project.search("quay 7", limit=1000, identity="previous")
        assert [(r.path, r.score) for r in old.results] == [(r.path, r.score) for r in before.results]
        assert (old.readiness.ready, old.readiness.pending) == (150, 0)
        new = project.search("harbour 7", limit=1000)
        assert (new.readiness.ready, new.readiness.pending, new.readiness.other_identity) == (128, 22, 22)
        assert project.index().embedded == 22
        assert project.search("harbour 7").readiness.pending == 0


def test_only_the_active_models_vectors_are_compared(project: Project):
    assert paths(project.search("quay", mode="dense"))[0] == "harbour.md"
    switch(project, embed=True)
    similarity = {r.path: r.similarity for r in project.search("harbour boats", mode="dense").results}
    own = HashedWords()
    expected = float(own.embed_query("harbour boats") @ own.embed_documents(["harbour boats"])[0])
    assert similarity["harbour.md"] == pytest.approx(expected, abs=1e-6)


def test_the_previous_vectors_answer_when_they_are_asked_for(project: Project):
    before = project.search("quay")
    switch(project)
    after = project.search("quay", identity="previous")
    assert [(r.path, r.score, r.similarity) for r in after.results] == [
        (r.path, r.score, r.similarity) for r in before.results
    ]
    assert after.engine.embedding_identity == before.engine.embedding_identity == Thesaurus().identity.key
    assert (after.readiness.ready, after.readiness.pending) == (2, 0)
    assert after.verdict.status != "not_ready"
    assert {result.freshness.state for result in after.results} == {"index_behind_rows"}


def test_the_trace_names_the_identity_that_was_used(project: Project):
    switch(project, embed=True)
    for choice, key in (("active", HashedWords().identity.key), ("previous", Thesaurus().identity.key)):
        trace = search_answer(project.search("quay", identity=choice), "vault", explain=True).trace  # type: ignore[arg-type]
        assert trace is not None
        assert (trace.request.identity, trace.engine.embedding_identity) == (choice, key)


def test_before_the_next_run_the_stored_vectors_are_the_previous_ones(project: Project):
    project.previous_embedder, project.embedder = project.embedder, HashedWords()
    assert project.search("boats").verdict.status == "not_ready"
    assert paths(project.search("quay", mode="dense", identity="previous"))[0] == "harbour.md"


def test_a_document_of_after_the_switch_has_no_previous_vector(project: Project, tmp_path: Path):
    switch(project)
    write_notes(tmp_path / "vault", {"new.md": "quay news\n"})
    project.index()
    execution = project.search("quay", identity="previous")
    assert set(paths(execution)) == {"new.md", "harbour.md", "kitchen.md"}
    assert (execution.readiness.ready, execution.readiness.pending, execution.readiness.other_identity) == (2, 1, 1)
    assert {c.record.path for c in execution.ledger.candidates.values() if c.vector_pending} == {"new.md"}


def test_neighbours_may_be_those_of_the_previous_vectors(project: Project):
    switch(project)
    key = project.chunks("harbour.md").rows[0].chunks[0].key
    assert [n.path for n in project.neighbors(key, identity="previous").neighbors] == ["kitchen.md"]


def test_switching_back_embeds_nothing(project: Project):
    old = project.embedder
    switch(project, embed=True)
    assert isinstance(old, Thesaurus)
    old.embedded.clear()
    project.previous_embedder, project.embedder = project.embedder, old
    report = project.index()
    assert (report.embedded, report.pending, old.embedded) == (0, 0, [])
    assert readiness(project) == (2, 0, 0)
    execution = project.search("quay", identity="previous")
    assert execution.engine.embedding_identity == HashedWords().identity.key


def test_a_model_that_never_made_a_vector_is_not_a_previous_one(project: Project):
    old = project.embedder
    project.embedder = NamedLikeTheOther(0)
    with pytest.raises(EmbeddingError):
        project.index()
    project.previous_embedder, project.embedder = old, HashedWords()
    project.index()
    assert project.search("quay", identity="previous").engine.embedding_identity == old.identity.key


def test_without_a_previous_model_asking_for_it_is_a_wrong_request(project: Project):
    with pytest.raises(InvalidRequest, match="no vectors of a previous model"):
        project.search("quay", identity="previous")
    with pytest.raises(InvalidRequest, match="unknown identity 'first'"):
        project.search("quay", identity="first")  # type: ignore[arg-type]


def test_a_previous_model_that_is_not_at_hand_is_named(project: Project):
    switch(project)
    project.previous_embedder = None
    with pytest.raises(EmbeddingError, match="thesaurus@"):
        project.search("quay", identity="previous")
    assert paths(project.search("boats", mode="lexical", identity="previous")) == ["harbour.md"]


def test_the_shipped_model_is_always_at_hand_as_the_previous_one(tmp_path: Path):
    with Project.in_memory(write_notes(tmp_path / "vault", PAIR)) as project:
        project.index()
        project.embedder = HashedWords()
        project.index()
        execution = project.search("ships in port", mode="dense", identity="previous")
        assert paths(execution)[0] == "harbour.md"
        assert execution.engine.embedding_identity.startswith("all-MiniLM-L6-v2")


def test_the_choice_survives_the_process(tmp_path: Path):
    root = write_notes(tmp_path / "vault", PAIR)
    with Project.create(f"switch-{tmp_path.name}", [root], embedder=Thesaurus()) as project:
        project.index()
        switch(project, embed=True)
    with Project.open(project.name, embedder=HashedWords()) as project:
        project.previous_embedder = Thesaurus()
        assert paths(project.search("quay", mode="dense", identity="previous"))[0] == "harbour.md"


def test_the_command_line_says_which_model_is_not_at_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    with Project.create("switched", [write_notes(tmp_path / "vault", PAIR)], embedder=Thesaurus()) as project:
        project.index()
    run = runner(capsys)
    assert run("index", "--no-embed", "--project", "switched").code == 0
    assert "2 of them with one of another model" in run("search", "--project", "switched", "boats").out
    key = run("inspect", "chunks", "harbour.md", "--project", "switched", "--json").answer["rows"][0]["chunks"][0][
        "key"
    ]
    for words in (("search", "boats"), ("inspect", "neighbors", key)):
        refused = run(*words, "--project", "switched", "--identity", "previous")
        assert refused.code == 3
        assert "made by thesaurus@" in refused.err


def test_the_command_line_lists_neighbours_by_the_vectors_of_the_model_before(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    switch(project)
    key = project.chunks("harbour.md").rows[0].chunks[0].key
    monkeypatch.setattr("glassdex.cli.inspect.chosen_project", lambda _name: nullcontext(project))
    run = runner(capsys)
    assert run("inspect", "neighbors", key, "--json").error["code"] == "vector_missing"
    found = run("inspect", "neighbors", key, "--identity", "previous", "--json").answer
    assert [neighbor["document"] for neighbor in found["neighbors"]] == ["kitchen.md"]
    assert "unknown identity 'first'" in run("inspect", "neighbors", key, "--identity", "first").err


def test_after_a_switch_no_query_is_answered_confidently(project: Project):
    switch(project)
    for query in ("harbour", "zeppelin", "harbour zeppelin"):
        assert project.search(query).verdict.status == "not_ready", query
        assert project.search(query, page=50).verdict.status == "not_ready", query
