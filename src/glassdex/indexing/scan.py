"""Root folder → the files that may be documents, and every other one with the reason why it is none.

Nothing is read here but ignore files. Symbolic links are not followed: what they point at inside the root is found
under its own name, and what lies outside is nobody's business.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from glassdex.indexing.ignore import IgnoreRules, default_rules, folder_rules, ignoring_rule
from glassdex.model import FileStat
from glassdex.reading.files import file_stat
from glassdex.reading.protocol import LINE_SUFFIXES, Limits
from glassdex.settings import home
from glassdex.storage.names import document_path, printable
from glassdex.storage.records import RootRecord, SkippedRecord

_OWN_FOLDERS = ("projects", "demo")
"""What Glassdex makes in its home."""
_REASONS = {
    "ignored": "left out by a rule",
    "own_data": "Glassdex's own data",
    "symlink": "symbolic link",
    "symlink_outside_root": "symbolic link out of the root folder",
    "not_a_regular_file": "not a regular file",
    "no_reader": "no reader for its format",
    "no_transcript": "no transcript",
}


def in_words(reason: str) -> str:
    """Why a file was left out, for people; the code says it where it is made of words."""
    return _REASONS.get(reason, reason.replace("_", " "))


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A regular file: its absolute path, its path in the root as the file system has it, and as people write it."""

    absolute: str
    raw_path: bytes
    path: str
    stat: FileStat


def too_large(path: str, size: int, limit: int) -> SkippedRecord | None:
    """Leaves a file out that has more bytes than the limit."""
    return SkippedRecord(path, "too_large", f"{size:,} bytes, the limit is {limit:,}") if size > limit else None


@dataclass(slots=True)
class Scan:
    """One walk over a root; the lists fill while `files()` is consumed."""

    root: RootRecord
    max_bytes: int
    skipped: list[SkippedRecord] = field(default_factory=list)
    unreadable_folders: list[bytes] = field(default_factory=list)
    """Raw paths ending in '/', empty for the root itself: what lay below them is unknown, not gone."""
    unreadable_files: set[bytes] = field(default_factory=set)
    """Raw paths whose stat failed: not gone either."""
    _own_data: frozenset[str] = field(
        default_factory=lambda: frozenset(os.path.realpath(home() / name) for name in _OWN_FOLDERS)
    )

    def files(self) -> Iterator[FoundFile]:
        """Every regular file that no rule leaves out, in the order of the sorted tree."""
        # A stack of its own: folders may be nested deeper than Python calls.
        stack = [self._listed(self.root.path, "", [default_rules()])]
        while stack:
            entries, base, rules = stack[-1]
            entry = next(entries, None)
            if entry is None:
                stack.pop()
            elif not entry.is_dir(follow_symlinks=False):
                found = self._inspect(entry, base + entry.name, rules)
                if found:
                    yield found
            else:
                path = base + entry.name + "/"
                rule = ignoring_rule(path, rules)
                if rule:
                    self._skip(path, "ignored", rule)
                elif self._is_own_data(entry):
                    self._skip(path, "own_data", "")
                else:
                    stack.append(self._listed(entry.path, path, rules))

    def _listed(
        self, folder: str, base: str, rules: list[IgnoreRules]
    ) -> tuple[Iterator[os.DirEntry[str]], str, list[IgnoreRules]]:
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self._skip(base or "./", "unreadable_folder", error.strerror or str(error))
            self.unreadable_folders.append(os.fsencode(base))
            return iter(()), base, rules
        return iter(entries), base, rules + folder_rules(folder, base)

    def _is_own_data(self, entry: os.DirEntry[str]) -> bool:
        """Whether Glassdex keeps its stores or the demo there; a root inside such a folder, as the demo's, is read."""
        return entry.name in _OWN_FOLDERS and os.path.realpath(entry.path) in self._own_data

    def _inspect(self, entry: os.DirEntry[str], path: str, rules: list[IgnoreRules]) -> FoundFile | None:
        rule = ignoring_rule(path, rules)
        if rule:
            self._skip(path, "ignored", rule)
            return None
        if entry.is_symlink():
            self._skip(path, *self._describe_link(entry.path))
            return None
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._skip(path, "unreadable", error.strerror or str(error))
            self.unreadable_files.add(os.fsencode(path))
            return None
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, "not_a_regular_file", "")
            return None
        # Lines may be a transcript's, which is read bit by bit; whoever reads them knows.
        limit = Limits().transcript_bytes if path.lower().endswith(LINE_SUFFIXES) else self.max_bytes
        refused = too_large(path, status.st_size, limit)
        if refused:
            self._skip(path, refused.reason, refused.detail)
            return None
        return FoundFile(entry.path, os.fsencode(path), document_path(self.root, path), file_stat(status))

    def _describe_link(self, path: str) -> tuple[str, str]:
        target = os.path.realpath(path)
        inside = os.path.commonpath([target, os.path.realpath(self.root.path)]) == os.path.realpath(self.root.path)
        return ("symlink", "its target is indexed under its own name") if inside else ("symlink_outside_root", "")

    def _skip(self, path: str, reason: str, detail: str) -> None:
        self.skipped.append(SkippedRecord(document_path(self.root, path), reason, printable(detail)))
