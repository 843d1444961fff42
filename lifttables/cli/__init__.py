"""The command ``lift``, and the runner that it shares with ``liftbook``."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from liftlib import __version__
from liftlib.errors import LiftError, LiftWarning
from lifttables.extras import extra


class Command(NamedTuple):
    """A command: its module, a summary, and the extra that it needs."""

    module: str
    summary: str
    extra: str


SUMMARIES = {
    "audit": "show what a column of a table reveals about a secret column",
    "release": "publish a column and limit what it reveals about a secret column",
    "estimate": (
        "estimate a column's distribution from its release, which is verified first"
    ),
    "verify": "check that a release and a card belong together",
    "example": "write a small synthetic table to try the commands on",
}
# each module has ``EXAMPLES``, ``add(parser)`` and ``run(options)``, which returns the
# exit code
COMMANDS = {
    name: Command(f"lifttables.cli.{name}", summary, "tables")
    for name, summary in SUMMARIES.items()
}

# the options of arguments that library errors name as their remedy; other arguments are
# for Python
OPTIONS = {
    "bins": "--bin",
    "categorical": "--bin COLUMN=codes",
    "counts": "--counts",
    "dates": "--dates",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "force": "--force",
    "hierarchies": "--hierarchy",
    "ledger": "--ledger",
    "missing": "--missing",
    "na": "--na",
    "noise": "--noise",
    "separator": "--separator",
    "population": "--population",
    "values": "--values",
}

MOST_SHOWN = 1000  # characters at either end of a message
TEXT_MARK = "\0"  # before a text that looks like an option
# any error; Ctrl-C; broken pipe
EXIT_ERROR, EXIT_INTERRUPTED, EXIT_PIPE_CLOSED = 2, 130, 141


class Program(NamedTuple):
    """A program with several commands."""

    name: str
    description: str
    commands: Mapping[str, Command]
    debug: bool = False  # whether it has an option that shows tracebacks


LIFT = Program(
    "lift", "Publish columns of a table without revealing a secret column.", COMMANDS
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command of ``lift`` and return its exit code."""
    return run(LIFT, arguments)


def run(program: Program, arguments: Sequence[str] | None = None) -> int:
    """Run a command of a program and return its exit code; errors print one line."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller, as by >&-
            setattr(sys, name, io.TextIOWrapper(io.BytesIO()))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # of characters that the terminal's encoding lacks
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            return _run(program, words)
        finally:
            # report a closed pipe or a full disk here, not when the interpreter exits
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_the_rest()
        return EXIT_PIPE_CLOSED
    except (OSError, MemoryError) as error:
        if program.debug and "--debug" in words:
            raise
        reason = getattr(error, "strerror", None) or type(error).__name__
        where = getattr(error, "filename", None)
        nameless = (
            "this machine has no more"
            if isinstance(error, MemoryError)
            else "the standard output; files that this run has written stay"
        )
        print(f"{program.name}: {reason}: {where or nameless}", file=sys.stderr)
        _drop_the_rest()
        return EXIT_ERROR


def _drop_the_rest() -> None:
    """Discard unwritten output; otherwise the interpreter would exit with code 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(program: Program, words: list[str]) -> int:
    try:
        parser, module = _parser(program, words)
        options = parser.parse_args(_with_texts(parser, words))
        with extra(program.commands[options.command].extra), warnings.catch_warnings():
            # who types a command cannot mend a library's use of another
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("always", LiftWarning)
            # it prints a message, and of no place
            warnings.showwarning = partial(_warn, program.name)
            code: int = module.run(options)
    except LiftError as error:
        if program.debug and "--debug" in words:
            raise
        named = [OPTIONS[name] for name in error.arguments if name in OPTIONS]
        remedy = f" ({', '.join(dict.fromkeys(named))})" * bool(named)
        # a few errors have several lines, each of which is a sentence for the user
        *lines, last = map(_line, getattr(error, "lines", (error,)))
        for line in [*lines, f"{last}{remedy}"]:
            print(f"{program.name}: {line}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(
            f"{program.name}: stopped; what is not finished was not written",
            file=sys.stderr,
        )
        return EXIT_INTERRUPTED
    return code


def _warn(
    program: str, message: Warning | str, category: type[Warning], *_: object
) -> None:
    print(
        f"{program}:"
        f" {'' if issubclass(category, LiftWarning) else 'warning: '}{_line(message)}",
        file=sys.stderr,
    )


def _line(error: object) -> str:
    """Return a message on one line, without control characters; of a very long one, the
    beginning and the end.
    """
    from lifttables.files import printable  # noqa: PLC0415 - help needs no files

    text = printable(" ".join(str(error).split()))
    return (
        text
        if len(text) <= 2 * MOST_SHOWN
        else f"{text[:MOST_SHOWN]} [...] {text[-MOST_SHOWN:]}"
    )


def _with_texts(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """Return the words with those after ``--na`` marked as texts, up to the next
    option: ``--`` and ``-x`` may be.
    """
    options = [
        option for sub in _subparsers(parser) for option in sub._option_string_actions
    ]
    marked, inside = [], False
    for word in words:
        name = word.partition("=")[0]
        is_option = name in options or (
            len(name) > 2 and any(option.startswith(name) for option in options)
        )
        inside = name == "--na" if is_option else inside
        marked.append(
            f"{TEXT_MARK}{word}"
            if inside and not is_option and word.startswith("-")
            else word
        )
    return marked


def _subparsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    actions = [
        action
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    return [sub for action in actions for sub in action.choices.values()]


def _parser(program: Program, words: list[str]) -> tuple[argparse.ArgumentParser, Any]:
    """Return the parser, with the options of the named command only, and its module."""
    parser = argparse.ArgumentParser(prog=program.name, description=program.description)
    parser.add_argument("--version", action="version", version=f"liftlib {__version__}")
    if program.debug:
        parser.add_argument(
            "--debug", action="store_true", help="show a traceback with an error"
        )
    commands = parser.add_subparsers(dest="command", required=True)
    # the options before the command take no values
    named = next((word for word in words if not word.startswith("-")), None)
    module = None
    for name, command in program.commands.items():
        subparser = commands.add_parser(
            name,
            help=command.summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == named:
            with extra(command.extra):
                module = import_module(command.module)
            subparser.description = (
                f"{command.summary[0].upper()}{command.summary[1:]}."
            )
            subparser.epilog = f"examples:\n{module.EXAMPLES}"
            module.add(subparser)
    return parser, module
