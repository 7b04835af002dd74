"""The inside of `[[Target#Heading|label]]`."""

from __future__ import annotations


def split_wikilink(inner: str) -> tuple[str, str | None]:
    r"""Target (a `#Heading` stays part of it) and label of what stands between the brackets.

    In a table the bar is written `\|`; the backslash belongs to neither.
    """
    target, _, label = inner.partition("|")
    return " ".join(target.removesuffix("\\").split()), " ".join(label.split()) or None
