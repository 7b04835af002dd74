"""What a project holds: its documents, their chunks, what stands near a chunk, a pointer's passage, the state of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from glassdex.answers.questions import (
    ChunksQuestion,
    DocumentsQuestion,
    LinksQuestion,
    NeighborsQuestion,
    OpenQuestion,
    PageImageQuestion,
    StatusQuestion,
)
from glassdex.envelopes.chunks import ChunksAnswer, chunks_answer
from glassdex.envelopes.doctor import DoctorAnswer, doctor_answer
from glassdex.envelopes.documents import DocumentsAnswer, documents_answer
from glassdex.envelopes.links import LinksAnswer, document_links_answer, project_links_answer
from glassdex.envelopes.neighbors import NeighborsAnswer, neighbors_answer
from glassdex.envelopes.passage import PassageAnswer, passage_answer
from glassdex.envelopes.status import ProjectsAnswer, StatusAnswer, projects_answer, status_answer
from glassdex.errors import InvalidRequest, PageOutOfRange
from glassdex.project import Project
from glassdex.projects import list_projects, project_containing
from glassdex.settings import MAX_LIMIT, load_settings


def chunks_asked(project: Project, question: ChunksQuestion) -> ChunksAnswer:
    """A document as the index sees it."""
    return chunks_answer(project.chunks(question.document))


def neighbors_asked(project: Project, question: NeighborsQuestion) -> NeighborsAnswer:
    """The nearest chunks of a chunk; the limit is that of the settings where none is named."""
    options = question.filters()
    options.setdefault("limit", load_settings().limit)
    return neighbors_answer(project.neighbors(question.chunk, embed=question.embed, **options))


def links_asked(project: Project, question: LinksQuestion) -> LinksAnswer:
    """A document's links in both directions; without a document, those of the project that are open.

    Raises:
        InvalidRequest: the limit is outside its domain.
    """
    if not 1 <= question.limit <= MAX_LIMIT:
        raise InvalidRequest(f"limit is {question.limit}; it must be between 1 and {MAX_LIMIT}")
    if question.document is None:
        return project_links_answer(project.open_links(limit=question.limit))
    found = project.links(question.document)
    return document_links_answer(found.only_open() if question.unresolved else found)


def open_asked(project: Project, question: OpenQuestion, *, passwords: Sequence[str] = ()) -> PassageAnswer:
    """A pointer's passage, checked against the file as it is now; secrets in transcripts stay redacted."""
    return passage_answer(project.open_pointer(question.pointer, passwords=passwords))


def page_image_asked(project: Project, question: PageImageQuestion, *, passwords: Sequence[str] = ()) -> bytes:
    """The PNG of a page that the passage stands on, with the passage marked.

    Raises:
        InvalidRequest: the passage is not there any more, or stands in no PDF.
        PageOutOfRange: it does not stand on that page; the candidates are those that it stands on.
    """
    passage = project.open_pointer(question.pointer, passwords=passwords)
    drawn = project.page_images(passage, passwords=passwords)
    if not drawn:
        raise InvalidRequest("no page can be drawn", "only the pages of a PDF can be")
    page = min(drawn) if question.page is None else question.page
    if page not in drawn:
        pages = ", ".join(map(str, drawn))
        raise PageOutOfRange(f"the passage is not on page {page}", f"it is on {pages}", [str(one) for one in drawn])
    return drawn[page]


def status_asked(project: Project, question: StatusQuestion) -> StatusAnswer:
    """What is indexed, what is pending, what failed and why."""
    return status_answer(project.status(), with_files=question.files)


def doctor_asked(project: Project) -> DoctorAnswer:
    """What is wrong with a project and what to do; reads the whole store and looks at every file."""
    return doctor_answer(project.doctor())


def documents_asked(project: Project, question: DocumentsQuestion) -> DocumentsAnswer:
    """The documents of a project by path, a page of them.

    Raises:
        InvalidRequest: limit or offset is outside its domain.
    """
    return documents_answer(project.documents(offset=question.offset, limit=question.limit), project.name)


def projects_asked() -> ProjectsAnswer:
    """Every project there is."""
    return projects_answer(list_projects(), project_containing(Path.cwd()))
