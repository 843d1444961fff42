"""Descriptions, link previews, a sitemap and a page for missing addresses.

This uses ``sphinxext.opengraph``, ``sphinx_sitemap`` and ``notfound``; features that
need the book's URL are disabled without one. The URL is ``html_baseurl`` (``html:
baseurl`` in ``_config.yml``) or, in a GitHub workflow, which sets GITHUB_REPOSITORY,
the URL of the repository's GitHub Pages. ``companion_picture`` is the image in link
previews, a PNG file of the project.
"""

import os
import re
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx

from companion.sphinx.settings import add_settings

RELATIVE_URL = re.compile(r'<meta property="og:url"[^>]*>\n?')


def address_of(configured: str, repository: str) -> str:
    """Return the URL of the book, ending in a slash, or an empty string.

    Examples
    --------
    >>> (
    ...     address_of("", "coins/book"),
    ...     address_of("", "coins/coins.github.io"),
    ...     address_of("https://a.org/b", "x/y"),
    ... )
    ('https://coins.github.io/book/', 'https://coins.github.io/', 'https://a.org/b/')
    """
    if not configured and repository:
        owner, _, name = repository.partition("/")
        host = f"{owner.lower()}.github.io"
        configured = (
            f"https://{host}" if name.lower() == host else f"https://{host}/{name}"
        )
    return f"{configured.rstrip('/')}/" if configured else ""


def allow_no_contents(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Give the 404 page of a book of one page an empty table of contents, where
    ``notfound`` gives None.
    """
    if pagename == app.config["notfound_pagename"]:
        contents = context["toctree"]
        context["toctree"] = lambda *args, **options: contents(*args, **options) or ""


def drop_relative_url(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Drop the address of a page from its link preview, which is relative where the
    book has none.
    """
    context["metatags"] = RELATIVE_URL.sub("", context.get("metatags", ""))


def setup(app: Sphinx) -> dict[str, bool]:
    """Set up the 404 page, link previews and the sitemap."""
    add_settings(app, "companion_picture")
    address = address_of(
        app.config["html_baseurl"] or "", os.environ.get("GITHUB_REPOSITORY", "")
    )
    config = app.config
    config["html_baseurl"] = address
    app.setup_extension("notfound.extension")
    app.connect("html-page-context", allow_no_contents)
    config["notfound_urls_prefix"] = urlsplit(address).path or "/"
    app.setup_extension("sphinxext.opengraph")
    config["ogp_site_url"] = address
    config["ogp_site_name"] = config["html_title"] or config["project"]
    config["ogp_enable_meta_description"] = True
    config["ogp_social_cards"] = {"enable": False}
    if not address:
        app.connect("html-page-context", drop_relative_url, priority=900)
    else:
        config["ogp_image"] = config["companion_picture"] or None
        app.setup_extension("sphinx_sitemap")
        config["sitemap_url_scheme"] = "{link}"
        config["sitemap_excludes"] = [
            "404.html",
            "search.html",
            "genindex.html",
            "py-modindex.html",
            "_modules/*",
        ]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
