"""Sphinx extensions and build steps for a book whose pages run in the browser.

The package is independent of the book's subject. A book lists the extension
``companion`` and sets options in its configuration, ``conf.py`` or, for Jupyter Book,
``_config.yml``; ``companion new my-paper`` writes a complete book of two pages::

    extensions = ["companion"]

The modules, each of which imports only from those before it:

- ``errors``;
- ``claims`` (compare a published with a computed number); ``exercises`` (check a
  reader's answer) and ``solutions`` (notebook cells that replace solutions);
  ``outputs`` (figures as SVG with panels and data, pandas tables, numbers);
- ``parameters`` (the declared parameters of chapters), ``project`` (the project's root
  and the book's pages), ``sockets`` (kernels with private sockets), ``chromium``,
  ``formatting`` (the code of chapters);
- ``executing`` (chapters in parallel) and ``browser`` (Pyodide and a small shell);
- ``sphinx`` (the extensions) and ``pdf`` (the book as a PDF);
- ``course`` (slides, notebooks and graded assignments) and ``runs`` (pages with other
  parameters).

``companion.sphinx.settings`` lists the shared configuration values. The names of
directives, CSS classes and events begin with ``companion-``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NEEDED = ("myst_nb", "sphinx_design", "sphinx_proof", "sphinx_exercise")
PARTS = (
    *(
        "theming",
        "folding",
        "guess",
        "panels",
        "exercises",
        "alive",
        "one_page",
        "icons",
    ),
    *("lightness", "parameters", "glossary", "search", "reruns", "numbers"),
    "spacing",
)
SITE_WIDE = (
    "companion.sphinx.notebooks",
    "companion.sphinx.findable",
    "companion.sphinx.citing",
    "companion.runs.publishing",
)
"""Parts that a page which is rerun by itself does without."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Set up all parts, and the extensions that they need."""
    from companion.sphinx.settings import add_settings, is_rerun

    add_settings(app, "companion_rerun")
    parts = [f"companion.sphinx.{name}" for name in PARTS]
    for name in (
        *NEEDED,
        *parts,
        *(() if is_rerun(app) else SITE_WIDE),
        "companion.course.page",
    ):
        app.setup_extension(name)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
