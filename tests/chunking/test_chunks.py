from __future__ import annotations

import pytest

from glassdex.chunking import MAX_BREADCRUMB_CHARACTERS, MAX_BREADCRUMB_TOKENS, MAX_CHARACTERS, MAX_TOKENS
from glassdex.embedding.tokens import token_counter
from glassdex.model import Locator
from tests.chunking.cutting import chunks, embedded

_WORDS = (
    "harbour", "buoy", "salinity", "sensor", "drift", "anchor", "winch", "cable", "battery", "logger", "tide",
    "current", "probe",
)  # fmt: skip


def sentence(number: int, words: int = 18) -> str:
    return " ".join(_WORDS[(number * 7 + i * (number % 5 + 1)) % len(_WORDS)] for i in range(words)) + f" {number}."


def paragraph(first: int, sentences: int = 5) -> str:
    return " ".join(sentence(first + i) for i in range(sentences))


def test_a_short_note_is_one_chunk() -> None:
    (chunk,) = chunks("# Buoys\n\nThey float.\n\n- one\n- two\n")
    assert chunk.text == "# Buoys\n\nThey float.\n\n- one\n- two"
    assert chunk.locator == Locator(1, 6)
    assert chunk.headings == ("Buoys",)
    assert chunk.breadcrumb == "Buoys"
    assert chunk.embedded_text == "Buoys\n# Buoys\n\nThey float.\n\n- one\n- two"
    assert chunk.token_count == token_counter().count(chunk.embedded_text)


def test_a_chunk_never_crosses_a_heading() -> None:
    found = chunks("# One\n\nfirst\n\n## Two\n\nsecond\n")
    assert [chunk.text for chunk in found] == ["# One\n\nfirst", "## Two\n\nsecond"]
    assert [chunk.breadcrumb for chunk in found] == ["One", "One › Two"]


def test_a_heading_with_nothing_but_a_heading_below_it_is_no_chunk() -> None:
    assert [chunk.text for chunk in chunks("# One\n\n## Two\n\ntext\n")] == ["## Two\n\ntext"]


def test_a_comment_in_a_code_fence_is_not_a_heading() -> None:
    (chunk,) = chunks("```sh\n# not a heading\nls\n```\n")
    assert chunk.headings == ()


def test_a_title_from_the_file_name_is_not_embedded_so_that_renaming_costs_nothing() -> None:
    first, second = chunks("text\n", "old name.md"), chunks("text\n", "new name.md")
    assert [c.embedded_text for c in first] == [c.embedded_text for c in second] == ["text"]


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        ("```py\n" + "\n".join(f"line_{i} = call({i})" for i in range(25)) + "\n```", "fence"),
        ("| a | b |\n|---|---|\n" + "\n".join(f"| {i} | cell |" for i in range(30)), "table"),
        ("- " + sentence(1, 60), "list item"),
    ],
)
def test_a_block_that_fits_stays_whole(block: str, kind: str) -> None:
    assert len(block) < 800
    found = chunks(f"{paragraph(1)}\n\n{block}\n\n{paragraph(9)}\n")
    assert sum(block in chunk.text for chunk in found) == 1, kind


def test_a_fence_that_is_too_long_is_split_at_lines() -> None:
    lines = [f"result_{i} = compute({i}, {i * i})" for i in range(120)]
    found = chunks("```py\n" + "\n".join(lines) + "\n```\n")
    assert len(found) > 3
    assert [line for chunk in found for line in chunk.text.splitlines()] == ["```py", *lines, "```"]


def test_a_heading_before_a_block_that_fills_a_chunk_stands_in_its_breadcrumb() -> None:
    lines = "\n".join(f"value {i}" for i in range(82))
    found = chunks(f"# Values\n\n```\n{lines}\n```\n")
    assert [chunk.breadcrumb for chunk in found] == ["Values"] * len(found)
    assert not any(chunk.text == "# Values" for chunk in found)


def test_a_heading_of_a_megabyte_does_not_break_the_limits() -> None:
    found = chunks("# " + "enormous heading " * 62_000 + "\n\ntext\n")
    assert all(len(chunk.breadcrumb) <= MAX_BREADCRUMB_CHARACTERS for chunk in found)
    assert all(len(chunk.text) <= MAX_CHARACTERS for chunk in found)
    assert max(token_counter().count_batch([chunk.embedded_text for chunk in found])) <= MAX_TOKENS


def test_a_chinese_heading_leaves_room_for_its_text() -> None:
    (chunk, *_) = chunks("# " + "季度營收報告與展望" * 40 + "\n\n營收下降。\n")
    assert token_counter().count(chunk.breadcrumb) == MAX_BREADCRUMB_TOKENS


def test_a_chunk_of_a_text_without_spaces_keeps_the_limits() -> None:
    for text in ("營收下降" * 500, "x" * 5000, "ﷺ" * 1000, "a" * 99 + "。" * 400):
        for chunk in chunks(text):
            assert len(chunk.text) <= MAX_CHARACTERS
            assert token_counter().count(chunk.embedded_text) <= MAX_TOKENS


def test_the_same_paragraph_twice_gives_two_chunks_with_keys_of_their_own() -> None:
    found = chunks("# A\n\nSame words.\n\n# A\n\nSame words.\n")
    assert found[0].key.endswith(":0")
    assert found[1].key == found[0].key[:-1] + "1"


def test_two_observations_with_the_same_first_200_characters_are_two_chunks() -> None:
    opening = "the buoy drifted past the northern marker " * 6
    found = [c for c in chunks(f"- [fact] {opening}one\n- [fact] {opening}two\n") if c.row.kind == "observation"]
    assert len({chunk.key for chunk in found}) == 2


def test_an_observation_and_a_relation_with_the_same_words_are_two_chunks() -> None:
    found = chunks("- [part_of] [[Fleet]]\n\n## Relations\n\n- part_of [[Fleet]]\n")
    assert {chunk.row.kind for chunk in found} >= {"observation", "relation"}
    assert len({chunk.key for chunk in found}) == len(found)


def test_a_note_of_nothing_but_metadata_has_one_chunk() -> None:
    (chunk,) = chunks("---\ntitle: Only this\n---\n")
    assert "title: Only this" in chunk.text


def test_an_empty_note_has_none() -> None:
    assert chunks("") == []
    assert chunks("\n \n") == []


_SECTIONS = "\n\n".join(
    f"## Part {part}\n\n" + "\n\n".join(paragraph(100 * part + 10 * i) for i in range(7)) for part in range(3)
)


def _sentences() -> list[str]:
    return [sentence(100 * part + 10 * i + s) for part in range(3) for i in range(7) for s in range(5)]


@pytest.mark.parametrize(
    "edit",
    [
        lambda old: old.replace(" ", " rather ", 3),
        lambda old: "Quite another opening " + old.split(" ", 4)[-1],
        lambda old: (
            "The crew wrote a completely different sentence here, of much the same length as the one before it."
        ),
        lambda old: old[:-1] + ", and " + old,
    ],
    ids=["a few words", "other opening", "rewritten", "twice as long"],
)
def test_editing_any_sentence_of_a_long_note_embeds_at_most_two_chunks(edit) -> None:
    before = embedded(_SECTIONS)
    for old in _sentences():
        assert len(embedded(_SECTIONS.replace(old, edit(old), 1)) - before) <= 2


def test_a_sentence_more_or_less_embeds_at_most_two_chunks() -> None:
    before = embedded(_SECTIONS)
    for old in _sentences():
        longer = _SECTIONS.replace(old, f"{old} A short remark was added.", 1)
        assert len(embedded(longer) - before) <= 2
        assert len(embedded(_SECTIONS.replace(" " + old, "", 1)) - before) <= 2


def _log_line(number: int) -> str:
    return f"{sentence(7 * number + number % 13, 10)[:-1].replace(f' {7 * number}', '')} of entry {number}"


@pytest.mark.parametrize(
    "entry",
    [
        lambda n: f"- Invoice was sent to the customer {n} {_log_line(n)}\n",
        lambda n: f"- {_log_line(n)}, and an invoice was sent\n",
        lambda n: f"Backup of the server finished without error {n} {_log_line(n)}.\n\n",
        lambda n: f"- {_log_line(n)}\n  - Invoice was sent to the customer {n}\n",
    ],
    ids=["items with one opening", "items with their own", "paragraphs with one opening", "nested items"],
)
def test_an_entry_more_in_a_long_list_embeds_a_chunk_or_two_as_a_rule_and_four_at_most(entry) -> None:
    entries = [entry(n) for n in range(250)]
    before = embedded("".join(entries))
    assert len(before) > 30
    made = [
        len(embedded("".join([*entries[:place], entry(999), *entries[place:]])) - before) for place in range(0, 250, 9)
    ]
    assert sorted(made)[len(made) // 2] <= 2
    assert max(made) <= 4


@pytest.mark.parametrize(
    "text",
    [
        "".join("  " * depth + f"- l{depth}\n" for depth in range(600)),
        "".join(" " * (4 * depth) + "x\n" for depth in range(300)),
        "- start\n\n  ```\n" + "".join("  " + " " * 1500 + f"x{line}\n" for line in range(30)) + "  ```\n",
    ],
    ids=["a deep list", "indented text", "indented code"],
)
def test_deep_indentation_makes_no_blank_chunk(text: str) -> None:
    found = chunks(text)
    assert all(chunk.text.strip() for chunk in found)
    assert "".join("".join(chunk.text for chunk in found).split()) == "".join(text.split())


def test_a_bullet_on_a_line_of_its_own_is_no_chunk() -> None:
    assert [chunk.text for chunk in chunks("-\n  - [fact] x #y\n- next\n")] == ["- next", "- [fact] x #y"]


def test_a_paragraph_at_the_top_of_a_flat_note_leaves_most_of_it_alone() -> None:
    flat = "\n\n".join(paragraph(10 * i, 3) for i in range(150))
    before = embedded(flat)
    assert len(embedded("A new paragraph, at the very top.\n\n" + flat) - before) < len(before) / 2
