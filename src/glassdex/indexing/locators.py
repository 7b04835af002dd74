"""Bringing the places in a store to the present version, from what is stored: a few documents a transaction."""

from __future__ import annotations

from glassdex.storage.sqlite import SqliteStore

DOCUMENTS_AT_ONCE = 100


def upgrade_places(store: SqliteStore) -> int:
    """Locates every row and chunk of an older version again; returns how many. The writer lock must be held.

    It may be interrupted anywhere and goes on from there the next time; with nothing to do it changes nothing.
    """
    done = 0
    while True:
        with store.write() as writer:
            located = writer.relocate(DOCUMENTS_AT_ONCE)
        if not located:
            return done
        done += located
