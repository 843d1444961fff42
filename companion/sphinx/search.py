"""Search: an index of the book's sections, definitions and functions.

``_static/search-sections.js``, read by ``search.js``, is a list of ``[page, anchor,
kind, title, page's title, prose, tables, keywords]``, without code. The front matter of
a page may list synonyms of its subject as ``keywords``, and those of a section as
``section_keywords``, by the section's anchor. A part of a page that an extension wraps
in :class:`found_alone` has an entry of its own. ``words.js`` reads questions, for the
search and for filters of a page. If the list or the ranking library (MiniSearch, in
``static/minisearch``) is unavailable, the search page falls back to Sphinx's search.
"""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes  # type: ignore[import-untyped]
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.util.logging import getLogger


class found_alone(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """A part of a page that the search finds by itself; it adds nothing to the page.

    Its attributes are ``title``, ``anchor``, ``keywords`` and ``listed``: false if
    another page's entry stands for it.
    """


LOGGER = getLogger(__name__)
CODE_NODES = (nodes.literal_block, nodes.doctest_block, nodes.raw)
SEPARATE_NODES = (
    nodes.section,
    addnodes.glossary,
    addnodes.desc,
    found_alone,
)  # parts of a section that are found by themselves


def prose(doctree: nodes.document) -> nodes.document:
    """Return a copy of a page without its code, outputs and raw HTML.

    >>> from docutils.core import publish_doctree
    >>> prose(publish_doctree("Words::\\n\\n  import numpy\\n")).astext()
    'Words:'
    """
    copy = doctree.deepcopy()
    for block in list(copy.findall(lambda node: isinstance(node, CODE_NODES))):
        block.parent.remove(block)
    return copy


def text_of(node: nodes.Node) -> str:
    """Return a text on one line, with formulas between ``\\(`` and ``\\)``."""
    if isinstance(node, nodes.math | nodes.math_block):
        return f"\\({' '.join(node.astext().split())}\\)"
    if isinstance(node, nodes.Text):
        return str(node.astext())
    apart = "" if isinstance(node, nodes.TextElement) else " "
    return " ".join(apart.join(text_of(child) for child in node.children).split(" "))


def parts(node: nodes.Element) -> Iterator[tuple[str, nodes.Node]]:
    """Yield the kind (prose or table) and node of each part of a section's own text."""
    for child in node.children:
        if isinstance(child, nodes.table):
            yield "table", child
        elif isinstance(child, nodes.TextElement) and not isinstance(
            child, nodes.title
        ):
            yield "prose", child
        elif isinstance(child, nodes.Element) and not isinstance(
            child, (*SEPARATE_NODES, nodes.title)
        ):
            yield from parts(child)


def joined(node: nodes.Element, kind: str) -> str:
    """Return the text of the parts of one kind."""
    return " ".join(
        " ".join(text_of(part) for name, part in parts(node) if name == kind).split()
    )


def named(heading: str) -> str:
    """Return the display title of a section, a theorem or an exercise.

    >>> (
    ...     named("Lift"),
    ...     named(" (Vertices suffice (E23))"),
    ...     named("ExerciseA lift by hand"),
    ... )
    ('Lift', 'Vertices suffice (E23)', 'Exercise: A lift by hand')
    """
    bare = re.sub(r"^\s*\((.*)\)\s*$", r"\1", heading)
    return re.sub(r"^Exercise\s*(?=[^s\s:])", "Exercise: ", bare)


SEVERAL = re.compile(
    r"\b([A-Z]\w*) ([A-Z][a-z]+)s ((?:[A-Z]?\d+[a-d]?(?:, | and | or )?)+)"
)
"""Numbers of one work that a title names together: "E23 Definitions 1, 2 and 3"."""


def one_by_one(title: str) -> str:
    """Return the items that a title names together, each with its own name, for the
    search.

    >>> (
    ...     one_by_one("LIP and ALIP (E23 Definitions 1 and 3)"),
    ...     one_by_one("The watchdog (E23 Theorem 1)"),
    ... )
    ('E23 Definition 1 E23 Definition 3', '')
    """
    names = [
        f"{work} {kind} {number}"
        for work, kind, numbers in SEVERAL.findall(title)
        for number in re.findall(r"[A-Z]?\d+[a-d]?", numbers)
    ]
    return " ".join(names)


def keywords_of(said: dict[str, str]) -> dict[str, str]:
    """Return a page's keywords (under an empty anchor) and those of its sections.

    >>> keywords_of({"keywords": "toss", "section_keywords": '{"b": "bias"}'})
    {'b': 'bias', '': 'toss'}
    """
    sections = json.loads(said.get("section_keywords", "{}"))
    return {**sections, "": said.get("keywords", "")}


def warn_of_lost(page: str, keywords: dict[str, str], doctree: nodes.document) -> None:
    """Warn of keywords whose section the page does not have."""
    anchors = {
        anchor
        for section in doctree.findall(nodes.section)
        for anchor in section["ids"]
    }
    for anchor in keywords.keys() - anchors - {""}:
        LOGGER.warning("%s: no section %r for its keywords", page, anchor)


def entries(
    page: str, title: str, keywords: dict[str, str], doctree: nodes.document
) -> Iterator[list[str]]:
    """Yield the index entries of a page's sections, glossary terms and functions."""
    top = True
    for section in doctree.findall(nodes.section):
        if isinstance(section.parent, nodes.section | nodes.document):
            anchor, owner, kind = (
                f"#{section['ids'][0]}",
                section,
                "page" if top else "section",
            )
        elif section.parent["ids"]:  # a theorem or an exercise
            anchor, owner, kind = (
                f"#{section.parent['ids'][0]}",
                section.parent,
                "section",
            )
        else:
            continue
        if anchor.startswith("#module-"):
            kind = "function"
        elif anchor.startswith("#ex-"):
            kind = "exercise"
        name = named(
            text_of(next(iter(owner.findall(nodes.title)), nodes.title(text=title)))
        )
        places = [""] if top else section["ids"]
        listed = [keywords[place] for place in places if place in keywords]
        words = ", ".join([*listed, one_by_one(name)]).strip(", ")
        rest = [joined(section, "prose"), joined(section, "table"), words]
        yield [page, "" if top else anchor, kind, name, title, *rest]
        top = False
    for item in doctree.findall(nodes.definition_list_item):
        term = item[0]
        if isinstance(item.parent.parent, addnodes.glossary) and term["ids"]:
            yield [
                page,
                f"#{term['ids'][0]}",
                "word",
                text_of(term),
                title,
                joined(item[-1], "prose"),
                "",
                "",
            ]
    for part in doctree.findall(found_alone):
        if part["listed"]:
            rest = [joined(part, "prose"), joined(part, "table"), part["keywords"]]
            yield [page, f"#{part['anchor']}", "row", part["title"], title, *rest]
    for described in doctree.findall(addnodes.desc):
        if described[0].get("ids"):
            name = described[0]["ids"][0]
            yield [
                page,
                f"#{name}",
                "function",
                name,
                title,
                joined(described[-1], "prose"),
                "",
                "",
            ]


class Pages(StandaloneHTMLBuilder):
    """Sphinx's HTML builder, with only the prose of pages in Sphinx's search index."""

    def index_page(self, pagename: str, doctree: nodes.document, title: str) -> None:
        """Index a page without its code."""
        words = prose(doctree)
        keywords = keywords_of(self.env.metadata[pagename])
        warn_of_lost(pagename, keywords, words)
        self.__dict__.setdefault("found", []).extend(
            entries(
                pagename, html.unescape(re.sub(r"<[^>]+>", "", title)), keywords, words
            )
        )
        super().index_page(pagename, words, title)


def add_scripts(
    app: Sphinx,
    pagename: str,
    _template: str,
    _context: object,
    doctree: nodes.document | None,
) -> None:
    """Load our scripts only on the search page and on pages with parts that are found
    alone.
    """
    if (
        doctree is not None
        and next(iter(doctree.findall(found_alone)), None) is not None
    ):
        for name in ("language_data.js", "words.js", "ledger.js"):
            app.add_js_file(name, loading_method="defer")
    if pagename == "search":
        for name in (
            "minisearch/minisearch.js",
            "words.js",
            "search-sections.js",
            "search.js",
        ):
            app.add_js_file(name, loading_method="defer")


def write_sections(app: Sphinx, error: Exception | None) -> None:
    """Write the list of sections to ``_static``."""
    if error is None and app.builder.name == "html":
        sections = json.dumps(
            getattr(app.builder, "found", []), ensure_ascii=False, separators=(",", ":")
        )
        target = Path(app.outdir) / "_static" / "search-sections.js"
        target.write_text(f"window.searchSections = {sections};\n", encoding="utf-8")


def nothing(_translator: object, _node: nodes.Element) -> None:
    """Write a part as if it were not wrapped."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace Sphinx's HTML builder and connect to the build."""
    app.add_builder(Pages, override=True)
    app.add_node(
        found_alone,
        html=(nothing, nothing),
        latex=(nothing, nothing),
        text=(nothing, nothing),
    )
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_sections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
