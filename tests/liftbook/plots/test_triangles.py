"""What is drawn is what was given: polygons, marks, scales and panels."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

from liftbook import plots
from liftbook.plots.triangles import CORNERS
from liftlib.errors import InvalidParameter


def rows(measures):
    return pd.DataFrame(
        {"series": "a", "eps": eps, "measure": measure, "mean": 10.0**eps, "std": 20.0, "n": 3}
        for measure in measures
        for eps in (-2.0, 0.0, 2.0)
    )


def test_polygon_has_its_corners_in_order():
    square = np.array([[0.2, 0.2, 0.6], [0.4, 0.4, 0.2], [0.4, 0.2, 0.4], [0.2, 0.4, 0.4]])
    ax = plots.simplex({"square": square}, centre=[0.3, 0.3, 0.4], chosen=square[:2], weights=[0.25, 0.75])
    polygon = next(patch for patch in ax.patches if patch.get_label() == "square").get_xy()[:-1]
    assert {tuple(v) for v in polygon.round(12)} == {tuple(v) for v in (square @ CORNERS).round(12)}
    edges = np.diff(np.concatenate([polygon, polygon[:2]]), axis=0)
    turns = edges[:-1, 0] * edges[1:, 1] - edges[:-1, 1] * edges[1:, 0]
    assert (turns > 0).all()  # convex, counter-clockwise
    sizes = ax.collections[-1].get_sizes()
    assert sizes[1] > sizes[0]
    assert {text.get_text() for text in ax.texts} == {"a", "b", "c"}


def test_simplex_is_for_three_symbols():
    with pytest.raises(InvalidParameter, match=r"wide has shape \(2, 4\): give a row of three probabilities"):
        plots.simplex({"wide": np.full((2, 4), 0.25)})


def test_seconds_and_vertices_span_decades():
    for measure in ("seconds", "vertices"):
        ax = plots.curves(rows([measure]), measure)
        assert ax.get_yscale() == "log"
        low, high = ax.get_ylim()
        assert 0 < low < 0.01
        assert high > 100
    assert plots.curves(rows(["min_lift_leakage"]), "min_lift_leakage").get_yscale() == "linear"


def test_a_band_spans_the_quantiles():
    ax = plots.curves(
        rows(["vertices"]).assign(low=lambda part: part["mean"] / 2, high=lambda part: 3 * part["mean"]), "vertices"
    )
    (band,) = [found for found in ax.collections if len(found.get_paths())]
    edge = band.get_paths()[0].vertices[:, 1]
    assert (edge.min(), edge.max()) == (pytest.approx(0.005), pytest.approx(300))
