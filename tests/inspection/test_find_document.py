"""What a person may call a document."""

from __future__ import annotations

import pytest

from glassdex.errors import ChunkNotFound, DocumentAmbiguous, DocumentNotFound, ProjectNotFound
from glassdex.project import Project
from tests.search.vaults import indexed, root_of

NOTES = {
    "notes/deep/harbour.md": "---\ntitle: The Old Harbour\n---\n\nempty in winter\n",
    "notes/log.md": "# Log\n\nthe tide\n\n## Again\n\nsame words\n\n## Once more\n\nsame words\n",
    "journal/log.md": "# Journal\n\nthe tide\n",
    "A.md": "upper\n",
    "a.md": "lower\n",
    "cafe\u0301.md": "decomposed\n",
    "copy.md": "alike\n",
    "again.md": "alike\n",
}


@pytest.fixture(scope="module")
def project():
    with indexed(NOTES) as made:
        yield made


def path(project: Project, reference: str) -> str:
    return project.chunks(reference).document.path


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("notes/deep/harbour.md", "notes/deep/harbour.md"),
        ("deep/harbour.md", "notes/deep/harbour.md"),
        ("./notes/deep/harbour.md", "notes/deep/harbour.md"),
        ("notes\\deep\\harbour.md", "notes/deep/harbour.md"),
        ("harbour.md", "notes/deep/harbour.md"),
        ("HARBOUR", "notes/deep/harbour.md"),
        ("the old harbour", "notes/deep/harbour.md"),
        ("notes/log.md", "notes/log.md"),
        ("caf\u00e9.md", "caf\u00e9.md"),
        ("A.md", "A.md"),
        ("a.md", "a.md"),
    ],
)
def test_a_name_that_means_one_document(project: Project, reference: str, expected: str):
    assert path(project, reference) == expected


def test_an_absolute_path_and_every_pointer_and_key(project: Project):
    assert path(project, str(root_of(project) / "notes/log.md")) == "notes/log.md"
    for row in project.chunks("notes/log.md").rows:
        for chunk in row.chunks:
            assert path(project, chunk.pointer) == "notes/log.md"
            assert path(project, chunk.key) == "notes/log.md"


@pytest.mark.parametrize(
    ("reference", "candidates"),
    [("log.md", ("journal/log.md", "notes/log.md")), ("log", ("journal/log.md", "notes/log.md"))],
)
def test_a_name_of_several_lists_them(project: Project, reference: str, candidates: tuple[str, ...]):
    with pytest.raises(DocumentAmbiguous) as error:
        project.chunks(reference)
    assert error.value.candidates == candidates


def test_the_key_of_a_passage_that_stands_in_two_documents_lists_them(project: Project):
    key = project.chunks("copy").rows[0].chunks[0].key
    assert project.chunks("again").rows[0].chunks[0].key == key
    with pytest.raises(DocumentAmbiguous) as error:
        project.chunks(key)
    assert error.value.candidates == ("again.md", "copy.md")


@pytest.mark.parametrize("reference", ["harbor", "The Old Harbor", "notes/deep/harbor.md", "harb"])
def test_a_near_miss_is_suggested(project: Project, reference: str):
    with pytest.raises(DocumentNotFound, match="no document is called") as error:
        project.chunks(reference)
    assert "notes/deep/harbour.md" in error.value.candidates
    assert "did you mean" in error.value.suggestion


def test_no_part_of_a_name_is_enough(project: Project):
    with pytest.raises(DocumentNotFound):
        project.chunks("arbour.md")
    with pytest.raises(DocumentNotFound) as error:
        project.chunks("\ud800")
    assert error.value.candidates == ()


def test_a_key_that_no_chunk_has(project: Project):
    with pytest.raises(ChunkNotFound, match="no chunk has the key"):
        project.chunks("entity:0123456789abcdef:0")
    with pytest.raises(ChunkNotFound, match="names no chunk"):
        project.neighbors("a.md")


def test_a_pointer_into_another_project_is_not_looked_up_here(project: Project):
    pointer = "elsewhere:" + project.chunks("a.md").rows[0].chunks[0].pointer
    for ask in (project.chunks, project.neighbors, lambda reference: project.why_not("x", reference)):
        with pytest.raises(ProjectNotFound, match="belongs to project 'elsewhere'"):
            ask(pointer)
    own = f"{project.name}:" + project.chunks("a.md").rows[0].chunks[0].pointer
    assert path(project, own) == "a.md"
