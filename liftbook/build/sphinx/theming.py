"""Our templates in place of the theme's own, and tables of results whose corner is no heading."""

import re
from pathlib import Path

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.config import Config

EMPTY = re.compile(r"<th([^>]*)>(?:&nbsp;|\s)*</th>")
TEMPLATES = Path(__file__).parent / "templates"


def use_templates(_app: Sphinx, config: Config) -> None:
    """Let a template of ours go before the theme's of the same name."""
    config.templates_path = [str(TEMPLATES), *config.templates_path]


def empty_corners(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Turn pandas' empty headings, which a screen reader reads out as headings of nothing, into cells; name our own."""
    for raw in doctree.findall(nodes.raw):
        if "<th" in raw.astext():
            raw.children[0] = nodes.Text(EMPTY.sub(r"<td\1></td>", raw.astext()))
    for head in doctree.findall(nodes.thead):
        for entry in head.findall(nodes.entry):
            if not entry.astext().strip():
                entry.children = [nodes.paragraph("", "", nodes.inline("", "of", classes=["visually-hidden"]))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("config-inited", use_templates)
    app.connect("doctree-resolved", empty_corners)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
