"""What is left out without anybody asking: text that no person wrote."""

from __future__ import annotations

import pytest

from glassdex.indexing.ignore import default_rules, ignoring_rule


@pytest.mark.parametrize(
    "path",
    [
        "package-lock.json", "web/pnpm-lock.yaml", "poetry.lock", "Cargo.lock", "go.sum", "js/app.min.js",
        "css/site.min.css", "app.js.map", "src/__pycache__/", ".venv/", "glassdex.egg-info/", "~$report.docx",
        ".~lock.report.odt#", ".next/",
    ],
)  # fmt: skip
def test_what_programs_wrote_is_left_out(path: str) -> None:
    rule = ignoring_rule(path, [default_rules()])
    assert rule is not None
    assert rule.endswith(" in the default rules")


@pytest.mark.parametrize(
    "path",
    [
        "package.json",
        "dist/",
        "build/",
        "build/notes.md",
        "lock.md",
        "clock.txt",
        "src/map.py",
        "admin.js",
        "report.docx",
    ],
)
def test_what_people_may_have_written_is_kept(path: str) -> None:
    assert ignoring_rule(path, [default_rules()]) is None
