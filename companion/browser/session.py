"""A page's requests to its worker, and the responses, as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator
from typing import Any

from companion.browser.shell import HTML, SVG, Result, Shell
from companion.browser.standins import notebook_modules
from companion.errors import InvalidValue
from companion.outputs.curves import taken
from companion.outputs.ghosts import with_ghosts
from companion.outputs.keeping import KEPT
from companion.outputs.stacking import stacked
from companion.outputs.tables import readable
from companion.parameters import check_values, parse_parameters


def formatted(value: Any, form: str) -> str:
    """Return a glued number as the prose formats it.

    >>> formatted(0.1234, ".2f"), formatted(12, "s"), formatted("one", ".2f")
    ('0.12', '12', 'one')
    """
    try:
        return format(value, form)
    except (TypeError, ValueError):
        return str(value)


class Page:
    """The namespace of a chapter's cells, which persists between runs."""

    def __init__(self) -> None:
        self.shell = Shell(KEPT)
        sys.modules.update(notebook_modules(self._show, self._glue))

    def _show(self, *values: Any, **how: Any) -> None:
        self.shell.show(*values, **how)

    def _glue(self, name: str, variable: Any, display: bool = True) -> None:
        self.shell.glue(name, variable, display)

    def run(self, asked: str) -> Generator[str, None, str]:
        """Run cells in order, one at each step, so that a reader can end a run between
        two cells.

        Parameters
        ----------
        asked : str
            JSON: ``cells``, each with ``index``, ``source`` and ``tags``; ``values`` of
            parameters; ``glue``, pairs of key and format spec in the prose; ``fresh``,
            whether to discard the names of earlier runs; ``rows``, the data of the
            book's figures by cell index.

        Yields
        ------
        str
            JSON: before each cell its ``index``; after it also ``outputs``, ``error``,
            ``seconds``, and ``glue``, the new texts of its numbers in the prose.

        Returns
        -------
        str
            JSON: ``tables``; ``failed`` and ``absent``, indices of cells; ``seconds``.
            If a parameter is invalid, only ``refused``, the message.
        """
        wanted = json.loads(asked)
        try:
            sources = [
                cell["source"]
                for cell in wanted["cells"]
                if "parameters" in cell["tags"]
            ]
            declared = [
                one
                for source in sources
                for one in parse_parameters(source, "the parameters")
            ]
            values = check_values(declared, wanted.get("values", {}), "this page")
        except InvalidValue as error:
            return json.dumps({"refused": str(error)})
        if wanted.get("fresh", True):
            self.shell = Shell(KEPT)
        started = time.perf_counter()
        failed: list[int] = []
        absent: list[int] = []
        for cell in wanted["cells"]:
            index = cell["index"]
            yield json.dumps({"index": index})
            begun = time.perf_counter()
            result = self.shell.run(cell["source"])
            if "parameters" in cell["tags"]:
                self.shell.names.update(values)
            if result.error:
                (absent if result.error["absent"] else failed).append(index)
            numbers = [
                [key, form, formatted(result.glued[key], form)]
                for key, form in wanted.get("glue", [])
                if key in result.glued
            ]
            book = wanted.get("rows", {}).get(str(index))
            seconds = time.perf_counter() - begun
            yield json.dumps(
                {
                    "index": index,
                    "outputs": outputs_of(result, book),
                    "error": result.error,
                    "glue": numbers,
                    "seconds": seconds,
                }
            )
        return json.dumps(
            {
                "tables": self.shell.tables,
                "failed": failed,
                "absent": absent,
                "seconds": time.perf_counter() - started,
            }
        )


def outputs_of(result: Result, book: str | None = None) -> list[dict[str, str]]:
    """Return a cell's outputs, with figures split into panels and data, over the rows
    of the book's own figure.
    """
    outputs = []
    for content in result.outputs:
        output = {kind: data for kind, data in content.items() if isinstance(data, str)}
        svg, rows = taken(
            with_ghosts(output.get(SVG, ""), book) if book else output.get(SVG, "")
        )
        if rows is not None:
            output[SVG], output["rows"] = svg, rows
        if HTML in output:
            output[HTML] = readable(output[HTML])
        drawing = stacked(
            svg,
            "COMPANION-SOURCE",
            "COMPANION-ALT",
            None if rows is None else "COMPANION-ROWS",
        )
        if drawing:
            output["drawing"] = drawing
        outputs.append(output)
    return outputs
