"""Names of figures, definitions, theorems, algorithms and exercises.

What reproduces a paper has the name that it has there, such as "E23 Figure 2" or "C22
Algorithm 1"; all else is numbered by chapter. Sphinx numbers figures and exercises
through the whole book, and sphinx-proof puts the kind of a box before its number, so
that the names here take the place of those numbers.
"""

import re
from collections import Counter
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx_proof.domain import ProofDomain  # type: ignore[import-untyped]
from sphinx_proof.nodes import (  # type: ignore[import-untyped]
    NODE_TYPES,
    visit_enumerable_node,
)

REPRODUCED = re.compile(r"fig-(e23|c22|i21|s20)-(\d+)")
KINDS = "Algorithm|Corollary|Definition|Example|Lemma|Proposition|Remark|Theorem"
OF_PAPERS = re.compile(rf" \(((?:E23|C22|I21|S20) (?:{KINDS})s? [A-Z]?\d[^()]*)\)")
"""The end of a box's title that names what a paper has: " (E23 Theorem 1 and
Proposition A2)".
"""


def in_order(env: BuildEnvironment, page: str) -> Iterator[str]:
    """Yield a page and its subpages, in the order of the contents."""
    yield page
    for below in env.toctree_includes.get(page, []):
        yield from in_order(env, below)


def in_papers(title: str) -> str:
    """Return the name that a box's title says it has in a paper; empty if it has none.

    >>> in_papers(" (Merging leaks the least (E23 Theorem 1 and Proposition A2))")
    'E23 Theorem 1 and Proposition A2'
    >>> (
    ...     in_papers(
    ...         " (Lift-based measures under ALIP (after E23 Propositions 1 and 3))"
    ...     ),
    ...     in_papers(" (All or nothing)"),
    ... )
    ('', '')
    """
    found = OF_PAPERS.search(title)
    return found[1] if found else ""


def title_of(box: nodes.Element) -> str:
    """Return a box's title, without its text."""
    return next(
        (part.astext() for part in box.children if isinstance(part, nodes.title)), ""
    )


def give_names(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Give each figure, box and exercise its name, in place of Sphinx's number."""
    root = app.config["root_doc"]
    for place, chapter in enumerate([root, *env.toctree_includes.get(root, [])]):
        count = Counter[str]()
        for page in [root] if chapter == root else in_order(env, chapter):
            name_page(env, page, place, count)
    return []


def name_page(
    env: BuildEnvironment, page: str, place: int, count: Counter[str]
) -> None:
    """Name what a page shows; ``count`` has how many of each kind the chapter has so
    far.
    """
    kinds: dict[str, dict[str, Any]] = env.toc_fignumbers.get(page, {})
    kinds.pop("code-block", None)  # the caption of code is the name of its file
    boxes = [kind for kind in kinds if kind in NODE_TYPES]
    titles: dict[str, str] = {}
    if boxes:
        for box in env.get_doctree(page).findall(
            lambda node: isinstance(node, tuple(NODE_TYPES.values()))
        ):
            titles |= dict.fromkeys(box["ids"], title_of(box))
    for kind, numbers in kinds.items():
        for label in numbers:
            paper = REPRODUCED.fullmatch(label) if kind == "figure" else None
            name = (
                f"{paper[1].upper()} Figure {paper[2]}"
                if paper
                else in_papers(titles.get(label, ""))
            )
            if not name:
                count[kind] += 1
                number = f"{place}.{count[kind]}"
                # the number of an exercise follows sphinx-exercise's word, and that
                # of an equation stands in parentheses
                bare = kind in ("exercise", "displaymath")
                name = number if bare else f"{kind.title()} {number}"
            numbers[label] = (name,)


class Boxes(ProofDomain):  # type: ignore[misc]
    """References to boxes by their names, without sphinx-proof's word before the
    number.
    """

    def resolve_xref(self, *given: Any) -> nodes.Element | None:
        """Resolve a reference; its text is the box's name unless the author
        gave one.
        """
        link = super().resolve_xref(*given)
        env, _, _, _, label, _, shown = given
        # a page that is laid out alone may have no boxes
        box = getattr(env, "proof_list", {}).get(label)
        if link is None or box is None or box["nonumber"] or label not in shown[0]:
            return link
        (name,) = env.toc_fignumbers[box["docname"]][box["countertype"]][label]
        link.children = [nodes.Text(name)]
        return link


def visit_box(self: Any, node: nodes.Element) -> None:
    """Begin a box."""
    node["begins"] = len(self.body)
    visit_enumerable_node(self, node)


def depart_box(self: Any, node: nodes.Element) -> None:
    """End a box, without the name in its title that stands before it."""
    if name := in_papers(title_of(node)):
        told = f" ({name})"
        at = next(
            at for at in range(node["begins"], len(self.body)) if told in self.body[at]
        )
        self.body[at] = self.body[at].replace(told, "", 1)
    self.body.append("</div>")


def tell_works_apart(app: Sphinx) -> None:
    """Append a letter to the years of works that a citation would not tell apart: Ding
    et al. (2024a).

    A BibTeX file has the years as they are.
    """
    if "sphinxcontrib.bibtex" not in app.extensions:
        return
    works: dict[tuple[str, ...], list[Any]] = {}
    domain: Any = app.env.get_domain("cite")
    for work in domain.bibdata.data.entries.values():
        names = [
            " ".join(person.last_names) for person in work.persons.get("author", [])
        ]
        shown = (names[0], "and others") if len(names) > 2 else tuple(names)
        works.setdefault((*shown, work.fields["year"][:4]), []).append(work)
    for (*_, year), same in works.items():
        for work, letter in zip(same, ascii_lowercase, strict=False):
            if len(same) > 1:
                work.fields["year"] = year + letter


def names_alone(_app: Sphinx, config: Config) -> None:
    """Show names as they are."""
    config.numfig_format |= dict.fromkeys(("figure", *NODE_TYPES), "%s")


def setup(app: Sphinx) -> dict[str, Any]:
    """Replace numbers by names."""
    # after the file of references was read
    app.connect("builder-inited", tell_works_apart, priority=900)
    # after sphinx-proof's formats
    app.connect("config-inited", names_alone, priority=900)
    # after Sphinx has numbered everything
    app.connect("env-get-updated", give_names, priority=600)
    for node in NODE_TYPES.values():
        app.add_node(node, override=True, html=(visit_box, depart_box))
    app.add_domain(Boxes, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
