"""The `glassdex` command. Heavy modules are imported by the commands that need them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import typer
from typer.main import get_command

from glassdex import __version__
from glassdex.cli import (
    calibrate,
    compare,
    completion,
    context,
    demo,
    doctor,
    eval_,
    index,
    inspect,
    mcp,
    open_,
    projects,
    search,
    serve,
    sessions,
    status,
)
from glassdex.cli.choose import help_or_command
from glassdex.cli.terminal import complain, give_up_lost_output, prepare_streams, print_json, safe, safe_line, say
from glassdex.errors import GlassdexError, InputError, InternalError, InvalidRequest, UnavailableError

EXIT_DECLINED = 1
EXIT_BAD_INPUT = 2
EXIT_UNAVAILABLE = 3
EXIT_INTERRUPTED = 130
EXAMPLES = """\b
Begin with:
  glassdex demo
  glassdex index ~/notes
  cd ~/notes
  glassdex search "what did we decide about backups\""""
SHOWN_CANDIDATES = 10
SHOWN_CHARACTERS = 300
"""Of an unexpected exception's own words: they may hold a whole file."""

# The class above BadParameter, wherever this Typer keeps it: in the click package or in a copy of its own.
_UsageError = cast("type[Exception]", typer.BadParameter.__mro__[1])

app = typer.Typer(
    name="glassdex",
    help="Search your notes, documents and transcripts by words and by meaning, and see why each answer is there.",
    epilog=EXAMPLES,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("index", epilog=index.EXAMPLES)(index.index)
app.command("search", cls=search.SearchCommand, epilog=search.EXAMPLES)(search.search)
app.command("context", cls=search.SearchCommand, epilog=context.EXAMPLES)(context.context)
app.command("open", cls=search.SearchCommand, epilog=open_.EXAMPLES)(open_.open_)
app.add_typer(inspect.app, name="inspect")
app.add_typer(sessions.app, name="sessions")
app.command("status")(status.status)
app.command("doctor")(doctor.doctor)
app.command("calibrate")(calibrate.calibrate)
app.command("eval", epilog=eval_.EXAMPLES)(eval_.eval_)
app.command("compare", epilog=compare.EXAMPLES)(compare.compare)
app.command("serve", epilog=serve.EXAMPLES)(serve.serve)
app.command("mcp", epilog=mcp.EXAMPLES)(mcp.mcp)
app.add_typer(projects.app, name="projects")
app.command("demo")(demo.demo)
app.command("completion", epilog=completion.EXAMPLES)(completion.completion)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    """Search your notes by words and by meaning, and see why each answer is there."""
    if version:
        say(f"glassdex {__version__}")
        raise typer.Exit
    help_or_command(context)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and leaves the process with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    prepare_streams()
    try:
        code = _invoke(given)
        sys.stdout.flush()
    except GlassdexError as error:
        code = _report(error, given)
    except KeyboardInterrupt:
        resumable = given[:1] in (["index"], ["demo"])
        complain("interrupted; the next run goes on from there" if resumable else "interrupted")
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        code = 0  # the reader went away (`| head`): not an error
    except OSError as error:
        _print_traceback(error)
        code = _report(UnavailableError(_os_message(error)), given)
    except Exception as error:  # the last place where a person can be told what happened
        _print_traceback(error)
        code = _report(_internal_error(error), given)
    give_up_lost_output()
    sys.exit(code)


def _invoke(given: Sequence[str]) -> int:
    if completion.VARIABLE in os.environ:
        app(list(given), prog_name="glassdex")
    command = get_command(app)
    _refuse_second_project(given)
    try:
        # Not `command.main`: it has ways of its own to end on a closed pipe, an interrupt and a wrong option.
        with command.make_context("glassdex", list(given)) as context:
            command.invoke(context)
    except typer.Exit as wanted:
        return wanted.exit_code
    except typer.Abort:
        complain("nothing was done")
        return EXIT_DECLINED
    except _UsageError as error:
        raise _usage_error(error, given) from error
    return 0


def _refuse_second_project(given: Sequence[str]) -> None:
    """Of two projects the last would win in silence where a command takes one."""
    if given[:1] == ["search"] or list(given[:2]) == ["inspect", "query"]:
        return
    before = list(given[: given.index("--")] if "--" in given else given)
    takers = _options_with_value(get_command(app))
    named = [
        word
        for position, word in enumerate(before)
        if (word in ("-p", "--project") or word.startswith("--project="))
        and not (position and before[position - 1] in takers)
    ]
    if len(named) > 1:
        raise InvalidRequest(
            "this command takes one project", "several at once: glassdex search, glassdex inspect query"
        )


def _usage_error(error: Exception, given: Sequence[str]) -> InvalidRequest:
    """What click has to say about a command line, as one of our errors."""
    words = (word for word in given[:1] if word.isalpha())
    path = getattr(getattr(error, "ctx", None), "command_path", " ".join(("glassdex", *words)))
    suggestion = f"{path} --help"
    message = str(getattr(error, "format_message", error.__str__)()).rstrip(".").replace(search.DASH_MARK, "-")
    option = getattr(error, "option_name", None)
    if option and hasattr(error, "possibilities"):
        near = sorted(getattr(error, "possibilities", None) or ())
        message = f"no such option: {option}"
        suggestion = f"{' or '.join(near)}; all of them: {suggestion}" if near else suggestion
        if path in ("glassdex search", "glassdex context", "glassdex inspect query", "glassdex inspect why-not"):
            suggestion += f"; if it is a word of the query: {path} -- {option}"
    return InvalidRequest(message[:1].lower() + message[1:], suggestion)


def _os_message(error: OSError) -> str:
    where = f": {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else ""
    return f"{(error.strerror or str(error)).lower()}{where}"


def _internal_error(error: Exception) -> InternalError:
    words = " ".join(str(error).split())
    words = words if len(words) <= SHOWN_CHARACTERS else f"{words[:SHOWN_CHARACTERS]} …"
    kind = type(error).__name__
    return InternalError(
        f"a fault of Glassdex, not of your request: {kind}: {words}" if words else f"a fault of Glassdex: {kind}",
        "run it again with GLASSDEX_DEBUG=1 for the traceback, and report that; `glassdex doctor` checks the project",
    )


def _print_traceback(error: Exception) -> None:
    """Where something unexpected came from, if GLASSDEX_DEBUG asks for it."""
    if os.environ.get("GLASSDEX_DEBUG", "") not in ("", "0"):
        import traceback

        complain(safe("".join(traceback.format_exception(error))).rstrip())


def _report(error: GlassdexError, given: Sequence[str]) -> int:
    if wants_json(given):
        from glassdex.envelopes.error import error_answer

        with suppress(OSError):  # nobody reads standard error any more
            print_json(error_answer(error).to_json(), to_stderr=True)
    else:
        lines = [f"error: {safe_line(error.message)} [{error.code}]"]
        if error.suggestion:
            lines.append(f"  try: {safe_line(error.suggestion)}")
        # All of them, also the one that is suggested: a rest alone would look like all that there is.
        if any(name not in error.suggestion for name in error.candidates):
            more = " …" if len(error.candidates) > SHOWN_CANDIDATES else ""
            lines.append(f"  there is: {', '.join(map(safe_line, error.candidates[:SHOWN_CANDIDATES]))}{more}")
        complain(*lines)
    return EXIT_BAD_INPUT if isinstance(error, InputError) else EXIT_UNAVAILABLE


def wants_json(given: Sequence[str]) -> bool:
    """Whether `--json` stands there as an option: not behind `--`, and not as another option's value."""
    before = list(given[: given.index("--")] if "--" in given else given)
    takers = _options_with_value(get_command(app))
    return any(
        word == "--json" and not (position and before[position - 1] in takers) for position, word in enumerate(before)
    )


def _options_with_value(command: object) -> set[str]:
    names = {
        name
        for parameter in getattr(command, "params", ())
        if parameter.param_type_name == "option" and not parameter.is_flag
        for name in parameter.opts
    }
    for part in getattr(command, "commands", {}).values():
        names |= _options_with_value(part)
    return names


if __name__ == "__main__":
    main()
