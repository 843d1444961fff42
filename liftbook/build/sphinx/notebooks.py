"""Real notebooks of every chapter: written beside the pages, with buttons to download them and to run them.

The Pages workflow publishes what is written to ``_notebooks`` on the branch ``notebooks``, which the Binder and
Colab buttons open. GITHUB_REPOSITORY, which that workflow sets, overrides ``repository_url`` of ``_config.yml``.
"""

import os
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from sphinx.application import Sphinx

BRANCH = "notebooks"
INSTALL = """# Run this cell first where liftlib is not installed (on Colab): it installs the book's library and data.
import importlib.util

if importlib.util.find_spec("liftlib") is None:
    get_ipython().run_line_magic("pip", "install -q 'liftlib[book] @ git+{url}'")"""


def repository(app: Sphinx) -> str:
    """Return the address of the repository on GitHub."""
    named = os.environ.get("GITHUB_REPOSITORY")
    return f"https://github.com/{named}" if named else app.config.html_theme_options["repository_url"].rstrip("/")


def is_notebook(app: Sphinx, docname: str) -> bool:
    """Return whether a page's source is a text notebook with code."""
    path = Path(app.env.doc2path(docname))
    return path.suffix == ".md" and "{code-cell}" in path.read_text(encoding="utf-8")


def convert(source: Path, url: str) -> nbformat.NotebookNode:
    """Return a chapter as a notebook without outputs, whose first cell installs what it needs."""
    notebook = jupytext.read(source)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(INSTALL.format(url=url)))
    notebook.metadata.pop("jupytext", None)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def write_notebooks(app: Sphinx, error: Exception | None) -> None:
    """Write ``_notebooks/NAME.ipynb`` for each chapter that has code."""
    if error is not None or app.builder.name != "html":
        return
    for docname in sorted(app.env.found_docs):
        if is_notebook(app, docname):
            target = Path(app.outdir) / "_notebooks" / f"{docname}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            notebook = convert(Path(app.env.doc2path(docname)), repository(app))
            nbformat.write(notebook, target)


def add_buttons(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Add download and launch buttons to the page's header."""
    if app.builder.name != "html" or pagename not in app.env.found_docs or not is_notebook(app, pagename):
        return
    slug = repository(app).removeprefix("https://github.com/")
    file = f"{pagename}.ipynb"
    up = "../" * pagename.count("/")
    launch = [
        ("Binder", f"https://mybinder.org/v2/gh/{slug}/{BRANCH}?urlpath=lab/tree/{file}", "fas fa-rocket"),
        ("Colab", f"https://colab.research.google.com/github/{slug}/blob/{BRANCH}/{file}", "fas fa-cloud"),
    ]
    buttons = [
        {"type": "link", "url": url, "text": name, "tooltip": f"Run on {name}", "icon": icon, "label": f"launch-{name}"}
        for name, url, icon in launch
    ]
    source = f"{up}_sources/{pagename}.md"
    downloads = [
        {
            "type": "link",
            "url": f"{up}_notebooks/{file}",
            "text": ".ipynb",
            "tooltip": "Download as a notebook",
            "icon": "fas fa-file-code",
            "label": "download-notebook",
        },
        {
            "type": "link",
            "url": source,
            "text": ".md",
            "tooltip": "Download the source",
            "icon": "fas fa-file",
            "label": "download-source",
        },
    ]
    group = {"type": "group", "tooltip": "Run this chapter", "icon": "fas fa-rocket", "label": "launch-buttons"}
    down = {"type": "group", "tooltip": "Download this chapter", "icon": "fas fa-download", "label": "download-buttons"}
    context["header_buttons"] += [{**group, "buttons": buttons}, {**down, "buttons": downloads}]


def tidy_scripts(_app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Keep each script of a page once, MathJax's asynchronous form, and drop Thebe's, which this book does not use."""
    kept: dict[str, Any] = {}
    for script in context.get("script_files", []):
        body = script.attributes.get("body", "") if hasattr(script, "attributes") else ""
        name = str(getattr(script, "filename", script) or body)
        if "thebe" not in name.lower():
            kept.setdefault(name, script)
    context["script_files"] = list(kept.values())


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("html-page-context", add_buttons, priority=600)
    app.connect("html-page-context", tidy_scripts, priority=900)
    app.connect("build-finished", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
