"""Cross-encoders in folders as sentence-transformers lays them out, around tiny graphs that are made here."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from glassdex.errors import RerankError
from glassdex.reranking import Reranker
from glassdex.reranking.cross_encoder import CrossEncoder
from glassdex.testing import RerankerConformance

WORDS = ("[UNK]", "[CLS]", "[SEP]", "[PAD]", "tide", "gauge", "reports", "the", "bread", "when", "does")
WEIGHTS = {"tide": 1.0, "gauge": 2.0, "reports": 1.5, "bread": -2.0}
QUERY = "when does the tide gauge report"
GOOD, BAD = "the tide gauge reports", "bread bread"


def graph(labels: int = 1, *, segments: bool = True, pooled: bool = True) -> onnx.ModelProto:
    """logits = (Σ over the passage's tokens of a weight) · (1, 2, 3 …): a cross-encoder with one weight a word.

    The passage's tokens are those of the second segment; without segments all tokens count.
    """
    table = np.array([[WEIGHTS.get(word, 0.0)] for word in WORDS], dtype=np.float32)
    spread = np.arange(1, labels + 1, dtype=np.float32).reshape(1, labels)
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if segments else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["weights"]),
        helper.make_node("Cast", ["token_type_ids" if segments else "attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        helper.make_node("Mul", ["weights", "column"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "middle"], ["sum"], keepdims=0),
        helper.make_node("MatMul", ["sum", "spread"], ["logits"]),
    ]
    constants: dict[str, np.ndarray[Any, Any]] = {
        "table": table,
        "spread": spread,
        "last": np.array([-1], dtype=np.int64),
        "middle": np.array([1], dtype=np.int64),
    }
    output = "logits" if pooled else "counted"
    shape: list[Any] = ["batch", labels] if pooled else ["batch", "tokens", 1]
    made = helper.make_graph(
        nodes,
        "tiny",
        inputs,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(made, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def folder(
    path: Path,
    model: onnx.ModelProto | None = None,
    *,
    where: str = "model.onnx",
    config: dict[str, Any] | None = None,
    tokenizer_config: dict[str, Any] | None = None,
) -> Path:
    """A cross-encoder's folder."""
    (path / where).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model or graph(), str(path / where))
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.enable_padding(pad_id=3, pad_token="[PAD]", length=64)
    tokenizer.save(str(path / "tokenizer.json"))
    (path / "config.json").write_text(json.dumps({"max_position_embeddings": 64} if config is None else config))
    if tokenizer_config is not None:
        (path / "tokenizer_config.json").write_text(json.dumps(tokenizer_config))
    return path


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Reranker:
    return CrossEncoder(folder(tmp_path_factory.mktemp("models") / "tiny"))


class TestCrossEncoder(RerankerConformance):
    shared: Reranker

    @pytest.fixture(autouse=True)
    def _keep(self, shared: Reranker) -> None:
        type(self).shared = shared

    def reranker(self) -> Reranker:
        return self.shared


def sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def test_one_label_goes_through_the_sigmoid_by_default(tmp_path: Path):
    encoder = CrossEncoder(folder(tmp_path))
    assert encoder.rerank(QUERY, [GOOD, BAD]) == pytest.approx([sigmoid(4.5), sigmoid(-4)])
    assert encoder.scale == "probability, 0..1"


@pytest.mark.parametrize(
    "stated",
    [
        {"sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity", "version": "5.0"}},
        {"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"},
    ],
)
def test_an_identity_in_the_configuration_leaves_logits(tmp_path: Path, stated: dict[str, Any]):
    encoder = CrossEncoder(folder(tmp_path, config={"num_labels": 1, **stated}))
    assert encoder.rerank(QUERY, [GOOD, BAD]) == pytest.approx([4.5, -4.0])
    assert encoder.scale == "logit, unbounded"


def test_two_labels_are_a_share_of_the_second(tmp_path: Path):
    config = {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}
    encoder = CrossEncoder(folder(tmp_path, graph(2), config=config))
    assert encoder.rerank(QUERY, [GOOD, BAD]) == pytest.approx([sigmoid(4.5), sigmoid(-4)])
    assert encoder.scale == "probability, 0..1"


def test_of_several_labels_the_one_called_relevant_counts(tmp_path: Path):
    config = {"id2label": {"0": "Relevant", "1": "partly", "2": "not"}}
    encoder = CrossEncoder(folder(tmp_path, graph(3), config=config))
    total = sum(math.exp(4.5 * factor) for factor in (1, 2, 3))
    assert encoder.rerank(QUERY, [GOOD]) == pytest.approx([math.exp(4.5) / total])


def test_several_labels_without_a_name_are_refused(tmp_path: Path):
    encoder = CrossEncoder(folder(tmp_path, graph(3), config={"num_labels": 3}))
    with pytest.raises(RerankError, match="has 3 labels, and which of them means relevant is not said"):
        encoder.rerank(QUERY, [GOOD])


def test_the_graph_may_lie_in_a_folder_of_its_own_and_know_no_segments(tmp_path: Path):
    config = {"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"}
    encoder = CrossEncoder(folder(tmp_path, graph(segments=False), where="onnx/model.onnx", config=config))
    assert encoder.rerank("the gauge", [GOOD]) == pytest.approx([4.5 + 2.0])


def test_a_pair_beyond_the_limit_is_cut_and_counted(tmp_path: Path):
    encoder = CrossEncoder(folder(tmp_path, config={"max_position_embeddings": 16}))
    encoder.rerank("tide", [GOOD])
    assert (encoder.token_limit, encoder.truncated_count) == (16, 0)
    encoder.rerank("tide", ["bread " * 40, "gauge " * 40])
    assert encoder.truncated_count == 2


@pytest.mark.parametrize(
    ("config", "tokenizer_config", "limit"),
    [
        ({"max_position_embeddings": 512}, None, 512),
        ({"max_position_embeddings": 514, "model_type": "xlm-roberta"}, None, 512),
        ({"max_position_embeddings": 8192}, {"model_max_length": 1024}, 1024),
        ({"max_position_embeddings": 512}, {"model_max_length": 10**30}, 512),
        ({"max_position_embeddings": 512}, {"model_max_length": 1e30}, 512),
        ({}, None, 512),
        ({}, {"model_max_length": 128}, 128),
    ],
)
def test_the_limit_is_the_smaller_of_model_and_tokenizer(tmp_path: Path, config, tokenizer_config, limit: int):
    assert CrossEncoder(folder(tmp_path, config=config, tokenizer_config=tokenizer_config)).token_limit == limit


def test_a_passage_that_spells_a_special_token_means_its_letters(tmp_path: Path):
    encoder = CrossEncoder(folder(tmp_path))
    assert encoder.rerank(QUERY, ["[SEP] tide"]) == pytest.approx([sigmoid(1.0)])


def test_the_identity_changes_with_each_of_its_files(tmp_path: Path):
    first = CrossEncoder(folder(tmp_path / "tiny")).identity
    assert first.startswith("cross-encoder tiny@")
    assert CrossEncoder(folder(tmp_path / "tiny")).identity == first
    (tmp_path / "tiny" / "config.json").write_text('{"max_position_embeddings": 32}')
    assert CrossEncoder(tmp_path / "tiny").identity != first


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_folder_that_lacks_a_file_says_which(tmp_path: Path, missing: str):
    (folder(tmp_path) / missing).unlink()
    encoder = CrossEncoder(tmp_path)
    assert encoder.rerank(QUERY, []) == []
    with pytest.raises(RerankError, match=f"it has no {missing}"):
        encoder.rerank(QUERY, [GOOD])
    with pytest.raises(RerankError, match=f"it has no {missing}"):
        encoder.identity  # noqa: B018


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.onnx", b"not a graph", "cannot be loaded"),
        ("tokenizer.json", b"{}", "cannot be loaded"),
        ("config.json", b"{", "cannot be read"),
        ("config.json", b"[]", "is not a JSON object"),
        (
            "config.json",
            b'{"sentence_transformers": {"activation_fn": "torch.nn.Tanh"}}',
            "the activation torch.nn.Tanh",
        ),
        ("config.json", b'{"num_labels": 2}', "gives 1 numbers a pair, not 2"),
    ],
)
def test_a_damaged_file_is_a_rerank_error(tmp_path: Path, name: str, content: bytes, message: str):
    (folder(tmp_path) / name).write_bytes(content)
    with pytest.raises(RerankError, match=message):
        CrossEncoder(tmp_path).rerank(QUERY, [GOOD])


def test_a_graph_of_another_kind_is_a_rerank_error(tmp_path: Path):
    with pytest.raises(RerankError, match="numbers a pair, not 1"):
        CrossEncoder(folder(tmp_path / "a", graph(pooled=False))).rerank(QUERY, [GOOD])
    strange = graph(segments=False)
    strange.graph.input[1].name = "pixels"
    strange.graph.node[1].input[0] = "pixels"
    with pytest.raises(RerankError, match="takes the inputs input_ids, pixels"):
        CrossEncoder(folder(tmp_path / "b", strange)).rerank(QUERY, [GOOD])


def test_a_score_that_is_not_finite_is_a_rerank_error(tmp_path: Path):
    model = graph()
    model.graph.initializer[1].CopyFrom(numpy_helper.from_array(np.array([[np.nan]], dtype=np.float32), "spread"))
    with pytest.raises(RerankError, match="not finite"):
        CrossEncoder(folder(tmp_path, model)).rerank(QUERY, [GOOD])
