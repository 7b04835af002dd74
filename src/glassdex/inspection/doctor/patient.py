"""What the examinations look at."""

from __future__ import annotations

import os
import shlex
from functools import cached_property

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.reading.registry import readers
from glassdex.reading.transcripts.protocol import is_transcript
from glassdex.storage.sqlite.snapshot import SqliteSnapshot


class Patient:
    """A project, what it should be made by, and the commands that mend it: `index` and `rebuild`.

    `absent` are the root folders that are not there now.
    """

    def __init__(
        self,
        snapshot: SqliteSnapshot,
        project: str,
        embedding_identity: EmbeddingIdentity,
        lexical_identity: str,
        max_bytes: int,
    ) -> None:
        self.snapshot = snapshot
        self.project = project
        self.embedding_identity = embedding_identity
        self.lexical_identity = lexical_identity
        self.max_bytes = max_bytes
        self.roots = snapshot.roots()
        self.absent = [root for root in self.roots if not os.path.isdir(root.path)]  # noqa: PTH112
        self.index = f"glassdex index --project {project}"

    @cached_property
    def transcripts(self) -> frozenset[str]:
        """The paths of transcripts: nobody writes them by hand."""
        named = {reader.name for reader in readers() if is_transcript(reader)}
        files = self.snapshot.files()
        return frozenset(file.path for file in files if (file.reader or "").partition("/")[0] in named)

    @property
    def rebuild(self) -> str | None:
        """Builds the index anew, over every root folder and in the project's language.

        There is no such command while a folder is absent: what the index has of it could not be made again.
        """
        if self.absent:
            return None
        language = self.snapshot.meta("language")
        indexing = [
            f"glassdex index {shlex.quote(root.path)} --project {self.project}"
            + (f" --language {shlex.quote(str(language))}" if language and not position else "")
            for position, root in enumerate(self.roots)
        ]
        again = " && ".join(indexing or [f"glassdex index FOLDER --project {self.project}"])
        return f"glassdex projects remove {self.project} --yes && {again}"
