"""Templates to pages: escaped throughout, with what every page has."""

from __future__ import annotations

import hashlib
import inspect
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from fastapi import FastAPI
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from glassdex.envelopes.session import iso_time
from glassdex.envelopes.shared import LocatorPart
from glassdex.errors import GlassdexError
from glassdex.escaping import safe_line
from glassdex.locators import described
from glassdex.model import Locator
from glassdex.projects import project_names
from glassdex.server.pages import visible
from glassdex.server.pages.asked import address, of_why_not
from glassdex.server.pages.ladder import decimal
from glassdex.server.problems import status_of
from glassdex.server.services import Services

STATIC = {
    "inspector.css": "text/css; charset=utf-8",
    "inspector.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_A_YEAR = "public, max-age=31536000, immutable"
Handler = Callable[[Request], Response]


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file that pages load; its address changes with its bytes, so that browsers may keep it."""

    content: bytes
    media_type: str
    address: str


class Pages:
    """Makes pages and serves them; made once for a server."""

    def __init__(self, app: FastAPI, services: Services) -> None:
        self.services = services
        self._app = app
        self._static = {name: _static(name, kind) for name, kind in STATIC.items()}
        self._environment = Environment(
            loader=PackageLoader("glassdex.server.pages"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {
            "shown": visible.shown,
            "line": visible.shown_line,
            "path": visible.shown_path,
            "said": safe_line,  # where there can be no markup: titles, attributes
            "decimal": decimal,
            "words": lambda text: str(text).replace("_", " "),
            "count": lambda number: f"{number:,}",
            "place": place,
            "instant": lambda seconds: iso_time(seconds) or "",
            "quoted": shlex.quote,
            "of_why_not": of_why_not,
        }
        self._environment.globals |= {
            "excerpt": visible.excerpt,
            "address": address,
            "static": {name: file.address for name, file in self._static.items()},
        }
        app.add_api_route("/static/{name}", self._send, methods=["GET"], include_in_schema=False, response_model=None)

    def add(self, path: str, handler: Handler, method: str = "GET") -> None:
        """Serves a page; an error of ours is a page as well."""

        def answer(request: Request) -> Response:
            try:
                return handler(request)
            except GlassdexError as error:
                return self.problem(request, error)

        self._app.add_api_route(path, answer, methods=[method], include_in_schema=False, response_model=None)

    def page(self, template: str, request: Request, **values: object) -> Response:
        """A template, filled in."""
        return self._rendered(template, request, values, 200)

    def problem(self, request: Request, error: GlassdexError) -> Response:
        """The page that says what is wrong; what could have been meant leads there."""
        values = {
            "error": error,
            "title": (inspect.getdoc(type(error)) or "").partition("\n")[0],
            "asked": list(request.query_params.multi_items()),
        }
        return self._rendered("problem.html", request, values, status_of(error))

    def _rendered(self, template: str, request: Request, values: Mapping[str, object], status: int) -> Response:
        common: Mapping[str, object] = {
            "path": request.url.path,
            "project": request.query_params.get("project", ""),
            "projects": project_names(),
        }
        text = self._environment.get_template(template).render({**common, **values})
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def _send(self, name: str) -> Response:
        found = self._static.get(name)
        if found is None:
            return Response(status_code=404)
        headers = {"Cache-Control": _A_YEAR}
        return Response(found.content, headers=headers, media_type=found.media_type)


def place(locator: LocatorPart) -> str:
    """Where in a file, in words."""
    first, last = zip(*(span or (None, None) for span in (locator.lines, locator.pages, locator.rows)), strict=True)
    made = Locator(
        line_start=first[0], line_end=last[0], page_start=first[1], page_end=last[1], page_label=locator.page_label,
        sheet=locator.sheet, row_start=first[2], row_end=last[2], slide=locator.slide, record=locator.record,
    )  # fmt: skip
    return ", ".join(described(made))


def _static(name: str, media_type: str) -> StaticFile:
    content = files("glassdex.server.pages").joinpath("static", name).read_bytes()
    return StaticFile(content, media_type, f"/static/{name}?{hashlib.sha256(content).hexdigest()[:12]}")
