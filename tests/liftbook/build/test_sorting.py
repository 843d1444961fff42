"""A table that a reader sorts, in a browser."""

from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "_static" / "sorting.js"
TABLE = """<table class="sortable">
<thead><tr><th>name</th><th>kept</th></tr></thead>
<tbody><tr><td>b</td><td>0.5</td></tr><tr><td>c</td><td></td></tr>
<tr><td>a</td><td>10</td></tr><tr><td>d</td><td>-1</td></tr></tbody></table>
<table id="other">
<thead><tr><th>x</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>"""


@pytest.fixture
def table_shown(page):
    page.set_content(TABLE)
    page.add_script_tag(path=str(SCRIPT))
    return page.locator("table.sortable")


def names_in_order(table_shown):
    return "".join(table_shown.locator("tbody td:first-child").all_inner_texts())


def test_numbers_largest_first_and_gaps_last(table_shown):
    head = table_shown.locator("th").nth(1)
    assert names_in_order(table_shown) == "bcad"
    head.locator("button").click()
    assert (names_in_order(table_shown), head.get_attribute("aria-sort")) == (
        "abdc",
        "descending",
    )
    head.locator("button").click()
    assert (names_in_order(table_shown), head.get_attribute("aria-sort")) == (
        "dbac",
        "ascending",
    )


def test_words_by_keys_and_one_column_at_a_time(table_shown, page):
    table_shown.locator("th button").nth(1).click()
    table_shown.locator("th button").first.focus()
    page.keyboard.press("Enter")
    assert names_in_order(table_shown) == "abcd"
    assert table_shown.locator("th[aria-sort]").count() == 1
    assert table_shown.locator("th").first.get_attribute("scope") == "col"


def test_other_tables_are_left(table_shown, page):
    assert page.locator("#other button").count() == 0
