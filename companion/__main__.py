"""Create a book, or rerun one of its pages with other parameters.

companion new FOLDER
companion rerun PAGE -p NAME VALUE -o FOLDER [--book BOOK]
"""

from __future__ import annotations

import argparse
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

from companion.errors import CompanionError
from companion.project import refuse_address

HERE = Path(__file__).resolve().parent


def requirement() -> str:
    """Return the pip requirement: the local sources if present, else this version."""
    if (HERE / "pyproject.toml").is_file():
        return f"paper-companion @ {HERE.as_uri()}"
    return f"paper-companion=={version('paper-companion')}"


def new(folder: Path) -> None:
    """Write a book of two pages into a new folder.

    Raises
    ------
    CompanionError
        If the folder exists.
    """
    refuse_address(folder)
    if folder.exists():
        raise CompanionError(f"{folder} already exists: choose another folder")
    shutil.copytree(HERE / "template", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "gitignore").rename(folder / ".gitignore")
    wanted = folder / "requirements.txt"
    wanted.write_text(wanted.read_text(encoding="utf-8").format(companion=requirement()), encoding="utf-8")


def main() -> int:
    """Run the command and return its exit code: 0, or 2 after a ``CompanionError``."""
    options = argparse.ArgumentParser("companion", description="Begin a companion to a paper, or rerun a page of it.")
    commands = options.add_subparsers(dest="command", required=True)
    begin = commands.add_parser("new", help="write a book of two pages into a new folder")
    begin.add_argument("folder", type=Path)
    again = commands.add_parser("rerun", help="execute a page with other parameters and lay it out")
    again.add_argument("page", help="its name, such as coins")
    again.add_argument("-p", dest="values", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"))
    again.add_argument("-o", dest="output", type=Path, required=True, help="a new folder")
    again.add_argument("--book", type=Path, default=Path(), help="the folder with conf.py (this one)")
    asked = options.parse_args()
    try:
        if asked.command == "new":
            new(asked.folder)
            print(f"{asked.folder}: now run `make book` and `make test` there")
        else:
            from companion.rerunning import rerun

            print(rerun(asked.page, dict(asked.values), asked.output, asked.book))
    except CompanionError as error:
        print(f"companion: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
