"""The site of docs/ is made without a warning, and its pages load nothing from another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href|srcset)=[\"']?(?:https?:)?//[^>]*>", re.I)

pytestmark = pytest.mark.skipif(find_spec("material") is None, reason="needs the extra docs: mkdocs-material")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, made by the command that CONTRIBUTING.md names."""
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert made.returncode == 0, made.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} | {"CHANGELOG"}
    assert pages <= {path.stem for path in site.glob("*.html")}
    listed = (site / "schema/index.html").read_text(encoding="utf-8")
    for schema in (ROOT / "docs/schema").glob("*.json"):
        assert f'href="{schema.name}"' in listed
        assert (site / "schema" / schema.name).read_bytes() == schema.read_bytes()


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    found = {page.name: LOADED.findall(page.read_text(encoding="utf-8")) for page in pages}
    assert pages
    assert {name: tags for name, tags in found.items() if tags} == {}
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import\s+[\"']?(?:https?:)?//", style.read_text("utf-8"))


@pytest.mark.parametrize("tag", ['<script async src="https://a.b/c.js">', "<link rel=x href=//a.b/c.css>"])
def test_such_a_tag_would_be_seen(tag: str) -> None:
    assert LOADED.findall(tag)
