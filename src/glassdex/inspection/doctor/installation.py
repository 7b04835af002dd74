"""Whether the program itself is whole."""

from __future__ import annotations

from collections.abc import Iterator

from glassdex.embedding.shipped import verify_shipped_files
from glassdex.errors import EmbeddingError
from glassdex.inspection.doctor.findings import Finding, first
from glassdex.reading.registry import broken_readers
from glassdex.wording import counted


def installation() -> Iterator[Finding]:
    """The shipped model and the readers that others install."""
    try:
        damaged = verify_shipped_files()
    except EmbeddingError as error:
        damaged = [error.message]
    if damaged:
        yield Finding(
            "model_damaged",
            "error",
            len(damaged),
            "files of the shipped embedding model are damaged or missing",
            "reinstall the package",
            "pip install --force-reinstall glassdex",
            tuple(damaged),
        )
    broken = broken_readers()
    if broken:
        yield Finding(
            "broken_readers",
            "warning",
            len(broken),
            f"{counted(len(broken), 'installed reader')} not usable",
            "upgrade or uninstall the package that each comes from",
            examples=first(f"{reader.entry_point}: {reader.reason}" for reader in broken),
        )
