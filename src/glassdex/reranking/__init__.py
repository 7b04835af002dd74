"""Passages scored against a query one by one: the `Reranker` protocol and the rerankers that keep it.

Importing this package is cheap; each reranker loads what it needs when it is first asked for scores.
"""

from glassdex.reranking.protocol import Reranker

__all__ = ["Reranker"]
