"""What is asked: the query, the filters, the page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

from glassdex.dates import end_of, parse_instant
from glassdex.errors import InvalidRange, InvalidRequest
from glassdex.model import ROW_KINDS
from glassdex.patterns import MAX_WILDCARDS, is_pattern
from glassdex.settings import FUSIONS, MAX_LIMIT

Mode = Literal["hybrid", "lexical", "dense"]
IdentityChoice = Literal["active", "previous"]


class SearchOptions(TypedDict, total=False):
    """The fields of `SearchRequest` apart from the query."""

    mode: Mode
    limit: int
    page: int
    paths: tuple[str, ...]
    tags: tuple[str, ...]
    kinds: tuple[str, ...]
    since: str | None
    until: str | None
    min_similarity: float | None
    min_score: float | None
    fusion: str
    watch: tuple[str, ...]
    identity: IdentityChoice


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search. Filters of different kinds narrow each other; several values of one kind widen it.

    `paths` are patterns as in .gitignore (`decisions/`, `*.md`, `notes/**/2026*`). `since` and `until` are ISO 8601
    days or times, both inclusive; without a zone they are UTC. `min_similarity` is a cosine (−1..1, inclusive; hits
    without a vector pass). `min_score` is on the scale of the final score. `limit` counts documents. `watch` names
    documents by path that are followed through the search without changing it. `identity` says whose vectors serve:
    the embedder's, or those of the model before it, while the new ones are being made.
    """

    query: str
    mode: Mode = "hybrid"
    limit: int = 10
    page: int = 1
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    min_similarity: float | None = None
    min_score: float | None = None
    fusion: str = "convex/1"
    watch: tuple[str, ...] = ()
    identity: IdentityChoice = "active"

    def validate(self) -> None:
        """Refuses values outside their domain.

        Raises:
            InvalidRequest: names the value and the domain.
            InvalidRange: `since` is after `until`.
        """
        _refuse_strings(paths=self.paths, tags=self.tags, kinds=self.kinds)
        if not self.query.strip():
            raise InvalidRequest("the query is empty", "give at least one word")
        if self.mode not in get_args(Mode):
            raise InvalidRequest(f"unknown mode {self.mode!r}", f"one of {', '.join(get_args(Mode))}")
        if self.fusion not in FUSIONS:
            raise InvalidRequest(f"unknown fusion {self.fusion!r}", f"one of {', '.join(FUSIONS)}")
        if self.identity not in get_args(IdentityChoice):
            raise InvalidRequest(f"unknown identity {self.identity!r}", f"one of {', '.join(get_args(IdentityChoice))}")
        for name, value, highest in (("limit", self.limit, MAX_LIMIT), ("page", self.page, None)):
            if value < 1 or (highest is not None and value > highest):
                domain = f"between 1 and {highest}" if highest else "1 or more"
                raise InvalidRequest(f"{name} is {value}; it must be {domain}")
        for kind in self.kinds:
            if kind not in ROW_KINDS:
                raise InvalidRequest(f"unknown kind {kind!r}", f"one of {', '.join(ROW_KINDS)}", ROW_KINDS)
        _refuse_bad_thresholds(self.min_similarity, self.min_score)
        _refuse_bad_patterns(self.paths)
        since, until = self.date_bounds()
        if since is not None and until is not None and since >= until:
            raise InvalidRange(f"since {self.since} is after until {self.until}", "swap the two dates")

    def date_bounds(self) -> tuple[float | None, float | None]:
        """[since, until) in seconds since 1970 UTC."""
        try:
            since = None if self.since is None else parse_instant(self.since)[0]
            until = None if self.until is None else end_of(self.until)
        except ValueError as error:
            raise InvalidRequest(f"not a date: {error}", "write 2026-01-31 or 2026-01-31T09:00+01:00") from error
        return since, until


def _refuse_bad_thresholds(min_similarity: float | None, min_score: float | None) -> None:
    if min_similarity is not None and not -1 <= min_similarity <= 1:
        raise InvalidRequest(f"min-similarity is {min_similarity}; a cosine lies between -1 and 1")
    if min_score is not None and not math.isfinite(min_score):
        raise InvalidRequest(f"min-score is {min_score}; it must be a finite number")


def _refuse_strings(**filters: tuple[str, ...]) -> None:
    for name, values in filters.items():
        if isinstance(values, str):  # its letters would be taken for the filters
            raise InvalidRequest(f"{name} is the string {values!r}; it must be a tuple of strings", f"({values!r},)")


def _refuse_bad_patterns(patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        if not is_pattern(pattern):
            raise InvalidRequest(
                f"not a path pattern: {pattern!r}",
                f"write it as in .gitignore, with at most {MAX_WILDCARDS} wildcards: decisions/ or *.md",
            )
