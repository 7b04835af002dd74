"""Indexes a folder in a process of its own: python -m tests.indexing.index_vault FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.indexing.runs import vault_at

if __name__ == "__main__":
    vault_at(Path(sys.argv[1])).index(embed=True)
