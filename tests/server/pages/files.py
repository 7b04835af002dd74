"""A project with a file of each kind that a page shows in its own way, and with files that mean harm."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import write
from tests.cli.transcripts import claude, write_lines
from tests.documents import pdf, workbook

SESSION = "11111111-1111-4111-8111-111111111111"
HOSTILE_NAME = "\"><img src=x onerror=alert(2)>'.md"
HOSTILE = """# <script>window.harmed = 1</script>

The hostile heron says </blockquote></main><script>window.harmed = 2</script> and
<img src=x onerror="window.harmed = 3">.

It writes {{ 7 * 7 }} and {% raw %} and [a link](javascript:alert(4)),
\x1b[31mred\x1b[0m, \u202egnp.exe\u202c, שלום עולם.
"""
TURNS = 170
MATCHED = 31


def make_files(folder: Path) -> Path:
    """The files."""
    write(
        folder,
        owls="---\ntags: [birds]\n---\n# Owls\n\nOwls hunt at night and sleep in barns.\n\n"
        "## Food\n\nThey eat mice and voles.\n",
        buoys="# Buoys\n\nA buoy marks the channel, and its lamp burns all night.\n",
        copy="# Owls, again\n\nOwls hunt at night and sleep in barns.\n",
        hostile=HOSTILE,
    )
    (folder / HOSTILE_NAME).write_text("# Named\n\nA heron with a hostile name.\n", encoding="utf-8")
    (folder / "report.pdf").write_bytes(pdf(["The lighthouse keeper counts ships.", "Fog hides the ships at dawn."]))
    cells: list[list[object]] = [
        ["Month", "Ships", "Fog"],
        ["January", 12, 3],
        ["February", 9, 7],
        ["March", 31, "<b>none</b>"],
    ]
    (folder / "ships.xlsx").write_bytes(workbook({"Harbour": cells}))
    said = [
        claude(
            "user" if number % 2 == 0 else "assistant",
            f"u{number}",
            "Which lantern flickers <i>today</i>?" if number == MATCHED else f"Turn {number} is about the weather.",
            SESSION,
            f"{10 + number // 60}:{number % 60:02}:00",
        )
        for number in range(TURNS)
    ]
    write_lines(folder / "talk.jsonl", said)
    return folder
