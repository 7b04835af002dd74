"""Small vaults on disk, projects over them, and embedders that are real, deterministic and quick."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from glassdex.embedding.protocol import Embedder, EmbeddingIdentity
from glassdex.embedding.unit import unit_rows
from glassdex.errors import EmbeddingError
from glassdex.project import Project
from glassdex.search.engine import Execution
from glassdex.search.request import Mode, SearchOptions


class HashedWords:
    """Unit vectors from hashed words: texts that share words are near each other, some pairs point apart."""

    def __init__(self, dimensions: int = 24) -> None:
        self.dimensions = dimensions

    @property
    def identity(self) -> EmbeddingIdentity:
        return EmbeddingIdentity("hashed-words", "", "mean", self.dimensions, "", "", 0)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimensions))
        for vector, text in zip(vectors, texts, strict=True):
            vector[0] = 0.25
            for word in text.casefold().split():
                code = zlib.crc32(word.encode("utf-8", "surrogatepass"))
                vector[code % self.dimensions] += 1 if code & 0x10000 else -1
            if not vector.any():
                vector[0] = 1
        return unit_rows(vectors, "hashed-words")

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed_documents([text])[0]
        return vector


class DeafToQueries(HashedWords):
    """A service that embedded the documents and is out of reach now."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        raise EmbeddingError("the embedding service did not answer", "start it")


class StopsHalfway(HashedWords):
    """Embeds so many batches, then fails."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self.left = batches

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.left == 0:
            raise EmbeddingError("the embedding service went away", "start it")
        self.left -= 1
        return super().embed_documents(texts)


def write_notes(folder: Path, notes: Mapping[str, str | bytes]) -> Path:
    """Writes the notes below `folder`, byte for byte."""
    folder.mkdir(exist_ok=True)
    for path, content in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@contextmanager
def indexed(
    notes: Mapping[str, str | bytes], *, embedder: Embedder | None = None, embed: bool = True
) -> Iterator[Project]:
    """A project in memory over a fresh folder with these notes."""
    with tempfile.TemporaryDirectory() as folder:
        root = write_notes(Path(folder) / "vault", notes)
        with Project.in_memory(root, embedder=embedder or HashedWords()) as project:
            project.index(embed=embed)
            yield project


def root_of(project: Project) -> Path:
    """The folder of a project's notes."""
    with project.store.read() as snapshot:
        return Path(snapshot.roots()[0].path)


def paths(execution: Execution) -> list[str]:
    """The found documents, best first."""
    return [result.path for result in execution.results]


def texts(execution: Execution) -> list[str]:
    """The texts of all matches shown."""
    return [match.text for result in execution.results for match in result.matches]


@pytest.fixture(scope="session", autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps the user's own projects and settings out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(tmp_path_factory.mktemp("home")))
        yield


WORDS = (
    "harbour", "harbours", "tide", "Zebra", "quagga", "snake_case", "CamelCase", "IT-644", "v0.23.1", "a/b.md",
    "the", "and", "not", "營收下降", "營收", "東京", "café", "don't", "🛟", "sailing", "winter",
)  # fmt: skip
TAGS = ("boat", "Boat/deck", "boat/deck/rail", "財務", "x1")
PLACES = ("a.md", "b.md", "notes/c.md", "notes/deep/d.md", "日記/一.md", "with space/e f.md", "cafe\u0301/g.md")

_line = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
_heading = st.sampled_from(("# Zebra", "## Winter harbour", "### 營收", "## the and"))
_block = st.one_of(
    _line,
    _heading,
    st.tuples(_line, st.sampled_from(TAGS)).map(lambda pair: f"- [fact] {pair[0]} #{pair[1]} (seen)"),
    _line.map(lambda line: f"- sails_with [[Tide]] ({line})"),
)


@st.composite
def _note(draw: st.DrawFn) -> str:
    front = []
    if draw(st.booleans()):
        front.append(f"title: {draw(_line)}")
    if draw(st.booleans()):
        front.append(f"tags: [{', '.join(draw(st.lists(st.sampled_from(TAGS), unique=True, max_size=2)))}]")
    if draw(st.booleans()):
        front.append(f"date: {draw(st.dates())}")
    if draw(st.booleans()):
        front.append("author: Quagga Winter")
    blocks = draw(st.lists(_block, min_size=1, max_size=6))
    head = "---\n" + "\n".join(front) + "\n---\n\n" if front else ""
    text = head + "\n\n".join(blocks) + "\n"
    return text.replace("\n", draw(st.sampled_from(("\n", "\r\n"))))


vaults = st.dictionaries(st.sampled_from(PLACES), _note(), min_size=1, max_size=len(PLACES))
"""Random vaults: path → text."""

queries = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(('"winter harbour"', "-quagga", '-"tide and"', "title:zebra", "tag:boat", "unheard-of", "收")),
    ),
    min_size=1,
    max_size=5,
).map(" ".join)
"""Random queries that use all of the query language."""
modes: st.SearchStrategy[Mode] = st.sampled_from(("hybrid", "lexical", "dense"))
fusions = st.sampled_from(("convex/1", "rrf/1", "bonus/1"))


@st.composite
def search_options(draw: st.DrawFn) -> SearchOptions:
    """Random filters, thresholds, modes and pages."""
    made: SearchOptions = {
        "mode": draw(modes),
        "fusion": draw(fusions),
        "limit": draw(st.integers(1, 4)),
        "page": draw(st.integers(1, 3)),
        "tags": tuple(draw(st.lists(st.sampled_from(TAGS), max_size=1))),
        "kinds": tuple(draw(st.lists(st.sampled_from(("entity", "observation", "relation")), max_size=1))),
        "paths": tuple(draw(st.lists(st.sampled_from(("notes/", "*.md", "a.md", "nowhere/")), max_size=1))),
        "min_similarity": draw(st.none() | st.floats(-1, 1)),
        "min_score": draw(st.none() | st.floats(0, 2)),
        "since": draw(st.none() | st.just("2020-01-01")),
    }
    return made
