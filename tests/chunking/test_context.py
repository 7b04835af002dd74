"""A block's context, such as a table's header, goes with every chunk of it that does not begin with the block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from glassdex.analysis import Analyzer
from glassdex.chunking import MAX_CONTEXT_CHARACTERS, MAX_CONTEXT_TOKENS, MAX_TOKENS
from glassdex.embedding.tokens import token_counter
from glassdex.lexical.entries import lexical_entries
from glassdex.model import Block, Chunk, Document, Place, Row
from tests.chunking.cutting import chunks_of

HEADER = "| station | salinity |"


def table(context: str, rows: int = 90, before: str = "", title: str = "Plan") -> Document:
    """A sheet: `before`, then a header and `rows` rows, each in a place of its own."""
    lines = [HEADER, *(f"| buoy {number} | {number * 7} psu |" for number in range(rows))]
    text = before + "\n".join(lines)
    blocks = [Block("table", len(before), len(text), (), context=context)]
    if before:
        blocks.insert(0, Block("paragraph", 0, len(before.rstrip())))
    places, start = [], len(before)
    for number, line in enumerate(lines, start=1):
        places.append(Place(start, start + len(line), sheet="Plan", row=number))
        start += len(line) + 1
    row = Row("table", 0, text, 0, tuple(blocks))
    return Document("xlsx", title, "front_matter", text, (row,), places=tuple(places))


def test_later_parts_of_a_table_carry_its_header_and_the_first_has_it_in_its_text() -> None:
    first, *others = chunks_of(table(HEADER))
    assert first.text.startswith(HEADER)
    assert first.context == ""
    assert len(others) > 1
    for chunk in others:
        assert HEADER not in chunk.text
        assert chunk.context == HEADER
        assert chunk.embedded_text == f"Plan\n{HEADER}\n{chunk.text}"


def test_a_part_says_which_rows_of_the_sheet_it_holds() -> None:
    found = chunks_of(table(HEADER))
    ends = [(chunk.locator.sheet, chunk.locator.row_start, chunk.locator.row_end) for chunk in found]
    assert ends[0][:2] == ("Plan", 1)
    assert ends[-1][2] == 91
    assert [chunk.text.count("\n") for chunk in found] == [int(end or 0) - int(start or 0) for _, start, end in ends]


def test_the_words_of_a_header_find_every_part_of_its_table() -> None:
    document, analyzer = table(HEADER), Analyzer()
    (salinity,) = analyzer.terms("salinity")[0]
    for entry in lexical_entries(document, chunks_of(document), analyzer):
        assert salinity in (*entry.headings, *entry.body)


def test_a_document_of_nothing_but_metadata_needs_no_frame() -> None:
    text = "---\ntitle: Plan\n---\n"
    document = Document("markdown", "Plan", "front_matter", text, (Row("entity", 0, text, 0, ()),))
    (chunk,) = chunks_of(document)
    assert (chunk.breadcrumb, chunk.context, chunk.text) == ("Plan", "", text.rstrip())


@given(
    st.one_of(st.text(max_size=400), st.sampled_from(("營收下降" * 200, "x" * 900, "a1-b2_c3 " * 90, HEADER))),
    st.sampled_from(("", "Notes above.\n\n", "Notes above. " * 50 + "\n\n")),
    st.sampled_from(("", "Plan", "a long title " * 40)),
)
def test_with_any_context_a_chunk_keeps_its_limits(context: str, before: str, title: str) -> None:
    document = table(context, 40, before, title)
    found = chunks_of(document)
    for chunk in found:
        assert document.text[chunk.char_start : chunk.char_end] == chunk.text
        assert len(chunk.context) <= MAX_CONTEXT_CHARACTERS
        assert token_counter().count(chunk.context) <= MAX_CONTEXT_TOKENS
        assert token_counter().count(chunk.embedded_text) == chunk.token_count <= MAX_TOKENS
    assert whole(found) == document.text.split()


def whole(found: list[Chunk]) -> list[str]:
    return " ".join(chunk.text for chunk in found).split()
