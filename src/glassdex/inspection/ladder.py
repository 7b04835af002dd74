"""What a why-not answer is made of: rungs, each with its number, and changes that would return the document."""

from __future__ import annotations

from dataclasses import dataclass

from glassdex.search.request import SearchRequest


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of the ladder; `passed` is absent where the step does not apply to this search."""

    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that would return the document.

    `changes` is the request that returns it, absent for a change outside the request. `derived`: it follows from
    recorded numbers. `verified`: it was tried, and the document came back.
    """

    change: str
    derived: bool
    verified: bool | None
    changes: SearchRequest | None


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The ladder of one document for one query, and the proposals, smallest first.

    `chunk_key` is there when one passage was asked about; `returned_at` is the document's rank where the search
    returned the document (the passage, if one was asked about).
    """

    query: str
    path: str
    chunk_key: str | None
    returned_at: int | None
    rungs: tuple[Rung, ...]
    proposals: tuple[Proposal, ...]

    @property
    def names_nothing(self) -> bool:
        """Whether neither the disk nor the index has what was asked about: the ladder ends at its first rung."""
        return len(self.rungs) == 1


def advice(change: str) -> Proposal:
    """A change outside the request: to the files or to the index."""
    return Proposal(change, derived=False, verified=None, changes=None)


def literal_pattern(path: str) -> str:
    """A path as a .gitignore pattern that means itself."""
    return "".join("\\" + character if character in "\\*?[]!# " else character for character in path)
