"""Our templates, scripts and styles, buttons for the repository, readable tables, and
references as list items.

The repository is ``repository_url`` in ``_config.yml`` or GITHUB_REPOSITORY, which the
workflow sets. Each page ends with a link to report a mistake, which names the page and
the version of ``companion_package``: to the repository's issues or, without a
repository, to the section that ``companion_mistakes`` names, such as
``intro#mistakes``, with the page in the address (``?page=...``).
"""

import html
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.writers.html5 import HTML5Translator

from companion.outputs.tables import readable
from companion.sphinx.settings import add_settings

HERE = Path(__file__).parent


def use_files(_app: Sphinx, config: Config) -> None:
    """Let our templates override the theme's of the same name, and pages load our
    scripts and styles.
    """
    config.templates_path = [str(HERE / "templates"), *config.templates_path]
    config.html_static_path = [*config.html_static_path, str(HERE / "static")]


def set_repository(_app: Sphinx, config: Config) -> None:
    """Leave out the theme's repository buttons if there is no repository."""
    if named := os.environ.get("GITHUB_REPOSITORY"):
        config.html_theme_options["repository_url"] = f"https://github.com/{named}"
    if not repository(config):
        config.html_theme_options |= {
            "use_repository_button": False,
            "use_issues_button": False,
        }


def repository(config: Config) -> str:
    """Return the URL of the repository, or an empty string."""
    return str(config.html_theme_options.get("repository_url") or "").rstrip("/")


def mistakes_at(app: Sphinx, page: str, said: str) -> str:
    """Return the address where a mistake on a page can be reported; empty if there is
    none.
    """
    if url := repository(app.config):
        return f"{url}/issues/new?{urlencode({'title': f'{page}: ', 'body': said})}"
    target, _, anchor = app.config["companion_mistakes"].partition("#")
    if target not in app.env.found_docs:
        return ""
    at = app.builder.get_relative_uri(page, target)
    return f"{at}?{urlencode({'page': said})}#{anchor}"


def add_mistakes(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: object
) -> None:
    """End a page with the link to report a mistake."""
    if doctree is None:  # the search, and pages of code
        return
    name = app.config["companion_package"].get("name")
    said = f"page {page}" + (f", {name} {version(name)}" if name else "")
    if address := mistakes_at(app, page, said):
        link = (
            f'<a href="{html.escape(address)}">Report a mistake</a>'
            f" ({html.escape(said)})"
        )
        before = context.get("theme_extra_footer") or ""
        context["theme_extra_footer"] = (
            f'{before}<p class="companion-mistakes">{link}</p>'
        )


def readable_tables(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Make pandas' tables readable, and label empty headings for screen readers."""
    for raw in doctree.findall(nodes.raw):
        if "<th" in raw.astext():
            raw.children[0] = nodes.Text(readable(raw.astext()))
    for head in doctree.findall(nodes.thead):
        for entry in head.findall(nodes.entry):
            if not entry.astext().strip():
                entry.children = [
                    nodes.paragraph(
                        "", "", nodes.inline("", "of", classes=["visually-hidden"])
                    )
                ]


def visit_citation(self: HTML5Translator, node: nodes.citation) -> None:
    """Open a reference as a list item, without docutils' obsolete role."""
    start = len(self.body)
    HTML5Translator.visit_citation(self, node)
    self.body[start:] = [
        text.replace('role="doc-biblioentry"', 'role="listitem"')
        for text in self.body[start:]
    ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    add_settings(app, "companion_mistakes", "companion_package")
    app.connect("html-page-context", add_mistakes)
    app.connect("config-inited", use_files)
    app.connect("config-inited", set_repository)
    app.connect("doctree-resolved", readable_tables)
    app.add_node(
        nodes.citation,
        override=True,
        html=(visit_citation, HTML5Translator.depart_citation),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
