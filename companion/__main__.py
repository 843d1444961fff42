"""Create a book, or run its pages with other parameters.

companion new FOLDER
companion rerun PAGE -p NAME VALUE -o FOLDER [--book BOOK]
companion sweep PAGE -m NAME=VALUE,VALUE -o FOLDER [--book BOOK]
companion diff RUN RUN
companion collect FOLDER... -o NAME
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from companion.errors import CompanionError
from companion.runs.commands import Collect, Diff, Rerun, Sweep

ON_A_BOOK: dict[str, Rerun | Sweep] = {"rerun": Rerun(), "sweep": Sweep()}
ON_FOLDERS: dict[str, Diff | Collect] = {"diff": Diff(), "collect": Collect()}
HELP = {
    "rerun": "execute a page with other parameters and lay it out",
    "sweep": "run a page over a grid of parameters, resuming where it stopped",
    "diff": "show in what two runs differ",
    "collect": "write the rows of many runs into one table",
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    options = argparse.ArgumentParser(
        "companion", description="Begin a companion to a paper, or run its pages."
    )
    commands = options.add_subparsers(dest="command", required=True)
    begin = commands.add_parser(
        "new", help="write a book of two pages into a new folder"
    )
    begin.add_argument("folder", type=Path)
    for name, of_book in ON_A_BOOK.items():
        command = commands.add_parser(name, help=HELP[name])
        of_book.add(command)
        said = "the folder with conf.py or _config.yml (this one)"
        command.add_argument("--book", type=Path, default=Path(), help=said)
    for name, of_folders in ON_FOLDERS.items():
        of_folders.add(commands.add_parser(name, help=HELP[name]))
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 2 after a ``CompanionError``, 130 after
    Ctrl-C.
    """
    asked = parser().parse_args(arguments)
    try:
        return _run(asked)
    except CompanionError as error:
        option = f" (--{error.argument})" if error.argument else ""
        print(f"companion: {error}{option}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(
            "companion: stopped; what is not finished was not written", file=sys.stderr
        )
        return 130


def _run(asked: argparse.Namespace) -> int:
    if asked.command == "new":
        from companion.beginning import new

        new(asked.folder)
        print(f"{asked.folder}: now run `make book` and `make test` there")
        return 0
    if asked.command in ON_FOLDERS:
        return ON_FOLDERS[asked.command].run(asked)
    from companion.project import refuse_address
    from companion.runs.book import Book

    refuse_address(asked.output)
    return ON_A_BOOK[asked.command].run(asked, Book(asked.book), "")


if __name__ == "__main__":
    sys.exit(main())
