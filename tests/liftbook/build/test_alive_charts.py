"""Live charts under the figures of the built site, in headless Chromium."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest
from seen_by_axe import barriers

ROOT = Path(__file__).resolve().parents[3]
ALIVE = ROOT / "_build" / "html" / "_static" / "alive"
MISSING = not (ALIVE / "vega.mjs").exists() and os.environ.get("CI") != "true"
pytestmark = [
    pytest.mark.book,
    pytest.mark.browser,
    pytest.mark.xdist_group("alive"),
    pytest.mark.skipif(MISSING, reason="the book was built without Vega-Lite"),
]


@pytest.fixture(scope="module")
def chart(browser, site):
    """The watchdog's page with the chart of Figure 2 open."""
    page = browser.new_context(viewport={"width": 1300, "height": 900}).new_page()
    page.asked, page.complaints = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda said: page.complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.goto(f"{site}chapters/watchdog.html")
    page.wait_for_load_state("networkidle")
    loaded = [url for url in page.asked if url.endswith((".mjs", ".rows.json"))]
    assert not loaded, "what nobody asked for was loaded"
    page.locator("#fig-e23-2 .lift-explore").click()
    page.wait_for_selector("#fig-e23-2 .lift-chart[data-drawn]")
    yield page
    assert not page.complaints
    assert not [url for url in page.asked if not url.startswith((site, "data:", "blob:"))]
    assert not [url for url in page.asked if "/runtime/" in url]
    page.context.close()


def redrawn(page, act):
    """Do something and wait until the chart is drawn anew."""
    before = page.get_attribute(".lift-chart", "data-drawn")
    act()
    page.wait_for_function("n => document.querySelector('.lift-chart').dataset.drawn !== n", arg=before)


def downloaded(page, folder):
    with page.expect_download() as waiting:
        page.click(".lift-chart [data-do=download]")
    waiting.value.save_as(folder / "rows.csv")
    return waiting.value.suggested_filename, pd.read_csv(folder / "rows.csv")


def curves(page, panel=0):
    return page.locator(".lift-view").nth(panel).locator("g.mark-line path").count()


def test_the_rows_are_the_books(chart, tmp_path):
    """A number of the prose is another way to them."""
    name, rows = downloaded(chart, tmp_path)
    assert name == "fig-e23-2.csv"
    assert rows["rows"].unique().tolist() == ["the book"]
    assert rows.measure.unique().tolist() == ["nmi", "min_lift_leakage", "max_lift_leakage"]
    said = chart.locator("[data-glue=wd-syn-1]").first
    part = rows[(rows.series == "ALIP, λ=0.5") & (rows.measure == "nmi") & (rows.eps == 1.0)]
    assert said.text_content() == format(float(part["mean"].iloc[0]), said.get_attribute("data-form"))
    assert chart.inner_text(".lift-whose") == "These are the book’s rows."


def point(place):
    """Point at a chart until it tells."""
    place.scroll_into_view_if_needed()
    told = place.page.locator(".lift-tip:not([hidden])")
    for step in range(50):
        place.hover(position={"x": place.bounding_box()["width"] * (0.6 + 0.01 * (step % 2)), "y": 110})
        place.page.wait_for_timeout(100)
        if told.count():
            return


def test_pointing_tells_the_values(chart, tmp_path):
    _, rows = downloaded(chart, tmp_path)
    point(chart.locator(".lift-view").first)
    chart.wait_for_selector(".lift-tip:not([hidden])")
    told = dict(line.split("\n") for line in chart.locator(".lift-tip div").all_inner_texts())
    eps = float(told.pop("privacy budget ε (nats)"))
    part = rows[(rows.measure == "nmi") & (rows.eps == eps)].set_index("series")
    assert sorted(told) == sorted(part.index)
    for series, text in told.items():
        mean, low, high = (
            float(one.replace("−", "-")) for one in re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", text).groups()
        )
        row = part.loc[series]
        assert [mean, low, high] == pytest.approx([row["mean"], row["low"], row["high"]], rel=1e-3, abs=1e-12)
    chart.mouse.move(5, 5)
    chart.wait_for_selector(".lift-tip", state="hidden")


def test_notion_and_share_are_chosen(chart):
    assert curves(chart) == 4
    redrawn(chart, lambda: chart.uncheck(".lift-chart [name=notion][value=LDP]"))
    assert curves(chart) == 3
    redrawn(chart, lambda: chart.uncheck(".lift-chart [value='0.35']"))
    assert curves(chart) == 2
    shown = [one.strip() for one in chart.locator(".lift-key li").all_text_contents()]
    assert shown == ["ALIP, λ=0.5", "ALIP, λ=0.65"]
    assert "LDP" not in chart.locator(".lift-view").first.get_attribute("aria-label")
    redrawn(chart, lambda: chart.uncheck(".lift-chart [name=notion][value=ALIP]"))
    assert curves(chart) == 0
    assert chart.locator(".lift-view").first.text_content() == "Nothing is chosen."
    for one in ("[value=LDP]", "[value=ALIP]", "[value='0.35']"):
        redrawn(chart, lambda one=one: chart.check(f".lift-chart {one}"))
    assert curves(chart) == 4


def ticks(page):
    return sorted(page.locator(".lift-view").first.locator("g.role-axis-label text").all_text_contents())


def test_budgets_are_chosen_and_zoomed(chart):
    first = ticks(chart)
    budgets = chart.evaluate("[...document.querySelectorAll('[data-at] option')].map(one => Number(one.value))")
    half = len(budgets) // 2
    middle = budgets[half]
    redrawn(
        chart,
        lambda: (chart.fill(".lift-chart [name=from]", str(middle)), chart.press(".lift-chart [name=from]", "Tab")),
    )
    left = chart.evaluate("[...document.querySelectorAll('[data-at] option')].map(one => Number(one.value))")
    assert left == budgets[half:]
    assert ticks(chart) != first
    redrawn(chart, lambda: (chart.fill(".lift-chart [name=from]", ""), chart.press(".lift-chart [name=from]", "Tab")))
    assert ticks(chart) == first
    place = chart.locator(".lift-view").first
    point(place)
    chart.keyboard.down("Control")
    chart.mouse.wheel(0, -400)
    chart.keyboard.up("Control")
    chart.wait_for_function(
        "old => [...document.querySelector('.lift-view').querySelectorAll('g.role-axis-label text')]"
        ".map(one => one.textContent).sort().join() !== old",
        arg=",".join(first),
    )
    place.dblclick(position={"x": place.bounding_box()["width"] * 0.6, "y": 110})
    chart.wait_for_timeout(500)
    assert ticks(chart) == first


def test_the_table_has_what_the_chart_has(chart, tmp_path):
    _, rows = downloaded(chart, tmp_path)
    chart.click(".lift-chart summary")
    eps = float(chart.input_value(".lift-chart [data-at]"))
    heads = chart.locator(".lift-table thead th").all_inner_texts()
    assert heads == list(dict.fromkeys(rows.panel))
    for line in chart.locator(".lift-table tbody tr").all():
        series, *cells = line.locator("th, td").all_inner_texts()
        for panel, cell in zip(heads, cells, strict=True):
            part = rows[(rows.panel == panel) & (rows.series == series) & (rows.eps == eps)]
            assert float(cell.split(" ")[0].replace("−", "-")) == pytest.approx(
                part["mean"].iloc[0], rel=1e-3, abs=1e-12
            )


@pytest.mark.slow  # axe takes its time
def test_screen_readers_and_dark_pages(chart):
    assert barriers(chart, "dark", within="#fig-e23-2", structure=False) == []
    assert barriers(chart, "light", within="#fig-e23-2") == []


def test_phones(chart):
    chart.set_viewport_size({"width": 390, "height": 800})
    chart.wait_for_timeout(300)
    assert chart.evaluate("document.documentElement.scrollWidth") <= 390
    widths = chart.evaluate(
        "[...document.querySelectorAll('.lift-view svg')].map(one => one.getBoundingClientRect().right)"
    )
    assert max(widths) <= 390
    chart.set_viewport_size({"width": 1300, "height": 900})


def test_paper_has_the_picture(chart):
    drawn = chart.locator("#fig-e23-2 a.lift-drawing")
    assert not drawn.is_visible()
    chart.emulate_media(media="print")
    assert drawn.is_visible()
    assert not chart.locator(".lift-chart").is_visible()
    chart.emulate_media(media="screen")
    chart.click("#fig-e23-2 .lift-explore")
    assert drawn.is_visible()
    assert not chart.locator(".lift-chart").is_visible()
    chart.click("#fig-e23-2 .lift-explore")


def test_every_figure_with_rows_can_be_drawn(browser, site):
    """Each of a page that has a frontier and a line of reference."""
    page = browser.new_context(viewport={"width": 1300, "height": 900}).new_page()
    said = []
    page.on("console", lambda one: said.append(one.text) if one.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{site}chapters/record-c22.html")
    buttons = page.locator(".lift-explore")
    assert buttons.count() == 2
    for number in range(2):
        buttons.nth(number).click()
    page.wait_for_function("document.querySelectorAll('.lift-chart[data-drawn]').length === 2")
    assert not said
    # a point of the frontier says its budget
    frontier = page.locator("#fig-c22-3 .lift-view")
    assert frontier.locator("g.mark-symbol path").count() > 2
    page.context.close()
