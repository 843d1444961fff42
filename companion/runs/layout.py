"""Lay out a run as a page of its book."""

from __future__ import annotations

import io
import runpy
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from companion.parameters import PAGE_SUFFIXES
from companion.runs.errors import RunError

# extensions that need the whole site
SITE_WIDE = (
    "sphinx.ext.intersphinx",
    "sphinx_external_toc",
    "sphinx_thebe",
    "sphinx_codeautolink",
    "sphinx_comments",
    "sphinx_jupyterbook_latex",
)
OF_THOSE = ("codeautolink_", "comments_", "thebe_", "external_toc_", "companion_book")
LEFT_OUT = ("_build", ".venv", "runs")
OF_ONE_PAGE = {
    "nb_execution_mode": "off",
    "html_copy_source": False,
    "html_use_index": False,
}
READ_HERE = ("extensions", "bibtex_bibfiles", "html_baseurl", "project", "html_title")


def configuration(book: Path) -> tuple[dict[str, Any], Path | None]:
    """Return a book's Sphinx settings, without extensions that need the whole site, and
    the folder with ``conf.py``.

    If the book has ``conf.py``, the settings are only those that a rerun reads or
    changes. Otherwise they are all that Jupyter Book makes of ``_config.yml``, and the
    folder is None. Raise CompanionError if the book has neither.
    """
    root = book.resolve()
    folder = root if (root / "conf.py").is_file() else None
    if folder is not None:
        settings = _of_conf(root)
    elif (root / "_config.yml").is_file():
        settings = _of_jupyter_book(root)
    else:
        raise CompanionError(
            f"no conf.py or _config.yml in {root}: run this in the folder of a book, or"
            " name it",
            argument="book",
        )
    if "bibtex_bibfiles" in settings:
        settings["bibtex_bibfiles"] = _below(root, settings["bibtex_bibfiles"])
    extensions = settings.get("extensions", ())
    settings["extensions"] = [name for name in extensions if name not in SITE_WIDE]
    kept = {
        name: value for name, value in settings.items() if not name.startswith(OF_THOSE)
    }
    return kept, folder


def _of_conf(root: Path) -> dict[str, Any]:
    """Return those settings of ``conf.py`` that a rerun reads or changes."""
    said = runpy.run_path(str(root / "conf.py"))
    return {name: said[name] for name in READ_HERE if name in said}


def _of_jupyter_book(root: Path) -> dict[str, Any]:
    """Return the settings that Jupyter Book makes of ``_config.yml``, with paths from
    everywhere.
    """
    from jupyter_book.config import get_final_config

    settings: dict[str, Any]
    settings, _ = get_final_config(
        user_yaml=root / "_config.yml",
        cli_config={"latex_individualpages": False},
        sourcedir=root,
        use_external_toc=False,
    )
    for name in ("html_logo", "html_favicon"):
        if settings.get(name) and "://" not in settings[name]:
            settings[name] = str(root / settings[name])
    settings["html_static_path"] = _below(root, settings.get("html_static_path", ()))
    return settings


def _below(root: Path, names: Iterable[str]) -> list[str]:
    return [str(root / name) for name in names]


def lay_out(
    notebook: Any,
    page: str,
    folder: Path,
    settings: Mapping[str, Any],
    *,
    record: Mapping[str, Any],
    address: str,
    told: Mapping[str, Any] | None,
    docname: str = "",
    configured: Path | None = None,
    near: tuple[Path, Path] | None = None,
) -> list[str]:
    """Write an executed notebook as ``PAGE.html``; return Sphinx's warnings.

    The page is written to ``folder`` with its ``_static`` and ``_images``. The settings
    override the ``conf.py`` in ``configured``. ``record`` and ``address`` are the
    book's, to which references lead, and ``told`` is the box below the title
    (:func:`told_of`); see ``companion.sphinx.reruns``. ``docname`` is the page's name
    in the book, with its folder, if it is not ``page``. ``near`` are the folders of the
    book and of the page, whose images and other files the page then finds. Raise
    RunError if Sphinx cannot lay out the page.
    """
    docname = docname or page
    import nbformat
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    original = record.get("targets", {}).get(f"doc:{docname}", ["", ""])[0]
    rerun = {
        "page": docname,
        "record": record,
        "address": address,
        "told": told,
        "original": original,
    }
    shown = nbformat.from_dict(notebook)
    shown.cells = [
        cell
        for cell in shown.cells
        if "injected-parameters" not in cell.metadata.get("tags", [])
    ]
    with tempfile.TemporaryDirectory() as aside:
        source, built = Path(aside) / "source", Path(aside) / "made"
        source.mkdir()
        source = _linked(*near, source) if near else source
        nbformat.write(shown, source / f"{page}.ipynb")
        warnings = io.StringIO()
        with patch_docutils(str(source)), docutils_namespace():
            try:
                app = Sphinx(
                    source,
                    configured,
                    built,
                    Path(aside) / "doctrees",
                    "html",
                    confoverrides={
                        **settings,
                        **OF_ONE_PAGE,
                        "companion_rerun": rerun,
                        "root_doc": page,
                    }
                    | {"include_patterns": [f"{page}.ipynb"]},
                    status=None,
                    warning=warnings,
                    freshenv=True,
                )
                app.build(force_all=True)
            except SphinxError as error:
                raise RunError(
                    f"the page {page} cannot be laid out: {error}; to skip the page,"
                    " turn it off (html)"
                ) from error
        for name in (f"{page}.html", "_static", "_images"):
            if (built / name).exists():
                shutil.move(built / name, folder / name)
    return warnings.getvalue().splitlines()


def _linked(book: Path, near: Path, copy: Path) -> Path:
    """Return the folder in ``copy`` from which paths lead to the files of the book, as
    from its folder ``near``.
    """
    here = copy / near.relative_to(book)
    here.mkdir(parents=True, exist_ok=True)
    above = [folder for folder in (near, *near.parents) if folder.is_relative_to(book)]
    targets = [(folder, copy / folder.relative_to(book)) for folder in above]
    # the last for paths that begin with a slash
    for folder, target in [*targets, (book, here)]:
        for path in folder.iterdir():
            is_left_out = (
                path.suffix in PAGE_SUFFIXES
                or path.name[0] == "."
                or path.name in LEFT_OUT
            )
            if not is_left_out and not (target / path.name).exists():
                (target / path.name).symlink_to(path)
    return here
