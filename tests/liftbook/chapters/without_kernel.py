"""Chapters run in this process, for tests of what becomes of a run's folder."""

import json

import nbformat

from companion import running
from companion.solutions import tags
from liftbook.chapters import results


def executed_here(written, path, parameters, **_):
    """Stand in for ``running._in_kernel``."""
    notebook = nbformat.read(written, as_version=4)
    names, failure = {}, ""
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        if cell is notebook.cells[-1]:  # which shows the parameters
            shown = {"text/plain": repr(eval(cell.source, names))}  # noqa: S307
            cell.outputs.append(nbformat.v4.new_output("execute_result", data=shown))
            break
        code = cell.source.replace("from liftbook.chapters import keep", "")
        names["keep"] = lambda name, table, cell=cell: cell.outputs.append(kept(name, table))
        try:
            exec(code, names)  # noqa: S102 - the tests' own chapter
        except AssertionError as error:
            failure = f"a cell of {path.stem} failed with AssertionError: {error}"
            break
        if "parameters" in tags(cell):
            names |= parameters
    nbformat.write(notebook, written)
    return failure


def kept(name, table):
    """Return a table as a kernel's output."""
    rows = {"columns": list(table.columns), "rows": json.loads(table.to_json(orient="values"))}
    data = {results.MIME_PREFIX + results.ROWS_MIME: rows}
    return nbformat.v4.new_output("display_data", data=data, metadata={"scrapbook": {"name": name}})


def without_kernel(monkeypatch):
    """Run chapters in this process for the rest of a test."""
    monkeypatch.setattr(running, "_in_kernel", executed_here)
