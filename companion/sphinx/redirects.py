"""Redirects from the old URLs of pages and anchors that have moved.

``companion_redirects`` maps an old page to a new one. An entry ``page#anchor`` maps an anchor that has moved elsewhere,
whether or not the page itself has moved::

    companion_redirects:
      chapters/dice: chapters/games
      chapters/dice#coins: chapters/coins#coins
      chapters/games#cards: chapters/cards#cards
"""

import html
import json
import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

from companion.errors import CompanionError
from companion.sphinx.settings import add_settings

logger = logging.getLogger(__name__)

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>This page has moved</title>
<meta name="robots" content="noindex"><link rel="canonical" href="{target}">
<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript>
<script>
const moved = {moved};
const anchor = decodeURIComponent(location.hash.slice(1));
location.replace(moved[anchor] ?? {script_target} + location.hash);
</script></head>
<body><p>This page has moved to <a href="{target}">{target}</a>.</p></body></html>
"""

SCRIPT = """{{
const moved = {moved};
const follow = () => {{
  const target = moved[decodeURIComponent(location.hash.slice(1))];
  if (target) location.replace(target);
}};
addEventListener("hashchange", follow);
follow();
}}"""


def address(page: str, target: str) -> str:
    """Return the URL of a target, with its anchor, relative to a page.

    >>> address("chapters/dice", "chapters/coins#coins")
    'coins.html#coins'
    """
    name, _, anchor = target.partition("#")
    relative = posixpath.relpath(f"{name}.html", posixpath.dirname(page) or ".")
    return f"{relative}#{anchor}" if anchor else relative


def anchors_of(page: str, redirects: Mapping[str, str]) -> dict[str, str]:
    """Return the new URLs of the anchors that have moved off a page.

    >>> anchors_of("chapters/games", {"chapters/games#cards": "chapters/cards#cards", "chapters/dice": "index"})
    {'cards': 'cards.html#cards'}
    """
    return {
        source.partition("#")[2]: address(page, target)
        for source, target in redirects.items()
        if source.startswith(f"{page}#")
    }


def page_of(old: str, redirects: Mapping[str, str]) -> str:
    """Return the HTML of the redirect at a page's old URL."""
    target, moved = address(old, redirects[old]), json.dumps(anchors_of(old, redirects))
    return PAGE.format(target=html.escape(target), script_target=json.dumps(target), moved=moved)


def add_script(app: Sphinx, page: str, *_: Any) -> None:
    """Redirect the old anchors of a page that still exists."""
    if anchors := anchors_of(page, app.config["companion_redirects"]):
        app.add_js_file(None, body=SCRIPT.format(moved=json.dumps(anchors)))


def write_pages(app: Sphinx, error: Exception | None) -> None:
    """Write a redirect for each old page.

    Raise CompanionError if an old page still exists, or if an anchor's page is neither a page nor redirected.
    """
    if error is not None or app.builder.name != "html":
        return
    redirects: dict[str, str] = app.config["companion_redirects"]
    for old, new in redirects.items():
        page, _, anchor = old.partition("#")
        if not anchor and page in app.env.found_docs:
            raise CompanionError(f"companion_redirects has {old!r}, a page of the book: remove either")
        if new.partition("#")[0] not in app.env.found_docs:  # a warning, since a part of a book may be built alone
            logger.warning("companion_redirects leads to %r, which the book does not have: correct it", new)
        if page not in redirects and page not in app.env.found_docs:
            raise CompanionError(f"companion_redirects has {old!r} but not {page!r}: add where the page has moved")
    for old in redirects:
        if "#" not in old:
            path = Path(app.outdir) / f"{old}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page_of(old, redirects), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    add_settings(app, "companion_redirects")
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
