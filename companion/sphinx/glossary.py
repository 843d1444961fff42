"""Link the first use of each glossary term on a page, with previews.

``companion_glossary`` names the page with the glossary, such as ``chapters/glossary``;
without one, no word is linked. The previews are collected from the built pages into a
script, ``_static/previews.js``, which a page loads when the pointer first rests on a
link, so that previews also work without a server.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from docutils import nodes  # type: ignore[import-untyped]
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.logging import getLogger

from companion.sphinx.settings import add_settings

logger = getLogger(__name__)

# what a preview can show: theorems, definitions, figures, works, words, numbered
# equations
PREVIEW_SELECTORS = (
    "div.proof[id]",
    "figure[id]",
    "div.citation[id]",
    "dl.glossary dt[id]",
    "div.math[id]",
)
# characters of a preview; a longer one, such as a figure drawn in the page, is left out
MAX_PREVIEW_LENGTH = 20_000
ELSEWHERE = (
    nodes.title,
    nodes.reference,
    nodes.literal,
    nodes.math,
    nodes.caption,
    nodes.raw,
    addnodes.pending_xref,
    addnodes.glossary,
    nodes.table,
)


def words(text: str) -> list[str]:
    """Return the terms that a glossary defines.

    >>> words(
    ...     "```{glossary}\\nlift\\n  After over before.\\n\\nzero cell\\n  None.\\n```"
    ... )
    ['lift', 'zero cell']
    """
    inside = text.partition("```{glossary}\n")[2].partition("\n```")[0]
    return [line for line in inside.splitlines() if line and not line.startswith(" ")]


def look(app: Sphinx, env: BuildEnvironment, _names: list[str]) -> None:
    """Warn if the book does not have the page that ``companion_glossary`` names."""
    page = app.config["companion_glossary"]
    if page and page not in env.found_docs and not app.config["companion_rerun"]:
        logger.warning(
            "companion_glossary is %r, which is no page of the book: name its page, or"
            " leave it out",
            page,
        )


def first_uses(app: Sphinx, doctree: nodes.document) -> None:
    """Link the first use of each glossary term in the paragraphs of a page."""
    page = app.config["companion_glossary"]
    folder = page.rpartition("/")[0]
    if (
        page not in app.env.found_docs
        or app.env.docname == page
        or app.env.docname.rpartition("/")[0] != folder
    ):
        return
    left = {
        word.lower(): word
        for word in words(Path(app.env.doc2path(page)).read_text(encoding="utf-8"))
    }
    for paragraph in doctree.findall(nodes.paragraph):
        for text in list(paragraph.findall(nodes.Text)):
            if left and not _within(text, ELSEWHERE):
                pieces = list(_pieces(str(text), left))
                if len(pieces) > 1:
                    text.parent.replace(text, pieces)


def _within(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def _pieces(text: str, left: dict[str, str]) -> Iterator[nodes.Node]:
    """Return a text split into nodes, with links at first uses of terms."""
    at = 0
    while left:
        longest_first = "|".join(
            re.escape(word) for word in sorted(left, key=len, reverse=True)
        )
        # a capital letter may begin a sentence; abbreviations are told by theirs
        match = re.search(
            rf"(?<![\w-])({longest_first})(s|es)?(?![\w-])", text[at:], re.IGNORECASE
        )
        if match is None:
            break
        word = left.pop(match[1].lower())
        if at + match.start() > at:
            yield nodes.Text(text[at : at + match.start()])
        shown = nodes.inline("", match[0], classes=["xref", "std", "std-term"])
        link = addnodes.pending_xref(
            "", shown, refdomain="std", reftype="term", reftarget=word, refwarn=True
        )
        link["refexplicit"] = True
        yield link
        at += match.end()
    if at < len(text):
        yield nodes.Text(text[at:])


def previews(folder: Path) -> dict[str, str]:
    """Return the HTML of link targets by page and id, with URLs from the root."""
    by_target = {}
    for path in sorted(folder.rglob("*.html")):
        page = path.relative_to(folder).as_posix()
        if page.startswith(("_", "genindex", "search")):
            continue
        parsed = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        for shown in parsed.select(", ".join(PREVIEW_SELECTORS)):
            text = _rooted(shown, path.parent, folder)
            if len(text) <= MAX_PREVIEW_LENGTH:
                by_target[f"{page}#{shown['id']}"] = text
    return by_target


def _rooted(shown: Tag, here: Path, root: Path) -> str:
    """Return an element as HTML without ids, with URLs from the root."""
    if shown.name == "dt":
        meaning = shown.find_next_sibling("dd")
        word = shown.get_text(strip=True).rstrip("#¶")
        text = f"<p><strong>{word}</strong></p>{meaning}"
    else:
        text = str(shown)
    copy = BeautifulSoup(text, "html.parser")
    for link in copy.select(".headerlink"):
        link.decompose()
    for node in copy.find_all(True):
        node.attrs.pop("id", None)
        for name in ("href", "src"):
            address = node.attrs.get(name)
            if address and not re.match(r"[a-z]+:|#", str(address)):
                node[name] = (
                    (here / str(address))
                    .resolve()
                    .relative_to(root.resolve())
                    .as_posix()
                )
    return str(copy)


def write_previews(app: Sphinx, error: Exception | None) -> None:
    """Write the previews as a script, next to the script that shows them."""
    if error is None and app.builder.name == "html":
        by_target = previews(Path(app.outdir))
        script = (
            f"window.companionPreviews = {json.dumps(by_target, ensure_ascii=False)};\n"
        )
        (Path(app.outdir) / "_static" / "previews-of.js").write_text(
            script, encoding="utf-8"
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    add_settings(app, "companion_glossary", "companion_rerun")
    app.connect("env-before-read-docs", look)
    app.connect("doctree-read", first_uses)
    app.connect("build-finished", write_previews)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
