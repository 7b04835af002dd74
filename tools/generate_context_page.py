"""Write the example in docs/context.md: what `glassdex context` really prints in the example vault, in parts.

    python tools/generate_context_page.py

A test compares it with what the command prints then.
"""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from pathlib import Path

if __name__ == "__main__":  # a script's own folder is where Python looks first, not the one above
    import sys

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.generate_guide import ROOT, _output

PAGE = ROOT / "docs" / "context.md"
COMMAND = 'glassdex context "add a second embedding provider"'
BLOCK = re.compile(r"(?s)(?<=```console\n).*?(?=\n```)")
LEFT_OUT = "…"


def example(passages: str, about: str) -> str:
    """The command, the first passage, the list that was merged of most rows, and what is said about them all."""
    found = re.split(r"(?m)^(?=\[\d+\] )", passages)[1:]
    lists = [passage for passage in found[1:] if re.search(r"(?m)^- .*\n- ", passage)]
    most = max(lists, key=lambda passage: passage.count("\n- "))
    said = about.splitlines()
    first = next(place for place, line in enumerate(said) if line.startswith("left out: "))
    said = [*said[: first + 2], LEFT_OUT, *said[-2:]]
    return "\n".join([f"$ {COMMAND}", found[0].strip(), "", LEFT_OUT, "", most.strip(), "", LEFT_OUT, *said])


def main() -> None:
    """Runs the command over a copy of the example vault and writes the page."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        shutil.copytree(ROOT / "examples" / "vault", folder / "vault")
        _output(f"glassdex index {shlex.quote(str(folder / 'vault'))}", folder)
        shown = example(*_output(COMMAND, folder))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda _: shown, page, count=1), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
