"""The book's own code: figures, plots, claims, chapters, and the build."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PARTS = ("numbering", "pictures", "ledger", "claims_again")
SITE_WIDE = ("figures_map", "reference")
"""Parts that a page which is rerun by itself does without."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Set up the Sphinx extension: the book's own directives and pages."""
    # the library's readers have no Sphinx
    from companion.sphinx.settings import add_settings, is_rerun  # noqa: PLC0415

    add_settings(app, "companion_rerun")
    for name in PARTS if is_rerun(app) else (*PARTS, *SITE_WIDE):
        app.setup_extension(f"liftbook.build.sphinx.{name}")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
