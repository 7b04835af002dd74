"""The model that travels with the package: where its files are and what they must be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from glassdex.errors import EmbeddingError

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
_REINSTALL = "The installation is incomplete: reinstall glassdex."


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """The contents of `model.json`, written by `tools/build_minilm.py`."""

    name: str
    dimensions: int
    token_limit: int
    pooling: str
    normalization: str
    query_prefix: str
    document_prefix: str
    onnx_sha256: str
    tokenizer_sha256: str
    source_checkpoint_sha256: str


@contextmanager
def shipped_file(name: str) -> Iterator[Path]:
    """Give a file of the shipped model as a path that is valid inside the `with` block.

    Raises:
        EmbeddingError: the installed package lacks the file.

    """
    resource = files("glassdex.embedding") / "minilm" / name
    if not resource.is_file():
        raise EmbeddingError(f"the shipped embedding model lacks its file {name}", suggestion=_REINSTALL)
    with as_file(resource) as path:
        yield path


@cache
def shipped_model() -> ShippedModel:
    """Return the description of the shipped model without loading the model.

    Raises:
        EmbeddingError: the description is missing or unreadable.

    """
    with shipped_file("model.json") as path:
        try:
            return ShippedModel(**json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise EmbeddingError(
                f"the shipped embedding model's description is unreadable: {error}", suggestion=_REINSTALL
            ) from error


def verify_shipped_files() -> list[str]:
    """Return the names of shipped model files whose SHA-256 is not the recorded one: empty when all is well.

    Raises:
        EmbeddingError: a file is missing.

    """
    import hashlib

    model = shipped_model()
    damaged = []
    for name, expected in ((MODEL_FILE, model.onnx_sha256), (TOKENIZER_FILE, model.tokenizer_sha256)):
        with shipped_file(name) as path, path.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != expected:
                damaged.append(name)
    return damaged
