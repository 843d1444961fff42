"""What a reader sees first: doors on the front page, and a page's text before its
button.
"""

import pytest
from asked import HTML

DOORS = ("notation", "for-teachers", "ledger", "your-own-data")

pytestmark = [pytest.mark.book, pytest.mark.browser]


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_each_reader_has_a_door_on_the_first_screen(page, site, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{site}intro.html")
    page.wait_for_selector("[data-story] .lift-switch")
    seen = [page.locator("[data-story] .lift-switch").first.bounding_box()]
    for name in DOORS:
        link = page.locator(f"article a[href^='chapters/{name}.html']").first
        seen.append(link.bounding_box())
    assert [one for one in seen if one["y"] + one["height"] > height] == []


def needed_for_the_button(route):
    """Take a page and the script that makes its button; leave out all else."""
    request = route.request
    if request.resource_type == "document" or "alive/start.js" in request.url:
        route.continue_()
    else:
        route.abort()


def test_the_button_that_runs_a_page_follows_its_opening(page, site):
    page.route("**/*", needed_for_the_button)
    pages = [
        path
        for path in sorted(HTML.glob("chapters/*.html"))
        if "alive/start.js" in path.read_text(encoding="utf-8")
    ]
    assert len(pages) > 15
    early = []
    for path in pages:
        page.goto(f"{site}chapters/{path.name}", wait_until="domcontentloaded")
        page.wait_for_selector(".companion-start", state="attached")
        follows = page.evaluate(
            """() => {
            const text = document.querySelector("article.bd-article section > p");
            const bar = document.querySelector(".companion-start");
            return Boolean(text.compareDocumentPosition(bar)
                & Node.DOCUMENT_POSITION_FOLLOWING);
            }"""
        )
        if not follows:
            early.append(path.stem)
    assert early == []
