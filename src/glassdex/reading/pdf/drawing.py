"""Drawing the pages of a passage in the reader's own process: what is drawn is as hostile as what is read."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import PurePosixPath

from glassdex.errors import FileChangedWhileReading
from glassdex.model import Document, text_hash
from glassdex.reading.isolation import ReadingProcess
from glassdex.reading.pdf.boxes import page_boxes, render_page
from glassdex.reading.pdf.reader import PdfReader
from glassdex.reading.protocol import ReadingOptions


@dataclass(slots=True)
class _Drawer:
    """A reader whose document is pictures: PNG in base 64 by page, as JSON."""

    start: int
    end: int
    passage_hash: str
    name: str = "drawing"
    version: int = 1
    format: str = "png"
    isolated: bool = True

    def bid(self, path: PurePosixPath, head: bytes) -> int:
        """It is never asked."""
        return 0

    def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
        """Draws the passage, if it stands where it should."""
        text = PdfReader().read(path, content, options).text[self.start : self.end]
        if not text_hash(text).startswith(self.passage_hash):
            raise FileChangedWhileReading("the file has changed since the passage was looked up", "open it again")
        boxes = page_boxes(content, self.start, self.end, options)
        drawn = {page: render_page(content, page, found, options) for page, found in boxes.items()}
        pictures = json.dumps({page: base64.b64encode(picture).decode() for page, picture in drawn.items()})
        return Document(self.format, path.name, "file_name", pictures, ())


def draw_passage(
    content: bytes, start: int, end: int, passage_hash: str, options: ReadingOptions = ReadingOptions()
) -> dict[int, bytes]:
    """PNG by physical page, of every page that the text `[start, end)` of the document touches.

    Raises:
        FileChangedWhileReading: another passage stands there.
        ReadError, MissingExtra: as `PdfReader.read`; `LimitExceeded` also when drawing takes too long.
    """
    with ReadingProcess() as process:
        document = process.read(_Drawer(start, end, passage_hash), PurePosixPath("page.pdf"), content, options)
    return {int(page): base64.b64decode(picture) for page, picture in json.loads(document.text).items()}
