"""Counting and locating tokens."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from glassdex.embedding.tokens import encodable, token_counter

ANY_TEXT = st.text(st.characters())  # lone surrogates included


@given(ANY_TEXT)
@example("한국어 營收 cafe\u0301 ﬁ İ")
@example("\U0001f469\u200d\U0001f4bb wrote it")
@example("a\x00b\ufeffc")
@example("x" * 300)
@example("broken \ud83d emoji")
def test_spans_are_in_order_inside_the_text_and_as_many_as_the_count(text):
    spans = token_counter().spans(text)
    assert len(spans) == token_counter().count(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[0] <= after[0] and before[1] <= after[1] for before, after in pairwise(spans))


@given(st.lists(ANY_TEXT, max_size=6))
def test_a_batch_says_what_single_calls_say(texts):
    counter = token_counter()
    assert counter.spans_batch(texts) == [counter.spans(text) for text in texts]
    assert counter.count_batch(texts) == [counter.count(text) for text in texts]


@given(st.text("abcdefghij ", max_size=80), st.text("abcdefghij ", max_size=80))
def test_tokens_do_not_cross_a_line_break_so_counts_add_up(first, second):
    count = token_counter().count
    assert count(f"{first}\n{second}") == count(first) + count(second)


@given(ANY_TEXT)
def test_replacing_surrogates_keeps_every_offset(text):
    assert len(encodable(text)) == len(text)


def test_spans_are_code_points_of_the_original_text():
    text = "🙂 Über café ends."
    words = [text[start:end] for start, end in token_counter().spans(text)]
    assert words == ["🙂", "Über", "café", "ends", "."]


def test_special_tokens_are_neither_added_nor_obeyed():
    assert token_counter().count("") == 0
    assert token_counter().spans("[SEP]") == [(0, 1), (1, 4), (4, 5)]


def test_a_word_of_more_than_a_hundred_letters_is_one_token():
    assert token_counter().spans("x" * 300) == [(0, 300)]


def test_the_process_shares_one_counter():
    assert token_counter() is token_counter()
