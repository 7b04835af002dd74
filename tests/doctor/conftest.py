from __future__ import annotations

from tests.search.vaults import own_home

__all__ = ["own_home"]
