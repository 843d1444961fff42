"""Figures of several panels, which stand side by side where there is room, and one above the other where there is not.

A figure drawn by ``liftbook.plots`` says in its SVG where its panels are; the page shows the same file once a panel,
each time another part of it.
"""

import html
import itertools
import posixpath
import re
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from docutils import nodes  # type: ignore[import-untyped]
from docutils.parsers.rst import directives  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

logger = getLogger(__name__)

PIXELS = 4 / 3
"""Of CSS, a point."""


class drawing(nodes.image):  # type: ignore[misc]  # noqa: N801 - docutils' way
    """An image that liftbook drew: ``size`` and the ``boxes`` of its panels, in points."""


def drawn_from(app: Sphinx, image: nodes.image) -> drawing | None:
    """Return an image as a drawing, if it says what size it has."""
    path = Path(app.srcdir) / image["uri"]
    if path.suffix != ".svg" or not path.exists():
        return None
    head = path.read_text(encoding="utf-8")[:2000]
    size = re.search(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"', head)
    boxes = re.search(r'<svg data-panels="([^"]*)"', head)
    if not (size and boxes):
        return None
    made = drawing("", **image.attributes)
    made["size"] = [float(side) for side in size.groups()]
    made["boxes"] = [[float(side) for side in box.split()] for box in boxes[1].split(";") if box]
    return made


def replace_images(app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Put drawings in the place of images that say what size they have."""
    for image in list(doctree.findall(nodes.image)):
        made = drawn_from(app, image) if type(image) is nodes.image else None
        if made:
            image.replace_self(made)


def parts(size: list[float], boxes: list[list[float]]) -> list[tuple[list[float], float]]:
    """Return each part's box, stretched so that the parts of a row fill the figure, and its share of the width.

    >>> parts([100, 50], [[20, 0, 60, 8], [50, 10, 49, 40], [0, 15, 45, 35]])
    [([0.0, 0, 100.0, 8], 1.0), ([0.0, 10, 47.5, 40], 0.475), ([47.5, 10, 52.5, 40], 0.525)]
    """
    rows: list[list[list[float]]] = []
    for box in sorted(boxes, key=lambda one: one[1]):
        if rows and box[1] < rows[-1][-1][1] + rows[-1][-1][3] / 2:  # beside the one before, whose title may be higher
            rows[-1].append(box)
        else:
            rows.append([box])
    found = []
    for row in rows:
        row.sort()
        top, bottom = min(box[1] for box in row), max(box[1] + box[3] for box in row)
        inner = [(left[0] + left[2] + right[0]) / 2 for left, right in itertools.pairwise(row)]
        edges = [0.0, *inner, float(size[0])]
        for left, right in itertools.pairwise(edges):
            found.append(([left, top, right - left, bottom - top], (right - left) / size[0]))
    return found


def visit_drawing(self: Any, node: drawing) -> None:
    """Write a link to the whole, with its parts inside."""
    uri = self.builder.images.get(node["uri"])
    source = posixpath.join(self.builder.imgpath, quote(uri)) if uri else node["uri"]
    width, height = node["size"]
    alt = html.escape(node.get("alt", ""), quote=True)
    whole = f'<image href="{source}" width="{width}" height="{height}"/>'
    shown = parts(node["size"], node["boxes"]) or [([0, 0, width, height], 1.0)]
    pictures = []
    for (x, y, wide, tall), share in shown:
        least = f"min(100%, {PIXELS * wide * (0.72 if share == 1 else 0.9):.0f}px)"
        style = f"flex: 1 1 {100 * share - 0.01:.2f}%; min-width: {least}"
        box = f"{x:.1f} {y:.1f} {wide:.1f} {tall:.1f}"
        pictures.append(f'<svg viewBox="{box}" style="{style}" aria-hidden="true" focusable="false">{whole}</svg>')
    self.body.append(
        f'<a class="lift-drawing" href="{source}" title="open alone, as large as the window" '
        f'style="max-width: {PIXELS * width:.0f}px"><span role="img" aria-label="{alt}">{"".join(pictures)}</span></a>'
    )
    raise nodes.SkipNode


class thumbnail(drawing):  # noqa: N801
    """One panel of a drawing on another page."""


class Thumbnail(SphinxDirective):
    """``lift-thumbnail``: a panel of the figure with this name, the first one by default, small and without words."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"panel": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        return [thumbnail("", uri="", name=self.arguments[0], panel=self.options.get("panel", 1))]


def find_thumbnails(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Give each thumbnail its figure; one whose figure is nowhere is a warning."""
    for place in list(doctree.findall(thumbnail)):
        page, name = app.env.get_domain("std").anonlabels.get(place["name"], ("", ""))  # type: ignore[attr-defined]
        source = app.env.get_doctree(page) if page else doctree
        images = [
            image
            for found in source.findall(nodes.figure)
            if name in found["ids"]
            for image in found.findall(nodes.image)
        ]
        made = [drawn for image in images if (drawn := drawn_from(app, image))]
        if not made:
            logger.warning("no drawing is called %s", place["name"], location=docname)
            place.parent.remove(place)
            continue
        for key in ("uri", "candidates", "size"):
            place[key] = made[0][key]
        shown = [box for box, share in parts(made[0]["size"], made[0]["boxes"]) if share < 1]
        place["boxes"] = shown[place["panel"] - 1 :][:1]


def visit_thumbnail(self: Any, node: thumbnail) -> None:
    """Write one panel, as a picture without words of its own."""
    source = posixpath.join(self.builder.imgpath, quote(self.builder.images[node["uri"]]))
    width, height = node["size"]
    x, y, wide, tall = node["boxes"][0] if node["boxes"] else (0, 0, width, height)
    whole = f'<image href="{source}" width="{width}" height="{height}"/>'
    box = f"{x:.1f} {y:.1f} {wide:.1f} {tall:.1f}"
    self.body.append(f'<svg class="lift-thumbnail" viewBox="{box}" aria-hidden="true" focusable="false">{whole}</svg>')
    raise nodes.SkipNode


def visit_nothing(_self: Any, _node: nodes.Element) -> None:
    """Leave it out."""
    raise nodes.SkipNode


def visit_plain(self: Any, node: drawing) -> None:
    """Let another builder write it as it writes any image."""
    self.visit_image(node)


def depart_plain(self: Any, node: drawing) -> None:
    """Go on as after any image."""
    self.depart_image(node)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_node(drawing, override=True, html=(visit_drawing, None), latex=(visit_plain, depart_plain))
    app.add_node(thumbnail, override=True, html=(visit_thumbnail, None), latex=(visit_nothing, None))
    app.add_directive("lift-thumbnail", Thumbnail)
    app.connect("doctree-resolved", replace_images)
    app.connect("doctree-resolved", find_thumbnails)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
