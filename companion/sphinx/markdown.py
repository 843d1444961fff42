"""Translate a page to plain Markdown for notebooks, with references resolved."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger
from sphinx_markdown_builder.contexts import (  # type: ignore[import-untyped]
    IndentContext,
    SubContext,
    SubContextParams,
    WrappedContext,
)
from sphinx_markdown_builder.translator import (  # type: ignore[import-untyped]
    MarkdownTranslator,
)

from companion.sphinx.reruns import numbered

logger = getLogger(__name__)

# nodes that only arrange their text
TEXT_SAYS_ALL = {
    *(
        "abbreviation",
        "acks",
        "acronym",
        "attribution",
        "centered",
        "citation",
        "hlist",
        "hlistcol",
        "legend",
    ),
    *(
        "manpage",
        "PassthroughTextElement",
        "SideNoteNode",
        "dropdown_main",
        "sd_tab_input",
    ),
}
# stands around a code cell's number, between the texts before and after the cell
CELL_MARK = "\x00"


class Translator(MarkdownTranslator):  # type: ignore[misc]
    """Translates a page to Markdown, with a marker for each code cell."""

    def visit_container(self, node: nodes.container) -> None:
        if node.get("nb_element") == "cell_code":
            self.add(f"{CELL_MARK}{node['cell_index']}{CELL_MARK}", 2, 2)
            for figure in node.findall(nodes.figure):
                self._caption(figure)
            raise nodes.SkipNode
        if {"companion-parameters", "companion-screen-only"} & set(node["classes"]):
            # the parameters cell says the same; a picture to be moved is on the page
            # alone
            raise nodes.SkipNode

    def visit_found_alone(self, node: nodes.Element) -> None:
        """Begin with the title, which the page has as HTML."""
        self.add(f"**{node['title']}.** ", 2)

    def depart_found_alone(self, _node: nodes.Element) -> None:
        self.ensure_eol(2)

    def visit_toctree(self, _node: nodes.Element) -> None:
        """Skip the list of subpages."""
        raise nodes.SkipNode

    def visit_guess(self, _node: nodes.Element) -> None:
        """Skip the question, because readers can sketch only on the page."""
        raise nodes.SkipNode

    def _caption(self, figure: nodes.figure) -> None:
        number = self._number("figure", figure["ids"])
        for caption in figure.findall(nodes.caption):
            self.add(
                (
                    f"**{self.builder.config.numfig_format['figure'] % number}.** "
                    if number
                    else ""
                ),
                2,
            )
            for child in caption.children:
                child.walkabout(self)
            self.ensure_eol(2)

    def _number(self, kind: str, ids: list[str]) -> str:
        numbers = self.builder.env.toc_fignumbers.get(self.docname, {}).get(kind, {})
        return ".".join(
            str(part) for node_id in ids[:1] for part in numbers.get(node_id, ())
        )

    def _open(self, heading: str) -> None:
        self._push_context(IndentContext("> ", params=SubContextParams(2, 2)))
        self.add(heading, suffix_eol=2)

    # the base of theorems and exercises
    def visit_Admonition(self, node: nodes.Element) -> None:  # noqa: N802
        if kind := node.get("realtype"):
            number = self._number(node["countertype"], node["ids"])
            words = [
                (
                    numbered(self.builder.config, node["countertype"], number)
                    if number
                    else kind.title()
                )
            ]
            title = node.get("title", "").replace(f" ({number})", "").strip()
        else:
            number = self._number("exercise", node["ids"])
            words = [
                numbered(self.builder.config, "exercise", number) if number else "",
                *(
                    part.astext().strip()
                    for part in node.children
                    if isinstance(part, nodes.title | nodes.subtitle)
                ),
            ]
            title = ""
        self._open(f"**{' '.join(filter(None, words))}**{f' {title}' if title else ''}")

    def depart_Admonition(self, _node: nodes.Element) -> None:  # noqa: N802
        self._pop_context()

    def visit_proof_node(self, _node: nodes.Element) -> None:
        """Do nothing, because the admonition inside is translated."""

    def visit_raw(self, _node: nodes.raw) -> None:
        """Skip raw HTML, such as the fold of a proof."""
        raise nodes.SkipNode

    def visit_admonition(self, _node: nodes.Element) -> None:
        self._push_context(IndentContext("> ", params=SubContextParams(2, 2)))

    visit_sidebar = visit_topic = visit_admonition
    depart_admonition = depart_sidebar = depart_topic = depart_Admonition

    def visit_dropdown_title(self, _node: nodes.Element) -> None:
        self._push_context(WrappedContext("**", "**", params=SubContextParams(2, 2)))

    visit_sd_tab_label = visit_dropdown_title
    depart_dropdown_title = depart_sd_tab_label = depart_Admonition

    def visit_title(self, node: nodes.title) -> None:
        if isinstance(node.parent, nodes.section):
            super().visit_title(node)
        elif isinstance(node.parent, nodes.Admonition) and not isinstance(
            node.parent, nodes.admonition
        ):
            raise nodes.SkipNode  # told where it begins
        else:
            self.add("**")

    def depart_title(self, node: nodes.title) -> None:
        if isinstance(node.parent, nodes.section):
            self._pop_context()
        else:
            self.add("**", suffix_eol=2)

    def visit_section(self, node: nodes.section) -> None:
        # of a theorem
        if not any(name.endswith("-content") for name in node["classes"]):
            super().visit_section(node)

    def depart_section(self, node: nodes.section) -> None:
        if not any(name.endswith("-content") for name in node["classes"]):
            self._pop_status()

    def visit_math_block(self, node: nodes.math_block) -> None:
        number = f"\\tag{{{node['number']}}}" if node.get("number") else ""
        self.add(f"$$\n{node.astext().strip()}{number}\n$$", 2, 2)
        raise nodes.SkipNode

    def visit_math(self, node: nodes.math) -> None:
        self.add(f"${' '.join(node.astext().split())}$")
        raise nodes.SkipNode

    def visit_reference(self, node: nodes.reference) -> None:
        """Keep links to the web; replace links within the book by their text."""
        if not node.get("internal") and re.match(r"https?:", node.get("refuri", "")):
            super().visit_reference(node)

    def depart_reference(self, node: nodes.reference) -> None:
        if not node.get("internal") and re.match(r"https?:", node.get("refuri", "")):
            self._pop_context()

    def visit_label(self, node: nodes.label) -> None:
        """Write the label of a reference to the literature; only footnotes have a form
        of their own.
        """
        if isinstance(node.parent, nodes.footnote):
            super().visit_label(node)
        else:
            self.add(f"**[{node.astext()}]** ")
            raise nodes.SkipNode

    def visit_target(self, _node: nodes.target) -> None:
        raise nodes.SkipNode

    def visit_caption(self, _node: nodes.caption) -> None:
        pass

    def unknown_visit(self, node: nodes.Element) -> None:
        """Keep the text of a node without a form in Markdown; warn if that may not be
        all that it shows.
        """
        if (name := type(node).__name__) not in TEXT_SAYS_ALL:
            kept = "only its text" if node.astext().strip() else "nothing of it"
            said = "no Markdown is known for %s: the page's notebook has %s"
            logger.warning(
                said, name, kept, location=node, type="companion", subtype="notebook"
            )
        if not _in_text(node):
            self._push_context(SubContext(SubContextParams(2, 2)))

    def unknown_departure(self, node: nodes.Element) -> None:
        if not _in_text(node):
            self._pop_context()


def _in_text(node: nodes.Element) -> bool:
    return isinstance(node, nodes.Inline) or isinstance(node.parent, nodes.TextElement)


def page_as_markdown(
    app: Sphinx, doctree: nodes.document, docname: str
) -> list[str | int]:
    """Return a page as pieces of Markdown alternating with numbers of its
    code cells.
    """
    translator: Any = Translator(doctree, app.builder)
    translator.docname = docname
    doctree.walkabout(translator)
    # what a quote says goes on in the same quote, until the next heading of one
    text = re.sub(r"(?m)^(>.*)\n\n(?=> (?!\*\*))", r"\1\n>\n", translator.astext())
    pieces = text.split(CELL_MARK)
    return [
        piece.strip() if number % 2 == 0 else int(piece)
        for number, piece in enumerate(pieces)
    ]
