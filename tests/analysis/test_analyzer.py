from __future__ import annotations

import threading
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.analysis import Analyzer, analyzer
from glassdex.analysis.stopwords import stopwords
from glassdex.errors import InvalidSetting

_ENGLISH = analyzer("english")
_texts = st.text(alphabet=st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from("abcXYZ019 _-./@+:'’#\u0301\u0327營收重跑かなカナ한글éßﬁİ½²\u00a0\u2028"),
))  # fmt: skip


def words(text: str, language: str = "english") -> list[str]:
    return analyzer(language).terms(text)[0]


def parts(text: str) -> list[str]:
    return analyzer("english").terms(text)[1]


def test_words_are_stemmed_and_case_is_folded() -> None:
    assert words("Indexing the INDEXED indexes") == ["index", "the", "index", "index"]


def test_a_query_for_two_chinese_characters_finds_them_inside_a_longer_run() -> None:
    assert words("營收下降") == ["營收", "收下", "下降"]
    assert set(words("營收")) <= set(words("營收下降"))
    assert set(words("下降")) <= set(words("營收下降"))


def test_every_chinese_character_of_a_run_can_be_found_alone() -> None:
    assert parts("營收下降") == ["營", "收", "下", "降"]
    assert words("營") == ["營"]
    assert parts("營") == ["營"]


def test_a_query_does_not_ask_for_what_a_chinese_pair_says_already() -> None:
    assert [token.redundant for token in _ENGLISH.tokens("營收") if token.part] == [True, True]
    assert [token.redundant for token in _ENGLISH.tokens("營") if token.part] == [False]


def test_latin_letters_next_to_chinese_ones_are_a_word_of_their_own() -> None:
    assert words("重跑gen-itgc後") == ["重跑", "gen-itgc", "後"]
    assert "itgc" in parts("重跑gen-itgc後")


@pytest.mark.parametrize(
    ("text", "whole", "inner"),
    [
        ("IT-644", "it-644", ["it", "644"]),
        ("snake_case", "snake_case", ["snake", "case"]),
        ("CamelCase", "camelcas", ["camel", "case"]),
        ("HTTPServer", "httpserver", ["http", "server"]),
        ("a/b.md", "a/b.md", ["a", "b", "md"]),
        ("v0.23.1", "v0.23.1", ["v0", "23", "1"]),
        ("tier1-test", "tier1-test", ["tier1", "test"]),
        ("user@host", "user@host", ["user", "host"]),
        ("std::vector", "std::vector", ["std", "vector"]),
    ],
)
def test_an_identifier_is_found_whole_and_by_part(text: str, whole: str, inner: list[str]) -> None:
    assert words(text) == [whole]
    assert parts(text) == inner


def test_c_plus_plus_and_c_sharp_are_not_the_letter_c() -> None:
    assert words("C++ C# C") == ["c++", "c#", "c"]


def test_a_plain_word_has_no_parts() -> None:
    assert parts("harbour buoys drift") == []


def test_punctuation_at_the_end_of_a_word_is_not_part_of_it() -> None:
    assert words("(Stop.) it-644, end-") == ["stop", "it-644", "end"]


def test_a_typographic_apostrophe_is_an_apostrophe() -> None:
    assert words("don\u2019t") == words("don't") == ["don't"]


def test_an_apostrophe_separates_words_outside_english() -> None:
    assert words("l'eau", "french") == words("l eau", "french")


def test_an_emoji_can_be_searched() -> None:
    assert words("done 🎉!") == ["done", "🎉"]


def test_full_width_and_ligature_forms_are_the_plain_letters() -> None:
    assert words("ｉｎｄｅｘ ﬁle") == ["index", "file"]


def test_sharp_s_is_double_s() -> None:
    assert words("Straße", "german") == words("STRASSE", "german")


def test_a_very_long_word_gives_a_bounded_term() -> None:
    assert [len(term) for term in words("x" * 5000)] == [100]


@given(_texts)
def test_composed_and_decomposed_text_give_the_same_terms(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert _ENGLISH.terms(composed) == _ENGLISH.terms(decomposed)


def test_decomposed_korean_and_japanese_are_found_by_the_usual_form() -> None:
    for text in ("한국어 검색", "ガイドブック"):
        assert _ENGLISH.terms(unicodedata.normalize("NFD", text)) == _ENGLISH.terms(text)


def test_an_accent_typed_as_a_mark_of_its_own_is_found_by_the_usual_one() -> None:
    assert words("cafe\u0301 re\u0301sume\u0301") == words("café résumé")


@given(_texts)
def test_the_fast_form_gives_the_terms_of_the_tokens(text: str) -> None:
    tokens = _ENGLISH.tokens(text)
    assert _ENGLISH.terms(text) == (
        [token.term for token in tokens if not token.part],
        [token.term for token in tokens if token.part],
    )


@given(_texts)
def test_a_token_lies_in_its_text_and_its_text_alone_gives_its_term(text: str) -> None:
    for token in _ENGLISH.tokens(text):
        assert 0 <= token.start < token.end <= len(text)
        inside = _ENGLISH.tokens(text[token.start : token.end])
        assert token.term in {other.term for other in inside}


@given(_texts)
def test_words_do_not_overlap_except_pairs_of_characters(text: str) -> None:
    found = [token for token in _ENGLISH.tokens(text) if not token.part]
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end


@given(_texts)
def test_no_term_is_empty_or_holds_white_space(text: str) -> None:
    assert all(term and not term.isspace() for stream in _ENGLISH.terms(text) for term in stream)
    assert all(len(term.split()) == 1 for stream in _ENGLISH.terms(text) for term in stream)


@given(_texts)
def test_the_written_words_are_those_of_the_text(text: str) -> None:
    assert {term for term, _ in _ENGLISH.written_words(text)} == set(_ENGLISH.terms(text)[0])
    assert all(written in text.casefold() for _, written in _ENGLISH.written_words(text) if text.isascii())


def test_stop_words_are_terms_too_and_known_as_such() -> None:
    assert words("the buoy") == ["the", "buoy"]
    assert _ENGLISH.is_stopword("the")
    assert not _ENGLISH.is_stopword("buoy")


def test_every_stop_word_of_a_language_is_recognised_by_its_term() -> None:
    for language in ("english", "german", "french", "spanish", "italian", "portuguese", "dutch"):
        for word in stopwords(language):
            assert all(analyzer(language).is_stopword(term) for term in words(word, language)), (language, word)


def test_a_language_without_a_stop_list_stems_all_the_same() -> None:
    assert words("bilarna", "swedish") == words("bil", "swedish")
    assert not analyzer("swedish").is_stopword("och")


def test_the_identity_names_the_language_and_differs_by_it() -> None:
    assert analyzer("german").identity != _ENGLISH.identity
    assert "german" in analyzer("german").identity


@pytest.mark.parametrize("language", ["klingon", "", "English", "../english", "english.x", "base"])
def test_an_unknown_language_is_an_invalid_setting(language: str) -> None:
    with pytest.raises(InvalidSetting, match="there is no stemmer"):
        Analyzer(language)


def test_threads_that_share_an_analyser_get_the_terms_of_one_alone() -> None:
    surfaces = [f"{stem}{ending}" for stem in ("harbour", "connect", "relat", "nation", "form") for ending in
                ("ing", "ed", "s", "ational", "ization", "fulness", "iveness", "er")]  # fmt: skip
    texts = [" ".join(surfaces[i:] + surfaces[:i]) for i in range(len(surfaces))]
    expected = [Analyzer().terms(text) for text in texts]
    for _ in range(20):
        shared = Analyzer()
        results: dict[int, object] = {}
        start = threading.Barrier(4)

        def work(first: int, shared: Analyzer = shared, results=results, start=start) -> None:
            start.wait()
            for index in range(first, len(texts), 4):
                results[index] = shared.terms(texts[index])

        threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [results[index] for index in range(len(texts))] == expected
