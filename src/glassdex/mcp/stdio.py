"""Serving over standard input and output. Standard output is the protocol's alone; the log goes to standard error."""

from __future__ import annotations

import logging

import anyio
from mcp.server.stdio import stdio_server

from glassdex.mcp.answering import Answering
from glassdex.mcp.serving import make_server
from glassdex.server.logs import JsonLinesHandler


def serve_stdio(answering: Answering) -> None:
    """Answers until standard input ends."""
    quiet("mcp", "asyncio")
    anyio.run(_serve, answering)


def quiet(*names: str) -> None:
    """Has these loggers say warnings and worse, as lines of our log."""
    for name in names:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate, logger.level = [JsonLinesHandler()], False, logging.WARNING


async def _serve(answering: Answering) -> None:
    server = make_server(answering)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
