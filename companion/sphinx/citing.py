"""How each page is cited: tags that reference managers read, and a file for BibTeX.

Title, authors and year are those of the book: ``project`` or ``html_title``, ``author``
and ``copyright``; version and licence are those of ``companion_package``. The first
page's entry is the book's own, which the directive ``companion-cite`` shows.
"""

from __future__ import annotations

import html
import re
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.sphinx.notebooks import link, menu
from companion.sphinx.settings import add_settings

CITATION_FOLDER = "_cite"
TEX = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def as_tex(text: str) -> str:
    """Return a text in which no character is a command of TeX.

    >>> print(as_tex("50 % of {a}_b"))
    50 \\% of \\{a\\}\\_b
    """
    return "".join(TEX.get(character, character) for character in text)


def tags(fields: dict[str, str]) -> str:
    """Return the meta tags of a page, such as ``citation_title``."""
    lines = [
        f'<meta name="citation_{name}" content="{html.escape(value)}">'
        for name, value in fields.items()
        if value
    ]
    return "\n".join(lines) + "\n"


def bibtex(key: str, fields: dict[str, str]) -> str:
    """Return a page's entry for BibTeX, a part of a book, or the book's entry if the
    fields have no title of a book.
    """
    of_book = "inbook_title" not in fields
    entry = {
        "title": as_tex(fields["title"]),
        "author": f"{{{as_tex(fields['author'])}}}",  # one name, which is not parted
        "booktitle": as_tex(fields.get("inbook_title", "")),
        "year": fields["publication_date"],
        "version": fields.get("version", ""),
        "license": fields.get("license", "") if of_book else "",
        "url": fields["public_url"],
    }
    lines = [
        f"  {name} = {{{value}}}" for name, value in entry.items() if value.strip("{}")
    ]
    body = ",\n".join(lines)
    return f"@{'software' if of_book else 'incollection'}{{{key},\n{body}\n}}\n"


def packaged(app: Sphinx) -> dict[str, str]:
    """Return the version and the licence of the book's package, if it has one."""
    name = app.config["companion_package"].get("name")
    if not name:
        return {}
    licence = metadata(name).json.get("license_expression", "")
    return {"version": version(name), "license": str(licence)}


def entry_of(app: Sphinx, page: str) -> str:
    """Return the entry of a page, or of the book for its first page."""
    fields = cited(app, page) | packaged(app)
    key = re.sub(r"\W+", "-", f"{fields['inbook_title'].split(':')[0]} {page}".lower())
    if page == app.config["root_doc"]:
        fields["title"] = fields.pop("inbook_title")
        fields["public_url"] = str(app.config["html_baseurl"] or "")
        key = re.sub(r"\W+", "-", fields["title"].lower())
    return bibtex(key, fields)


class Cite(SphinxDirective):
    """The entry of the book for BibTeX, which the first page's menu downloads."""

    def run(self) -> list[nodes.Node]:
        """Return the entry as code."""
        text = entry_of(self.env.app, self.config["root_doc"])
        return [nodes.literal_block(text, text, language="bibtex")]


def cited(app: Sphinx, page: str) -> dict[str, str]:
    """Return what a citation of a page says."""
    config = app.config
    address = str(config["html_baseurl"] or "")
    year = re.search(r"\d{4}", str(config["copyright"] or ""))
    # Sphinx says "Author name not set" for a book without an author
    author = (
        "" if config["author"] == config.values["author"].default else config["author"]
    )
    return {
        "title": app.env.titles[page].astext() if page in app.env.titles else "",
        "author": str(author),
        "inbook_title": str(config["html_title"] or config["project"]),
        "publication_date": year[0] if year else "",
        "public_url": f"{address}{page}.html" if address else "",
    }


def add_citation(
    app: Sphinx,
    pagename: str,
    _template: str,
    context: dict[str, Any],
    _doctree: nodes.document,
) -> None:
    """Add a page's tags, and its entry for BibTeX to the menu of downloads."""
    if app.builder.name != "html" or pagename not in app.env.found_docs:
        return
    fields = cited(app, pagename)
    context["metatags"] = context.get("metatags", "") + tags(fields)
    path = Path(app.outdir) / CITATION_FOLDER / f"{pagename}.bib"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(entry_of(app, pagename), encoding="utf-8")
    address = f"{'../' * pagename.count('/')}{CITATION_FOLDER}/{pagename}.bib"
    entry = link(
        address, "Citation (.bib)", "Cite this page, for BibTeX", "fas fa-file"
    )
    buttons = context.setdefault("header_buttons", [])
    for button in buttons:
        if button.get("label") == "download-buttons":
            button["buttons"].append(entry)
            return
    buttons.append(
        menu("Download this page", "fas fa-download", "download-buttons", [entry])
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build, after the menu of downloads."""
    add_settings(app, "companion_package")
    app.add_directive("companion-cite", Cite)
    app.connect("html-page-context", add_citation, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
