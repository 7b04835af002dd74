"""`glassdex eval`: what it measures, what it lists, when a gate fails, and what it keeps."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import ir_measures
import jsonschema
import pytest

from glassdex.envelopes.evaluation import EvalAnswer, ProposedAnswer
from glassdex.envelopes.run import RunAnswer
from glassdex.envelopes.trace import Trace
from glassdex.evaluation.saved import load_run
from tests.cli.conftest import home, in_vault, run, vault_home
from tests.cli.running import VAULT, Run, write

__all__ = ["home", "in_vault", "run", "vault_home"]
SHIPPED = VAULT.parent / "judgments.yaml"
FOUND = "restore the server from backup"
ANSWER = "runbooks/restore-shoal-from-backup.md"


@pytest.fixture
def changeable(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line inside a small indexed folder that may be changed."""
    notes = write(
        tmp_path / "notes",
        backup="# Backup\n\nCopies of the server go to the second site every night.\n",
        bread="# Bread\n\nThe loaf rests for twelve hours in the cold.\n",
        buoy="# Buoy\n\nThe mast carries an antenna and a lamp.\n",
    )
    assert run("index", notes).code == 0
    monkeypatch.chdir(notes)
    return run


def trec_run(path: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, q0, unit, rank, score, _name = line.split(" ")
        assert (q0, int(rank)) == ("Q0", len(found.setdefault(query, {})) + 1)
        found[query][unit] = float(score)
    return found


def judged(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_judgments_are_measured(in_vault: Run):
    ran = in_vault("eval", SHIPPED, "--json")
    answer = ran.answer
    assert ran.code == 0
    jsonschema.validate(answer, EvalAnswer.published_schema())
    assert (answer["measured"], answer["left_out"], answer["unresolved"]) == (19, 0, [])
    assert list(answer["overall"]) == ["nDCG@10", "R@10", "RR@10", "P@5", "Success@1", "Success@5"]
    assert answer["overall"]["nDCG@10"] > 0.75
    assert answer["identity"]["freshness"]["states"] == {"fresh": 33}
    assert "warnings" not in answer
    coffee = next(query for query in answer["queries"] if query["id"] == "coffee")
    assert coffee["judged"][0]["targets"] == ["recipes/pour-over-coffee.md#L7-L24,c=75-682@0b18e1b61eee"]


def test_for_people_it_fits_the_width_and_shows_the_worst_queries(in_vault: Run):
    ran = in_vault("eval", SHIPPED)
    assert ran.code == 0
    assert "19 queries measured" in ran.out
    assert "the worst queries by nDCG@10" in ran.out
    assert all(len(line) <= 100 for line in ran.out.splitlines())
    assert len(in_vault("eval", SHIPPED, "--per-query").out.splitlines()) > len(ran.out.splitlines())


def test_keeping_traces_changes_no_measure_and_no_ranking(in_vault: Run, tmp_path: Path):
    plain = in_vault("eval", SHIPPED, "--json").answer
    whole = in_vault("eval", SHIPPED, "--json", "--save", tmp_path / "whole.json").answer
    bare = in_vault("eval", SHIPPED, "--json", "--save", tmp_path / "bare.json", "--no-traces").answer
    for other in (whole, bare):
        assert (other["overall"], other["queries"]) == (plain["overall"], plain["queries"])
    with_traces, without = load_run(tmp_path / "whole.json"), load_run(tmp_path / "bare.json")
    assert [q.ranked for q in with_traces.queries] == [q.ranked for q in without.queries]
    assert all(query.trace for query in with_traces.queries)
    assert not any(query.trace for query in without.queries)


def test_what_is_measured_is_what_search_prints_explained_or_not(in_vault: Run, tmp_path: Path):
    in_vault("eval", SHIPPED, "--save", tmp_path / "run.json")
    for query in load_run(tmp_path / "run.json").queries[:5]:
        for more in ((), ("--explain",)):
            answer = in_vault("search", query.query, "--json", *more).answer
            assert [result["document"]["path"] for result in answer["results"]] == [r.document for r in query.ranked]


def test_a_saved_run_is_the_published_envelope_with_whole_traces(in_vault: Run, tmp_path: Path):
    file = tmp_path / "run.json"
    in_vault("eval", SHIPPED, "--save", file)
    saved = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.validate(saved, RunAnswer.published_schema())
    jsonschema.validate(saved["queries"][0]["trace"], Trace.published_schema())
    assert saved["queries"][0]["trace"]["truncated"] == 0
    assert len(file.read_text(encoding="utf-8").splitlines()) == len(saved["queries"]) + 2
    assert load_run(file).overall == saved["overall"]
    assert not list(tmp_path.glob(".run.json*"))


def test_the_same_files_have_the_same_revision_wherever_they_are_indexed(
    in_vault: Run, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    there = in_vault("eval", SHIPPED, "--json").answer["identity"]["revision"]
    shutil.copytree(VAULT, tmp_path / "copy")
    monkeypatch.setenv("GLASSDEX_HOME", str(tmp_path / "other home"))
    monkeypatch.chdir(tmp_path / "copy")
    run("index", tmp_path / "copy")
    here = run("eval", SHIPPED, "--json").answer["identity"]["revision"]
    assert here["fingerprint"] == there["fingerprint"]
    (tmp_path / "copy" / "recipes" / "pour-over-coffee.md").write_text("# Tea\n\nThree minutes.\n")
    run("index", tmp_path / "copy")
    assert run("eval", SHIPPED, "--json").answer["identity"]["revision"]["fingerprint"] != there["fingerprint"]


UNRESOLVED = f"""
- query: {FOUND}
  relevant:
    - {ANSWER}
    - gone.md
- query: what is in a README
  relevant: [nowhere.md, "recipes/pour-over-coffee.md#L7,c=75-682@000000000000", other:a.md#c=0-9@0b18e1b61eee]
- query: nothing is right for this
  relevant: {{{ANSWER}: 0}}
- query: in a document that is not there
  relevant: {ANSWER}
  options: {{in: missing.pdf}}
"""


def test_what_cannot_be_resolved_is_listed_with_its_reason_and_counts_in_no_mean(in_vault: Run, tmp_path: Path):
    file = judged(tmp_path / "j.yaml", UNRESOLVED)
    ran = in_vault("eval", file, "--json")
    answer = ran.answer
    assert [(u["target"].partition("#")[0], u["code"]) for u in answer["unresolved"]] == [
        ("gone.md", "document_not_found"),
        ("nowhere.md", "document_not_found"),
        ("recipes/pour-over-coffee.md", "passage_lost"),
        ("other:a.md", "invalid_pointer"),
    ]
    assert all(u["reason"] and u["where"] for u in answer["unresolved"])
    assert [query.get("left_out") for query in answer["queries"]] == [
        None,
        "none of its judgments is in the index",
        "nothing is judged relevant for it",
        "no document is called 'missing.pdf' [document_not_found]",
    ]
    assert (answer["measured"], answer["left_out"]) == (1, 3)
    assert answer["overall"]["nDCG@10"] == answer["queries"][0]["metrics"]["nDCG@10"] == 1
    people = in_vault("eval", file)
    assert people.out.count("left out:") == 3
    assert "unresolved (line 2): gone.md: no document is called 'gone.md'" in people.out


def test_a_name_that_means_several_documents_names_them(in_vault: Run, tmp_path: Path):
    shutil.copytree(VAULT / "people", tmp_path / "one" / "a")
    shutil.copytree(VAULT / "people", tmp_path / "one" / "b")
    in_vault_home = in_vault
    file = judged(tmp_path / "j.yaml", "- {query: field operations, relevant: [hedda-quill.md, a/hedda-quill.md]}\n")
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(tmp_path / "own"))
        in_vault_home("index", tmp_path / "one")
        answer = in_vault_home("eval", file, "--json", "-p", "one").answer
        people = in_vault_home("eval", file, "-p", "one")
    (unresolved,) = answer["unresolved"]
    assert unresolved["code"] == "document_ambiguous"
    assert unresolved["candidates"] == ["a/hedda-quill.md", "b/hedda-quill.md"]
    assert ": a/hedda-quill.md, b/hedda-quill.md [document_ambiguous]" in " ".join(people.out.split())
    assert answer["measured"] == 1


def test_if_nothing_can_be_measured_the_exit_code_says_so(in_vault: Run, tmp_path: Path):
    ran = in_vault("eval", judged(tmp_path / "j.yaml", "- {query: one, relevant: nowhere.md}\n"), "--json")
    assert (ran.code, ran.answer["measured"]) == (1, 0)


class TestPassages:
    """A pointer says which passage: the document alone does not count."""

    NOTES = "# Log\n\n" + "\n\n".join(
        f"## Day {day}\n\nThe {word} was repaired on the {word} side, and the {word} works again after day {day}."
        for day, word in enumerate(("anchor", "rudder", "winch", "lantern", "compass"))
    )

    def pointers(self, run: Run) -> dict[str, str]:
        answer = run("inspect", "chunks", "log.md", "--json").answer
        chunks = [chunk for row in answer["rows"] for chunk in row["chunks"]]
        return {word: c["pointer"] for c in chunks for word in ("rudder", "compass") if f"The {word} was" in c["text"]}

    @pytest.fixture
    def log(self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
        run("index", write(tmp_path / "notes", log=self.NOTES, other="# Other\n\nNothing about that.\n"))
        monkeypatch.chdir(tmp_path / "notes")
        return run

    def test_the_judged_passage_has_to_be_shown(self, log: Run, tmp_path: Path):
        pointers = self.pointers(log)
        file = judged(
            tmp_path / "j.yaml",
            f"- {{query: rudder repaired, relevant: '{pointers['rudder']}', options: {{matches: 1}}}}\n"
            f"- {{query: anchor repaired, relevant: '{pointers['compass']}', options: {{matches: 1}}}}\n",
        )
        right, wrong = log("eval", file, "--json").answer["queries"]
        assert right["judged"][0]["rank"] == 1
        assert right["metrics"]["RR@10"] == 1
        assert "rank" not in wrong["judged"][0]
        assert wrong["judged"][0]["other_passage_rank"] == 1
        assert wrong["metrics"]["RR@10"] == 0
        assert "(1, elsewhere)" in log("eval", file).out

    def test_one_judgment_of_the_whole_document_is_enough(self, log: Run, tmp_path: Path):
        text = f"- {{query: anchor repaired, relevant: ['{self.pointers(log)['compass']}', log.md]}}\n"
        (query,) = log("eval", judged(tmp_path / "j.yaml", text), "--json").answer["queries"]
        assert query["metrics"]["RR@10"] == 1

    def test_a_passage_that_moved_is_found_where_it_is_now(self, log: Run, tmp_path: Path):
        pointer = self.pointers(log)["rudder"]
        Path("log.md").write_text("# Log\n\nA first line that was not there.\n\n" + self.NOTES[7:], encoding="utf-8")
        log("index")
        file = judged(tmp_path / "j.yaml", f"- {{query: rudder repaired, relevant: '{pointer}'}}\n")
        (query,) = log("eval", file, "--json").answer["queries"]
        assert query["metrics"]["RR@10"] == 1


SESSION = "0d3f9a52-6a1c-4a52-9d56-2f6f0a7d1b11"


def said(uuid: str, role: str, text: str, minute: int) -> str:
    return json.dumps(
        {
            "type": role,
            "uuid": uuid,
            "sessionId": SESSION,
            "timestamp": f"2026-01-31T09:{minute:02}:00Z",
            "message": {"role": role, "content": text},
        }
    )


def test_conversations_are_judged_by_message_by_session_and_by_file(run: Run, tmp_path: Path):
    folder = tmp_path / "logs"
    folder.mkdir()
    lines = [
        said("aaaa-1", "user", "why does the winch stall when it is cold", 1),
        said("aaaa-2", "assistant", "the grease stiffens below zero, use the winter grease", 2),
    ]
    (folder / f"{SESSION}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write(folder, note="# Bread\n\nThe loaf rests.\n")
    run("index", folder)
    found = run("search", "winter grease", "--json", "-p", "logs").answer["results"][0]
    pointer = next(m["pointer"] for m in found["matches"] if "winter grease" in m["text"])
    assert pointer.startswith(f"session:claude/{SESSION}#")
    for target in (pointer, f"session:claude/{SESSION}", f"{SESSION}.jsonl"):
        file = judged(tmp_path / "j.yaml", f"- {{query: which grease in winter, relevant: '{target}'}}\n")
        answer = run("eval", file, "--json", "-p", "logs").answer
        assert answer["unresolved"] == []
        assert answer["overall"]["RR@10"] == 1, target
    gone = pointer.replace("aaaa-2", "zzzz-9")
    lost = judged(tmp_path / "j.yaml", f"- {{query: a, relevant: '{gone}'}}\n")
    assert run("eval", lost, "--json", "-p", "logs").answer["unresolved"][0]["code"] == "document_not_found"


class TestGates:
    JUDGMENTS = "- {query: copies of the server, relevant: backup.md}\n- {query: loaf, relevant: bread.md}\n"

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        return judged(tmp_path / "j.yaml", self.JUDGMENTS)

    def test_a_mean_that_is_reached_passes_and_one_that_is_not_fails(self, changeable: Run, file: Path):
        assert changeable("eval", file, "--fail-under", "nDCG@10=1", "--fail-under", "RR@10=0.5").code == 0
        ran = changeable("eval", file, "--fail-under", "P@5=0.9", "--json")
        assert ran.code == 1
        (gate,) = ran.answer["gates"]
        assert (gate["kind"], gate["measure"], gate["found"], gate["passed"]) == ("fail_under", "P@5", 0.2, False)

    def test_what_is_lost_against_the_baseline_is_bounded(self, changeable: Run, file: Path, tmp_path: Path):
        base = tmp_path / "base.json"
        changeable("eval", file, "--save", base, "--no-traces")
        bounds = ("--baseline", base, "--max-drop", "nDCG@10=0.1")
        assert changeable("eval", file, *bounds).code == 0
        ran = changeable("eval", file, *bounds, "--with", "paths=buoy.md", "--json")
        assert ran.code == 1
        (gate,) = ran.answer["gates"]
        assert (gate["found"], gate["passed"]) == (1, False)
        change = ran.answer["baseline"][0]
        assert (change["a"], change["b"], change["losses"], change["p"]) == (1, 0, 2, 0.5)
        people = changeable("eval", file, *bounds, "--with", "paths=buoy.md")
        assert "FAILED  --max-drop nDCG@10=0.1: lost 1.0000 of 0.1 allowed" in people.out

    def test_an_index_that_is_behind_fails_every_gate_unless_allowed(self, changeable: Run, file: Path):
        Path("bread.md").write_text("# Bread\n\nAnother loaf altogether, longer than before.\n", encoding="utf-8")
        ran = changeable("eval", file, "--fail-under", "nDCG@10=0", "--json")
        assert ran.code == 1
        (warning,) = ran.answer["warnings"]
        assert warning == (
            "notes: the index is behind: 1 document (rows behind file); run: glassdex index --project notes"
        )
        assert not ran.answer["gates"][0]["passed"]
        assert changeable("eval", file).code == 0, "without a gate it is a warning"
        allowed = changeable("eval", file, "--fail-under", "nDCG@10=0", "--allow-stale", "--json")
        assert allowed.code == 0
        assert allowed.answer["stale_allowed"] is True
        assert allowed.answer["warnings"]

    def test_a_file_that_was_never_read_is_behind_too(self, changeable: Run, file: Path):
        write(Path(), new="# New\n\nNobody indexed this.\n")
        ran = changeable("eval", file, "--fail-under", "nDCG@10=0", "--json")
        assert (ran.code, ran.answer["identity"]["freshness"]["new_files"]) == (1, 1)

    def test_chunks_without_a_vector_are_in_doubt_unless_words_alone_are_asked(
        self, run: Run, tmp_path: Path, file: Path
    ):
        notes = write(tmp_path / "notes", backup="copies of the server\n", bread="the loaf\n")
        run("index", notes, "--no-embed")
        ran = run("eval", file, "--fail-under", "nDCG@10=0", "--json")
        assert ran.code == 1
        assert any("2 chunks without a vector" in warning for warning in ran.answer["warnings"])

    def test_a_baseline_of_other_judgments_or_another_index_fails_the_gate(
        self, changeable: Run, file: Path, tmp_path: Path
    ):
        base = tmp_path / "base.json"
        changeable("eval", file, "--save", base)
        bounds = ("--baseline", base, "--max-drop", "nDCG@10=1")
        other = judged(tmp_path / "other.yaml", self.JUDGMENTS + "- {query: lamp, relevant: buoy.md}\n")
        ran = changeable("eval", other, *bounds, "--json")
        assert ran.code == 1
        assert any("not the same judgments" in warning for warning in ran.answer["warnings"])
        Path("bread.md").write_text("# Bread\n\nAnother loaf altogether, longer than before.\n", encoding="utf-8")
        changeable("index")
        ran = changeable("eval", file, *bounds, "--json")
        assert ran.code == 1
        assert any("not the same content of the index" in warning for warning in ran.answer["warnings"])
        assert changeable("eval", file, *bounds, "--allow-stale").code == 0

    def test_a_baseline_that_was_saved_while_behind_has_to_be_saved_again(
        self, changeable: Run, file: Path, tmp_path: Path
    ):
        base, now = tmp_path / "base.json", tmp_path / "now.json"
        write(Path(), new="# New\n\nNobody indexed this.\n")
        changeable("eval", file, "--save", base)
        assert changeable("index").code == 0
        warnings = changeable("eval", file, "--baseline", base, "--save", now, "--json").answer["warnings"]
        said = "was saved while the index of notes was behind: 1 new file; measure it and save it again"
        assert warnings[0] == f"the baseline {said}"
        assert not any("glassdex index" in warning for warning in warnings)
        for files, named in (((base, now), "run A"), ((now, base), "run B")):
            assert f"{named} {said}" in changeable("compare", *files, "--json").answer["warnings"]

    def test_runs_that_share_no_query_are_told_and_fail_a_gate(self, changeable: Run, file: Path, tmp_path: Path):
        base = tmp_path / "base.json"
        changeable("eval", judged(tmp_path / "o.yaml", "- {query: lamp, relevant: buoy.md}\n"), "--save", base)
        ran = changeable("eval", file, "--baseline", base)
        assert (ran.code, "no query is in common with the baseline" in ran.out) == (0, True)
        gated = changeable("eval", file, "--baseline", base, "--max-drop", "nDCG@10=0.5", "--allow-stale")
        assert gated.code == 1
        assert "FAILED  --max-drop nDCG@10=0.5: no query was measured in both runs" in gated.out

    def test_no_change_has_no_minus(self, changeable: Run, file: Path, tmp_path: Path):
        base = tmp_path / "base.json"
        changeable("eval", file, "--save", base)
        ran = changeable("eval", file, "--baseline", base, "--max-drop", "nDCG@10=0")
        assert ran.code == 0
        assert "lost 0.0000 of 0 allowed" in ran.out and "-0.0000" not in ran.out

    @pytest.mark.parametrize(
        ("bounds", "said"),
        [
            (("--fail-under", "nDCG@10"), "is no bound"),
            (("--fail-under", "nDCG@10=high"), "is no bound"),
            (("--fail-under", "nDCG@10=nan"), "is no bound"),
            (("--fail-under", "nDCG@10=-0.01"), "a bound is 0 or more"),
            (("--fail-under", "Foo@3=1"), "is no measure"),
            (("--max-drop", "nDCG@10=0.1"), "needs a run to drop from"),
        ],
    )
    def test_a_bound_that_means_nothing_is_refused(self, in_vault: Run, file: Path, bounds: tuple[str, ...], said: str):
        ran = in_vault("eval", file, *bounds)
        assert ran.code == 2
        assert said in ran.err

    def test_a_measure_that_was_not_asked_for_fails_its_gate_and_says_why(self, changeable: Run, file: Path):
        ran = changeable("eval", file, "--fail-under", "AP=0", "--json")
        assert ran.code == 1
        assert any("-m AP" in warning for warning in ran.answer["warnings"])
        assert changeable("eval", file, "-m", "AP", "--fail-under", "AP=0").code == 0


def test_any_measure_by_name(in_vault: Run):
    answer = in_vault("eval", SHIPPED, "-m", "AP", "-m", "P(rel=2)@1", "--json").answer
    assert list(answer["overall"]) == ["AP", "P(rel=2)@1"]
    assert answer["identity"]["depth"] == 100


def test_options_are_the_searchs_own(in_vault: Run):
    answer = in_vault("eval", SHIPPED, "--with", "mode=lexical", "--json").answer
    assert answer["identity"]["mode"] == "lexical"
    assert answer["identity"]["options"] == {"fusion": "convex/1", "mode": "lexical"}
    ran = in_vault("eval", SHIPPED, "--with", "colour=red")
    assert (ran.code, "unknown option 'colour'" in ran.err) == (2, True)
    assert in_vault("eval", SHIPPED, "--with", "mode").code == 2


def test_trec_files_in_and_out(in_vault: Run, tmp_path: Path):
    queries = tmp_path / "queries.tsv"
    queries.write_text('q1\t"restore" the -server from backup\nq2\tbitter coffee\n', encoding="utf-8")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 restore-shoal-from-backup 1\nq2 0 pour-over-coffee 1\nq2 0 lost 1\n", encoding="utf-8")
    out = tmp_path / "run.txt"
    answer = in_vault("eval", qrels, "--queries", queries, "--trec", out, "--json").answer
    assert [u["target"] for u in answer["unresolved"]] == ["lost"]
    judged_paths = [
        ir_measures.Qrel("q1", "runbooks/restore-shoal-from-backup.md", 1),
        ir_measures.Qrel("q2", "recipes/pour-over-coffee.md", 1),
    ]
    theirs = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], judged_paths, trec_run(out))
    assert answer["overall"]["nDCG@10"] == pytest.approx(theirs[ir_measures.nDCG @ 10], abs=1e-6)


def test_a_beir_folder(in_vault: Run, tmp_path: Path):
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "1", "text": "bitter coffee"}\n', encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tPour-over coffee\t1\n", encoding="utf-8")
    answer = in_vault("eval", folder, "--json").answer
    assert answer["overall"]["Success@1"] == 1
    assert answer["identity"]["judgments"]["form"] == "beir"


def test_errors_are_envelopes_and_name_the_place(in_vault: Run, tmp_path: Path):
    ran = in_vault("eval", judged(tmp_path / "j.yaml", "- {query: one, relevant: 7}\n"), "--json")
    assert (ran.code, ran.error["code"]) == (2, "judgments_invalid")
    assert "j.yaml, line 1" in ran.error["message"]
    assert in_vault("eval", "--json").error["code"] == "invalid_request"
    assert in_vault("eval", "nowhere.yaml", "--json").error["code"] == "judgments_invalid"
    assert in_vault("eval", SHIPPED, "--baseline", SHIPPED, "--json").error["code"] == "run_invalid"


@pytest.mark.parametrize("option", ["--save", "--trec"])
def test_a_file_that_cannot_be_written_is_known_before_anything_is_asked(in_vault: Run, tmp_path: Path, option: str):
    for place in (tmp_path, tmp_path / "no" / "folder.json"):
        ran = in_vault("eval", SHIPPED, option, place)
        assert (ran.code, "cannot be written" in ran.err) == (2, True)


def test_signs_that_steer_a_terminal_are_made_visible(in_vault: Run, tmp_path: Path):
    file = judged(tmp_path / "j.json", json.dumps({"coffee \x1b[31m\u202e": ["gone\x07.md", "pour-over-coffee"]}))
    for arguments in (("eval", file, "--per-query"), ("compare", "--queries", file, "--b", "mode=lexical")):
        ran = in_vault(*arguments)
        assert ran.code == 0
        assert not {"\x1b", "\u202e", "\x07"} & set(ran.out + ran.err)


def broken(saved: dict[str, Any], how: str) -> object:
    match how:
        case "list":
            return [saved]
        case "schema":
            saved["schema"] = "glassdex.trace/1"
        case "identity":
            del saved["identity"]["revision"]
        case "rank":
            saved["queries"][0]["ranked"][0]["rank"] = "first"
        case "metrics":
            saved["queries"][0]["metrics"]["nDCG@10"] = None
        case "pointers":
            saved["queries"][0]["ranked"][0]["pointers"] = [1]
        case "queries":
            saved["queries"] = {"a": 1}
        case "trace":
            saved["queries"][0]["trace"] = "text"
    return saved


@pytest.mark.parametrize("how", ["list", "schema", "identity", "rank", "metrics", "pointers", "queries", "trace"])
def test_a_damaged_run_is_refused_with_the_place(changeable: Run, tmp_path: Path, how: str):
    file = judged(tmp_path / "j.yaml", "- {query: loaf, relevant: bread.md}\n")
    saved = tmp_path / "run.json"
    changeable("eval", file, "--save", saved)
    saved.write_text(json.dumps(broken(json.loads(saved.read_text(encoding="utf-8")), how)), encoding="utf-8")
    ran = changeable("eval", file, "--baseline", saved, "--json")
    assert (ran.code, ran.error["code"]) == (2, "run_invalid")


def test_options_that_json_cannot_hold_are_refused(changeable: Run, tmp_path: Path):
    file = judged(tmp_path / "j.yaml", "- {query: loaf, relevant: bread.md}\n")
    saved = tmp_path / "run.json"
    changeable("eval", file, "--save", saved)
    whole = saved.read_text(encoding="utf-8")
    for value in (math.nan, [{"deep": -math.inf}], 10**400):
        for part in ("identity", "queries"):
            run = json.loads(whole)
            (run["identity"] if part == "identity" else run["queries"][0])["options"] = {"fusion": value}
            saved.write_text(json.dumps(run), encoding="utf-8")
            ran = changeable("compare", saved, saved, "--json")
            assert (ran.code, ran.error["code"]) == (2, "run_invalid")
            assert "`fusion` is not made of finite numbers" in ran.error["message"]


def test_keys_of_a_later_version_are_passed_over(changeable: Run, tmp_path: Path):
    file = judged(tmp_path / "j.yaml", "- {query: loaf, relevant: bread.md}\n")
    saved = tmp_path / "run.json"
    changeable("eval", file, "--save", saved)
    content = json.loads(saved.read_text(encoding="utf-8"))
    content["new"] = content["identity"]["new"] = content["queries"][0]["new"] = {"a": 1}
    saved.write_text(json.dumps(content), encoding="utf-8")
    assert changeable("eval", file, "--baseline", saved).code == 0


class TestInit:
    def test_a_set_is_proposed_that_can_be_measured_at_once(self, in_vault: Run, tmp_path: Path):
        file = tmp_path / "mine.yaml"
        answer = in_vault("eval", "--init", file, "--json").answer
        jsonschema.validate(answer, ProposedAnswer.published_schema())
        text = file.read_text(encoding="utf-8")
        assert text.startswith("# Judgments")
        assert text.count("\n- query: ") == answer["queries"] == 24
        measured = in_vault("eval", file, "--json").answer
        assert (measured["measured"], measured["unresolved"]) == (24, [])
        again = tmp_path / "again.yaml"
        in_vault("eval", "--init", again)
        assert again.read_text(encoding="utf-8") == text

    def test_no_file_is_overwritten(self, in_vault: Run, tmp_path: Path):
        file = judged(tmp_path / "mine.yaml", "mine\n")
        ran = in_vault("eval", "--init", file)
        assert (ran.code, "is there already" in ran.err) == (2, True)
        assert file.read_text(encoding="utf-8") == "mine\n"

    def test_an_empty_project_has_nothing_to_propose(self, run: Run, tmp_path: Path):
        run("index", write(tmp_path / "notes"))
        assert run("eval", "--init", tmp_path / "mine.yaml").code == 2
        assert not (tmp_path / "mine.yaml").exists()

    def test_odd_headings_become_yaml_all_the_same(self, run: Run, tmp_path: Path):
        odd = (
            "# \"Quoted\" & *starred*: {brace} 'x' \u2028 \x85 🛟\n\nwhat about the \\ backslash and \x7f signs here?\n"
        )
        run("index", write(tmp_path / "notes", **{"we,ird [name]": odd}))
        file = tmp_path / "mine.yaml"
        assert run("eval", "--init", file).code == 0
        assert run("eval", file, "--json").answer["unresolved"] == []


def test_the_line_that_follows_proposed_judgments_names_the_chosen_project(in_vault: Run, tmp_path: Path):
    file = tmp_path / "my judgments.yaml"
    ran = in_vault("eval", "--init", file, "-p", "vault")
    assert f"then: glassdex eval '{file}' --project vault --save {tmp_path / 'before.run.json'}" in ran.out
