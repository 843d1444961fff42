"""Compare a page rerun with other parameters to the book, and link it to the book.

The build of the book writes ``book.json``, a record of its pages for this extension.
When one page is rebuilt after a rerun, the configuration value ``companion_rerun``
describes the run, and this extension

- replaces references to other pages by links to the book's URL, or by their text if the
  URL is unknown;
- numbers figures and theorems as in the book;
- marks each number in the text that differs from the book, and lists these below the
  title with the parameters;
- draws the book's curves behind the curves of each figure, if the built book is
  available.
"""

from __future__ import annotations

import html
import json
import math
import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

from companion.outputs.ghosts import with_ghosts
from companion.parameters import literal
from companion.sphinx.settings import add_settings

RECORD_NAME = "book.json"
VALUES_NAME = "values.json"
# the attribute of a number in the text: its name and its format
GLUE_ATTRIBUTE = "companion-glue"
CONTEXT_LENGTH = 60  # characters of a sentence that are shown on each side of a number


def targets(app: Sphinx) -> Iterator[tuple[str, str, str]]:
    """Yield the key "kind:name", URL and text of each reference target in the book."""
    env: Any = app.env
    std, numbers = env.get_domain("std"), env.toc_fignumbers

    def address(page: str, anchor: str = "") -> str:
        return app.builder.get_target_uri(page) + (f"#{anchor}" if anchor else "")

    def number(page: str, kind: str, anchor: str) -> str:
        return ".".join(map(str, numbers.get(page, {}).get(kind, {}).get(anchor, ())))

    for page, title in env.titles.items():
        yield f"doc:{page}", address(page), title.astext()
    for label, (page, anchor) in std.anonlabels.items():
        yield (
            f"ref:{label}",
            address(page, anchor),
            std.labels.get(label, ("", "", ""))[2],
        )
        if shown := number(page, "figure", anchor):
            yield (
                f"numref:{label}",
                address(page, anchor),
                app.config["numfig_format"]["figure"] % shown,
            )
    for label, entry in getattr(env, "proof_list", {}).items():
        shown = (
            ""
            if entry["nonumber"]
            else number(entry["docname"], entry["countertype"], label)
        )
        name = (
            numbered(app.config, entry["countertype"], shown)
            if shown
            else entry["realtype"].title()
        )
        yield f"prf:{label}", address(entry["docname"], label), name
    for label, (page, shown) in env.get_domain("math").data["objects"].items():
        yield (
            f"eq:{label}",
            address(page, f"equation-{nodes.make_id(label)}"),
            f"({shown})",
        )
    for (kind, name), (page, anchor) in std.objects.items():
        if kind == "term":
            yield f"term:{name.lower()}", address(page, anchor), ""
    for name, entry in env.get_domain("py").objects.items():
        yield f"py:{name}", address(entry.docname, entry.node_id), ""


def numbered(config: Config, kind: str, number: str) -> str:
    """Return the name of a theorem or algorithm by the book's format, such as "Theorem
    3".
    """
    shown = str(config["numfig_format"][kind]) % number
    return shown[:1].upper() + shown[1:]


def write_record(app: Sphinx, error: Exception | None) -> None:
    """Write ``book.json``, which reruns read, next to the book's pages."""
    if error is not None or app.builder.name != "html" or app.config["companion_rerun"]:
        return
    images = getattr(app.env, "figure_images", {})
    rows = {}
    for label, uri in images.items():
        if uri in app.builder.images:
            stem = app.builder.images[uri].removesuffix(".svg")
            rows[label] = f"{app.builder.imagedir}/{stem}.rows.json"
    record = {
        "rows": rows,
        "targets": {key: [address, text] for key, address, text in targets(app)},
        "numbers": app.env.toc_fignumbers,
        "glued": getattr(app.env, "glued_texts", {}),
    }
    # texts that Sphinx translates are no strings yet
    text = json.dumps(record, ensure_ascii=False, default=str)
    (Path(app.outdir) / RECORD_NAME).write_text(text, encoding="utf-8")


def write_values(app: Sphinx, error: Exception | None) -> None:
    """Write ``values.json`` for other tools: the values that each page glues, by page
    and name.
    """
    if error is not None or app.builder.name != "html" or app.config["companion_rerun"]:
        return
    folder = Path(app.env.mystnb_config.output_folder)  # type: ignore[attr-defined]
    pages = {}
    for page in sorted(app.env.found_docs):
        path = folder / f"{page}.glue.json"
        if path.exists():
            pages[page] = plain_values(json.loads(path.read_text(encoding="utf-8")))
    text = json.dumps(pages, ensure_ascii=False, indent=1, allow_nan=False)
    (Path(app.outdir) / VALUES_NAME).write_text(text, encoding="utf-8")


def plain_values(outputs: dict[str, Any]) -> dict[str, Any]:
    """Return glued values as JSON has them: numbers and texts, others as they are
    printed.

    >>> plain_values(
    ...     {
    ...         "n": {"data": {"text/plain": "3"}},
    ...         "x": {"data": {"text/plain": "nan"}},
    ...         "rows": {"data": {}},
    ...     }
    ... )
    {'n': 3, 'x': 'nan'}
    """
    values = {}
    for name, output in outputs.items():
        if set(output["data"]) == {"text/plain"}:
            text = output["data"]["text/plain"]
            value = literal(text)
            # a literal is finite but for one such as 1e999
            is_plain = isinstance(value, bool | int | str) or (
                isinstance(value, float) and math.isfinite(value)
            )
            values[name] = value if is_plain else text
    return values


def draw_ghosts(app: Sphinx, doctree: nodes.document, _page: str) -> None:
    """Draw the book's curves behind the curves of a rerun.

    A build of the book itself only records the image of each SVG figure, for
    :func:`write_record`.
    """
    rerun = app.config["companion_rerun"]
    if not rerun:
        env: Any = app.env
        figure_uris = env.__dict__.setdefault("figure_images", {})
        for figure in doctree.findall(nodes.figure):
            for image in figure.findall(nodes.image):
                figure_uris |= {
                    label: image["uri"]
                    for label in figure["ids"]
                    if image["uri"].endswith(".svg")
                }
        return
    known, folder = (
        rerun["record"].get("rows", {}),
        Path(rerun["record"].get("folder", "")),
    )
    for figure in doctree.findall(nodes.figure):
        before = next(
            (folder / known[label] for label in figure["ids"] if label in known), None
        )
        images = [
            Path(app.srcdir) / image["uri"] for image in figure.findall(nodes.image)
        ]
        if (
            before is not None
            and before.is_file()
            and len(images) == 1
            and images[0].suffix == ".svg"
        ):
            svg = images[0].read_text(encoding="utf-8")
            images[0].write_text(
                with_ghosts(svg, before.read_text(encoding="utf-8")), encoding="utf-8"
            )


def number_as_the_book(app: Sphinx, env: BuildEnvironment) -> None:
    """Number figures and theorems as in the book."""
    if rerun := app.config["companion_rerun"]:
        (page,) = env.found_docs
        mine = env.toc_fignumbers.get(page, {})
        for kind, known in (
            rerun["record"].get("numbers", {}).get(rerun["page"], {}).items()
        ):
            for anchor in mine.get(kind, {}):
                if anchor in known:
                    mine[kind][anchor] = tuple(known[anchor])


class Elsewhere(SphinxPostTransform):
    """Links references to other pages to the pages of the book."""

    default_priority = 5

    def run(self, **_options: Any) -> None:
        """Replace references of a rerun's page."""
        rerun = self.config["companion_rerun"]
        if not rerun:
            return
        known, base = rerun["record"].get("targets", {}), rerun["address"]
        for node in list(self.document.findall(addnodes.pending_xref)):
            key = key_of(node, rerun["page"])
            if key is None or self.is_here(key):
                continue
            address, text = known.get(key, ("", ""))
            shown = (
                nodes.inline("", text)
                if text and not node.get("refexplicit")
                else node.children[0].deepcopy()
            )
            if base and address:
                shown = nodes.reference(
                    "", "", shown, refuri=base + address, internal=False
                )
            node.replace_self(shown)
        for raw in self.document.findall(nodes.raw):
            if "href=" in raw.astext():
                raw.children[0] = nodes.Text(self.led(raw.astext(), known, base))

    def led(self, text: str, known: dict[str, Any], base: str) -> str:
        """Return HTML with links to other pages redirected to the book's URL."""
        here = self.config["companion_rerun"]["page"]

        def changed(found: re.Match[str]) -> str:
            page, _, anchor = found[1].partition("#")
            address, _ = known.get(page_key(page.removesuffix(".html"), here), ("", ""))
            if not address:
                return found[0]
            return (
                f'href="{base}{address}{"#" + anchor if anchor else ""}"'
                if base
                else 'role="none"'
            )

        return re.sub(r'href="([\w./-]+\.html(?:#[^"]*)?)"', changed, text)

    def is_here(self, key: str) -> bool:
        """Return whether the page itself contains a reference's target."""
        kind, _, name = key.partition(":")
        env: Any = self.env
        std = env.get_domain("std")
        here: dict[str, Callable[[], bool]] = {
            "doc": lambda: name == self.config["companion_rerun"]["page"],
            "ref": lambda: name in std.anonlabels,
            "numref": lambda: name in std.anonlabels,
            "prf": lambda: name in getattr(env, "proof_list", {}),
            "eq": lambda: name in env.get_domain("math").data["objects"],
            "term": lambda: ("term", name) in std.objects,
            "py": lambda: name in env.get_domain("py").objects,
        }
        return here[kind]()


def key_of(node: addnodes.pending_xref, page: str) -> str | None:
    """Return the key "kind:name" of a reference on a page of the book, or None for
    other domains.
    """
    domain, kind, target = (
        node.get("refdomain"),
        node.get("reftype"),
        str(node.get("reftarget")),
    )
    if domain == "std" and kind == "doc":
        return page_key(target, page)
    if domain == "std" and kind in ("ref", "numref", "term"):
        return f"{kind}:{target.lower()}"
    if domain == "prf":
        return f"prf:{target}"
    if domain == "math":
        return f"eq:{target}"
    return f"py:{target}" if domain == "py" else None


def page_key(target: str, page: str) -> str:
    """Return the key of the page that a reference on another page names, by its path
    from there or from the root.

    >>> (
    ...     page_key("b", "one/a"),
    ...     page_key("../two/c", "one/a"),
    ...     page_key("/two/c", "one/a"),
    ... )
    ('doc:one/b', 'doc:two/c', 'doc:two/c')
    """
    return "doc:" + posixpath.normpath(
        posixpath.join("/", posixpath.dirname(page), target)
    ).lstrip("/")


class Numbers(SphinxPostTransform):
    """Records the numbers in the book's text; in a rerun, marks changed numbers."""

    default_priority = 45
    formats = ("html",)

    def run(self, **_options: Any) -> None:
        """Record or compare each number of the page's text."""
        page, rerun = self.env.docname, self.config["companion_rerun"]
        glued_nodes = [
            node
            for node in self.document.findall(nodes.inline)
            if GLUE_ATTRIBUTE in node
        ]
        if not rerun:
            env: Any = self.env
            glued_texts = env.__dict__.setdefault("glued_texts", {})
            glued_texts[page] = {
                ":".join(node[GLUE_ATTRIBUTE]): node.astext() for node in glued_nodes
            }
            return
        before = rerun["record"].get("glued", {}).get(rerun["page"])
        changed, unknown = [], 0
        for at, node in enumerate(glued_nodes):
            old = (before or {}).get(":".join(node[GLUE_ATTRIBUTE]))
            if old is None:
                unknown += 1
            elif old != node.astext():
                anchor = f"changed-{at + 1}"
                changed.append((anchor, *around(node), old, node.astext()))
                mark = nodes.raw(
                    "",
                    f'<mark id="{anchor}" title="in the book: {html.escape(old)}">',
                    format="html",
                )
                node.parent.replace(
                    node, [mark, node, nodes.raw("", "</mark>", format="html")]
                )
        if not rerun["told"]:
            return
        numbers = (
            {"total": len(glued_nodes), "unknown": unknown, "changed": changed}
            if glued_nodes
            else None
        )
        section = next(iter(self.document.findall(nodes.section)), self.document)
        place = (
            1
            if section.children and isinstance(section.children[0], nodes.title)
            else 0
        )
        section.insert(place, nodes.raw("", box(rerun, numbers), format="html"))


def around(node: nodes.inline) -> tuple[str, str]:
    """Return the words before and after a number."""
    block = node.parent
    while isinstance(block, nodes.Inline):
        block = block.parent
    before, after, seen = "", "", False
    for text in block.findall(nodes.Text):
        if isinstance(text.parent, nodes.raw):  # the mark of another number
            continue
        inside = text.parent is node
        seen = seen or inside
        if not inside and seen:
            after += str(text)
        elif not inside:
            before += str(text)
    left, right = (
        " ".join(before.split())[-CONTEXT_LENGTH:],
        " ".join(after.split())[:CONTEXT_LENGTH],
    )
    left = left.partition(" ")[2] if len(before) > CONTEXT_LENGTH else left
    return left, right.rpartition(" ")[0] if len(after) > CONTEXT_LENGTH else right


def box(rerun: dict[str, Any], numbers: dict[str, Any] | None) -> str:
    """Return the box below the title of a rerun's page, as HTML."""
    from jinja2 import Environment, FileSystemLoader

    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True
    )
    return templates.get_template("rerun.html").render(
        rerun=rerun, numbers=numbers, **rerun["told"]
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    add_settings(app, "companion_rerun")
    app.connect("env-check-consistency", number_as_the_book)
    # before figures become drawings
    app.connect("doctree-resolved", draw_ghosts, priority=400)
    # before the wheel, which carries it
    app.connect("build-finished", write_record, priority=400)
    app.connect("build-finished", write_values)
    app.add_post_transform(Elsewhere)
    app.add_post_transform(Numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
