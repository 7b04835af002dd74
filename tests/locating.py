"""Places of a text in any order that readers may give them, and where a span stands, character by character."""

from __future__ import annotations

from hypothesis import strategies as st

from glassdex.model import Locator, Place

numbers = st.none() | st.integers(1, 120)
names = st.none() | st.text(max_size=4)


@st.composite
def located_places(draw: st.DrawFn) -> list[Place]:
    """Ascending places that do not overlap, with separators between some of them and some of them blank."""
    position, places = draw(st.integers(0, 2)), []
    for _ in range(draw(st.integers(1, 12))):
        start = position
        position = start + draw(st.integers(0, 4))
        places.append(
            Place(
                start, position,
                page=draw(numbers), page_label=draw(names), sheet=draw(names), row=draw(numbers),
                slide=draw(numbers), record=draw(numbers), line_start=draw(numbers), line_end=draw(numbers),
                hidden=draw(st.booleans()),
            )
        )  # fmt: skip
        position += draw(st.integers(0, 2))
    return places


def reference_locator(places: list[Place], start: int, end: int) -> Locator:
    """Where `[start, end)` stands, asking of each of its characters in which place it is."""
    touched: list[Place] = []
    for offset in range(start, end):
        touched += [place for place in places if place.start <= offset < place.end and place not in touched]
    if not touched:
        touched = [place for place in places if place.start <= start][-1:] or places[:1]
    first = touched[0]
    pages = [place.page for place in touched if place.page]
    rows = [place.row for place in touched if place.row]
    line_starts = [place.line_start for place in touched if place.line_start]
    line_ends = [place.line_end for place in touched if place.line_end]
    return Locator(
        line_start=min(line_starts) if line_starts else None,
        line_end=max(line_ends) if line_ends else None,
        page_start=min(pages) if pages else None,
        page_end=max(pages) if pages else None,
        page_label=first.page_label,
        sheet=first.sheet,
        row_start=min(rows) if rows else None,
        row_end=max(rows) if rows else None,
        slide=first.slide,
        record=first.record,
        hidden=first.hidden,
    )
