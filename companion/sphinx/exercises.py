"""Exercises answered on the page: a form, graded hints, and the folded solution.

When the book is built, the ``check`` of an exercise (``companion.exercises``) runs on
the book's solution and hands the expected answer to the build. The page shows an answer
form, and ``exercises.js`` compares the reader's answer without Python or a server.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jupytext
from docutils import nodes  # type: ignore[import-untyped]
from myst_nb.core.read import (  # type: ignore[import-untyped]
    read_myst_markdown_notebook,
)
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from companion.errors import CompanionError
from companion.exercises import MIME, Expected
from companion.solutions import tags
from companion.sphinx.settings import add_settings

LABEL = re.compile(r"^:label: (ex-\S+)$", re.MULTILINE)


def labels_of(cells: Sequence[Any]) -> Iterator[str]:
    """Yield the label of each exercise that has a check."""
    label = ""
    for cell in cells:
        if cell.cell_type != "code":
            labels = LABEL.findall(cell.source)
            label = labels[-1] if labels else label
        elif "check" in tags(cell):
            yield label


def cells_of(path: Path) -> list[Any]:
    """Return a page's cells, numbered as MyST-NB numbers them."""
    if path.suffix != ".md":
        return list(jupytext.read(path).cells)
    return list(
        read_myst_markdown_notebook(
            path.read_text(encoding="utf-8"), path=str(path)
        ).cells
    )


def expected_answers(app: Sphinx, docname: str) -> dict[str, Expected]:
    """Return the expected answer of each exercise of a page, by label.

    Raise CompanionError if a solution does not agree with its check.
    """
    path = Path(app.env.doc2path(docname))
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".md" or "```{exercise}" not in text:
        return {}
    labels = list(labels_of(cells_of(path)))
    folder = Path(app.env.mystnb_config.output_folder)  # type: ignore[attr-defined]
    glue_path = folder / f"{docname}.glue.json"
    outputs = []
    if glue_path.exists():
        outputs = [
            output["data"]
            for output in json.loads(glue_path.read_text(encoding="utf-8")).values()
        ]
    answers = [
        Expected.read(data[MIME]["expected"]) for data in outputs if MIME in data
    ]
    if len(answers) != len(labels):
        passed = f"of which {len(answers)} are passed by the book's own solution"
        words = f"{docname} has {len(labels)} exercises with a check, {passed}"
        raise CompanionError(
            f"{words}: run its cells and see which check says 'Not yet'"
        )
    return dict(zip(labels, answers, strict=True))


class Forms(SphinxPostTransform):
    """Adds answer forms to the exercises."""

    default_priority = 210
    formats = ("html",)

    def run(self, **_options: Any) -> None:
        """Change the page, except in a PDF or rerun, which have no forms."""
        if self.app.builder.name != "html" or self.app.config["companion_rerun"]:
            return
        answers = expected_answers(self.app, self.env.docname)
        for node in self.document.findall(nodes.Admonition):
            for label in node.get("ids", []):
                if label in answers and answers[label].is_form:
                    data = html.escape(answers[label].text(), quote=True)
                    place = (
                        f'<div class="companion-exercise" data-expected="{data}"></div>'
                    )
                    node.append(nodes.raw("", place, format="html"))


def add_script(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Load the script on pages with exercises."""
    if app.builder.name == "html" and "companion-exercise" in context.get("body", ""):
        app.add_css_file("exercises.css")
        attributes: dict[str, Any] = {"data-page": pagename}
        app.add_js_file("exercises.js", loading_method="defer", **attributes)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    add_settings(app, "companion_rerun")
    app.add_post_transform(Forms)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
