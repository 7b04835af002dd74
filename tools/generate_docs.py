"""Write what the code says about itself: docs/cli.md and docs/schema/*.json.

    python tools/generate_docs.py            write them
    python tools/generate_docs.py --check    exit with 1 and say which ones differ from the code

Nothing depends on the terminal or on which click Typer brings along.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from typer.main import get_command

from glassdex.cli.main import app
from glassdex.envelopes import Envelope
from glassdex.envelopes.calibration import CalibrationAnswer
from glassdex.envelopes.chunks import ChunksAnswer
from glassdex.envelopes.comparison import CompareAnswer
from glassdex.envelopes.context import ContextAnswer
from glassdex.envelopes.doctor import DoctorAnswer
from glassdex.envelopes.documents import DocumentsAnswer
from glassdex.envelopes.error import ErrorAnswer
from glassdex.envelopes.evaluation import EvalAnswer, ProposedAnswer
from glassdex.envelopes.index import IndexAnswer
from glassdex.envelopes.index_run import IndexRunAnswer
from glassdex.envelopes.links import LinksAnswer
from glassdex.envelopes.neighbors import NeighborsAnswer
from glassdex.envelopes.passage import PassageAnswer
from glassdex.envelopes.run import RunAnswer
from glassdex.envelopes.search import SearchAnswer
from glassdex.envelopes.session import SessionAnswer, SessionsAnswer
from glassdex.envelopes.status import ProjectsAnswer, StatusAnswer
from glassdex.envelopes.trace import Trace
from glassdex.envelopes.why_not import WhyNotAnswer

ROOT = Path(__file__).resolve().parent.parent
ENVELOPES: tuple[type[Envelope], ...] = (
    SearchAnswer,
    ContextAnswer,
    Trace,
    PassageAnswer,
    SessionAnswer,
    SessionsAnswer,
    ChunksAnswer,
    WhyNotAnswer,
    NeighborsAnswer,
    LinksAnswer,
    IndexAnswer,
    IndexRunAnswer,
    StatusAnswer,
    ProjectsAnswer,
    DoctorAnswer,
    DocumentsAnswer,
    CalibrationAnswer,
    EvalAnswer,
    RunAnswer,
    CompareAnswer,
    ProposedAnswer,
    ErrorAnswer,
)
INTRODUCTION = """\
<!-- Written by tools/generate_docs.py from the code; change the code, then run it again. -->

# The command line

Without `--project` a command means the project whose folder contains the current one, or the only project there is;
`sessions`, and `open` with the pointer of a message, mean the project `sessions` before that one.
`-h` and `--help` explain every command. Colour is left out where nobody sees it, and where `NO_COLOR` is set.

| exit code | meaning |
|---|---|
| 0 | found, or done |
| 1 | nothing was found; a pointer is changed, gone or ambiguous; `doctor` found something to do; \
a gate of `eval` failed; you said no |
| 2 | the request is wrong: the message says how to mend it |
| 3 | something is unavailable: one of several projects (the others answer), \
a locked or damaged store, the model, an editor; `index --strict` with failures; \
a fault of Glassdex itself (`internal_error`): `GLASSDEX_DEBUG=1` prints its traceback |
| 130 | interrupted; the next `glassdex index` goes on from there |

With `--json` standard output is one JSON object (schemas: [docs/schema](schema)), and an error is one
`glassdex.error/1` object on standard error. Keys that do not apply are absent; pass over keys that you do not know.

Your data lies in the system's folder for user data, or where `GLASSDEX_HOME` says. `config.toml` in there may set
`language`, `max_file_megabytes`, `fusion`, `limit`, `expand`, `rerank`, `rerank_weight`, `rewrite`, `redact_secrets`
(`false` keeps the secrets in transcripts) and `passwords` (a list, for encrypted files), name services that rerank
([rerankers.md](rerankers.md)) or rewrite queries ([rewriting.md](rewriting.md)), and say what front matter weighs
([weights.md](weights.md)); nothing is ever read from inside an indexed folder.
"""


def cli_markdown() -> str:
    """The whole of docs/cli.md."""
    parts = [INTRODUCTION]
    command = get_command(app)
    parts += _command_parts("glassdex", command)
    return "\n".join(parts).rstrip() + "\n"


def schema_json(envelope: type[Envelope]) -> str:
    """The published JSON Schema of an envelope."""
    return json.dumps(envelope.published_schema(), indent=2, ensure_ascii=False, sort_keys=False) + "\n"


def schema_file_name(envelope: type[Envelope]) -> str:
    """`glassdex.search/1` is published as `glassdex.search.1.json`."""
    return f"{envelope.model_fields['schema_'].default.replace('/', '.')}.json"


def documents() -> dict[Path, str]:
    """Every generated file and what should stand in it."""
    made = {Path("docs/cli.md"): cli_markdown()}
    for envelope in ENVELOPES:
        made[Path("docs/schema") / schema_file_name(envelope)] = schema_json(envelope)
    return made


def drift(root: Path = ROOT) -> list[str]:
    """What differs from the code: one line for each file."""
    expected = documents()
    found = []
    for path, text in expected.items():
        file = root / path
        if not file.is_file():
            found.append(f"{path} is missing")
        elif file.read_text(encoding="utf-8") != text:
            found.append(f"{path} differs from the code")
    left_over = {path.relative_to(root) for path in (root / "docs/schema").glob("*.json")} - set(expected)
    return found + [f"{path} belongs to no envelope" for path in sorted(left_over)]


def _command_parts(path: str, command: Any) -> Iterator[str]:  # noqa: ANN401 - click's class, wherever it lives
    yield f"{'#' * min(4, path.count(' ') + 2)} {path}\n"
    yield _text(command.help)
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = [path, "[OPTIONS]", *(a.metavar or a.name.upper() for a in arguments)]
    if getattr(command, "commands", None):
        usage += ["COMMAND"]
    yield f"```\n{' '.join(usage)}\n```\n"
    yield from _table(command.params)
    yield from _examples(command.epilog)
    for name, part in getattr(command, "commands", {}).items():
        yield from _command_parts(f"{path} {name}", part)


def _text(help_text: str | None) -> str:
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(help_text or ""))
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs) + "\n"


def _table(parameters: Sequence[Any]) -> Iterator[str]:
    rows = [f"| `{_names(p)}` | {_cell(p)} |" for p in parameters if not getattr(p, "hidden", False)]
    if rows:
        yield "\n".join(["| | |", "|---|---|", *rows]) + "\n"


def _names(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = ", ".join(sorted((*parameter.opts, *parameter.secondary_opts), key=lambda name: (len(name), name)))
    takes_value = not parameter.is_flag and parameter.metavar
    return f"{names} {parameter.metavar}" if takes_value else names


def _cell(parameter: Any) -> str:  # noqa: ANN401
    text = " ".join((parameter.help or "").split())
    default = parameter.default
    if getattr(parameter, "show_default", False) and isinstance(default, str | int) and not parameter.is_flag:
        text += f"  [default: {default}]"
    text = re.sub(r"\s+\[default: (.*)\]$", r" Default: `\1`.", text)
    return text.replace("|", "\\|").replace("<", "&lt;")


def _examples(epilog: str | None) -> Iterator[str]:
    """`\\b` in an epilog asks click to keep its lines: a heading, then indented commands."""
    if not epilog:
        return
    head, _, commands = inspect.cleandoc(epilog.replace("\b", "")).partition("\n")
    yield f"{head}\n" if not commands else f"{head}\n\n```\n{inspect.cleandoc(commands)}\n```\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks; returns the exit code."""
    parser = argparse.ArgumentParser(description="Write docs/cli.md and docs/schema from the code.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 when something differs")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder that holds docs/")
    wanted = parser.parse_args(arguments)
    if wanted.check:
        found = drift(wanted.root)
        for line in found:
            print(line, file=sys.stderr)
        if found:
            print("run: python tools/generate_docs.py", file=sys.stderr)
        return 1 if found else 0
    for path, text in documents().items():
        (wanted.root / path).parent.mkdir(parents=True, exist_ok=True)
        (wanted.root / path).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
