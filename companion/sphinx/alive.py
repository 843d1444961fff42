"""Pages that run in the browser, and the files that they need.

Numbers in the prose and cells are marked, so that a run can replace them. The
configuration value ``companion_browser`` has the fields of :class:`Browser`.
"""

import json
import math
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from jupyter_cache import get_cache
from myst_nb.ext.glue.roles import PasteTextRole  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.logging import getLogger

from companion.browser import runtime
from companion.errors import CompanionError
from companion.parameters import PAGE_SUFFIXES, Parameter, read_parameters
from companion.project import project_root
from companion.sphinx.exercises import cells_of
from companion.sphinx.settings import add_settings, front_matter

logger = getLogger(__name__)

SCRIPT_FOLDER = Path(__file__).parents[1] / "browser" / "scripts"
BUILD_STATE: dict[str, Any] = {}
"""While a book is built: the runtime's ``folder``, and the seconds of the
``yardstick``.
"""


@dataclass(frozen=True)
class Browser:
    """The files, module and scripts with which pages of a book run in the browser.

    Attributes
    ----------
    module : str
        A Python module with ``start()``, which imports what chapters use; ``page()``,
        which returns a :class:`companion.browser.session.Page`; ``yardstick()``, the
        seconds of a fixed task; and a function for each further call by the book's
        scripts, which takes JSON, a progress callback, and bytes or None.
    library : str
        The name that is shown as loading while ``start()`` runs.
    files, without, beside : tuple of str
        The files to pack; see :class:`companion.browser.runtime.Packed`.
    later : tuple of str
        Installed pure-Python packages that a page fetches when it first imports them.
    first : tuple of str
        Parameters that come first in each page's form.
    command : str
        Command that reruns a page, without its name and parameters; if empty, there is
        no button to copy it.
    environment : mapping of str to str
        Environment variables of the module.
    scripts : tuple of str
        Further files for the browser, by their paths in the project.
    tools : mapping of str to mapping
        The ``script`` of a tool, which exports ``openTool``, and the ``label`` of its
        button, by the key that pages set to true in their front matter.
    """

    module: str
    library: str
    files: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    command: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    scripts: tuple[str, ...] = ()
    tools: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("files", "without", "beside", "later", "first", "scripts"):
            object.__setattr__(self, name, tuple(getattr(self, name)))


def browser(app: Sphinx) -> Browser:
    """Return the configured ``Browser``, or raise CompanionError if it is invalid."""
    try:
        return Browser(**app.config["companion_browser"])
    except TypeError as error:
        raise CompanionError(f"companion_browser: {error}") from error


NOTE = (
    "With your own parameters, here in your browser; the first time it loads about {}"
    " MB from this site."
)


class LivingText(PasteTextRole):  # type: ignore[misc]
    """The role ``glue:text``, which also records the key and format of its number."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        inline_nodes, messages = super().run()
        key, _, form = self.text.rpartition(":")
        if "::" not in self.text:
            for node in inline_nodes:
                node["companion-glue"] = (key, form) if key else (form, "s")
        return inline_nodes, messages


class Places(SphinxPostTransform):
    """Marks the cells and glued numbers that a run replaces."""

    default_priority = 50
    formats = ("html",)

    def run(self, **_options: Any) -> None:
        """Mark cells and glued numbers."""
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code":
                cell["classes"].append(f"companion-cell-{cell['cell_index']}")
        for node in list(self.document.findall(nodes.inline)):
            if "companion-glue" in node:
                key, form = node["companion-glue"]
                opened = nodes.raw(
                    "",
                    f'<span class="pasted-text" data-glue="{key}" data-form="{form}">',
                    format="html",
                )
                closed = nodes.raw("", "</span>", format="html")
                # not replace_self, which gives the first its classes, and with them a
                # span that ends before the text
                node.parent.replace(node, [opened, nodes.Text(node.astext()), closed])


def bound(value: float) -> float | None:
    """Return a bound for JSON: None if it is infinite."""
    return value if math.isfinite(value) else None


def as_json(parameter: Parameter, start: Any, *, first: bool) -> dict[str, Any]:
    """Return the form's description of a parameter."""
    return {
        "name": parameter.name,
        "kind": parameter.annotation,
        "comment": parameter.comment,
        "low": bound(parameter.low),
        "high": bound(parameter.high),
        "book": parameter.default,
        "start": start,
        "first": first,
    }


def page_of(app: Sphinx, docname: str) -> dict[str, Any] | None:
    """Return the data with which a page runs, or None if it has no parameters."""
    path = Path(app.env.doc2path(docname))
    parameters = read_parameters(path) if path.suffix in PAGE_SUFFIXES else []
    said = front_matter(app, path) if parameters else {}
    if not parameters or said.get("alive") is False:
        return None
    small = said.get("preview", {})
    page_cells, asked = cells_of(path), browser(app)
    cells = [
        {"index": index, "source": cell.source, "tags": cell.metadata.get("tags", [])}
        for index, cell in enumerate(page_cells)
        if cell.cell_type == "code"
    ]
    return {
        "parameters": [
            as_json(
                one, small.get(one.name, one.default), first=one.name in asked.first
            )
            for one in parameters
        ],
        "cells": cells,
        "tool": next(
            (tool for key, tool in asked.tools.items() if said.get(key) is True), None
        ),
        "command": asked.command,
        "seconds": (
            None if "preview" in Path(app.srcdir).parts else seconds_of(app, path)
        ),
        "yardstick": BUILD_STATE["yardstick"],
    }


def seconds_of(app: Sphinx, path: Path) -> float | None:
    """Return the execution time of the page's cells in the build, or None."""
    cache = get_cache(
        app.config["nb_execution_cache_path"]
        or Path(app.outdir).parent / ".jupyter_cache"
    )
    known = {project_record.uri for project_record in cache.list_project_records()}
    record = cache.get_cached_project_nb(str(path)) if str(path) in known else None
    return (
        float(record.data["execution_seconds"])
        if record and "execution_seconds" in record.data
        else None
    )


def megabytes(folder: Path) -> int:
    """Return the size of a folder in megabytes."""
    return round(sum(path.stat().st_size for path in folder.iterdir()) / 1e6)


def prepare(app: Sphinx) -> None:
    """Fetch the runtime, unless LIFT_PYODIDE is "off", or raise ExtensionError."""
    BUILD_STATE.clear()
    # paper does not run; a rerun's page has run
    if app.builder.name != "html" or app.config["companion_rerun"]:
        return
    off = os.environ.get("LIFT_PYODIDE") == "off"
    if off or not app.config["companion_browser"]:
        logger.info(
            "no page runs in the browser: %s",
            "LIFT_PYODIDE is off" if off else "companion_browser is not set",
        )
        return
    try:
        folder = runtime.compiled(
            runtime.fetched(runtime.kept_in(project_root(Path(app.srcdir))))
        )
    except runtime.NoRuntime as reason:
        wanted = f"a folder with Pyodide {runtime.PYODIDE_VERSION}"
        remedy = (
            f"name {wanted} in LIFT_PYODIDE, or set it to off for pages that do not run"
        )
        raise ExtensionError(
            f"there is no Python for the browser: {reason}; {remedy}"
        ) from None
    BUILD_STATE.update(
        folder=folder, yardstick=import_module(browser(app).module).yardstick()
    )


def add_button(
    app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], _doctree: Any
) -> None:
    """Load the script of the button on pages that can run."""
    if pagename not in app.env.found_docs or not BUILD_STATE:
        return
    data = page_of(app, pagename)
    if data is None:
        return
    name = shortest_name(pagename, app.env.found_docs)
    path = Path(app.outdir) / "_static" / "alive" / "pages" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")
    attributes: dict[str, Any] = {
        "data-page": name,
        "data-note": NOTE.format(megabytes(BUILD_STATE["folder"])),
    }
    if data["tool"]:
        attributes |= {
            "data-tool": data["tool"]["script"],
            "data-tool-label": data["tool"]["label"],
        }
    app.add_js_file("alive/start.js", loading_method="defer", **attributes)


def shortest_name(page: str, pages: Iterable[str]) -> str:
    """Return a page's name by which a rerun finds it: without its folder, unless
    another page is called like it.

    >>> (
    ...     shortest_name("dice/sums", ["dice/sums", "index"]),
    ...     shortest_name("dice/sums", ["dice/sums", "cards/sums"]),
    ... )
    ('sums', 'dice/sums')
    """
    name = page.rpartition("/")[2]
    alike = [other for other in pages if other.rpartition("/")[2] == name]
    return page if len(alike) > 1 else name


def write(app: Sphinx, error: Exception | None) -> None:
    """Write scripts, runtime and library."""
    if error is not None or app.builder.name != "html" or not BUILD_STATE:
        return
    folder = Path(app.outdir) / "_static" / "alive"
    folder.mkdir(parents=True, exist_ok=True)  # no page of this build may run
    asked, root = browser(app), project_root(Path(app.srcdir))
    for path in [
        *sorted(SCRIPT_FOLDER.iterdir()),
        *(root / name for name in asked.scripts),
    ]:
        shutil.copy(path, folder / path.name)
    shutil.copytree(BUILD_STATE["folder"], folder / "runtime", dirs_exist_ok=True)
    settings = {
        "module": asked.module,
        "library": asked.library,
        "environment": dict(asked.environment),
        "later": asked.later,
        "files": fetched_ahead(folder),
    }
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    packed = runtime.Packed(root, asked.files, asked.without, asked.beside)
    runtime.pack(folder / "lift.zip", BUILD_STATE["folder"], packed)
    for name in asked.later:
        runtime.pack(
            folder / f"{name}.zip",
            BUILD_STATE["folder"],
            runtime.Packed(root, (), (), (name,)),
        )


def fetched_ahead(folder: Path) -> list[str]:
    """Return the files with which every page starts Python, in the order in which it
    needs them.
    """
    scripts = sorted(path.name for path in SCRIPT_FOLDER.glob("*.mjs"))
    runtime_files = [
        path for path in (folder / "runtime").iterdir() if path.suffix != ".txt"
    ]
    by_size = sorted(runtime_files, key=lambda path: path.stat().st_size)
    return [*scripts, "lift.zip", *(f"runtime/{path.name}" for path in by_size)]


def name_numbers(app: Sphinx) -> None:
    """Replace MyST-NB's role ``glue:text`` by ``LivingText``."""
    app.env.get_domain("glue").roles["text"] = LivingText()


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    add_settings(app, "companion_rerun", "companion_browser", "companion_front_matter")
    app.connect("builder-inited", name_numbers)
    app.connect("builder-inited", prepare)
    app.add_post_transform(Places)
    app.connect("html-page-context", add_button)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
