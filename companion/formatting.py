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


def main() -> int:
    """Format the chapters; with ``--check``, return 1 if formatting or
    width is wrong.
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
    asked, code = options.parse_args(), 0
    if not asked.folder.is_dir():
        options.error(
            f"there is no folder {asked.folder}: name the one with the chapters"
        )
    for path in sorted(asked.folder.glob("*.md")):
        text = before = path.read_text(encoding="utf-8")
        if "{code-cell}" not in text:
            continue
        for cell in jupytext.read(path).cells:
            if cell.cell_type == "code" and "parameters" not in cell.metadata.get(
                "tags", []
            ):
                assert cell.source in text, (
                    f"{path.name}: a cell reads differently in the file"
                )
                source = formatted(cell.source)
                text = text.replace(cell.source, source)
                for line in too_wide(source):
                    code = 1
                    print(
                        f"{path} has a line of {len(line)} columns, not {WIDTH}:"
                        f" {line.strip()}"
                    )
        if text != before:
            code = 1
            print(f"{path} is not formatted" if asked.check else f"formatted {path}")
            if not asked.check:
                path.write_text(text, encoding="utf-8")
    return code if asked.check else 0


if __name__ == "__main__":
    sys.exit(main())
