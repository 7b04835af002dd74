"""The `glassdex` command. Heavy modules are imported by the commands that need them."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import typer

from glassdex import __version__
from glassdex.cli import demo, index, open_, projects, search, status
from glassdex.errors import GlassdexError, InputError

EXIT_NOTHING_FOUND = 1
EXIT_BAD_INPUT = 2
EXIT_UNAVAILABLE = 3
EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="glassdex",
    help="Search your notes by words and by meaning, and see why each answer is there.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("index")(index.index)
app.command("search", context_settings={"ignore_unknown_options": True})(search.search)
app.command("open")(open_.open_)
app.command("status")(status.status)
app.add_typer(projects.app, name="projects")
app.command("demo")(demo.demo)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    """Search your notes by words and by meaning, and see why each answer is there."""
    if version:
        print(f"glassdex {__version__}")  # noqa: T201
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise typer.Exit(EXIT_BAD_INPUT)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and leaves the process with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["search"]:
        given = protect_dashed_words(given)
    as_json = "--json" in given
    try:
        app(given, prog_name="glassdex")
    except GlassdexError as error:
        _report(error, as_json)
        sys.exit(EXIT_BAD_INPUT if isinstance(error, InputError) else EXIT_UNAVAILABLE)
    except KeyboardInterrupt:
        print("interrupted; what was done is kept, run it again to go on", file=sys.stderr)  # noqa: T201
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader went away (`| head`): not an error, and nothing more may be written.
        sys.stderr.close()
        sys.exit(0)


def protect_dashed_words(arguments: Sequence[str]) -> list[str]:
    """Marks `-word` and `-"a phrase"`, which exclude a word from a search, so that they are not read as options."""
    return [
        search.DASH_MARK + argument[1:] if re.match(r'-(?:[^\W\d]\w|").*', argument, re.DOTALL) else argument
        for argument in arguments
    ]


def _report(error: GlassdexError, as_json: bool) -> None:
    if as_json:
        from glassdex.envelopes.error import error_answer

        print(error_answer(error).to_json(), file=sys.stderr)  # noqa: T201
        return
    from glassdex.cli.terminal import safe_line

    lines = [f"error: {safe_line(error.message)} [{error.code}]"]
    if error.suggestion:
        lines.append(f"  try: {safe_line(error.suggestion)}")
    print("\n".join(lines), file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
