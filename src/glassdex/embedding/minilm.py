"""The shipped embedder: all-MiniLM-L6-v2 with int8 weights, on the CPU."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.embedding.session import open_session, threads_at_hand
from glassdex.embedding.shipped import MODEL_FILE, shipped_file, shipped_model
from glassdex.embedding.tokens import model_token_ids, shipped_tokenizer
from glassdex.embedding.unit import unit_rows
from glassdex.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession


class MiniLmEmbedder:
    """Keeps the `Embedder` protocol with the model inside the package; loads it on first use.

    Every text is run alone, several texts side by side in threads. The model scales its int8 activations over
    a batch, so alone is the only way in which equal texts give equal bytes; without padding it is
    about as fast as batches.
    """

    def __init__(self, threads: int | None = None) -> None:
        """Set how many texts run side by side: by default one for each processor at hand, at most 8."""
        self._threads = threads or threads_at_hand()
        self._session: InferenceSession | None = None
        self._lock = threading.Lock()
        self._truncated_count = 0

    @cached_property
    def identity(self) -> EmbeddingIdentity:
        """What the vectors depend on; read from the model's description, without loading the model."""
        model = shipped_model()
        return EmbeddingIdentity(
            model=model.name,
            weights_sha256=model.onnx_sha256,
            pooling=model.pooling,
            dimensions=model.dimensions,
            query_prefix=model.query_prefix,
            document_prefix=model.document_prefix,
            token_limit=model.token_limit,
        )

    @property
    def truncated_count(self) -> int:
        """Texts since this embedder was made that exceeded the token limit and were embedded in part."""
        return self._truncated_count

    def load(self) -> None:
        """Load model and tokenizer now, so that the first search does not wait for them.

        Raises:
            EmbeddingError: a file is missing or damaged.

        """
        shipped_tokenizer()
        self._loaded_session()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text: float32 of shape (len(texts), 384), unit length, row i for text i.

        Raises:
            EmbeddingError: the model cannot be loaded, or gave an unusable vector.

        """
        import numpy as np

        vectors = np.empty((len(texts), self.identity.dimensions), dtype=np.float32)
        self.load()
        worker_count = min(self._threads, len(texts))
        if worker_count < 2:
            for row, text in enumerate(texts):
                vectors[row] = self._embed(self.identity.document_prefix + text)
            return vectors

        from concurrent.futures import ThreadPoolExecutor

        def embed_row(row: int) -> None:
            vectors[row] = self._embed(self.identity.document_prefix + texts[row])

        with ThreadPoolExecutor(worker_count, thread_name_prefix="glassdex-embed") as pool:
            jobs = [pool.submit(embed_row, row) for row in range(len(texts))]
            try:
                for job in jobs:
                    job.result()
            except BaseException:
                # One failure, or Ctrl-C, must not wait for the texts that are still queued.
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one query: float32 of shape (384,), unit length.

        Raises:
            EmbeddingError: the model cannot be loaded, or gave an unusable vector.

        """
        return self._embed(self.identity.query_prefix + text)

    def _embed(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        token_ids = np.array([self._token_ids(text)], dtype=np.int64)
        inputs = {
            "input_ids": token_ids,
            "attention_mask": np.ones_like(token_ids),
            "token_type_ids": np.zeros_like(token_ids),
        }
        output: NDArray[np.float32] = self._loaded_session().run(["embedding"], inputs)[0]
        vector: NDArray[np.float32] = unit_rows(output, self.identity.model)[0]
        return vector

    def _token_ids(self, text: str) -> list[int]:
        token_ids, truncated = model_token_ids(text, self.identity.token_limit)
        if truncated:
            with self._lock:
                self._truncated_count += 1
        return token_ids

    def _loaded_session(self) -> InferenceSession:
        if self._session is None:
            with self._lock:
                if self._session is None:
                    self._session = _open_session()
        return self._session


def _open_session() -> InferenceSession:
    with shipped_file(MODEL_FILE) as path:
        try:
            return open_session(path)
        except Exception as error:  # onnxruntime's own exceptions share no base class
            raise EmbeddingError(
                f"the shipped embedding model cannot be loaded: {error}",
                suggestion="The installation is damaged: reinstall glassdex.",
            ) from error
