"""The shipped embedder, with the shipped model."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassdex.embedding import minilm
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.tokens import token_counter
from glassdex.errors import EmbeddingError

TEXTS = [
    "The ferry to Skagen was cancelled because of the storm.",
    "",
    "def parse(line: str) -> Record: ...",
    "a",
    "營收下降",
    "The committee agreed to postpone the launch until the sensors have been recalibrated. " * 6,
]


@pytest.fixture(scope="module")
def embedder():
    return MiniLmEmbedder()


def test_one_unit_vector_a_text_in_order(embedder):
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    for vector, text in zip(vectors, TEXTS, strict=True):
        assert np.array_equal(vector, embedder.embed_query(text))


def test_no_texts_give_no_vectors(embedder):
    assert embedder.embed_documents([]).shape == (0, 384)


def test_a_query_is_one_flat_vector(embedder):
    vector = embedder.embed_query("why was the ferry cancelled?")
    assert vector.shape == (384,)
    assert vector.dtype == np.float32


def test_a_text_gets_the_same_bytes_whatever_its_neighbours_and_threads(embedder):
    alone = MiniLmEmbedder(threads=1).embed_documents(TEXTS[:1])
    among_others = MiniLmEmbedder(threads=3).embed_documents([*reversed(TEXTS)])
    assert alone[0].tobytes() == among_others[-1].tobytes() == embedder.embed_query(TEXTS[0]).tobytes()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=4))
def test_any_text_has_a_unit_vector_that_does_not_depend_on_its_batch(embedder, texts):
    vectors = embedder.embed_documents(texts)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    for vector, text in zip(vectors, texts, strict=True):
        assert vector.tobytes() == embedder.embed_query(text).tobytes()


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        ("The boat trip was called off.", "They cancelled the ferry crossing.", "Add salt to the dough."),
        ("How do I bake bread?", "Instructions for making a loaf", "Quarterly revenue fell in Asia."),
        ("The server crashed at night.", "An outage took the backend down.", "She plays the violin."),
    ],
)
def test_a_paraphrase_is_closer_than_something_else(embedder, text, paraphrase, unrelated):
    query = embedder.embed_query(text)
    near, far = embedder.embed_documents([paraphrase, unrelated]) @ query
    assert near > far + 0.2


def test_the_vectors_are_those_of_the_official_checkpoint(embedder):
    # First components from the fp32 checkpoint; int8 weights move them a little.
    vector = embedder.embed_query("This is an example sentence")
    expected = np.array([0.0677, 0.0635, 0.0487, 0.0793, 0.0374, 0.0027])
    assert vector[: len(expected)] == pytest.approx(expected, abs=0.015)


def test_a_text_over_the_limit_is_counted_and_its_rest_takes_no_part():
    embedder = MiniLmEmbedder()
    words = ["river"] * 254  # with the two special tokens exactly the limit
    full, longer = embedder.embed_documents([" ".join(words), " ".join([*words, "violin", "bread"])])
    assert token_counter().count(" ".join(words)) + 2 == embedder.identity.token_limit
    assert embedder.truncated_count == 1
    assert full.tobytes() == longer.tobytes()


def test_truncations_are_counted_across_threads():
    embedder = MiniLmEmbedder(threads=4)
    embedder.embed_documents(["word " * 300] * 5 + ["short"] * 5)
    embedder.embed_query("word " * 300)
    assert embedder.truncated_count == 6


def test_a_text_that_spells_a_special_token_is_only_text(embedder):
    marked, plain = embedder.embed_documents(["[SEP] [PAD] [CLS]", "[ sep ] [ pad ] [ cls ]"])
    assert marked.tobytes() == plain.tobytes()


def test_a_lone_surrogate_does_not_stop_indexing(embedder):
    assert np.isfinite(embedder.embed_query("broken \ud83d emoji")).all()


def test_threads_may_share_an_embedder_that_is_not_loaded_yet():
    embedder = MiniLmEmbedder(threads=1)
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(embedder.embed_query, ["the same question"] * 8))
    assert len({vector.tobytes() for vector in vectors}) == 1


class _BrokenSession:
    """Stands in for a model file whose weights went bad on disk."""

    def __init__(self, value: float):
        self.value = value

    def run(self, outputs, inputs):
        return [np.full((1, 384), self.value, dtype=np.float32)]


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_an_unusable_vector_is_an_error_not_a_result(monkeypatch, value):
    monkeypatch.setattr(minilm, "_open_session", lambda: _BrokenSession(value))
    with pytest.raises(EmbeddingError, match="all-MiniLM-L6-v2-int8 gave a") as caught:
        MiniLmEmbedder(threads=2).embed_documents(["one", "two", "three"])
    assert caught.value.code == "embedding_failed"
    assert caught.value.suggestion


def test_embedding_leaves_no_trace_of_the_runtime_library_in_the_home(tmp_path):
    # onnxruntime writes usage events to ~/.cache and sends them, unless it is told not to before it loads.
    program = (
        "from glassdex.embedding.minilm import MiniLmEmbedder\n"
        "import os\n"
        "MiniLmEmbedder().embed_query('tide')\n"
        "assert os.environ['ORT_DISABLE_TELEMETRY'] == '1'\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment | {"HOME": str(tmp_path)})
    assert list(tmp_path.rglob("*")) == []
