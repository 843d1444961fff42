"""The book works under any path of a server, such as a repository's GitHub Pages."""

from urllib.parse import unquote, urljoin, urlsplit

import pytest
from asked import HTML
from bs4 import BeautifulSoup

# the page for missing addresses is shown at any depth, so it names its files from
# the root of the site; the theme's template in _static is no page
PAGES = [
    path
    for path in sorted(HTML.rglob("*.html"))
    if path.name != "404.html" and "_static" not in path.parts
]
NAMES = (("a", "href"), ("link", "href"), ("script", "src"), ("img", "src"))

pytestmark = pytest.mark.book


def named_paths(page):
    """Return the paths that a page names, without other sites' and anchors."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    paths = set()
    for tag, attribute in NAMES:
        for one in soup.find_all(tag, {attribute: True}):
            address = urlsplit(one[attribute])
            if not address.scheme and not address.netloc and address.path:
                paths.add(unquote(address.path))
    return paths


def test_pages_name_what_is_there_and_nothing_from_the_root():
    assert len(PAGES) > 30
    wrong = {
        (page.relative_to(HTML).as_posix(), path)
        for page in PAGES
        for path in named_paths(page)
        if path.startswith("/") or not (page.parent / path).exists()
    }
    # `make pdf` and `make course` make what these links lead to, and show them then
    assert {one for one in wrong if not one[1].endswith(".pdf")} == set()


@pytest.mark.browser
def test_search_and_downloads_work_under_a_path(browser, served, tmp_path):
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "path").symlink_to(HTML)
    with served(tmp_path) as address:
        book = f"{address}some/path/"
        page = browser.new_page()
        asked = {}
        page.on("response", lambda answer: asked.update({answer.url: answer.status}))
        page.goto(f"{book}chapters/watchdog.html")
        page.wait_for_selector("mjx-container", state="attached")
        notebook = page.locator("a[href$='.ipynb']").first.get_attribute("href")
        assert page.request.get(urljoin(page.url, notebook)).json()["cells"]
        page.goto(f"{book}search.html?q=subset+merging")
        page.wait_for_selector("#search-results a").click()
        page.wait_for_selector("article h1")
        assert page.url.startswith(f"{book}chapters/")
        assert len(asked) > 10
        ours = {url for url in asked if url.startswith(address)}
        assert all(url.startswith(book) for url in ours)
        assert {asked[url] for url in ours} == {200}
        page.close()
