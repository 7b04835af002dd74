"""Cross-encoders: any ONNX one in a folder as sentence-transformers lays it out.

The folder holds `model.onnx` (or `onnx/model.onnx`), `tokenizer.json` and `config.json`. Of the configuration count
`max_position_embeddings`, the number of labels (`num_labels`, else the length of `id2label`) and the activation:
`sentence_transformers.activation_fn`, or `sbert_ce_default_activation_function` as it was called before version 4. With
one label and no activation named it is the sigmoid, as sentence-transformers has it; several labels go through a
softmax, and the score is the share of the one that means "relevant".
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from glassdex.embedding.session import open_session
from glassdex.embedding.tokens import encodable
from glassdex.errors import RerankError
from glassdex.reranking.side_by_side import side_by_side

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

GRAPHS = ("model.onnx", "onnx/model.onnx")
DEFAULT_TOKENS = 512
RELEVANT = ("relevant", "yes", "true", "positive", "label_1", "1")
"""What a label may be called that means that the passage answers the query; `LABEL_1` only where there are two."""
_SHIFTED = ("roberta", "xlm-roberta", "camembert")
"""Model types that count positions from the padding token's number on, so that two of them are never used."""
_INPUTS: Mapping[str, Callable[[Encoding], list[int]]] = {
    "input_ids": lambda encoding: encoding.ids,
    "attention_mask": lambda encoding: encoding.attention_mask,
    "token_type_ids": lambda encoding: encoding.type_ids,
}


@dataclass(frozen=True, slots=True)
class _Head:
    """How the graph's output becomes a score."""

    labels: int
    relevant: int
    sigmoid: bool

    @property
    def scale(self) -> str:
        return "probability, 0..1" if self.sigmoid or self.labels > 1 else "logit, unbounded"

    def score(self, logits: Sequence[float]) -> float:
        if self.labels > 1:
            highest = max(logits)
            shares = [math.exp(logit - highest) for logit in logits]
            return shares[self.relevant] / sum(shares)
        return _sigmoid(logits[0]) if self.sigmoid else logits[0]


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: InferenceSession
    tokenizer: Tokenizer
    inputs: tuple[str, ...]


class CrossEncoder:
    """Keeps the `Reranker` protocol with the model in a folder of the user's; loads it on first use."""

    name = "cross-encoder"

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder).expanduser()
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._truncated_count = 0

    @cached_property
    def identity(self) -> str:
        """The folder's name, and 12 hex digits of the SHA-256 over graph, tokenizer and configuration."""
        graph = self._graph
        digest = hashlib.sha256()
        beside = (graph.with_name(f"{graph.name}_data"), graph.with_name(f"{graph.name}.data"))  # weights above 2 GB
        for path in (graph, *beside, self._file("tokenizer.json"), self._file("config.json")):
            if path.is_file():
                with path.open("rb") as stream:
                    digest.update(hashlib.file_digest(stream, "sha256").digest())
        return f"cross-encoder {self._folder.resolve().name}@{digest.hexdigest()[:12]}"

    @property
    def scale(self) -> str:
        """A probability, or a logit where the configuration names no activation but the identity."""
        return self._head.scale

    @property
    def truncated_count(self) -> int:
        """Pairs so far that exceeded the token limit and were read in part."""
        return self._truncated_count

    @cached_property
    def token_limit(self) -> int:
        """Tokens of query and passage together, special ones included."""
        limits = [DEFAULT_TOKENS]
        positions = self._config.get("max_position_embeddings")
        if isinstance(positions, int) and positions > 2:
            limits = [positions - 2 if self._config.get("model_type") in _SHIFTED else positions]
        tokenizer = self._folder / "tokenizer_config.json"
        stated = _read_json(tokenizer).get("model_max_length") if tokenizer.is_file() else None
        if isinstance(stated, int) and stated > 2:
            limits.append(stated)
        return min(limits)

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """The model's score of each pair, each alone in its run.

        Raises:
            RerankError: a file is missing or damaged, or the graph is no cross-encoder's.
        """
        if not passages:
            return []
        loaded, head, asked = self._load(), self._head, encodable(query)
        return side_by_side(lambda passage: self._score(loaded, head, asked, passage), passages)

    def _score(self, loaded: _Loaded, head: _Head, query: str, passage: str) -> float:
        import numpy as np

        encoding = loaded.tokenizer.encode(query, encodable(passage))
        if encoding.overflowing:
            with self._lock:
                self._truncated_count += 1
        inputs = {name: np.array([_INPUTS[name](encoding)], dtype=np.int64) for name in loaded.inputs}
        try:
            output = np.asarray(loaded.session.run(None, inputs)[0], dtype=np.float64)
        except Exception as error:  # onnxruntime's own exceptions share no base class
            raise RerankError(f"the cross-encoder in {self._folder} failed: {error}") from error
        if output.size != head.labels:
            raise RerankError(
                f"the cross-encoder in {self._folder} gives {output.size} numbers a pair, not {head.labels}",
                "its config.json must say num_labels (or id2label) as the graph has them",
            )
        if not np.isfinite(output).all():
            raise RerankError(f"the cross-encoder in {self._folder} gave a score that is not finite")
        return head.score(output.ravel().tolist())

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._opened()
            return self._loaded

    def _opened(self) -> _Loaded:
        from tokenizers import Tokenizer

        graph, tokens = self._graph, self._file("tokenizer.json")
        try:
            session, tokenizer = open_session(graph), Tokenizer.from_file(str(tokens))
        except Exception as error:  # both libraries raise what they like
            raise RerankError(f"the cross-encoder in {self._folder} cannot be loaded: {error}") from error
        # A passage that spells "[SEP]" means those five characters.
        tokenizer.encode_special_tokens = True
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.token_limit, strategy="longest_first")
        inputs = tuple(given.name for given in session.get_inputs())
        unknown = [name for name in inputs if name not in _INPUTS]
        if unknown or not inputs:
            raise RerankError(
                f"{graph} takes the inputs {', '.join(inputs) or 'none'}", f"known are {', '.join(_INPUTS)}"
            )
        return _Loaded(session, tokenizer, inputs)

    @property
    def _graph(self) -> Path:
        for name in GRAPHS:
            if (self._folder / name).is_file():
                return self._folder / name
        return self._file(GRAPHS[0])

    def _file(self, name: str) -> Path:
        path = self._folder / name
        if not path.is_file():
            raise RerankError(
                f"{self._folder} is no cross-encoder's folder: it has no {name}",
                f"it holds {' or '.join(GRAPHS)}, tokenizer.json and config.json",
            )
        return path

    @cached_property
    def _config(self) -> Mapping[str, object]:
        return _read_json(self._file("config.json"))

    @cached_property
    def _head(self) -> _Head:
        names = self._label_names()
        stated = self._config.get("num_labels")
        labels = stated if isinstance(stated, int) and stated > 0 else max(1, len(names))
        if labels > 1:
            return _Head(labels, self._relevant_label(labels, names), sigmoid=False)
        return _Head(1, 0, sigmoid=self._activation() == "Sigmoid")

    def _label_names(self) -> dict[int, str]:
        named = self._config.get("id2label")
        if not isinstance(named, dict):
            return {}
        return {int(number): str(label).casefold() for number, label in named.items() if str(number).isdecimal()}

    def _relevant_label(self, labels: int, names: Mapping[int, str]) -> int:
        known = RELEVANT if labels == 2 else RELEVANT[:-2]
        found = [number for number, label in names.items() if label in known and number < labels]
        if len(found) == 1:
            return found[0]
        if labels == 2 and not found:
            return 1
        raise RerankError(
            f"the cross-encoder in {self._folder} has {labels} labels, and which of them means relevant is not said",
            f"call exactly one of id2label in config.json {' or '.join(known)}",
        )

    def _activation(self) -> str:
        """`Sigmoid` or `Identity`; the configuration writes it as a path to the class, torch's."""
        own = self._config.get("sentence_transformers")
        stated = own.get("activation_fn") if isinstance(own, dict) else None
        stated = stated or self._config.get("sbert_ce_default_activation_function")
        name = "Sigmoid" if stated is None else str(stated).rpartition(".")[2]
        if name not in ("Sigmoid", "Identity"):
            raise RerankError(
                f"the cross-encoder in {self._folder} names the activation {stated}", "known are Sigmoid and Identity"
            )
        return name


def _sigmoid(logit: float) -> float:
    # Either form overflows on one side alone.
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    grown = math.exp(logit)
    return grown / (1 + grown)


def _read_json(path: Path) -> Mapping[str, object]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RerankError(f"{path} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise RerankError(f"{path} is not a JSON object")
    return content
