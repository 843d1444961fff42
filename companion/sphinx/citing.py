"""How each page is cited: tags that reference managers read, and a file for BibTeX.

Title, authors and year are those of the book: ``project`` or ``html_title``, ``author``
and ``copyright``.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes  # type: ignore[import-untyped]
from sphinx.application import Sphinx

from companion.sphinx.notebooks import link, menu

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
    """Return a page's entry for BibTeX, a part of a book."""
    entry = {
        "title": as_tex(fields["title"]),
        "author": f"{{{as_tex(fields['author'])}}}",  # one name, which is not parted
        "booktitle": as_tex(fields["inbook_title"]),
        "year": fields["publication_date"],
        "url": fields["public_url"],
    }
    lines = [
        f"  {name} = {{{value}}}" for name, value in entry.items() if value.strip("{}")
    ]
    body = ",\n".join(lines)
    return f"@incollection{{{key},\n{body}\n}}\n"


def cited(app: Sphinx, page: str) -> dict[str, str]:
    """Return what a citation of a page says."""
    config = app.config
    address = str(config["html_baseurl"] or "")
    year = re.search(r"\d{4}", str(config["copyright"] or ""))
    return {
        "title": app.env.titles[page].astext(),
        "author": str(config["author"]),
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
    key = re.sub(
        r"\W+", "-", f"{fields['inbook_title'].split(':')[0]} {pagename}".lower()
    )
    path.write_text(bibtex(key, fields), encoding="utf-8")
    address = f"{'../' * pagename.count('/')}{CITATION_FOLDER}/{pagename}.bib"
    entry = link(address, ".bib", "Cite this page, for BibTeX", "fas fa-file")
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
    app.connect("html-page-context", add_citation, priority=700)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
