"""A home of its own, and the projects that the searches are tested on."""

from __future__ import annotations

from tests.search.conftest import crowd, example
from tests.search.vaults import own_home

__all__ = ["crowd", "example", "own_home"]
