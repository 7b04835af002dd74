"""Packing: from the best passage down, each that still fits into the budget; what does not is listed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import TYPE_CHECKING

from glassdex.context.merge import Merged, Merger
from glassdex.context.packed import Context, ContextPassage, LeftOut, State
from glassdex.context.piece import Piece, pieces
from glassdex.context.text import headed, numbered
from glassdex.dates import zone
from glassdex.embedding.shipped import shipped_model
from glassdex.embedding.tokens import token_counter
from glassdex.errors import InvalidRequest
from glassdex.search.request import MAX_MATCHES, SearchOptions
from glassdex.storage.sqlite.snapshot import SqliteSnapshot
from glassdex.wording import counted

if TYPE_CHECKING:
    from glassdex.inspection.execution import Execution

BUDGET = 2000
BUDGETS = (50, 200_000)
"""The least and the most that may be asked for: below it not even a header fits."""
DOCUMENTS = 50
"""How many documents of the ranking are considered; a constant: what is packed first does not depend on the budget."""
PROSE = frozenset({"entity", "section"})
"""What says the same wherever it stands. The same relation, observation, record or message means what it is part of."""
EXPAND = 3
"""Documents that a link may bring in or up; see docs/benchmarks.md, "Links"."""
WEAK = 0.2
"""The share of the best score below which a passage is weak; see docs/benchmarks.md, "Context"."""
DEFAULTS: SearchOptions = {"limit": DOCUMENTS, "matches": MAX_MATCHES, "expand": EXPAND}
"""Where they differ from a search's: a budget, not a page, says how much is shown."""
MOVED_ON = "the index has changed since the search: neighbouring passages stay apart"


def validate_budget(budget: int) -> None:
    """Refuses a budget outside its bounds.

    Raises:
        InvalidRequest: names the bounds.
    """
    least, most = BUDGETS
    if not least <= budget <= most:
        raise InvalidRequest(
            f"budget is {budget}; it must be between {least} and {most:,} tokens", f"--budget {BUDGET} is the default"
        )


def pack(
    task: str,
    execution: Execution,
    snapshot: SqliteSnapshot,
    merger: Merger,
    budget: int,
    *,
    anyway: bool,
    weak: float = WEAK,
) -> Context:
    """Packs what a search returned, by rank; `anyway` also where the verdict says that nothing is relevant.

    A passage is counted with all that is printed of it; chunks that become neighbours of one another are merged, and
    count as one. Prose that is the very same, below the same headings, is packed once. What scores less than `weak`
    times the best is left out, where words and meaning were summed: other scores were not measured.
    """
    packing = _Packing(merger, budget, zone(execution.request.tz))
    empty = Context(task, "nothing_found", (), (), "", budget, 0, f"{shipped_model().name} (WordPiece)", execution)
    pool = pieces(execution, snapshot)
    if not pool:
        return empty
    if execution.verdict.status == "nothing_relevant" and not anyway:
        return replace(empty, state="nothing_relevant", withheld=len(pool))
    copies: list[tuple[Piece, Piece]] = []
    unfit: list[Piece] = []
    weak_ones: list[Piece] = []
    least = weak * max(piece.match.score for piece in pool) if _is_summed(execution) else -math.inf
    said: dict[tuple[str, ...], Piece] = {}
    for piece in pool:
        prose = (piece.match.text, *piece.match.section) if piece.match.kind in PROSE else ()
        if prose and prose in said:
            copies.append((piece, said[prose]))
        elif piece.match.score < least:
            weak_ones.append(piece)
        elif not packing.takes(piece):
            unfit.append(piece)
        elif prose:
            said[prose] = piece
    passages, text = packing.passages()
    numbers = {key: passage.number for passage in passages for key in _names(passage)}
    left_out = [packing.left_out(piece) for piece in unfit]
    left_out += [packing.left_out(piece, is_weak=True) for piece in weak_ones]
    for piece, first in copies:
        left_out.append(packing.left_out(piece, same_text_as=numbers[first.result.path, first.match.chunk_key]))
    state: State = "packed" if passages else "budget_too_small"
    best_is_out = any(one.rank == 1 for one in left_out)
    return replace(
        empty,
        state=state,
        passages=passages,
        left_out=tuple(sorted(left_out, key=lambda one: one.rank)),
        text=text,
        used=packing.used,
        needed=packing.alone(pool[0]) if best_is_out else None,
        notes=tuple(_notes(merger, execution, left_out, budget - packing.used)),
    )


class _Packing:
    """The passages that were taken so far, by document or conversation, and the tokens of their text."""

    def __init__(self, merger: Merger, budget: int, printed_in: tzinfo) -> None:
        self._merger = merger
        self._budget = budget
        self._printed_in = printed_in
        self._taken: dict[tuple[int, int], list[Piece]] = {}
        self._counts: dict[tuple[int, int], tuple[int, int]] = {}
        """By group, how many passages its pieces make, and their tokens without the numbers."""
        self._counted: dict[str, int] = {}
        self._texts: dict[tuple[int, ...], str] = {}
        self.used = 0

    def takes(self, piece: Piece) -> bool:
        """Takes a piece if everything with it stays within the budget."""
        group = piece.record.group
        pieces_with_it = [*self._taken.get(group, ()), piece]
        counts = {**self._counts, group: self._group_counts(pieces_with_it)}
        used = self._total(counts.values())
        if used > self._budget:
            return False
        self._taken[group], self._counts, self.used = pieces_with_it, counts, used
        return True

    def alone(self, piece: Piece) -> int:
        """What a piece takes where it is the only one."""
        return self._total([self._group_counts([piece])])

    def left_out(self, piece: Piece, *, same_text_as: int | None = None, is_weak: bool = False) -> LeftOut:
        match, tokens = piece.match, self.alone(piece)
        return LeftOut(
            piece.rank, match.citation, match.pointer, match.chunk_key, tokens, same_text_as, is_weak=is_weak
        )

    def passages(self) -> tuple[tuple[ContextPassage, ...], str]:
        """Numbered, documents by their best passage, a document's in the order of its text; and what is printed."""
        groups = sorted(self._taken.values(), key=lambda group: min(piece.rank for piece in group))
        found, texts = [], []
        printed = [one for group in groups for one in self._printed(group)]
        for number, (merged, text) in enumerate(printed, start=1):
            texts.append(numbered(number) + text)
            found.append(_passage(number, merged, self._count(numbered(number)) + self._count(text)))
        return tuple(found), "".join(texts).rstrip("\n") + "\n" if texts else ""

    def _printed(self, group: Sequence[Piece]) -> list[tuple[Merged, str]]:
        """A document's passages in the order of its text, each with what is printed of it; the first says the link."""
        ordered = sorted(self._merger.passages(group), key=lambda one: one.pieces[0].record.char_start)
        return [(merged, self._text(merged, first=place == 0)) for place, merged in enumerate(ordered)]

    def _group_counts(self, group: Sequence[Piece]) -> tuple[int, int]:
        texts = [text for _, text in self._printed(group)]
        return len(texts), sum(map(self._count, texts))

    def _total(self, counts: Iterable[tuple[int, int]]) -> int:
        """A token never reaches over a line's end or a blank: those of the parts add up to those of the whole."""
        made = list(counts)
        numbers = range(1, sum(passages for passages, _ in made) + 1)
        return sum(tokens for _, tokens in made) + sum(self._count(numbered(number)) for number in numbers)

    def _text(self, merged: Merged, *, first: bool) -> str:
        name = (first, *(piece.record.chunk_id for piece in merged.pieces))
        if name not in self._texts:
            self._texts[name] = headed(merged, self._printed_in, linked=first)
        return self._texts[name]

    def _count(self, text: str) -> int:
        if text not in self._counted:
            self._counted[text] = token_counter().count(text)
        return self._counted[text]


def _is_summed(execution: Execution) -> bool:
    return execution.request.mode == "hybrid" and execution.engine.fusion.name == "convex/1"


def _names(passage: ContextPassage) -> list[tuple[str, str]]:
    return [(passage.result.path, key) for key in passage.merged_from or (passage.chunk_key,)]


def _passage(number: int, merged: Merged, tokens: int) -> ContextPassage:
    best = merged.best
    return ContextPassage(
        number=number,
        rank=best.rank,
        result=best.result,
        pointer=merged.pointer,
        citation=merged.citation,
        section=merged.section,
        kind=best.match.kind,
        locator=merged.locator,
        text=merged.text,
        context=merged.context,
        chunk_key=best.match.chunk_key,
        merged_from=tuple(piece.match.chunk_key for piece in merged.pieces) if len(merged.pieces) > 1 else (),
        score=best.match.score,
        similarity=best.match.similarity,
        coverage=best.match.coverage,
        reason=best.reason,
        message=best.match.message,
        tokens=tokens,
    )


def _notes(merger: Merger, execution: Execution, left_out: Sequence[LeftOut], spare: int) -> list[str]:
    notes = [] if merger.is_current else [MOVED_ON]
    notes += [
        f"{path} has changed since it was indexed, or cannot be read: neighbouring passages of it stay apart"
        for path in sorted(merger.kept_apart)
    ]
    if execution.page.has_more and not any(one.same_text_as is None for one in left_out):
        considered = counted(len(execution.results), "document")
        notes.append(f"all of the {considered} considered is in; {spare:,} tokens to spare: --limit N for more")
    return notes
