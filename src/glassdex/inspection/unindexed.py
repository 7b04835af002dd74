"""The lowest rungs: whether the file is on disk, left out by a rule, and could be read.

Looks at the disk by the rules of the scan, since what is not indexed is in no table.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from glassdex.errors import DocumentAmbiguous
from glassdex.indexing.ignore import default_rules, folder_rules, ignoring_rule
from glassdex.indexing.scan import Scan, in_words
from glassdex.inspection.ladder import Proposal, Rung, advice, literal_pattern
from glassdex.inspection.remedies import remedy
from glassdex.model import folded_name
from glassdex.search.freshness import absolute_path, lies_in_root
from glassdex.storage.names import MAX_CANDIDATES, is_called, path_in_project
from glassdex.storage.records import FileRecord, RootRecord, SkippedRecord
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

READING_REASONS = frozenset({"binary", "no_reader"})
"""Why a file is skipped once its bytes have been looked at."""


@dataclass(frozen=True, slots=True)
class Unindexed:
    """A file that is no document of the index: the rungs it passed and failed, and what could be done."""

    path: str
    rungs: tuple[Rung, ...]
    proposals: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True)
class _Sighting:
    root: RootRecord
    path: str
    skipped: SkippedRecord | None


def inspect_unindexed(snapshot: SqliteSnapshot, reference: str, near: Sequence[str], max_bytes: int) -> Unindexed:
    """Looks for the file below every root; `near` are the documents that may have been meant.

    Raises:
        DocumentAmbiguous: several files could be meant; the candidates are their paths.
    """
    roots = snapshot.roots()
    wanted = path_in_project(roots, reference)
    sightings = _sightings(roots, wanted, max_bytes)
    if len(sightings) > 1:
        candidates = sorted(sighting.path for sighting in sightings)
        raise DocumentAmbiguous(
            f"{reference!r} names {len(sightings)} files", "give more of the path", candidates[:MAX_CANDIDATES]
        )
    if not sightings:
        return _absent(wanted, roots, near, snapshot.file(wanted))
    sighting = sightings[0]
    if sighting.skipped is not None and sighting.skipped.reason == "ignored":
        return _ignored(sighting.path, sighting.root, sighting.skipped)
    refused = [s for s in snapshot.skipped() if s.path == sighting.path and s.reason in READING_REASONS]
    skipped = sighting.skipped or (refused[0] if refused else None)
    return _present(sighting.path, skipped, snapshot.file(sighting.path))


def on_disk(root: RootRecord, file: FileRecord) -> bool:
    """Whether the name is there now, readable or not; where nobody may look, it is not said to be gone."""
    try:
        os.lstat(absolute_path(root, file))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def ignoring(root: RootRecord, raw_path: bytes) -> str | None:
    """The rule that leaves a file out as the ignore files are now, if one does."""
    rules, folder, base = [default_rules()], root.path, ""
    *folders, name = os.fsdecode(raw_path).split("/")
    for part in folders:
        rules += folder_rules(folder, base)
        rule = ignoring_rule(f"{base}{part}/", rules)
        if rule:
            return f"{rule} leaves out {base}{part}/"
        folder, base = os.path.join(folder, part), f"{base}{part}/"  # noqa: PTH118 - may hold undecodable bytes
    return ignoring_rule(base + name, rules + folder_rules(folder, base))


def _sightings(roots: Sequence[RootRecord], wanted: str, max_bytes: int) -> list[_Sighting]:
    """The files of exactly that path; without one, those of that name."""
    found: list[_Sighting] = []
    for root in roots:
        scan = Scan(root, max_bytes)
        found += [_Sighting(root, file.path, None) for file in scan.files()]
        found += [_Sighting(root, skipped.path, skipped) for skipped in scan.skipped]
        found += [_Sighting(root, wanted, folder) for folder in scan.skipped if _is_inside(root, folder, wanted)]
    folded = folded_name(wanted)
    exact = [sighting for sighting in found if sighting.path.rstrip("/") == wanted.rstrip("/")]
    return exact or [sighting for sighting in found if is_called("/" + folded_name(sighting.path), folded)]


def _is_inside(root: RootRecord, skipped: SkippedRecord, wanted: str) -> bool:
    """Whether the wanted file is there, below a folder that the scan did not enter."""
    if not skipped.path.endswith("/") or not wanted.startswith(skipped.path) or wanted == skipped.path:
        return False
    inside = wanted.removeprefix(f"{root.label}/") if root.label else wanted
    path = os.path.join(root.path, inside)  # noqa: PTH118
    # Neither `..` nor a link leads out of the root: what is there beyond is not said.
    return ".." not in inside.split("/") and "\0" not in inside and lies_in_root(root, path) and os.path.lexists(path)


def _absent(wanted: str, roots: Sequence[RootRecord], near: Sequence[str], known: FileRecord | None) -> Unindexed:
    where = ", ".join(root.path for root in roots)
    detail = f"there is no file {wanted} below {where}"
    if known is not None:
        detail += "; it was there when the project was last indexed"
    proposals = [advice(f"did you mean {path}?") for path in near]
    return Unindexed(wanted, (Rung("on disk", False, detail),), tuple(proposals))


def _ignored(path: str, root: RootRecord, skipped: SkippedRecord) -> Unindexed:
    """What an ignore file took away, the strongest ignore file beside that one gives back."""
    rule, _, source = skipped.detail.rpartition(" in ")
    folder = source.rpartition("/")[0] + "/" if "/" in source else ""
    inside = skipped.path.removeprefix(f"{root.label}/" if root.label else "").removeprefix(folder)
    change = f"add the line !/{literal_pattern(inside)} to {folder}.glassdexignore, then: glassdex index"
    failed = Rung("not ignored", False, f"left out by the rule {rule} in {source}")
    return Unindexed(path, (_ON_DISK, failed, _NOT_INDEXED), (advice(change),))


def _present(path: str, skipped: SkippedRecord | None, known: FileRecord | None) -> Unindexed:
    rungs = (_ON_DISK, Rung("not ignored", True, "no rule leaves it out"))
    if skipped is not None:
        detail = in_words(skipped.reason) + (f": {skipped.detail}" if skipped.detail else "")
        return Unindexed(path, (*rungs, Rung("read", False, f"skipped, {detail}"), _NOT_INDEXED), ())
    if known is not None and known.error_code:
        failed = Rung("read", False, f"{known.error_code}: {known.error_message}")
        return Unindexed(
            path, (*rungs, failed, _NOT_INDEXED), (advice(f"{remedy(known.error_code)}, then: glassdex index"),)
        )
    new = Rung("read", None, "nobody has read it yet: it is new since the project was indexed")
    return Unindexed(path, (*rungs, new, _NOT_INDEXED), (advice("index it: glassdex index"),))


_ON_DISK = Rung("on disk", True, "the file is there")
_NOT_INDEXED = Rung("indexed", False, "the index has no document of this path")
