"""The query language. Everything is an answerable query: what is not syntax is a word.

`word` terms are ORed · `"some phrase"` must occur as such · `-word`, `-"some phrase"` must not occur ·
`title:word`, `headings:word`, `body:word`, `tag:word` must occur in that field. Nothing else is an operator:
`AND`, `*`, a single quotation mark or an unknown `field:` are words or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from glassdex.analysis import Analyzer

MAX_TERMS = 128
"""Distinct terms of one query that are looked up; the rest is named in the trace as `beyond_limit`."""

FIELDS = ("title", "headings", "body", "tags", "parts")
_FIELD_NAMES = {
    "title": "title",
    "heading": "headings",
    "headings": "headings",
    "body": "body",
    "tag": "tags",
    "tags": "tags",
}
_CLAUSE = re.compile(
    r"""(?P<minus>-(?!-))?(?:(?P<field>[A-Za-z]+):)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))|(?P<rest>\S)"""
)

TermStatus = Literal["used", "unknown", "stopword", "too_common", "beyond_limit"]


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to look up; `surface` is how the user wrote it, `part` a word inside a longer one.

    `count` says how often the query names it: a word asked for twice weighs twice. `weight` is a factor beside that: 1
    for a word of the user's, less for one that a rewriter added.
    """

    term: str
    surface: str
    part: bool = False
    stopword: bool = False
    beyond_limit: bool = False
    count: int = 1
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """What must, or must not, occur: consecutive terms, in one field or in any that keeps positions."""

    terms: tuple[str, ...]
    surface: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A parsed query. `terms` are ORed and scored; `required` and `excluded` decide what is in scope.

    `meaning` is what an embedder should see: the query as it is, or, where it holds operators, the words it asks for.
    `only_exclusions` marks a query that named nothing to find, so its words were taken as asked for.
    """

    raw: str
    terms: tuple[QueryTerm, ...]
    required: tuple[Clause, ...]
    excluded: tuple[Clause, ...]
    meaning: str = ""
    only_exclusions: bool = False

    @property
    def scored_terms(self) -> tuple[QueryTerm, ...]:
        """The terms that carry weight: stop words only where there is nothing else."""
        within = [term for term in self.terms if not term.beyond_limit]
        return tuple(term for term in within if not term.stopword) or tuple(within)


def parse_query(raw: str, analyzer: Analyzer) -> LexicalQuery:
    """Parses any text whatever; a query of nothing but exclusions is taken as plain words."""
    clauses = list(_clauses(raw))
    plain = not any(minus or field or quoted for minus, field, _, quoted in clauses)
    only_exclusions = bool(clauses) and all(minus for minus, _, _, _ in clauses)
    if only_exclusions:
        clauses = [(False, field, text, quoted) for _, field, text, quoted in clauses]
    terms: dict[str, QueryTerm] = {}
    required: list[Clause] = []
    excluded: list[Clause] = []
    for minus, field, text, quoted in clauses:
        if minus:
            excluded += _as_clauses(text, field, analyzer)
            continue
        for term in _query_terms(text, analyzer):
            # A word written on its own outweighs the same word as part of another.
            known = terms.get(term.term)
            kept = term if known is None or (known.part and not term.part) else known
            terms[term.term] = replace(kept, count=1 if known is None else known.count + 1)
        if quoted or field:
            required += _as_clauses(text, field, analyzer)
    return LexicalQuery(
        raw=raw,
        terms=_limited(tuple(terms.values())),
        required=tuple(required),
        excluded=tuple(excluded),
        meaning=raw if plain else " ".join(text for minus, _, text, _ in clauses if not minus),
        only_exclusions=only_exclusions,
    )


def with_further(
    query: LexicalQuery, words: Sequence[tuple[str, float]], analyzer: Analyzer, max_terms: int
) -> LexicalQuery:
    """The query with further terms behind its own, at most `max_terms`, each with the weight of its words (0..1].

    The words are words whatever signs they hold: what is required and excluded stays as it is. A term that the query
    has already keeps the weight it has, stop words are left out, and where the further terms together would weigh more
    than the query's own, their weights are scaled down to that. The query itself where nothing is added.
    """
    own = {term.term for term in query.terms}
    further: dict[str, QueryTerm] = {}
    for text, weight in words:
        for term in _query_terms(text, analyzer):
            if term.term not in own and not term.stopword and len(further) < max_terms:
                further.setdefault(term.term, replace(term, weight=weight))
    if not further:
        return query
    scored = query.scored_terms
    most = max(1, sum(term.count for term in scored)) / sum(term.weight for term in further.values())
    scaled = [replace(term, weight=round(term.weight * min(1.0, most), 6)) for term in further.values()]
    # A query of stop words alone is looked up by them; beside further words they must not turn into nothing.
    kept = [replace(term, stopword=False) if term in scored else term for term in query.terms]
    return replace(query, terms=(*kept, *scaled))


def relaxed(query: LexicalQuery, surfaces: Container[str], *, exclude: bool) -> str:
    """The query as text in which the required clauses of these surfaces are plain words.

    Without `exclude` its exclusions are left out.
    """
    words = []
    for match in _CLAUSE.finditer(query.raw):
        minus = match["minus"] is not None and not query.only_exclusions
        text = match["phrase"] if match["phrase"] is not None else match["word"]
        if text is None or (minus and not exclude):
            continue
        named = (match["field"] or "").casefold() in _FIELD_NAMES
        required = not minus and (named or match["phrase"] is not None)
        written = match.group().removeprefix("-") if query.only_exclusions else match.group()
        words.append(text if required and text in surfaces else written)
    return " ".join(words)


def _clauses(raw: str) -> Iterator[tuple[bool, str | None, str, bool]]:
    for match in _CLAUSE.finditer(raw):
        name, text = match["field"], match["phrase"] if match["phrase"] is not None else match["word"]
        if text is None:
            continue
        field = _FIELD_NAMES.get((name or "").casefold())
        if name and field is None:
            text = f"{name}:{text}"
        yield match["minus"] is not None, field, text, match["phrase"] is not None


def _query_terms(text: str, analyzer: Analyzer) -> Iterator[QueryTerm]:
    for token in analyzer.tokens(text):
        stopword = analyzer.is_stopword(token.term)
        if token.redundant or (token.part and stopword):
            continue
        yield QueryTerm(token.term, text[token.start : token.end], token.part, stopword)


def _as_clauses(text: str, field: str | None, analyzer: Analyzer) -> list[Clause]:
    terms = tuple(token.term for token in analyzer.tokens(text) if not token.part)
    return [Clause(terms, text, field)] if terms else []


def _limited(terms: Sequence[QueryTerm]) -> tuple[QueryTerm, ...]:
    kept: list[QueryTerm] = []
    lookups = 0
    for term in terms:
        lookups += not term.stopword
        beyond = lookups > MAX_TERMS and not term.stopword
        kept.append(replace(term, beyond_limit=True) if beyond else term)
    return tuple(kept)
