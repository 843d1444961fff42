"""The directives ``lift-gallery`` and ``lift-figures``.

The gallery shows thumbnails of all figures, linked to the pages. The table of where
each figure is reproduced is read from the executed chapters: the cell that draws a
figure stores the figure's data rows under its name.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes  # type: ignore[import-untyped]
from jupyter_cache import get_cache
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from companion.outputs.keeping import KEPT
from companion.sphinx.panels import drawn_from, thumbnail
from liftbook import figures
from liftbook.build.sphinx.numbering import in_order
from liftbook.claims import PAPERS


class gallery(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """A placeholder until all pages have been read."""


class Gallery(SphinxDirective):
    """Inserts the placeholder of the gallery."""

    def run(self) -> list[nodes.Node]:
        return [gallery()]


def first_sentence(caption: nodes.caption) -> list[nodes.Node]:
    """Return the caption up to its first full stop, without links."""
    sentence: list[nodes.Node] = []
    for child in caption.children:
        is_link = isinstance(child, pending_xref | nodes.reference)
        part = nodes.Text(child.astext()) if is_link else child
        if isinstance(part, nodes.Text) and ". " in part:
            return [*sentence, nodes.Text(part.split(". ")[0] + ".")]
        sentence.append(part.deepcopy())
    return sentence


def items(app: Sphinx, page: str, at: str) -> Iterator[nodes.list_item]:
    """Yield a list item for each figure of a page with a caption and a known size."""
    numbers = app.env.toc_fignumbers.get(page, {}).get("figure", {})
    for figure in app.env.get_doctree(page).findall(nodes.figure):
        images = [
            drawing
            for image in figure.findall(nodes.image)
            if (drawing := drawn_from(app, image))
        ]
        caption = next(iter(figure.findall(nodes.caption)), None)
        if not images or caption is None or not figure["ids"]:
            continue
        shown = {key: images[0][key] for key in ("uri", "candidates", "size")}
        picture = thumbnail("", **shown)
        target = f"{app.builder.get_relative_uri(at, page)}#{figure['ids'][0]}"
        number = numbers.get(figure["ids"][0])
        head = f"{number[0]}. " if number else ""
        link = nodes.reference(
            "", "", picture, nodes.strong("", head), internal=True, refuri=target
        )
        yield nodes.list_item(
            "", nodes.paragraph("", "", link, *first_sentence(caption))
        )


def fill_gallery(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder by the gallery, with a heading for each page."""
    for place in list(doctree.findall(gallery)):
        content: list[nodes.Node] = []
        for page in dict.fromkeys(in_order(app.env, app.config["root_doc"])):
            shown = list(items(app, page, docname)) if page != docname else []
            if shown:
                content.append(nodes.rubric("", app.env.titles[page].astext()))
                content.append(nodes.bullet_list("", *shown, classes=["lift-gallery"]))
        place.replace_self(content)


logger = getLogger(__name__)


class figures_map(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """A placeholder for the table until all chapters have been executed."""


class Figures(SphinxDirective):
    """Inserts the placeholder of the table."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["lift-figures"] = True
        return [figures_map()]


def kept(notebook: nbformat.NotebookNode) -> Iterator[tuple[str, str]]:
    """Yield name and anchor of each stored table in a cell with a figure."""
    for cell in notebook.cells:
        anchor = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        for output in cell.get("outputs", []):
            if KEPT in output.get("data", {}) and anchor:
                yield output["metadata"]["scrapbook"]["name"], anchor


def found_figures(app: Sphinx) -> dict[str, tuple[str, str]]:
    """Return the page and anchor of each figure, by name."""
    cache = get_cache(
        app.config["nb_execution_cache_path"]
        or Path(app.outdir).parent / ".jupyter_cache"
    )
    executed = {record.uri for record in cache.list_project_records()}
    locations = {}
    for docname in sorted(app.env.found_docs):
        path = str(app.env.doc2path(docname))
        record = cache.get_cached_project_nb(path) if path in executed else None
        if record is not None:
            for name, anchor in kept(cache.get_cache_bundle(record.pk).nb):
                locations[name] = (docname, anchor)
    return locations


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace the placeholder by the table; warn of figures without stored rows."""
    for place in list(doctree.findall(figures_map)):
        locations, rows = found_figures(app), []
        for name in sorted(
            (n for n in figures.__all__ if n.startswith("figure_")), key=order
        ):
            if name not in locations:
                logger.warning(
                    "no chapter keeps the rows of %s in the cell that draws it",
                    name,
                    location=docname,
                )
                continue
            page, anchor = locations[name]
            link = nodes.reference("", app.env.titles[page].astext(), internal=True)
            link["refuri"] = f"{app.builder.get_relative_uri(docname, page)}#{anchor}"
            _, paper, number = name.split("_")
            code = nodes.literal("", name)
            rows.append(
                [
                    nodes.Text(paper.upper()),
                    nodes.Text(f"Figure {number}"),
                    link,
                    code,
                ]
            )
        place.replace_self(table(["paper", "figure", "chapter", "function"], rows))


def order(name: str) -> tuple[int, int]:
    """Return the sort key of a figure's name: paper, then number."""
    _, paper, number = name.split("_")
    return PAPERS.index(paper), int(number)


def table(head: list[str], rows: list[list[nodes.Node]]) -> nodes.table:
    """Return a docutils table."""
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    group += nodes.thead("", line([nodes.Text(text) for text in head]))
    group += nodes.tbody("", *(line(cells) for cells in rows))
    return nodes.table("", group)


def line(cells: list[nodes.Node]) -> nodes.row:
    """Return a row of a table."""
    return nodes.row(
        "", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells)
    )


def outdated(
    _app: Sphinx,
    env: BuildEnvironment,
    added: set[str],
    changed: set[str],
    removed: set[str],
) -> list[str]:
    """Return the pages with a ``lift-figures`` table, if any page has changed."""
    if not added | changed | removed:
        return []
    return [
        name
        for name in env.found_docs
        if env.metadata.get(name, {}).get("lift-figures")
    ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_node(gallery)
    app.add_directive("lift-gallery", Gallery)
    app.connect("doctree-resolved", fill_gallery)
    app.add_node(figures_map)
    app.add_directive("lift-figures", Figures)
    app.connect("doctree-resolved", fill)
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
