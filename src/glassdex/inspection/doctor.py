"""What is wrong with a project, how bad it is, and the command that mends it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from glassdex import chunking
from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.embedding.shipped import verify_shipped_files
from glassdex.errors import EmbeddingError
from glassdex.indexing.scan import Scan
from glassdex.reading.registry import broken_readers, reader_identity, readers
from glassdex.search.freshness import absolute_path, cheap_freshness
from glassdex.storage.records import FileRecord, RootRecord
from glassdex.storage.sqlite import checkup
from glassdex.storage.sqlite.snapshot import SqliteSnapshot

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
MAX_EXAMPLES = 5
SPECIAL_TOKENS = 2
"""What a model puts around a text, within its token limit."""
NON_LATIN_SHARE = 0.5
"""Of a document's letters, above which the English model does not know its script."""
FOREIGN_SHARE = 0.1
"""Of the documents, above which such ones are worth a warning."""
EXACT_MS_PER_FLOAT = 6.0 / (100_000 * 384)
"""Measured, docs/benchmarks.md: the product of 100,000 vectors of 384 dimensions with a query."""
EXACT_LIMIT_MS = 50.0

_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\ufb00-\ufb06]")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing. `error`: answers are missing or wrong; `warning`: there is something to do; `note`: good to know.

    `count` counts what `message` speaks of. `examples` are the first few of them. `command` is what mends it, absent
    where no command does.
    """

    code: str
    severity: Severity
    count: int
    message: str
    remedy: str
    command: str | None = None
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All findings, the worst first; `healthy` when there is nothing above a note."""

    project: str
    documents: int
    chunks: int
    store_bytes: int
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to do."""
        return all(finding.severity == "note" for finding in self.findings)


def diagnose(
    snapshot: SqliteSnapshot,
    *,
    project: str,
    embedding_identity: EmbeddingIdentity,
    lexical_identity: str,
    max_bytes: int,
) -> Diagnosis:
    """Reads the whole store and looks at every file; `max_bytes` is the size up to which a file is indexed."""
    patient = _Patient(snapshot, project, embedding_identity, lexical_identity, max_bytes)
    findings = [*_damage(patient)]
    if not findings:  # nothing that a damaged file says of itself can be relied on
        findings = [
            *_installation(),
            *_files(patient),
            *_index(patient),
            *_vectors(patient),
            *_content(patient),
            *_size(patient),
        ]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    counted = snapshot.counts()
    return Diagnosis(project, counted.documents, counted.chunks, counted.store_bytes, tuple(findings))


class _Patient:
    """What the examinations look at."""

    def __init__(
        self,
        snapshot: SqliteSnapshot,
        project: str,
        embedding_identity: EmbeddingIdentity,
        lexical_identity: str,
        max_bytes: int,
    ) -> None:
        self.snapshot = snapshot
        self.project = project
        self.embedding_identity = embedding_identity
        self.lexical_identity = lexical_identity
        self.max_bytes = max_bytes
        self.roots = snapshot.roots()
        self.index = f"glassdex index --project {project}"


def _damage(patient: _Patient) -> Iterator[Finding]:
    complaints = checkup.complaints(patient.snapshot)
    if complaints:
        roots = " ".join(shlex.quote(root.path) for root in patient.roots[:1])
        yield Finding(
            "store_damaged",
            "error",
            len(complaints),
            "the store's file is damaged",
            "build the index anew; your own files are not touched",
            f"glassdex projects remove {patient.project} --yes && glassdex index {roots} --project {patient.project}",
            tuple(complaints[:MAX_EXAMPLES]),
        )


def _installation() -> Iterator[Finding]:
    try:
        damaged = verify_shipped_files()
    except EmbeddingError as error:
        damaged = [error.message]
    if damaged:
        yield Finding(
            "model_damaged",
            "error",
            len(damaged),
            "files of the shipped embedding model are damaged or missing",
            "reinstall the package",
            "pip install --force-reinstall glassdex",
            tuple(damaged),
        )
    broken = broken_readers()
    if broken:
        yield Finding(
            "broken_readers",
            "warning",
            len(broken),
            f"{_count(len(broken), 'installed reader')} not usable",
            "upgrade or uninstall the package that each comes from",
            examples=_first(f"{reader.entry_point}: {reader.reason}" for reader in broken),
        )


def _files(patient: _Patient) -> Iterator[Finding]:
    present: list[RootRecord] = []
    lost: list[RootRecord] = []
    for root in patient.roots:
        (present if os.path.isdir(root.path) else lost).append(root)  # noqa: PTH112
    for root in lost:
        yield Finding(
            "root_missing",
            "error",
            1,
            f"the root folder {root.path} is not there",
            "mount it, or say where it is now",
            f"glassdex projects relocate {patient.project} FOLDER --from {shlex.quote(root.path)}",
        )
    yield from _stale(patient, {root.id: root for root in present})
    yield from _new(patient, present)
    yield from _failed(patient)
    yield from _odd(patient)


def _stale(patient: _Patient, roots: dict[int, RootRecord]) -> Iterator[Finding]:
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
            (unreadable if _is_there(roots[file.root_id], file) else gone).append(file.path)
    for code, paths, what in (
        ("stale_files", changed, "changed since the last run"),
        ("missing_files", gone, "deleted since the last run, and still answering"),
    ):
        if paths:
            message = f"{_count(len(paths), 'file')} {what}"
            yield Finding(code, "warning", len(paths), message, "index again", patient.index, _first(paths))
    if unreadable:
        message = f"{_count(len(unreadable), 'indexed file')} not readable any more"
        remedy = "restore the right to read"
        yield Finding("unreadable_files", "warning", len(unreadable), message, remedy, examples=_first(unreadable))


def _is_there(root: RootRecord, file: FileRecord) -> bool:
    return os.path.lexists(absolute_path(root, file))


def _new(patient: _Patient, roots: Sequence[RootRecord]) -> Iterator[Finding]:
    known = {(file.root_id, file.raw_path) for file in patient.snapshot.files()}
    left_out = {skipped.path for skipped in patient.snapshot.skipped()}
    new = [
        file.path
        for root in roots
        for file in Scan(root, patient.max_bytes).files()
        if (root.id, file.raw_path) not in known and file.path not in left_out
    ]
    if new:
        message = f"{_count(len(new), 'file')} not read yet"
        yield Finding("new_files", "warning", len(new), message, "index again", patient.index, _first(new))


def _failed(patient: _Patient) -> Iterator[Finding]:
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
            f"{_count(len(files), 'file')} with an error: {reason.replace('_', ' ')}{older}",
            "mend the files, then index again",
            patient.index,
            _first(f"{file.path}: {file.error_message}" if file.error_message else file.path for file in files),
        )


def _odd(patient: _Patient) -> Iterator[Finding]:
    by_code: dict[str, list[str]] = {}
    for path, warning in patient.snapshot.reading_warnings():
        line = f", line {warning.line}" if warning.line else ""
        by_code.setdefault(warning.code, []).append(f"{path}{line}: {warning.message}")
    for code, examples in sorted(by_code.items()):
        message = f"{_count(len(examples), 'place')} read in spite of something odd: {code.replace('_', ' ')}"
        remedy = "mend them where the guess is wrong"
        yield Finding("odd_files", "warning", len(examples), message, remedy, examples=_first(examples))


def _index(patient: _Patient) -> Iterator[Finding]:
    installed = {reader_identity(reader) for reader in readers()}
    current = (chunking.IDENTITY, patient.lexical_identity)
    behind = [
        file.path
        for file in patient.snapshot.files()
        if file.rows_hash is not None
        and ((file.chunker, file.lexical_identity) != current or file.reader not in installed)
    ]
    lacking, orphans = checkup.without_entry(patient.snapshot), checkup.orphaned_entries(patient.snapshot)
    if behind:
        message = f"{_count(len(behind), 'document')} indexed by other rules than the installed ones"
        yield Finding("index_behind", "warning", len(behind), message, "index again", patient.index, _first(behind))
    if lacking.chunks:
        message = f"{_count(lacking.chunks, 'chunk')} missing in the lexical index: not to be found by words"
        yield Finding(
            "postings_missing", "error", lacking.chunks, message, "index again", patient.index, _first(lacking.paths)
        )
    if orphans:
        message = f"the lexical index has {_count(orphans, 'entry', 'entries')} of chunks that are gone"
        yield Finding("postings_orphaned", "error", orphans, message, "index again", patient.index)


def _vectors(patient: _Patient) -> Iterator[Finding]:
    ready, pending, other = patient.snapshot.readiness()
    active, own = patient.snapshot.meta("embedding_identity"), patient.embedding_identity.key
    if active != own:
        pending, other = ready + pending, ready
    elif (gone := checkup.without_vector(patient.snapshot)).chunks:
        message = f"{_count(gone.chunks, 'vector')} lost that the manifest calls ready"
        paths = _first(gone.paths)
        yield Finding("vectors_missing", "error", gone.chunks, message, "index again", patient.index, paths)
    if other:
        message = f"{_count(other, 'chunk')} with a vector of another model only; the active one is {own}"
        remedy = "index again; until then the old vectors answer with --identity previous"
        yield Finding("other_identity", "warning", other, message, remedy, patient.index)
    if pending > other:
        message = f"{_count(pending - other, 'chunk')} without a vector yet: not to be found by meaning"
        yield Finding("pending_embeddings", "warning", pending - other, message, "index again", patient.index)
    limit = patient.embedding_identity.token_limit
    if limit and (cut := checkup.longer_than(patient.snapshot, limit - SPECIAL_TOKENS)).chunks:
        message = f"{_count(cut.chunks, 'chunk')} longer than the model reads: their ends have no meaning for it"
        remedy = f"use a model that reads more than {limit} tokens"
        yield Finding("chunks_truncated", "warning", cut.chunks, message, remedy, examples=_first(cut.paths))


def _content(patient: _Patient) -> Iterator[Finding]:
    yield from _language(patient)
    same = checkup.same_content(patient.snapshot)
    if same:
        surplus = sum(len(group) - 1 for group in same)
        yield Finding(
            "duplicate_content",
            "warning",
            surplus,
            f"{_count(surplus, 'document')} repeating another one byte for byte",
            "delete the copies, or name them in .glassdexignore",
            examples=_first(" = ".join(group[:MAX_EXAMPLES]) for group in same),
        )
    titles = checkup.same_title(patient.snapshot)
    if titles:
        yield Finding(
            "duplicate_titles",
            "note",
            len(titles),
            f"{_count(len(titles), 'title')} shared by several documents",
            "name such a document by its path",
            examples=_first(" · ".join(group[:MAX_EXAMPLES]) for group in titles),
        )
    full = checkup.longer_than(patient.snapshot, chunking.MAX_TOKENS - 2 * chunking.SPARE_TOKENS)
    if full.chunks:
        yield Finding(
            "chunks_at_token_limit",
            "note",
            full.chunks,
            f"{_count(full.chunks, 'chunk')} at the limit of {chunking.MAX_TOKENS} tokens: a thought may be cut",
            "paragraphs and headings give better places to cut",
            examples=_first(full.paths),
        )


def _language(patient: _Patient) -> Iterator[Finding]:
    if patient.embedding_identity != MiniLmEmbedder().identity:
        return
    letters: dict[str, list[int]] = {}
    for path, text in checkup.texts(patient.snapshot):
        counted = letters.setdefault(path, [0, 0])
        every = len(_LETTER.findall(text))
        counted[0] += every
        counted[1] += every if text.isascii() else len(_LATIN.findall(text))
    foreign = [path for path, (every, latin) in letters.items() if every - latin > NON_LATIN_SHARE * every]
    if foreign:
        message = f"{_count(len(foreign), 'document')} mostly in a script that the English model does not know"
        remedy = "search by meaning is near random there; search by words works"
        yield Finding(
            "language_mismatch",
            "warning" if len(foreign) > FOREIGN_SHARE * len(letters) else "note",
            len(foreign),
            message,
            remedy,
            f"glassdex search --project {patient.project} --mode lexical WORDS",
            _first(foreign),
        )


def _size(patient: _Patient) -> Iterator[Finding]:
    counts, dimensions = patient.snapshot.counts(), patient.embedding_identity.dimensions
    if not counts.chunks:
        message, remedy = "the project has no chunks", "put notes into its folders, then index again"
        yield Finding("index_empty", "warning", 0, message, remedy, patient.index)
        return
    milliseconds = counts.chunks * dimensions * EXACT_MS_PER_FLOAT
    fits = milliseconds <= EXACT_LIMIT_MS
    yield Finding(
        "index_size",
        "note" if fits else "warning",
        counts.chunks,
        f"{counts.chunks:,} chunks, {counts.store_bytes / 1e6:.1f} MB; exact vector search takes about"
        f" {max(milliseconds, 0.1):.1f} ms of a query",
        "SQLite with exact vectors fits this size" if fits else "narrow searches with --path, or make several projects",
    )


def _first(examples: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(examples, MAX_EXAMPLES))


def _count(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
