"""The search: without code, with prose excerpts (``search.js``)."""

from pathlib import Path

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

CODE = (nodes.literal_block, nodes.doctest_block, nodes.raw)


def prose(doctree: nodes.document) -> nodes.document:
    """Return a copy of a page without its code, outputs and raw HTML.

    >>> from docutils.core import publish_doctree
    >>> prose(publish_doctree("Words::\\n\\n  import numpy\\n")).astext()
    'Words:'
    """
    copy = doctree.deepcopy()
    for block in list(copy.findall(lambda node: isinstance(node, CODE))):
        block.parent.remove(block)
    return copy


class Pages(StandaloneHTMLBuilder):
    """Sphinx's pages, with the words of their prose in the index."""

    def index_page(self, pagename: str, doctree: nodes.document, title: str) -> None:
        """Give the index a page without its code."""
        super().index_page(pagename, prose(doctree), title)


def add_script(app: Sphinx, pagename: str, *_rest: object) -> None:
    """Load our script on the page of the search and on no other."""
    if pagename == "search":
        app.add_js_file("search.js", loading_method="defer")


def write_script(app: Sphinx, error: Exception | None) -> None:
    """Put the script beside the theme's."""
    if error is None and app.builder.name == "html":
        script = Path(__file__).with_name("search.js").read_text(encoding="utf-8")
        (Path(app.outdir) / "_static" / "search.js").write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Take the place of Sphinx's own builder of pages."""
    app.add_builder(Pages, override=True)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
