"""What passes between the program and a reader's own process: a length-prefixed pickle, then bytes as they are.

Pickle writes a frozen dataclass with slots through Python code, about 6 µs there and back; a workbook has a hundred
thousand of them. Here a tuple of them travels as one column for each field, which costs a fifth.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import IO, Any, Self

from glassdex import errors
from glassdex.errors import GlassdexError
from glassdex.model import Block, Document, Link, Place, ReadingWarning, Row

OUT_OF_MEMORY = "out of memory"
"""The reply of a process that cannot go on."""

_LENGTHS = struct.Struct("<QQ")
_MODEL = (Document, Row, Block, Link, ReadingWarning)
_NAMES: dict[type, tuple[str, ...]] = {kind: tuple(field.name for field in fields(kind)) for kind in _MODEL}
_NAMES[Place] = Place._fields
_VALUES: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    **{kind: attrgetter(*names) for kind, names in _NAMES.items()},
    Place: tuple,
}


@dataclass(frozen=True, slots=True)
class SentError:
    """An error of ours as plain values: a third party's own class travels as the nearest one of our tree."""

    kind: str
    code: str
    message: str
    suggestion: str
    candidates: tuple[str, ...]

    @classmethod
    def of(cls, error: GlassdexError) -> Self:
        """What is sent of the error."""
        kind = next(kind for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
        candidates = tuple(str(candidate) for candidate in error.candidates)
        return cls(kind.__name__, str(error.code), str(error.message), str(error.suggestion), candidates)

    def restored(self) -> GlassdexError:
        """The error again, under the code that it had."""
        error = getattr(errors, self.kind)(self.message, self.suggestion, self.candidates)
        assert isinstance(error, GlassdexError)
        if error.code != self.code:
            error.code = self.code
        return error


def send(file: IO[bytes], message: object, payload: bytes = b"") -> None:
    """Writes one message; nothing is written when it cannot be pickled."""
    with _pickled(message) as pickled:
        file.write(_LENGTHS.pack(len(pickled), len(payload)))
        file.write(pickled)
    file.write(payload)
    file.flush()


def receive(file: IO[bytes]) -> tuple[bytes, bytes]:
    """The pickle and the payload of the next message; unpickling is left to the caller.

    Raises:
        EOFError: the other side is gone.
    """
    pickle_size, payload_size = _LENGTHS.unpack(_exactly(file, _LENGTHS.size))
    return _exactly(file, pickle_size), _exactly(file, payload_size)


def _exactly(file: IO[bytes], size: int) -> bytes:
    received = file.read(size)
    if len(received) < size:
        raise EOFError
    return received


def _pickled(message: object) -> memoryview:
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=5)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(message)
    return buffer.getbuffer()


def _reduced(item: object) -> tuple[Callable[..., object], tuple[object, ...]]:
    kind = type(item)
    return kind, tuple(_Columns.of(value) for value in _VALUES[kind](item))


class _Columns:
    """Several objects of one kind on their way; a tuple of them again where they arrive."""

    def __init__(self, kind: type, items: tuple[object, ...]) -> None:
        self._kind = kind
        self._items = items

    @staticmethod
    def of(value: object) -> object:
        if isinstance(value, tuple) and len(value) > 1:
            kind = type(value[0])
            if kind in _NAMES and set(map(type, value)) == {kind}:
                return _Columns(kind, value)
        return value

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _from_columns, (self._kind, *zip(*map(_VALUES[self._kind], self._items), strict=True))


def _from_columns(kind: type, *columns: tuple[object, ...]) -> tuple[object, ...]:
    if kind is Place:
        return tuple(map(Place._make, zip(*columns, strict=True)))
    # Slot by slot, as pickle itself restores a frozen dataclass: its constructor would cost three times as much.
    items: tuple[object, ...] = tuple(map(object.__new__, [kind] * len(columns[0])))
    for name, column in zip(_NAMES[kind], columns, strict=True):
        deque(map(getattr(kind, name).__set__, items, column), maxlen=0)
    return items


_REDUCERS = {**copyreg.dispatch_table, **dict.fromkeys(_MODEL, _reduced)}
