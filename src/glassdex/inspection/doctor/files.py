"""Whether the files agree with what was read of them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from glassdex.indexing.scan import Scan
from glassdex.inspection.doctor.findings import Finding, Severity, first
from glassdex.inspection.doctor.patient import Patient
from glassdex.inspection.remedies import remedy
from glassdex.inspection.unindexed import on_disk
from glassdex.search.freshness import cheap_freshness
from glassdex.storage.records import FileRecord, RootRecord
from glassdex.storage.sqlite import checkup
from glassdex.wording import counted

_USUAL = ("running_lines",)
"""What reading leaves out of sound files: headers, footers and page numbers."""


def files(patient: Patient) -> Iterator[Finding]:
    """Files that changed, went, came, failed or are odd, root by root."""
    yield from _rootless(patient)
    yield from absent_roots(patient)
    present = [root for root in patient.roots if root not in patient.absent]
    yield from _stale(patient, {root.id: root for root in present})
    yield from _new(patient, present)
    yield from _failed(patient)
    yield from _odd(patient)


def absent_roots(patient: Patient) -> Iterator[Finding]:
    """Root folders that are not there now."""
    for root in patient.absent:
        yield Finding(
            "root_missing",
            "error",
            1,
            f"the root folder {root.path} is not there",
            "mount it, or say where it is now",
            f"glassdex projects relocate {patient.project} FOLDER --from {shlex.quote(root.path)}",
        )


def _rootless(patient: Patient) -> Iterator[Finding]:
    rootless = checkup.rootless_files(patient.snapshot)
    if patient.roots and not rootless:
        return
    message = (
        f"{counted(len(rootless), 'file')} of a root folder that the store does not know any more"
        if rootless
        else "the project has no root folder"
    )
    command = f"glassdex index FOLDER --project {patient.project}"
    yield Finding("root_unknown", "error", len(rootless), message, "name the folder again", command, first(rootless))


def _stale(patient: Patient, roots: dict[int, RootRecord]) -> Iterator[Finding]:
    changed: list[str] = []
    gone: list[str] = []
    unreadable: list[str] = []
    for file in patient.snapshot.files():
        if file.root_id not in roots or file.write_status != "settled":
            continue
        state = cheap_freshness(roots[file.root_id], file, index_current=True).state
        if state == "rows_behind_file":
            changed.append(file.path)
        elif state == "unknown":
            (unreadable if on_disk(roots[file.root_id], file) else gone).append(file.path)
    for code, paths, what in (
        ("stale_files", changed, "changed since the last run"),
        ("missing_files", gone, "deleted since the last run, and still answering"),
    ):
        if paths:
            message = f"{counted(len(paths), 'file')} {what}"
            yield Finding(code, "warning", len(paths), message, "index again", patient.index, first(paths))
    if unreadable:
        message = f"{counted(len(unreadable), 'indexed file')} not readable any more"
        remedy = "restore the right to read"
        yield Finding("unreadable_files", "warning", len(unreadable), message, remedy, examples=first(unreadable))


def _new(patient: Patient, roots: Sequence[RootRecord]) -> Iterator[Finding]:
    known = {(file.root_id, file.raw_path) for file in patient.snapshot.files()}
    left_out = {skipped.path for skipped in patient.snapshot.skipped()}
    new = [
        file.path
        for root in roots
        for file in Scan(root, patient.max_bytes).files()
        if (root.id, file.raw_path) not in known and file.path not in left_out
    ]
    if new:
        message = f"{counted(len(new), 'file')} not read yet"
        yield Finding("new_files", "warning", len(new), message, "index again", patient.index, first(new))


def _failed(patient: Patient) -> Iterator[Finding]:
    by_reason: dict[str, list[FileRecord]] = {}
    for file in patient.snapshot.files():
        if file.write_status != "settled":
            by_reason.setdefault(file.error_code or "unfinished", []).append(file)
    for reason, files in sorted(by_reason.items()):
        kept = sum(file.rows_hash is not None for file in files)
        older = f", {kept} of them searchable in an older state" if kept else ""
        yield Finding(
            "failed_files",
            "warning",
            len(files),
            f"{counted(len(files), 'file')} with an error: {reason.replace('_', ' ')}{older}",
            f"{remedy(reason)}, then index again",
            f"{patient.index} --password PASSWORD" if reason == "password_required" else patient.index,
            first(f"{file.path}: {file.error_message}" if file.error_message else file.path for file in files),
        )


def _odd(patient: Patient) -> Iterator[Finding]:
    by_code: dict[str, list[str]] = {}
    for path, warning in patient.snapshot.reading_warnings():
        line = f", line {warning.line}" if warning.line else ""
        by_code.setdefault(warning.code, []).append(f"{path}{line}: {warning.message}")
    for code, examples in sorted(by_code.items()):
        message = f"{counted(len(examples), 'place')} read in spite of something odd: {code.replace('_', ' ')}"
        is_usual = code in _USUAL
        advice = "look whether anything is missed" if is_usual else "mend them where the guess is wrong"
        severity: Severity = "note" if is_usual else "warning"
        yield Finding("odd_files", severity, len(examples), message, advice, examples=first(examples))
