"""Serving over standard input and output. Standard output is the protocol's alone; the log goes to standard error."""

from __future__ import annotations

import logging
import os
import signal
from types import FrameType

import anyio
from mcp.server.stdio import stdio_server

from glassdex.mcp.answering import Answering
from glassdex.mcp.serving import make_server
from glassdex.server.logs import JsonLinesHandler


def serve_stdio(answering: Answering) -> None:
    """Answers until standard input ends, or a signal does; with code 0 both."""
    quiet("mcp", "asyncio")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    anyio.run(_serve, answering)


def quiet(*names: str) -> None:
    """Has these loggers say warnings and worse, as lines of our log."""
    for name in names:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate, logger.level = [JsonLinesHandler()], False, logging.WARNING


def _leave(_number: int, _frame: FrameType | None) -> None:
    # A thread waits for the next line of standard input, and nothing but that line would end it. What is open is only
    # read, and a search that is under way has nobody left to answer.
    os._exit(0)


async def _serve(answering: Answering) -> None:
    server = make_server(answering)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
