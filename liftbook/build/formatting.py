"""Format the code of every chapter, parameters cells apart, to the page's width; --check only says what differs.

A comment or a text that is wider is named, for its author to break.
"""

import subprocess
import sys
from pathlib import Path

import jupytext

ROOT = Path(__file__).resolve().parents[2]
RUFF = str(Path(sys.executable).with_name("ruff"))
WIDTH = 76
"""Columns that a page shows without a break."""
FORMAT = [RUFF, "format", "--line-length", str(WIDTH), "--stdin-filename", "cell.py", "-"]


def formatted(source: str) -> str:
    """Return code formatted by ruff, with a trailing semicolon kept: it hides a cell's value."""
    quiet = source.rstrip().endswith(";")
    done = subprocess.run(FORMAT, input=source, text=True, capture_output=True, check=True)
    return done.stdout.rstrip("\n") + (";" if quiet else "")


def too_wide(source: str) -> list[str]:
    """Return the lines of a cell that are wider than the page.

    >>> too_wide("a = 1\\n# " + 75 * "-")
    ['# ---------------------------------------------------------------------------']
    """
    return [line for line in source.splitlines() if len(line) > WIDTH]


def main() -> int:
    """Return 1 if a chapter was not formatted, and format it unless told only to check."""
    check, code = "--check" in sys.argv, 0
    for path in sorted((ROOT / "chapters").glob("*.md")):
        if "{code-cell}" not in path.read_text(encoding="utf-8"):
            continue
        text = before = path.read_text(encoding="utf-8")
        for cell in jupytext.read(path).cells:
            if cell.cell_type == "code" and "parameters" not in cell.metadata.get("tags", []):
                assert cell.source in text, f"{path.name}: a cell reads differently in the file"
                text = text.replace(cell.source, formatted(cell.source))
                for line in too_wide(formatted(cell.source)):
                    code = 1
                    where = path.relative_to(ROOT)
                    print(f"{where} has a line of {len(line)} columns, not {WIDTH}: {line.strip()}")
        if text != before:
            code = 1
            print(f"{path.relative_to(ROOT)} is not formatted" if check else f"formatted {path.relative_to(ROOT)}")
            if not check:
                path.write_text(text, encoding="utf-8")
    return code if check else 0


if __name__ == "__main__":
    sys.exit(main())
