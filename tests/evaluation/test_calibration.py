"""Learning the floors of a corpus, keeping them, and leaving them aside once they do not fit."""

from __future__ import annotations

import json

import pytest

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.envelopes.calibration import calibration_answer, histogram
from glassdex.envelopes.search import search_answer
from glassdex.errors import InvalidRequest, UnavailableError
from glassdex.evaluation.calibration import Asked, learn_floors, passage_queries, quantile, unrelated_questions
from glassdex.project import Project
from glassdex.search.floors import RankingConfiguration, default_floors
from glassdex.settings import FUSIONS
from tests.search.vaults import HashedWords, indexed

SUBJECTS = ("harbour", "tide", "winter", "sailing", "mooring", "lantern", "rudder")
NOTES = {
    f"{subject}/{number}.md": f"# {subject.title()} log {number}\n\nThe {subject} was seen near pier {number}"
    f" while the crew wrote report {subject}{number} and went home early.\n"
    for subject in SUBJECTS
    for number in range(10)
}
CONFIGURATION = RankingConfiguration("model@1", "analyser", "convex/1")


class Renamed(HashedWords):
    @property
    def identity(self):
        return EmbeddingIdentity("renamed", "", "mean", self.dimensions, "", "", 0)


@pytest.fixture
def project():
    with indexed(NOTES) as opened:
        yield opened


def without_verdict(project: Project, query: str) -> str:
    answer = json.loads(search_answer(project.search(query), "p").to_json())
    del answer["verdict"]
    return json.dumps(answer)


def test_the_questions_that_ship_are_about_two_hundred_different_ones():
    questions = unrelated_questions()
    assert len(questions) == len(set(questions)) >= 200
    assert not any(question.startswith("#") for question in questions)


def test_a_calibration_is_stored_and_used_and_says_so(project: Project):
    before = project.search("harbour").verdict.evidence.floors
    assert (before.source, before.similarity) == ("default", None)
    calibration = project.calibrate()
    after = project.search("harbour").verdict.evidence.floors
    assert after == calibration.floors
    assert after.source == "calibrated"
    assert after.similarity is not None
    assert after.configuration == before.configuration == calibration.configuration.hash
    assert calibration.before == before


def test_results_are_the_same_bytes_with_and_without_a_calibration(project: Project):
    queries = ["harbour", "pier 3 report", "what rhymes with orange", "zzyzx"]
    before = [without_verdict(project, query) for query in queries]
    project.calibrate()
    assert [without_verdict(project, query) for query in queries] == before


def test_a_calibration_makes_no_new_generation_so_nothing_is_loaded_again(project: Project):
    before = project.search("harbour").engine.generation
    project.calibrate()
    assert project.search("harbour").engine.generation == before


def test_a_calibration_holds_for_every_fusion_since_its_floor_is_a_cosine(project: Project):
    floors = project.calibrate().floors
    for fusion in FUSIONS:
        execution = project.search("harbour", fusion=fusion)
        assert execution.verdict.evidence.floors == floors
        assert execution.ledger.notes == []
        assert project.calibrate(fusion=fusion).floors == floors


def test_another_model_ignores_the_calibration_and_says_so(project: Project):
    project.calibrate()
    project.embedder = Renamed()
    project.index()
    floors = project.search("harbour").verdict.evidence.floors
    assert (floors.source, floors.similarity) == ("default", None)
    assert floors.ignored == f"it was made with the embedding model {HashedWords().identity.key}"
    assert project.calibrate().floors.source == "calibrated"
    assert project.search("harbour").verdict.evidence.floors.ignored == ""


def test_a_changed_constant_of_the_ranking_ignores_the_calibration(project: Project, monkeypatch: pytest.MonkeyPatch):
    project.calibrate()
    monkeypatch.setattr("glassdex.search.floors.WINDOW", 100)
    floors = project.search("harbour").verdict.evidence.floors
    assert floors.source == "default"
    assert "earlier ranking configuration" in floors.ignored


def test_vectors_that_are_missing_are_refused():
    with indexed(NOTES, embed=False) as project, pytest.raises(UnavailableError, match="70 chunks have no vector"):
        project.calibrate()


def test_another_model_s_vectors_are_refused(project: Project):
    project.embedder = Renamed()
    with pytest.raises(UnavailableError, match="another model's"):
        project.calibrate()


def test_too_few_passages_are_refused_and_nothing_is_stored():
    with indexed({"a.md": "harbour\n"}) as project:
        with pytest.raises(InvalidRequest, match="1 passages"):
            project.calibrate()
        assert project.search("harbour").verdict.evidence.floors.ignored == ""


def test_the_same_content_gives_the_same_queries_and_they_are_headings_and_rare_words(project: Project):
    queries = passage_queries(project.store, project.analyzer)
    assert queries == passage_queries(project.store, project.analyzer)
    assert len(queries) == len(set(queries)) > 20
    assert any(" log " in query for query in queries)
    shortened = [query for query in queries if " log " not in query]
    assert shortened
    assert all(len(query.split()) <= 6 for query in shortened)


def asked(similarities: list[float], coverage: float) -> list[Asked]:
    return [Asked(f"q{similarity}", similarity, coverage, None) for similarity in similarities]


def test_the_floor_is_what_nineteen_of_twenty_unrelated_questions_stay_below():
    unrelated = asked([n / 1000 for n in range(101)], 0.0)
    floors = learn_floors(asked([0.9] * 50, 1.0), unrelated, CONFIGURATION)
    assert floors.similarity == 0.095
    assert floors.coverage == default_floors(CONFIGURATION).coverage


def test_the_floor_gives_way_until_two_percent_of_the_corpus_s_own_are_below_it():
    own = asked([n / 100 for n in range(100)], 0.2)
    floors = learn_floors(own, asked([0.5] * 50, 0.0), CONFIGURATION)
    assert floors.similarity == 0.02
    assert sum(question.similarity < 0.02 for question in own) == 2


def test_quantiles_and_histograms_are_what_they_say():
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([1.0, 2.0], 0.25) == 1.25
    counts = histogram([-0.2, 0.0, 0.049, 0.05, 0.999, 1.0])
    assert (counts[0], counts[1], counts[19], sum(counts)) == (3, 1, 2, 6)


def test_expected_errors_are_shares_of_all_questions(project: Project):
    calibration = project.calibrate()
    for shares in calibration.expected.values():
        assert sum(shares.values()) == pytest.approx(1, abs=1e-3)
    answer = calibration_answer(calibration, "p")
    assert answer.unrelated.questions == len(unrelated_questions())
    assert sum(answer.unrelated.histogram) == answer.unrelated.questions


def test_on_a_real_vault_one_unrelated_question_in_twenty_is_missed_and_no_own_passage(own_example: Project):
    calibration = own_example.calibrate()
    assert calibration.expected["unrelated"]["nothing_relevant"] >= 0.85
    assert calibration.expected["passages"]["nothing_relevant"] <= 0.02


@pytest.mark.parametrize("damage", ["DELETE FROM vector", "DELETE FROM slab", "UPDATE slab SET floats = x'00'"])
def test_lost_vectors_are_no_ground_for_a_calibration(tmp_path, damage: str):
    folder = tmp_path / "notes"
    for name, text in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with Project.in_memory(folder) as project:
        project.index()
        with project.store.write() as transaction:
            transaction.connection.execute(damage)
        with pytest.raises(UnavailableError):
            project.calibrate()
