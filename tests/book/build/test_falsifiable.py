"""A cell that asserts a statement fails when the statement is changed: negated, or its bound moved by a per cent."""

import ast
import tomllib
from pathlib import Path

import pytest

from liftbook.build.book import with_values
from liftbook.build.rebinding import bound
from liftbook.chapters import preview_parameters, read_notebook

ROOT = Path(__file__).resolve().parents[3]

with Path(__file__).with_name("evidence.toml").open("rb") as file:
    CHANGES = [
        (chapter, change["old"], change["new"])
        for chapter, found in tomllib.load(file).items()
        for change in found.get("changes", [])
    ]


def loaded(source):
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def needed(cells, target):
    """Return the cells that bind what a cell uses, and what those use, in their order."""
    wanted, chosen = loaded(cells[target]), [target]
    for at in range(target - 1, -1, -1):
        if wanted & {name for name, _ in bound(ast.parse(cells[at]))}:
            chosen.append(at)
            wanted |= loaded(cells[at])
    return [cells[at] for at in sorted(chosen)]


def run(chapter, old, new):
    path = ROOT / "chapters" / f"{chapter}.md"
    values, cells = preview_parameters(path), []
    for cell in read_notebook(path).cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and "remove-cell" not in tags and "plots." not in cell.source:
            cells.append(with_values(cell.source, values) if "parameters" in tags else cell.source)
    (target,) = [at for at, source in enumerate(cells) if old in source]
    assert cells[target].count(old) == 1
    cells[target] = cells[target].replace(old, new)
    names = {"__name__": chapter}
    for source in needed(cells, target):
        exec(compile(source, f"{chapter}.md", "exec"), names)  # noqa: S102 - the book's own cells


@pytest.mark.parametrize("chapter", sorted({chapter for chapter, _, _ in CHANGES}))
def test_a_cell_holds_as_it_stands(chapter):
    for _, old, _ in [change for change in CHANGES if change[0] == chapter]:
        run(chapter, old, old)


@pytest.mark.parametrize(("chapter", "old", "new"), CHANGES, ids=lambda text: text[:40])
def test_a_changed_statement_fails(chapter, old, new):
    with pytest.raises(AssertionError):
        run(chapter, old, new)
