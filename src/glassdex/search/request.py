"""What is asked: the query, the filters, the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

from glassdex.dates import end_of, parse_instant, zone
from glassdex.errors import InvalidRange, InvalidRequest
from glassdex.model import ROLES, ROW_KINDS
from glassdex.patterns import MAX_WILDCARDS, MAX_WILDCARDS_OF_ALL, is_pattern, wildcards
from glassdex.search.spans import SPANS, refuse_bad_span
from glassdex.settings import FUSIONS, MAX_EXPAND, MAX_LIMIT, RERANK_WEIGHT

MAX_MATCHES = 100
TRADE_OFF = 0.7
"""λ of maximal marginal relevance where diversity is asked for without a number."""
Mode = Literal["hybrid", "lexical", "dense", "positional"]
IdentityChoice = Literal["active", "previous"]
FeedbackChoice = Literal["auto", "on", "off"]


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
    in_document: str | None
    page_from: int | None
    page_to: int | None
    page_label_from: str | None
    page_label_to: str | None
    sheet: str | None
    row_from: int | None
    row_to: int | None
    slide_from: int | None
    slide_to: int | None
    record_from: int | None
    record_to: int | None
    line_from: int | None
    line_to: int | None
    hidden: bool
    session: str | None
    roles: tuple[str, ...]
    matches: int
    tz: str | None
    feedback: FeedbackChoice
    expand: int
    rerank: str
    rerank_weight: float
    diversify: float | None
    rewrite: str
    weights: bool


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search. Filters of different kinds narrow each other; several values of one kind widen it.

    `paths` are patterns as in .gitignore (`decisions/`, `*.md`, `notes/**/2026*`). `since` and `until` are ISO 8601
    days or times, both inclusive; without a zone they are in `tz`, or UTC. `min_similarity` is a cosine (−1..1,
    inclusive; hits without a vector pass). `min_score` is on the scale of the final score. `limit` counts documents.
    `watch` names documents by path that are followed through the search without changing it. `identity` says whose
    vectors serve: the embedder's, or those of the model before it, while the new ones are being made.

    `in_document` names one document: its path, the end of it, its file name or its title, never a part of a name. The
    ranges `page_*` (physical pages), `page_label_*` (as the file names them), `row_*`, `slide_*`, `record_*` and
    `line_*` are 1-based and inclusive; `_from` alone is a single one. A passage is in a range when it overlaps it.
    `hidden` lets in what stands on hidden sheets and slides; naming such a sheet or slide does too.

    `session` names one conversation (its id or the beginning of it), `roles` who speaks (`user`, `assistant`,
    `tool_result` …); `matches` says how many passages of a document, or messages of a conversation, are shown. `tz` is
    the zone of `since` and `until` where they name none. A message is dated by its own time.

    `feedback` weighs the candidates of a hybrid search by `convex/1` once more, also by the words that the best ones
    share: where these have little of the query (`auto`), always (`on`) or never (`off`).

    `expand` follows links: so many documents (0..100) that a link joins with the best ones are added or lifted, and
    what replaced a superseded document goes above it.

    `rerank` names who reads the best passages once more: `none`, `late-interaction`, `cross-encoder:DIR`, `http:NAME`
    (a service of the settings) or an installed one. `rerank_weight` (0..1) is its share in the blended score.

    `diversify` (0..1) orders the best passages by maximal marginal relevance: 1 is the order of their scores, below it
    what says the same as a passage above it moves down.

    `rewrite` names who says the query in other words first: `none`, `http:NAME` (a language model of the settings) or
    an installed one. `weights` goes by what documents state of themselves in their front matter, under the keys that
    the settings name.

    Without words, and narrowed by a filter, a request is positional: the passages in scope, in their order.
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
    in_document: str | None = None
    page_from: int | None = None
    page_to: int | None = None
    page_label_from: str | None = None
    page_label_to: str | None = None
    sheet: str | None = None
    row_from: int | None = None
    row_to: int | None = None
    slide_from: int | None = None
    slide_to: int | None = None
    record_from: int | None = None
    record_to: int | None = None
    line_from: int | None = None
    line_to: int | None = None
    hidden: bool = False
    session: str | None = None
    roles: tuple[str, ...] = ()
    matches: int = 3
    tz: str | None = None
    feedback: FeedbackChoice = "auto"
    expand: int = 0
    rerank: str = "none"
    rerank_weight: float = RERANK_WEIGHT
    diversify: float | None = None
    rewrite: str = "none"
    weights: bool = False

    @property
    def positional(self) -> bool:
        """Whether the passages in scope are asked for in their order, and no words are looked for."""
        return not self.query.strip()

    @property
    def spans(self) -> dict[str, tuple[int, int]]:
        """The ranges of places, first and last, by the name of their filter."""
        found = {}
        for name, field in SPANS.items():
            first, last = getattr(self, f"{field}_from"), getattr(self, f"{field}_to")
            if first is not None:
                found[name] = (first, first if last is None else last)
        return found

    @property
    def places_named(self) -> tuple[str, ...]:
        """The names of the filters by place that narrow the request."""
        sheet = ("sheet",) if self.sheet is not None else ()
        label = ("page_label",) if self.page_label_from is not None else ()
        return (*sheet, *label, *self.spans)

    @property
    def is_narrowed(self) -> bool:
        """Whether any filter but words narrows the scope."""
        dated = self.since is not None or self.until is not None
        named = self.in_document is not None or self.session is not None
        filters = (self.paths, self.tags, self.kinds, self.roles, named, dated, self.places_named)
        return any(filters)

    def validate(self) -> None:
        """Refuses values outside their domain.

        Raises:
            InvalidRequest: names the value and the domain.
            InvalidRange: `since` is after `until`.
        """
        _refuse_strings(paths=self.paths, tags=self.tags, kinds=self.kinds, roles=self.roles)
        _refuse_bad_mode(self)
        if self.fusion not in FUSIONS:
            raise InvalidRequest(f"unknown fusion {self.fusion!r}", f"one of {', '.join(FUSIONS)}")
        if self.identity not in get_args(IdentityChoice):
            raise InvalidRequest(f"unknown identity {self.identity!r}", f"one of {', '.join(get_args(IdentityChoice))}")
        if self.feedback not in get_args(FeedbackChoice):
            raise InvalidRequest(f"unknown feedback {self.feedback!r}", f"one of {', '.join(get_args(FeedbackChoice))}")
        for name, value, highest in (
            ("limit", self.limit, MAX_LIMIT),
            ("page", self.page, None),
            ("matches", self.matches, MAX_MATCHES),
        ):
            if value < 1 or (highest is not None and value > highest):
                domain = f"between 1 and {highest}" if highest else "1 or more"
                raise InvalidRequest(f"{name} is {value}; it must be {domain}")
        if not 0 <= self.expand <= MAX_EXPAND:
            raise InvalidRequest(f"expand is {self.expand}; it must be between 0 and {MAX_EXPAND}")
        _refuse_unknown("kind", self.kinds, ROW_KINDS)
        _refuse_unknown("role", self.roles, ROLES)
        _refuse_bad_thresholds(self.min_similarity, self.min_score)
        _refuse_bad_reranking(self.rerank, self.rerank_weight)
        if not self.rewrite.partition(":")[0].strip():
            raise InvalidRequest(f"rewrite is {self.rewrite!r}; it must name a rewriter", "none, or http:NAME")
        _refuse_bad_diversity(self.diversify)
        _refuse_bad_patterns(self.paths)
        for field in (*SPANS.values(), "page_label"):
            refuse_bad_span(field.replace("_", " "), getattr(self, f"{field}_from"), getattr(self, f"{field}_to"))
        since, until = self.date_bounds()
        if since is not None and until is not None and since >= until:
            raise InvalidRange(f"since {self.since} is after until {self.until}", "swap the two dates")

    def date_bounds(self) -> tuple[float | None, float | None]:
        """[since, until) in seconds since 1970 UTC."""
        try:
            local = zone(self.tz)
            since = None if self.since is None else parse_instant(self.since, local)[0]
            until = None if self.until is None else end_of(self.until, local)
        except ValueError as error:
            raise InvalidRequest(f"not a date: {error}", "write 2026-01-31 or 2026-01-31T09:00+01:00") from error
        return since, until


def _refuse_bad_thresholds(min_similarity: float | None, min_score: float | None) -> None:
    if min_similarity is not None and not -1 <= min_similarity <= 1:
        raise InvalidRequest(f"min-similarity is {min_similarity}; a cosine lies between -1 and 1")
    if min_score is not None and not math.isfinite(min_score):
        raise InvalidRequest(f"min-score is {min_score}; it must be a finite number")


def _refuse_bad_reranking(rerank: str, weight: float) -> None:
    """Which names there are, the stage knows that looks for one."""
    if not rerank.partition(":")[0].strip():
        raise InvalidRequest(f"rerank is {rerank!r}; it must name a reranker", "none, or late-interaction")
    if not 0 <= weight <= 1:
        raise InvalidRequest(f"rerank-weight is {weight}; it must be between 0 and 1")


def _refuse_bad_diversity(trade_off: float | None) -> None:
    if trade_off is not None and not 0 <= trade_off <= 1:
        raise InvalidRequest(
            f"diversify is {trade_off}; it must be between 0 and 1", "1 is relevance alone, 0 diversity alone"
        )


def _refuse_bad_mode(request: SearchRequest) -> None:
    modes = [mode for mode in get_args(Mode) if mode != "positional"]
    if request.mode not in get_args(Mode):
        raise InvalidRequest(f"unknown mode {request.mode!r}", f"one of {', '.join(modes)}")
    if request.query.strip() and request.mode == "positional":
        raise InvalidRequest("positional is how a request without words is answered", "leave the words or the mode out")
    if request.positional and not request.is_narrowed:
        raise InvalidRequest("the query is empty", "give at least one word, or a scope: --in report.pdf --pages 3")
    if request.positional and (request.min_similarity, request.min_score) != (None, None):
        raise InvalidRequest(
            "without words there is no score for a threshold", "leave the threshold out, or add a word"
        )
    if request.positional and request.watch:
        raise InvalidRequest("without words there is no ranking to watch a document in", "give at least one word")


def _refuse_unknown(name: str, values: Sequence[str], known: Sequence[str]) -> None:
    for value in values:
        if value not in known:
            raise InvalidRequest(f"unknown {name} {value!r}", f"one of {', '.join(known)}", known)


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
    total = sum(wildcards(pattern) for pattern in patterns)
    if total > MAX_WILDCARDS_OF_ALL:
        raise InvalidRequest(
            f"the path patterns have {total} wildcards together; {MAX_WILDCARDS_OF_ALL} are the most",
            "name folders, or patterns with a single wildcard, which are not counted: decisions/ or *.md",
        )
