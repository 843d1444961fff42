"""Let no line end between a number and its unit: "20 %" and "0.5 nats" stay together.

The space before a unit becomes a fixed one in paragraphs, titles, captions and cells of
Markdown tables, also after a number that a page glues in and after a formula. Code, raw
HTML and the documentation of functions stay as they are.
"""

import re
from collections.abc import Iterator

from docutils import nodes  # type: ignore[import-untyped]
from sphinx import addnodes
from sphinx.application import Sphinx

FIXED = "\u00a0"
UNIT = r"(?:%|(?:nats?|bits?|ms|s|seconds?|minutes?|hours?|years?|[kMG]B)\b)"
AFTER_NUMBER = re.compile(rf"(?<=\d)\s(?={UNIT})")
AT_START = re.compile(rf"\A\s(?={UNIT})")
OTHER_TEXT = (nodes.FixedTextElement, nodes.raw, addnodes.desc)


def leaves(node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the texts, formulas and code of a node in order; no raw HTML and blocks."""
    if isinstance(node, nodes.Text | nodes.math | nodes.literal):
        yield node
    elif not isinstance(node, OTHER_TEXT):
        for child in node.children:
            yield from leaves(child)


def fix_spaces(document: nodes.Element) -> None:
    """Fix the space between each number and its unit in the text of a document.

    >>> from docutils.core import publish_doctree
    >>> document = publish_doctree("Of 20 people, 5 % (*0.5* nats) took 3\\nseconds.")
    >>> fix_spaces(document)
    >>> document.astext()
    'Of 20 people, 5\\xa0% (0.5\\xa0nats) took 3\\xa0seconds.'
    """
    after_number = False
    for leaf in list(leaves(document)):
        text = leaf.astext()
        if isinstance(leaf, nodes.Text):
            fixed = AFTER_NUMBER.sub(FIXED, text)
            if after_number:
                fixed = AT_START.sub(FIXED, fixed)
            if fixed != text:
                leaf.parent.replace(leaf, nodes.Text(fixed))
        after_number = isinstance(leaf, nodes.math) or text[-1:].isdigit()


def on_page(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Fix the spaces of a page after its numbers are in place."""
    fix_spaces(doctree)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    app.connect("doctree-resolved", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
