"""A folder of transcripts and its index, as a user has them: real files, a real store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from glassdex.indexing.run import IndexReport
from glassdex.inspection.sessions.show import SessionMessage
from glassdex.project import Project
from glassdex.search.results import Match
from tests.sessions.writing import Record, lines
from tests.testing.test_embedder_suite import HashEmbedder, Vectors

LONG_AGO = 1_700_000_000


class CountingEmbedder(HashEmbedder):
    """Remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed_documents(texts)


@dataclass
class Shelf:
    """Transcripts below `root`; every writing makes a file a second younger, so that its stat alone tells of it."""

    root: Path
    project: Project
    embedder: CountingEmbedder
    _time: float = field(default=LONG_AGO)

    def write(self, path: str, records: Iterable[Record | bytes] | bytes) -> Path:
        """Writes a file anew."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(records if isinstance(records, bytes) else lines(records))
        self.touch(path)
        return file

    def append(self, path: str, records: Iterable[Record | bytes] | bytes) -> None:
        """Writes on behind the end of a file."""
        with (self.root / path).open("ab") as file:
            file.write(records if isinstance(records, bytes) else lines(records))
        self.touch(path)

    def touch(self, path: str) -> None:
        """Gives a file another time."""
        self._time += 1
        os.utime(self.root / path, (self._time, self._time))

    def index(self, *, embed: bool = False) -> IndexReport:
        """One run; without vectors unless asked for."""
        report = self.project.index(embed=embed)
        assert report.failures == []
        return report

    def matches(self, query: str, **options: object) -> list[Match]:
        """Every message that has the words, in itself or in its context."""
        options = {"mode": "lexical", "matches": 100, "limit": 100, **options}
        found = self.project.search(query, **options)  # type: ignore[arg-type]
        return [match for result in found.results for match in result.matches]

    def saying(self, query: str, **options: object) -> list[Match]:
        """The messages that have a word themselves."""
        return [match for match in self.matches(query, **options) if query in match.text]

    def messages(self, session: str, limit: int = 500) -> list[SessionMessage]:
        """The whole conversation."""
        return list(self.project.session(session, limit=limit).messages)

    def texts(self, session: str) -> list[str]:
        """What is said in a conversation."""
        return [message.text for message in self.messages(session)]


@contextmanager
def shelf(folder: Path | None = None) -> Iterator[Shelf]:
    """An empty one, in a new folder where none is given."""
    with TemporaryDirectory() as made:
        root = Path(folder or made) / "transcripts"
        root.mkdir(parents=True, exist_ok=True)
        embedder = CountingEmbedder()
        with Project.in_memory(root, embedder=embedder) as project:
            yield Shelf(root, project, embedder)


def rebuilt(original: Shelf) -> Project:
    """A new index of the same files."""
    project = Project.in_memory(original.root, embedder=CountingEmbedder())
    assert project.index(embed=False).failures == []
    return project


Row = tuple[object, ...]


def contents(project: Project) -> dict[str, list[Row]]:
    """All that an index says of conversations, rows and chunks, but for ids and times of indexing."""
    queries = {
        "document": "SELECT path, format, title, dated_at, row_count, chunk_count, message_count, warnings, extent"
        " FROM document JOIN file USING (id) ORDER BY path",
        "session": "SELECT path, key, source, name, session.title, cwd, branch, parent, forked_from"
        " FROM session JOIN file ON file.id = document_id ORDER BY path, key",
        "message": "SELECT file.path, message.ordinal, message.uuid, message.block, hex(message.content_hash),"
        " message.role, message.sent_at, message.speaker, message.tool, message.injected, message.sidechain,"
        " message.error, message.parent, message.line, message.byte_start, message.byte_end, message.turn,"
        " message.left_out, message.opening, origin.path, original.ordinal"
        " FROM message JOIN row ON row.id = message.row_id JOIN file ON file.id = row.document_id"
        " LEFT JOIN message AS original ON original.row_id = message.original_id"
        " LEFT JOIN row AS there ON there.id = original.row_id"
        " LEFT JOIN file AS origin ON origin.id = there.document_id"
        " ORDER BY file.path, message.ordinal",
        "row": "SELECT path, kind, ordinal, key, text_hash, char_start, char_end, category, line_start, line_end"
        " FROM row JOIN file ON file.id = document_id ORDER BY path, ordinal",
        "chunk": "SELECT path, chunk.key, chunk.ordinal, row.key, chunk.char_start, chunk.char_end, chunk.text,"
        " chunk.headings, chunk.breadcrumb, chunk.context, chunk.token_count, hex(chunk.embedded_hash),"
        " chunk.lexical_length, chunk.original_hash, chunk.copied, chunk.line_start FROM chunk"
        " JOIN row ON row.id = row_id JOIN file ON file.id = chunk.document_id ORDER BY path, chunk.ordinal",
        "posting": "SELECT path, chunk.ordinal, term, col, offset FROM posting_instance JOIN chunk ON chunk.id = doc"
        " JOIN file ON file.id = chunk.document_id ORDER BY 1, 2, 3, 4, 5",
        "hash": "SELECT path, rows_hash FROM file ORDER BY path",
    }
    with project.store.read() as snapshot:
        return {name: list(snapshot.connection.execute(query)) for name, query in queries.items()}
