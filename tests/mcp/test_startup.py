"""Nothing pays for the server but the server, and what is missing is said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import environment

LISTED = "import sys; from glassdex.cli.main import main\ntry: main({arguments})\nexcept SystemExit: pass\n"


@pytest.mark.parametrize("arguments", [["--help"], ["mcp", "--help"], ["status"]])
def test_other_commands_and_help_load_none_of_it(tmp_path: Path, arguments: list[str]) -> None:
    loaded = "print(sorted(n for n in sys.modules if n.split('.')[0] in ('mcp', 'mcp_types', 'fastapi', 'starlette')))"
    ran = subprocess.run(
        [sys.executable, "-c", LISTED.format(arguments=arguments) + loaded],
        env=environment(tmp_path), capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert ran.stdout.splitlines()[-1] == "[]"


def test_the_tools_need_no_sdk(tmp_path: Path) -> None:
    code = "import sys; import glassdex.mcp.answering; print('mcp' in sys.modules, 'fastapi' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.split() == ["False", "False"]


def test_a_missing_extra_says_how_to_install_it(tmp_path: Path) -> None:
    hide = (
        "import importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name == 'mcp' else real(name, package)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", hide + "from glassdex.cli.main import main; main(['mcp'])"],
        env=environment(tmp_path), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 3
    assert ran.stdout == ""
    assert "pip install 'glassdex[mcp]'" in ran.stderr
