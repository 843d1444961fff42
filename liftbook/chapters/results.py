"""What a run leaves behind: tables of rows, figures, and a page that loads nothing from elsewhere."""

from __future__ import annotations

import base64
import html
import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from liftbook.chapters.errors import RerunError
from liftlib.resources import resource

RECORD = "application/papermill.record/"
ROWS_MIME = "application/vnd.liftlib.rows+json"
SVG, PNG = "image/svg+xml", "image/png"

TWO_FORMATS = [f"--InlineBackend.figure_formats={one}" for one in ("png", "svg")]
"""What the kernel is told, so that each figure comes as PNG and as SVG."""


def keep(name: str, table: pd.DataFrame) -> None:
    """Mark a table of a chapter as a result, so that a rerun writes it to ``name.csv``; the book does not show it."""
    from IPython.display import display  # noqa: PLC0415

    if not re.fullmatch(r"[a-z0-9_]+", name):
        raise RerunError(f"the table's name is {name!r}: use lower-case letters, digits and _")
    body = json.loads(table.to_json(orient="split", index=False, double_precision=15))
    rows = {"columns": body["columns"], "rows": body["data"], "seconds": table.attrs.get("seconds")}
    data = {RECORD + ROWS_MIME: rows}
    # the form in which glue records a value: the book's renderer reads it and leaves it out of the page
    display(data, metadata={"scrapbook": {"name": name, "mime_prefix": RECORD}}, raw=True)


def write_tables(notebook: Any, folder: Path) -> None:
    """Write each kept table to a CSV file."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            kept = output.get("data", {}).get(RECORD + ROWS_MIME)
            if kept:
                table = pd.DataFrame(kept["rows"], columns=kept["columns"])
                table.to_csv(folder / f"{output['metadata']['scrapbook']['name']}.csv", index=False)


def take_figures(notebook: Any, folder: Path) -> None:
    """Write each figure to ``figures`` as SVG and PNG, under its name in the book; the notebook keeps the PNG."""
    for number, cell in enumerate(notebook.cells):
        drawn = [o["data"] for o in cell.get("outputs", []) if PNG in o.get("data", {}) and SVG in o["data"]]
        named = cell.metadata.get("mystnb", {}).get("figure", {}).get("name", f"cell-{number}")
        for at, data in enumerate(drawn):
            target = folder / "figures"
            target.mkdir(exist_ok=True)
            name = re.sub(r"[^\w-]", "_", named) + ("" if len(drawn) == 1 else f"-{at + 1}")
            (target / f"{name}.svg").write_text(data.pop(SVG), encoding="utf-8")
            (target / f"{name}.png").write_bytes(base64.b64decode(data[PNG]))


@cache
def exporter() -> Any:
    """Return what makes pages of notebooks: its templates take a tenth of a second to compile."""
    from nbconvert import HTMLExporter  # noqa: PLC0415 - two seconds

    return HTMLExporter(mathjax_url="", require_js_url="", jquery_url="", mermaid_js_url="")


def write_page(notebook: Any, folder: Path, name: str) -> None:
    """Write the notebook as an HTML page for readers, who do not see what is recorded, with the MathJax it loads."""
    texts = []
    for cell in notebook.cells:
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        texts += [alt for output in cell.get("outputs", []) if PNG in output.get("data", {})]
        if cell.cell_type == "code":
            cell.outputs = [
                output for output in cell.outputs if not any(mime.startswith(RECORD) for mime in output.get("data", {}))
            ]
    page, _ = exporter().from_notebook_node(notebook, resources={"metadata": {"name": name}})
    # the exporter knows no alternative texts: those of the chapter's images take its place, in order
    given = iter(texts)
    page = re.sub(r'<img\b[^>]*?src="data:image/png[^>]*>', lambda found: with_text(found[0], next(given, "")), page)
    # the exporter's scripts come from third parties; formulas are set by the copy that the book serves
    page = page.replace('<script src=""></script>', "").replace('<script src=""> </script>', own_mathjax(folder))
    (folder / f"{name}.html").write_text(page, encoding="utf-8")


def with_text(image: str, text: str) -> str:
    """Return an ``img`` tag with an alternative text in place of the one it has.

    Examples
    --------
    >>> with_text('<img alt="unknown" src="a.png"/>', "lift > 1")
    '<img alt="lift &gt; 1" src="a.png"/>'
    """
    bare = re.sub(r'\s+alt="[^"]*"', "", image)
    return bare.replace("<img", f'<img alt="{html.escape(text)}"', 1)


def own_mathjax(folder: Path) -> str:
    """Copy the book's MathJax to the folder and return the tags that load it."""
    shutil.copytree(resource("_static/mathjax", "liftbook"), folder / "mathjax")
    settings = r"MathJax = {tex: {inlineMath: [['$', '$'], ['\\(', '\\)']]}}"
    return f'<script>{settings}</script><script async src="mathjax/tex-chtml-full.js"></script>'
