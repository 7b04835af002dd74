"""The merge of rankings: what holds whatever the evidence is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from glassdex.several.merge import Evidence, Merge, Share, merge

MODEL, OTHER = "a-model@1", "another-model@2"
evidence = st.builds(
    Evidence,
    similarity=st.one_of(st.none(), st.floats(-1, 1)),
    words=st.floats(0, 1),
)
shares = st.lists(st.lists(evidence, max_size=8), min_size=1, max_size=4).map(
    lambda lists: [Share(f"p{number}", documents, MODEL) for number, documents in enumerate(lists)]
)


def ranking(merged: Merge) -> list[tuple[int, int]]:
    """(project, rank in it) in the merged order."""
    placed = [(place.rank, p, place.rank_before) for p, places in enumerate(merged.places) for place in places]
    return [(project, rank) for _, project, rank in sorted(placed)]


@given(shares)
def test_every_document_has_one_place_and_no_projects_order_is_reversed(given_shares: list[Share]):
    merged = merge(given_shares, "hybrid")
    ranks = sorted(place.rank for places in merged.places for place in places)
    assert ranks == list(range(1, merged.total + 1))
    for places in merged.places:
        assert [place.rank for place in places] == sorted(place.rank for place in places)


@given(shares)
def test_scores_never_rise_down_the_merged_ranking(given_shares: list[Share]):
    merged = merge(given_shares, "hybrid")
    scores = {place.rank: place.score for places in merged.places for place in places}
    ordered = [scores[rank] for rank in sorted(scores)]
    assert ordered == sorted(ordered, reverse=True)


@given(shares, st.randoms())
def test_the_order_in_which_projects_are_named_changes_nothing(given_shares: list[Share], random):
    shuffled = list(given_shares)
    random.shuffle(shuffled)
    one, other = merge(given_shares, "hybrid"), merge(shuffled, "hybrid")
    assert dict(zip([s.project for s in given_shares], one.places, strict=True)) == dict(
        zip([s.project for s in shuffled], other.places, strict=True)
    )


@given(shares)
def test_parts_add_up_to_the_evidence(given_shares: list[Share]):
    for places in merge(given_shares, "hybrid").places:
        for place in places:
            assert abs(sum(place.parts.values()) - place.evidence) < 2e-6


def test_a_project_about_something_else_comes_behind():
    near = [Evidence(0.7, 0.5), Evidence(0.6, 0.4)]
    far = [Evidence(0.2, 0.05), Evidence(0.1, 0.0)]
    assert ranking(merge([Share("a", far, MODEL), Share("b", near, MODEL)], "hybrid")) == [
        (1, 1),
        (1, 2),
        (0, 1),
        (0, 2),
    ]


def test_cosines_of_different_models_are_not_compared_and_that_is_said():
    # By cosine the second project would lead.
    merged = merge([Share("a", [Evidence(0.1, 0.6)], MODEL), Share("b", [Evidence(0.9, 0.2)], OTHER)], "hybrid")
    assert ranking(merged) == [(0, 1), (1, 1)]
    assert merged.comparable == ("words",)
    assert merged.parameters["w_words"] == 1.0
    assert merged.notes == (
        f"cosines of different models cannot be compared ({MODEL}, {OTHER}): merged by words alone",
    )


def test_a_project_without_vectors_takes_the_cosines_out_of_the_merge():
    merged = merge([Share("a", [Evidence(0.9, 0.2)], MODEL), Share("b", [Evidence(None, 0.6)])], "hybrid")
    assert ranking(merged) == [(1, 1), (0, 1)]
    assert merged.notes == ("b could not be searched by meaning: merged by words alone",)


def test_where_nothing_is_comparable_ranks_are():
    merged = merge([Share("a", [Evidence(0.9)] * 2, MODEL), Share("b", [Evidence(0.1)] * 2, OTHER)], "dense")
    assert ranking(merged) == [(0, 1), (1, 1), (0, 2), (1, 2)]
    assert (merged.name, merged.comparable) == ("rrf/1", ())
    assert merged.notes[0].endswith("merged by rank alone")


def test_an_empty_project_of_another_model_disturbs_nobody():
    merged = merge([Share("a", [Evidence(0.9, 0.2)], MODEL), Share("b", [], OTHER)], "hybrid")
    assert merged.comparable == ("similarity", "words")
    assert merged.notes == ()


def test_a_document_whose_vector_is_missing_keeps_the_place_its_project_gave_it():
    first = [Evidence(None, 0.9), Evidence(0.8, 0.4), Evidence(0.2, 0.1)]
    merged = merge([Share("a", first, MODEL), Share("b", [Evidence(0.5, 0.3)], MODEL)], "hybrid")
    assert ranking(merged) == [(0, 1), (0, 2), (1, 1), (0, 3)]
    assert merged.places[0][0].parts == {}


def test_by_words_alone_the_mode_decides():
    merged = merge([Share("a", [Evidence(None, 0.2)]), Share("b", [Evidence(None, 0.6)])], "lexical")
    assert ranking(merged) == [(1, 1), (0, 1)]
    assert merged.notes == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_scores_are_the_isotonic_regression_of_the_evidence(words: list[float]):
    merged = merge([Share("a", [Evidence(None, value) for value in words])], "lexical")
    own = [place.evidence for place in merged.places[0]]

    def mean(first: int, last: int) -> float:
        return sum(own[first : last + 1]) / (last + 1 - first)

    # The max-min formula: the highest, over where it ends, of the lowest, over where it begins, of the means.
    expected = [
        max(min(mean(first, last) for first in range(at + 1)) for last in range(at, len(own))) for at in range(len(own))
    ]
    for place, value in zip(merged.places[0], expected, strict=True):
        assert abs(place.score - value) < 3e-6
