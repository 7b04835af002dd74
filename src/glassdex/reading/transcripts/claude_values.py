"""Members of records that may be any JSON, as the kind of value that is wanted or as an empty one."""

from __future__ import annotations

from glassdex.model import Json

_MOST_ID_CHARACTERS = 200


def object_of(value: Json) -> dict[str, Json]:
    """An object's members."""
    return value if isinstance(value, dict) else {}


def text_of(value: Json) -> str:
    """A string."""
    return value if isinstance(value, str) else ""


def id_of(value: Json) -> str:
    """An id or a name; what is much longer is none."""
    return value if isinstance(value, str) and len(value) <= _MOST_ID_CHARACTERS else ""


def strings_of(value: Json) -> dict[str, str]:
    """Those members of an object that are strings."""
    return {name: member for name, member in object_of(value).items() if isinstance(member, str)}
