"""Looking for some terms gives what looking at all of them gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from glassdex.analysis import analyzer

_TEXTS = st.one_of(st.text(), st.text(alphabet="abAB_-./ 營收é\n"))


@given(_TEXTS, st.data())
def test_the_tokens_among_some_terms_are_those_of_the_whole_text(text: str, data: st.DataObject) -> None:
    everything = analyzer().tokens(text)
    terms = sorted({token.term for token in everything} | {"absent"})
    wanted = frozenset(data.draw(st.sets(st.sampled_from(terms))))
    assert analyzer().tokens_among(text, wanted) == [token for token in everything if token.term in wanted]
