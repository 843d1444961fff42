"""The command line: ``python -m liftlib``, also installed as ``lift``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from liftlib import __version__
from liftlib.errors import LiftError
from liftlib.rerun import chapters_folder, find_chapter, read_parameters, rerun

EXAMPLES = """examples:
  python -m liftlib list
  python -m liftlib list watchdog
  python -m liftlib rerun watchdog -p n_trials 50 -p epsilons "[1, 2]" -o runs/try1
"""


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    main_parser = argparse.ArgumentParser(
        prog="lift", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    main_parser.add_argument("--version", action="version", version=f"liftlib {__version__}")
    main_parser.add_argument("--debug", action="store_true", help="show a traceback with an error")
    commands = main_parser.add_subparsers(dest="command", required=True)

    listing = commands.add_parser("list", help="chapters with their parameters")
    listing.add_argument("chapter", nargs="*", help="only these")

    again = commands.add_parser(
        "rerun",
        help="execute a chapter with other parameters",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    again.add_argument("chapter", help="a name that `list` shows, or the path of a MyST notebook")
    again.add_argument(
        "-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="may be repeated"
    )
    again.add_argument("-o", "--output", type=Path, required=True, help="the folder to write; it must not be there")
    again.add_argument("--force", action="store_true", help="replace the folder if it is there")
    again.add_argument("--html", action=argparse.BooleanOptionalAction, default=True, help="write an HTML page")
    again.add_argument("--timeout", type=int, help="seconds that one cell may take")
    again.add_argument("--quiet", action="store_true", help="no progress bar")
    return main_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, or 2 with a message of one line where something is wrong."""
    options = parser().parse_args(arguments)
    try:
        return _list(options) if options.command == "list" else _rerun(options)
    except LiftError as error:
        if options.debug:
            raise
        print(f"lift: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("lift: stopped; nothing was written", file=sys.stderr)
        return 130


def _list(options: argparse.Namespace) -> int:
    paths = [find_chapter(name) for name in options.chapter] or sorted(chapters_folder().glob("*.md"))
    for path in paths:
        parameters = read_parameters(path)
        if not parameters:
            continue
        print(path.stem)
        for parameter in parameters:
            print(f"  {parameter.name}: {parameter.annotation} = {parameter.default!r}")
            if parameter.comment:
                print(f"      {parameter.comment}")
    return 0


def _rerun(options: argparse.Namespace) -> int:
    values: dict[str, str] = {}
    for name, value in options.parameter:
        if name in values:
            raise LiftError(f"parameter {name!r} is given twice: give it once")
        values[name] = value
    run = rerun(
        options.chapter,
        values,
        options.output,
        html=options.html,
        force=options.force,
        progress=not options.quiet,
        timeout=options.timeout,
    )
    print(f"{run.notebook}  ({run.seconds:.1f} s)")
    for path in (run.page, *run.tables):
        if path is not None:
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
