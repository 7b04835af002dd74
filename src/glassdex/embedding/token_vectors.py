"""The shipped model's token vectors: what its graph has before the mean is taken.

The shipped file is left as it is, and with it every vector that was ever stored. ONNX files are protobuf messages, and
two messages that follow each other in one buffer are merged: behind the file's bytes stands one more `ModelProto` that
holds nothing but another output of the graph, the last layer's. That layer is computed for the pooled vector anyway.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from glassdex.embedding.session import open_session
from glassdex.embedding.shipped import MODEL_FILE, shipped_file, shipped_model
from glassdex.embedding.tokens import model_token_ids
from glassdex.embedding.unit import unit_rows
from glassdex.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

LAST_LAYER = "/bert/encoder/layer.5/output/LayerNorm/LayerNormalization_output_0"
"""What the graph calls the token vectors; float32 (batch, tokens, 384)."""
_GRAPH, _OUTPUT, _NAME, _TYPE, _TENSOR, _ELEMENT = 7, 12, 1, 2, 1, 1
"""Field numbers of onnx.proto: ModelProto.graph, GraphProto.output, ValueInfoProto.{name,type}, TypeProto.…"""
_FLOAT = b"\x01"


class TokenVectors:
    """Token vectors of one text at a time; loads the model on first use, and threads may share it."""

    def __init__(self) -> None:
        self._session: InferenceSession | None = None
        self._lock = threading.Lock()
        self._truncated_count = 0

    @property
    def truncated_count(self) -> int:
        """Texts so far that exceeded the token limit and were looked at in part."""
        return self._truncated_count

    def of(self, text: str) -> NDArray[np.float32]:
        """One row a token, the two special ones left out: float32 of shape (tokens, 384), unit length.

        Raises:
            EmbeddingError: the model cannot be loaded, or gave an unusable vector.
        """
        vectors: NDArray[np.float32] = unit_rows(self.run(text)[1][0, 1:-1], shipped_model().name)
        return vectors

    def run(self, text: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the graph gives for one text: the pooled vector (1, 384), and all token vectors (1, tokens, 384)."""
        import numpy as np

        ids, truncated = model_token_ids(text, shipped_model().token_limit)
        if truncated:
            with self._lock:
                self._truncated_count += 1
        token_ids = np.array([ids], dtype=np.int64)
        inputs = {
            "input_ids": token_ids,
            "attention_mask": np.ones_like(token_ids),
            "token_type_ids": np.zeros_like(token_ids),
        }
        pooled, tokens = self._loaded_session().run(["embedding", LAST_LAYER], inputs)
        return pooled, tokens

    def _loaded_session(self) -> InferenceSession:
        with self._lock:
            if self._session is None:
                self._session = _open()
            return self._session


def _open() -> InferenceSession:
    with shipped_file(MODEL_FILE) as path:
        try:
            return open_session(path.read_bytes() + added_output(LAST_LAYER))
        except Exception as error:  # onnxruntime's own exceptions share no base class
            raise EmbeddingError(
                f"the shipped model's token vectors cannot be reached: {error}",
                suggestion="The installation is damaged: reinstall glassdex.",
            ) from error


def added_output(name: str) -> bytes:
    """A `ModelProto` with one float32 output of the graph and nothing else, to stand behind a model's bytes."""
    element = bytes([_ELEMENT << 3]) + _FLOAT
    value = _field(_NAME, name.encode()) + _field(_TYPE, _field(_TENSOR, element))
    return _field(_GRAPH, _field(_OUTPUT, value))


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field: its tag, the length as a varint, the content."""
    length, left = bytearray(), len(content)
    while left > 0x7F:
        length.append(left & 0x7F | 0x80)
        left >>= 7
    length.append(left)
    return bytes([number << 3 | 2]) + bytes(length) + content
