"""`glassdex context` on the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest

from glassdex.context.pack import WEAK
from glassdex.embedding.tokens import token_counter
from glassdex.envelopes.context import ContextAnswer
from tests.cli.running import QUERY, Run, command, environment, write

WEAK_TASK = "how do we get the server up again"
NOWHERE = "elephants in the zoo of Vienna"


def test_standard_output_is_the_passages_alone_within_the_budget(in_vault: Run):
    ran = in_vault("context", QUERY, "--budget", "700")
    assert ran.code == 0
    assert ran.out.startswith("[1] lines ")
    assert "\ndecisions/adr-" in ran.out
    answer = in_vault("context", QUERY, "--budget", "700", "--json").answer
    assert token_counter().count(ran.out) == answer["budget"]["used"] <= 700
    for passage in answer["passages"]:
        place = passage["citation"].partition(", ")[2]
        assert f"[{passage['number']}] {place} · {passage['section'][0]}" in ran.out
        assert f"\n{passage['pointer']} · " in ran.out
        assert passage["text"] in ran.out
    assert "verdict ok" in ran.err
    assert f"{len(answer['passages'])} passages, {answer['budget']['used']} of 700 tokens" in ran.err


def test_what_did_not_fit_is_listed(in_vault: Run):
    ran = in_vault("context", QUERY, "--budget", "700")
    answer = in_vault("context", QUERY, "--budget", "700", "--json").answer
    first = answer["left_out"][0]
    assert f"left out: rank {first['rank']}, {first['tokens']} tokens  {first['pointer']}" in ran.err
    weak = [one for one in answer["left_out"] if one["reason"] == "weak"]
    more = len(answer["left_out"]) - len(weak) - 10
    assert f"and {more:,} more left out: --json lists them all" in ran.err
    assert f"{len(weak)} passages left out as weak: below {WEAK:g} of the best score" in ran.err


def test_a_pointer_of_it_opens(in_vault: Run):
    for passage in in_vault("context", QUERY, "--json").answer["passages"]:
        ran = in_vault("open", passage["pointer"], "--json")
        assert ran.code == 0
        assert (ran.answer["state"], ran.answer["text"]) == ("exact", passage["text"])


def test_the_json_keeps_its_schema_in_every_state(in_vault: Run):
    schema = ContextAnswer.published_schema()
    states = {}
    for arguments in (
        (QUERY,),
        (QUERY, "--explain", "--diversify", "--max-candidates", "3"),
        (QUERY, "--budget", "50"),
        (NOWHERE,),
        (NOWHERE, "--anyway"),
        ("zzyzx", "--mode", "lexical"),
        ("--in", "decisions/adr-7d9f-embedding-providers.md"),
    ):
        ran = in_vault("context", *arguments, "--json")
        jsonschema.validate(ran.answer, schema)
        states[arguments] = ran.answer["state"], ran.code
    assert list(states.values()) == [
        ("packed", 0),
        ("packed", 0),
        ("budget_too_small", 1),
        ("nothing_relevant", 1),
        ("packed", 1),
        ("nothing_found", 1),
        ("packed", 0),
    ]


def test_nothing_relevant_prints_nothing_and_says_so(in_vault: Run):
    ran = in_vault("context", NOWHERE)
    assert (ran.code, ran.out) == (1, "")
    assert "verdict nothing relevant" in ran.err
    assert "withheld: --anyway packs them" in ran.err
    assert in_vault("context", NOWHERE, "--anyway").out.startswith("[1] ")


def test_a_budget_too_small_says_which_would_do(in_vault: Run):
    ran = in_vault("context", QUERY, "--budget", "50")
    assert (ran.code, ran.out) == (1, "")
    needed = in_vault("context", QUERY, "--budget", "50", "--json").answer["budget"]["needed"]
    assert f"no passage fits into 50 tokens: the best one takes --budget {needed}" in ran.err
    assert in_vault("context", QUERY, "--budget", str(needed)).code == 0


def test_an_explanation_is_that_of_the_search(in_vault: Run):
    searched = in_vault("search", QUERY, "--limit", "5", "--explain", "--json").answer
    same = ("--limit", "5", "--matches", "3", "--expand", "0")
    gathered = in_vault("context", QUERY, *same, "--explain", "--json").answer
    for answer in (searched, gathered):
        del answer["trace"]["ms"]
        for stage in answer["trace"]["stages"]:
            del stage["ms"]
    assert gathered["trace"] == searched["trace"]
    assert {key: gathered[key] for key in ("verdict", "scope", "page")} == {
        key: searched[key] for key in ("verdict", "scope", "page")
    }
    ran = in_vault("context", QUERY, "--explain")
    assert "→ fuse " in ran.out
    assert ran.out.endswith(in_vault("context", QUERY).out)


def test_diversity_takes_a_number_or_none(in_vault: Run):
    for arguments, trade_off in (
        (("--diversify", QUERY), 0.7),
        (("--diversify", "0.4", QUERY), 0.4),
        ((QUERY, "--diversify"), 0.7),
        ((QUERY, "--diversify=1"), 1.0),
    ):
        for name in ("search", "context"):
            answer = in_vault(name, *arguments, "--explain", "--json").answer
            assert answer["trace"]["engine"]["diversity"]["params"] == {"lambda": trade_off, "head": 50}
    plain = in_vault("search", QUERY, "--json").answer
    for off in (("--diversify=off",), ("--diversify", "off")):
        answer = in_vault("search", *off, QUERY, "--json").answer
        assert (answer["query"], answer["results"]) == (plain["query"], plain["results"])
    assert "--diversify=off" in " ".join(in_vault("search", "--help").out.split())
    wrong = in_vault("search", QUERY, "--diversify=on", "--json")
    assert (wrong.code, "--diversify=off" in wrong.error["suggestion"]) == (2, True)
    ran = in_vault("search", QUERY, "--diversify", "--explain")
    assert "M diversify" in ran.out
    assert " → M 1 (" in ran.out
    assert "M rank" in in_vault("inspect", "query", QUERY, "--diversify").out
    wrong = in_vault("search", QUERY, "--diversify", "2", "--json")
    assert (wrong.code, wrong.error["code"]) == (2, "invalid_request")


def test_links_are_followed_by_default(in_vault: Run):
    assert in_vault("context", QUERY, "--explain", "--json").answer["trace"]["request"]["expand"] == 3
    assert "expand" not in in_vault("context", QUERY, "--expand", "0", "--explain", "--json").answer["trace"]["request"]
    assert "expand" not in in_vault("search", QUERY, "--explain", "--json").answer["trace"]["request"]
    passages = in_vault("context", QUERY, "--json").answer["passages"]
    through = [passage["reason"]["through"] for passage in passages if "through" in passage["reason"]]
    assert any(link["route"] == "successor" for link in through)


def test_two_dashes_make_it_a_word(in_vault: Run):
    answer = in_vault("context", "--json", "--", "--diversify", QUERY).answer
    assert answer["task"] == f"--diversify {QUERY}"


@pytest.mark.parametrize("budget", ["0", "49", "200001", "-1", "many"])
def test_a_budget_outside_its_bounds_is_a_wrong_request(in_vault: Run, budget: str):
    ran = in_vault("context", QUERY, "--budget", budget, "--json")
    assert ran.code == 2
    assert ran.error["code"] == "invalid_request"


def test_what_is_in_files_cannot_steer_the_terminal(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    vault = write(tmp_path / "vault", **{"a\x1b[2J": "# T\x1b]0;x\x07\n\nthe harbour \x1b[31mfreezes\u202e\n"})
    monkeypatch.chdir(vault)
    assert run("index", vault).code == 0
    ran = run("context", "harbour freezes")
    assert ran.code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(ran.out + ran.err)
    assert "\\x1b[31mfreezes" in ran.out
    raw = run("context", "harbour freezes", "--json")
    assert "\x1b" not in raw.out
    assert "\x1b" in json.loads(raw.out)["passages"][0]["text"]


def test_without_a_task_it_asks_for_one(in_vault: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", None)
    ran = in_vault("context")
    assert ran.code == 2
    assert "glassdex context WORDS" in ran.err


def test_a_weak_verdict_comes_before_the_passages_and_any_other_after_them(in_vault: Run, vault_home: Path):
    def lines(task: str) -> list[str]:
        ran = subprocess.run(
            command("context", task),
            cwd=vault_home.parent / "vault",
            env=environment(vault_home),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=True,
            timeout=120,
        )
        return ran.stdout.splitlines()

    weak, ok = lines(WEAK_TASK), lines(QUERY)
    assert weak[0].startswith("verdict weak (")
    assert weak[1].startswith("[1] ")
    assert ok[0].startswith("[1] ")
    for shown in (weak, ok):
        assert len([line for line in shown if line.startswith("verdict ")]) == 1
    after = next(place for place, line in enumerate(ok) if line.startswith("verdict ok ("))
    assert not any(line.startswith("[") for line in ok[after:])
    assert in_vault("context", WEAK_TASK, "--json").answer["verdict"]["status"] == "weak"
