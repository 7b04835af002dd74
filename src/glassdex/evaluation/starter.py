"""A starter set of judgments from the project's own notes, for a person to edit.

Questions that stand in notes come first, then headings and titles; which ones is decided by a hash, so the same notes
give the same set. The proposed answer is the note itself, which is the weak side of such a set: its words are those of
its answer. The comments in the file say what to do about that.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from glassdex.errors import InvalidRequest
from glassdex.model import unify_newlines
from glassdex.search.results import pointer_of
from glassdex.storage.records import CandidateRecord, ChunkRecord
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

SIZE = 24
"""Enough to see a difference, few enough to read in a quarter of an hour."""
_A_DOCUMENT = 2
_QUESTION = re.compile(r"[^.!?。！？\n|`]{8,160}[?？]")
_PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=\s*[#>|*+-])|(?<=[-=#])\n")
_OPERATORS = re.compile(r'["“”]|(?<!\S)-|^[\s>*#-]+')
_UNPRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_COMMON = frozenset({"observations", "relations", "notes", "context", "decision", "consequences", "summary", "todo"})
HEAD = """\
# Judgments for `glassdex eval`: queries, and the documents that should answer them.
# Proposed from {project}'s own notes; the proposal is only a beginning:
#
#   1. Ask as you would ask. A query in its note's own words is too easy: say it in others.
#   2. Add what else answers the query, and take out what does not.
#   3. Delete what nobody would ask. Ten honest queries are worth more than a hundred made ones.
#
# relevant   a document (its path, the end of it, its title) or a pointer to a passage, as search prints it
#            as a mapping with grades: {{decisions/a.md: 2, notes/b.md: 1}}; 0 is judged not relevant
# id         keeps a query's name when you reword it; else runs know it by its words
# options    what the search is narrowed to, for example {{in: report.pdf, pages: 30-90}}
#
# Keep this file outside the indexed folder, or name it in .glassdexignore: the notes quote themselves in it.
"""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A query, the document it was taken from, and where in it."""

    query: str
    document: str
    source: str
    pointer: str


def starter_set(snapshot: SqliteSnapshot, size: int = SIZE) -> list[Proposal]:
    """Up to `size` proposals, at most two of a document; sorted by document.

    Raises:
        InvalidRequest: nothing is indexed that a query could be taken from.
    """
    table = snapshot.chunk_table()
    records = [record for record in snapshot.candidates(table.ids).values() if record.message is None]
    chosen: dict[str, Proposal] = {}
    of_document: dict[str, int] = {}
    for source in ("question", "heading", "title"):
        for proposal in sorted(_proposals(snapshot, records, source), key=_digest):
            # A third of the set is for each source, and what one does not use is the next one's.
            full = len(chosen) >= size * (("question", "heading", "title").index(source) + 1) // 3
            if full or of_document.get(proposal.document, 0) >= _A_DOCUMENT or proposal.query in chosen:
                continue
            chosen[proposal.query] = proposal
            of_document[proposal.document] = of_document.get(proposal.document, 0) + 1
    if not chosen:
        raise InvalidRequest("there is no note to take a query from", "index some first: glassdex index FOLDER")
    return sorted(chosen.values(), key=lambda proposal: (proposal.document, proposal.query))


def starter_yaml(proposals: Iterable[Proposal], project: str) -> str:
    """The set as a judgments file with comments."""
    lines = [HEAD.format(project=" ".join(project.split()))]
    for proposal in proposals:
        lines.append(f"- query: {_quoted(proposal.query)}  # a {proposal.source} of it")
        lines.append(f"  relevant: [{_quoted(proposal.document)}]")
        lines.append(f"  # the passage alone: {proposal.pointer}\n")
    return "\n".join(lines)


def write_new(path: Path, text: str) -> None:
    """Writes a file that is not there yet.

    Raises:
        InvalidRequest: it is there; nothing is changed.
    """
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise InvalidRequest(f"{path} is there already", "name another file; none is overwritten") from error


def _proposals(snapshot: SqliteSnapshot, records: list[CandidateRecord], source: str) -> Iterator[Proposal]:
    if source == "question":
        chunks = snapshot.chunks(record.chunk_id for record in records)
        for record in records:
            for text in _questions(chunks[record.chunk_id]):
                yield Proposal(text, record.path, source, pointer_of(record))
        return
    seen = set()
    for record in records:
        text = _plain(record.headings[-1] if record.headings else "") if source == "heading" else _plain(record.title)
        plain = text.casefold()
        is_short = len(text.split()) < 2 and (text.isascii() or len(text) < 4)
        if is_short or plain in _COMMON or (plain, record.path) in seen:
            continue
        if source == "heading" and plain == _plain(record.title).casefold():
            continue
        seen.add((plain, record.path))
        yield Proposal(text, record.path, source, pointer_of(record))


def _questions(chunk: ChunkRecord) -> Iterator[str]:
    if "```" in chunk.text:  # code and its comments ask nobody
        return
    for paragraph in _PARAGRAPHS.split(unify_newlines(chunk.text)):
        for match in _QUESTION.finditer(" ".join(paragraph.split())):
            text = _plain(match.group())
            if len(text.split()) >= 4 or not text.isascii():
                yield text


def _plain(text: str) -> str:
    """Without the signs that mean something in a query."""
    return " ".join(_OPERATORS.sub(" ", text).split()).strip(" *_:;,)(")


def _quoted(text: str) -> str:
    """As YAML's double-quoted scalar, of which JSON's strings are some."""
    quoted = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return _UNPRINTED.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)


def _digest(proposal: Proposal) -> bytes:
    return hashlib.sha256(f"{proposal.document}\0{proposal.query}".encode("utf-8", "surrogatepass")).digest()
