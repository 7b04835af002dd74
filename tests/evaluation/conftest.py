"""A home of its own, and the example vault in a project that these tests may change."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassdex.project import Project
from tests.cli.running import VAULT
from tests.search.vaults import own_home

__all__ = ["own_home"]


@pytest.fixture(scope="session")
def own_example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The example vault under the shipped model."""
    root: Path = tmp_path_factory.mktemp("own-example") / "vault"
    shutil.copytree(VAULT, root)
    with Project.in_memory(root) as project:
        project.index()
        yield project
