"""The figures' names, and the directive ``lift-gallery``: thumbnails of all figures, linked to the pages.

A reproduction has the name that it has in its paper, such as "E23 Figure 2". Others are numbered by page.
"""

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from companion.sphinx.panels import drawn_from, thumbnail

REPRODUCED = re.compile(r"fig-(e23|c22|i21|s20)-(\d+)")


class gallery(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801 - docutils' way
    """A placeholder until all pages have been read."""


class Gallery(SphinxDirective):
    """Inserts the placeholder of the gallery."""

    def run(self) -> list[nodes.Node]:
        return [gallery()]


def in_order(env: BuildEnvironment, page: str) -> Iterator[str]:
    """Yield a page and its subpages, in the order of the contents."""
    yield page
    for below in env.toctree_includes.get(page, []):
        yield from in_order(env, below)


def name_figures(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Give each figure its name, in place of Sphinx's number."""
    root = app.config["root_doc"]
    for place, chapter in enumerate([root, *env.toctree_includes.get(root, [])]):
        labels: list[tuple[dict[str, Any], str]] = [
            (numbers, label)
            for page in ([root] if chapter == root else in_order(env, chapter))
            for numbers in [env.toc_fignumbers.get(page, {}).get("figure", {})]
            for label in numbers
        ]
        own = 0
        for numbers, label in labels:
            paper = REPRODUCED.fullmatch(label)
            own += not paper
            numbers[label] = (f"{paper[1].upper()} Figure {paper[2]}" if paper else f"Figure {place}.{own}",)
    return []


def first_sentence(caption: nodes.caption) -> list[nodes.Node]:
    """Return the caption up to its first full stop, without links."""
    sentence: list[nodes.Node] = []
    for child in caption.children:
        if isinstance(child, pending_xref | nodes.reference):
            child = nodes.Text(child.astext())  # noqa: PLW2901 - a link inside a link is none
        if isinstance(child, nodes.Text) and ". " in child:
            return [*sentence, nodes.Text(child.split(". ")[0] + ".")]
        sentence.append(child.deepcopy())
    return sentence


def items(app: Sphinx, page: str, at: str) -> Iterator[nodes.list_item]:
    """Yield a list item for each figure of a page with a caption and a known size."""
    numbers = app.env.toc_fignumbers.get(page, {}).get("figure", {})
    for figure in app.env.get_doctree(page).findall(nodes.figure):
        images = [drawing for image in figure.findall(nodes.image) if (drawing := drawn_from(app, image))]
        caption = next(iter(figure.findall(nodes.caption)), None)
        if not images or caption is None or not figure["ids"]:
            continue
        picture = thumbnail("", boxes=[], **{key: images[0][key] for key in ("uri", "candidates", "size")})
        target = f"{app.builder.get_relative_uri(at, page)}#{figure['ids'][0]}"
        number = numbers.get(figure["ids"][0])
        head = f"{number[0]}. " if number else ""
        link = nodes.reference("", "", picture, nodes.strong("", head), internal=True, refuri=target)
        yield nodes.list_item("", nodes.paragraph("", "", link, *first_sentence(caption)))


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder by the gallery, with a heading for each page."""
    for place in list(doctree.findall(gallery)):
        content: list[nodes.Node] = []
        for page in dict.fromkeys(in_order(app.env, app.config["root_doc"])):
            shown = list(items(app, page, docname)) if page != docname else []
            if shown:
                content.append(nodes.rubric("", app.env.titles[page].astext()))
                content.append(nodes.bullet_list("", *shown, classes=["lift-gallery"]))
        place.replace_self(content)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_node(gallery)
    app.add_directive("lift-gallery", Gallery)
    app.connect("env-get-updated", name_figures, priority=600)  # after Sphinx has numbered them
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
