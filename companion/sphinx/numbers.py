"""Warn of a sentence that says "nan", so that a strict build fails.

A number that a page glues into a sentence can be missing, for instance if a rerun lacks
the budget that the sentence names. Code, formulas, tables and the documentation of
functions may say "nan", and so may an author.
"""

import re
from pathlib import Path

import jupytext
from docutils import nodes  # type: ignore[import-untyped]
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

NOT_A_NUMBER = re.compile(r"\b[Nn]a[Nn]\b")
OTHER_TEXT = (
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.raw,
)


def words(text: str) -> str:
    """Return the words of a text with a space around each, without what stands between
    them.
    """
    return " ".join(["", *re.findall(r"[^\W_]+", text), ""])


def is_written(text: str, source: str) -> bool:
    """Return whether each "nan" of a text stands with its neighbours in the author's
    words.

    >>> (
    ...     is_written("NaN is no number.", " what NaN is "),
    ...     is_written("It is nan here.", " what NaN is "),
    ... )
    (True, False)
    """
    parts = words(text).split()
    for at, part in enumerate(parts):
        if NOT_A_NUMBER.fullmatch(part):
            pairs = [
                pair
                for pair in (parts[at : at + 2], parts[max(at - 1, 0) : at + 1])
                if len(pair) > 1
            ]
            if not any(f" {' '.join(pair)} " in source for pair in pairs):
                return False
    return True


def sentences_without_number(
    doctree: nodes.document, source: str = ""
) -> list[nodes.TextElement]:
    """Return the paragraphs, titles and captions with a "nan" that the ``words`` of the
    page's source do not have.
    """
    found = []
    documentation = {
        id(part) for entry in doctree.findall(addnodes.desc) for part in entry.findall()
    }
    for part in doctree.findall(nodes.TextElement):
        if isinstance(part, OTHER_TEXT) or id(part) in documentation:
            continue
        # what stands inside another element, such as a glued number in strong type, is
        # that element's
        own = [child for child in part.children if isinstance(child, nodes.Text)]
        if any(NOT_A_NUMBER.search(str(word)) for word in own) and not is_written(
            sentence(part).astext(), source
        ):
            found.append(part)
    return found


def sentence(part: nodes.TextElement) -> nodes.Element:
    """Return the paragraph around a part of it."""
    return (
        part.parent
        if isinstance(part, nodes.inline | nodes.strong | nodes.emphasis)
        else part
    )


def check_sentences(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Warn of each sentence of a page that says "nan" and whose author does not."""
    if not sentences_without_number(doctree):
        return
    path = Path(app.env.doc2path(docname))
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        source = "\n".join(
            cell.source
            for cell in jupytext.read(path).cells
            if cell.cell_type == "markdown"
        )
    for part in sentences_without_number(doctree, words(source)):
        whole = sentence(part)
        logger.warning(
            "a sentence says nan: %s",
            whole.astext()[:200],
            location=docname,
            type="companion",
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Check each page after its numbers are in place."""
    app.connect("doctree-resolved", check_sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
