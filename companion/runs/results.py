"""The results of a run: tables and figures."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.outputs.keeping import KEPT, MIME_PREFIX

if TYPE_CHECKING:
    import pandas as pd

SVG, PNG = "image/svg+xml", "image/png"
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")


def records(notebook: Any) -> list[tuple[str, Any]]:
    """Return the name and the data of each value that an executed page holds for its
    text, or keeps as a table.
    """
    return [
        (output["metadata"]["scrapbook"]["name"], output["data"])
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "scrapbook" in output.get("metadata", {})
    ]


def kept_tables(notebook: Any) -> dict[str, pd.DataFrame]:
    """Return the tables that an executed page marked as results, by name."""
    import pandas as pd

    return {
        name: pd.DataFrame(
            data[KEPT]["rows"],
            columns=data[KEPT]["columns"],
        )
        for name, data in records(notebook)
        if KEPT in data
    }


def glued_numbers(notebook: Any) -> dict[str, str]:
    """Return the text of each value that an executed page holds for its
    text, by name.
    """
    plain = MIME_PREFIX + "text/plain"
    return {name: str(data[plain]) for name, data in records(notebook) if plain in data}


def shown_texts(notebook: Any) -> dict[str, str]:
    """Return the text that each code cell of an executed page prints or returns, by the
    cell's number among the page's own code cells.

    What it says to standard error is left out, and so are addresses in memory.
    """
    own = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code"
        and "injected-parameters" not in cell.metadata.get("tags", [])
    ]
    texts = {}
    for number, cell in enumerate(own, 1):
        text = "".join(
            _text_of(output)
            for output in cell.get("outputs", [])
            if "scrapbook" not in output.get("metadata", {})
        )
        if text.strip():
            texts[f"cell {number}"] = ADDRESS.sub("0x", text.strip())
    return texts


def _text_of(output: Any) -> str:
    if output.output_type == "stream":
        return str(output.text) if output.name == "stdout" else ""
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}\n"
    return f"{output.data.get('text/plain', '')}\n"


def write_tables(notebook: Any, folder: Path) -> None:
    """Write each kept table to a CSV file."""
    for name, table in kept_tables(notebook).items():
        table.to_csv(folder / f"{name}.csv", index=False)


def pictures(folder: Path) -> dict[str, Path]:
    """Return the file of each figure of a run's folder, by name: its PNG if it has one,
    or its SVG.
    """
    found = {path.stem: path for path in sorted(folder.glob("figures/*.svg"))}
    return found | {path.stem: path for path in sorted(folder.glob("figures/*.png"))}


def take_figures(notebook: Any, folder: Path) -> None:
    """Write each figure to ``figures`` as SVG and PNG, under its name; the notebook
    keeps the PNG.

    A page may have asked its kernel for only one of the two formats.
    """
    for number, cell in enumerate(notebook.cells):
        drawn = [
            o["data"]
            for o in cell.get("outputs", [])
            if {PNG, SVG} & {*o.get("data", {})}
        ]
        named = (
            cell.metadata.get("mystnb", {})
            .get("figure", {})
            .get("name", f"cell-{number}")
        )
        for at, data in enumerate(drawn):
            target = folder / "figures"
            target.mkdir(exist_ok=True)
            name = re.sub(r"[^\w-]", "_", named) + (
                "" if len(drawn) == 1 else f"-{at + 1}"
            )
            if SVG in data:
                (target / f"{name}.svg").write_text(data[SVG], encoding="utf-8")
            if PNG in data:
                (target / f"{name}.png").write_bytes(base64.b64decode(data[PNG]))
                data.pop(SVG, None)
