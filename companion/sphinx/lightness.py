"""Load only the scripts and style sheets that a page uses, each once."""

import re
from typing import Any

from sphinx.application import Sphinx

# a word of a file's name, and what a page that uses the file has on it
WANTED = {
    "thebe": r"(?!)",  # cells run by our own panel
    "codeautolink": r"(?!)",  # its few rules are in the book's own style sheet
    "copybutton|clipboard": r'class="highlight',
    "togglebutton": r'class="[^"]*\b(?:toggle|dropdown)\b',
    "mystnb": r'class="cell\b',
    "proof": r'class="proof\b',
    "exercise": r'class="(?:exercise|solution)\b',
    "sphinx-design": r"\bsd-",
    "design-tabs": r"\bsd-tab-",
    "sorting": r'class="[^"]*\bsortable\b',
}


def wanted(name: str, body: str, formulas: bool) -> bool:
    """Return whether a page uses a script or a style sheet.

    >>> wanted("_static/proof.css", '<div class="proof theorem">', False)
    True
    >>> wanted("_static/proof.css", "a proof", False)
    False
    >>> wanted("_static/book.css", "", False)
    True
    """
    if "mathjax" in name.lower():
        return formulas
    return all(
        re.search(mark, body)
        for word, mark in WANTED.items()
        if re.search(word, name.lower())
    )


def name_of(file: Any) -> str:
    """Return the name of a script or a style sheet, or its text if it has no file."""
    name = getattr(file, "filename", file)
    return str(name or file.attributes.get("body", ""))


def lighten(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Remove the scripts and style sheets that a page does not use, and those that it
    loads twice; one page of the whole book uses all.
    """
    body = context.get("body", "")
    formulas = 'class="math' in body
    for kind in ("script_files", "css_files"):
        files: dict[str, Any] = {}
        for file in context.get(kind, []):
            files.setdefault(name_of(file), file)
        if app.builder.name != "singlehtml":
            files = {
                name: file
                for name, file in files.items()
                if wanted(name, body, formulas)
            }
        context[kind] = list(files.values())


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect :func:`lighten` to the Sphinx build."""
    app.connect("html-page-context", lighten, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
