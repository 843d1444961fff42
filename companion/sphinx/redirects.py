"""Pages at the addresses of pages that have moved: each leads to the new address, an anchor to where it is now.

``companion_redirects`` maps an old page to a new one, and ``old#anchor`` to where that anchor has moved if elsewhere::

    companion_redirects:
      chapters/dice: chapters/games
      chapters/dice#coins: chapters/coins#coins
"""

import html
import json
import posixpath
from collections.abc import Mapping
from pathlib import Path

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


def address(page: str, target: str) -> str:
    """Return the relative address of a target, with its anchor, as seen from a page.

    >>> address("chapters/dice", "chapters/coins#coins")
    'coins.html#coins'
    """
    name, _, anchor = target.partition("#")
    found = posixpath.relpath(f"{name}.html", posixpath.dirname(page) or ".")
    return f"{found}#{anchor}" if anchor else found


def page_of(old: str, redirects: Mapping[str, str]) -> str:
    """Return the HTML that stands at the old address of a page."""
    anchors = {
        source.partition("#")[2]: address(old, target)
        for source, target in redirects.items()
        if source.startswith(f"{old}#")
    }
    target = address(old, redirects[old])
    return PAGE.format(target=html.escape(target), script_target=json.dumps(target), moved=json.dumps(anchors))


def write_pages(app: Sphinx, error: Exception | None) -> None:
    """Write a page for each old address.

    Raises
    ------
    CompanionError
        If an old page still exists, or an anchor is given of a page that has not moved.
    """
    if error is not None or app.builder.name != "html":
        return
    redirects: dict[str, str] = app.config["companion_redirects"]
    for old, new in redirects.items():
        page = old.partition("#")[0]
        if page in app.env.found_docs:
            raise CompanionError(f"companion_redirects has {old!r}, a page of the book: remove either")
        if new.partition("#")[0] not in app.env.found_docs:  # a warning, since a part of a book may be built alone
            logger.warning("companion_redirects leads to %r, which the book does not have: correct it", new)
        if page not in redirects:
            raise CompanionError(f"companion_redirects has {old!r} but not {page!r}: add where the page has moved")
    for old in redirects:
        if "#" not in old:
            path = Path(app.outdir) / f"{old}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page_of(old, redirects), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the build."""
    add_settings(app, "companion_redirects")
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
