"""The link to report a mistake names the page, with a repository and without one."""

from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest

from companion.sphinx.theming import mistakes_at


@pytest.mark.parametrize("url", ["", "https://github.com/coins/book"])
def test_it_carries_page_and_version(url):
    config = Settings(
        html_theme_options={"repository_url": url}, companion_mistakes="intro#mistakes"
    )
    app = SimpleNamespace(
        config=config,
        builder=SimpleNamespace(get_relative_uri=lambda _page, to: f"../{to}.html"),
        env=SimpleNamespace(found_docs={"intro"}),
    )
    found = urlsplit(mistakes_at(app, "parts/toss", "page parts/toss, coins 1.0"))
    (said,) = parse_qs(found.query)["body" if url else "page"]
    assert said == "page parts/toss, coins 1.0"
    assert found.fragment == ("" if url else "mistakes")


class Settings(dict):
    """Sphinx's configuration, as a mapping and by attribute."""

    def __getattr__(self, name):
        return self[name]
