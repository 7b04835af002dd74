"""Indexing runs in the background, and their progress as it happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import FastAPI, Path, Response
from fastapi.responses import StreamingResponse

from glassdex.answers.questions import IndexQuestion
from glassdex.envelopes.index_run import IndexRunAnswer
from glassdex.errors import Busy
from glassdex.escaping import harmless_json
from glassdex.server.routes.answering import PREFIX, answered
from glassdex.server.runs import BackgroundRun
from glassdex.server.services import Services

LOOK_SECONDS = 0.1
"""How often a stream looks for news: a run tells of thousands of steps, and nobody can see them all."""
QUIET_LOOKS = 150
"""After so many looks without news a comment says that the connection is alive."""
MOST_STREAMS = 32

RunId = Annotated[str, Path(description="The `id` that starting the run answered.")]


def add_indexing_routes(app: FastAPI, services: Services) -> None:
    """Adds them."""
    streams = _Streams(services)

    @app.post(f"{PREFIX}/index", status_code=202, operation_id="startIndex", summary="Start indexing", tags=["index"])
    def post_index(question: IndexQuestion) -> Response:
        """Brings the index up to date with the files, in the background; one run at a time for a project."""
        question.refuse_oversized()
        run = services.runs.start(services.name(question.project), embed=question.embed)
        where = f"{PREFIX}/index/{run.id}"
        return answered(run.standing()[1], 202, {"Location": where})

    @app.get(f"{PREFIX}/index/{{run_id}}", operation_id="indexRun", summary="How a run stands", tags=["index"])
    def get_run(run_id: RunId) -> Response:
        """Its progress, and when it is over what it did."""
        return answered(services.runs.run(run_id).standing()[1])

    @app.delete(f"{PREFIX}/index/{{run_id}}", operation_id="cancelIndex", summary="Cancel a run", tags=["index"])
    def delete_run(run_id: RunId) -> Response:
        """It ends after the group of files that it is at; what it published stays, the next run goes on from there."""
        run = services.runs.run(run_id)
        run.stop.set()
        return answered(run.standing()[1], 202)

    @app.get(f"{PREFIX}/index/{{run_id}}/events", operation_id="indexEvents", summary="Progress", tags=["index"])
    async def get_events(run_id: RunId) -> Response:
        """Server-sent events: `progress` whenever something happened, and at the end `done`, `cancelled` or `failed`.

        The data of each is the run as `GET /index/{run_id}` answers it.
        """
        run = services.runs.run(run_id)
        streams.refuse_more()
        return StreamingResponse(
            streams.events(run), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
        )


class _Streams:
    """The streams that are open; used by the event loop alone."""

    def __init__(self, services: Services) -> None:
        self._stopping = services.stopping
        self._open = 0

    def refuse_more(self) -> None:
        if self._open >= MOST_STREAMS:
            raise Busy(f"{MOST_STREAMS} are following runs already", f"ask now and then: GET {PREFIX}/index/ID")

    async def events(self, run: BackgroundRun) -> AsyncIterator[str]:
        """What happens, as it happens, until the run is over or the server ends."""
        self._open += 1
        told, quiet = -1, 0
        try:
            while True:
                version, standing = run.standing()
                if version != told:
                    told, quiet = version, 0
                    yield _event(version, standing)
                if standing.state != "running" or self._stopping.is_set():
                    return
                await asyncio.sleep(LOOK_SECONDS)
                quiet += 1
                if quiet % QUIET_LOOKS == 0:
                    yield ": still running\n\n"
        finally:
            self._open -= 1


def _event(version: int, standing: IndexRunAnswer) -> str:
    name = "progress" if standing.state == "running" else standing.state
    return f"id: {version}\nevent: {name}\ndata: {harmless_json(standing.to_json())}\n\n"
