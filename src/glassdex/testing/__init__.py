"""Conformance suites: what the protocols promise, as tests that anybody can run against their own adapter.

A suite is a class. Derive from it, provide its factory method, and let pytest (or anything that calls `test_…`
methods) run it:

    class TestMyVectors(VectorIndexConformance):
        @contextmanager
        def built(self, table, matrix):
            yield MyVectorIndex(table, matrix)

Under pytest, `pytest.register_assert_rewrite("glassdex.testing")` in `conftest.py` shows the values that differ.
"""

from glassdex.testing.embedder import EmbedderConformance
from glassdex.testing.lexical import LexicalIndexConformance
from glassdex.testing.reader import ReaderConformance
from glassdex.testing.reranker import RerankerConformance
from glassdex.testing.rewriter import RewriterConformance
from glassdex.testing.store import StoreConformance
from glassdex.testing.vector import VectorIndexConformance

__all__ = [
    "EmbedderConformance",
    "LexicalIndexConformance",
    "ReaderConformance",
    "RerankerConformance",
    "RewriterConformance",
    "StoreConformance",
    "VectorIndexConformance",
]
