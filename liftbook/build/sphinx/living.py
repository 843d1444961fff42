"""The directive ``lift-picture``: the interactive picture of the hundred people.

The argument is a state such as ``mechanism=srr&eps=1&lambda=0.5&bands=6``. The content describes the picture; print and
notebooks omit both. The scripts are embedded in the page, so that no other page loads them and the page also works as a
local file. ``lift-show`` below a definition makes a button that marks parts of the page's picture.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from liftlib.datasets import hundred_people

SCRIPT_FOLDER = Path(__file__).parents[1] / "living"
SCRIPTS = ("lift.mjs", "picture.mjs")
WORDS_CLASS = "lift-living-words"
PEOPLE = 100
STATE_KEYS = {"mechanism", "eps", "lambda", "bands", "people", "more"}
"""Names that a state may contain."""
PICTURE_PARTS = {"people", "flow", "beliefs", "points", "outputs", "rectangle", "triangle", "region"}
"""Parts that a definition may mark, as styled in ``_static/book.css``."""


def tables() -> list[dict[str, Any]]:
    """Return the picture's initial tables, with three and with six age bands.

    >>> [sum(map(sum, one["counts"])) for one in tables()]
    [100, 100]
    """
    joints = [hundred_people(), hundred_people(decades=True)]
    return [
        {
            "names": list(map(str, joint.public)),
            "secrets": list(map(str, joint.secret)),
            "counts": [[round(PEOPLE * share) for share in row] for row in joint.p],
        }
        for joint in joints
    ]


def script(names: tuple[str, ...] = SCRIPTS) -> str:
    """Return the modules as one script, without imports and exports."""
    code = "".join((SCRIPT_FOLDER / name).read_text(encoding="utf-8") for name in names)
    return re.sub(r"^export |^import .*\n|^ *//.*\n", "", code, flags=re.MULTILINE)


def place(state: str) -> str:
    """Return the HTML of a picture with its scripts.

    Raise ``ValueError`` if the state has an unknown key.
    """
    unknown = sorted({key for key, _ in parse_qsl(state, strict_parsing=True)} - STATE_KEYS)
    if unknown:
        raise ValueError(f"a picture's state has no {unknown[0]!r}: it has {', '.join(sorted(STATE_KEYS))}")
    data = html.escape(json.dumps(tables()), quote=True)
    still = "<noscript><p>With scripts, this is a picture that you can operate.</p></noscript>"
    return (
        f'<div class="lift-living" data-state="{html.escape(state, quote=True)}" data-tables="{data}">{still}</div>'
        f'<script type="module">{script()}</script>'
    )


def page() -> str:
    """Return a page with the picture alone, for slides; its address ends in a state."""
    colours = "--pst-color-background: #fff; --pst-color-text-base: #1b1b1b; --pst-color-link: #0b5cad"
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<title>The living picture</title><link rel="stylesheet" href="book.css">'
        f"<style>html {{ {colours}; font: 17px system-ui, sans-serif }} "
        "body { margin: 0 } .lift-living { display: block !important; margin: 0; min-height: 0 } "
        'details { display: none }</style></head><body class="bd-article">'
        f"{place('mechanism=none&eps=1&lambda=0.5')}</body></html>"
    )


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the standalone picture page to ``_static``, next to its style sheet."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / "picture.html").write_text(page(), encoding="utf-8")


class InPage(SphinxDirective):
    """A directive that draws something in the page; its content describes it."""

    has_content = True
    reads: ClassVar[tuple[Path, ...]] = ()

    def words(self, *classes: str) -> nodes.container:
        """Return the parsed content, and record the files that the page depends on."""
        for path in self.reads:
            self.env.note_dependency(str(path))
        found = nodes.container(classes=[*classes, WORDS_CLASS])
        self.state.nested_parse(self.content, self.content_offset, found)
        return found


class Picture(InPage):
    """Renders the picture; the argument is its state."""

    required_arguments = 1
    reads = tuple(SCRIPT_FOLDER / name for name in SCRIPTS)

    def run(self) -> list[nodes.Node]:
        words = self.words()
        try:
            return [words, nodes.raw("", place(self.arguments[0]), format="html")]
        except ValueError as error:
            raise self.error(str(error)) from error


class Show(InPage):
    """Renders a button that marks the parts of the picture named by the argument."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        unknown = set(self.arguments[0].split()) - PICTURE_PARTS
        if unknown:
            raise self.error(f"a picture has no part {min(unknown)!r}: it has {', '.join(sorted(PICTURE_PARTS))}")
        button = f'<button type="button" class="lift-show" data-parts="{self.arguments[0]}" hidden>'
        box = self.words("lift-shows")
        box.insert(0, nodes.raw("", f"{button}Show in the picture</button>", format="html"))
        return [box]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.add_directive("lift-picture", Picture)
    app.add_directive("lift-show", Show)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
