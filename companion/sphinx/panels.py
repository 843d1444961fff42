"""Figures of several panels, side by side or stacked.

The SVG of ``companion.outputs.showing`` contains the panels' boxes
(``companion.outputs.stacking``).
"""

import posixpath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx

from companion.outputs import stacking
from companion.outputs.curves import taken


class drawing(nodes.image):  # type: ignore[misc]  # noqa: N801 - docutils' way
    """An image with the ``size`` and ``boxes`` of its panels, in points."""


def drawn_from(app: Sphinx, image: nodes.image) -> drawing | None:
    """Return an image as a drawing node, or None if its size is unknown."""
    path = Path(app.srcdir) / image["uri"]
    if path.suffix != ".svg" or not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    dimensions = stacking.size_and_boxes(text)
    if dimensions is None:
        return None
    node = drawing("", **image.attributes)
    node["rows"] = taken(text)[1] is not None
    node["size"], node["boxes"] = dimensions
    return node


def replace_images(app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Replace images of known size by drawings."""
    for image in list(doctree.findall(nodes.image)):
        replacement = drawn_from(app, image) if type(image) is nodes.image else None
        if replacement:
            image.replace_self(replacement)


def visit_drawing(self: Any, node: drawing) -> None:
    """Write a link to the whole figure, with its parts inside."""
    uri = self.builder.images.get(node["uri"])
    source = posixpath.join(self.builder.imgpath, quote(uri)) if uri else node["uri"]
    rows = f"{source.removesuffix('.svg')}.rows.json" if node["rows"] else None
    self.body.append(
        stacking.drawing(source, node.get("alt", ""), node["size"], node["boxes"], rows)
    )
    raise nodes.SkipNode


class thumbnail(drawing):  # noqa: N801
    """A small picture of a drawing on another page."""


def visit_thumbnail(self: Any, node: thumbnail) -> None:
    """Write the picture, which screen readers ignore."""
    source = posixpath.join(
        self.builder.imgpath, quote(self.builder.images[node["uri"]])
    )
    width, height = node["size"]
    image = f'<image href="{source}" width="{width}" height="{height}"/>'
    self.body.append(
        f'<svg class="companion-thumbnail" viewBox="0 0 {width:.1f} {height:.1f}"'
        f' aria-hidden="true" focusable="false">{image}</svg>'
    )
    raise nodes.SkipNode


def separate_rows(app: Sphinx, error: Exception | None) -> None:
    """Move the rows that each SVG carries to a file of their own, which runs read."""
    if error is not None or app.builder.format != "html":
        return
    for path in (Path(app.outdir) / app.builder.imagedir).glob("*.svg"):
        svg, rows = taken(path.read_text(encoding="utf-8"))
        if rows is not None:
            path.write_text(svg, encoding="utf-8")
            path.with_suffix(".rows.json").write_text(rows, encoding="utf-8")


def visit_nothing(_self: Any, _node: nodes.Element) -> None:
    """Skip the node."""
    raise nodes.SkipNode


def visit_plain(self: Any, node: drawing) -> None:
    """Write the drawing as a plain image, for other builders."""
    self.visit_image(node)


def depart_plain(self: Any, node: drawing) -> None:
    """Finish the image."""
    self.depart_image(node)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_node(
        drawing,
        override=True,
        html=(visit_drawing, None),
        latex=(visit_plain, depart_plain),
    )
    app.add_node(
        thumbnail,
        override=True,
        html=(visit_thumbnail, None),
        latex=(visit_nothing, None),
    )
    app.connect("doctree-resolved", replace_images)
    app.connect("build-finished", separate_rows)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
