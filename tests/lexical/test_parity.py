"""BM25 against an independent implementation: bm25s by Xing Han Lù, its variant `lucene`.

That one leaves the constant factor k1 + 1 out, which changes no ranking; everything else is the same formula.
"""

from __future__ import annotations

import random

import bm25s
import numpy as np
import pytest

from glassdex.lexical.bm25 import K1, B
from glassdex.lexical.fts5 import Fts5Index, Fts5Writer, PostingsCache
from glassdex.lexical.protocol import LexicalEntry
from glassdex.lexical.query import LexicalQuery, QueryTerm
from glassdex.storage.records import ChunkTable
from glassdex.storage.sqlite import SqliteStore

VOCABULARY = [f"word{number}" for number in range(60)]
BM25S_ROUNDING = 2e-5
"""bm25s computes in single precision."""


def corpus(seed: int, documents: int) -> list[list[str]]:
    """Texts of 1 to 40 words whose frequencies fall off as those of a language do."""
    chance = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(VOCABULARY))]
    return [chance.choices(VOCABULARY, weights, k=chance.randint(1, 40)) for _ in range(documents)]


@pytest.mark.parametrize(("seed", "documents"), [(1, 3), (2, 50), (3, 400)])
def test_bm25_is_that_of_bm25s(seed: int, documents: int):
    texts = corpus(seed, documents)
    theirs = bm25s.BM25(method="lucene", k1=K1, b=B)
    theirs.index(texts, show_progress=False)
    ids = np.arange(1, documents + 1)
    table = ChunkTable(1, ids, ids, np.full(documents, -1), np.array([float(len(text)) for text in texts]))
    store = SqliteStore(None)
    with store.write() as writer:
        Fts5Writer(writer.connection).upsert(
            [LexicalEntry(number, (), (), tuple(text), (), (), ()) for number, text in enumerate(texts, start=1)]
        )
    known = sorted({word for text in texts for word in text})
    chance = random.Random(seed)
    with store.read() as snapshot:
        ours = Fts5Index(snapshot.connection, table, PostingsCache())
        for _ in range(25):
            words = chance.sample(known, k=min(len(known), chance.randint(1, 6)))
            query = LexicalQuery("", tuple(QueryTerm(word, word) for word in words), (), ())
            expected = theirs.get_scores(words).astype(np.float64) * (K1 + 1)
            np.testing.assert_allclose(ours.scores(query, ids).scores, expected, atol=BM25S_ROUNDING)
    store.close()
