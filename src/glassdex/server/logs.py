"""What a server says of itself: one JSON object a line on standard error. Never a query, a token or a file's text."""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime

from glassdex.escaping import harmless_json

Value = str | int | float | bool | None


def log(level: str, event: str, **facts: Value) -> None:
    """Writes one line; facts that are `None` are left out."""
    known = {name: value for name, value in facts.items() if value is not None}
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": level, "event": event, **known}
    text = harmless_json(json.dumps(line, ensure_ascii=False)).encode("utf-8", "replace").decode()
    with suppress(OSError, ValueError):  # nobody reads it any more
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class JsonLinesHandler(logging.Handler):
    """Says what the web server's own loggers say in the same form; of exceptions the kind, and no values."""

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        kind = record.exc_info[0] if record.exc_info else None
        # A traceback may hold a request: the message alone is said, and of an exception the class.
        message = record.getMessage() if kind is None else str(record.msg).partition("\n")[0]
        log(record.levelname.lower(), message[:500], logger=record.name, exception=kind.__name__ if kind else None)
