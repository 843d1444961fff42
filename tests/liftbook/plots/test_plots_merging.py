"""The drawings of subset merging and of the sets say what their rows say."""

import matplotlib as mpl
import numpy as np
import pandas as pd

from liftbook import figures, plots
from liftbook.figures.e23.convexity import ENDS, PRIOR

mpl.use("Agg")


def names(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_below_budget_draws_the_line_of_equality():
    ax = plots.below_budget(figures.figure_c22_1(5, [0.5, 1.0], 3, 6))
    assert names(ax) == ["Algorithm 1", "complete merging", "the budget ε"]
    line = ax.lines[-1]
    assert list(line.get_xdata()) == list(line.get_ydata()) == [0, 1.0]
    assert ax.get_ylim()[0] == 0
    assert "nats" in ax.get_xlabel()
    assert "nats" in ax.get_ylabel()


def test_frontier_has_a_point_and_a_number_for_each_budget():
    rows = figures.figure_c22_3(8, [0.5, 1.0, 1.5], 3, 6)
    ax = plots.frontier(rows)
    assert names(ax) == ["Algorithm 1", "complete merging"]
    assert [text.get_text() for text in ax.texts] == ["0.5", "1", "1.5"] * 2
    mean = rows[rows["series"] == "Algorithm 1"].pivot_table(index="eps", columns="measure", values="mean")
    np.testing.assert_allclose(ax.lines[0].get_xydata(), mean[["nmil", "leakage"]])


def test_lift_sets_mark_the_mixtures_that_are_not_allowed():
    rows = figures.lift_sets(resolution=40)
    axes = plots.lift_sets(rows, ENDS, PRIOR)
    crossed = [any(line.get_marker() == "X" for line in ax.lines) for ax in axes]
    assert crossed == [False, False, False, True, True, False]
    assert [ax.get_title(loc="left")[5:] for ax in axes] == [plots.label(name) for name in pd.unique(rows["measure"])]
    (legend,) = axes[0].figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {
        "two outputs, allowed",
        "merged, allowed",
        "merged, not allowed",
        "prior",
    }
