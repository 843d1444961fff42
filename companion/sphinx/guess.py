"""The directive ``guess``, which lets readers sketch a curve before they look at it.

It precedes a figure and names one of its curves::

    ```{guess} fig-heads
    :series: heads
    :panel: 1

    How does the share of heads settle? Sketch it.
    ```

The curve comes from the rows that the figure carries (``companion.outputs.curves``).
The figure is visible. A button, "Guess first", hides it and the text up to the next
section until the reader compares, skips or runs the page; without a script, in print
and in notebooks there is only the figure.
"""

import html
import json
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes  # type: ignore[import-untyped]
from docutils.parsers.rst import directives  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from companion.outputs.curves import taken

logger = getLogger(__name__)


class guess(nodes.container):  # type: ignore[misc]  # noqa: N801 - docutils' way
    """A node for the question, with ``figure``, ``series`` and ``panel`` of
    the curve.
    """


class Guess(SphinxDirective):
    """The directive, see the module."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "series": directives.unchanged_required,
        "panel": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        if "series" not in self.options:
            raise self.error("guess needs the option series, the curve's name")
        node = guess(
            figure=self.arguments[0],
            series=self.options["series"],
            panel=self.options.get("panel", 1),
        )
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def curve(rows: str, panel: int, series: str) -> dict[str, Any]:
    """Return a curve of a figure's data: ``x``, ``y``, labels and ``limits``.

    Raise ValueError if there is no such panel or curve.
    """
    panels = json.loads(rows)["panels"]
    if panel > len(panels):
        raise ValueError(f"panel {panel} of {len(panels)}")
    said = panels[panel - 1]
    points = [
        (row[1], row[2])
        for row in said["rows"]
        if row[0] == series and isinstance(row[2], int | float)
    ]
    if len(points) < 2:
        names = list(dict.fromkeys(row[0] for row in said["rows"]))
        raise ValueError(f"no curve {series!r} among {', '.join(names)}")
    x, y = zip(*sorted(points), strict=True)
    low, high = said["y_limits"] or (min(0, *y), max(y) * 1.1)
    labels = {"x_label": said["x_label"], "y_label": said["y_label"], "name": series}
    return {
        "x": x,
        "y": y,
        "limits": (max(low, 0) if min(y) >= 0 else low, high),
        **labels,
    }


def find_curves(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Attach the curve to each question, or warn if there is none."""
    rerun = getattr(app.config, "companion_rerun", None)
    for place in list(doctree.findall(guess)):
        if rerun:
            place.parent.remove(place)
            continue
        images = [
            Path(app.srcdir) / image["uri"]
            for figure in doctree.findall(nodes.figure)
            if place["figure"] in figure["ids"]
            for image in figure.findall(nodes.image)
        ]
        rows = (
            taken(images[0].read_text(encoding="utf-8"))[1]
            if images and images[0].suffix == ".svg"
            else None
        )
        try:
            place["data"] = curve(
                rows or '{"panels": []}', place["panel"], place["series"]
            )
        except ValueError as reason:
            logger.warning("guess of %s: %s", place["figure"], reason, location=docname)
            place.parent.remove(place)


def visit_guess(self: Any, node: guess) -> None:
    """Write an empty element, which the script fills."""
    data = html.escape(json.dumps(node["data"]), quote=True)
    self.body.append(
        f'<div class="companion-guess" data-figure="{html.escape(node["figure"])}"'
        f' data-curve="{data}" hidden>'
    )


def depart_guess(self: Any, _node: guess) -> None:
    """Close the element."""
    self.body.append("</div>")


def skip(_self: Any, _node: nodes.Element) -> None:
    """Leave it out."""
    raise nodes.SkipNode


def add_files(
    app: Sphinx, _page: str, _template: str, _context: dict[str, Any], doctree: Any
) -> None:
    """Load the script on pages that have a question."""
    if (
        app.builder.name != "singlehtml"
        and doctree is not None
        and any(doctree.findall(guess))
    ):
        app.add_css_file("guess.css")
        app.add_js_file("guess.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_node(
        guess, html=(visit_guess, depart_guess), latex=(skip, None), text=(skip, None)
    )
    app.add_directive("guess", Guess)
    # before figures become drawings
    app.connect("doctree-resolved", find_curves, priority=400)
    app.connect("html-page-context", add_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
