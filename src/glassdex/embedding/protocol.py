"""What an embedder promises, and what makes two vectors comparable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """Everything that a text's vector depends on. Vectors of different identities must not be compared."""

    model: str
    """Name of the model, for people."""
    weights_sha256: str
    """Hash of the weights file, hex; empty where the weights are out of reach (a remote service)."""
    pooling: str
    """How token vectors become one: `mean`, `cls`, `last`, or `remote`."""
    dimensions: int
    """Length of a vector."""
    query_prefix: str
    """Text put in front of every query."""
    document_prefix: str
    """Text put in front of every document."""
    token_limit: int
    """Tokens of a text that take part, special tokens included; 0 if unknown."""

    @property
    def key(self) -> str:
        """The model's name, then 12 hex digits of the SHA-256 over all fields: `all-MiniLM-L6-v2-int8@…`."""
        return _key(self)


@lru_cache(maxsize=64)  # a search asks for it half a dozen times
def _key(identity: EmbeddingIdentity) -> str:
    fields = json.dumps(asdict(identity), sort_keys=True, separators=(",", ":"))
    return f"{identity.model}@{hashlib.sha256(fields.encode()).hexdigest()[:12]}"


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is the cosine (−1..1).

    Implementations may be called from several threads at once. They normalise, whatever the model behind them
    does, and raise `EmbeddingError` rather than hand out a vector that is zero, infinite or not a number.
    """

    @property
    def identity(self) -> EmbeddingIdentity:
        """What the vectors depend on. Cheap: it does not load the model."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text: float32 of shape (len(texts), dimensions), unit length, row i for text i.

        No texts give shape (0, dimensions). The empty text is a text like any other.

        Raises:
            EmbeddingError: the model cannot be loaded or reached, or gave an unusable vector.

        """
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one query: float32 of shape (dimensions,), unit length.

        The query is always alone in its batch, so its vector does not depend on other work.

        Raises:
            EmbeddingError: the model cannot be loaded or reached, or gave an unusable vector.

        """
        ...
