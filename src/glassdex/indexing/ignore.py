"""Which files are left out, by the rules that git knows: the deepest ignore file that has a say decides."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassdex.patterns import compile_patterns

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".glassdexignore")
DEFAULT_RULES = (
    ".git/", ".hg/", ".svn/", "node_modules/", "__pycache__/", ".venv/", "venv/", ".tox/", ".mypy_cache/",
    ".pytest_cache/", ".ruff_cache/", ".obsidian/", ".trash/", ".Trash*/", ".DS_Store", "Thumbs.db",
    ".nox/", ".eggs/", "*.egg-info/", ".gradle/", ".terraform/", ".next/", ".nuxt/", ".svelte-kit/",
    # Text that no person wrote: what a package manager resolved, a bundler made, a program keeps while a file is open.
    # Not `dist/` and `build/`: people call folders of their own so, and projects list theirs in .gitignore.
    "*.lock", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "*.min.js", "*.min.css", "*.map",
    "~$*", ".~lock.*#",
    ".env", ".env.*", "*.pem", "id_rsa*", "id_ed25519*",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules of one ignore file; `base` is its folder relative to the root, '' or ending in '/'."""

    base: str
    source: str
    patterns: tuple[str, ...]
    spec: GitIgnoreSpec

    def decide(self, path: str) -> tuple[bool, str] | None:
        """(ignored?, the rule that says so) for a path relative to the root, folders ending in '/'; None: no say."""
        if not path.startswith(self.base):
            return None
        result = self.spec.check_file(path[len(self.base) :])
        if result.include is None or result.index is None:
            return None
        return result.include, f"{self.patterns[result.index]} in {self.source}"


def default_rules() -> IgnoreRules:
    """What nobody wants indexed; an ignore file can take it back with `!`."""
    return IgnoreRules("", "the default rules", DEFAULT_RULES, compile_patterns(DEFAULT_RULES))


def folder_rules(folder: str, base: str) -> list[IgnoreRules]:
    """The ignore files of a folder, weakest first; an unreadable one, and a line that is no pattern, has no say."""
    found = []
    for name in IGNORE_FILES:
        path = os.path.join(folder, name)  # noqa: PTH118 - surrogates and speed
        if os.path.islink(path) or not os.path.isfile(path):  # noqa: PTH113, PTH114
            continue
        try:
            with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                patterns = tuple(line.rstrip("\r\n") for line in file)
            found.append(IgnoreRules(base, base + name, patterns, compile_patterns(patterns)))
        except OSError:
            continue
    return found


def ignoring_rule(path: str, rules: list[IgnoreRules]) -> str | None:
    """The rule that leaves `path` out, if one does; `rules` go from weakest to strongest."""
    for candidate in reversed(rules):
        decision = candidate.decide(path)
        if decision is not None:
            ignored, rule = decision
            return rule if ignored else None
    return None
