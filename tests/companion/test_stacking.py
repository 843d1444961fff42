"""Panels keep their rows on a page of any width."""

from bs4 import BeautifulSoup

from companion.outputs.stacking import drawing


def test_a_legend_over_several_panels_has_a_row_of_its_own():
    legend, right, left = [20, 0, 60, 8], [50, 10, 49, 40], [0, 15, 45, 35]
    page = BeautifulSoup(
        drawing("a.svg", "", [100, 50], [legend, right, left]), "html.parser"
    )
    pieces = page.select_one("[role=img]").find_all(recursive=False)
    # together the legend and a panel are no wider than the figure
    assert [piece.name for piece in pieces] == ["svg", "i", "svg", "svg"]
    assert "flex: 0 0 100%" in pieces[1]["style"]


def test_a_last_panel_that_is_alone_ends_the_figure():
    boxes = [[0, 0, 45, 20], [55, 0, 45, 20], [0, 25, 45, 20]]
    page = BeautifulSoup(drawing("a.svg", "", [100, 50], boxes), "html.parser")
    assert not page.select("i")
