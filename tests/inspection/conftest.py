"""Tests here run in a home folder of their own."""

from __future__ import annotations

from tests.search.conftest import crowd
from tests.search.vaults import own_home

__all__ = ["crowd", "own_home"]
