"""Lets the builder of the book as one page, from which the PDF is printed, write what pages apart can write."""

from sphinx.application import Sphinx


def share_handlers(app: Sphinx) -> None:
    """Give the builder of one page the nodes of the other: it looks at no others as soon as an extension names it."""
    known = app.registry.translation_handlers
    known["singlehtml"] = {**known.get("html", {}), **known.get("singlehtml", {})}


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("builder-inited", share_handlers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
