from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.indexing.runs import Vault, vault_at


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = vault_at(tmp_path)
    yield made
    made.store.close()
