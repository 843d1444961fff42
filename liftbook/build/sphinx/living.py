"""Living pictures: the directives ``lift-belief``, ``lift-respond`` and ``lift-polytope``.

The directive's content says what to move; print and notebooks leave it out with the picture. The scripts stand beside
the place, in the page itself: a page that has none loads nothing, one that has it asks for no further file, and all
of it works from a file too.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from liftlib.datasets import hundred_people

FOLDER = Path(__file__).parents[1] / "living"
SCRIPTS = {
    "belief": ("lifts.js", "drawing.js", "belief.js"),
    "respond": ("lifts.js", "drawing.js", "mechanisms.js", "respond.js"),
    "polytope": ("lifts.js", "drawing.js", "mechanisms.js", "polytope.js"),
}
"""What each kind of picture runs, in order."""
WORDS = "lift-living-words"
PEOPLE = 100
TRIANGLES = {
    "two secrets": [[24, 10, 6], [6, 20, 34]],
    "three secrets": [[19, 6, 6], [6, 20, 7], [5, 6, 25]],
}
"""People by secret and symbol, those of the still triangles in the chapter on the optimal response."""


def tables(kind: str) -> list[dict[str, Any]]:
    """Return the people that a picture starts from, as counts; the polytope's reader may choose among two tables.

    >>> [sum(map(sum, one["counts"])) for kind in SCRIPTS for one in tables(kind)]
    [100, 100, 100, 100]
    """
    if kind == "polytope":
        return [
            {
                "title": title,
                "names": list("abc"),
                "secrets": [f"s = {s + 1}" for s in range(len(counts))],
                "counts": counts,
            }
            for title, counts in TRIANGLES.items()
        ]
    joint = hundred_people(decades=kind == "respond")
    counts = [[round(PEOPLE * share) for share in row] for row in joint.p]
    return [{"names": list(map(str, joint.public)), "secrets": list(map(str, joint.secret)), "counts": counts}]


def place(kind: str) -> str:
    """Return the HTML of a picture: where it will be, and what fills it."""
    data = html.escape(json.dumps(tables(kind)), quote=True)
    code = "".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS[kind])
    still = "<noscript><p>With scripts this is a picture that you can move.</p></noscript>"
    return f'<div class="lift-living" data-kind="{kind}" data-table="{data}">{still}</div><script>{code}</script>'


class Living(SphinxDirective):
    """Marks the place; the directive's name says of which picture."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        kind = self.name.removeprefix("lift-")
        for name in SCRIPTS[kind]:
            self.env.note_dependency(str(FOLDER / name))
        words = nodes.container(classes=[WORDS])
        self.state.nested_parse(self.content, self.content_offset, words)
        return [words, nodes.raw("", place(kind), format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    for kind in SCRIPTS:
        app.add_directive(f"lift-{kind}", Living)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
