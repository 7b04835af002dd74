"""What a search looks like: aligned, foldable, and never with a broken pointer."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from glassdex.cli.render_search import decimal, render
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.errors import EmbeddingError
from glassdex.pointers import parse_pointer
from glassdex.project import Project
from tests.cli.running import QUERY, Run, write

POINTER = re.compile(r"^ {4}(\S+#L\S+@[0-9a-f]{12})$", re.MULTILINE)
TIMES = re.compile(r"[0-9.]+ ms|(?<= )[0-9]+\.[0-9](?=   )|(?<= )[0-9]+\.[0-9]$", re.MULTILINE)


def test_the_header_tells_what_the_trace_tells(in_vault: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    words, pipeline, *_ = in_vault("search", QUERY, "--explain", "-n", "3").out.splitlines()
    trace = in_vault("search", QUERY, "--explain", "-n", "3", "--json").answer["trace"]
    used = sorted((t for t in trace["query"]["terms"] if t["status"] == "used"), key=lambda term: term["df"])
    assert [term["surface"] for term in used] == ["swappable", "model", "embedding"]
    rarest, second, third = (term["df"] for term in used)
    assert words == (
        f"hybrid · 3 of 6 terms carry weight: swappable(df {rarest}) model({second}) embedding({third})"
        f"   index: {trace['readiness']['ready']} ready · 0 pending"
    )
    stages = {stage["name"]: stage for stage in trace["stages"]}
    verdict = trace["verdict"]
    assert re.sub(r"[0-9.]+ ms", "T ms", pipeline) == (
        f"scope {stages['scope']['out']} → L {stages['lexical']['measured']['returned']}"
        f" D {stages['dense']['measured']['returned']} → fuse {stages['fuse']['out']}"
        f" → collapse {stages['collapse']['measured']['documents']} → page 3   T ms"
        f"   verdict ok (best cos {decimal(verdict['similarity'], 2)}, 100 % of the query's weight)"
    )


class NoModel(MiniLmEmbedder):
    """A model that is not there when a query comes."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        raise EmbeddingError("the model file\x1b is gone")


@pytest.mark.parametrize("explain", [False, True])
def test_a_leg_that_could_not_run_is_told(tmp_path: Path, home: Path, explain: bool) -> None:
    out = Console(file=io.StringIO(), width=100)
    with Project.in_memory(write(tmp_path / "notes", a="# Owls\n\nOwls hunt.\n"), embedder=NoModel()) as project:
        project.index()
        render(project.search("owls"), out, explain=explain)
    assert isinstance(out.file, io.StringIO)
    assert "\nsearched by words only: the model file\\x1b is gone\n" in f"\n{out.file.getvalue()}"


def test_a_filter_shows_what_it_left(in_vault: Run) -> None:
    out = in_vault("search", "buoy", "--explain", "--path", "people/", "--mode", "lexical").out
    scope = in_vault("search", "buoy", "--path", "people/", "--mode", "lexical", "--json").answer["scope"]
    assert f"scope {scope['scope_total']} of {scope['filters'][0]['in']} → " in out


def test_a_narrow_header_breaks_between_facts(in_vault: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = in_vault("search", QUERY, "--explain", "-n", "3").out.splitlines()
    first_words = [line.split()[0].partition("(")[0] for line in lines[: lines.index("")]]
    assert [word for word in first_words if word.isalpha()] == ["hybrid", "model", "scope", "verdict"]


def test_every_stage_shows_what_came_in_and_what_went_out(in_vault: Run) -> None:
    lines = in_vault("search", QUERY, "--explain", "-n", "3").out.splitlines()
    table = lines[lines.index("") + 1 :]
    table = table[: table.index("")]
    assert table[0].split() == ["stage", "in", "added", "out", "ms", "dropped"]
    rows = [line[2:].split() for line in table[1:] if " · did not run" not in line]
    assert [row[0] for row in rows] == [
        "scope",
        "lexical",
        "dense",
        "complete",
        "fuse",
        "feedback",
        "threshold",
        "collapse",
        "page",
    ]
    for row in rows:
        entered, added, left = (0 if cell == "·" else int(cell.replace(",", "")) for cell in row[1:4])
        dropped = sum(int(number) for number in re.findall(r"\d+", " ".join(row[5:])))
        assert entered + added == left + dropped


def test_an_explanation_adds_one_line_to_a_result(in_vault: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    plain = in_vault("search", QUERY, "-n", "5").out
    explained = in_vault("search", QUERY, "-n", "5", "--explain").out
    body = explained[explained.index("\n 1  ") + 1 :]
    added = [line for line in body.splitlines() if line not in plain.splitlines()]
    assert len([line for line in added if re.match(r" {4}L (\d+|·)", line)]) == 5
    without = [line for line in body.splitlines() if not re.match(r" {4}L (\d+|·)", line)]
    assert plain.startswith("verdict ok (")
    assert without == plain.splitlines()[2:]


@pytest.mark.parametrize("width", range(60, 201, 20))
def test_the_extra_line_is_one_line_at_any_width(in_vault: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = in_vault("search", "buoy battery", "-n", "10", "--explain", "--mode", "lexical").out
    signals = [line for line in out.splitlines() if re.match(r" {4}L (\d+|·)", line)]
    assert len(signals) == 10
    assert all(re.search(r"→ F \d+ \(\S+\)", line) and len(line) <= width for line in signals)


@pytest.mark.parametrize("width", ["60", "77", "100", "133", "200", "1", "wide", ""])
def test_no_width_breaks_a_pointer_or_leaves_a_blank_at_the_end(
    in_vault: Run, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    out = in_vault("search", "buoy", "-n", "20", "--explain", "--mode", "lexical").out
    listed = POINTER.findall(out)
    answer = in_vault("search", "buoy", "-n", "20", "--mode", "lexical", "--json").answer
    assert listed == [match["pointer"] for result in answer["results"] for match in result["matches"]]
    for pointer in listed:
        parse_pointer(pointer)
    assert [line for line in out.splitlines() if line != line.rstrip()] == []
    columns = max(60, int(width)) if width.isdigit() else 100
    assert [line for line in out.splitlines() if len(line) > columns and line.strip() not in listed] == []


def test_scores_stand_under_each_other(in_vault: Run) -> None:
    out = in_vault("search", QUERY, "-n", "5").out
    titles = [line for line in out.splitlines() if re.match(r" ?\d+  ", line)]
    scores = [re.search(r"(\d?\.\d{3})  ● fresh$", line) for line in titles]
    assert len({found.end() for found in scores if found}) == 1
    shown = [float(found[1]) for found in scores if found]
    assert (len(shown), shown[0]) == (5, 1.0)
    assert [found[1][0] for found in scores if found] == ["1", ".", ".", ".", "."]


def test_a_snippet_is_words_and_no_markdown(in_vault: Run) -> None:
    out = in_vault("search", QUERY, "-n", "1").out
    assert "    The embedding model is swappable because" in out
    assert "## Why an adapter" not in out


def test_two_searches_look_the_same_apart_from_times(in_vault: Run) -> None:
    first, second = (in_vault("search", QUERY, "--explain").out for _ in range(2))
    # The column of times is as wide as the longest.
    assert re.sub(r" +", " ", TIMES.sub("T", first)) == re.sub(r" +", " ", TIMES.sub("T", second))


def test_without_a_terminal_there_is_no_escape_sequence(in_vault: Run) -> None:
    assert "\x1b" not in in_vault("search", QUERY, "--explain").out


def test_a_page_beyond_the_end_says_so(in_vault: Run) -> None:
    ran = in_vault("search", "buoy", "--mode", "lexical", "--page", "99")
    assert ran.code == 1
    ran = in_vault("search", QUERY, "--page", "99")
    assert ran.code == 1
    assert "page 99 lies beyond what was ranked (window exhausted)" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(0.9314, 3, ".931"), (1.0, 3, "1.000"), (-0.25, 2, "-.25"), (12.5, 2, "12.50"), (0.0, 3, ".000"), (-1, 1, "-1.0")],
)
def test_numbers(value: float, places: int, text: str) -> None:
    assert decimal(value, places) == text


@pytest.mark.parametrize("width", [60, 80])
def test_every_stage_is_seen_in_a_narrow_terminal(in_vault: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    ask = ("search", QUERY, "--explain", "-n", "2", "--feedback=on", "--expand=3", "--diversify")
    monkeypatch.setenv("COLUMNS", str(width))
    lines = in_vault(*ask).out.splitlines()
    assert max(len(line) for line in lines if not POINTER.match(line)) <= width
    ranks = " ".join(" ".join(lines).split())
    assert (
        len(re.findall(r"L \d+ \(\S+\) → D \d+ \(\S+\) → F \d+ .*?→ P \d+ .*?→ G \d+ .*?→ M \d+ \(\S+\)", ranks)) == 2
    )
    assert any(line.startswith("    → ") for line in lines)
    assert any(re.match(r"→ .*page 2$", line) for line in lines)
    assert any(re.match(r"[0-9.]+ ms", line) for line in lines)
    monkeypatch.setenv("COLUMNS", "200")
    assert not any(line.lstrip().startswith("→") for line in in_vault(*ask).out.splitlines())
