"""Draw docs/images/search.svg: a real search over examples/vault, as the terminal shows it.

    python tools/terminal_picture.py

Only the times differ from run to run.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

import glassdex
from glassdex.cli.render_search import render

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "search.svg"
QUERY = "why is the embedding model swappable"
WIDTH = 100


def picture() -> str:
    """The search as SVG; no font is loaded from anywhere."""
    out = Console(
        file=io.StringIO(),
        record=True,
        width=WIDTH,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    out.print(Text(f'$ glassdex search "{QUERY}" --explain -n 3', style="bold"), soft_wrap=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["GLASSDEX_HOME"] = home  # not the settings and projects of whoever runs this
        _search(out)
    drawn = out.export_svg(title="glassdex search", unique_id="search")
    drawn = re.sub(r"\s*@font-face \{.*?\}", "", drawn, flags=re.DOTALL)
    return drawn.replace("Fira Code, monospace", "Fira Code, Menlo, Consolas, DejaVu Sans Mono, monospace")


def _search(out: Console) -> None:
    with glassdex.Project.in_memory(ROOT / "examples" / "vault") as project:
        project.index()
        render(project.search(QUERY, limit=3), out, explain=True)


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
