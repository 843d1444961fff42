"""Live charts: each figure's rows, and a script that draws them.

Vega, Vega-Lite and Vega-Embed come in one file from the wheel of vl-convert, in which the authors of Vega-Lite publish
matching versions of the three; the file is cached in the project's ``_build/runtime``. If they are unavailable, there
is no button, and the build logs the reason.
"""

import os
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

from companion.errors import CompanionError
from companion.outputs.live import taken
from companion.project import project_root

logger = getLogger(__name__)

SCRIPT_FOLDER = Path(__file__).parents[1] / "browser" / "scripts"
CHART_FILES = ("charts.js", "chart.mjs", "spec.mjs", "style.mjs", "alive.css")
CARRIER = "vl-convert-python"
VEGA_LITE = "6.4"
OWNERS = "BSD-3-Clause, University of Washington Interactive Data Lab and contributors; github.com/vega"
BUILD_STATE: dict[str, Path] = {}  # while a book is built: the ``file`` of Vega-Lite


class NoGrammar(CompanionError):
    """The Vega bundle cannot be built."""


def bundled(root: Path) -> Path:
    """Return the path of the bundle, built if not cached, or raise NoGrammar."""
    try:
        import vl_convert
    except ImportError as error:
        raise NoGrammar(f"{CARRIER}, which carries Vega-Lite, cannot be imported: {error}") from error
    path = root / "_build" / "runtime" / f"vega-lite-{VEGA_LITE}-of-{CARRIER}-{version(CARRIER)}.mjs"
    if not path.exists():
        try:
            code = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", VEGA_LITE)
        except ValueError as error:
            raise NoGrammar(f"{CARRIER} {version(CARRIER)} does not bundle: {error}") from error
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        vega, embed = vl_convert.get_vega_version(), vl_convert.get_vega_embed_version()
        said = f"/* Vega {vega}, Vega-Lite {VEGA_LITE}, Vega-Embed {embed}: {OWNERS} */"
        part.write_text(f"{said}\n{code}", encoding="utf-8")
        part.rename(path)
    return path


def prepare(app: Sphinx) -> None:
    """Bundle Vega-Lite, or log why there are no live charts."""
    BUILD_STATE.clear()
    if app.builder.format != "html":
        return
    try:
        BUILD_STATE["file"] = bundled(project_root(Path(app.srcdir)))
    except NoGrammar as reason:
        logger.info("no figure is a live chart, and there is no button for it: %s", reason)


def add_script(app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], _doctree: Any) -> None:
    """Load the script on each page; ``lightness`` drops it from pages without charts."""
    if BUILD_STATE and pagename in app.env.found_docs and app.builder.name != "singlehtml":
        app.add_js_file("alive/charts.js", loading_method="defer")


def part(folder: Path) -> None:
    """Move the data of each SVG in a folder to a separate file."""
    for path in folder.glob("*.svg"):
        svg, rows = taken(path.read_text(encoding="utf-8"))
        if rows is not None:
            path.write_text(svg, encoding="utf-8")
            path.with_suffix(".rows.json").write_text(rows, encoding="utf-8")


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the figures' data, the scripts and the Vega bundle."""
    if error is not None or app.builder.format != "html":
        return
    part(Path(app.outdir) / app.builder.imagedir)
    if BUILD_STATE:
        folder = Path(app.outdir) / "_static" / "alive"
        folder.mkdir(parents=True, exist_ok=True)
        for name in CHART_FILES:
            shutil.copy(SCRIPT_FOLDER / name, folder / name)
        shutil.copy(BUILD_STATE["file"], folder / "vega.mjs")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("builder-inited", prepare)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
