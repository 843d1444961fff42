"""Render a run as a page with the book's theme, extensions and settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from liftbook.chapters.errors import RerunError
from liftbook.chapters.parameters import chapters_folder

FOR_REFERENCES = ("sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "sphinx.ext.viewcode")
"""Extensions for the pages on the library."""
LABELLED = re.compile(r"\{prf:(\w+)\}.*\n:label: (\S+)")
OF_THOSE = (
    "autodoc_",
    "napoleon_",
    "companion_package",
    "companion_picture",
)
"""Prefixes of their settings."""


def book_folder() -> Path:
    """Return the folder of the book's configuration and style."""
    return chapters_folder().parent


@cache
def book_record(address: str = "") -> dict[str, Any]:
    """Return the last build's record for reruns, or else one made from the sources.

    The record is in the built book, at ``address`` if that is a folder, or was installed with the package.
    """
    from companion.rerunning import record_in  # noqa: PLC0415 - Sphinx takes seconds

    root = book_folder()
    for folder in (*([Path(address)] if address else []), root / "_build" / "html", root):
        if record := record_in(folder):
            return record
    known: dict[str, list[str]] = {}
    for path in sorted(chapters_folder().glob("*.md")):
        text, page = path.read_text(encoding="utf-8"), f"chapters/{path.stem}.html"
        title = next(line[2:].strip() for line in text.splitlines() if line.startswith("# "))
        known[f"doc:chapters/{path.stem}"] = [page, title]
        for kind, label in LABELLED.findall(text):
            known[f"prf:{label}"] = [f"{page}#{label}", f"the {kind} in “{title}”"]
    return {"targets": known}


@cache
def settings() -> dict[str, Any]:
    """Return the book's Sphinx settings, without those for the whole site."""
    from companion.rerunning import configuration  # noqa: PLC0415 - a rerun without a page does without

    config, _ = configuration(book_folder())
    config = {key: value for key, value in config.items() if not key.startswith(OF_THOSE)}
    config["extensions"] = [name for name in config["extensions"] if name not in FOR_REFERENCES]
    return config | {
        "exclude_patterns": [],
        "html_sidebars": {"**": ["navbar-logo.html", "sbt-sidebar-nav.html"]},  # there is no index to search
        "html_show_sourcelink": False,
        "html_domain_indices": False,
    }


def lay_out(
    notebook: Any, source: Path | str, folder: Path, told: Mapping[str, Any] | None = None, address: str = ""
) -> list[str]:
    """Write an executed notebook as ``PAGE.html``; return Sphinx's warnings.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed chapter; it is not changed.
    source : pathlib.Path
        The chapter, after which the page is named.
    folder : pathlib.Path
        Folder for the page, its ``_static`` and its ``_images``.
    told : mapping, optional
        Content of the box below the title, see :func:`companion.rerunning.told_of`.
    address : str
        Address or folder of the book; if empty, references to its other pages become plain text.

    Raises
    ------
    RerunError
        If Sphinx cannot render the page.
    """
    from companion.rerunning import docname_of  # noqa: PLC0415 - Sphinx takes seconds
    from companion.rerunning import lay_out as as_page  # noqa: PLC0415

    base = address or settings().get("html_baseurl") or ""
    base = Path(base).resolve().as_uri() if base and Path(base).is_dir() else base
    base = f"{base.rstrip('/')}/" if base else ""
    record, page = book_record(address), Path(source)
    docname = docname_of(page, book_folder(), record)
    try:
        return as_page(
            *(_page(notebook), page.stem, folder, settings()),
            record=record,
            address=base,
            told=told,
            docname=docname,
        )
    except CompanionError as error:
        raise RerunError(f"{error}; to skip the page, turn it off (html)") from error


def _page(notebook: Any) -> Any:
    """Return a notebook as a page's source, with its bibliography at the end."""
    import nbformat  # noqa: PLC0415

    page = nbformat.from_dict(notebook)
    if any("{cite" in cell.source for cell in page.cells if cell.cell_type == "markdown"):
        works = "## References\n\n```{bibliography}\n:filter: docname in docnames\n```"
        page.cells.append(nbformat.v4.new_markdown_cell(works))
    return page
