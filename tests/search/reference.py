"""What the numbers of a search should be, computed a second time from the files: formulas only, no index."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from glassdex.analysis import Analyzer
from glassdex.lexical.bm25 import FIELD_WEIGHTS
from glassdex.model import compose_embedded_text
from glassdex.project import Project
from glassdex.reading.markdown import MarkdownReader
from glassdex.storage.records import ChunkRecord
from tests.search.vaults import root_of


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with the weighted count of each term in it and its weighted length in words that are no stop words."""

    record: ChunkRecord
    counts: dict[str, float]
    length: float


class Reference:
    """Every chunk of a project, read again from its file."""

    def __init__(self, project: Project) -> None:
        self.embedder = project.embedder
        self.passages: dict[int, Passage] = {}
        with project.store.read() as snapshot:
            for file in snapshot.files():
                content = (root_of(project) / file.raw_path.decode()).read_bytes()
                document = MarkdownReader().read(PurePosixPath(file.path), content)
                tags_of_row = {row.key: row.tags for row in document.rows if row.kind != "entity"}
                author = str(document.metadata.get("author", ""))
                for chunk in snapshot.document_chunks(file.id):
                    tags = (*document.tags, author, *tags_of_row.get(chunk.row_key, ()))
                    headings = (*chunk.headings, chunk.context)
                    self.passages[chunk.chunk_id] = _passage(
                        project.analyzer,
                        chunk,
                        {"title": [document.title], "headings": headings, "body": [chunk.text], "tags": tags},
                    )
        self.average = sum(passage.length for passage in self.passages.values()) / max(1, len(self.passages))

    def frequency(self, term: str) -> int:
        """Chunks that hold the term."""
        return sum(term in passage.counts for passage in self.passages.values())

    def idf(self, term: str) -> float:
        """ln(1 + (N − n + .5) / (n + .5))."""
        held = self.frequency(term)
        return math.log(1 + (len(self.passages) - held + 0.5) / (held + 0.5))

    def bm25(self, terms: list[str], chunk_id: int) -> float:
        """Okapi BM25 with k1 = 1.2 and b = 0.75."""
        passage, score = self.passages[chunk_id], 0.0
        for term in terms:
            count = passage.counts.get(term, 0.0)
            score += self.idf(term) * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * passage.length / self.average))
        return score

    def coverage(self, terms: list[str], chunk_id: int) -> float:
        """The share of the query's idf that the chunk holds."""
        whole = sum(self.idf(term) for term in terms)
        held = sum(self.idf(term) for term in terms if term in self.passages[chunk_id].counts)
        return held / whole if whole else 0.0

    def cosines(self, query: str) -> dict[int, float]:
        """Exact cosine of every chunk."""
        ids = list(self.passages)
        records = [self.passages[i].record for i in ids]
        embedded = [compose_embedded_text(record.breadcrumb, record.context, record.text) for record in records]
        products = self.embedder.embed_documents(embedded).astype("f8") @ self.embedder.embed_query(query).astype("f8")
        return dict(zip(ids, products.tolist(), strict=True))


def _passage(analyzer: Analyzer, record: ChunkRecord, fields: Mapping[str, Sequence[str]]) -> Passage:
    counts: dict[str, float] = defaultdict(float)
    length = 0.0
    for name, values in fields.items():
        for value in values:
            words, parts = analyzer.terms(value)
            for word in words:
                counts[word] += FIELD_WEIGHTS[name]
                length += FIELD_WEIGHTS[name] * (word not in analyzer.stopword_terms)
            for part in parts:
                counts[part] += FIELD_WEIGHTS["parts"]
    return Passage(record, dict(counts), length)
