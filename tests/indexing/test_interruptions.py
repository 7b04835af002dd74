from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.errors import EmbeddingError
from tests.indexing.runs import Interrupting, Vault, contents, vault_at, vectors_by_hash

_NOTES = 60
_ROOT = Path(__file__).resolve().parents[2]


class GivesUp:
    """The shipped embedder behind a service that is there for so many batches."""

    def __init__(self, batches: int) -> None:
        self._inner = MiniLmEmbedder()
        self._left = batches

    @property
    def identity(self) -> EmbeddingIdentity:
        return self._inner.identity

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self._left:
            raise EmbeddingError("the service is gone")
        self._left -= 1
        return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._inner.embed_query(text)


def _notes(count: int) -> dict[str, str]:
    return {
        f"{i // 20}/{i:03}.md": f"# Note {i}\n\nText number {i} #tag\n\n- [fact] detail {i}\n" for i in range(count)
    }


def test_embedding_goes_on_where_it_failed(vault: Vault) -> None:
    vault.write({f"{i:03}.md": f"note {i}\n" for i in range(300)})
    vault.embedder = GivesUp(1)
    with pytest.raises(EmbeddingError):
        vault.index(embed=True)
    with vault.store.read() as snapshot:
        assert snapshot.readiness() == (128, 172, 0)
    assert len(vault.texts()) == 300
    vault.embedder = MiniLmEmbedder()
    report = vault.index(embed=True)
    assert (report.unchanged, report.embedded, report.pending) == (300, 172, 0)


def test_ctrl_c_while_publishing_keeps_whole_groups_and_the_next_run_completes(vault: Vault, tmp_path: Path) -> None:
    notes = {f"{i:03}.md": f"note {i}\n" for i in range(600)}
    vault.write(notes)
    with pytest.raises(KeyboardInterrupt):
        vault.index(progress=Interrupting(published=256))
    assert len(vault.texts()) == 256
    report = vault.index()
    assert (report.unchanged, report.added) == (256, 344)
    fresh = vault_at(tmp_path / "fresh")
    fresh.write(notes)
    fresh.index()
    assert contents(vault.store) == contents(fresh.store)
    fresh.store.close()


def test_ctrl_c_while_embedding_keeps_what_is_embedded(vault: Vault) -> None:
    vault.write({f"{i:03}.md": f"note {i}\n" for i in range(200)})
    with pytest.raises(KeyboardInterrupt):
        vault.index(embed=True, progress=Interrupting(embedded=128))
    assert vault.index(embed=True).embedded == 72


def test_killing_a_run_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    notes = _notes(_NOTES)
    undisturbed = vault_at(tmp_path / "undisturbed")
    undisturbed.write(notes)
    undisturbed.store.close()
    started = time.monotonic()
    _start(tmp_path / "undisturbed").communicate()
    whole_run = time.monotonic() - started

    victim = tmp_path / "victim"
    vault = vault_at(victim)
    vault.write(notes)
    vault.store.close()
    moments = random.Random(7)
    for attempt in range(20):
        if attempt % 5 == 4:
            _forget(victim)
        process = _start(victim)
        try:
            process.wait(timeout=whole_run * moments.uniform(0.1, 1.0))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()

    survivor, reference = vault_at(victim), vault_at(tmp_path / "undisturbed")
    survivor.index(embed=True)
    assert contents(survivor.store) == contents(reference.store)
    with survivor.store.read() as snapshot:
        assert snapshot.connection.execute("PRAGMA integrity_check").get == "ok"
        assert snapshot.readiness() == (2 * _NOTES, 0, 0)
    ours = vectors_by_hash(survivor.store, survivor.embedder)
    theirs = vectors_by_hash(reference.store, reference.embedder)
    assert ours.keys() == theirs.keys()
    assert min(float(np.dot(ours[key], theirs[key])) for key in ours) > 0.999
    survivor.store.close()
    reference.store.close()


def _start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "tests.indexing.index_vault", str(folder)], cwd=_ROOT)


def _forget(folder: Path) -> None:
    """Starts over, so that later kills meet runs that have everything to do."""
    for path in folder.glob("store.db*"):
        path.unlink() if path.is_file() else shutil.rmtree(path)
