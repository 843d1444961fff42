"""Exercises answered on the page: sealed answers, hints, hidden solutions.

When the book is built, the ``check`` of an exercise (``companion.exercises``) runs on the book's solution and stores
the sealed answer. The page shows an answer form, and ``exercises.js`` checks the reader's answer without Python or a
server. A folded solution is stored in concealed form until it is opened.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from myst_nb.core.read import read_myst_markdown_notebook  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

from companion.errors import CompanionError
from companion.exercises import MIME
from companion.sealing import Sealed, concealed
from companion.solutions import tags
from companion.sphinx.settings import add_settings

LABEL = re.compile(r"^:label: (ex-\S+)$", re.MULTILINE)
ANSWER = re.compile(r"\banswer_\d+\b")


class concealment(nodes.Element):  # type: ignore[misc]  # noqa: N801 - docutils' way
    """Content that is written into the page in concealed form."""


def exercises_of(cells: Sequence[Any]) -> Iterator[dict[str, str]]:
    """Yield each exercise's label, its answer's name, and its check's source."""
    label = ""
    for cell in cells:
        if cell.cell_type != "code":
            label = ([label, *LABEL.findall(cell.source)])[-1]
        elif "check" in tags(cell):
            yield {"label": label, "name": ANSWER.findall(cell.source)[0], "check": cell.source}


def cells_of(path: Path) -> list[Any]:
    """Return a page's cells, numbered as MyST-NB numbers them."""
    return list(read_myst_markdown_notebook(path.read_text(encoding="utf-8"), path=str(path)).cells)


def sealed_answers(app: Sphinx, docname: str) -> dict[str, Sealed]:
    """Return the sealed answer of each exercise of a page, by label.

    Raise CompanionError if a solution does not agree with its check.
    """
    path = Path(app.env.doc2path(docname))
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".md" or "```{exercise}" not in text:
        return {}
    asked = list(exercises_of(cells_of(path)))
    glue_path = Path(app.env.mystnb_config.output_folder) / f"{docname}.glue.json"  # type: ignore[attr-defined]
    outputs = json.loads(glue_path.read_text(encoding="utf-8")).values() if glue_path.exists() else []
    answers = [Sealed.read(output["data"][MIME]["sealed"]) for output in outputs if MIME in output["data"]]
    if len(answers) != len(asked):
        words = f"{len(asked)} exercises with a check, of which {len(answers)} are passed by the book's own solution"
        raise CompanionError(f"{docname} has {words}: run its cells and see which check says 'Not yet'")
    return {exercise["label"]: sealed for exercise, sealed in zip(asked, answers, strict=True)}


class Forms(SphinxPostTransform):
    """Adds answer forms to the exercises and conceals their solutions."""

    default_priority = 210
    formats = ("html",)

    def run(self, **_options: Any) -> None:
        """Change the page, except in a PDF or rerun, which show solutions plainly."""
        if self.app.builder.name != "html" or self.app.config["companion_rerun"]:
            return
        answers = sealed_answers(self.app, self.env.docname)
        for node in self.document.findall(nodes.Admonition):
            sealed = next((answers[label] for label in node.get("ids", []) if label in answers), None)
            if sealed and sealed.is_form:
                place = f'<div class="lift-exercise" data-sealed="{sealed.text()}"></div>'
                node.append(nodes.raw("", place, format="html"))
        for cell in self.document.findall(nodes.container):
            if "tag_solution" in cell["classes"] and cell.get("hide_mode") == "all" and answers:
                (fold,) = cell.children
                inner = concealment("", *fold.children)
                fold.children = []
                fold += inner


def visit_concealment(self: HTML5Translator, node: concealment) -> None:
    """Record where the content begins in the output."""
    node["start"] = len(self.body)


def depart_concealment(self: HTML5Translator, node: concealment) -> None:
    """Replace the content's HTML by its concealed form."""
    written = "".join(self.body[node["start"] :])
    del self.body[node["start"] :]
    hint = "<noscript>The solution is in the source of this page.</noscript>"
    self.body.append(f'<div class="lift-solution" data-solution="{concealed(written)}">{hint}</div>')


def add_script(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Load the script on pages with exercises."""
    if app.builder.name == "html" and "lift-exercise" in context.get("body", ""):
        app.add_css_file("exercises.css")
        attributes: dict[str, Any] = {"data-page": pagename}
        app.add_js_file("exercises.js", loading_method="defer", **attributes)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    add_settings(app, "companion_rerun")
    app.add_node(concealment, html=(visit_concealment, depart_concealment))
    app.add_post_transform(Forms)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
