"""Rerun a page of a book with other parameters, and lay it out like the book."""

from __future__ import annotations

import io
import json
import runpy
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.docutils import docutils_namespace, patch_docutils

from companion.errors import CompanionError
from companion.parameters import Parameter, check_values, read_parameters, suggest
from companion.project import refuse_address
from companion.running import execute
from companion.sphinx.findable import address_of

# extensions that need the whole site
SITE_WIDE = (
    "sphinx.ext.intersphinx",
    "sphinx_external_toc",
    "sphinx_thebe",
    "sphinx_comments",
    "sphinx_jupyterbook_latex",
)
OF_THOSE = ("comments_", "thebe_", "external_toc_")
PAGE_SUFFIXES = (".md", ".ipynb")
OF_ONE_PAGE = {"nb_execution_mode": "off", "html_copy_source": False, "html_use_index": False}
READ_HERE = ("extensions", "bibtex_bibfiles", "html_baseurl")


def configuration(book: Path) -> tuple[dict[str, Any], Path | None]:
    """Return a book's Sphinx settings, without extensions that need the whole site, and the folder with ``conf.py``.

    If the book has ``conf.py``, the settings are only those that a rerun reads or changes. Otherwise they are all that
    Jupyter Book makes of ``_config.yml``, and the folder is None. Raise CompanionError if the book has neither.
    """
    root = book.resolve()
    if (root / "conf.py").is_file():
        said = runpy.run_path(str(root / "conf.py"))
        settings = {name: said[name] for name in READ_HERE if name in said}
    elif (root / "_config.yml").is_file():
        from jupyter_book.config import get_final_config

        settings, _ = get_final_config(
            user_yaml=root / "_config.yml",
            cli_config={"latex_individualpages": False},
            sourcedir=root,
            use_external_toc=False,
        )
        for name in ("html_logo", "html_favicon"):
            if settings.get(name) and "://" not in settings[name]:
                settings[name] = str(root / settings[name])
        settings["html_static_path"] = [str(root / name) for name in settings.get("html_static_path", ())]
    else:
        raise CompanionError(
            f"no conf.py or _config.yml in {root}: run this in the folder of a book, or name it", argument="book"
        )
    if "bibtex_bibfiles" in settings:
        settings["bibtex_bibfiles"] = [str(root / name) for name in settings["bibtex_bibfiles"]]
    settings["extensions"] = [name for name in settings.get("extensions", ()) if name not in SITE_WIDE]
    kept = {name: value for name, value in settings.items() if not name.startswith(OF_THOSE)}
    return kept, root if (root / "conf.py").is_file() else None


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

    The page is written to ``folder`` with its ``_static`` and ``_images``. The settings override the ``conf.py`` in
    ``configured``. ``record`` and ``address`` are the book's, to which references lead, and ``told`` is the box below
    the title (:func:`told_of`); see ``companion.sphinx.reruns``. ``docname`` is the page's name in the book, with its
    folder, if it is not ``page``. ``near`` are the folders of the book and of the page,
    whose images and other files the page then finds. Raise CompanionError if Sphinx cannot lay out the page.
    """
    docname = docname or page
    original = record.get("targets", {}).get(f"doc:{docname}", ["", ""])[0]
    rerun = {"page": docname, "record": record, "address": address, "told": told, "original": original}
    shown = nbformat.from_dict(notebook)
    shown.cells = [cell for cell in shown.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
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
                    confoverrides={**settings, **OF_ONE_PAGE, "companion_rerun": rerun, "root_doc": page}
                    | {"include_patterns": [f"{page}.ipynb"]},
                    status=None,
                    warning=warnings,
                    freshenv=True,
                )
                app.build(force_all=True)
            except SphinxError as error:
                raise CompanionError(f"the page {page} cannot be laid out: {error}") from error
        for name in (f"{page}.html", "_static", "_images"):
            if (built / name).exists():
                shutil.move(built / name, folder / name)
    return warnings.getvalue().splitlines()


def _linked(book: Path, near: Path, copy: Path) -> Path:
    """Return the folder in ``copy`` from which paths lead to the files of the book, as from its folder ``near``."""
    here = copy / near.relative_to(book)
    here.mkdir(parents=True, exist_ok=True)
    above = [folder for folder in (near, *near.parents) if folder.is_relative_to(book)]
    targets = [(folder, copy / folder.relative_to(book)) for folder in above]
    for folder, target in [*targets, (book, here)]:  # the last for paths that begin with a slash
        for path in folder.iterdir():
            is_left_out = path.suffix in PAGE_SUFFIXES or path.name[0] == "." or path.name == "_build"
            if not is_left_out and not (target / path.name).exists():
                (target / path.name).symlink_to(path)
    return here


def rerun(name: str, texts: Mapping[str, str], folder: Path, book: Path) -> Path:
    """Execute a page with other parameters and return the path of its HTML.

    Parameters
    ----------
    name : str
        The page's name, such as ``coins``, with its folder where several pages have it, such as ``dice/sums``.
    texts : mapping of str to str
        Values of parameters as text, by name.
    folder : pathlib.Path
        A new folder for ``NAME.ipynb``, ``NAME.html`` and the files that the page loads.
    book : pathlib.Path
        The folder with ``conf.py`` or ``_config.yml``. If it contains the built book, changed numbers are marked.

    Raises
    ------
    CompanionError
        If there is no such book, page or parameter, a value is invalid, the folder exists, or a cell or layout fails.
    """
    refuse_address(folder)
    conf, configured = configuration(book)
    if folder.exists():
        raise CompanionError(f"{folder} already exists: choose another folder")
    source = _source(name, book.resolve())
    name = source.stem
    parameters = read_parameters(source)
    values = check_values(parameters, texts, name)
    folder.mkdir(parents=True)
    executed, started = folder / f"{name}.ipynb", time.perf_counter()
    notebook, ran, failure = execute(source, executed, values, parameters)
    if failure:
        raise CompanionError(f"{failure}; what ran is in {executed}")
    finished = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    told = told_of(ran, parameters, time.perf_counter() - started, finished=finished, files=[executed.name])
    lay_out(
        *(notebook, name, folder, conf),
        record=record_in(book / "_build" / "html"),
        address=address_of(str(conf.get("html_baseurl", "")), ""),
        told=told,
        docname=docname_of(source, book, {}),
        configured=configured,
        near=(book.resolve(), source.parent),
    )
    return folder / f"{name}.html"


def told_of(values: Mapping[str, Any], parameters: Sequence[Parameter], seconds: float, **more: Any) -> dict[str, Any]:
    """Return what the box below the title of a rerun's page says.

    ``changed`` are rows of (name, value here, value in the book), ``same`` pairs of (name, value); ``more`` are
    ``finished``, ``files``, and whether the notebook was ``downloaded``.
    """
    changed = [one for one in parameters if values[one.name] != one.default]
    return {
        "changed": [(one.name, repr(values[one.name]), repr(one.default)) for one in changed],
        "same": [(one.name, repr(one.default)) for one in parameters if one not in changed],
        "seconds": seconds,
        "downloaded": False,
        **more,
    }


def record_in(folder: Path) -> dict[str, Any]:
    """Return the record of a built book for reruns, with its ``folder``; empty if there is none."""
    path = folder / "book.json"
    return json.loads(path.read_text(encoding="utf-8")) | {"folder": str(folder.resolve())} if path.is_file() else {}


def docname_of(page: Path, book: Path, record: Mapping[str, Any]) -> str:
    """Return a page's name in the book, with its folder.

    A notebook elsewhere has the name of the only page that is called like it; if there is none, or there are several,
    it has no other name than its own, with which it is compared to nothing.
    """
    page, book = page.resolve(), book.resolve()
    if page.is_relative_to(book):
        return page.relative_to(book).with_suffix("").as_posix()
    known = [key.removeprefix("doc:") for key in record.get("targets", {}) if key.startswith("doc:")]
    alike = [name for name in known if name.rpartition("/")[2] == page.stem]
    return alike[0] if len(alike) == 1 else page.stem


def _source(name: str, book: Path) -> Path:
    """Return the source of a page; a notebook next to a page of the same name is the output of a rerun."""
    pages = [path for suffix in PAGE_SUFFIXES for path in sorted(book.rglob(f"*{suffix}")) if _is_page(path, book)]
    bare = name.removesuffix(".md").removesuffix(".ipynb")
    found = [path for path in pages if path.with_suffix("").as_posix().endswith(f"/{bare}")]
    found = [path for path in found if path.with_suffix("") == book / bare] or found
    found = [path for path in found if path.suffix == found[0].suffix]
    if not found:
        near = suggest(name, sorted({path.stem for path in pages}))
        raise CompanionError(f"there is no page {name!r} in {book}: {near}")
    if len(found) > 1:
        paths = " and ".join(path.relative_to(book).as_posix() for path in found)
        raise CompanionError(f"there are several pages {name!r}, {paths}: name one with its folder")
    return found[0]


def _is_page(path: Path, book: Path) -> bool:
    outputs = {"_build", ".venv", "jupyter_execute"} & {*path.relative_to(book).parts}
    return not outputs and not path.with_suffix(".html").exists()
