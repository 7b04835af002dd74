"""The files of the shipped model."""

from __future__ import annotations

import hashlib
import json
import os
from importlib.resources import files

import pytest

from glassdex.embedding import session, shipped, tokens
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.shipped import shipped_model, verify_shipped_files
from glassdex.errors import EmbeddingError

FOLDER = files("glassdex.embedding") / "minilm"


@pytest.fixture
def shipped_folder(tmp_path, monkeypatch):
    """A copy of the package's model folder in which a test may break things; the model itself is a stub."""
    folder = tmp_path / "minilm"
    folder.mkdir()
    for name in ("model.json", "tokenizer.json"):
        (folder / name).write_bytes((FOLDER / name).read_bytes())
    (folder / "model.onnx").write_bytes(b"not a model")
    monkeypatch.setattr(shipped, "files", lambda package: tmp_path)
    shipped_model.cache_clear()
    tokens.shipped_tokenizer.cache_clear()
    yield folder
    shipped_model.cache_clear()
    tokens.shipped_tokenizer.cache_clear()


def test_the_recorded_hashes_are_those_of_the_files():
    described = json.loads((FOLDER / "model.json").read_text(encoding="utf-8"))
    assert hashlib.sha256((FOLDER / "model.onnx").read_bytes()).hexdigest() == described["onnx_sha256"]
    assert hashlib.sha256((FOLDER / "tokenizer.json").read_bytes()).hexdigest() == described["tokenizer_sha256"]
    assert verify_shipped_files() == []


def test_the_identity_names_the_shipped_weights():
    identity = MiniLmEmbedder().identity
    assert identity.weights_sha256 == hashlib.sha256((FOLDER / "model.onnx").read_bytes()).hexdigest()
    assert (identity.dimensions, identity.token_limit, identity.pooling) == (384, 256, "mean")
    assert identity.key.startswith("all-MiniLM-L6-v2-int8@")


def test_the_tokenizer_file_neither_truncates_nor_pads():
    tokenizer = json.loads((FOLDER / "tokenizer.json").read_text(encoding="utf-8"))
    assert tokenizer["truncation"] is None
    assert tokenizer["padding"] is None


def test_licence_attribution_and_card_travel_with_the_model():
    assert "Apache License" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
    notice = (FOLDER / "NOTICE").read_text(encoding="utf-8")
    assert "sentence-transformers" in notice
    assert "Microsoft" in notice
    assert shipped_model().onnx_sha256 in (FOLDER / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_a_damaged_file_is_named(shipped_folder):
    assert verify_shipped_files() == ["model.onnx"]


def test_a_damaged_model_is_an_error_that_says_what_to_do(shipped_folder):
    with pytest.raises(EmbeddingError, match="cannot be loaded") as caught:
        MiniLmEmbedder().embed_query("anything")
    assert "reinstall" in caught.value.suggestion


def test_a_missing_model_is_named(shipped_folder):
    (shipped_folder / "model.onnx").unlink()
    with pytest.raises(EmbeddingError, match=r"lacks its file model\.onnx"):
        MiniLmEmbedder().load()


def test_a_damaged_tokenizer_is_an_error(shipped_folder):
    (shipped_folder / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(EmbeddingError, match="tokenizer is unreadable"):
        tokens.token_counter().count("anything")


@pytest.mark.parametrize("content", ["{", '{"name": "only"}', "[]"])
def test_a_damaged_description_is_an_error(shipped_folder, content):
    (shipped_folder / "model.json").write_text(content, encoding="utf-8")
    with pytest.raises(EmbeddingError, match="description is unreadable"):
        MiniLmEmbedder().identity  # noqa: B018


def test_outside_linux_every_processor_counts(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert session.threads_at_hand() == 1
