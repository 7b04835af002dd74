"""Saying what must fail, without a test framework."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def expect_error(error: type[Exception], when: str) -> Iterator[None]:
    """Passes when the block raises `error`; anything else is an `AssertionError` that names `when`."""
    try:
        yield
    except error:
        return
    except Exception as other:
        message = f"{when}: expected {error.__name__}, got {type(other).__name__}: {other}"
        raise AssertionError(message) from other
    message = f"{when}: expected {error.__name__}, nothing was raised"
    raise AssertionError(message)
