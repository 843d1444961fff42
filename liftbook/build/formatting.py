"""Format the code of every chapter, parameters cells apart, to the page's width; --check only says what differs."""

import subprocess
import sys
from pathlib import Path

import jupytext

ROOT = Path(__file__).resolve().parents[2]
RUFF = str(Path(sys.executable).with_name("ruff"))
FORMAT = [RUFF, "format", "--line-length", "88", "--stdin-filename", "cell.py", "-"]


def formatted(source: str) -> str:
    """Return code formatted by ruff, with a trailing semicolon kept: it hides a cell's value."""
    quiet = source.rstrip().endswith(";")
    done = subprocess.run(FORMAT, input=source, text=True, capture_output=True, check=True)
    return done.stdout.rstrip("\n") + (";" if quiet else "")


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
        if text != before:
            code = 1
            print(f"{path.relative_to(ROOT)} is not formatted" if check else f"formatted {path.relative_to(ROOT)}")
            if not check:
                path.write_text(text, encoding="utf-8")
    return code if check else 0


if __name__ == "__main__":
    sys.exit(main())
