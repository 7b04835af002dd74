"""A search for people: the verdict, each result in four lines, and with an explanation a header and one line more.

Colours and letters are the same everywhere: L lexical amber, D dense blue, F fused grey, P (pseudo-relevance) feedback
cyan, N neighbourhood bright magenta, W weight bright blue, G graph green, R reranked magenta, M (maximal marginal
relevance) diversified bright cyan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from glassdex.cli.sessions import SHORT_ID, shortened, when
from glassdex.cli.terminal import safe, safe_line, safe_path, squeezed
from glassdex.dates import zone
from glassdex.locators import described
from glassdex.search.engine import Execution
from glassdex.search.ledger import Candidate, Linked, Stage
from glassdex.search.results import Match, Result
from glassdex.search.verdict import Verdict
from glassdex.wording import chain, counted

LETTERS = {
    "lexical": "L",
    "dense": "D",
    "fuse": "F",
    "feedback": "P",
    "neighborhood": "N",
    "weight": "W",
    "graph": "G",
    "rerank": "R",
    "diversify": "M",
}
COLOURS = {
    "lexical": "yellow",
    "dense": "blue",
    "fuse": "bright_black",
    "feedback": "cyan",
    "neighborhood": "bright_magenta",
    "weight": "bright_blue",
    "graph": "green",
    "rerank": "magenta",
    "diversify": "bright_cyan",
}
COUNTED = {"weight": "weighted", "rerank": "reranked", "diversify": "diversified"}
"""What a stage that looks at some of the candidates counts of them."""
VERDICT_COLOURS = {"ok": "green", "weak": "yellow"}
FRESHNESS_COLOURS = {"fresh": "green", "unknown": "yellow", "index_behind_rows": "yellow"}
ABSENT = "·"
SNIPPET_LINES = 2
INDENT = 4
MIN_PLACE, MIN_TITLE = 12, 8

# Between two lines of a passage: the rule of a table, the marks of a fence, a quote, a list or a heading are no words.
_BREAK = re.compile(
    r"(?:^|\s*\n)(?:[ \t]*(?:\|?[ \t]*:?-{3}[-:| \t]*|(?:```|~~~)[^\n]*)(?:\n|$))*"
    r"[ \t]*(?:(?:#{1,6}|>|[-*+]|\|)[ \t]+)*|[ \t]{2,}|\t"
)
_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t#]*(?=\n)")


def render(execution: Execution, out: Console, *, explain: bool, calls: Mapping[int, str] = {}) -> None:
    """Prints the whole answer; `calls` has by its id the command that shows a conversation."""
    if explain:
        print_overview(execution, out)
    else:
        print_line(verdict_line(execution), out)
        _print_warnings(execution, out)
    printed_in = zone(execution.request.tz)
    for result in execution.results:
        out.print()
        call = calls.get(result.session.session_id) if result.session else None
        print_result(result, out, call, printed_in, whole=execution.request.mode == "positional")
        if explain:
            for line in candidate_lines(execution, result, out.width):
                out.print(line, no_wrap=True)
    footer = list(_footer(execution))
    if footer:
        out.print()
        print_packed(footer, " · ", out)


def print_overview(execution: Execution, out: Console) -> None:
    """The header, what the reader should know, and the stages."""
    _print_header(execution, out)
    _print_warnings(execution, out)
    out.print()
    described = (
        *_rewrite_lines(execution),
        *_filter_lines(execution),
        *_feedback_lines(execution),
        *_graph_lines(execution),
    )
    for line in (*_stage_table(execution.ledger.stages), *described):
        print_line(line, out)


def _print_warnings(execution: Execution, out: Console) -> None:
    for line in warnings(execution):
        print_line(line, out)


def decimal(value: float, places: int) -> str:
    """`.713`, `-.02`, `1.000`: a number of a scale that ends at 1 without the zero that says nothing."""
    return re.sub(r"^(-?)0\.", r"\1.", f"{value:.{places}f}")


def print_line(line: Text, out: Console) -> None:
    """Folded between words at the console's width, without blanks at the ends of lines."""
    for part in line.wrap(out, out.width):
        part.rstrip()
        out.print(part, soft_wrap=True)


def print_packed(facts: Iterable[Text], separator: str, out: Console) -> None:
    """As many facts on a line as it holds whole."""
    line = Text()
    for fact in facts:
        if line and line.cell_len + len(separator) + fact.cell_len > out.width:
            print_line(line, out)
            line = Text()
        line.append(separator if line else "", style="dim").append_text(fact)
    print_line(line, out)


def _print_header(execution: Execution, out: Console) -> None:
    readiness, stages = execution.readiness, execution.ledger.stages
    index = f"  index: {readiness.ready:,} ready · {readiness.pending:,} pending"
    print_packed([*_terms(execution), Text().append(index, style="dim")], " ", out)
    steps, known = (
        chained(_steps(stages), out.width),
        [
            Text().append(f"{execution.ledger.milliseconds:.1f} ms", style="dim"),
            verdict_line(execution),
        ],
    )
    if len(steps) == 1:
        print_packed([*steps, *known], "   ", out)
        return
    for line in steps:
        print_line(line, out)
    print_packed(known, "   ", out)


def chained(steps: Iterable[Text], width: int, indent: int = 0) -> list[Text]:
    """The steps with arrows between them, on as many lines as they need; one that goes on begins with its arrow."""
    lines: list[Text] = []
    for step in steps:
        if lines and lines[-1].cell_len + len(" → ") + step.cell_len <= width:
            lines[-1].append(" → ").append_text(step)
        else:
            lines.append(Text(" " * indent).append("→ " if lines else "").append_text(step))
    return lines


def _terms(execution: Execution) -> Iterator[Text]:
    """The words that carry weight, the rarest first, each with the number of chunks that have it."""
    terms = execution.ledger.terms
    used = [term for term in terms if term.status in ("used", "too_common")]
    yield Text().append(execution.request.mode, style="bold").append(" ·")
    if execution.request.mode == "positional":
        yield Text("passages in their order")
        return
    yield Text(f"{len(used)} of {len(terms)} terms carry weight{':' if used else ''}")
    for position, term in enumerate(sorted(used, key=lambda term: term.document_frequency)):
        count = f"(df {term.document_frequency:,})" if position == 0 else f"({term.document_frequency:,})"
        common = " too common" if term.status == "too_common" else ""
        yield Text().append(safe_line(term.surface), style=COLOURS["lexical"]).append(f"{count}{common}", style="dim")


def _steps(stages: Sequence[Stage]) -> list[Text]:
    """`scope 1,204 → L 143 D 200 → fuse 287 → collapse 61 → page 10`, the arrows apart."""
    steps: list[Text] = []
    legs = Text()
    for stage in stages:
        if stage.name in ("lexical", "dense"):
            legs.append(" " if legs else "")
            legs.append(f"{LETTERS[stage.name]} {stage.measured.get('returned', 0):,}", style=COLOURS[stage.name])
        elif stage.name == "complete":
            steps += [legs] if legs else []
        elif stage.name == "rewrite":
            given = [counted(count, unit[:-1]) for unit, count in stage.measured.items() if count]
            steps += [Text(f"rewrite +{', '.join(given)}")] if given else []
        elif stage.name in COUNTED:
            count = stage.measured.get(COUNTED[stage.name], 0)
            steps.append(Text(f"{LETTERS[stage.name]} {count:,}", style=COLOURS[stage.name]))
        elif stage.name == "feedback" and not stage.measured:
            continue
        elif stage.name == "graph":
            brought = f"+{stage.measured.get('documents_added', 0):,} ↑{stage.measured.get('documents_lifted', 0):,}"
            steps.append(Text(f"graph {brought}", style=COLOURS["graph"]))
        elif stage.name != "threshold" or stage.dropped:
            count = stage.measured.get("documents", stage.left)
            whole = f" of {stage.entered:,}" if stage.name == "scope" and stage.left != stage.entered else ""
            steps.append(Text().append(f"{stage.name} {count:,}{whole}", style=COLOURS.get(stage.name, "")))
    return steps


def _stage_table(stages: Sequence[Stage]) -> Iterator[Text]:
    width = max((len(stage.name) for stage in stages), default=0)
    yield Text(f"  {'stage':<{width}} {'in':>7} {'added':>7} {'out':>7} {'ms':>7}   dropped", style="dim")
    for stage in stages:
        added = f"{stage.added:,}" if stage.name in ("lexical", "dense", "graph") else ABSENT
        dropped = " · ".join(f"{safe_line(reason)} {count:,}" for reason, count in stage.dropped.items())
        name = f"{LETTERS.get(stage.name, ' ')} {stage.name:<{width}} "
        line = Text().append(name, style=COLOURS.get(stage.name, ""))
        line.append(f"{stage.entered:>7,} {added:>7} {stage.left:>7,} {stage.milliseconds:>7.1f}")
        yield line.append(f"   {dropped}", style="dim")


def _rewrite_lines(execution: Execution) -> Iterator[Text]:
    """Who said the query in other words, and these: `… further words: tide ×.30, ebb ×.30`."""
    rewriting = execution.ledger.rewriting
    if rewriting is None or rewriting.fallback:
        return
    by = f"  rewrite · {safe_line(rewriting.identity or rewriting.name)}"
    if rewriting.terms:
        words = ", ".join(f"{safe_line(term.surface)} ×{decimal(term.weight, 2)}" for term in rewriting.terms)
        yield Text(f"{by} · further words: {words}", style="dim")
    for text in rewriting.texts:
        yield Text(f"{by} · averaged with: {safe_line(text)}", style="dim")


def _feedback_lines(execution: Execution) -> Iterator[Text]:
    """What the best passages added to the query, each word with its share: `… add: wing .12, flow .09`."""
    feedback = execution.ledger.feedback
    if feedback is None:
        return
    if not feedback.ran:
        yield Text(f"  feedback · did not run: {feedback.reason}", style="dim")
        return
    words = ", ".join(f"{safe_line(term.term)} {decimal(term.share, 2)}" for term in feedback.terms) or "nothing"
    had = f"with {decimal(feedback.coverage, 2)} of the query's weight"
    yield Text(f"  feedback · {counted(feedback.passages, 'passage')} {had} add: {words}", style="dim")


def _graph_lines(execution: Execution) -> Iterator[Text]:
    """Why links changed nothing, where they lead to nothing but the documents that they are followed from."""
    ledger = execution.ledger
    if ledger.seeds and not ledger.linked:
        yield Text("  graph · no link of the best documents leads to another one", style="dim")
    elif ledger.seeds and ledger.linked.keys() <= set(ledger.seeds):
        best = f"{len(ledger.seeds)} best"
        yield Text(f"  graph · every linked document is among the {best} already: none to lift", style="dim")


def _filter_lines(execution: Execution) -> Iterator[Text]:
    """What each filter of the scope lets through: `scope · role user: 41 chunks in, 12 out`."""
    request = execution.request
    named = {"role": request.roles, "session": (request.session or "",), "path": request.paths, "tag": request.tags}
    for scope_filter in execution.ledger.scope_filters:
        name = " ".join([scope_filter.name, ", ".join(named.get(scope_filter.name, ()))])
        counts = f"{scope_filter.entered:,} chunks in, {scope_filter.left:,} out"
        yield Text(f"  scope · {safe_line(name)}: {counts}", style="dim")


def warnings(execution: Execution) -> Iterator[Text]:
    """What the reader should know before trusting the results: shown with and without an explanation."""
    for note in execution.ledger.notes:
        yield Text(safe_line(note), style="yellow")
    scored = {term.term for term in execution.ledger.query.scored_terms}
    for term in execution.ledger.terms:
        if term.status == "unknown" and not term.part and term.term in scored:
            near = execution.ledger.suggestions.get(term.surface, ())
            meant = f"; near: {', '.join(safe_line(word) for word in near)}" if near else ""
            yield Text(f"not in the index: {safe_line(term.surface)}{meant}", style="yellow")


def print_result(result: Result, out: Console, call: str | None, printed_in: tzinfo, *, whole: bool = False) -> None:
    """Title, place, passage and pointers of a result; `call` shows the conversation that it is."""
    best = result.matches[0]
    out.print(_title_line(result, out.width), no_wrap=True)
    if result.linked:
        for part in Text(_through(result.linked), style="dim").wrap(out, out.width - INDENT):
            part.rstrip()
            out.print(Text(" " * INDENT).append_text(part), no_wrap=True)
    if best.context and best.message is None:  # a conversation's is what was said before: its own messages
        out.print(Text(" " * INDENT).append_text(_shortened(safe_line(best.context), out.width - INDENT)), no_wrap=True)
    made = _whole if whole else _snippet
    for line in made(best, out, out.width - INDENT, printed_in):
        out.print(Text(" " * INDENT).append_text(line), no_wrap=True, overflow="ellipsis")
    for match in result.matches:
        # Never folded: what stands there is to be copied.
        style = "" if match is best else "dim"
        if match is not best and match.message:
            said = _shortened(_said(match, printed_in), out.width - INDENT)
            out.print(Text(" " * INDENT).append_text(said), no_wrap=True)
        has_call = call is not None and match.message is not None and match.message.offset is not None
        if has_call and match.message:
            out.print(Text(f"{' ' * INDENT}{call} --offset {match.message.offset}", style=style), soft_wrap=True)
        if match is best or not has_call:
            out.print(Text(" " * INDENT + match.pointer, style="dim" if result.session else style), soft_wrap=True)


def _through(linked: Linked) -> str:
    """`through supersedes from notes/old.md (successor)`: the link by which a document came in or up."""
    via = f", via {chain([safe_path(path) for path in linked.via], linked.via_left_out)}" if linked.via else ""
    return f"through {safe_line(linked.kind)} from {safe_path(linked.seed)} ({linked.route}{via})"


def _said(match: Match, printed_in: tzinfo) -> str:
    """A further message in a line: who, when, and its words."""
    return f"{_place(match, printed_in)}: {safe_line(match.text)}"


def _place(match: Match, printed_in: tzinfo) -> str:
    """Where the passage stands; of a message, who said it and when."""
    if match.message is None:
        return safe_line(", ".join(described(match.locator)))
    message = match.message.message
    who = message.speaker or " ".join(part for part in (message.role.replace("_", " "), message.tool) if part)
    who = shortened(who)
    marks = [name for name, given in (("sub-agent", message.sidechain), ("injected", message.injected)) if given]
    return safe_line(" · ".join([who, *marks, when(message.sent_at, printed_in)]))


def _title_line(result: Result, width: int) -> Text:
    state = result.freshness.state
    right = Text().append(f"{decimal(result.score, 3):>5}", style="bold").append("  ")
    right.append("●", style=FRESHNESS_COLOURS.get(state, "red")).append(f" {state.replace('_', ' ')}")
    title = Text(safe_line(result.title), style="bold")
    if result.session:  # which session it is stays in view, its title gives way
        place = f"{result.session.source}/{safe_line(result.session.name)[:SHORT_ID]}"
        title.truncate(max(MIN_TITLE, width - right.cell_len - cell_len(place) - 8), overflow="ellipsis")
    else:
        section = [name for name in result.matches[0].section if name != result.title]
        place = " › ".join((safe_path(result.path), *(safe_line(name) for name in section)))
    left = Text(f"{result.rank:>2}  ").append_text(title)
    room = width - right.cell_len - left.cell_len - 4
    if room >= MIN_PLACE:
        left.append("  ").append_text(_shortened(place, room))
    left.truncate(width - right.cell_len - 2, overflow="ellipsis")
    return left.append(" " * max(2, width - left.cell_len - right.cell_len)).append_text(right)


def _shortened(text: str, room: int) -> Text:
    made = Text(text, style="dim")
    made.truncate(room, overflow="ellipsis")
    return made


def _whole(match: Match, out: Console, width: int, printed_in: tzinfo) -> list[Text]:
    """The passage as it stands, and its place."""
    place = _place(match, printed_in)
    text = Text(safe(squeezed(match.text) if match.message else match.text)).append("\n").append(place, style="dim")
    return [line for part in text.split("\n") for line in part.wrap(out, width)]


def _snippet(match: Match, out: Console, width: int, printed_in: tzinfo) -> list[Text]:
    """The words around the best marked ones, those in bold, and the lines of the passage."""
    place = _place(match, printed_in)
    words, marks = _flowing(match)
    start, end = _window(words, marks, width * SNIPPET_LINES - len(place) - 8)
    text, cursor = Text("…" if start else ""), start
    for mark_start, mark_end in marks:
        if start <= mark_start and mark_end <= end:
            text.append(safe(words[cursor:mark_start]))
            text.append(safe(words[mark_start:mark_end]), style="bold")
            cursor = mark_end
    text.append(safe(words[cursor:end])).append("…  " if end < len(words) else "  ")
    folded = text.append(place, style="dim").wrap(out, width)
    for line in folded:
        line.rstrip()
    return list(folded)[: SNIPPET_LINES + 1]


def _flowing(match: Match) -> tuple[str, list[tuple[int, int]]]:
    """The passage and its marks on one line: no Markdown before the lines, no heading that stands above already."""
    heading = _HEADING.match(match.text)
    begin = heading.end() if heading is not None and match.section[-1:] == (heading[1],) else 0
    gaps = list(_BREAK.finditer(match.text, begin))
    starts, ends = [begin, *(gap.end() for gap in gaps)], [*(gap.start() for gap in gaps), len(match.text)]
    words, marks = "", []
    for start, end in zip(starts, ends, strict=True):
        if start < end:
            words += " " if words else ""
            shift = len(words) - start
            marks += [(a + shift, b + shift) for a, b in match.highlights if start <= a and b <= end]
            words += match.text[start:end]
    return words, marks


def _window(words: str, marks: Sequence[tuple[int, int]], room: int) -> tuple[int, int]:
    """A span of `words`, `room` cells wide, that holds the most marks, cut between words."""
    room = room * len(words) // max(1, cell_len(words))
    if len(words) <= room:
        return 0, len(words)
    starts = [0, *(max(0, mark - room // 6) for mark, _ in marks)]
    best = max(starts, key=lambda start: (sum(start <= a and b <= start + room for a, b in marks), -start))
    return _after_blank(words, best), _before_blank(words, min(len(words), best + room))


def _after_blank(text: str, position: int) -> int:
    for offset in range(position, min(position + 20, len(text))):
        if offset == 0 or text[offset - 1].isspace():
            return offset
    return position


def _before_blank(text: str, position: int) -> int:
    if position < len(text):
        for offset in range(position, max(position - 20, 0), -1):
            if text[offset].isspace():
                return offset
    return position


def candidate_lines(execution: Execution, result: Result, width: int) -> list[Text]:
    """The ranks and scores of a result's best match, and the weight that its document states, if any."""
    key = result.path, result.matches[0].chunk_key
    found = next(c for c in execution.ledger.candidates.values() if (c.record.path, c.record.key) == key)
    lines = _signals(found, width, reranked=was_reranked(execution))
    if found.weighted is not None:
        stated = f"weight {found.weighted.weight:g} ({safe_line(found.weighted.source)})"
        lines.append(Text(" " * INDENT).append_text(_shortened(stated, width - INDENT)))
    return lines


def was_reranked(execution: Execution) -> bool:
    """Whether a reranker was asked for and did not fail."""
    reranking = execution.ledger.reranking
    return reranking is not None and not reranking.fallback


def _signals(candidate: Candidate, width: int, *, reranked: bool) -> list[Text]:
    """`L 7 (4.21) → D 1 (.713) → F 1 (.931) → R 2 (.902)`: each rank, a leg's raw score and those that rank; `·` where
    there is none. What ranked anew between fusion and reranking stands between them.
    """
    fused, read, anew = candidate.fused, candidate.reranked, candidate.diversified
    steps = []
    for leg, places in (("lexical", 2), ("dense", 3)):
        signal = candidate.legs.get(leg)
        steps.append(_place_after(leg, (signal.rank, signal.score) if signal else None, places))
    steps.append(_place_after("fuse", (fused.rank, fused.score) if fused else None))
    steps += [_place_after(stage, (own.rank, own.score)) for stage, own in candidate.rescored.items()]
    steps += [_place_after("rerank", (read.rank, read.blended) if read else None)] if reranked else []
    steps += [_place_after("diversify", (anew.rank, anew.score))] if anew else []
    lines = chained(steps, width, INDENT)
    more = [f"   {candidate.coverage * 100:.0f} % of the query's weight"]
    more += [" · vector pending"] if candidate.vector_pending else []
    more += [f" · tied with {len(candidate.tied_with)}"] if candidate.tied_with else []
    for fact in more:
        # No further line for these: what has no room is left out whole.
        lines[-1].append(fact if lines[-1].cell_len + len(fact) <= width else "", style="dim")
    return lines


def _place_after(stage: str, place: tuple[int | None, float] | None, places: int = 3) -> Text:
    """`F 1 (.931)`: the rank after a stage, and its score."""
    said = ABSENT if place is None else f"{place[0] or ABSENT} ({decimal(place[1], places)})"
    return Text().append(LETTERS.get(stage, stage), style=COLOURS.get(stage, "")).append(f" {said}", style="dim")


def verdict_line(execution: Execution) -> Text:
    """The verdict with its evidence, for people."""
    return verdict_text(execution.verdict)


def verdict_text(verdict: Verdict) -> Text:
    """The same of any verdict."""
    line = Text().append("verdict ", style="dim")
    line.append(verdict.status.replace("_", " "), style=VERDICT_COLOURS.get(verdict.status, "red"))
    facts = []
    if verdict.similarity is not None:
        facts.append(f"best cos {decimal(verdict.similarity, 2)}")
    if verdict.coverage is not None:
        facts.append(f"{verdict.coverage * 100:.0f} % of the query's weight")
    said = "; ".join(part for part in (safe_line(verdict.reason), ", ".join(facts)) if part)
    return line.append(f" ({said})" if said else "", style="dim")


def _footer(execution: Execution) -> Iterator[Text]:
    page = execution.page
    if page.window_exhausted:
        beyond = f"page {page.number} lies beyond what was ranked (window exhausted)"
        yield Text().append(beyond, style="yellow")
    elif execution.results:
        first = (page.number - 1) * page.limit + 1
        last = first + len(execution.results) - 1
        total = f"{'' if page.total_exact else 'at least '}{page.total:,}"
        told = {result.session is not None for result in execution.results}
        unit = "documents and sessions" if len(told) > 1 else "sessions" if told == {True} else "documents"
        unit = "passages" if execution.request.mode == "positional" else unit
        yield Text().append(f"{unit} {first:,}-{last:,} of {total}", style="dim")
    if page.has_more and execution.results:
        yield Text().append(f"next: --page {page.number + 1}", style="dim")
    if execution.readiness.pending:
        yield Text().append(_pending(execution), style="yellow")


def _pending(execution: Execution) -> str:
    readiness = execution.readiness
    pending = f"{counted(readiness.pending, 'chunk')} without a vector yet"
    if not readiness.other_identity:
        return pending
    return f"{pending}, {readiness.other_identity:,} of them with one of another model: glassdex index"
