"""Every error that Glassdex raises on purpose, one tree.

GlassdexError
├── InputError                    the request cannot be answered as it stands (exit 2)
│   ├── ProjectNotFound           project_not_found
│   ├── ProjectExists             project_exists
│   ├── RootNotFound              root_not_found
│   ├── RootConflict              root_conflict
│   ├── DocumentNotFound          document_not_found
│   ├── DocumentAmbiguous         document_ambiguous
│   ├── DocumentRequired          document_required
│   ├── FilterNotApplicable       filter_not_applicable
│   ├── PageOutOfRange            page_out_of_range
│   ├── SheetNotFound             sheet_not_found
│   ├── ChunkNotFound             chunk_not_found
│   ├── VectorMissing             vector_missing
│   ├── InvalidPointer            invalid_pointer
│   ├── SessionNotFound           session_not_found
│   ├── SessionAmbiguous          session_ambiguous
│   ├── PointerNotInSession       pointer_not_in_session
│   ├── OffsetOutOfRange          offset_out_of_range
│   ├── CursorOutdated            cursor_outdated
│   ├── InvalidRange              invalid_range
│   ├── InvalidRequest            invalid_request
│   ├── JudgmentsInvalid          judgments_invalid
│   ├── RunInvalid                run_invalid
│   ├── TraceNotFound             trace_not_found
│   ├── IndexRunNotFound          index_run_not_found
│   ├── ToolNotFound              tool_not_found
│   └── InvalidSetting            invalid_setting
├── ReadError                     one file could not be read; recorded, never fatal to the rest
│   ├── UnsupportedEncoding       unsupported_encoding
│   ├── FileUnreadable            file_unreadable
│   ├── FileDamaged               file_damaged
│   ├── PasswordRequired          password_required
│   ├── NoTextLayer               no_text_layer
│   ├── LimitExceeded             limit_exceeded
│   └── FileChangedWhileReading   file_changed_while_reading
├── UnavailableError              something this machine or moment lacks (exit 3)
│   ├── StoreLocked               store_locked
│   ├── StoreTooNew               store_too_new
│   ├── StoreCorrupt              store_corrupt
│   ├── LocatorsBehind            locators_behind
│   ├── EmbeddingError            embedding_failed
│   ├── RerankError               rerank_failed
│   ├── RewriteError              rewrite_failed
│   ├── Busy                      busy
│   ├── BudgetExhausted           budget_exhausted
│   └── MissingExtra              missing_extra
└── InternalError                 internal_error

`code` is stable and meant for programs; `message` says what happened and with which value; `suggestion` says
what to do; `candidates` lists what could have been meant.
"""

from __future__ import annotations

from collections.abc import Sequence


class GlassdexError(Exception):
    """Base of the tree."""

    code = "error"

    def __init__(self, message: str, suggestion: str = "", candidates: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion
        self.candidates = tuple(candidates)


class InputError(GlassdexError):
    """The request cannot be answered as it stands."""

    code = "invalid_input"


class ProjectNotFound(InputError):
    """No project of that name, or none contains the current folder."""

    code = "project_not_found"


class ProjectExists(InputError):
    """A project of that name exists already."""

    code = "project_exists"


class RootNotFound(InputError):
    """A project's root folder is not there (moved, or a drive that is not mounted)."""

    code = "root_not_found"


class RootConflict(InputError):
    """A folder cannot become a root: another project holds it, or it holds another root."""

    code = "root_conflict"


class DocumentNotFound(InputError):
    """No document answers to that name."""

    code = "document_not_found"


class DocumentAmbiguous(InputError):
    """Several documents answer to that name."""

    code = "document_ambiguous"


class DocumentRequired(InputError):
    """A place was named, and several documents in scope have such places; the candidates are their paths."""

    code = "document_required"


class FilterNotApplicable(InputError):
    """The document's format has no such places; the candidates are the filters that it has places for."""

    code = "filter_not_applicable"


class PageOutOfRange(InputError):
    """The document does not reach so far."""

    code = "page_out_of_range"


class SheetNotFound(InputError):
    """The workbook has no sheet of that name; the candidates are its sheets."""

    code = "sheet_not_found"


class ChunkNotFound(InputError):
    """No chunk of the current index answers to that key or pointer."""

    code = "chunk_not_found"


class VectorMissing(InputError):
    """A chunk has no stored vector under the active embedding identity."""

    code = "vector_missing"


class InvalidPointer(InputError):
    """The text is not a pointer."""

    code = "invalid_pointer"


class SessionNotFound(InputError):
    """No conversation has that id, nor one that begins so."""

    code = "session_not_found"


class SessionAmbiguous(InputError):
    """Several conversations could be meant; `candidates` lists them."""

    code = "session_ambiguous"


class PointerNotInSession(InputError):
    """The pointer leads to no message of the conversation."""

    code = "pointer_not_in_session"


class OffsetOutOfRange(InputError):
    """The conversation has no message at that offset; the message gives the range."""

    code = "offset_out_of_range"


class CursorOutdated(InputError):
    """The conversation was changed before the place that the cursor stands for."""

    code = "cursor_outdated"


class InvalidRange(InputError):
    """A range is reversed, open where it may not be, or outside what exists."""

    code = "invalid_range"


class InvalidRequest(InputError):
    """A request holds a value outside its documented domain."""

    code = "invalid_request"


class JudgmentsInvalid(InputError):
    """A file of judgments cannot be read; the message names the file and the line or entry."""

    code = "judgments_invalid"


class RunInvalid(InputError):
    """A file is no saved run, or holds something that a run cannot have; the message names the file and the query."""

    code = "run_invalid"


class TraceNotFound(InputError):
    """A server keeps no trace of that id, or not any more."""

    code = "trace_not_found"


class IndexRunNotFound(InputError):
    """A server knows no indexing run of that id, or not any more."""

    code = "index_run_not_found"


class ToolNotFound(InputError):
    """An agent called a tool that there is not."""

    code = "tool_not_found"


class InvalidSetting(InputError):
    """A setting in the user's configuration is unknown or out of its domain."""

    code = "invalid_setting"


class ReadError(GlassdexError):
    """One file could not be read."""

    code = "read_failed"


class UnsupportedEncoding(ReadError):
    """The bytes are not UTF-8."""

    code = "unsupported_encoding"


class FileDamaged(ReadError):
    """The bytes are not what the file's format says they should be."""

    code = "file_damaged"


class PasswordRequired(ReadError):
    """The file is encrypted, and none of the passwords that are known opens it."""

    code = "password_required"


class NoTextLayer(ReadError):
    """No page of the file has text: it holds images of pages."""

    code = "no_text_layer"


class LimitExceeded(ReadError):
    """Reading the file would take more than the limit that the message names."""

    code = "limit_exceeded"


class FileUnreadable(ReadError):
    """The operating system refused the file."""

    code = "file_unreadable"


class FileChangedWhileReading(ReadError):
    """The file was being written each time it was read."""

    code = "file_changed_while_reading"


class UnavailableError(GlassdexError):
    """Something this machine or moment lacks."""

    code = "unavailable"


class StoreLocked(UnavailableError):
    """Another process is writing to the project."""

    code = "store_locked"


class StoreTooNew(UnavailableError):
    """The store was written by a newer Glassdex."""

    code = "store_too_new"


class StoreCorrupt(UnavailableError):
    """The store file is damaged or is not a Glassdex store."""

    code = "store_corrupt"


class LocatorsBehind(UnavailableError):
    """The store's places are of an older version; they are made again without reading a file."""

    code = "locators_behind"


class EmbeddingError(UnavailableError):
    """The embedding model could not be loaded, or gave vectors that cannot be used."""

    code = "embedding_failed"


class RerankError(UnavailableError):
    """The reranker could not be loaded or reached, or gave scores that cannot be used."""

    code = "rerank_failed"


class RewriteError(UnavailableError):
    """The rewriter could not be loaded or reached, or gave nothing that can be used."""

    code = "rewrite_failed"


class Busy(UnavailableError):
    """A server does as much of this as it may at once."""

    code = "busy"


class BudgetExhausted(UnavailableError):
    """A conversation with an agent has made all the searches that it may."""

    code = "budget_exhausted"


class MissingExtra(UnavailableError):
    """A feature needs an optional dependency that is not installed."""

    code = "missing_extra"


class InternalError(GlassdexError):
    """A fault of Glassdex itself: what the command line makes of an exception that nobody expected (exit 3)."""

    code = "internal_error"
