from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from glassdex.model import Document
from glassdex.reading.protocol import Reader, ReadingOptions
from glassdex.reading.registry import broken_readers, choose_reader, discover, discovery, readers

ROOT = Path(__file__).resolve().parents[2]
NOTE = PurePosixPath("notes/a.md")

PLUGIN = """
class Loud:
    name = "loud"
    version = 3
    format = "loud"

    def bid(self, path, head):
        if path.name == "broken.md":
            raise ValueError("cannot bid")
        return 95 if head.startswith(b"LOUD") else 0

    def read(self, path, content):
        raise NotImplementedError


class Impostor(Loud):
    name = "markdown"


class NoReader:
    name = "nothing"


quiet = Loud()
quiet.name = "aloud"
"""

ENTRY_POINTS = """[glassdex.readers]
loud = loud_reader:Loud
aloud = loud_reader:quiet
impostor = loud_reader:Impostor
missing = no_such_module_anywhere:Reader
nothing = loud_reader:NoReader
own = glassdex.reading.markdown:MarkdownReader
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A third party's distribution, installed as files on the path."""
    (tmp_path / "loud_reader.py").write_text(PLUGIN)
    metadata = tmp_path / "loud_reader-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: loud-reader\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    discovery.cache_clear()
    yield
    discovery.cache_clear()
    sys.modules.pop("loud_reader", None)


BUILT_IN = {
    "chat",
    "chat-lines",
    "claude",
    "code",
    "codex",
    "csv",
    "html",
    "json",
    "markdown",
    "pdf",
    "slides",
    "spreadsheet",
    "text",
    "word",
}


def test_the_built_in_readers_are_there_without_any_distribution() -> None:
    code = "from glassdex.reading.registry import readers; print(*(reader.name for reader in readers()))"
    ran = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(ran.stdout.split()) >= BUILT_IN
    assert all(isinstance(reader, Reader) for reader in readers())


def test_every_built_in_reader_is_an_entry_point_too() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["entry-points"]["glassdex.readers"]
    own = {reader.name: f"{type(reader).__module__}:{type(reader).__qualname__}" for reader in readers()}
    assert declared == {name: own[name] for name in BUILT_IN}


@pytest.mark.parametrize("name", ["a.md", "A.MD", "b.markdown", "c.mdx", "x.tar.md"])
def test_markdown_files_go_to_the_markdown_reader(name: str) -> None:
    reader = choose_reader(PurePosixPath(name), b"")
    assert reader is not None
    assert reader.name == "markdown"


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("a.pdf", "pdf"),
        ("a.xlsx", "spreadsheet"),
        ("a.XLSM", "spreadsheet"),
        ("a.xls", "spreadsheet"),
        ("a.csv", "csv"),
        ("a.tsv", "csv"),
        ("a.json", "json"),
        ("a.jsonl", "json"),
        ("a.pptx", "slides"),
        ("a.docx", "word"),
        ("a.html", "html"),
        ("a.htm", "html"),
        ("a.txt", "text"),
        ("a.py", "code"),
        ("a.rs", "code"),
    ],
)
def test_each_format_goes_to_its_reader(name: str, reader: str) -> None:
    chosen = choose_reader(PurePosixPath(name), b"%PDF-1.7" if reader == "pdf" else b"")
    assert chosen is not None
    assert chosen.name == reader


@pytest.mark.parametrize("name", ["a.png", "a.zip", "a.md.bak", "md"])
def test_other_files_go_to_nobody(name: str) -> None:
    assert choose_reader(PurePosixPath(name), b"\x00\xff\x01") is None


@pytest.mark.usefixtures("plugin")
def test_an_installed_reader_is_found_and_its_broken_neighbours_are_named() -> None:
    found = discover()
    names = [reader.name for reader in found.readers]
    assert set(names) == {"aloud", "loud"} | BUILT_IN
    assert names == sorted(names)
    reasons = {broken.entry_point.split(" ")[0]: broken.reason for broken in found.broken}
    assert set(reasons) == {"impostor", "missing", "nothing"}
    assert "ModuleNotFoundError" in reasons["missing"]
    assert "taken by glassdex.reading.markdown" in reasons["impostor"]
    assert "not a Reader" in reasons["nothing"]
    assert broken_readers() == found.broken


@pytest.mark.usefixtures("plugin")
def test_the_highest_bid_wins_and_ties_go_by_name() -> None:
    loud, plain = choose_reader(NOTE, b"LOUD words"), choose_reader(NOTE, b"words")
    assert loud is not None
    assert plain is not None
    assert (loud.name, plain.name) == ("aloud", "markdown")


@pytest.mark.usefixtures("plugin")
def test_a_reader_that_cannot_bid_leaves_the_file_to_others() -> None:
    reader = choose_reader(PurePosixPath("broken.md"), b"")
    assert reader is not None
    assert reader.name == "markdown"


def test_readers_can_be_given() -> None:
    class Own:
        name = "own"
        version = 1
        format = "own"

        def bid(self, path: PurePosixPath, head: bytes) -> int:
            return 1

        def read(self, path: PurePosixPath, content: bytes, options: ReadingOptions = ReadingOptions()) -> Document:
            raise NotImplementedError

    own = Own()
    assert choose_reader(PurePosixPath("x"), b"", among=[own]) is own
    assert choose_reader(NOTE, b"", among=[]) is None


def test_having_readers_and_their_bids_loads_no_parser_of_a_document() -> None:
    code = (
        "import sys; from pathlib import PurePosixPath; from glassdex.reading.registry import choose_reader, readers\n"
        "assert len(readers()) > 1\n"
        "for end in ('pdf', 'xlsx', 'pptx', 'docx', 'html', 'csv', 'json', 'py', 'txt'):\n"
        "    choose_reader(PurePosixPath('a.' + end), b'PK owls')\n"
        "print(*sorted({'pypdfium2', 'pypdfium2_raw', 'python_calamine', 'lxml', 'pptx', 'docx', 'PIL', 'subprocess',"
        " 'multiprocessing', 'numpy'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


def test_asking_for_readers_loads_no_parser_before_it_must() -> None:
    code = "import sys, glassdex.reading.registry; print('markdown_it' in sys.modules, 'yaml' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
