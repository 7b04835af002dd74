"""The command line over an empty home, and an empty shelf."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.conftest import home, run
from tests.sessions.shelf import Shelf, shelf

__all__ = ["home", "run"]


@pytest.fixture
def books() -> Iterator[Shelf]:
    """A shelf without transcripts."""
    with shelf() as empty:
        yield empty
