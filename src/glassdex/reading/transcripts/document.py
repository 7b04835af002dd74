"""The bytes of a transcript → one document, for those who want it whole."""

from __future__ import annotations

import io
from pathlib import PurePosixPath

from glassdex.model import Document
from glassdex.reading.protocol import ReadingOptions
from glassdex.reading.transcripts.growth import joined, parts_of
from glassdex.reading.transcripts.protocol import TranscriptReader


def read_transcript(
    reader: TranscriptReader, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()
) -> Document:
    """All messages of a file, in its order."""
    return joined(list(parts_of(reader, path, io.BytesIO(content), len(content), None, options)))
