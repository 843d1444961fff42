"""Our templates, scripts and styles, buttons for the repository, readable tables, and references as list items.

The repository is ``repository_url`` in ``_config.yml`` or GITHUB_REPOSITORY, which the workflow sets.
"""

import os
from pathlib import Path

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.writers.html5 import HTML5Translator

from companion.outputs.tables import readable

HERE = Path(__file__).parent


def use_files(_app: Sphinx, config: Config) -> None:
    """Let our templates override the theme's of the same name, and pages load our scripts and styles."""
    config.templates_path = [str(HERE / "templates"), *config.templates_path]
    config.html_static_path = [*config.html_static_path, str(HERE / "static")]


def set_repository(_app: Sphinx, config: Config) -> None:
    """Leave out the theme's repository buttons if there is no repository."""
    if named := os.environ.get("GITHUB_REPOSITORY"):
        config.html_theme_options["repository_url"] = f"https://github.com/{named}"
    if not repository(config):
        config.html_theme_options |= {"use_repository_button": False, "use_issues_button": False}


def repository(config: Config) -> str:
    """Return the URL of the repository, or an empty string."""
    return str(config.html_theme_options.get("repository_url") or "").rstrip("/")


def readable_tables(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Make pandas' tables readable, and label empty headings for screen readers."""
    for raw in doctree.findall(nodes.raw):
        if "<th" in raw.astext():
            raw.children[0] = nodes.Text(readable(raw.astext()))
    for head in doctree.findall(nodes.thead):
        for entry in head.findall(nodes.entry):
            if not entry.astext().strip():
                entry.children = [nodes.paragraph("", "", nodes.inline("", "of", classes=["visually-hidden"]))]


def visit_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Open a reference as a list item, without docutils' obsolete role."""
    start = len(self.body)
    HTML5Translator.visit_citation(self, node)
    self.body[start:] = [text.replace('role="doc-biblioentry"', 'role="listitem"') for text in self.body[start:]]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("config-inited", use_files)
    app.connect("config-inited", set_repository)
    app.connect("doctree-resolved", readable_tables)
    app.add_node(nodes.citation, override=True, html=(visit_citation, HTML5Translator.depart_citation))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
