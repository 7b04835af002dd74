"""All pages."""

from __future__ import annotations

from functools import partial

from fastapi import FastAPI

from glassdex.server.pages.compare_page import compare_page
from glassdex.server.pages.document_page import document_page
from glassdex.server.pages.looking_pages import documents_page, neighbors_page, open_page
from glassdex.server.pages.rendering import Pages
from glassdex.server.pages.search_page import search_page, why_not_page
from glassdex.server.pages.sessions_pages import session_page, sessions_page
from glassdex.server.pages.status_page import start_index, status_page
from glassdex.server.services import Services

PAGES = {
    "/": search_page,
    "/search": search_page,
    "/why-not": why_not_page,
    "/documents": documents_page,
    "/document": document_page,
    "/open": open_page,
    "/neighbors": neighbors_page,
    "/sessions": sessions_page,
    "/session": session_page,
    "/compare": compare_page,
    "/status": status_page,
}


def add_inspector(app: FastAPI, services: Services) -> None:
    """Adds the pages and what they load to the application; see `create_app`."""
    pages = Pages(app, services)
    for path, page in PAGES.items():
        pages.add(path, partial(page, pages))
    pages.add("/status", partial(start_index, pages), "POST")
