"""Text → terms with offsets; pure. The same analyser serves every lexical index, the query and the highlights."""

from glassdex.analysis.analyzer import Analyzer, Token, analyzer

__all__ = ["Analyzer", "Token", "analyzer"]
