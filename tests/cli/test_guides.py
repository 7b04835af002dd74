"""Every command that README and the guides show: the command line knows it, and those that only look run on the vault.

docs/guide-why-not.md and docs/context.md show output, too; tests of their own hold that.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from glassdex.cli.main import app
from tests.cli.running import Run, indexed_vault, runner

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```(?:sh|console|yaml)?\n(.*?)^```", re.M | re.S)
SPAN = re.compile(r"(?<!`)`(glassdex [^`]+)`(?!`)")
LOOKING = ("search", "context", "eval", "compare", "status", "inspect")
OWN = {"notes": "vault", "work": "vault", "glassdex-demo": "vault"}
"""The projects that the pages speak of, and the one that stands for them."""
ELSEWHERE = re.compile(r"POINTER|NOTE|QUERY|sessions|\.pdf|\.xlsx|\.pptx|main\.run|[|>]|~/")
"""Commands about something that the vault does not have."""


def shown(page: str) -> list[str]:
    """The command lines in a page's blocks of commands, without their comments."""
    blocks = "\n".join(BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))).replace("\\\n", " ")
    lines = (line.removeprefix("$ ").strip() for line in blocks.splitlines())
    return [line for line in lines if line.startswith("glassdex ") and "[OPTIONS]" not in line]


def mentioned(page: str) -> list[str]:
    """The commands that a page names in its sentences, often without their arguments."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    return [" ".join(span.split()) for span in SPAN.findall(text)]


def words(line: str) -> list[str]:
    """What the shell hands to the command; a pipe or redirection ends it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>;&")
    lexer.whitespace_split = True
    given: list[str] = []
    for word in lexer:
        if set(word) <= set("|>;&"):
            break
        given.append(word)
    return given[1:]


def parse(given: list[str]) -> None:
    """As the command line reads it, down to the last option, without running it."""
    command: Any = get_command(app)
    context = command.make_context("glassdex", list(given), resilient_parsing=False)
    while getattr(command, "commands", None):
        if not (context._protected_args or context.args):
            return  # a group by itself prints its help
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("page", PAGES)
def test_the_command_line_knows_every_command_shown(page: str) -> None:
    for line in shown(page):
        try:
            parse(words(line))
        except Exception as error:
            pytest.fail(f"{page}: {line}: {error!r}")


@pytest.mark.parametrize("page", PAGES)
def test_it_knows_those_that_a_sentence_names(page: str) -> None:
    for line in mentioned(page):
        try:
            parse(words(line))
        except Exception as error:
            if not isinstance(error, typer.Exit) and type(error).__name__ != "MissingParameter":  # --help ends so
                pytest.fail(f"{page}: {line}: {error!r}")


@pytest.mark.parametrize("line", ["glassdex serch x", "glassdex search x --no-such", "glassdex inspect wy-not a b"])
def test_a_command_that_is_not_there_would_be_seen(line: str) -> None:
    with pytest.raises(Exception, match=r"(?i)no such (command|option)"):
        parse(words(line))


def test_the_commands_are_found() -> None:
    assert 'glassdex search "nightly backup" --expand 3' in [line.split("  #")[0] for line in shown("docs/links.md")]
    assert any("--rerank" in line for line in mentioned("docs/rerankers.md"))
    assert sum(len(shown(page)) for page in PAGES) > 60


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault whose folder may be written beside."""
    return indexed_vault(tmp_path_factory.mktemp("guides"))


@pytest.mark.parametrize("page", ["README.md", "docs/evaluation.md", "docs/links.md", "docs/projects.md"])
def test_what_only_looks_runs_on_the_vault(
    page: str, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GLASSDEX_HOME", str(own_home))
    monkeypatch.chdir(own_home.parent / "vault")
    run: Run = runner(capsys)
    lines = [line for line in shown(page) if words(line)[0] in LOOKING and not ELSEWHERE.search(line.split("  #")[0])]
    assert lines
    for line in lines:
        ran = run(*(OWN.get(word, word) for word in words(line)))
        assert ran.code == 0, f"{page}: {line}: {ran.err}"
        assert "error" not in ran.err, f"{page}: {line}: {ran.err}"
