"""Publish the digests of a book: what "as published" means is decided by this file of
its built site alone.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.parameters import read_notebook
from companion.runs.book import Book
from companion.runs.digests import (
    PUBLISHED,
    data_digest,
    file_digest,
    packages_digest,
    page_digest,
)
from companion.runs.record import git_state

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def edition(root: Path, distribution: str, release: str = "") -> str:
    """Return the name of what is built: a version only if the commit has its tag and no
    file differs from it.

    Parameters
    ----------
    root : pathlib.Path
        The book's repository.
    distribution, release : str
        The distribution whose version it is, or else the version.
    """
    try:
        number = version(distribution) if distribution else release
    except PackageNotFoundError:
        number = release
    git = git_state(root)
    if not git:
        return f"an unreleased build of {number}" if number else "an unreleased build"
    listed = subprocess.run(
        ["git", "-C", str(root), "tag", "--points-at", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    if (
        number
        and {number, f"v{number}"} & set(listed.stdout.split())
        and not git["changed"]
    ):
        return number
    changes = " with uncommitted changes" if git["changed"] else ""
    return f"an unreleased build, commit {git['commit'][:12]}{changes}"


def published(
    book: Book, site: Path, pages: Iterable[Path], named: str
) -> dict[str, Any]:
    """Return the digests of a book whose site was built: of its pages, and of the
    notebooks that it offers.
    """
    digests: dict[str, list[str]] = {}
    for page in pages:
        name = book.docname(page)
        digests[name] = [page_digest(read_notebook(page))]
        offered = site / "_notebooks" / f"{name}.ipynb"
        if offered.is_file():
            digests[name].append(page_digest(read_notebook(offered)))
    packages = book.package_folders()
    return {
        "edition": named,
        "pages": digests,
        "code": packages_digest(packages),
        "data": data_digest(book.data(packages)),
        "others": sorted({file_digest(path) for path in book.helpers()}),
    }


def publish(book: Book, site: Path, pages: Iterable[Path], named: str) -> None:
    """Write ``published.json`` into the built site."""
    content = published(book, site, pages, named)
    (site / PUBLISHED).write_text(
        json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )


class Built(Book):
    """The book that Sphinx has just built; its wheel has the packages that its settings
    name.
    """

    def __init__(self, app: Sphinx) -> None:
        self.root, self.title = Path(app.srcdir).resolve(), str(app.config["project"])


def publish_build(app: Sphinx, error: Exception | None) -> None:
    """Write the digests of the pages with code."""
    if error is not None or app.builder.name != "html":
        return
    import importlib

    found = app.config["companion_book"]
    book = (
        getattr(
            importlib.import_module(found.partition(":")[0]), found.partition(":")[2]
        )()
        if found
        else Built(app)
    )
    pages = [Path(app.env.doc2path(name)) for name in sorted(app.env.found_docs)]
    named = edition(
        book.root,
        dict(app.config["companion_package"]).get("name", ""),
        str(app.config["release"]),
    )
    with_code = [
        page
        for page in pages
        if page.suffix != ".md" or "{code-cell}" in page.read_text(encoding="utf-8")
    ]
    publish(book, Path(app.outdir), with_code, named)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build: after the notebooks, before the wheel."""
    from companion.sphinx.settings import add_settings

    add_settings(app, "companion_package", "companion_book")
    app.connect("build-finished", publish_build, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
