"""Chunks of a text, as indexing makes them."""

from __future__ import annotations

from glassdex.chunking import chunk_document, frames_of
from glassdex.embedding.tokens import token_counter
from glassdex.model import Chunk, Document
from tests.reading.notes import read


def chunks(text: str, path: str = "notes/example.md") -> list[Chunk]:
    """The chunks of a note with this text."""
    return chunks_of(read(text, path))


def chunks_of(document: Document) -> list[Chunk]:
    """The chunks of a document, sized by the shipped tokenizer."""
    counter = token_counter()
    trails = {trail: [start for start, _ in counter.spans(trail)] for trail in frames_of(document)}
    return chunk_document(document, [start for start, _ in counter.spans(document.text)], trails)


def embedded(text: str) -> set[str]:
    """What an embedder sees of a note with this text."""
    return {chunk.embedded_text for chunk in chunks(text)}
