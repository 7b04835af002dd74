"""The identity of vectors and the shape of the protocol."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import pytest

from glassdex.embedding import Embedder, EmbeddingIdentity
from glassdex.embedding.minilm import MiniLmEmbedder

IDENTITY = EmbeddingIdentity(
    model="example",
    weights_sha256="ab" * 32,
    pooling="mean",
    dimensions=384,
    query_prefix="",
    document_prefix="",
    token_limit=256,
)


def test_the_key_is_the_model_and_twelve_hex_digits():
    assert re.fullmatch(r"example@[0-9a-f]{12}", IDENTITY.key)


def test_the_key_is_the_same_in_every_version_because_stores_remember_it():
    assert IDENTITY.key == "example@dfeb3eaf4440"


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"weights_sha256": "cd" * 32},
        {"pooling": "cls"},
        {"dimensions": 256},
        {"query_prefix": "query: "},
        {"document_prefix": "passage: "},
        {"token_limit": 512},
    ],
)
def test_a_change_of_any_field_changes_the_key(change):
    changed = replace(IDENTITY, **change)
    assert changed.key.partition("@")[2] != IDENTITY.key.partition("@")[2]


def test_a_prefix_moved_from_query_to_document_changes_the_key():
    assert replace(IDENTITY, query_prefix="x").key != replace(IDENTITY, document_prefix="x").key


def test_the_identity_cannot_be_changed_in_place():
    with pytest.raises(FrozenInstanceError):
        IDENTITY.model = "other"  # type: ignore[misc]


def test_the_shipped_embedder_keeps_the_protocol():
    embedder: Embedder = MiniLmEmbedder()
    assert isinstance(embedder, Embedder)


def test_importing_the_embedders_loads_nothing_heavy():
    program = (
        "import sys, glassdex.embedding, glassdex.embedding.minilm, glassdex.embedding.tokens as t\n"
        "glassdex.embedding.minilm.MiniLmEmbedder().identity.key, t.token_counter()\n"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
