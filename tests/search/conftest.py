"""Projects that many tests only read."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassdex.project import Project
from tests.search.reference import Reference
from tests.search.vaults import WORDS, indexed, own_home

__all__ = ["own_home"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "vault"


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The example vault under the shipped model."""
    root = tmp_path_factory.mktemp("example") / "vault"
    shutil.copytree(EXAMPLE, root)
    with Project.in_memory(root) as project:
        project.index()
        yield project


@pytest.fixture(scope="session")
def crowd() -> Iterator[Project]:
    """1,320 one-line chunks in 120 notes: more than any window holds, and many of them alike."""
    chance = random.Random(644)
    notes = {}
    for number in range(120):
        facts = [f"- [fact] {' '.join(chance.choices(WORDS, k=chance.randint(1, 6)))} common" for _ in range(10)]
        notes[f"{number % 7}/note-{number:03}.md"] = f"# Note {number}\n\nplain {number}\n\n" + "\n".join(facts) + "\n"
    with indexed(notes) as project:
        yield project


@pytest.fixture(scope="session")
def crowd_reference(crowd: Project) -> Reference:
    """The crowd's numbers, computed from its files."""
    return Reference(crowd)
