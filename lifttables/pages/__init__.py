"""Pages of HTML from the templates in this folder; every value is escaped, and nothing is loaded from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lifttables.extras import extra
from lifttables.files import printable


def _shown(value: Any) -> Any:
    """Return a value with control characters replaced, where it is text."""
    return type(value)(printable(value.replace("\n", " "))) if isinstance(value, str) else value


def render(template: str, **values: Any) -> str:
    """Return a page.

    Parameters
    ----------
    template : str
        A file of this folder.
    **values
        What the template shows. Text is escaped, so that a label in a table cannot be a script.
    """
    with extra("tables"):
        from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - only pages need it

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_shown,
    )
    return environment.get_template(template).render(**values)
