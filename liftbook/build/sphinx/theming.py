"""Our templates in place of the theme's own, and tables of results whose corner is no heading."""

from pathlib import Path

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.config import Config

TEMPLATES = Path(__file__).parent / "templates"


def use_templates(_app: Sphinx, config: Config) -> None:
    """Let a template of ours go before the theme's of the same name."""
    config.templates_path = [*config.templates_path, str(TEMPLATES)]


def empty_corners(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Turn pandas' empty headings, which a screen reader would read out as headings of nothing, into cells."""
    for raw in doctree.findall(nodes.raw):
        if 'class="dataframe"' in raw.rawsource or 'class="dataframe"' in raw.astext():
            raw.children[0] = nodes.Text(raw.astext().replace("<th></th>", "<td></td>"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("config-inited", use_templates)
    app.connect("doctree-resolved", empty_corners)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
