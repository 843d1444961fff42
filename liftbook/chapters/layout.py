"""Render a run as a page with the book's theme, extensions and settings."""

from __future__ import annotations

import json
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
    root = book_folder()
    for folder in (*([Path(address)] if address else []), root / "_build" / "html", root):
        path = folder / "book.json"
        if path.is_file():
            record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return record | {"folder": str(folder.resolve())}
    known: dict[str, list[str]] = {}
    for path in sorted(chapters_folder().glob("*.md")):
        text, page = path.read_text(encoding="utf-8"), f"chapters/{path.stem}.html"
        title = next(line[2:].strip() for line in text.splitlines() if line.startswith("# "))
        known[f"doc:{path.stem}"] = [page, title]
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
        "nb_execution_mode": "off",
        "exclude_patterns": [],
        "html_copy_source": False,
        "html_sidebars": {"**": ["navbar-logo.html", "sbt-sidebar-nav.html"]},  # there is no index to search
        "html_use_index": False,
        "html_show_sourcelink": False,
        "html_domain_indices": False,
    }


def lay_out(
    notebook: Any, page: str, folder: Path, told: Mapping[str, Any] | None = None, address: str = ""
) -> list[str]:
    """Write an executed notebook as ``PAGE.html``; return Sphinx's warnings.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed chapter; it is not changed.
    page : str
        The name of the chapter and its page.
    folder : pathlib.Path
        Folder for the page, its ``_static`` and its ``_images``.
    told : mapping, optional
        Content of the box below the title: ``changed``, rows of (name, value here, value in the book); ``same``, pairs
        of (name, value); ``seconds``, ``finished``, ``files``, and whether the notebook was ``downloaded``.
    address : str
        Address or folder of the book; if empty, references to its other pages become plain text.

    Raises
    ------
    RerunError
        If Sphinx cannot render the page.
    """
    from companion.rerunning import lay_out as as_page  # noqa: PLC0415 - Sphinx takes seconds

    base = address or settings().get("html_baseurl") or ""
    base = Path(base).resolve().as_uri() if base and Path(base).is_dir() else base
    base = f"{base.rstrip('/')}/" if base else ""
    record = book_record(address)
    rerun = {"page": page, "record": record, "address": base, "told": told}
    rerun["original"] = record.get("targets", {}).get(f"doc:{page}", ["", ""])[0]
    asked = {**settings(), "companion_rerun": rerun}
    try:
        return as_page(_page(notebook), page, folder, asked)
    except CompanionError as error:
        raise RerunError(f"{error}; to skip the page, turn it off (html)") from error


def _page(notebook: Any) -> Any:
    """Return a notebook as a page's source, with its bibliography at the end."""
    import nbformat  # noqa: PLC0415

    page = nbformat.from_dict(notebook)
    page.cells = [cell for cell in page.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    if any("{cite" in cell.source for cell in page.cells if cell.cell_type == "markdown"):
        works = "## References\n\n```{bibliography}\n:filter: docname in docnames\n```"
        page.cells.append(nbformat.v4.new_markdown_cell(works))
    return page
