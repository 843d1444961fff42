"""Create a book, or rerun one of its pages with other parameters.

companion new FOLDER
companion rerun PAGE -p NAME VALUE -o FOLDER [--book BOOK]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from companion.errors import CompanionError
from companion.project import refuse_address

HERE = Path(__file__).resolve().parent


def build_wheel(folder: Path) -> Path:
    """Build the kit's wheel from its files, installed or not, and return the wheel's path."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompanionError(f"the wheel of the kit cannot be built, which takes hatchling: {done.stderr.strip()}")
    (wheel,) = folder.glob("*.whl")
    return wheel


def new(folder: Path) -> None:
    """Write a book of two pages into a new folder, with the kit as a wheel, which no index offers.

    Raises
    ------
    CompanionError
        If the folder exists or is an address, or the wheel cannot be built.
    """
    refuse_address(folder)
    if folder.exists():
        raise CompanionError(f"{folder} already exists: choose another folder")
    with tempfile.TemporaryDirectory() as aside:
        book = Path(aside) / "book"
        shutil.copytree(HERE / "template", book, ignore=shutil.ignore_patterns("__pycache__"))
        (book / "gitignore").rename(book / ".gitignore")
        wheel = build_wheel(book / "vendor")
        wanted = book / "requirements.txt"
        text = wanted.read_text(encoding="utf-8").format(companion=f"./vendor/{wheel.name}")
        wanted.write_text(text, encoding="utf-8")
        shutil.move(book, folder)


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
        option = f" (--{error.argument})" if error.argument else ""
        print(f"companion: {error}{option}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
