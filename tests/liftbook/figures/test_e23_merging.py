"""The figures' rows against mechanisms run one joint at a time."""

import numpy as np
import pytest
from messages import raised
from point import assert_means, drawn_joints, point

import liftlib as ll
from liftbook import figures
from liftbook.rows.tidy import summary
from liftlib.errors import InvalidParameter


@pytest.mark.parametrize(
    ("figure", "mechanism"),
    [
        (figures.figure_e23_2, ll.mechanisms.watchdog),
        (figures.figure_e23_6, ll.mechanisms.subset_merging),
    ],
)
@pytest.mark.parametrize("extend", [False, True])
def test_rows_are_means_over_joints(figure, mechanism, extend):
    rows = figure(30, [0.5, 3.0], [0.5], 3, 6, extend=extend, rng=4)
    drawn = drawn_joints(30, 3, 6, 4)
    for series, kind in (
        ("LDP", ll.LDP),
        ("ALIP, λ=0.5", lambda eps: ll.ALIP(eps / 2, eps / 2)),
    ):
        for eps in (0.5, 3.0):
            channels = [mechanism(joint, kind(eps), extend=extend) for joint in drawn]
            assert_means(rows, series, eps, drawn, channels)
            broken = np.mean(
                [
                    not kind(eps).is_satisfied(j, c)
                    for j, c in zip(drawn, channels, strict=True)
                ]
            )
            assert point(rows, series, eps, "broken")["mean"] == pytest.approx(broken)


@pytest.mark.parametrize(
    ("figure", "series"),
    [
        (figures.figure_e23_3, {"LDP", "ALIP, λ=0.35", "ALIP, λ=0.5", "ALIP, λ=0.65"}),
        (figures.figure_e23_7, {"LDP", "ALIP, λ=0.35", "ALIP, λ=0.5", "ALIP, λ=0.65"}),
        (
            figures.figure_e23_12,
            {"ALIP, λ=0.5", "ℓ1, λ=0.5", "ℓ1, λ=0.65", "χ², λ=0.5", "χ², λ=0.65"},
        ),
    ],
)
def test_figures_on_adult(figure, series):
    rows = figure([1.0, 2.0], leave_out=["Own-child"])
    assert set(rows["series"]) == series
    assert (rows["n"] == 1).all()
    assert rows["std"].isna().all()


def test_figures_take_another_joint():
    joint = ll.datasets.uniform_joint(3, 5, np.random.default_rng(0))
    rows = figures.figure_e23_3([2.0], [0.5], joint=joint)
    result = ll.evaluate(
        joint, ll.mechanisms.watchdog(joint, ll.LDP(2.0), extend=False)
    )
    assert point(rows, "LDP", 2.0, "nmi")["mean"] == pytest.approx(result.nmi)


def test_lift_based_figures_use_their_notions():
    merged = ll.mechanisms.subset_merging
    rows = figures.figure_e23_11(20, [1.5], [0.65], 3, 6, rng=1)
    drawn = drawn_joints(20, 3, 6, 1)
    for name, kind in (("ℓ1", ll.L1Lift), ("χ²", ll.Chi2Lift)):
        notion = kind(0.65 * 1.5, 0.35 * 1.5)
        channels = [merged(joint, notion, extend=False) for joint in drawn]
        assert_means(rows, f"{name}, λ=0.65", 1.5, drawn, channels)
    alpha = figures.figure_e23_13(20, [1.5], [2], 3, 6, rng=1)
    notion = ll.AlphaLift(2, 0.75, 0.75)
    channels = [merged(joint, notion, extend=False) for joint in drawn]
    assert_means(alpha, "α=2", 1.5, drawn, channels)


def test_histogram_covers_everything():
    rows = figures.figure_e23_1(50, 3, 6, 0.2, rng=2)
    values = np.log(
        ll.lift(
            ll.Joint(ll.datasets.uniform_joints(50, 3, 6, np.random.default_rng(2))[0])
        ).min(axis=0)
    )
    for measure, part in rows.groupby("measure"):
        assert part["probability"].sum() == pytest.approx(1), measure
        np.testing.assert_allclose(part["right"] - part["left"], 0.2)
        assert (
            part["left"].min()
            <= part["least"].iloc[0]
            <= part["largest"].iloc[0]
            <= part["right"].max() + 1e-12
        )
    low = rows[rows["measure"] == "log_min_lift"]
    assert low["least"].iloc[0] <= values.min()


def test_summary_refuses_nan_and_has_no_spread_at_infinity():
    with raised(InvalidParameter):
        summary({"nmi": np.array([0.0, np.nan])}, eps=2)
    (row,) = summary({"leak": np.array([1.0, np.inf])}, eps=2)
    assert row["mean"] == np.inf
    assert np.isnan(row["std"])
