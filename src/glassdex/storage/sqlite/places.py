"""Locators as columns, and the places that they were made from as one small blob a document."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from glassdex.locators import Extent, Sheet
from glassdex.model import Locator, Place

_COLUMNS = Locator._fields
_PLACE_FIELDS = Place._fields
LOCATOR_COLUMNS = ", ".join(_COLUMNS)
LOCATOR_MARKS = ", ".join("?" * len(_COLUMNS))


def sql_text(text: str | None) -> str | None:
    """The text without lone surrogates, which SQLite's UTF-8 has not; a name may have one, a decoded file never."""
    return text if text is None or text.isascii() else text.encode("utf-8", "replace").decode()


def locator_columns(table: str) -> str:
    """The columns of `table` that `locator_of` reads, in its order."""
    return ", ".join(f"{table}.{name}" for name in _COLUMNS)


def locator_assignments() -> str:
    """`SET` of every column of a locator, in the order of `locator_values`."""
    return ", ".join(f"{name} = ?" for name in _COLUMNS)


def locator_values(locator: Locator) -> tuple[object, ...]:
    """What stands in `LOCATOR_COLUMNS`."""
    if locator.sheet is None and locator.page_label is None:
        return locator
    return locator._replace(sheet=sql_text(locator.sheet), page_label=sql_text(locator.page_label))


def locator_of(values: Sequence[object]) -> Locator:
    """The locator of a row of `locator_columns`."""
    located = Locator._make(values)
    return located._replace(hidden=True) if located.hidden else located


def pack_places(places: Iterable[Place]) -> bytes | None:
    """The places column by column, compressed; none for a document whose places are its lines."""
    rows = list(places)
    if not rows:
        return None
    columns = zip(_PLACE_FIELDS, zip(*rows, strict=True), strict=True)
    kept = {name: values for name, values in columns if name in ("start", "end") or set(values) - {None, False}}
    return zlib.compress(json.dumps(kept).encode(), 1)


def unpack_places(packed: bytes | None) -> tuple[Place, ...]:
    """What `pack_places` packed; a field that this version does not know is left out."""
    if packed is None:
        return ()
    columns = {name: values for name, values in json.loads(zlib.decompress(packed)).items() if name in _PLACE_FIELDS}
    return tuple(Place(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True))


def pack_extent(extent: Extent) -> str:
    """As JSON, without what is absent; names are spelled as in `LOCATOR_COLUMNS`."""
    stored = {name: value for name, value in asdict(extent).items() if value}
    return json.dumps(stored, ensure_ascii=False).encode("utf-8", "replace").decode()


def unpack_extent(packed: str) -> Extent:
    """What `pack_extent` packed."""
    stored = json.loads(packed)
    labels = stored.pop("page_labels", None)
    sheets = tuple(Sheet(**sheet) for sheet in stored.pop("sheets", ()))
    return Extent(**stored, sheets=sheets, page_labels=None if labels is None else tuple(labels))
