"""What every embedder must do: unit vectors that depend on the text and on nothing else."""

from __future__ import annotations

import numpy as np

from glassdex.embedding.protocol import Embedder

_TEXTS = (
    "The tide gauge at the harbour reports every six minutes.",
    "Bread rises faster in a warm kitchen.",
    "潮位計は六分ごとに報告する。",
    "x",
    "",
    "naïve café — “quotes”, emoji 🛟 and a\ttab\nnewline",
    "buoy " * 600,
)


class EmbedderConformance:
    """Derive, and provide `embedder`."""

    batch_tolerance = 0.05
    """How far a component may move with the company of a text; quantised models move, confused ones move more."""

    def embedder(self) -> Embedder:
        """The embedder under test; called once for each test, so keep an expensive one."""
        raise NotImplementedError

    def test_documents_come_back_as_one_float32_row_each(self) -> None:
        embedder = self.embedder()
        vectors = embedder.embed_documents(_TEXTS)
        expected = (len(_TEXTS), embedder.identity.dimensions)
        assert vectors.shape == expected, f"shape {vectors.shape}, expected {expected}"
        assert vectors.dtype == np.float32, f"{vectors.dtype}, expected float32"

    def test_a_query_comes_back_as_one_float32_vector(self) -> None:
        embedder = self.embedder()
        vector = embedder.embed_query("when does the tide turn")
        assert vector.shape == (embedder.identity.dimensions,), f"shape {vector.shape}"
        assert vector.dtype == np.float32, f"{vector.dtype}, expected float32"

    def test_no_texts_give_an_empty_matrix_of_the_right_width(self) -> None:
        embedder = self.embedder()
        vectors = embedder.embed_documents([])
        assert vectors.shape == (0, embedder.identity.dimensions), f"shape {vectors.shape}"

    def test_every_vector_has_unit_length(self) -> None:
        embedder = self.embedder()
        vectors = [*embedder.embed_documents(_TEXTS), *(embedder.embed_query(text) for text in _TEXTS)]
        lengths = [float(np.linalg.norm(vector.astype(np.float64))) for vector in vectors]
        assert np.allclose(lengths, 1, atol=1e-5), f"a dot product is the cosine only for unit vectors: {lengths}"

    def test_the_same_call_gives_the_same_bytes(self) -> None:
        embedder = self.embedder()
        first, second = (embedder.embed_documents(_TEXTS).tobytes() for _ in range(2))
        assert first == second, "the same texts gave other vectors the second time"
        first, second = (embedder.embed_query(_TEXTS[0]).tobytes() for _ in range(2))
        assert first == second, "the same query gave another vector the second time"

    def test_a_text_has_the_same_vector_alone_and_in_company(self) -> None:
        embedder = self.embedder()
        together = embedder.embed_documents(_TEXTS)
        for text, in_company in zip(_TEXTS, together, strict=True):
            alone = embedder.embed_documents([text])[0]
            gap = float(np.abs(alone - in_company).max())
            assert gap <= self.batch_tolerance, f"{text[:40]!r} moved by {gap} with the company it kept"

    def test_rows_are_in_the_order_of_the_texts(self) -> None:
        embedder = self.embedder()
        texts = _TEXTS[:3]
        forwards, backwards = embedder.embed_documents(texts), embedder.embed_documents(texts[::-1])
        nearest = (forwards @ backwards[::-1].T).argmax(axis=1).tolist()
        assert nearest == [0, 1, 2], f"row i belongs to text i, not {nearest}"

    def test_different_texts_have_different_vectors(self) -> None:
        first, second = self.embedder().embed_documents(_TEXTS[:2])
        assert float(first @ second) < 0.999, "two unrelated sentences got the same vector"

    def test_a_query_is_not_changed_by_what_was_embedded_before(self) -> None:
        embedder = self.embedder()
        before = embedder.embed_query(_TEXTS[1]).tobytes()
        embedder.embed_documents(_TEXTS)
        assert embedder.embed_query(_TEXTS[1]).tobytes() == before, "the query got another vector"

    def test_the_identity_is_stable_and_says_what_the_vectors_are(self) -> None:
        embedder = self.embedder()
        before = embedder.identity
        embedder.embed_documents(["work"])
        assert embedder.identity == before, "the identity changed by use"
        assert embedder.identity.key == before.key, "the key changed by use"
        assert before.model, "an identity has a name for people"
        assert before.dimensions > 0, f"{before.dimensions} dimensions"
