"""Write docs/guide-why-not.md: one real case, walked through with the real output of every command.

    python tools/generate_guide.py           writes it
    python tools/generate_guide.py --check   runs everything, changes nothing, fails when the guide has drifted

The commands run in a temporary home over a copy of examples/vault, whose files get a fixed time. Times and machine
paths are masked. The check lets decimal numbers differ a little: the model's arithmetic depends on the processor.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GUIDE = Path("docs/guide-why-not.md")
LONG_AGO = 1_735_732_800  # 2025-01-01T12:00Z: long enough before the index for a stat to be trusted
TOLERANCE = 0.05
QUERY = "how do we get the server up again"
NOTE = "runbooks/restore-shoal-from-backup.md"
ADDED = "The server is down? How we get it up again is on this page."


@dataclass(frozen=True)
class Run:
    """A command to run and show. `POINTER` in it stands for the note's best passage; `lines` is how many to show."""

    command: str
    lines: int = 60


@dataclass(frozen=True)
class Append:
    """A line that the owner of the note writes at its end."""

    path: str
    line: str


PARTS: tuple[str | Run | Append, ...] = (
    f"""\
<!-- Written by tools/generate_guide.py from real output; change that file, then run it again. -->

# Why did my note not come up?

You know that the note is there, you asked for it, and it is not among the answers. This page walks through one such
case in the example vault, from the question to the cause and the cure. Everything below is what the commands really
print; a test runs them again. To follow along: `cp -r examples/vault ~/vault`.

The server that receives the buoys' data is down, and somebody asks how to get it up again. The vault has a runbook,
`{NOTE}`, but it is not on the page of five:
""",
    Run("glassdex index ~/vault"),
    """\
```console
$ cd ~/vault
```

Inside its folder a project needs no name; elsewhere every command takes `--project vault`.
""",
    Run(f"glassdex search {shlex.quote(QUERY)} -n 5 --paths"),
    """\
## 1. What did the search see?

`inspect query` is the same search with its trace: what each stage took in, passed on and dropped, and with
`--show-misses` those that were considered and not returned, each with the number that failed. It runs nothing twice:
the search *is* its trace.
""",
    Run(f"glassdex inspect query {shlex.quote(QUERY)} -n 5 --show-misses", lines=30),
    """\
Below the results the table goes on with those that were considered and left: our note was the seventh document, and
the page ended at five. What is not listed at all never came within the windows. The verdict warns that the answer may
not be on the page; `--paths` says so, too, on standard error.

## 2. Why not this one?

`inspect why-not` follows one document through the same search, rung by rung: is it on disk, indexed, fresh, embedded,
inside the filters; which words does it have and lack; where does it rank by words, by meaning, in all. It ends with the
smallest change that brings it back.
""",
    Run(f"glassdex inspect why-not {shlex.quote(QUERY)} {NOTE} -n 5"),
    """\
So nothing is broken. The note is in the index, it was a candidate, and others were a little nearer in words and meaning
together. It says "restore" and "backup", and "server" nowhere.

## 3. What does the index have of it?

`inspect chunks` shows the document as the index sees it: its rows, the chunks that were cut from them, and whether
file, rows and index still agree.
""",
    Run(f"glassdex inspect chunks {NOTE}", lines=40),
    """\
**What `ready` promises:** a vector of this very text was stored under the active model; *not* that it is still there,
that the file still says so, or that the passage will rank.

## 4. What lies near it?

`inspect neighbors` lists the passages nearest to one of the note's by their stored vectors. If the neighbours are about
the same thing, its vector is sound, and the question is what is worded differently.
""",
    Run("glassdex inspect neighbors POINTER -n 5"),
    """\
## 5. Mend the note, not the ranking

The lasting cure is to let the note say what people ask. Its owner adds one line at its end:
""",
    Append(NOTE, ADDED),
    """\
Until the next run the index does not know, and says so. Freshness always makes two comparisons: file against rows, and
rows against index. Here the first one fails.
""",
    Run(f"glassdex inspect chunks {NOTE}", lines=8),
    """\
`doctor` looks at the whole project: stale, failed and odd files, pending vectors, duplicates, damage; each with the
command that mends it.
""",
    Run("glassdex doctor"),
    Run("glassdex index ~/vault"),
    Run(f"glassdex search {shlex.quote(QUERY)} -n 5 --paths"),
    """\
The note is there, and first. The verdict's doubt is smaller, but not gone: it knows no answers, only how close, how
agreed and how well covered the results are.

## In short

| you wonder | ask |
|---|---|
| what did the search consider, and what did it drop? | `glassdex inspect query QUERY --show-misses` |
| why not this document? | `glassdex inspect why-not QUERY DOCUMENT` |
| what does the index have of it, and is it fresh? | `glassdex inspect chunks DOCUMENT` |
| is its vector where it should be? | `glassdex inspect neighbors POINTER` |
| is something wrong with the whole project? | `glassdex doctor` |
""",
)

_MASKS = (
    (re.compile(r"\b\d[\d,]*(?:\.\d+)? ?ms\b"), "… ms"),
    (re.compile(r"(?m)^(. [a-z]+(?: +[\d,·]+){3} +)\d+\.\d+"), r"\1…"),  # a stage's time, in its table
    (re.compile(r"\(\d+(?:\.\d+)? s\)"), "(… s)"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d| UTC)?"), "…"),
)
_DECIMAL = re.compile(r"(?<![\w.])-?\d*\.\d+")


def guide() -> str:
    """The whole page, made by running everything in a folder of its own."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        vault = folder / "vault"
        shutil.copytree(ROOT / "examples" / "vault", vault)
        for file in vault.rglob("*"):
            os.utime(file, (LONG_AGO, LONG_AGO))
        return "\n".join(_page(folder)).rstrip() + "\n"


def same(expected: str, found: str) -> bool:
    """Whether two pages differ in nothing but decimal numbers that are close to each other."""
    numbers = [[float(number) for number in _DECIMAL.findall(text)] for text in (expected, found)]
    skeletons = [_DECIMAL.sub("#", text).split() for text in (expected, found)]  # a longer number may wrap a line
    return skeletons[0] == skeletons[1] and all(abs(a - b) <= TOLERANCE for a, b in zip(*numbers, strict=True))


def _page(folder: Path) -> Iterator[str]:
    for part in PARTS:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Append):
            note = folder / "vault" / part.path
            note.write_bytes(note.read_bytes() + part.line.encode() + b"\n")  # as the shell does it
            os.utime(note, (LONG_AGO + 60, LONG_AGO + 60))
            yield f"```console\n$ echo {shlex.quote(part.line)} >> {part.path}\n```\n"
        else:
            yield _shown(part, folder)


def _shown(run: Run, folder: Path) -> str:
    command = run.command
    if "POINTER" in command:
        command = command.replace("POINTER", shlex.quote(_pointer(folder)))
    lines = _masked("".join(_output(command, folder)), folder).rstrip().splitlines()
    if len(lines) > run.lines:
        lines = [*lines[: run.lines], f"… {len(lines) - run.lines} more lines"]
    return "\n".join(["```console", f"$ {command}", *(line.rstrip() for line in lines), "```", ""])


def _pointer(folder: Path) -> str:
    """The passage of the note that answers best."""
    answer = json.loads(_output(f"glassdex search {shlex.quote(QUERY)} --path /{NOTE} --json", folder)[0])
    return str(answer["results"][0]["matches"][0]["pointer"])


def _output(command: str, folder: Path) -> tuple[str, str]:
    """What the command prints on standard output and on standard error."""
    name, *arguments = shlex.split(command.replace("~/vault", str(folder / "vault")))
    assert name == "glassdex"
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH") if key in os.environ}
    ran = subprocess.run(
        [sys.executable, "-m", "glassdex.cli.main", *arguments],
        cwd=folder / "vault",
        env={
            **kept,
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONUTF8": "1",
            "HOME": str(folder),
            "GLASSDEX_HOME": str(folder / "home"),
            "COLUMNS": "100",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    if ran.returncode > 1 or not ran.stdout:  # 1 says that nothing is found, or something is to do
        raise SystemExit(f"{command}\nended with {ran.returncode}: {ran.stderr.strip()}")
    return ran.stdout, ran.stderr


def _masked(text: str, folder: Path) -> str:
    text = text.replace(str(folder / "vault"), "~/vault").replace(str(folder), "~")
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks; returns the exit code."""
    parser = argparse.ArgumentParser(description=f"Write {GUIDE} from real output.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 when it differs")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder that holds docs/")
    wanted = parser.parse_args(arguments)
    path = wanted.root / GUIDE
    made = guide()
    if not wanted.check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made, encoding="utf-8", newline="\n")
        return 0
    if path.is_file() and same(path.read_text(encoding="utf-8"), made):
        return 0
    print(f"{GUIDE} differs from what the commands print\nrun: python tools/generate_guide.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
