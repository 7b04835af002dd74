"""Files whose root folder somebody took out of the store: kept until a folder turns up that has them."""

from __future__ import annotations

import os

import apsw


def unused_root_id(connection: apsw.Connection) -> int:
    """A number that no root folder has, nor a file whose root folder is gone."""
    highest = "SELECT max(id) AS id FROM root UNION ALL SELECT max(root_id) FROM file WHERE typeof(root_id) = 'integer'"
    return 1 + int(connection.execute(f"SELECT ifnull(max(id), 0) FROM ({highest})").get)


def adopt(connection: apsw.Connection, root_id: int, folder: str) -> None:
    """Gives a root folder the files of each root that is gone, where most of them lie below that folder.

    A file that the folder is known to have is not that file: folders may hold files of the same name.
    """
    lost: dict[object, list[bytes]] = {}
    for gone, raw_path in connection.execute(
        "SELECT root_id, raw_path FROM file WHERE root_id NOT IN (SELECT id FROM root)"
    ):
        lost.setdefault(gone, []).append(raw_path if isinstance(raw_path, bytes) else b"")
    if not lost:
        return
    known = {row[0] for row in connection.execute("SELECT raw_path FROM file WHERE root_id = ?", (root_id,))}
    for gone, raw_paths in lost.items():
        there = sum(raw not in known and os.path.lexists(os.path.join(os.fsencode(folder), raw)) for raw in raw_paths)  # noqa: PTH118
        if 2 * there > len(raw_paths):
            connection.execute("UPDATE OR IGNORE file SET root_id = ? WHERE root_id IS ?", (root_id, gone))
