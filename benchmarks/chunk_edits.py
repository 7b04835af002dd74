"""How many chunks must be embedded again after one edit: random edits of real long texts.

    python benchmarks/chunk_edits.py --data FOLDER [--edits 600]

FOLDER holds test collections (see corpora.py); their abstracts become the paragraphs of long notes, with a heading
every few of them and without any. The example vault and docs/ are edited as they are. An edit is counted by the
embedded texts of the edited note that the original did not have.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from corpora import collections_in

from glassdex.chunking import chunk_document, frames_of
from glassdex.embedding.tokens import TokenCounter
from glassdex.model import Chunk, Document
from glassdex.reading.markdown import MarkdownReader

_ROOT = Path(__file__).resolve().parent.parent
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|\Z)|\Z)", re.DOTALL)
_MARK = re.compile(r"(?:[-*+>]|\d+[.)])\s+")
_INNER_MARK = re.compile(r"\n\s*(?:[-*+>]|\d+[.)])\s")
_SHORTEST = 25
"""Characters; what is shorter is a label, an abbreviation or a list mark, not a sentence."""


@dataclass(frozen=True, slots=True)
class Note:
    """A text, where its sentences are, and where its paragraphs begin."""

    text: str
    sentences: tuple[tuple[int, int], ...]
    paragraphs: tuple[int, ...]


def chunks_of(text: str) -> list[Chunk]:
    """The chunks of a Markdown text."""
    counter = TokenCounter()
    document = MarkdownReader().read(PurePosixPath("note.md"), text.encode())
    trails = sorted(frames_of(document))
    starts = {trail: [s for s, _ in counter.spans(trail)] for trail in trails}
    return chunk_document(document, [s for s, _ in counter.spans(document.text)], starts)


def note(text: str) -> Note:
    """Finds the sentences of a text's paragraphs and list items."""
    document: Document = MarkdownReader().read(PurePosixPath("note.md"), text.encode())
    blocks = [b for b in document.rows[0].blocks if b.kind in ("paragraph", "list_item", "quote")]
    sentences = []
    for block in blocks:
        for match in _SENTENCE.finditer(text, block.start, block.end):
            # The mark of a list or quote belongs to the structure; so do the items inside an item.
            mark = _MARK.match(text, match.start())
            start, end = mark.end() if mark else match.start(), match.end()
            if end - start >= _SHORTEST and not _INNER_MARK.search(text, start, end):
                sentences.append((start, end))
    return Note(text, tuple(sentences), tuple(b.start for b in blocks if b.kind == "paragraph"))


def long_notes(folder: Path, rng: random.Random) -> Iterator[tuple[str, Note]]:
    """Notes of abstracts as paragraphs: eight sections of 2 to 6, and 24 paragraphs without a heading."""
    for collection in collections_in(folder):
        abstracts = [" ".join(text.split()) for _, text in collection.documents.values() if len(text) > 200]
        for _ in range(12):
            sections = [
                f"## Section {number}\n\n" + "\n\n".join(rng.sample(abstracts, rng.randint(2, 6)))
                for number in range(8)
            ]
            yield f"{collection.name}, sections", note("\n\n".join(sections) + "\n")
            yield f"{collection.name}, flat", note("\n\n".join(rng.sample(abstracts, 24)) + "\n")


def own_notes() -> Iterator[tuple[str, Note]]:
    """The example vault and the project's documentation."""
    for name in ("examples/vault", "docs"):
        for path in sorted((_ROOT / name).rglob("*.md")):
            found = note(path.read_text(encoding="utf-8"))
            if len(found.sentences) > 5 and found.paragraphs:
                yield name, found


def replace_word(note: Note, rng: random.Random, _: Sequence[str]) -> str:
    """Another word in the middle of a sentence."""
    start, end = rng.choice(note.sentences)
    words = list(re.finditer(r"\w+", note.text[start:end]))
    word = words[len(words) // 2] if words else None
    if word is None:
        return note.text[:end] + " indeed" + note.text[end:]
    return note.text[: start + word.start()] + "otherwise" + note.text[start + word.end() :]


def rewrite(note: Note, rng: random.Random, sentences: Sequence[str]) -> str:
    """A different sentence of about the same length."""
    start, end = rng.choice(note.sentences)
    near = [s for s in rng.choices(sentences, k=200) if abs(len(s) - (end - start)) <= 0.2 * (end - start) + 10]
    return note.text[:start] + (near[0] if near else note.text[start:end][::-1]) + note.text[end:]


def rewrite_opening(note: Note, rng: random.Random, sentences: Sequence[str]) -> str:
    """Other words at the beginning of a sentence."""
    start, end = rng.choice(note.sentences)
    rest = note.text[start:end].split(" ", 3)[-1]
    return note.text[:start] + " ".join(rng.choice(sentences).split()[:3]) + " " + rest + note.text[end:]


def lengthen(note: Note, rng: random.Random, sentences: Sequence[str]) -> str:
    """A sentence that goes on for as long again."""
    start, end = rng.choice(note.sentences)
    addition = " ".join(rng.choice(sentences).rstrip(".!? ").split())[: end - start]
    return note.text[: end - 1] + ", " + addition + note.text[end - 1 :]


def insert_sentence(note: Note, rng: random.Random, sentences: Sequence[str]) -> str:
    """One sentence more behind another."""
    _, end = rng.choice(note.sentences)
    return note.text[:end] + " " + rng.choice(sentences) + note.text[end:]


def delete_sentence(note: Note, rng: random.Random, _: Sequence[str]) -> str:
    """One sentence less."""
    start, end = rng.choice(note.sentences)
    return note.text[:start] + note.text[end:].lstrip(" ")


def insert_paragraph(note: Note, rng: random.Random, sentences: Sequence[str]) -> str:
    """A paragraph of three sentences before another."""
    start = rng.choice(note.paragraphs)
    return note.text[:start] + " ".join(rng.choices(sentences, k=3)) + "\n\n" + note.text[start:]


Edit = Callable[[Note, random.Random, Sequence[str]], str]
EDITS: tuple[Edit, ...] = (
    replace_word, rewrite, rewrite_opening, lengthen, insert_sentence, delete_sentence, insert_paragraph,
)  # fmt: skip


def measure(name: str, notes: Sequence[Note], edits: int, rng: random.Random) -> None:
    """Prints one line for each kind of edit."""
    sentences = [" ".join(n.text[s:e].split()) for n in notes for s, e in n.sentences]
    before = [chunks_of(n.text) for n in notes]
    lengths = [len(chunk.text) for chunks in before for chunk in chunks]
    print(f"\n{name}: {len(notes)} notes, {len(lengths)} chunks of {sum(lengths) / len(lengths):.0f} characters")
    known = [{chunk.embedded_text for chunk in chunks} for chunks in before]
    for edit in EDITS:
        counts = []
        for _ in range(edits):
            index = rng.randrange(len(notes))
            after = {chunk.embedded_text for chunk in chunks_of(edit(notes[index], rng, sentences))}
            counts.append(len(after - known[index]))
        over = [100 * sum(count > limit for count in counts) / edits for limit in (1, 2)]
        print(
            f"  {edit.__name__:<17} > 1: {over[0]:6.2f} %   > 2: {over[1]:6.2f} %"
            f"   mean {sum(counts) / edits:5.2f}   most {max(counts)}"
        )


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--edits", type=int, default=600, help="of each kind and source")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    sources: dict[str, list[Note]] = {}
    for name, found in (*long_notes(options.data, rng), *own_notes()):
        sources.setdefault(name, []).append(found)
    started = time.perf_counter()
    for name, notes in sources.items():
        measure(name, notes, options.edits, rng)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
