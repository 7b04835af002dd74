"""Where does a passage stand now? Known by its hash and length alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.locators import LocatorMap
from glassdex.model import Locator, Place
from glassdex.pointers import Pointer, verify
from glassdex.pointers.verify import passage_hash, relocate

TEXT = "one\n\ntwo words\nand more\n\nthree\n"


def pointer_to(passage: str, text: str) -> Pointer:
    start = text.index(passage)
    bare = Pointer("a.md", Locator(1, 1), 0, 1, passage_hash(passage))
    return relocate(bare, LocatorMap(text, ()), start, start + len(passage))


def test_a_passage_in_its_place_is_exact():
    pointer = pointer_to("two words\nand more", TEXT)
    assert pointer.locator == Locator(3, 4)
    found = verify(pointer, TEXT)
    assert (found.state, found.places) == ("exact", (pointer,))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("rewritten", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("above", ["", "above\n\n"])
def test_a_passage_is_found_whatever_form_its_newlines_have_now(newline: str, rewritten: str, above: str):
    before, now = TEXT.replace("\n", newline), (above + TEXT).replace("\n", rewritten)
    found = verify(pointer_to(f"two words{newline}and more", before), now)
    assert found.state in ("exact", "moved")
    (place,) = found.places
    assert now[place.char_start : place.char_end] == f"two words{rewritten}and more"
    assert place.locator.line_start == 3 + above.count("\n")


def test_a_passage_of_mixed_newlines_is_found_after_they_were_made_one():
    before = "above\n\none\r\ntwo\nthree\r\nfour\n"
    pointer = pointer_to("one\r\ntwo\nthree\r\nfour", before)
    now = before.replace("\r\n", "\n")
    found = verify(pointer, now)
    assert found.state == "moved"
    (place,) = found.places
    assert now[place.char_start : place.char_end] == "one\ntwo\nthree\nfour"


@pytest.mark.parametrize(
    "passage", ["   indented line", "\tcode()\n\tmore()", "營收下降，主要", "e\u0301t\u00e9", "🛟🛟"]
)
def test_a_passage_is_found_again_however_it_begins(passage: str):
    pointer = pointer_to(passage, f"before\n\n{passage}\n\nafter\n")
    now = f"something new above\n\nbefore\n\n{passage}\n\nafter\n"
    found = verify(pointer, now)
    assert found.state == "moved"
    assert now[found.places[0].char_start : found.places[0].char_end] == passage


def test_a_passage_that_stands_twice_elsewhere_is_ambiguous():
    found = verify(pointer_to("two words", TEXT), "x\n" * 9 + "two words\n\ntwo words\n")
    assert found.state == "ambiguous"
    assert [place.locator.line_start for place in found.places] == [10, 12]


def test_an_intact_place_is_exact_though_there_are_copies():
    assert verify(pointer_to("two words", TEXT), TEXT + "two words\ntwo words\n").state == "exact"


@pytest.mark.parametrize("now", ["", "two", "two word\n", "Two words\n", TEXT.replace("words", "w0rds")])
def test_an_edited_passage_is_changed_and_has_no_place(now: str):
    found = verify(pointer_to("two words", TEXT), now)
    assert (found.state, found.places) == ("changed", ())


pieces = st.lists(
    st.sampled_from(["one", "two", " ", "\n", "\r\n", "\r", "\t", "é", "e\u0301", "營", "🛟"]), max_size=14
)


@given(pieces, pieces.filter(lambda p: "".join(p).strip()), pieces, pieces)
def test_whatever_happened_to_a_file_a_place_holds_the_very_passage(before, passage, after, now):
    text = "".join((*before, *passage, *after))
    start = len("".join(before))
    bare = Pointer("a.md", Locator(1, 1), 0, 1, passage_hash("".join(passage)))
    pointer = relocate(bare, LocatorMap(text, ()), start, start + len("".join(passage)))
    assert verify(pointer, text).state == "exact"
    rewritten = "".join((*now, *passage, *now))
    for current in ("".join(now), rewritten, text.replace("\r\n", "\n")):
        found = verify(pointer, current)
        assert (found.state == "changed") == (not found.places)
        assert (found.state == "ambiguous") == (len(found.places) > 1)
        for place in found.places:
            assert passage_hash(current[place.char_start : place.char_end]) == pointer.passage_hash


@pytest.mark.parametrize("end", [200, 20_000, 999_999_999_999])
def test_a_forged_pointer_with_huge_ranges_is_answered_and_not_searched_for_ever(end: int):
    found = verify(Pointer("a.md", Locator(1, 999_999_999), 0, end, "0" * 12), "word and word\r\n" * 2_000)
    assert found.state == "changed"


def test_a_passage_that_went_to_another_page_is_moved_and_says_which():
    text = "one two\n\nthree"
    pointer = verify(Pointer("a.pdf", Locator(page_start=1, page_end=1), 9, 14, passage_hash("three")), text).places[0]
    now = (Place(0, 7, page=1, page_label="i"), Place(7, 7, page=2), Place(9, 14, page=3, page_label="iii"))
    found = verify(pointer, "one two\n\nthree", now)
    assert found.places[0].locator == Locator(page_start=3, page_end=3, page_label="iii")
    moved = verify(pointer, "three\n\none two", (Place(0, 5, page=1), Place(7, 14, page=2)))
    assert (moved.state, moved.places[0].locator) == ("moved", Locator(page_start=1, page_end=1))


def test_nothing_beyond_the_end_of_the_file_is_no_exact_passage():
    assert verify(Pointer("a.md", Locator(9, 9), 1_000, 1_005, passage_hash("")), TEXT).state == "changed"
