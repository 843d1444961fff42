"""Texts and pages from the templates in the folder ``pages``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lifttables.extras import extra
from lifttables.files import printable

MARK_UP = re.compile(r"([|`*\[\\])")  # characters with a meaning in Markdown


def render(template: str, **values: Any) -> str:
    """Return a text from a template; on a page, all values are escaped.

    Texts in Markdown escape theirs with the filter ``cell``.
    """
    with extra("tables"):
        from jinja2 import (  # noqa: PLC0415
            Environment,
            FileSystemLoader,
            StrictUndefined,
            select_autoescape,
        )

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "pages"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    environment.filters["cell"] = _cell
    return environment.get_template(template).render(**values)


def _shown(value: Any) -> Any:
    """Return a value; if it is text, without control characters."""
    if not isinstance(value, str):
        return value
    return type(value)(printable(value.replace("\n", " ")))


def _cell(text: str) -> str:
    """Return a text as one table cell in Markdown, without mark-up."""
    text = printable(text.replace("\r", " ").replace("\n", " "))
    return MARK_UP.sub(r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))
