"""A search for people: a header, then each result in three lines, and one more where an explanation is asked for.

Colours and letters are the same everywhere: L lexical amber, D dense blue, F fused grey.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from glassdex.cli.terminal import safe, safe_line
from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate, Stage
from glassdex.search.results import Match, Result

LETTERS = {"lexical": "L", "dense": "D", "fuse": "F"}
COLOURS = {"lexical": "yellow", "dense": "blue", "fuse": "bright_black"}
VERDICT_COLOURS = {"ok": "green", "weak": "yellow"}
FRESHNESS_COLOURS = {"fresh": "green", "unknown": "yellow"}
SNIPPET_LINES = 3
INDENT = 4


def render(execution: Execution, out: Console, *, explain: bool) -> None:
    """Prints the whole answer."""
    if explain:
        for line in _header(execution):
            out.print(line, overflow="fold")
    _print_words(execution, out)
    by_key = {
        (candidate.record.path, candidate.record.key): candidate for candidate in execution.ledger.candidates.values()
    }
    for result in execution.results:
        out.print()
        _print_result(result, out, by_key[result.path, result.matches[0].chunk_key] if explain else None)
    out.print()
    out.print(_footer(execution), overflow="fold")


def _header(execution: Execution) -> list[Text]:
    ledger, readiness = execution.ledger, execution.readiness
    used = [term for term in ledger.terms if term.status in ("used", "too_common")]
    words = Text(execution.request.mode, style="bold").append(" · ", style="dim")
    words.append(f"{len(used)} of {len(ledger.terms)} terms carry weight: ", style="not bold")
    for position, term in enumerate(sorted(used, key=lambda term: term.document_frequency)):
        count = f"(df {term.document_frequency})" if position == 0 else f"({term.document_frequency})"
        words.append(f"{safe_line(term.surface)}{count} ", style=COLOURS["lexical"])
    words.append(f"  index: {readiness.ready:,} ready · {readiness.pending:,} pending", style="dim")
    return [words, _pipeline(execution), *[Text(safe_line(note), style="yellow") for note in ledger.notes]]


def _pipeline(execution: Execution) -> Text:
    line = Text()
    total_ms = 0.0
    for stage in execution.ledger.stages:
        total_ms += stage.milliseconds
        if stage.name == "scope":
            line.append(f"scope {stage.entered:,}")
            if stage.left != stage.entered:
                line.append(f" → {stage.left:,}")
        elif stage.name in ("lexical", "dense"):
            line.append(f" · {LETTERS[stage.name]} {stage.measured.get('returned', 0)}", style=COLOURS[stage.name])
            line.append(f" (+{stage.added})", style="dim")
        elif stage.name != "complete" and (stage.dropped or stage.name == "fuse"):
            line.append(f" → {stage.name} {_left(stage)}", style=COLOURS.get(stage.name, ""))
        line.append(f" {stage.milliseconds:.1f} ms" if stage.milliseconds >= 0.05 else "", style="dim")
    return line.append(f" = {total_ms:.1f} ms", style="dim")


def _left(stage: Stage) -> str:
    documents = stage.measured.get("documents")
    return f"{stage.left}" if documents is None else f"{documents} documents"


def _print_words(execution: Execution, out: Console) -> None:
    for term in execution.ledger.terms:
        if term.status == "unknown" and not term.part:
            near = execution.ledger.suggestions.get(term.surface, ())
            meant = f"; near: {', '.join(safe_line(word) for word in near)}" if near else ""
            out.print(Text(f"not in the index: {safe_line(term.surface)}{meant}", style="yellow"))


def _print_result(result: Result, out: Console, explained: Candidate | None) -> None:
    best = result.matches[0]
    out.print(_title_line(result, out.width))
    for line in _snippet(best, out.width - INDENT):
        out.print(Text(" " * INDENT).append(line), no_wrap=True, overflow="ellipsis")
    for match in result.matches:
        dim = "dim" if match is best else "dim italic"
        # Never folded: a pointer is there to be copied.
        out.print(Text(" " * INDENT + match.pointer, style=dim), soft_wrap=True)
    if explained is not None:
        out.print(_signals(explained), overflow="fold")


def _title_line(result: Result, width: int) -> Text:
    state = result.freshness.state
    right = Text(f"{result.score:.3f}".removeprefix("0"), style="bold").append("  ")
    right.append("● ", style=FRESHNESS_COLOURS.get(state, "red")).append(state.replace("_", " "))
    section = [name for name in result.matches[0].section if name != result.title]
    place = " › ".join(safe_line(name) for name in (result.path, *section))
    left = Text(f"{result.rank:>2}  ").append(safe_line(result.title), style="bold")
    room = width - right.cell_len - left.cell_len - 4
    if room >= 12:
        left.append("  ").append(_shortened(place, room))
    left.truncate(width - right.cell_len - 2, overflow="ellipsis")
    return left.append(" " * max(2, width - left.cell_len - right.cell_len)).append(right)


def _shortened(text: str, room: int) -> Text:
    made = Text(text, style="dim")
    made.truncate(room, overflow="ellipsis")
    return made


def _snippet(match: Match, width: int) -> list[Text]:
    """The lines around the first marked words, the words in bold."""
    start, end = _window(match, width * SNIPPET_LINES - 12)
    text = Text("…" if start else "")
    cursor = start
    for mark_start, mark_end in match.highlights:
        if mark_start < start or mark_end > end:
            continue
        text.append(_flat(match.text[cursor:mark_start])).append(safe(match.text[mark_start:mark_end]), style="bold")
        cursor = mark_end
    text.append(_flat(match.text[cursor:end])).append("…" if end < len(match.text) else "")
    lines = f"  L{match.line_start}" + (f"-L{match.line_end}" if match.line_end != match.line_start else "")
    text.append(lines, style="dim")
    return list(text.wrap(Console(width=width), width))[: SNIPPET_LINES + 1]


def _flat(text: str) -> str:
    """On one line; blanks at the ends stay, since the text goes on there."""
    flat = safe_line(text)
    return (" " if text[:1].isspace() else "") + flat + (" " if flat and text[-1:].isspace() else "")


def _window(match: Match, room: int) -> tuple[int, int]:
    """A span of the passage of about `room` code points that holds the most marked words, cut between words."""
    text = match.text
    if len(text) <= room:
        return 0, len(text)
    starts = [0, *(max(0, mark - room // 6) for mark, _ in match.highlights)]
    best = max(starts, key=lambda start: (sum(start <= a and b <= start + room for a, b in match.highlights), -start))
    start = best if best == 0 else _after_blank(text, best)
    return start, _before_blank(text, min(len(text), start + room))


def _after_blank(text: str, position: int) -> int:
    for offset in range(position, min(position + 20, len(text))):
        if text[offset - 1].isspace():
            return offset
    return position


def _before_blank(text: str, position: int) -> int:
    if position >= len(text):
        return len(text)
    for offset in range(position, max(position - 20, 0), -1):
        if text[offset].isspace():
            return offset
    return position


def _signals(candidate: Candidate) -> Text:
    """`L 7 (4.21) → D 1 (.713) → F 1 (.931)`: each leg's rank and raw score; `·` where there is no rank."""
    line = Text(" " * INDENT)
    for leg in ("lexical", "dense"):
        signal = candidate.legs.get(leg)
        if signal is None:
            line.append(f"{LETTERS[leg]} ·", style=COLOURS[leg])
        else:
            score = f"{signal.score:.2f}" if leg == "lexical" else f"{signal.score:.3f}".replace("0.", ".", 1)
            line.append(f"{LETTERS[leg]} {signal.rank or '·'} ({score})", style=COLOURS[leg])
        line.append(" → ", style="dim")
    assert candidate.fused is not None
    fused = f"{candidate.fused.score:.3f}".replace("0.", ".", 1)
    line.append(f"F {candidate.fused.rank} ({fused})", style=COLOURS["fuse"])
    line.append(f"   {candidate.coverage * 100:.0f} % of the query's weight", style="dim")
    if candidate.tied_with:
        line.append(f" · tied with {len(candidate.tied_with)}", style="dim")
    if candidate.vector_pending:
        line.append(" · vector pending", style="yellow")
    return line


def _footer(execution: Execution) -> Text:
    page, verdict = execution.page, execution.verdict
    line = Text("verdict ", style="dim").append(
        verdict.status.replace("_", " "), style=VERDICT_COLOURS.get(verdict.status, "red")
    )
    facts = []
    if verdict.reason:
        facts.append(verdict.reason)
    if verdict.similarity is not None:
        facts.append(f"best cos {verdict.similarity:.2f}".replace("0.", ".", 1))
    if verdict.coverage is not None:
        facts.append(f"{verdict.coverage * 100:.0f} % of the query's weight")
    if facts:
        line.append(f" ({', '.join(facts)})", style="dim")
    if page.window_exhausted:
        line.append(f" · page {page.number} lies beyond what was ranked (window exhausted)", style="yellow")
    elif execution.results:
        first = (page.number - 1) * page.limit + 1
        about = "" if page.total_exact else "at least "
        line.append(f" · documents {first}-{first + len(execution.results) - 1} of {about}{page.total}", style="dim")
        if page.has_more:
            line.append(f" · next: --page {page.number + 1}", style="dim")
    if execution.readiness.pending:
        line.append(f" · {execution.readiness.pending:,} chunks have no vector yet", style="yellow")
    return line
