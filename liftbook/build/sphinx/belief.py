"""The directive ``lift-belief``: the book's hundred people, whose numbers can be changed, with beliefs and lifts.

It needs scripts, and neither Python nor a server; without scripts it says what is to be seen.
"""

import html
import json
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from liftlib.datasets import hundred_people

SCRIPT = Path(__file__).parents[1] / "alive" / "belief.js"
PEOPLE = 100


def table() -> dict[str, Any]:
    """Return the hundred people as counts.

    >>> sum(map(sum, table()["counts"]))
    100
    """
    joint = hundred_people()
    counts = [[round(PEOPLE * share) for share in row] for row in joint.p]
    return {"names": list(map(str, joint.public)), "secrets": list(map(str, joint.secret)), "counts": counts}


class Belief(SphinxDirective):
    """Marks the place."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["lift-belief"] = True
        data = html.escape(json.dumps(table()), quote=True)
        return [nodes.raw("", f'<div class="lift-belief" data-table="{data}"></div>', format="html")]


def add_script(app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], _doctree: Any) -> None:
    """Load the script on the pages that have the place."""
    if app.env.metadata.get(pagename, {}).get("lift-belief"):
        app.add_js_file("belief.js", loading_method="defer")


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the script."""
    if error is None and app.builder.format == "html":
        shutil.copy(SCRIPT, Path(app.outdir) / "_static" / "belief.js")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_directive("lift-belief", Belief)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
