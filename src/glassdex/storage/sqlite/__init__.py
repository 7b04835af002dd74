"""The store on SQLite: one file per project, or one in memory."""

from glassdex.storage.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
