"""Notebooks that read like the chapters' pages, with download buttons.

The Pages workflow publishes ``_notebooks`` on the branch ``notebooks``, which the
Binder and Colab buttons open. Without a repository (see ``companion.sphinx.theming``)
or without ``companion_package``, there are none. Without a repository, notebooks
install the wheel next to them. The role ``companion-wheel`` links to the wheel; a text
with ``{wheel}``, such as ``pip install {wheel}``, is shown with the file's name.
"""

import ast
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxRole

from companion.parameters import PAGE_SUFFIXES
from companion.project import project_root
from companion.reading import fingerprint
from companion.solutions import ask, folded, tags
from companion.sphinx.markdown import page_as_markdown
from companion.sphinx.settings import add_settings
from companion.sphinx.theming import repository

BRANCH = "notebooks"
NOTEBOOK_FOLDER = "_notebooks"
# cells whose code a page folds or leaves out; a notebook needs it, folded, but for
# parameters, which readers change
HIDDEN_TAGS = {"hide-cell", "hide-input", "remove-cell", "remove-input"}
PAGE_TEXTS: dict[str, list[str | int]] = {}
"""Each page's text, from when it is laid out until the notebooks are written."""
FROM_REPOSITORY = """# Where {name} is not installed, such as on Colab, this installs
# the book's library and data.
import importlib.util

if importlib.util.find_spec("{module}") is None:
    get_ipython().run_line_magic("pip", "install -q '{wanted} @ git+{place}'")"""
FROM_WHEEL = """# Where {name} is not installed, this installs it from its wheel,
# which the same menu downloads.
import importlib.util
from pathlib import Path

if importlib.util.find_spec("{module}") is None:
    if not Path("{place}").exists():
        raise FileNotFoundError(
            "{place} is not here: download it where this notebook came from"
        )
    get_ipython().run_line_magic("pip", "install -q './{place}{extra}'")"""


@dataclass(frozen=True)
class Package:
    """The package that notebooks install: distribution, required module and extra."""

    name: str
    module: str
    extra: str = ""

    def install(self, text: str, place: str) -> str:
        """Return the installation code: FROM_REPOSITORY or FROM_WHEEL, filled in."""
        extra = f"[{self.extra}]" if self.extra else ""
        return text.format(
            name=self.name,
            module=self.module,
            extra=extra,
            wanted=self.name + extra,
            place=place,
        )


def package_of(config: Config) -> Package | None:
    """Return the package that notebooks install, or None if none is configured."""
    said = config["companion_package"]
    return Package(**said) if said else None


def is_notebook(app: Sphinx, docname: str) -> bool:
    """Return whether a page's source is a notebook with code: Markdown, a notebook's
    file, or a script's cells.
    """
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".md":
        return "{code-cell}" in path.read_text(encoding="utf-8")
    return path.suffix in PAGE_SUFFIXES and any(
        cell.cell_type == "code" for cell in jupytext.read(path).cells
    )


def convert(
    source: nbformat.NotebookNode, pieces: list[str | int], install: str
) -> nbformat.NotebookNode:
    """Return a chapter as a notebook that begins with the ``install`` cell, if any.

    ``pieces`` alternates the page's Markdown and cell numbers. Code cells that the page
    omits are restored, after the cell that they follow in the source: a check stands
    below the answer that it checks.
    """
    kernel = source.metadata.get(
        "kernelspec", {"name": "python3", "display_name": "Python 3"}
    )
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    notebook.cells += [nbformat.v4.new_code_cell(install)] if install else []
    waiting = [
        number for number, cell in enumerate(source.cells) if cell.cell_type == "code"
    ]
    hidden = set(waiting).difference(pieces)
    for piece in [*pieces, len(source.cells)]:
        if isinstance(piece, str):
            notebook.cells += [nbformat.v4.new_markdown_cell(piece)] if piece else []
            continue
        last = piece
        while last + 1 in hidden:
            last += 1
        while waiting and waiting[0] <= last:
            notebook.cells += code(source.cells[waiting.pop(0)])
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    return notebook


def code(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the notebook cells for a code cell of a chapter.

    A solution becomes an empty answer and a fold with the solution.
    """
    if only_glues(cell.source):
        return []
    if "solution" in tags(cell):
        return [
            nbformat.v4.new_code_cell(ask(cell.source), metadata={"tags": ["answer"]}),
            nbformat.v4.new_markdown_cell(folded(cell.source)),
        ]
    new_cell = nbformat.v4.new_code_cell(
        cell.source, metadata={"tags": tags(cell)} if tags(cell) else {}
    )
    if HIDDEN_TAGS & set(tags(cell)) and "parameters" not in tags(cell):
        new_cell.metadata["jupyter"] = {"source_hidden": True}
    return [new_cell]


def only_glues(source: str) -> bool:
    """Return whether a cell only glues values for the prose.

    >>> (
    ...     only_glues('glue("a", 1)\\nfor b in c:\\n    glue(b, 2)'),
    ...     only_glues('a = 1\\nglue("a", a)'),
    ... )
    (True, False)
    """
    if "glue(" not in source:
        return False
    try:
        held: list[ast.AST] = [ast.parse(source)]
    except (
        SyntaxError
    ):  # a line that only a notebook understands, such as %matplotlib inline
        return False
    for node in held:  # it grows
        for statement in getattr(node, "body", []):
            if isinstance(statement, ast.For):
                held.append(statement)
            elif not (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Call)
                and ast.unparse(statement.value.func) == "glue"
            ):
                return False
    return bool(held)


def note_source(app: Sphinx, docname: str, _source: list[str]) -> None:
    """Note the digest of a page's source when it is read, for the course."""
    app.env.metadata[docname]["companion-source"] = fingerprint(
        "open", Path(app.env.doc2path(docname))
    )


def keep_text(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Keep a page's text as Markdown until its notebook is written."""
    if app.builder.name == "html" and is_notebook(app, docname):
        PAGE_TEXTS[docname] = page_as_markdown(app, doctree, docname)


def write_notebooks(app: Sphinx, error: Exception | None) -> None:
    """Write ``_notebooks/NAME.ipynb`` for each page with code."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir) / NOTEBOOK_FOLDER
    folder.mkdir(exist_ok=True)
    package, url = package_of(app.config), repository(app.config)
    wheel = wheel_name(package) if package else ""
    install = (
        ""
        if package is None
        else package.install(FROM_REPOSITORY if url else FROM_WHEEL, url or wheel)
    )
    for docname, pieces in PAGE_TEXTS.items():
        target = folder / f"{docname}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        notebook = convert(jupytext.read(app.env.doc2path(docname)), pieces, install)
        # the course refuses a page that was built from another source
        notebook.metadata["companion"] = {
            "source": app.env.metadata[docname].get("companion-source", "")
        }
        nbformat.write(notebook, target)


def wheel_name(package: Package) -> str:
    """Return the file name of a package's wheel."""
    return f"{package.name}-{version(package.name)}-py3-none-any.whl"


def write_wheel(app: Sphinx, error: Exception | None) -> None:
    """Write the wheel, which carries the digests of the notebooks."""
    if error is None and app.builder.name == "html" and package_of(app.config):
        folder = Path(app.outdir) / NOTEBOOK_FOLDER
        words = [
            sys.executable,
            "-m",
            "hatchling",
            "build",
            "-t",
            "wheel",
            "-d",
            str(folder),
        ]
        subprocess.run(
            words, cwd=project_root(Path(app.srcdir)), check=True, capture_output=True
        )


def link(url: str, text: str, tooltip: str, icon: str) -> dict[str, str]:
    """Return an entry of a menu in the page's header."""
    label = tooltip.replace(" ", "-")
    return {
        "type": "link",
        "url": url,
        "text": text,
        "tooltip": tooltip,
        "icon": icon,
        "label": label,
    }


def menu(
    tooltip: str, icon: str, label: str, buttons: list[dict[str, str]]
) -> dict[str, Any]:
    """Return a menu in the page's header."""
    return {
        "type": "group",
        "tooltip": tooltip,
        "icon": icon,
        "label": label,
        "buttons": buttons,
    }


def add_buttons(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Add download and launch buttons to the page's header."""
    if (
        app.builder.name != "html"
        or pagename not in app.env.found_docs
        or not is_notebook(app, pagename)
    ):
        return
    file, up = f"{pagename}.ipynb", "../" * pagename.count("/")
    url, package = repository(app.config), package_of(app.config)
    if url and package:
        slug = url.removeprefix("https://github.com/")
        binder = f"https://mybinder.org/v2/gh/{slug}/{BRANCH}?urlpath=lab/tree/{file}"
        colab = f"https://colab.research.google.com/github/{slug}/blob/{BRANCH}/{file}"
        launch = [
            link(binder, "Binder", "Run on Binder", "fas fa-rocket"),
            link(colab, "Colab", "Run on Colab", "fas fa-cloud"),
        ]
        context["header_buttons"].append(
            menu("Run this chapter", "fas fa-rocket", "launch-buttons", launch)
        )
    downloads = [
        link(
            f"{up}{NOTEBOOK_FOLDER}/{file}",
            "Notebook (.ipynb)",
            "Download as a notebook",
            "fas fa-file-code",
        ),
    ]
    suffix = Path(app.env.doc2path(pagename)).suffix
    if suffix != ".ipynb":
        downloads.append(
            link(
                f"{up}_sources/{pagename}{suffix}",
                f"Text ({suffix})",
                "Download the source",
                "fas fa-file",
            )
        )
    if package:
        wheel = wheel_name(package)
        words = f"Download {package.name}, which the notebook needs"
        address = f"{up}{NOTEBOOK_FOLDER}/{wheel}"
        downloads.append(link(address, "Library (.whl)", words, "fas fa-box"))
    context["header_buttons"].append(
        menu("Download this chapter", "fas fa-download", "download-buttons", downloads)
    )


class WheelRole(SphinxRole):
    """A link to the wheel, or a command with its name."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the link, or the command as code; other builders have no link."""
        package = package_of(self.config)
        name = wheel_name(package) if package else "the wheel"
        if "{wheel}" in self.text:
            text = self.text.replace("{wheel}", name)
            return [nodes.literal(text, text)], []
        shown = nodes.literal(name, name)
        if package is None or self.env.app.builder.name != "html":
            return [shown], []
        up = "../" * self.env.docname.count("/")
        address = f"{up}{NOTEBOOK_FOLDER}/{name}"
        return [nodes.reference("", "", shown, refuri=address)], []


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.setup_extension("sphinx_markdown_builder")
    add_settings(app, "companion_package")
    app.add_role("companion-wheel", WheelRole())
    app.connect("source-read", note_source)
    app.connect("doctree-resolved", keep_text, priority=900)
    app.connect("html-page-context", add_buttons, priority=600)
    app.connect("build-finished", write_notebooks)
    # after the digests of what is written before
    app.connect("build-finished", write_wheel, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
