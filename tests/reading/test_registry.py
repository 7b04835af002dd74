from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from glassdex.model import Document
from glassdex.reading.protocol import Reader
from glassdex.reading.registry import broken_readers, choose_reader, discover, discovery, readers

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


def test_markdown_is_there_without_any_distribution() -> None:
    assert [reader.name for reader in readers()].count("markdown") == 1
    assert all(isinstance(reader, Reader) for reader in readers())


@pytest.mark.parametrize("name", ["a.md", "A.MD", "b.markdown", "c.mdx", "x.tar.md"])
def test_markdown_files_go_to_the_markdown_reader(name: str) -> None:
    reader = choose_reader(PurePosixPath(name), b"")
    assert reader is not None
    assert reader.name == "markdown"


@pytest.mark.parametrize("name", ["a.txt", "md", "a.md.bak", "README", "a.py"])
def test_other_files_go_to_nobody(name: str) -> None:
    assert choose_reader(PurePosixPath(name), b"# A\n") is None


@pytest.mark.usefixtures("plugin")
def test_an_installed_reader_is_found_and_its_broken_neighbours_are_named() -> None:
    found = discover()
    names = [reader.name for reader in found.readers]
    assert names == ["aloud", "loud", "markdown"]
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

        def read(self, path: PurePosixPath, content: bytes) -> Document:
            raise NotImplementedError

    own = Own()
    assert choose_reader(PurePosixPath("x"), b"", among=[own]) is own
    assert choose_reader(NOTE, b"", among=[]) is None


def test_asking_for_readers_loads_no_parser_before_it_must() -> None:
    code = "import sys, glassdex.reading.registry; print('markdown_it' in sys.modules, 'yaml' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
