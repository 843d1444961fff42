"""The slider of *For the population* in Chromium."""

import re

import numpy as np
import pandas as pd
import pytest
from alone import alone

from liftbook.build.sphinx.pictures import BOTTOM, LEFT, NAT, designs_in_page
from liftbook.figures.population.plane import DESIGNS, SIZES, designs_in_plane
from liftbook.figures.stored import LONG

ROWS = pd.read_csv(LONG["designs_in_plane"].path)
FIGURE = (
    '<figure id="fig-it"><a class="companion-drawing"'
    ' href="#">drawn</a><figcaption>Designs.</figcaption></figure>'
)


def test_stored_rows_are_computed_again():
    again = designs_in_plane([3_000], 5)
    stored = ROWS[(ROWS["rows"] == 3_000) & (ROWS["table"] < 5)].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, stored, rtol=1e-6)


def test_only_designs_for_the_population_satisfy_the_notion_at_every_size():
    worst = ROWS.assign(worst=ROWS[["fall", "rise"]].max(axis=1)).pivot_table(
        "worst", "rows", "design", "max"
    )
    assert tuple(worst.index) == SIZES
    assert (worst[DESIGNS[1]] <= 0.5).all()
    assert (worst[DESIGNS[0]] > 0.5).all()
    assert worst[DESIGNS[0]].is_monotonic_decreasing


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("dark", [False, True])
def test_every_size_is_reached_by_keyboard(browser, tmp_path, dark):
    (tmp_path / "page.html").write_text(
        alone(FIGURE + designs_in_page("fig-it"), dark), "utf-8"
    )
    page = browser.new_page(
        viewport={"width": 390, "height": 800}, reduced_motion="reduce"
    )
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator("#fig-it svg").bounding_box()["width"] <= 390
    assert not page.locator(".companion-drawing").is_visible()
    slider = page.get_by_role("slider", name="Rows of each table")
    assert slider.get_attribute("aria-valuetext") == "1,000 rows"
    slider.press("Home")
    for rows in SIZES:
        assert slider.get_attribute("aria-valuetext") == f"{rows:,} rows"
        said = [
            int(count)
            for count in re.findall(r"(\d+) of 100", page.inner_text("[role=status]"))
        ]
        for at, design in enumerate(DESIGNS):
            stored = ROWS[(ROWS["rows"] == rows) & (ROWS["design"] == design)][
                ["fall", "rise"]
            ].to_numpy()
            assert said[at] == (stored.max(axis=1) <= 0.5).sum()
            moved = page.locator(f".lift-design-{at} path").evaluate_all(
                "all => all.map(one => one.style.transform)"
            )
            drawn = np.array(
                [[float(one) for one in re.findall(r"[\d.]+", text)] for text in moved]
            )
            assert np.allclose(
                (drawn - [LEFT, BOTTOM]) / [NAT, -NAT], stored, atol=6e-4
            )
        slider.press("ArrowRight")
    page.emulate_media(media="print")
    assert page.locator(".companion-drawing").is_visible()
    assert not slider.is_visible()
    page.emulate_media(media="screen")
    page.evaluate("document.dispatchEvent(new Event('companion-run-begins'))")
    assert page.locator(".companion-drawing").is_visible()
    assert not slider.is_visible()
    page.close()


@pytest.mark.browser
@pytest.mark.xdist_group("browser")
def test_without_scripts_there_is_the_figure(browser, tmp_path):
    (tmp_path / "page.html").write_text(
        alone(FIGURE + designs_in_page("fig-it"), False), "utf-8"
    )
    page = browser.new_page(java_script_enabled=False)
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator(".companion-drawing").is_visible()
    assert not page.locator(".lift-designs").is_visible()
    page.close()
