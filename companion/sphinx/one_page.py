"""Let the single-page builder, used for the PDF, write all nodes of HTML pages."""

from sphinx.application import Sphinx


def share_handlers(app: Sphinx) -> None:
    """Give the single-page builder the node handlers of the HTML builder."""
    known = app.registry.translation_handlers
    known["singlehtml"] = {**known.get("html", {}), **known.get("singlehtml", {})}


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("builder-inited", share_handlers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
