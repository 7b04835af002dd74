"""docs/context.md shows what the commands really print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.cli.running import Run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "context.md"
LEFT_OUT = "…"


def test_the_examples_are_what_the_commands_print(in_vault: Run) -> None:
    shown = re.findall(r"```console\n\$ glassdex (.*?)\n(.*?)\n```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown
    for command, output in shown:
        ran = in_vault(*shlex.split(command))
        printed = f"{ran.out.rstrip()}\n{ran.err.rstrip()}"
        parts = [re.escape(part.strip("\n")) for part in re.split(f"(?m)^{LEFT_OUT}$", output)]
        assert re.fullmatch("\n(?:.*\n)?".join(parts), printed, re.DOTALL), f"{command} prints:\n{printed}"


def test_the_python_of_it_runs(in_vault: Run) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    exec(code[1].replace('"notes"', '"vault"'), {})
