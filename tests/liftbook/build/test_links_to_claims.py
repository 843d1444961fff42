"""What a link asks for is in view, however late the page settles."""

import random
import re
from contextlib import contextmanager

import pytest
from asked import HTML, ROOT

SCRIPT = ROOT / "_static" / "asked.js"
NUMBER, SEED = 40, 53
CONDITIONS: dict[str, dict[str, int]] = {
    "cold": {},
    "warm": {},
    "narrow": {"width": 390},
    "slow": {"throttling": 6},
}

# a browser without scroll anchoring, such as Safari, leaves it to the page to keep its
# place
PAGE = f"""<!doctype html><html style="overflow-anchor: none"><body>
<div id="above" style="height: 2000px"></div>
<p id="row">asked for</p><p id="next">another</p>
<div style="height: 4000px"></div>
<script>{SCRIPT.read_text(encoding="utf-8") if SCRIPT.is_file() else ""}</script>
</body></html>"""
ADDRESS = "http://asked.test/page.html"
FRAMES = (
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>"
    " setTimeout(done, 50))))"
)
PLACE = "id => document.getElementById(id).getBoundingClientRect().top"


@pytest.fixture
def jumped(page):
    page.route(
        "http://asked.test/*",
        lambda route: route.fulfill(body=PAGE, content_type="text/html"),
    )
    page.goto(f"{ADDRESS}#row")
    return page


def grow(page, by):
    page.evaluate(f"document.getElementById('above').style.height = '{2000 + by}px'")
    page.evaluate(FRAMES)


def test_it_stays_while_the_page_grows_above_it(jumped):
    for by in (900, 2600, 300):
        grow(jumped, by)
        assert 0 <= jumped.evaluate(PLACE, "row") < 100
    jumped.evaluate("location.hash = 'next'")
    grow(jumped, 1500)
    assert 0 <= jumped.evaluate(PLACE, "next") < 100


@pytest.mark.parametrize("own", ["wheel", "key"])
def test_a_reader_who_scrolls_is_not_taken_back(jumped, own):
    jumped.evaluate(FRAMES)
    if own == "wheel":
        jumped.mouse.move(400, 400)
        jumped.mouse.wheel(0, 1200)
    else:
        jumped.keyboard.press("PageDown")
    jumped.wait_for_function(
        "document.getElementById('row').getBoundingClientRect().top < -100"
    )
    place = jumped.evaluate("scrollY")
    grow(jumped, 900)
    assert jumped.evaluate("scrollY") >= place


def test_a_page_read_again_keeps_the_readers_place(jumped):
    jumped.evaluate(FRAMES)
    jumped.mouse.move(400, 400)
    jumped.mouse.wheel(0, 1200)
    jumped.wait_for_function(
        "document.getElementById('row').getBoundingClientRect().top < -1000"
    )
    jumped.reload()
    jumped.evaluate(FRAMES)
    assert jumped.evaluate(PLACE, "row") < -1000


# the layout is as it was for half a second
SETTLED = """() => {
    const now = [document.body.offsetHeight, scrollY].join(), at = performance.now();
    if (now !== window.lastLayout) { window.lastLayout = now; window.lastChange = at; }
    const ready = document.readyState === 'complete' && MathJax.startup;
    return ready && at - window.lastChange > 500 }"""


def links():
    """Return links to rows, as pairs of page and claim: below the figures of the
    record, and in the ledger's plot.
    """
    found = set()
    for page in sorted((HTML / "chapters").glob("*.html")):
        text = page.read_text(encoding="utf-8")
        for part in re.findall(
            r'<p class="claims-of-figure">.*?</p>|<figure'
            r' id="ledger-plot">.*?</figure>',
            text,
            re.DOTALL,
        ):
            found |= {
                (page.stem, name)
                for name in re.findall(r'href="(?:ledger\.html)?#([^"]+)"', part)
            }
    return random.Random(SEED).sample(sorted(found), NUMBER)


@contextmanager
def opened_in(browser, condition):
    """Open a page, and close it: a slow one that is left open keeps a core busy."""
    words = CONDITIONS[condition]
    context = browser.new_context(
        viewport={"width": words.get("width", 1300), "height": 900}
    )
    page = context.new_page()
    if rate := words.get("throttling"):
        context.new_cdp_session(page).send(
            "Emulation.setCPUThrottlingRate", {"rate": rate}
        )
        page.set_default_timeout(30_000 * rate)
    try:
        yield page
    finally:
        context.close()


def follow(page, site, source, name, *, click):
    """Follow a link to a row; return where the row is in the window if it is not in
    view.
    """
    if click:
        page.goto(f"{site}chapters/{source}.html")
        page.locator(
            f':is(.claims-of-figure, #ledger-plot) a[href$="#{name}"]'
        ).first.dispatch_event("click")
    else:  # an old address on a paper's page leads on to the ledger
        page.goto(f"{site}chapters/{source}.html#{name}")
    page.wait_for_url(f"**/ledger.html#{name}")
    page.wait_for_function(SETTLED, polling=100)
    page.evaluate(
        "MathJax.startup.promise.then(() => document.fonts.ready).then(() => 0)"
    )
    page.wait_for_function(SETTLED, polling=100)
    top = page.evaluate(PLACE, name)
    head = page.evaluate(
        "document.querySelector('.bd-header-article').getBoundingClientRect().bottom"
    )
    row = page.locator("details.claim:target")
    assert row.get_attribute("id") == name
    assert row.evaluate("row => [row.open, getComputedStyle(row).outlineStyle]") == [
        True,
        "solid",
    ]
    assert "compute(" in row.inner_text()  # its contents are there
    return None if head <= top < 600 else top


def followed(browser, site, condition, some):
    """Follow links; return what is out of view, as the claim and its place in the
    window.
    """
    places = {}
    if condition == "warm":
        with opened_in(browser, condition) as page:
            for source, name in some:
                places[name] = follow(page, site, source, name, click=True)
    else:
        for source, name in some:
            with opened_in(browser, condition) as page:
                places[name] = follow(page, site, source, name, click=False)
    return [(name, top) for name, top in places.items() if top is not None]


on_the_book = [pytest.mark.book, pytest.mark.browser]


SAMPLE = {
    "cold": slice(0, 3),
    "warm": slice(3, 5),
    "narrow": slice(5, 7),
    "slow": slice(7, 8),
}


@pytest.mark.parametrize(
    "condition", [pytest.param(name, marks=on_the_book) for name in CONDITIONS]
)
def test_verdicts_lead_to_their_rows(browser, site, condition):
    assert followed(browser, site, condition, links()[SAMPLE[condition]]) == []


# forty links in all: the conditions share them, half of them on the slow processor
SHARE = {
    "cold": slice(0, 7),
    "warm": slice(7, 14),
    "narrow": slice(14, 20),
    "slow": slice(20, NUMBER),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "condition", [pytest.param(name, marks=on_the_book) for name in CONDITIONS]
)
def test_forty_verdicts_lead_to_their_rows(browser, site, condition):
    assert followed(browser, site, condition, links()[SHARE[condition]]) == []


@pytest.mark.book
@pytest.mark.browser
def test_back_returns_to_the_figure(browser, site):
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto(f"{site}chapters/record-e23.html")
    link = page.locator(".claims-of-figure:not(.claims-of-paper) a").nth(5)
    link.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    link.click()
    page.wait_for_url("**/ledger.html#*")
    page.go_back()
    page.wait_for_function("place => Math.abs(scrollY - place) < 200", arg=place)
    page.close()
