"""Which words of a passage the query matched, by the analyser that indexed them."""

from __future__ import annotations

from glassdex.analysis import Analyzer


def highlights(text: str, terms: frozenset[str], analyzer: Analyzer) -> tuple[tuple[int, int], ...]:
    """Spans (code points in `text`, half-open) of tokens whose term is among `terms`, joined where they touch."""
    spans: list[tuple[int, int]] = []
    found = analyzer.tokens_among(text, terms)
    for token in sorted(found, key=lambda token: (token.start, -token.end)):
        if spans and token.start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], token.end))
        else:
            spans.append((token.start, token.end))
    return tuple(spans)
