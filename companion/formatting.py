"""Format the code cells of a folder's chapters, or only ``--check`` them.

    python -m companion.formatting [--check] [FOLDER]

The folder is ``chapters`` by default.
Lines that ruff cannot shorten, such as long comments, are reported.
"""

import argparse
import subprocess
import sys
from pathlib import Path

import jupytext

from companion.errors import CompanionError
from companion.solutions import tags

RUFF = str(Path(sys.executable).with_name("ruff"))
WIDTH = 76  # columns that a page shows without a break
FORMAT = [
    RUFF,
    "format",
    "--line-length",
    str(WIDTH),
    "--stdin-filename",
    "cell.py",
    "-",
]


def formatted(source: str) -> str:
    """Return code formatted by ruff, with a trailing semicolon kept."""
    quiet = source.rstrip().endswith(";")
    process = subprocess.run(
        FORMAT, input=source, text=True, capture_output=True, check=True
    )
    return process.stdout.rstrip("\n") + (";" if quiet else "")


def too_wide(source: str) -> list[str]:
    """Return the lines of a cell that are longer than ``WIDTH``.

    >>> too_wide("a = 1\\n# " + 75 * "-")
    ['# ---------------------------------------------------------------------------']
    """
    return [line for line in source.splitlines() if len(line) > WIDTH]


def formatted_page(text: str) -> tuple[str, list[str]]:
    """Return a page's text with its code cells formatted, and the lines of code that
    are still too wide.

    The cell of parameters stays as it is, because its comments are part of it.

    Raises
    ------
    CompanionError
        If a cell reads differently in the text, such as one with tabs.
    """
    wide: list[str] = []
    at = 0  # cells come in the text's order, and a cell may be like one before it
    for cell in jupytext.reads(text, "md:myst").cells:
        if cell.cell_type != "code":
            continue
        source = cell.source
        # with the fence that ends it, as the same code may stand in a sentence
        start = text.find(f"\n{source}\n```", at) + 1
        if not start:
            first = source.partition("\n")[0]
            raise CompanionError(f"the cell that begins {first!r} reads differently")
        if "parameters" not in tags(cell):
            source = formatted(source)
            wide += too_wide(source)
        text = text[:start] + source + text[start + len(cell.source) :]
        at = start + len(source)
    return text, wide


def main() -> int:
    """Format the chapters; with ``--check``, return 1 if formatting or width is
    wrong.
    """
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path("chapters"),
        help="of the chapters' sources",
    )
    options.add_argument("--check", action="store_true", help="change nothing")
    asked = options.parse_args()
    if not asked.folder.is_dir():
        options.error(
            f"there is no folder {asked.folder}: name the one with the chapters"
        )
    code = 0
    for path in sorted(asked.folder.glob("*.md")):
        before = path.read_text(encoding="utf-8")
        if "{code-cell}" not in before:
            continue
        try:
            text, wide = formatted_page(before)
        except CompanionError as error:
            options.error(f"{path}: {error}; write it as jupytext does")
        for line in wide:
            print(
                f"{path} has a line of {len(line)} columns, not {WIDTH}: {line.strip()}"
            )
        if text != before and not asked.check:
            path.write_text(text, encoding="utf-8")
        if text != before:
            print(f"{path} is not formatted" if asked.check else f"formatted {path}")
        if wide or text != before:
            code = 1
    return code if asked.check else 0


if __name__ == "__main__":
    sys.exit(main())
