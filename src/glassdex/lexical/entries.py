"""Chunk → lexical entry: which text goes into which field, and the length that BM25 reckons with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glassdex.analysis import Analyzer
from glassdex.dates import day_in_words
from glassdex.lexical.bm25 import FIELD_WEIGHTS
from glassdex.lexical.protocol import LexicalEntry
from glassdex.model import Chunk, Document, Json

_NOT_SEARCHED = frozenset({"title", "tags", "date", "created", "updated", "modified", "related"})


def lexical_identity(analyzer: Analyzer) -> str:
    """Names all that a stored entry depends on: the analyser, and the field weights in its length."""
    weights = ",".join(f"{weight:g}" for weight in FIELD_WEIGHTS.values())
    return f"{analyzer.identity} fields-{weights}"


def lexical_entries(document: Document, chunks: Sequence[Chunk], analyzer: Analyzer) -> list[LexicalEntry]:
    """Entries without chunk ids (0), one for each chunk in order."""
    title_words, title_parts = analyzer.terms(_title_text(document))
    tag_words, tag_parts = analyzer.terms(_tag_text(document))
    entries = []
    for chunk in chunks:
        heading_words, heading_parts = analyzer.terms(" \n ".join(_heading_texts(chunk)))
        own_tags = " ".join(chunk.row.tags) if chunk.row.kind != "entity" else ""
        own_tag_words, own_tag_parts = analyzer.terms(own_tags)
        body_words, body_parts = analyzer.terms(chunk.text)
        entries.append(
            LexicalEntry(
                chunk_id=0,
                title=tuple(title_words),
                headings=tuple(heading_words),
                body=tuple(body_words),
                tags=(*tag_words, *own_tag_words),
                parts=(*title_parts, *heading_parts, *body_parts, *tag_parts, *own_tag_parts),
                before=tuple(analyzer.terms(chunk.row.before)[0]) if chunk.row.before else (),
            )
        )
    return entries


def weighted_length(entry: LexicalEntry, analyzer: Analyzer) -> float:
    """|d| of BM25: the weighted number of words, stop words and parts left out."""
    fields = {
        "title": entry.title,
        "headings": entry.headings,
        "body": entry.body,
        "tags": entry.tags,
        "before": entry.before,
    }
    is_stopword = analyzer.stopword_terms.__contains__
    return sum(
        FIELD_WEIGHTS[name] * (len(terms) - sum(map(is_stopword, terms))) for name, terms in fields.items() if terms
    )


def _heading_texts(chunk: Chunk) -> tuple[str, ...]:
    """The headings, and what else says where the passage belongs: a table's header, the day of a message."""
    message = chunk.row.message
    return (*chunk.headings, chunk.context if message is None else day_in_words(message.sent_at))


def _title_text(document: Document) -> str:
    if document.title_source == "conversation":  # it may change as the conversation grows, its messages' entries not
        return ""
    aliases = document.metadata.get("aliases")
    names = aliases if isinstance(aliases, list) else [aliases]
    return " \n ".join([document.title, *(name for name in names if isinstance(name, str))])


def _tag_text(document: Document) -> str:
    """Tags and the other plain values of the metadata: what an author wrote down about a note is searchable."""
    values = (
        text
        for name, value in document.metadata.items()
        if name not in _NOT_SEARCHED and name != "aliases"
        for text in _plain_values(value)
    )
    return " \n ".join([*document.tags, *values])


def _plain_values(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _plain_values(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
