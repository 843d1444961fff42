"""The configuration values that several extensions share, with their defaults."""

from pathlib import Path
from typing import Any

import jupytext
from sphinx.application import Sphinx

# ``companion_front_matter`` is the key of a page's own settings; the others are
# explained where they are used
DEFAULTS: dict[str, Any] = {
    "companion_book": "",
    "companion_browser": {},
    "companion_front_matter": "companion",
    "companion_glossary": "",
    "companion_mistakes": "",
    "companion_package": {},
    "companion_picture": "",
    "companion_rerun": {},
}


def add_settings(app: Sphinx, *names: str) -> None:
    """Add the shared configuration values, unless another extension already has."""
    for name in names:
        if name not in app.config.values:
            app.add_config_value(name, DEFAULTS[name], "env", [type(DEFAULTS[name])])


def is_rerun(app: Sphinx) -> bool:
    """Return whether one page is laid out by itself after a rerun.

    The value ``companion_rerun`` must have been added (:func:`add_settings`).
    """
    return bool(app.config["companion_rerun"])


def front_matter(app: Sphinx, path: Path) -> dict[str, Any]:
    """Return the value of the book's key in a page's front matter."""
    return dict(
        jupytext.read(path).metadata.get(app.config["companion_front_matter"], {})
    )
