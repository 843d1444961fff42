"""The built book in headless Chromium."""

import re
from dataclasses import dataclass, field

import pytest
from asked import ROOT
from seen_by_axe import barriers

NAMES = re.findall(
    r"^\s*(?:- )?(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text(), re.MULTILINE
)

# companion.chromium, which `make test` runs first, says that these are left out, and
# fails under CI=true
pytestmark = [
    pytest.mark.book,
    pytest.mark.browser,
]


def settle(page):
    page.wait_for_function(
        "!window.MathJax || (MathJax.startup && MathJax.startup.promise && true)"
    )
    page.evaluate(
        "window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => 0) : 0"
    )
    page.evaluate("document.fonts.ready.then(() => 0)")


def resized(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


# what is wider than the box it is in, which hides the rest; on a narrow screen wide
# things scroll by themselves
CUT = """width => ['pre', 'table', 'mjx-container[display=true]', 'figure', 'svg']
    .flatMap(name => [...document.querySelectorAll(`article.bd-article ${name}`)])
    .filter(e => e.offsetParent !== null || e.tagName === 'svg')
    .filter(e => { const style = getComputedStyle(e), box = e.getBoundingClientRect();
        const scrolls = ['auto', 'scroll'].includes(style.overflowX);
        const hides = e.scrollWidth > e.clientWidth + 1 && !scrolls;
        return box.right > width + 1 || (hides && e.tagName !== 'svg') })
    .map(e => e.outerHTML.slice(0, 160))"""

# what a reader sees but for code
TEXT = """() => {
    const article = document.querySelector('article.bd-article').cloneNode(true);
    const code = '.cell_input, .highlight, pre, code, script, mjx-container, style';
    article.querySelectorAll(code).forEach(e => {
        if (!e.closest('.cell_output')) e.remove() });
    article.querySelectorAll('text, td, th').forEach(e => e.append(' '));
    return article.textContent }"""
RAW = re.compile(
    # of Python
    r"\bNaN\b|np\.float64\(|array\(\[|/tmp/\S+|\bdtype[:=]|│|<\w+ object at|\d\.\d{12,}"
    r"|\$\\?[a-z]|\\(?:frac|log|epsilon|lambda|chi|alpha|mathcal)\b"  # of TeX
)


@dataclass
class Visit:
    """What one visit to a page showed."""

    name: str
    page: object
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    typeset: int = 0
    faults: int = 0
    text: str = ""
    shown: str = ""
    barriers: list[list[str]] = field(default_factory=list)
    cut: dict[int, list] = field(default_factory=dict)
    width: int = 0


KINDS = {"intro", "chapters/watchdog", "chapters/ledger", "chapters/glossary"}
"""One page of each kind. Axe takes a third of a visit, and the others have the same
stylesheet and the same layout: `make test-slow` asks it about them.
"""


def look(page, name, site):
    """Visit a page once and collect all that the tests ask of it."""
    seen = Visit(name, page)
    page.on("request", lambda asked: seen.asked.append(asked.url))
    page.on(
        "console",
        lambda said: (
            seen.complaints.append(said.text) if said.type == "error" else None
        ),
    )
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on(
        "response",
        lambda answer: (
            seen.complaints.append(answer.url) if answer.status >= 400 else None
        ),
    )
    page.goto(site + name + ".html")
    settle(page)
    seen.typeset = page.locator("mjx-container").count()
    seen.faults = page.locator("mjx-merror").count()
    seen.shown = page.locator("article.bd-article").inner_text()
    seen.text = page.evaluate(TEXT)
    for width in (1280, 768, 390) if name in KINDS else (1280, 390):
        resized(page, width)
        seen.cut[width] = page.evaluate(CUT, width)
    seen.width = page.evaluate("document.documentElement.scrollWidth")
    if name in KINDS:
        page.set_viewport_size({"width": 1280, "height": 900})
        seen.barriers = barriers(page, "light")
    page.wait_for_load_state("networkidle")
    return seen


@pytest.fixture(scope="module")
def visits(browser, site):
    """Return a function that visits a page, once."""
    from playwright.sync_api import Error

    contexts, seen = [], {}

    def visited(name):
        if not (contexts and browser.is_there()):
            contexts.append(
                browser.new_context(viewport={"width": 1280, "height": 900})
            )
        page = contexts[-1].new_page()
        found = look(page, name, site)
        if name not in KINDS:
            page.close()
        return found

    def visit(name):
        if name not in seen or (name in KINDS and seen[name].page.is_closed()):
            try:
                seen[name] = visited(name)
            except Error:
                if browser.is_there():
                    raise
                # in another Chromium; a page that ends this one too fails
                seen[name] = visited(name)
        return seen[name]

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in NAMES]
)
def visit(visits, request):
    return visits(request.param)


def test_a_page_asks_only_its_own_site_and_complains_of_nothing(visit, site):
    assert not [
        url for url in visit.asked if not url.startswith((site, "data:", "blob:"))
    ]
    assert not visit.complaints


def test_equations_are_typeset(visit):
    assert visit.typeset or "$" not in (ROOT / f"{visit.name}.md").read_text()
    assert visit.faults == 0
    assert not re.search(r"(?<!\\)\$[\\a-zA-Z]+[_^{]", visit.shown)


each_kind = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in sorted(KINDS)],
)


@each_kind
def test_a_screen_reader_can_read_it(visits, name):
    assert visits(name).barriers == []


@each_kind
def test_nothing_is_lost_in_the_dark(visits, name):
    assert barriers(visits(name).page, "dark", structure=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in KINDS])
def test_the_other_pages_can_be_read(page, site, name):
    page.goto(site + name + ".html")
    settle(page)
    assert [barriers(page, "light"), barriers(page, "dark", structure=False)] == [
        [],
        [],
    ]
    resized(page, 768)
    assert page.evaluate(CUT, 768) == []


def test_nothing_is_cut_off(visit):
    assert set(visit.cut) >= {1280, 390}
    assert not any(visit.cut.values()), visit.cut


def test_a_narrow_screen_does_not_scroll_sideways(visit):
    assert visit.width <= 390


def test_nothing_is_raw(visit):
    """No NaN, repr of numpy, temporary path, type header or TeX in what a
    reader sees.
    """
    if not visit.name.startswith("chapters/api"):
        assert not [
            visit.text[max(0, m.start() - 60) : m.end() + 30]
            for m in RAW.finditer(visit.text)
        ]


@pytest.fixture
def watchdog_page(visits):
    """One chapter, opened once; a test sets what it needs, such as the
    width, itself.
    """
    page = visits("chapters/watchdog").page
    page.set_viewport_size({"width": 1300, "height": 900})
    page.emulate_media(color_scheme="light")
    return page


one_visit = pytest.mark.xdist_group("chapters/watchdog")


def test_the_first_page_is_light(page, site):
    """Under 1 MB and 25 requests, thumbnails and all."""
    sizes = {}
    page.on(
        "response", lambda response: sizes.update({response.url: len(response.body())})
    )
    page.goto(site + "intro.html")
    settle(page)
    page.wait_for_load_state("networkidle")
    assert len(sizes) < 25
    assert sum(sizes.values()) < 1_000_000
    assert page.locator(".lift-cell circle").count() == 100
    ways = [card.bounding_box() for card in page.locator(".sd-card").all()]
    assert len(ways) == 4
    assert max(card["y"] + card["height"] for card in ways) < 900, (
        "the ways in are above the fold"
    )
    picture, choices = (
        page.locator(f".lift-living {part}").bounding_box()
        for part in (".lift-people-flow", "fieldset")
    )
    assert choices["y"] < picture["y"] < 300
    assert picture["y"] + picture["height"] < min(card["y"] for card in ways)
    assert page.locator("script[src*=mathjax]").count() == 0


@one_visit
def test_figures_are_wide_and_described(watchdog_page):
    page = watchdog_page
    figures = page.locator("figure")
    assert (
        figures.count()
        == (ROOT / "chapters" / "watchdog.md")
        .read_text(encoding="utf-8")
        .count("    caption: ")
        > 2
    )
    for number in range(figures.count()):
        drawing = figures.nth(number).locator("a.companion-drawing")
        assert len(drawing.locator("[role=img]").get_attribute("aria-label")) > 40
        assert drawing.evaluate("e => e.getBoundingClientRect().width") > 400


@one_visit
def test_a_notebook_can_be_downloaded(watchdog_page):
    import nbformat

    href = watchdog_page.locator(
        "a[href$='watchdog.ipynb'][href*='_notebooks']"
    ).get_attribute("href")
    body = watchdog_page.request.get(
        watchdog_page.evaluate("h => new URL(h, location).href", href)
    ).text()
    notebook = nbformat.reads(body, as_version=4)
    assert notebook.metadata.kernelspec.language == "python"
    assert any("figure_e23_2" in cell.source for cell in notebook.cells)


@one_visit
def test_a_solution_is_folded_until_asked_for(watchdog_page):
    fold = watchdog_page.locator("details", has_text="Show the solution").first
    assert not fold.evaluate("e => e.open")
    fold.locator("summary").click()
    assert fold.evaluate("e => e.open")


@pytest.mark.xdist_group("intro")
def test_axe_sees_what_is_hard_to_read_or_has_no_name(visits):
    page = visits("intro").page  # a short one
    page.evaluate("""() => { const made = document.createElement('div');
            made.id = 'faulty';
            const bare = 'text-decoration: none';
            made.innerHTML = '<p style="color: #bbb">pale</p>'
                + '<p style="color: #444">dark</p><img src="data:,">'
                + `<p>Words around <a href="#x" style="color: #444; ${bare}">a link</a>`
                + ` and <a href="#x" style="color: #bbb; ${bare}">another</a>.</p>`;
            document.querySelector('article.bd-article').append(made) }""")
    here = {"within": "#faulty"}
    light, dark = (
        sorted(rule for rule, *_ in barriers(page, theme, **here))
        for theme in ("light", "dark")
    )
    uncoloured = [rule for rule, *_ in barriers(page, "light", colours=False, **here)]
    page.evaluate("document.getElementById('faulty').remove()")
    assert light == ["color-contrast", "image-alt", "link-in-text-block"] == dark
    assert uncoloured == ["image-alt"]


ROWS = "details.claim"


@pytest.mark.xdist_group("chapters/ledger")
def test_ledger_filters_sorts_and_opens_what_a_link_asks_for(visits):
    page = visits("chapters/ledger").page
    rows, shown = page.locator(ROWS), page.locator(f"{ROWS}:visible")
    assert shown.count() == rows.count() > 200
    page.select_option('[data-filter="paper"]', "I21")
    page.select_option('[data-filter="kind"]', "result")
    page.select_option('[data-filter="verdict"]', "differs")
    found = set(shown.evaluate_all("all => all.map(one => one.id)"))
    assert {
        "i21-ex1-info-aware",
        "i21-ex1-info-markov",
        "i21-ex1-tv-aware",
        "i21-ex1-tv-markov",
    } <= found
    assert (
        page.locator("#ledger-controls output").inner_text()
        == f"{len(found)} of {rows.count()}"
    )
    points = page.locator("#ledger-plot a:visible").evaluate_all(
        "all => all.map(one => one.dataset.id)"
    )
    assert set(points) <= found
    page.fill('[data-filter="text"]', "no such words")
    assert shown.count() == 0
    page.evaluate("location.hash = 's20-thm4'")
    row = page.locator("#s20-thm4")
    # its contents come from the paper's page
    row.get_by_text("With two dependent bits").wait_for()
    assert "theorem_4_holds" in row.inner_text()
    page.select_option("[data-sort]", "verdict")
    order = rows.evaluate_all("all => all.map(one => one.dataset.verdict)")
    assert order == sorted(order)
    assert all(
        verdict.strip()
        for verdict in page.locator(f"{ROWS} .verdict").all_inner_texts()
    )
    page.set_viewport_size({"width": 390, "height": 900})
    page.select_option('[data-filter="verdict"]', "differs")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1300, "height": 900})
    page.evaluate("document.getElementById('ledger-controls').reset()")


@pytest.mark.xdist_group("chapters/ledger")
@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("E23 Prop. 5", {"e23-prop5-l1", "e23-prop5-chi2", "e23-prop5-alpha"}),
        ("Proposition 5", {"e23-prop5-l1", "e23-prop5-chi2", "e23-prop5-alpha"}),
        ("S20 Figure 8", {"s20-fig8a", "s20-fig8b"}),
        ("is E23 Theorem 1", {"e23-thm1"}),
        ("I21 Lemma 1", {"i21-lemma1", "i21-lemma1-only"}),
    ],
)
def test_the_filter_reads_words_as_the_search_does(visits, words, first):
    page = visits("chapters/ledger").page
    page.fill('[data-filter="text"]', words)
    found = page.locator(f"{ROWS}:visible").evaluate_all(
        "all => all.map(one => one.id)"
    )
    page.fill('[data-filter="text"]', "")
    assert set(found[: len(first)]) == first
