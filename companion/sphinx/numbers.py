"""Warn of a sentence that says "nan", so that a strict build fails.

A number that a page glues into a sentence can be missing, for instance if a rerun lacks the budget that the sentence
names. Code, formulas, tables and the documentation of functions may say "nan".
"""

import re

from docutils import nodes  # type: ignore[import-untyped]
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

NOT_A_NUMBER = re.compile(r"\b[Nn]a[Nn]\b")
OTHER_TEXT = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


def sentences_without_number(doctree: nodes.document) -> list[nodes.TextElement]:
    """Return the paragraphs, titles and captions whose words include "nan"."""
    found = []
    documentation = {id(part) for entry in doctree.findall(addnodes.desc) for part in entry.findall()}
    for part in doctree.findall(nodes.TextElement):
        if isinstance(part, OTHER_TEXT) or id(part) in documentation:
            continue
        # what stands inside another element, such as a glued number in strong type, is that element's
        words = [child for child in part.children if isinstance(child, nodes.Text)]
        if any(NOT_A_NUMBER.search(str(word)) for word in words):
            found.append(part)
    return found


def check_sentences(_app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Warn of each sentence of a page that says "nan"."""
    for part in sentences_without_number(doctree):
        whole = part.parent if isinstance(part, nodes.inline | nodes.strong | nodes.emphasis) else part
        logger.warning("a sentence says nan: %s", whole.astext()[:200], location=docname, type="companion")


def setup(app: Sphinx) -> dict[str, bool]:
    """Check each page after its numbers are in place."""
    app.connect("doctree-resolved", check_sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
