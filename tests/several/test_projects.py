"""Several projects searched at once, through the Python API."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import glassdex
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.envelopes.several import several_answer
from glassdex.errors import (
    DocumentAmbiguous,
    DocumentNotFound,
    DocumentRequired,
    EmbeddingError,
    InvalidRequest,
    ProjectNotFound,
    RewriteError,
)
from glassdex.pointers import parse_pointer
from glassdex.project import Project
from glassdex.rewriting.protocol import FurtherWords, Rewrite
from glassdex.several.execution import SeveralExecution
from glassdex.several.projects import Projects
from tests.cli.running import VAULT, write
from tests.several.conftest import NOTES

QUERY = "harbour ice in winter"


def found(done: SeveralExecution) -> list[tuple[str, str]]:
    return [(result.project, result.result.path) for result in done.results]


def test_results_are_one_ranking_and_name_their_project(both: Projects):
    done = both.search(QUERY)
    assert [result.result.rank for result in done.results] == [1, 2, 3, 4, 5]
    assert found(done)[:2] == [("island", "ice.md"), ("inland", "harbour.md")]
    scores = [result.result.score for result in done.results]
    assert scores == sorted(scores, reverse=True)
    assert done.page.total == 5
    assert done.page.total_exact
    assert done.verdict.status == "ok"


def test_each_project_keeps_its_own_order(both: Projects):
    done = both.search(QUERY)
    for project in both.projects:
        alone = [result.path for result in project.search(QUERY).results]
        assert [path for name, path in found(done) if name == project.name] == alone


def test_the_order_of_the_names_changes_no_result(home: Path):
    with Projects.open(["island", "inland"]) as reversed_, Projects.open(["inland", "island"]) as projects:
        assert reversed_.search(QUERY).results == projects.search(QUERY).results


@pytest.mark.parametrize("rerank", ["none", "late-interaction"])
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_pages_are_slices_of_one_ranking(both: Projects, mode: str, rerank: str):
    whole = both.search(QUERY, mode=mode, limit=6, rerank=rerank)  # type: ignore[arg-type]
    pages = [both.search(QUERY, mode=mode, limit=2, page=page, rerank=rerank) for page in (1, 2, 3)]  # type: ignore[arg-type]
    assert [result for page in pages for result in page.results] == list(whole.results)
    assert [page.page.has_more for page in pages] == [len(whole.results) > 2, len(whole.results) > 4, False]


def test_a_page_past_the_end_says_so(both: Projects):
    done = both.search(QUERY, page=7)
    assert done.results == ()
    assert done.verdict.reason == "page 7 is past the last of 5 documents"
    assert done.page.past_end


def test_at_every_stage_what_came_in_went_on_or_was_dropped(both: Projects):
    done = both.search(QUERY, limit=1)
    for _, execution in done.answered:
        for stage in execution.ledger.stages:
            assert stage.entered + stage.added == stage.left + stage.dropped.total()
        names = [stage.name for stage in execution.ledger.stages]
        assert names.index("collapse") < names.index("merge") < names.index("page")


def test_the_pointers_open_as_they_are(both: Projects):
    for result in both.search(QUERY).results:
        for match in result.result.matches:
            owner = parse_pointer(match.pointer).project
            assert owner == result.project
            with Project.open(owner) as project:
                assert project.open_pointer(match.pointer).state == "exact"


def test_an_answer_with_and_without_explanation_has_the_same_results(both: Projects):
    done = both.search(QUERY)
    plain, explained = several_answer(done), several_answer(done, explain=True)
    assert plain.results == explained.results
    assert plain.executions is None
    assert explained.executions is not None
    assert [one.project for one in explained.executions] == ["inland", "island"]
    assert explained.trace is None
    assert explained.merge is not None
    assert explained.merge.results is not None
    placed = {(one.project, one.document): one.merge for one in explained.merge.results}
    for execution in explained.executions:
        for candidate in execution.trace.candidates:
            if candidate.final is not None and candidate.final.match == 1:
                assert candidate.merge == placed[execution.project, candidate.document]
                assert candidate.final.rank == candidate.merge.rank


def test_passages_by_their_place_come_project_by_project(both: Projects):
    done = both.search("", paths=("harbour.md", "ice.md"))
    assert found(done) == [("inland", "harbour.md"), ("island", "ice.md")]
    assert done.request.mode == "positional"


# --- names ---------------------------------------------------------------------------------------------------------


def test_a_name_in_two_projects_is_ambiguous_and_the_candidates_name_them(both: Projects):
    for options in ({"in_document": "report.md"}, {"watch": ("report",)}):
        with pytest.raises(DocumentAmbiguous) as refused:
            both.search("harbour", **options)
        assert refused.value.candidates == ("inland:report.md", "island:report.md")


def test_a_name_with_its_project_is_that_ones(both: Projects):
    done = both.search("ferry", in_document="island:report")
    assert found(done) == [("island", "report.md")]
    assert [(one.project, one.status) for one in done.outcomes] == [("inland", "skipped"), ("island", "answered")]


def test_a_name_that_one_project_alone_has_is_that_ones(both: Projects):
    done = both.search("harbour", in_document="ice")
    assert found(done) == [("island", "ice.md")]
    assert done.outcomes[0].reason == "the document is in island"
    assert done.verdict.status in ("ok", "weak")


def test_a_place_in_several_projects_asks_for_the_document(both: Projects):
    with pytest.raises(DocumentRequired) as refused:
        both.search("harbour", line_from=1)
    assert all(candidate.startswith(("inland:", "island:")) for candidate in refused.value.candidates)


def test_why_not_tells_the_merged_rank_and_its_proposals_work(both: Projects):
    done = both.search(QUERY, limit=1, watch=("inland:owls",))
    ladder = done.why_not("inland:owls")
    assert ladder.path == "inland:owls.md"
    merged = {rung.name: rung.detail for rung in ladder.rungs}["merged"]
    assert merged.startswith("rank 3 of its project → ")
    assert ladder.proposals
    for proposal in ladder.proposals:
        assert proposal.changes is not None
        again = both._search(proposal.changes)
        assert ("inland", "owls.md") in found(again)


def test_why_not_tries_its_proposals_in_all_projects(both: Projects):
    ladder = both.search(QUERY, in_document="ice", watch=("harbour",)).why_not("harbour")
    assert [rung.name for rung in ladder.rungs] == ["indexed", "in scope"]
    ladder = both.search(QUERY, paths=("owls.md",), limit=1, watch=("harbour",)).why_not("harbour")
    proposal = ladder.proposals[0]
    assert proposal.verified
    assert proposal.changes is not None
    assert ("inland", "harbour.md") in found(both._search(proposal.changes))


def test_a_pointer_of_a_project_that_was_not_chosen_is_refused(both: Projects):
    with pytest.raises(ProjectNotFound, match="not among the chosen"):
        both.search("harbour", watch=("private:report.md#L3,c=10-43@3fa9c1d2e4b5",))


# --- projects that cannot answer -------------------------------------------------------------------------------------


def test_a_project_that_cannot_be_opened_stops_nobody(
    three_homes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.copytree(three_homes, tmp_path / "home")
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "projects" / "private.db").write_bytes(b"no database at all")
    with Projects.open_all() as projects:
        done = projects.search(QUERY)
    assert [(one.project, one.status) for one in done.outcomes] == [
        ("inland", "answered"),
        ("island", "answered"),
        ("private", "failed"),
    ]
    assert len(done.results) == 5
    assert done.verdict.status == "weak"
    assert "private could not be searched" in done.verdict.reason
    assert not done.page.total_exact


class NoModel(MiniLmEmbedder):
    """A model that is not there when a query comes."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        raise EmbeddingError("the model file is gone")


def test_a_project_that_fails_while_it_searches_stops_nobody(both: Projects):
    both.projects[0].embedder = NoModel()
    done = both.search("ice", mode="dense")
    assert [one.status for one in done.outcomes] == ["failed", "answered"]
    assert {project for project, _ in found(done)} == {"island"}
    both.projects[1].embedder = NoModel()
    with pytest.raises(EmbeddingError, match="inland: the model file is gone"):
        both.search("ice", mode="dense")


def test_a_model_that_fails_in_one_project_takes_the_cosines_out_of_the_merge(both: Projects):
    both.projects[0].embedder = NoModel()
    done = both.search(QUERY)
    assert done.merge.comparable == ("words",)
    assert done.notes[0] == "inland could not be searched by meaning: merged by words alone"
    assert "inland: searched by words only: the model file is gone" in done.notes


class Mirrored(MiniLmEmbedder):
    """Another model: its vectors are the shipped one's with their signs changed."""

    @property
    def identity(self) -> EmbeddingIdentity:
        return EmbeddingIdentity("mirrored", "", "mean", 384, "", "", 256)

    def _embed(self, text: str) -> NDArray[np.float32]:
        return -super()._embed(text)


def test_projects_of_different_models_are_merged_without_their_cosines(tmp_path: Path):
    first = Project.in_memory(write(tmp_path / "a", **NOTES["inland"]))
    second = Project.in_memory(write(tmp_path / "b", **NOTES["island"]), embedder=Mirrored())
    first.name, second.name = "a", "b"
    with Projects([first, second]) as projects:
        for project in projects.projects:
            project.index()
        done = projects.search(QUERY)
        assert done.merge.comparable == ("words",)
        assert "cosines of different models cannot be compared" in done.notes[0]
        assert {name for name, _ in found(done)} == {"a", "b"}
        answer = several_answer(done, explain=True)
        assert answer.merge is not None
        assert answer.merge.notes == done.merge.notes


def test_a_query_is_embedded_once_for_all(home: Path):
    asked = []

    class Counting(MiniLmEmbedder):
        def embed_query(self, text: str) -> NDArray[np.float32]:
            asked.append(text)
            return super().embed_query(text)

    with Projects.open(["inland", "island"], embedder=Counting()) as projects:
        projects.search(QUERY)
        assert len(asked) == 1


def test_all_projects_look_for_the_same_rewritten_query(both: Projects):
    class Moody:
        """Says something else each time it is asked, and every third time nothing."""

        name = identity = "moody"
        kind = "both"
        asked = 0

        def rewrite(self, query: str) -> Rewrite:
            self.asked += 1
            if self.asked % 3 == 0:
                raise RewriteError("not in the mood")
            return Rewrite([FurtherWords(f"ferry{self.asked}", 0.5)], [f"Ships wait for the ferry {self.asked} times."])

    moody = Moody()
    for project in both.projects:
        project.rewriters["moody"] = moody
    for number, query in enumerate(("harbour", "winter", "ice"), start=1):
        done = both.search(query, rewrite="moody")
        assert moody.asked == number
        texts = {execution.ledger.rewriting and execution.ledger.rewriting.texts for _, execution in done.answered}
        assert len(texts) == 1
        assert done.merge.comparable == ("similarity", "words")
        assert all(0 <= found.merged.parts["words"] <= 0.5 for found in done.results)
    assert "not rewritten: not in the mood" in done.notes


def test_projects_have_names_of_their_own(home: Path):
    with Project.open("inland") as project, pytest.raises(InvalidRequest):
        Projects([project, project])
    with pytest.raises(ProjectNotFound) as refused:
        Projects.open(["inland", "nowhere"])
    assert refused.value.candidates == ("inland", "island", "private")


# --- isolation -------------------------------------------------------------------------------------------------------


SECRETS = ("private", "xylograph", "zymurgy", "plankton")


@pytest.mark.parametrize("query", ["xylographs", "zymurgi plankton", "harbour", "winter -xylograph"])
def test_nothing_of_an_unnamed_project_is_in_an_answer(both: Projects, query: str):
    done = both.search(query, watch=("harbour",))
    missed = {name: execution.misses(None) for name, execution in done.answered}
    text = several_answer(done, explain=True, missed=missed, ladders=[done.why_not("harbour")]).to_json()
    for secret in SECRETS:
        if secret not in query:
            assert secret not in text.replace(query, "").lower()


@pytest.mark.parametrize("name", ["xylograp", "private/report.md", "private:report.md", "xylograph.md"])
def test_no_error_offers_what_an_unnamed_project_has(both: Projects, name: str):
    with pytest.raises(DocumentNotFound) as refused:
        both.search("harbour", in_document=name)
    said = " ".join([refused.value.message, refused.value.suggestion, *refused.value.candidates]).replace(name, "")
    assert not any(secret in said for secret in SECRETS)
    ladder = both.search("harbour", watch=(name,)).why_not(name)
    told = " ".join(rung.detail for rung in ladder.rungs) + " ".join(p.change for p in ladder.proposals)
    assert not any(secret in told.replace(name, "") for secret in SECRETS)


def test_suggestions_come_from_the_chosen_projects(both: Projects):
    answer = several_answer(both.search("xylographz harbuor"))
    assert answer.unknown_words is not None
    assert {word.word: word.near for word in answer.unknown_words} == {"xylographz": (), "harbuor": ("harbour",)}


def test_one_project_and_several_agree(home: Path):
    with Project.open("inland") as alone, Projects.open(["inland"]) as one:
        assert [r.path for r in alone.search(QUERY).results] == [path for _, path in found(one.search(QUERY))]


def test_the_public_api_offers_it(tmp_path: Path):
    first, second = (
        glassdex.Project.in_memory(VAULT),
        glassdex.Project.in_memory(write(tmp_path / "a", **NOTES["island"])),
    )
    first.name, second.name = "vault", "island"
    with glassdex.Projects([first, second]) as projects:
        for project in projects.projects:
            project.index()
        done = projects.search("why is the embedding model swappable")
    assert isinstance(done, glassdex.SeveralExecution)
    assert done.results[0].project == "vault"
