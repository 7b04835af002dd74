"""docs/context.md shows what the command really prints."""

from __future__ import annotations

import re
import shlex

from tools.generate_context_page import BLOCK, COMMAND, PAGE, example
from tools.generate_guide import same

from tests.cli.running import Run


def test_the_example_is_what_the_command_prints(in_vault: Run) -> None:
    (shown,) = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    ran = in_vault(*shlex.split(COMMAND)[1:])
    made = example(ran.out, ran.err)
    assert same(shown, made), f"run: python tools/generate_context_page.py\n{made}"
    parts = [part.strip("\n") for part in re.split("(?m)^…$", shown.partition("\n")[2])]
    assert all(part in f"{ran.out}{ran.err}" for part in parts[:2])


def test_the_python_of_it_runs(in_vault: Run) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    exec(code[1].replace('"notes"', '"vault"'), {})
