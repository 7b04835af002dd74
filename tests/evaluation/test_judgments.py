"""Judgments as people write them: every form, and hostile files that say where they are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.errors import GlassdexError, JudgmentsInvalid
from glassdex.evaluation.judgments import Judgments, load_judgments
from glassdex.evaluation.judgments_yaml import MAX_YAML_MEGABYTES
from tests.cli.running import VAULT

SHIPPED = VAULT.parent / "judgments.yaml"


def loaded(folder: Path, text: str | bytes, name: str = "judgments.yaml", **more) -> Judgments:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_judgments(path, **more)


def refused(folder: Path, text: str | bytes, name: str = "judgments.yaml", **more) -> str:
    with pytest.raises(JudgmentsInvalid) as caught:
        loaded(folder, text, name, **more)
    assert caught.value.code == "judgments_invalid"
    assert len(caught.value.message) < 600
    return caught.value.message


def told(judgments: Judgments) -> dict[str, dict[str, int]]:
    return {query.text: {j.target: j.grade for j in query.judgments} for query in judgments.queries}


def test_every_way_to_write_what_is_relevant(tmp_path: Path):
    text = """
    - query: one
      relevant: a.md
    - query: two
      relevant: [a.md, {b.md: 2}, {document: c.md, grade: 3}, {pointer: "d.md#c=1-2@0123456789ab"}]
    - query: three
      relevant: {a.md: 0, "session:claude/x": 2}
    """
    assert told(loaded(tmp_path, text)) == {
        "one": {"a.md": 1},
        "two": {"a.md": 1, "b.md": 2, "c.md": 3, "d.md#c=1-2@0123456789ab": 1},
        "three": {"a.md": 0, "session:claude/x": 2},
    }


def test_a_mapping_and_a_list_below_queries_and_json_say_the_same(tmp_path: Path):
    plain = {"one": {"a.md": 1}, "two": {"b.md": 2}}
    forms = [
        loaded(tmp_path, "one: a.md\ntwo: {b.md: 2}\n"),
        loaded(tmp_path, "queries:\n- {query: one, relevant: a.md}\n- {query: two, relevant: {b.md: 2}}\n"),
        loaded(tmp_path, json.dumps(plain), "j.json"),
        loaded(tmp_path, json.dumps([{"query": q, "relevant": r} for q, r in plain.items()]), "j.json"),
    ]
    assert [told(form) for form in forms] == [plain] * 4
    assert len({form.hash for form in forms}) == 1


def test_the_hash_follows_what_is_judged_and_nothing_else(tmp_path: Path):
    first = loaded(tmp_path, "- {query: one, relevant: {a.md: 1}}\n- {query: two, relevant: b.md}\n")
    moved = loaded(tmp_path, "# a comment\n- {query: two, relevant: [b.md]}\n- {query: one, relevant: a.md}\n")
    graded = loaded(tmp_path, "- {query: one, relevant: {a.md: 2}}\n- {query: two, relevant: b.md}\n")
    assert first.hash == moved.hash != graded.hash


def test_a_query_keeps_its_id_wherever_it_stands_and_may_name_its_own(tmp_path: Path):
    first = loaded(tmp_path, "- {query: one, relevant: a.md}\n- {query: two, relevant: b.md, id: second}\n")
    again = loaded(tmp_path, "- {query: new, relevant: a.md}\n- {query: one, relevant: b.md}\n")
    assert first.queries[0].id == again.queries[1].id
    assert first.queries[1].id == "second"


def test_options_are_those_of_a_search(tmp_path: Path):
    text = "- {query: one, relevant: a.md, options: {in: a.pdf, pages: 3-5, kind: entity, min_similarity: 0.3}}\n"
    (query,) = loaded(tmp_path, text).queries
    assert query.options == {
        "in_document": "a.pdf",
        "page_from": 3,
        "page_to": 5,
        "kinds": ["entity"],
        "min_similarity": 0.3,
    }


def test_the_shipped_judgments_can_be_read():
    judgments = load_judgments(SHIPPED)
    assert len(judgments.queries) == 19
    assert sum("#" in j.target for query in judgments.queries for j in query.judgments) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds empty"),
        ("[]", "no query"),
        ("just text", "holds text"),
        ("- {query: one, relevant: a.md}\n- oops\n", "line 2: an entry is text"),
        ("- {relevant: a.md}\n", "line 1: `query` is empty"),
        ("- {query: 2024, relevant: a.md}\n", "`query` is a number"),
        ("- {query: one}\n", "line 1: `relevant` is empty"),
        ("- {query: one, relevant: []}\n", "names nothing"),
        ("- {query: one, relevant: 7}\n", "is a number"),
        ("- {query: one, relevant: [7]}\n", "names a number"),
        ("- {query: one, relevant: [[a.md]]}\n", "names a list"),
        ("- {query: one, relevant: {a.md: high}}\n", "the grade of 'a.md' is high"),
        ("- {query: one, relevant: {a.md: true}}\n", "the grade of 'a.md' is True"),
        ("- {query: one, relevant: {a.md: -1}}\n", "the grade of 'a.md' is -1"),
        ("- {query: one, relevant: {a.md: 1.5}}\n", "the grade of 'a.md' is 1.5"),
        ("- {query: one, relevant: [{document: a.md, pointer: b}]}\n", "document and pointer"),
        ("- {query: one, relevant: [{document: a.md, rank: 2}]}\n", "'rank'"),
        ("- {query: one, relevant: [a.md, {a.md: 2}]}\n", "judged 1 (line 1) and 2 (line 1)"),
        ("- {query: one, relevnt: a.md}\n", "unknown key 'relevnt'"),
        ("- {query: one, relevant: a.md, id: [1]}\n", "the id '[1]'"),
        ("- {query: one, relevant: a.md, id: two words}\n", "the id 'two words'"),
        ("- {query: one, relevant: a.md, options: [x]}\n", "no mapping"),
        ("- {query: one, relevant: a.md, options: {colour: red}}\n", "unknown option 'colour'"),
        ("- {query: one, relevant: a.md, options: {limit: 3}}\n", "limit is not for a measurement"),
        ("- {query: one, relevant: a.md, options: {min_similarity: high}}\n", "not of its type"),
        ("- {query: one, relevant: a.md, options: {pages: 9-3}}\n", "reversed"),
        ("- {query: one, relevant: a.md, options: {mode: loud}}\n", "unknown mode"),
        ("- {query: one, relevant: a.md}\n- {query: one, relevant: b.md}\n", "line 1 and line 2 are the same query"),
        ("one: a.md\none: b.md\n", "line 2: the key 'one' occurs twice"),
        ("queries: {one: a.md}\n", "`queries` is a mapping"),
        ("queries: []\nmore: 1\n", "'more'"),
        ("- {query: ' ', relevant: a.md}\n", "the query is empty"),
        (f"- {{query: {'x' * 20_000}, relevant: a.md}}\n", "20,000 characters"),
        ("- query: one\n  relevant: [a.md\n", "line 3"),
        ("- &a {query: one, relevant: a.md}\n- *a\n", "line 2: aliases"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "aliases"),
        ("[" * 100 + "]" * 100, "nested deeper"),
        ("- !!python/object/apply:os.system ['true']\n", "could not determine a constructor"),
        (b"- {query: \xff, relevant: a.md}\n", "not UTF-8"),
        (b"\x00\x01\x02", "line 1"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, text: str | bytes, said: str):
    assert said in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"one": "a.md", "one": "b.md"}', "the key 'one' occurs twice"),
        ('[{"query": "one", "relevant": "a.md"}, 3]', "entry 2: an entry is a number"),
        ('[\n{"query": ]', "line 2: expecting value"),
        ("[" * 100_000, "nested too deep"),
        ("1" * 10_000, "holds|integer"),
        ("NaN", "holds a number"),
    ],
)
def test_a_wrong_json_file_says_where(tmp_path: Path, text: str, said: str):
    message = refused(tmp_path, text, "j.json")
    assert any(words in message for words in said.split("|"))


def test_a_huge_file_is_refused_before_it_is_parsed(tmp_path: Path):
    assert "MB are the most" in refused(tmp_path, "#" * (MAX_YAML_MEGABYTES * 1_000_000 + 1))


def test_a_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(JudgmentsInvalid, match="there is no file"):
        load_judgments(tmp_path / "none.yaml")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), st.lists, max_leaves=9))
def test_whatever_json_holds_it_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: object):
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    for held in (value, [{"query": "q", "relevant": value}], [{"query": value}], {"q": value}, {"queries": value}):
        for need in (True, False):
            try:
                found = loaded(folder, json.dumps(held), "j.json", need_relevant=need)
            except JudgmentsInvalid:
                continue
            assert found.queries


class TestTrec:
    QUERIES = 'q1\tcold batteries\nq2\t"who" fixes -the buoy\nq3\tnobody judged this\n'

    def both(self, folder: Path, qrels: str, queries: str = QUERIES, name: str = "queries.tsv") -> Judgments:
        (folder / name).write_text(queries, encoding="utf-8")
        return loaded(folder, qrels, "qrels.txt", queries=folder / name)

    def test_qrels_and_queries_are_joined_by_id(self, tmp_path: Path):
        judgments = self.both(tmp_path, "q1 0 a 2\nq1 0 b 0\n\nq2 0 a -1\nq9 0 a 1\n")
        assert told(judgments) == {"cold batteries": {"a": 2, "b": 0}, "who fixes the buoy": {"a": 0}}
        assert [query.id for query in judgments.queries] == ["q1", "q2"]
        assert judgments.notes == (
            "left out: 1 judged query without a text, the first is 'q9'",
            "left out: 1 query without a judgment",
            "taken as 0: 1 grade below 0",
        )

    def test_queries_may_be_json_lines(self, tmp_path: Path):
        queries = '{"_id": "q1", "text": "cold batteries"}\n'
        assert told(self.both(tmp_path, "q1 0 a 1\n", queries, "q.jsonl")) == {"cold batteries": {"a": 1}}

    @pytest.mark.parametrize(
        ("qrels", "queries", "said"),
        [
            ("q1 0 a\n", QUERIES, "qrels.txt, line 1: 3 columns"),
            ("q1 0 a 1\nq1 0 b x\n", QUERIES, "qrels.txt, line 2: 'x' is no grade"),
            ("q1 0 a 99999\n", QUERIES, "is no grade"),
            ("q1 0 a 1\n", "q1\ta\nq1\tb\n", "line 2: the query 'q1' is there twice"),
            ("q1 0 a 1\n", "q1\t \n", "line 1: the query 'q1' is empty"),
            ("q1 0 a 1\nq1 0 a 2\n", QUERIES, "'a' is judged 1 (line 1) and 2 (line 2)"),
            ("q8 0 a 1\n", QUERIES, "no query with a judgment"),
        ],
    )
    def test_a_wrong_file_says_where(self, tmp_path: Path, qrels: str, queries: str, said: str):
        with pytest.raises(JudgmentsInvalid) as caught:
            self.both(tmp_path, qrels, queries)
        assert said in caught.value.message

    def test_qrels_without_queries_say_what_is_missing(self, tmp_path: Path):
        with pytest.raises(JudgmentsInvalid) as caught:
            loaded(tmp_path, "q1 0 a 1\n", "qrels.txt")
        assert "--queries" in caught.value.suggestion


class TestBeir:
    def folder(self, root: Path, **splits: str) -> Path:
        (root / "qrels").mkdir()
        (root / "queries.jsonl").write_text('{"_id": "1", "text": "salt"}\n{"_id": "2", "text": "copper"}\n')
        for name, rows in splits.items():
            (root / "qrels" / f"{name}.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows)
        return root

    def test_the_test_split_is_taken(self, tmp_path: Path):
        judgments = load_judgments(self.folder(tmp_path, test="1\td7\t2\n", train="2\td8\t1\n"))
        assert told(judgments) == {"salt": {"d7": 2}}
        assert "judged by qrels/test.tsv, not train" in judgments.notes

    @pytest.mark.parametrize(("rows", "said"), [("1\td7\n", "2 columns"), ("1\td7\tgood\n", "'good' is no grade")])
    def test_a_wrong_row_says_where(self, tmp_path: Path, rows: str, said: str):
        with pytest.raises(JudgmentsInvalid, match="line 2") as caught:
            load_judgments(self.folder(tmp_path, test=rows))
        assert said in caught.value.message

    def test_another_folder_is_none(self, tmp_path: Path):
        with pytest.raises(JudgmentsInvalid, match=r"queries\.jsonl"):
            load_judgments(tmp_path)


def test_plain_queries_will_do_for_a_comparison_alone(tmp_path: Path):
    text = "# mine\nwhat is salt\n\nwhat is copper\nwhat is salt\n"
    found = loaded(tmp_path, text, "questions.txt", need_relevant=False)
    assert [query.text for query in found.queries] == ["what is salt", "what is copper"]
    with pytest.raises(GlassdexError):
        loaded(tmp_path, text, "questions.txt")
