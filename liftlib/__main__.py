"""The command line: ``python -m liftlib``, also installed as ``lift``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from liftlib import __version__
from liftlib.cli import chapters, tables
from liftlib.errors import LiftError


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    made = argparse.ArgumentParser(
        prog="lift", description="Lift-based privacy: rerun the book's chapters, sanitise and audit a table."
    )
    made.add_argument("--version", action="version", version=f"liftlib {__version__}")
    made.add_argument("--debug", action="store_true", help="show a traceback with an error")
    commands = made.add_subparsers(dest="command", required=True)
    chapters.add(commands)
    tables.add(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, or 2 with a message of one line where something is wrong."""
    options = parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except LiftError as error:
        if options.debug:
            raise
        print(f"lift: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("lift: stopped; what is not finished was not written", file=sys.stderr)
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
