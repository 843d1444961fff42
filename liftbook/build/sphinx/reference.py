"""The tables of the reference: mechanisms and commands.

``sphinx.ext.autodoc`` with ``napoleon`` documents the names that the pages ``api-*``
list, and ``sphinx_codeautolink`` links names in code to their entries, and entries to
the pages that use them. In a page's source, ``lift-mechanisms`` and ``lift-commands``
are replaced by tables of the registry and of the command line.
"""

from __future__ import annotations

from collections.abc import Iterator

import sphinx_codeautolink.extension
from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx_codeautolink.extension.backref import SummaryNode
from sphinx_codeautolink.extension.block import CodeBlockAnalyser

from companion.sphinx.folding import without_plumbing
from liftbook.commands import LIFTBOOK
from liftlib.registry import mechanisms
from lifttables.cli import LIFT


def mechanism_table() -> Iterator[str]:
    """Yield the Markdown table of the registry."""
    yield "| name | in the papers | serves | symbols | time | source |"
    yield "|---|---|---|---|---|---|"
    for mechanism in mechanisms.values():
        home, _, name = mechanism.where.partition(":")
        most = (
            "" if mechanism.most_symbols is None else f"up to {mechanism.most_symbols}"
        )
        linked = f"{{py:func}}`{mechanism.name} <{home}.{name}>`"
        papers = ", ".join(f"{paper} {alias}" for paper, alias in mechanism.papers)
        cells = (
            linked,
            papers,
            mechanism.words,
            most,
            mechanism.cost,
            mechanism.source,
        )
        yield " | ".join(
            ("", *(cell.replace("|", r"\|") for cell in cells), "")
        ).strip()


def commands() -> Iterator[str]:
    """Yield the Markdown table of the command line.

    Examples
    --------
    >>> list(commands())[2].split(" | ")[0::2]
    ['| `lift audit`', '`liftlib[tables]` |']
    """
    yield "| command | what | installed by |"
    yield "|---|---|---|"
    for program in (LIFT, LIFTBOOK):
        for name, command in program.commands.items():
            yield (
                f"| `{program.name} {name}` | {command.summary} |"
                f" `liftlib[{command.extra}]` |"
            )


class Analyser(CodeBlockAnalyser):  # type: ignore[misc]
    """Finds the code of a page, with the headings above it.

    Version 0.20 counts every title, also of a box, as a heading, and fails at a section
    without one, as in a theorem.
    """

    def visit_literal_block(self, node: nodes.literal_block) -> None:
        shown = node.deepcopy()  # as companion.sphinx.folding will show a cell
        shown[:] = (
            [nodes.Text(without_plumbing(node.astext()))]
            if node.parent.get("nb_element")
            else node.children
        )
        super().visit_literal_block(shown)

    def visit_title(self, node: nodes.title) -> None:
        if isinstance(node.parent, nodes.section):
            super().visit_title(node)

    def visit_section(self, node: nodes.section) -> None:
        if isinstance(node[0], nodes.title):
            super().visit_section(node)

    def depart_section(self, node: nodes.section) -> None:
        if isinstance(node[0], nodes.title):
            super().depart_section(node)


TABLES = {
    "```{lift-mechanisms}\n```": mechanism_table,
    "```{lift-commands}\n```": commands,
}


def write(_app: Sphinx, _docname: str, source: list[str]) -> None:
    """Replace the directives in a page's source by the tables."""
    for place, table in TABLES.items():
        if place in source[0]:
            source[0] = source[0].replace(place, "\n".join(table()))


def say_used_in(_app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """Head a list of uses by two words, as a link inside of a button cannot be reached,
    and sort it by titles: by anchors, it has another order in each version of Sphinx.
    """
    for summary in doctree.findall(SummaryNode):
        summary[:] = [nodes.Text("Used in")]
        for body in summary.parent.findall(nodes.tbody):
            body[:] = sorted(body, key=nodes.Element.astext)


LAST = 900
"""A priority after that of ``sphinx_codeautolink``, which has the default one."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the reading and the writing of pages."""
    sphinx_codeautolink.extension.CodeBlockAnalyser = Analyser
    app.setup_extension("sphinx_codeautolink")
    app.connect("source-read", write)
    app.connect("doctree-resolved", say_used_in, priority=LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
