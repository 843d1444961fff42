"""The grid of the six measures against the definitions in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from messages import raised

from liftbook import figures
from liftbook.figures.e23.convexity import ENDS, PRIOR
from liftlib.errors import InvalidParameter

NAMES = [
    "l1_lift",
    "chi2_lift",
    "alpha_lift",
    "l1_lift_inverse",
    "chi2_lift_inverse",
    "alpha_lift_inverse",
]


def by_definition(name, column, prior, alpha):
    values = [1 / v for v in column] if name.endswith("inverse") else column
    if name.startswith("l1"):
        return sum(p * abs(v - 1) for p, v in zip(prior, values, strict=True))
    if name.startswith("chi2"):
        return sum(p * (v - 1) ** 2 for p, v in zip(prior, values, strict=True))
    return sum(p * v**alpha for p, v in zip(prior, values, strict=True)) ** (1 / alpha)


def test_values_are_those_of_the_definitions():
    prior, ends = (0.2, 0.3, 0.5), ((0.1, 0.5, 0.4), (0.3, 0.3, 0.4))
    rows = figures.lift_sets(prior, ends, alpha=3, resolution=12, largest=0.9)
    assert list(dict.fromkeys(rows["measure"])) == NAMES
    middle = [(a + b) / 2 for a, b in zip(*ends, strict=True)]
    for row in rows.itertuples():
        posterior = (row.s1, row.s2, 1 - row.s1 - row.s2)
        column = [v / p for v, p in zip(posterior, prior, strict=True)]
        assert row.value == pytest.approx(by_definition(row.measure, column, prior, 3))
    for name, part in rows.groupby("measure"):
        on_chord = [
            by_definition(
                name, [v / p for v, p in zip(point, prior, strict=True)], prior, 3
            )
            for point in (*ends, middle)
        ]
        assert part["level"].unique() == pytest.approx([max(on_chord[:2])])
        assert part["middle"].unique() == pytest.approx([on_chord[2]])


def test_grid_stays_inside_the_simplex():
    rows = figures.lift_sets(resolution=10, largest=1)
    part = rows[rows["measure"] == "l1_lift"]
    assert (part[["s1", "s2"]] > 0).all().all()
    assert (part["s1"] + part["s2"] < 1).all()
    # the midpoints of ten by ten cells, less those on or beyond the diagonal
    assert len(part) == 45
    half = figures.lift_sets(resolution=10, largest=0.3)
    assert half["s1"].max() == pytest.approx(0.285)


def test_the_chapters_chord_leaves_two_sets():
    prior = [Fraction(1, 20), Fraction(1, 20), Fraction(9, 10)]
    ends = [[Fraction(n, 100) for n in end] for end in ((19, 5, 76), (5, 19, 76))]
    middle = [(a + b) / 2 for a, b in zip(*ends, strict=True)]
    assert [[float(v) for v in end] for end in ends] == [list(end) for end in ENDS]
    assert [float(v) for v in prior] == list(PRIOR)
    rows = (
        figures.lift_sets(resolution=4).groupby("measure")[["level", "middle"]].first()
    )
    for name in ("l1_lift", "chi2_lift", "l1_lift_inverse", "chi2_lift_inverse"):
        exact = [
            by_definition(
                name, [v / p for v, p in zip(point, prior, strict=True)], prior, None
            )
            for point in (*ends, middle)
        ]
        assert exact[0] == exact[1]
        assert (exact[2] > exact[0]) == name.endswith("inverse")
        assert rows.loc[name].tolist() == pytest.approx(
            [float(exact[0]), float(exact[2])], rel=1e-12
        )
        if name == "l1_lift_inverse":
            assert exact[2] - exact[0] == Fraction(49, 2280)
    assert (
        rows.loc["alpha_lift_inverse", "middle"]
        < rows.loc["alpha_lift_inverse", "level"]
    )


def test_an_end_that_rules_a_secret_out_has_infinite_inverses():
    rows = figures.lift_sets(
        (0.2, 0.3, 0.5), ((0.0, 0.5, 0.5), (0.4, 0.1, 0.5)), resolution=4
    )
    levels = rows.groupby("measure")["level"].first()
    assert [name for name in NAMES if np.isinf(levels[name])] == NAMES[3:]


@pytest.mark.parametrize(
    ("prior", "ends"),
    [
        ((0.5, 0.5), ENDS),
        ((0.2, 0.2, 0.7), ENDS),
        ((0.0, 0.3, 0.7), ENDS),
        ((np.nan, 0.3, 0.7), ENDS),
        (PRIOR, ENDS[:1]),
        (PRIOR, ((0.2, 0.2, 0.7), ENDS[1])),
        (PRIOR, ((-0.2, 0.2, 1.0), ENDS[1])),
    ],
)
def test_refuses_what_is_no_distribution_of_three(prior, ends):
    with raised(InvalidParameter):
        figures.lift_sets(prior, ends)


@pytest.mark.parametrize("alpha", [1, 0.5, np.nan])
def test_refuses_orders_up_to_one(alpha):
    with raised(InvalidParameter):
        figures.lift_measures(alpha)
