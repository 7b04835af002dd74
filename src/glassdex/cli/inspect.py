"""`glassdex inspect`: a document as the index sees it, a search with its whole trace, why not, and neighbours."""

from __future__ import annotations

import typer

from glassdex.cli.asking import (
    FILTERS,
    NEAREST,
    PLACES,
    RANKING,
    SESSIONS,
    MaxCandidatesOption,
    MissesOption,
    QueryArgument,
    WatchOption,
    asks,
)
from glassdex.cli.choose import (
    AllProjectsOption,
    JsonOption,
    ProjectOption,
    ProjectsOption,
    chosen_project,
    default_project,
    help_or_command,
    several_named,
)
from glassdex.cli.search import (
    SearchCommand,
    Shown,
    as_typed,
    ask,
    leave_unless_found,
    print_answer,
    print_views,
    query_text,
)
from glassdex.search.request import SearchOptions

EXIT_NOTHING_FOUND = 1
HELP = "Look inside: a document's chunks and links, a search's trace, why not."
CHUNKS_EXAMPLES = """\b
Examples:
  glassdex inspect chunks decisions/adr-7d9f-embedding-providers.md
  glassdex inspect chunks "Embedding providers" --json"""
QUERY_EXAMPLES = """\b
Examples:
  glassdex inspect query "why is the embedding model swappable"
  glassdex inspect query backups --tag ops --show-misses"""
WHY_NOT_EXAMPLES = """\b
Examples:
  glassdex inspect why-not "restore a backup" runbooks/restore.md
  glassdex inspect why-not backups notes/a.md --tag ops --limit 5"""
NEIGHBORS_EXAMPLES = """\b
Examples:
  glassdex inspect neighbors notes/a.md#L12-L14,c=120-980@3fa9c1d2e4b5
  glassdex inspect neighbors entity:0123456789abcdef:0 --path decisions/"""
LINKS_EXAMPLES = """\b
Examples:
  glassdex inspect links decisions/adr-7d9f-embedding-providers.md
  glassdex inspect links --unresolved --json"""

app = typer.Typer(
    help=HELP,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def inspect(context: typer.Context) -> None:
    """Look inside: a document's chunks and links, a search's trace, why not."""
    help_or_command(context)


@app.command("chunks", cls=SearchCommand, epilog=CHUNKS_EXAMPLES)
def chunks(
    document: str = typer.Argument(
        metavar="DOC", help="A path, the end of one, a file name, a title, a session's id, a pointer or a chunk key."
    ),
    whole: bool = typer.Option(False, "--text", help="Print every chunk's whole text, not only its beginning."),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Show a document as the index sees it: rows, chunks, freshness.

    Of each chunk it says what is really there: its entry for words, its vector, and whether both are current.
    """
    owner, named = _named(document, project)
    with chosen_project(owner) as opened:
        found = opened.chunks(named)
    if as_json:
        from glassdex.cli.terminal import print_json
        from glassdex.envelopes.chunks import chunks_answer

        print_json(chunks_answer(found).to_json())
        return
    from glassdex.cli.render_chunks import render_chunks
    from glassdex.cli.terminal import console

    render_chunks(found, console(), whole=whole, prefix=_prefix(owner))


@app.command("query", cls=SearchCommand, epilog=QUERY_EXAMPLES)
@asks(FILTERS, PLACES, SESSIONS, RANKING)
def query(
    query: list[str] = QueryArgument,
    *,
    options: SearchOptions,
    show_misses: bool = MissesOption,
    watch: list[str] = WatchOption,
    max_candidates: int = MaxCandidatesOption,
    project: list[str] = ProjectsOption,
    all_projects: bool = AllProjectsOption,
    as_json: bool = JsonOption,
) -> None:
    """Search and print the whole trace: every stage, every candidate.

    The same search as `glassdex search`, with the same filters and defaults, and the same exit codes.
    """
    several = several_named(project, every=all_projects)
    if several is not None:
        from glassdex.cli import several as together

        asked_all = together.ask(query_text(query or [], options), options, watch, several)
        shown = Shown(as_json=as_json, explain=True, misses=show_misses, max_candidates=max_candidates, candidates=True)
        together.print_all(asked_all, shown)
        together.leave(asked_all)
        return
    named = project[0] if project else None
    asked = ask(query or [], options, watch, named)
    execution = asked.execution
    if as_json:
        print_answer(asked.done, explain=True, show_misses=show_misses, max_candidates=max_candidates)
    else:
        from glassdex.cli.render_candidates import render_trace
        from glassdex.cli.terminal import console

        render_trace(execution, console(), max_candidates)
        print_views(asked, show_misses=show_misses, project=named)
    leave_unless_found(execution)


@app.command("why-not", cls=SearchCommand, epilog=WHY_NOT_EXAMPLES)
@asks(FILTERS, PLACES, SESSIONS, RANKING)
def why_not(
    query: str = typer.Argument(metavar="QUERY", help="The query, in quotation marks where it has several words."),
    document: str = typer.Argument(metavar="DOC", help="The document or pointer that was expected; or any file."),
    *,
    options: SearchOptions,
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Say why a document is not found, and what would return it.

    Every step from the file to the page is listed with its number, then the smallest changes that return the document.
    A pointer asks about that passage.

    Exit code 0: the question is answered, whatever the answer; 1: there is no such document, and no such file; 2: the
    request is wrong; 3: something is unavailable.
    """
    owner, named = _named(document, project)
    with chosen_project(owner) as opened:
        found = opened.why_not(as_typed(query), named, **options)
        usual_limit = opened.default_limit()
    if as_json:
        from glassdex.cli.terminal import print_json
        from glassdex.envelopes.why_not import why_not_answer

        print_json(why_not_answer(found).to_json())
    else:
        from glassdex.cli.render_ladder import render_ladder
        from glassdex.cli.terminal import console

        render_ladder(found, console(), owner, usual_limit)
    if found.names_nothing:
        raise typer.Exit(EXIT_NOTHING_FOUND)


@app.command("neighbors", cls=SearchCommand, epilog=NEIGHBORS_EXAMPLES)
@asks(FILTERS, PLACES, SESSIONS, NEAREST)
def neighbors(
    chunk: str = typer.Argument(metavar="CHUNK", help="A pointer or a chunk key."),
    *,
    options: SearchOptions,
    embed: bool = typer.Option(
        False, "--embed", help="If the chunk has no vector yet, make one for this answer; it is not kept."
    ),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """List the nearest chunks of a chunk, by the stored vectors.

    Near-duplicates in other documents are marked.

    Exit code 0: found; 1: there are none in scope.
    """
    owner, named = _named(chunk, project)
    with chosen_project(owner) as opened:
        found = opened.neighbors(named, embed=embed, **options)
    if as_json:
        from glassdex.cli.terminal import print_json
        from glassdex.envelopes.neighbors import neighbors_answer

        print_json(neighbors_answer(found).to_json())
    else:
        from glassdex.cli.render_neighbors import render_neighbors
        from glassdex.cli.terminal import console

        render_neighbors(found, console(), prefix=_prefix(owner))
    if not found.neighbors:
        raise typer.Exit(EXIT_NOTHING_FOUND)


@app.command("links", cls=SearchCommand, epilog=LINKS_EXAMPLES)
def links(
    document: str = typer.Argument(
        None, metavar="[DOC]", help="The document; without one, what is open in the whole project.", show_default=False
    ),
    unresolved: bool = typer.Option(
        False, "--unresolved", help="Only links that lead nowhere, or may mean several documents."
    ),
    limit: int = typer.Option(
        100, "--limit", "-n", metavar="N", min=1, help="Links of a project that are listed at most."
    ),
    project: str = ProjectOption,
    as_json: bool = JsonOption,
) -> None:
    """Show where a document's links lead, and which ones lead to it.

    Without a document: the links of the project that lead nowhere, or may mean several documents.
    """
    owner, named = (project, None) if document is None else _named(document, project)
    with chosen_project(owner) as opened:
        of_document = None if named is None else opened.links(named)
        of_project = opened.open_links(limit=limit) if named is None else None
    if as_json:
        from glassdex.cli.terminal import print_json
        from glassdex.envelopes.links import document_links_answer, project_links_answer

        if of_document is not None:
            print_json(document_links_answer(of_document.only_open() if unresolved else of_document).to_json())
        elif of_project is not None:
            print_json(project_links_answer(of_project).to_json())
        return
    from glassdex.cli.render_links import render_document_links, render_project_links
    from glassdex.cli.terminal import console

    if of_document is not None:
        render_document_links(of_document, console(), only_open=unresolved)
    elif of_project is not None:
        render_project_links(of_project, console())


def _named(typed: str, project: str | None) -> tuple[str | None, str]:
    """The project that is meant, by the option or in front of the document, and the document's own name."""
    from glassdex.inspection.find_document import without_project
    from glassdex.projects import project_names

    reference = as_typed(typed)
    owner, name = without_project(reference, project_names() if project is None else [project])
    return project or owner, name


def _prefix(owner: str | None) -> str:
    """What stands before printed pointers: the project, where they would not be found without it."""
    return "" if owner is None or owner == default_project() else f"{owner}:"
