"""Queries said in other words before anything is looked for: the `Rewriter` protocol and what keeps it.

Importing this package is cheap; what asks a service loads what it needs when it is first asked.
"""

from glassdex.rewriting.protocol import FurtherWords, Rewrite, Rewriter

__all__ = ["FurtherWords", "Rewrite", "Rewriter"]
