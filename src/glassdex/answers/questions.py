"""What can be asked, as flat typed fields: the names are those of `SearchRequest` and of the command line.

Which values are allowed is decided where it is known, by the search itself and by the views; the models describe the
domains for people and programs, and refuse only unknown names and wrong types. `refuse_oversized` is for requests that
come over a network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self, cast, get_args

from pydantic import BaseModel, ConfigDict, Field

from glassdex.context.pack import BUDGETS
from glassdex.errors import InvalidRequest
from glassdex.model import ROLES, ROW_KINDS
from glassdex.search.request import MAX_MATCHES, FeedbackChoice, IdentityChoice, Mode, SearchOptions
from glassdex.settings import FUSIONS, MAX_EXPAND, MAX_LIMIT, load_settings

MAX_CHARACTERS = 10_000
"""Of one text in a question that comes over a network."""
MAX_VALUES = 100
"""Of one list."""
MAX_NUMBER = 1_000_000_000
MAX_QUERIES = 200
"""Of one evaluation."""

Text = Annotated[str, Field(json_schema_extra={"maxLength": MAX_CHARACTERS})]
Place = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_NUMBER})]
Share = Annotated[float, Field(json_schema_extra={"minimum": 0, "maximum": 1})]
Texts = Annotated[list[Text], Field(json_schema_extra={"maxItems": MAX_VALUES})]
Offset = Annotated[int, Field(json_schema_extra={"minimum": 0, "maximum": MAX_NUMBER})]


def _one_of(values: Sequence[str]) -> dict[str, list[str]]:
    return {"enum": list(values)}


ModeName = Annotated[str, Field(json_schema_extra=_one_of(get_args(Mode)))]
FusionName = Annotated[str, Field(json_schema_extra=_one_of(FUSIONS))]
FeedbackName = Annotated[str, Field(json_schema_extra=_one_of(get_args(FeedbackChoice)))]
IdentityName = Annotated[str, Field(json_schema_extra=_one_of(get_args(IdentityChoice)))]
KindName = Annotated[str, Field(json_schema_extra=_one_of(ROW_KINDS))]
RoleName = Annotated[str, Field(json_schema_extra=_one_of(ROLES))]


class Question(BaseModel):
    """What all questions share."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    project: Text | None = Field(
        None, description="The project; by default that of the current folder, or the only one there is."
    )

    def refuse_oversized(self) -> Self:
        """The question itself, unless a text, a list or a number in it is larger than any that is meant.

        Raises:
            InvalidRequest: names the field.
        """
        _refuse_oversized("", self.model_dump(exclude_none=True))
        return self


class Filters(Question):
    """What may be seen at all. Different filters narrow each other; several values of one widen it."""

    paths: Texts = Field([], description="Only documents at these paths, written as in .gitignore: notes/, *.md.")
    tags: Texts = Field([], description="Only what has this tag, or one below it (ops finds ops/backup).")
    kinds: Annotated[list[KindName], Field(json_schema_extra={"maxItems": MAX_VALUES})] = Field(
        [], description="Only prose (entity), facts (observation), links (relation), messages (message) …"
    )
    since: Text | None = Field(
        None, description="Only documents of this day, month or year, or later: 2026-01-31. Messages by their own time."
    )
    until: Text | None = Field(None, description="Only documents of this day, month or year, or earlier.")
    in_document: Text | None = Field(
        None, description="Only in this document: its path, the end of it, its title, or a session's id."
    )
    page_from: Place | None = Field(None, description="First physical page, from 1.")
    page_to: Place | None = Field(None, description="Last physical page; left out: the first alone.")
    page_label_from: Text | None = Field(None, description="First page as the file calls it: iv.")
    page_label_to: Text | None = Field(None, description="Last page as the file calls it.")
    sheet: Text | None = Field(None, description="Only on this sheet of a workbook.")
    row_from: Place | None = Field(None, description="First row of a sheet or CSV file, from 1.")
    row_to: Place | None = Field(None, description="Last row.")
    slide_from: Place | None = Field(None, description="First slide, from 1.")
    slide_to: Place | None = Field(None, description="Last slide.")
    record_from: Place | None = Field(None, description="First record of a JSON or JSONL file, from 1.")
    record_to: Place | None = Field(None, description="Last record.")
    line_from: Place | None = Field(None, description="First line, from 1.")
    line_to: Place | None = Field(None, description="Last line.")
    hidden: bool = Field(False, description="Also on hidden sheets and slides.")
    session: Text | None = Field(None, description="Only in this session: its id or the beginning of it.")
    roles: Annotated[list[RoleName], Field(json_schema_extra={"maxItems": MAX_VALUES})] = Field(
        [], description="Only what was said as user, assistant, tool_result …"
    )
    tz: Text | None = Field(
        None, description="The zone of since and until, and of the times in the answer: Europe/Berlin."
    )
    limit: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_LIMIT})] | None = Field(
        None, description="Documents a page; by default what the settings say, 5 where all are transcripts."
    )
    identity: IdentityName = Field("active", description="Which model's vectors serve.")

    def filters(self) -> SearchOptions:
        """As the search takes them; a limit that is not named is left out."""
        given = {name: getattr(self, name) for name in Filters.model_fields if name not in ("project", "limit")}
        made = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        return cast("SearchOptions", made | ({} if self.limit is None else {"limit": self.limit}))


class Ranking(Filters):
    """A query, and how what may be seen is ranked. What is left out comes from the user's settings."""

    query: Text = Field(description='Words, a "quoted phrase", -word, title:word; empty beside a place in a document.')
    mode: ModeName = Field("hybrid", description="By words and meaning, words alone, or meaning alone.")
    page: Place = Field(1, description="Which page of the ranking, from 1.")
    matches: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_MATCHES})] | None = Field(
        None, description="Passages shown of a document, or messages of a session; 3 by default, in a context all."
    )
    min_similarity: Annotated[float, Field(json_schema_extra={"minimum": -1, "maximum": 1})] | None = Field(
        None, description="Drop passages below this cosine; those without a vector stay."
    )
    min_score: float | None = Field(None, description="Drop passages below this final score.")
    fusion: FusionName | None = Field(None, description="How words and meaning are weighed.")
    feedback: FeedbackName | None = Field(
        None, description="Weigh also by the words that the best passages share: auto, on or off."
    )
    expand: Annotated[int, Field(json_schema_extra={"minimum": 0, "maximum": MAX_EXPAND})] | None = Field(
        None, description="Follow links: bring in or up to so many documents that one joins with the best."
    )
    diversify: Share | None = Field(
        None, description="Move down what says the same as a passage above it: 1 is relevance alone, 0 diversity alone."
    )
    rerank: Text | None = Field(None, description="Who reads the best passages once more: none, late-interaction …")
    rerank_weight: Share | None = Field(None, description="The reranker's share in the final score.")
    rewrite: Text | None = Field(None, description="Who says the query in other words first: none, http:NAME …")
    weights: bool | None = Field(None, description="Weigh documents by what their front matter says.")

    def options(self) -> SearchOptions:
        """As the search takes them, with the settings' defaults."""
        settings = load_settings()
        ranked: SearchOptions = {
            "mode": cast("Mode", self.mode),
            "page": self.page,
            "min_similarity": self.min_similarity,
            "min_score": self.min_score,
            "fusion": settings.fusion if self.fusion is None else self.fusion,
            "feedback": cast("FeedbackChoice", settings.feedback if self.feedback is None else self.feedback),
            "rerank": settings.rerank if self.rerank is None else self.rerank,
            "rerank_weight": settings.rerank_weight if self.rerank_weight is None else self.rerank_weight,
            "rewrite": settings.rewrite if self.rewrite is None else self.rewrite,
            "weights": bool(settings.weights) if self.weights is None else self.weights,
        }
        # What is left out, the project or the command knows.
        if self.matches is not None:
            ranked["matches"] = self.matches
        if self.diversify is not None:
            ranked["diversify"] = self.diversify
        if self.expand is not None or settings.expand:
            ranked["expand"] = settings.expand if self.expand is None else self.expand
        return self.filters() | ranked


class SearchQuestion(Ranking):
    """A search; over several projects where `projects` names them or `all_projects` asks for all."""

    projects: Texts = Field([], description="Search these projects at once, and merge their rankings.")
    all_projects: bool = Field(False, description="Search all projects at once.")
    watch: Texts = Field([], description="Say of these documents or pointers why they are there, or why not.")
    explain: bool = Field(False, description="With the whole trace.")
    show_misses: bool = Field(False, description="With what was considered and left out.")
    max_candidates: Offset | None = Field(None, description="At most so many candidates in the trace.")


class WhyNotQuestion(Ranking):
    """Why a document is not found, and what would return it."""

    document: Text = Field(description="The document or pointer that was expected; or any file of the project.")


class ContextQuestion(Ranking):
    """The passages worth reading for a task, within a budget of tokens; `query` is the task."""

    budget: Annotated[int, Field(json_schema_extra={"minimum": BUDGETS[0], "maximum": BUDGETS[1]})] | None = Field(
        None, description="At most so many tokens of the shipped tokenizer, headers included; 2000 by default."
    )
    anyway: bool = Field(False, description="Pack passages even where the verdict is that nothing is relevant.")
    explain: bool = Field(False, description="With the trace of the search.")
    max_candidates: Offset | None = Field(None, description="At most so many candidates in the trace.")


class LinksQuestion(Question):
    """Where a document's links lead and which ones lead to it; without a document, what is open in the project."""

    document: Text | None = Field(None, description="A path, the end of one, a title, a pointer or a chunk key.")
    unresolved: bool = Field(False, description="Only links that lead nowhere, or may mean several documents.")
    limit: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_LIMIT})] = Field(
        100, description="Links of a project that are listed at most."
    )


class ChunksQuestion(Question):
    """A document as the index sees it."""

    document: Text = Field(description="A path, the end of one, a title, a session's id, a pointer or a chunk key.")


class NeighborsQuestion(Filters):
    """The nearest chunks of a chunk."""

    chunk: Text = Field(description="A pointer or a chunk key.")
    embed: bool = Field(False, description="If the chunk has no vector yet, make one for this answer.")


class OpenQuestion(Question):
    """The passage behind a pointer."""

    pointer: Text = Field(description="A pointer as a search answers it.")


class PageImageQuestion(OpenQuestion):
    """The page of a PDF with a pointer's passage marked."""

    page: Place | None = Field(None, description="Which physical page; by default the first one of the passage.")


class SessionsQuestion(Question):
    """Which conversations there are, the one with the latest message first."""

    since: Text | None = Field(None, description="Only sessions with a message on this day, or later.")
    until: Text | None = Field(None, description="Only sessions with a message on this day, or earlier.")
    tz: Text | None = Field(None, description="The zone of dates and times; UTC by default.")
    limit: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_LIMIT})] = Field(
        30, description="At most this many."
    )
    offset: Offset = Field(0, description="Leave out so many first.")


class SessionQuestion(Question):
    """A page of a conversation."""

    session: Text | None = Field(None, description="Its id, the beginning of it, or its file; not needed beside at.")
    at: Text | None = Field(None, description="Begin at the message that this pointer leads to.")
    offset: Text | None = Field(None, description="Begin at this message, from 0; or a cursor of another page.")
    limit: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 500})] | None = Field(
        None, description="Messages a page, 20 by default."
    )
    full: bool = Field(False, description="Long texts to their end; by default their middle is left out.")
    tz: Text | None = Field(None, description="The zone of the times in the answer; UTC by default.")


class StatusQuestion(Question):
    """What is indexed, what is pending, what failed and why."""

    files: bool = Field(False, description="With every file that is indexed.")


class DocumentsQuestion(Question):
    """The documents of a project by path."""

    limit: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_LIMIT})] = Field(
        100, description="At most this many."
    )
    offset: Offset = Field(0, description="Leave out so many first.")


class IndexQuestion(Question):
    """A run that brings the index up to date with the files."""

    embed: bool = Field(True, description="Also make the vectors; without them only words are found.")


Option = str | int | float | bool | list[str] | None


class JudgedEntry(BaseModel):
    """A query and what should answer it: documents, pointers or sessions with grades, 1 where none is given."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    query: Text
    relevant: dict[str, Annotated[int, Field(json_schema_extra={"minimum": 0, "maximum": 1000})]] | list[Text] = []
    id: Text | None = None
    options: dict[str, Option] = {}


class Measurement(Question):
    """Judged queries and the measures taken of them."""

    queries: list[JudgedEntry] = Field(
        description="At least one.", json_schema_extra={"minItems": 1, "maxItems": MAX_QUERIES}
    )
    measures: Texts = Field([], description="Names of ir-measures: nDCG@10, RR@10 …")


class EvalQuestion(Measurement):
    """How well searches find what was judged relevant."""

    options: dict[str, Option] = Field({}, description="Search options: {fusion: rrf/1, mode: lexical}.")
    depth: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_LIMIT})] | None = Field(
        None, description="Results asked for a query; by default what the measures look at."
    )


class CompareQuestion(Measurement):
    """What ranks otherwise in B than in A, and the stage that made the difference."""

    a: dict[str, Option] = Field({}, description="Search options of A; by default your settings.")
    b: dict[str, Option] = Field({}, description="Search options of B.")
    top: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_LIMIT})] = Field(
        10, description="Look at the first so many documents of each query, and all judged ones."
    )


def _refuse_oversized(name: str, value: object) -> None:
    if isinstance(value, str):
        _refuse_bad_text(name, value)
    elif isinstance(value, int) and not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise InvalidRequest(f"{name} is beyond {MAX_NUMBER:,}")
    elif isinstance(value, list | dict):
        most = MAX_QUERIES if name == "queries" else MAX_VALUES
        if len(value) > most:
            raise InvalidRequest(f"{name} has {len(value):,} values; {most} are the most")
    if isinstance(value, list):
        for item in value:
            _refuse_oversized(name, item)
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_bad_text("a name", key)
            _refuse_oversized(f"{name}.{key[:40]}" if name else key, item)


def _refuse_bad_text(name: str, text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise InvalidRequest(f"{name} has {len(text):,} characters; {MAX_CHARACTERS:,} are the most")
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise InvalidRequest(f"{name} is no valid Unicode: it holds half a character")
