"""Chapters run in this process, for tests of what becomes of a run's folder."""

import ast
import json

import nbformat

from companion.outputs.keeping import KEPT
from companion.runs import kernel


def executed_here(notebook, page, *_):
    """Stand in for ``kernel._in_kernel``."""
    names = {}
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        code = cell.source.replace("from liftbook.chapters import keep", "")
        names["keep"] = lambda name, table, cell=cell: cell.outputs.append(
            kept_output(name, table)
        )
        if cell is notebook.cells[-1]:  # which asks for the parameters
            *body, last = ast.parse(code).body
            exec(compile(ast.Module(body, []), "question", "exec"), names)  # noqa: S102
            shown = {"text/plain": repr(eval(ast.unparse(last), names))}  # noqa: S307
            cell.outputs.append(nbformat.v4.new_output("execute_result", data=shown))
            return "done", ""
        try:
            exec(code, names)  # noqa: S102 - the tests' own chapter
        except AssertionError as error:
            return (
                "failed",
                f"a cell of {page.stem} failed with AssertionError: {error}",
            )
    raise AssertionError("no cell asks for the parameters")


def kept_output(name, table):
    """Return a table as a kernel's output."""
    rows = {
        "columns": list(table.columns),
        "rows": json.loads(table.to_json(orient="values")),
    }
    data = {KEPT: rows}
    return nbformat.v4.new_output(
        "display_data", data=data, metadata={"scrapbook": {"name": name}}
    )


def without_kernel(monkeypatch):
    """Run chapters in this process for the rest of a test."""
    monkeypatch.setattr(kernel, "_in_kernel", executed_here)
