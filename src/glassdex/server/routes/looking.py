"""What a project holds."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Response

from glassdex.answers import looking
from glassdex.server.queries import (
    ChunksQuery,
    DocumentsQuery,
    LinksQuery,
    NeighborsQuery,
    OpenQuery,
    PageImageQuery,
    StatusQuery,
)
from glassdex.server.routes.answering import PREFIX, answered
from glassdex.server.services import Services


def add_looking_routes(app: FastAPI, services: Services) -> None:
    """Adds them."""
    passwords = services.config.passwords

    @app.get(f"{PREFIX}/chunks", operation_id="chunks", summary="A document as the index sees it", tags=["look"])
    def get_chunks(question: Annotated[ChunksQuery, Query()]) -> Response:
        """Its rows and chunks, what is really there of each, and whether they are current."""
        question.refuse_oversized()
        with services.project(question.project, question.document) as project:
            return answered(looking.chunks_asked(project, question))

    @app.get(f"{PREFIX}/neighbors", operation_id="neighbors", summary="The nearest chunks of a chunk", tags=["look"])
    def get_neighbors(question: Annotated[NeighborsQuery, Query()]) -> Response:
        """By the stored vectors; near-duplicates in other documents are marked."""
        question.refuse_oversized()
        with services.project(question.project, question.chunk) as project:
            return answered(looking.neighbors_asked(project, question))

    @app.get(f"{PREFIX}/links", operation_id="links", summary="Where links lead", tags=["look"])
    def get_links(question: Annotated[LinksQuery, Query()]) -> Response:
        """Of a document, in both directions; without one, those of the project that lead nowhere or are ambiguous."""
        question.refuse_oversized()
        with services.project(question.project, question.document) as project:
            return answered(looking.links_asked(project, question))

    @app.get(f"{PREFIX}/open", operation_id="open", summary="The passage behind a pointer", tags=["look"])
    def get_open(question: Annotated[OpenQuery, Query()]) -> Response:
        """Checked against the file as it is now; nothing else is ever shown in its place. Secrets stay redacted."""
        question.refuse_oversized()
        of_sessions = question.pointer.startswith("session:")
        with services.project(question.project, question.pointer, of_sessions=of_sessions) as project:
            return answered(looking.open_asked(project, question, passwords=passwords))

    @app.get(f"{PREFIX}/page-image", operation_id="pageImage", summary="A page with its passage marked", tags=["look"])
    def get_page_image(question: Annotated[PageImageQuery, Query()]) -> Response:
        """PNG of a page of a PDF that the pointer's passage stands on."""
        question.refuse_oversized()
        with services.project(question.project, question.pointer) as project:
            return Response(looking.page_image_asked(project, question, passwords=passwords), media_type="image/png")

    @app.get(f"{PREFIX}/documents", operation_id="documents", summary="The documents of a project", tags=["look"])
    def get_documents(question: Annotated[DocumentsQuery, Query()]) -> Response:
        """By path, a page of them."""
        question.refuse_oversized()
        with services.project(question.project) as project:
            return answered(looking.documents_asked(project, question))

    @app.get(f"{PREFIX}/status", operation_id="status", summary="The state of a project", tags=["look"])
    def get_status(question: Annotated[StatusQuery, Query()]) -> Response:
        """What is indexed, what is pending, what failed and why."""
        question.refuse_oversized()
        with services.project(question.project) as project:
            return answered(looking.status_asked(project, question))

    @app.get(f"{PREFIX}/projects", operation_id="projects", summary="All projects", tags=["look"])
    def get_projects() -> Response:
        """With their folders and sizes."""
        return answered(looking.projects_asked())
