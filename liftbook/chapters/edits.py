"""Whether a notebook that is rerun has the code of the book's chapter of its name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion.parameters import read_notebook
from companion.solutions import tags
from liftbook.chapters.parameters import chapters_folder


def edited_cells(path: Path) -> int | None:
    """Return how many code cells of a notebook were changed, added or left out, or None if it is no chapter's.

    A downloaded notebook counts as the chapter: it has a cell that installs the library, no cells that only fill in
    numbers, and empty answers. Its checks, which contain sealed answers, are not compared.
    """
    chapter = chapters_folder() / f"{path.stem}.md"
    if not chapter.is_file():
        return None
    if path.resolve() == chapter.resolve():
        return 0
    cells, own = _code(chapter), _code(path)
    counts = [_apart([cell.source for cell in cells], [cell.source for cell in own])]
    if counts[0] and path.suffix == ".ipynb":
        from companion.sphinx.notebooks import FROM_REPOSITORY, FROM_WHEEL, code  # noqa: PLC0415 - Sphinx, a second

        installs = [re.sub(r"\\{\w+\\}", "[^\n]*", re.escape(text)) for text in (FROM_REPOSITORY, FROM_WHEEL)]
        if own and any(re.fullmatch(pattern, own[0].source) for pattern in installs):
            own = own[1:]
        wanted = [new.source for cell in cells if "check" not in tags(cell) for new in code(cell)]
        counts.append(_apart(wanted, [cell.source for cell in own if "check" not in tags(cell)]))
    return min(counts)


def _code(path: Path) -> list[Any]:
    return [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]


def _apart(wanted: Sequence[str], own: Sequence[str]) -> int:
    """Return the number of cells by which two notebooks differ."""
    ours, theirs = ([source.strip() for source in sources] for sources in (wanted, own))
    steps = difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for step, i1, i2, j1, j2 in steps if step != "equal")
