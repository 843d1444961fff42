"""The directive ``lift-designs``: a slider for the table size in a figure.

The argument is the figure's label. The figure is shown unchanged without scripts, in print and once the page is run;
the marks are the stored rows of ``designs_in_plane``::

    ```{lift-designs} fig-population-plane
    The text below the figure.
    ```
"""

from __future__ import annotations

import html
import json
from typing import Any

import numpy as np
import pandas as pd
from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx

from liftbook.build.sphinx.living import SCRIPT_FOLDER, InPage, script
from liftbook.figures.population.plane import DESIGNS, NOTION
from liftbook.figures.stored import LONG

SCRIPT_NAME = "designs.mjs"
FIRST_SIZE = 1_000
"""The size of tables that is shown first, as in the figure."""
NAT, LEFT, BOTTOM, MAX_NATS = 330, 58, 376, 1.1
"""Pixels per nat, the origin, and the length of each axis in nats."""
MARKER_PATHS = ("M-4-4 4 4M-4 4 4-4", "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0Z")


def places(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the marks to draw for each table size.

    Each dict has ``rows``, the number of rows of each table; ``marks``, the coordinates (fall, rise) of each design's
    releases, in thousandths of a nat; and ``inside``, the number of releases of each design that satisfy the notion.
    """
    sizes = []
    for size, part in rows.groupby("rows"):
        worst = [part[part["design"] == design][["fall", "rise"]].to_numpy() for design in DESIGNS]
        marks = [np.rint(1000 * each).astype(int).tolist() for each in worst]
        inside = [int((each.max(axis=1) <= NOTION.eps).sum()) for each in worst]
        sizes.append({"rows": size, "marks": marks, "inside": inside})
    return sizes


def axes() -> str:
    """Return the square of the notion and the axes, as SVG."""
    middle = 'text-anchor="middle"'
    right, top, side = LEFT + NAT * MAX_NATS, BOTTOM - NAT * MAX_NATS, NAT * NOTION.eps
    elements = [
        f'<path class="lift-square" d="M{LEFT} {BOTTOM}v{-side}h{side}v{side}"/>',
        f'<path class="lift-axis" d="M{LEFT} {top:g}V{BOTTOM}H{right:g}"/>',
        f'<text x="{LEFT + 6}" y="{BOTTOM - side + 16}">{html.escape(f"LIP({NOTION.eps})")}</text>',
        f'<text x="{(LEFT + right) / 2:g}" y="{BOTTOM + 42}" {middle}>−log Ψ (nats): beliefs fall</text>',
        f'<text transform="translate(14 {BOTTOM - NAT / 2}) rotate(-90)" {middle}>log Λ: beliefs rise</text>',
    ]
    for tick in (0, 0.5, 1):
        elements.append(f'<text x="{LEFT + NAT * tick}" y="{BOTTOM + 20}" {middle}>{tick}</text>')
        elements.append(f'<text x="{LEFT - 7}" y="{BOTTOM - NAT * tick + 5}" text-anchor="end">{tick}</text>')
    return "".join(elements)


def place(figure: str) -> str:
    """Return the HTML of the slider and the picture, hidden until its script runs."""
    sizes = places(pd.read_csv(LONG["designs_in_plane"].path))
    groups = "".join(
        f'<g class="lift-design-{at}">{f"""<path d="{shape}"/>""" * len(sizes[0]["marks"][at])}</g>'
        for at, shape in enumerate(MARKER_PATHS)
    )
    data = {
        "figure": figure,
        "sizes": sizes,
        "designs": [f"{name} ({mark})" for name, mark in zip(DESIGNS, ("crosses", "dots"), strict=True)],
        "scale": [NAT, LEFT, BOTTOM],
    }
    box = f"0 {BOTTOM - NAT * MAX_NATS - 4:g} {LEFT + NAT * MAX_NATS + 4:g} {NAT * MAX_NATS + 54:g}"
    first = [size["rows"] for size in sizes].index(FIRST_SIZE)
    slider = f'type="range" aria-label="Rows of each table" min="0" max="{len(sizes) - 1}" value="{first}"'
    return (
        f'<div class="lift-designs" data-designs="{html.escape(json.dumps(data), quote=True)}" hidden>'
        f"<label>Rows of each table: <output></output> <input {slider}></label>"
        f'<svg viewBox="{box}" aria-hidden="true">{axes()}{groups}</svg><p role="status"></p></div>'
        f'<script type="module">{script((SCRIPT_NAME,))}</script>'
    )


class Designs(InPage):
    """Renders the slider; the argument is the figure's label."""

    required_arguments = 1
    reads = (SCRIPT_FOLDER / SCRIPT_NAME, LONG["designs_in_plane"].path)

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", place(self.arguments[0]), format="html"), self.words()]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_directive("lift-designs", Designs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
