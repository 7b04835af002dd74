"""Neighbouring chunks become the passage that they were cut from: the document's own text, and a pointer that opens."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassdex.context.merge import merger
from glassdex.context.pack import MOVED_ON, pack
from glassdex.context.packed import Context, ContextPassage
from glassdex.model import unify_newlines
from glassdex.pointers import Pointer, SessionPointer, parse_pointer
from glassdex.project import Project
from glassdex.reading.protocol import ReadingOptions
from tests.documents import pdf
from tests.search.vaults import HashedWords, indexed, root_of, write_notes
from tests.sessions.writing import claude, uid

WORDS = "harbour tide winter boat ice rope anchor mast gull pier fog light".split()  # noqa: SIM905


def prose(seed: int, sentences: int) -> str:
    """Sentences of which no two are alike."""
    chance = random.Random(seed)
    return " ".join(f"{' '.join(chance.choices(WORDS, k=9)).capitalize()} {n}." for n in range(sentences))


def check(project: Project, context: Context) -> list[ContextPassage]:
    """Every passage opens exactly, with its own text; returns the merged ones."""
    for passage in context.passages:
        opened = project.open_pointer(passage.pointer)
        assert (opened.state, opened.text) == ("exact", passage.text), passage.pointer
        assert opened.resolved == passage.pointer
        assert len(passage.merged_from) != 1
    return [passage for passage in context.passages if passage.merged_from]


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.sampled_from(("\n", "\r\n", "\r")),
    st.integers(200, 5000),
)
def test_what_is_merged_is_the_text_of_the_file(seed, sections, newline, budget):
    parts = [f"## Part {number}\n\n{prose(seed + number, length)}\n\n" for number, length in enumerate(sections)]
    text = "".join(parts).replace("\n", newline)
    with indexed({"log.md": text, "other.md": "harbour\n"}) as project:
        context = project.context("harbour tide winter", budget=budget, anyway=True)
        for passage in check(project, context):
            pointer = parse_pointer(passage.pointer)
            assert isinstance(pointer, Pointer)
            assert passage.text == unify_newlines(text[pointer.char_start : pointer.char_end])
            keys = {chunk.key: chunk for row in project.chunks("log.md").rows for chunk in row.chunks}
            chunks = [keys[key] for key in passage.merged_from]
            assert pointer.char_start == chunks[0].char_start
            assert pointer.char_end == chunks[-1].char_end
            assert [chunk.ordinal for chunk in chunks] == list(
                range(chunks[0].ordinal, chunks[0].ordinal + len(chunks))
            ), "nothing that is a chunk was passed over"


def test_all_chunks_of_a_text_become_one_passage():
    text = f"# Log\n\n{prose(1, 60)}\n"
    with indexed({"log.md": text}) as project:
        context = project.context("harbour tide", budget=5000)
        (merged,) = check(project, context)
        assert len(merged.merged_from) > 2
        assert merged.text == text.strip()
        assert merged.rank == 1
        assert f"{len(merged.merged_from)} chunks" in context.text
        assert context.left_out == ()


def test_the_section_of_a_merged_passage_is_what_its_chunks_share():
    text = f"# Log\n\n## Ice\n\n{prose(1, 8)}\n\n## Fog\n\n{prose(2, 8)}\n"
    with indexed({"log.md": text}) as project:
        (merged,) = check(project, project.context("harbour tide", budget=5000))
        assert merged.section == ("Log",)
        assert "## Fog" in merged.text


def test_the_items_of_a_list_become_one_passage():
    facts = "\n".join(f"- [fact] the harbour has {word}" for word in WORDS)
    text = f"# Log\n\n{facts}\n\n- leads_to [[Harbour]]\n"
    with indexed({"log.md": text}) as project:
        context = project.context("harbour", budget=5000)
        (merged,) = check(project, context)
        assert merged.text == text.strip().removeprefix("# Log\n\n")
        assert len(context.passages) == 1
        assert len(merged.merged_from) == len(WORDS) + 1


@settings(max_examples=25)
@given(
    st.lists(
        st.sampled_from(
            (
                "- [fact] the harbour is quiet",
                "* [fact] the tide is late",
                "  - [state] winter in the harbour",
                "1. [fact] the tide turns",
                "- leads_to [[Harbour]]",
                "- a harbour that is no fact",
                "The harbour sleeps in winter.",
                "## Ice",
                "## Fog",
                "```\nharbour = tide\n```",
                "| harbour | tide |\n|---|---|\n| quiet | late |",
                "",
            )
        ),
        min_size=1,
        max_size=14,
    ),
    st.sampled_from(("\n", "\r\n", "\r")),
    st.integers(100, 2000),
)
def test_rows_of_any_kinds_are_merged_only_within_a_section_and_with_nothing_between(lines, newline, budget):
    text = "# Log\n\n" + "\n".join(lines).replace("\n", newline)
    with indexed({"log.md": text, "other.md": "harbour\n"}) as project:
        context = project.context("harbour tide winter", budget=budget, anyway=True)
        chunks = {chunk.key: (row.key, chunk) for row in project.chunks("log.md").rows for chunk in row.chunks}
        for passage in check(project, context):
            pointer = parse_pointer(passage.pointer)
            assert isinstance(pointer, Pointer)
            assert passage.text == unify_newlines(text[pointer.char_start : pointer.char_end])
            found = [chunks[key] for key in passage.merged_from]
            for (row, chunk), (next_row, following) in pairwise(found):
                if row != next_row:
                    between = text[chunk.char_end : following.char_start]
                    assert not between.strip("-*1. \r\n\t")
                    assert "#" not in between


def test_sections_stay_apart():
    text = "# Log\n\n## Ice\n\n- [fact] the harbour is quiet\n\n## Fog\n\n- [fact] the harbour is loud\n"
    with indexed({"log.md": text}) as project:
        context = project.context("harbour", budget=5000)
        assert check(project, context) == []
        assert [passage.section for passage in context.passages] == [("Log", "Ice"), ("Log", "Fog")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("log.jsonl", '{"a": "the harbour is quiet"}\n{"a": "the harbour is loud"}\n'),
        ("log.csv", "place,state\nharbour,quiet\nharbour,loud\n"),
    ],
)
def test_records_stay_as_they_were_cut(name: str, text: str):
    with indexed({name: text}) as project:
        context = project.context("harbour", budget=5000)
        cut = [row.chunks for row in project.chunks(name).rows if row.chunks]
        check(project, context)
        assert len(context.passages) == len(cut)


def test_a_passage_between_two_that_is_not_taken_keeps_them_apart():
    text = "# Log\n\n- [fact] the harbour is quiet\n\nThe tide is late.\n\n- [fact] the harbour is loud\n"
    with indexed({"log.md": text}) as project:
        context = project.context("harbour", budget=5000, kinds=("observation",))
        assert check(project, context) == []
        assert len(context.passages) == 2
        (merged,) = check(project, project.context("harbour tide", budget=5000))
        assert merged.text == text.strip().removeprefix("# Log\n\n")


def test_rows_of_a_file_that_has_changed_stay_apart_and_it_says_so():
    text = "# Log\n\n- [fact] the harbour is quiet\n- [fact] the harbour is loud\n"
    with indexed({"log.md": text}) as project:
        (root_of(project) / "log.md").write_text("# New\n\nquite another text\n", encoding="utf-8")
        context = project.context("harbour", budget=5000)
        assert len(context.passages) == 2
        assert any("log.md" in note and "stay apart" in note for note in context.notes)


def test_a_file_that_has_changed_keeps_its_neighbours_apart_and_says_so():
    text = f"# Log\n\n{prose(1, 60)}\n"
    with indexed({"log.md": text}) as project:
        (root_of(project) / "log.md").write_text("# New\n\nquite another text\n", encoding="utf-8")
        context = project.context("harbour tide", budget=5000)
        assert len(context.passages) > 2
        assert all(passage.merged_from == () for passage in context.passages)
        assert any("log.md" in note and "stay apart" in note for note in context.notes)
        assert "rows behind file" in context.text


def test_in_a_newer_index_than_was_searched_nothing_is_merged():
    with indexed({"log.md": f"# Log\n\n{prose(1, 60)}\n"}) as project:
        execution = project.search("harbour tide", matches=100)
        for older, merged in ((0, True), (1, False)):
            generation = execution.engine.generation - older
            with project.store.read() as snapshot, merger(snapshot, ReadingOptions(), generation) as merging:
                context = pack("harbour tide", execution, snapshot, merging, 5000, anyway=True)
            assert any(passage.merged_from for passage in context.passages) == merged
            assert (MOVED_ON in context.notes) != merged


def test_a_file_that_is_gone_keeps_its_neighbours_apart():
    with indexed({"log.md": f"# Log\n\n{prose(1, 60)}\n"}) as project:
        (root_of(project) / "log.md").unlink()
        context = project.context("harbour tide", budget=5000)
        assert len(context.passages) > 2
        assert all(passage.merged_from == () for passage in context.passages)


def test_pages_of_a_pdf_are_cited_from_the_first_to_the_last(tmp_path: Path):
    pages = ["\n".join(prose(page, 30).replace(". ", ".\n").splitlines()) for page in range(3)]
    root = write_notes(tmp_path / "vault", {"report.pdf": pdf(pages)})
    with Project.in_memory(root, embedder=HashedWords()) as project:
        assert not project.index().failures
        context = project.context("harbour tide", budget=5000)
        merged = check(project, context)
        assert merged
        spans = [(one.locator.page_start, one.locator.page_end) for one in merged]
        assert any(first != last for first, last in spans if first and last)
        for passage in merged:
            first, last = passage.locator.page_start, passage.locator.page_end
            assert passage.citation == f"report.pdf, {f'page {first}' if first == last else f'pages {first}–{last}'}"


@pytest.fixture
def talk(tmp_path: Path):
    session = uid("session")
    long = prose(1, 60)
    secret = f"{prose(2, 12)} key sk-ant-api03-{'aB3' * 31}AA {prose(3, 30)}"
    records = [
        claude(0, f"{long}", session=session),
        claude(1, f"{secret}", session=session, role="assistant", after=0, at=1.0),
        claude(2, "harbour", session=session, after=1, at=2.0),
    ]
    import json

    lines = "".join(json.dumps(record) + "\n" for record in records)
    root = write_notes(tmp_path / "vault", {f"{session}.jsonl": lines})
    with Project.in_memory(root, embedder=HashedWords()) as project:
        project.index()
        yield project, long


def test_chunks_are_merged_within_a_message_and_never_beyond_it(talk: tuple[Project, str]):
    project, long = talk
    context = project.context("harbour tide winter", budget=8000)
    merged = check_messages(project, context)
    assert len(merged) == 2
    first = next(passage for passage in merged if passage.text == long)
    pointer = parse_pointer(first.pointer)
    assert isinstance(pointer, SessionPointer)
    assert pointer.char_start is None, "the whole message"
    assert first.message is not None
    assert f"offset {first.message.offset}" in first.citation
    assert "user · 2026-11-30" in context.text
    assert {passage.message.message.uuid for passage in context.passages if passage.message} == {uid(0), uid(1), uid(2)}


def check_messages(project: Project, context: Context) -> list[ContextPassage]:
    merged = check(project, context)
    for passage in context.passages:
        assert passage.message is not None
    return merged


def test_secrets_stay_redacted_where_chunks_are_merged(talk: tuple[Project, str]):
    project, _ = talk
    context = project.context("harbour tide winter", budget=8000)
    merged = check_messages(project, context)
    assert any("[redacted" in passage.text for passage in merged)
    assert "sk-ant" not in context.text
    assert all("sk-ant" not in passage.text for passage in context.passages)
