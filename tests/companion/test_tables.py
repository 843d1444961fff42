"""Tables of pandas as a page shows them, read by another parser."""

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from companion.outputs.tables import readable

FRAME = pd.DataFrame(
    {
        "share": [0.5, float("inf")],
        "says": ["a < b", "keeps 1 of 2"],
        "mixed": ["none", "2.5"],
    },
    index=pd.Index(["one", "two"], name="way"),
)


def cells_of_rows(page):
    return [
        [cell.get_text() for cell in row.find_all(["td", "th"])]
        for row in BeautifulSoup(page, "html.parser").find_all("tr")
    ]


def words(page):
    soup = BeautifulSoup(page, "html.parser")
    return {cell.get_text() for cell in soup.find_all(class_="companion-words")}


@pytest.mark.parametrize(
    "made",
    [FRAME._repr_html_(), FRAME.style.format(precision=1).to_html()],
    ids=["frame", "styled"],
)
def test_one_line_of_headings_and_words_at_the_left(made):
    page = readable(made)
    before, after = cells_of_rows(made), cells_of_rows(page)
    assert [one.strip() for one in after[0]] == ["way", "share", "says", "mixed"]
    assert after[1:] == before[2:]
    assert words(page) == {"way", "one", "two", "says", "a < b", "keeps 1 of 2"}
    assert not [
        head
        for head in BeautifulSoup(page, "html.parser").find_all("th")
        if not head.get_text(strip=True)
    ]


def test_only_long_words_keep_a_width_on_a_phone():
    frame = pd.DataFrame(
        {"label": ["the 20s or the 30s", "the 50s"], "is": ["safe", "risky"]}
    )
    soup = BeautifulSoup(readable(frame._repr_html_()), "html.parser")
    long = {cell.get_text() for cell in soup.find_all(class_="companion-long")}
    assert long == {"label", "the 20s or the 30s", "the 50s"}


def test_several_keys_of_which_none_is_repeated():
    frame = pd.DataFrame(
        {"kept": [1.0, 2.0]},
        index=pd.MultiIndex.from_tuples(
            [("a", "b"), ("c", "d")], names=["tail", "head"]
        ),
    )
    page = readable(frame._repr_html_())
    assert cells_of_rows(page) == [
        ["tail", "head", "kept"],
        ["a", "b", "1.0"],
        ["c", "d", "2.0"],
    ]


@pytest.mark.parametrize(
    "frame",
    [
        FRAME.set_index("says", append=True).loc[["one", "one"]],  # a key over two rows
        pd.DataFrame(
            [[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])
        ),
        FRAME.iloc[:0],
        pd.DataFrame(),
    ],
)
def test_what_is_not_plain_is_left(frame):
    made = frame._repr_html_()
    assert cells_of_rows(readable(made)) == cells_of_rows(made)
    assert not words(readable(made))


def test_other_html_stays():
    assert readable("<p>no table</p>") == "<p>no table</p>"
    two = FRAME._repr_html_() * 2
    assert cells_of_rows(readable(two)) == cells_of_rows(two)
