"""The rows of I21's figures against mechanisms run one at a time."""

import numpy as np
import pytest
from messages import raised
from point import drawn_joints, point

import liftlib as ll
from liftbook import figures
from liftbook.figures import i21
from liftlib.errors import InvalidParameter

JOINT = i21.EXAMPLE_1
SHARES = [0.1, 0.5, 1.0]


def test_figure_1_is_the_log_of_reduced_lifts():
    rows = figures.figure_i21_1(SHARES)
    lifts = ll.lift(JOINT)
    for share in SHARES:
        logs = np.log(1 + (1 - share) * (lifts - 1))
        log_lift = point(rows, series="exact", reduction=share, measure="log_lift")[
            "mean"
        ]
        assert log_lift == pytest.approx(np.abs(logs).max())
        ldp = (logs.max(axis=0) - logs.min(axis=0)).max()
        assert point(rows, series="exact", reduction=share, measure="ldp")[
            "mean"
        ] == pytest.approx(ldp)
        approximation = point(
            rows,
            series="(1 − θ) × before, eq. (6)",
            reduction=share,
            measure="log_lift",
        )["mean"]
        assert approximation == pytest.approx((1 - share) * np.abs(np.log(lifts)).max())


def test_figure_1_at_a_zero_cell():
    rows = figures.figure_i21_1([0.5, 1.0], joint=ll.Joint([[0.5, 0.0], [0.25, 0.25]]))
    half, whole = rows[rows["reduction"] == 0.5], rows[rows["reduction"] == 1.0]
    assert np.isinf(half[half["series"] != "exact"]["mean"]).all()
    assert np.isfinite(half[half["series"] == "exact"]["mean"]).all()
    np.testing.assert_allclose(whole["mean"], 0, atol=1e-15)


@pytest.mark.parametrize(
    "joint", [JOINT, ll.datasets.uniform_joint(3, 5, np.random.default_rng(2))]
)
def test_figures_2_and_4(joint):
    rows = figures.figure_i21_2(SHARES, joint=joint)
    assert rows.equals(figures.figure_i21_4(SHARES, joint=joint))
    for share in SHARES:
        moved = {
            "Markov, eq. (7)": share * (1 - (joint.p_x**2).sum()),
            "sees the secret": share * ll.measures.total_variation(joint),
        }
        for series, make in (
            ("Markov, eq. (7)", ll.mechanisms.linear_reduction),
            ("Markov, cheapest", ll.mechanisms.markov_reduction),
            ("sees the secret", ll.mechanisms.secret_aware_reduction),
        ):
            channel = make.at(joint, share)
            row = point(rows, series=series, reduction=share, measure="moved")
            assert row["mean"] == pytest.approx(
                moved.get(series, 1 - np.trace(channel.joint_xy(joint))), abs=1e-12
            )
            out = ll.evaluate(joint, channel)
            loss = point(
                rows, series=series, reduction=share, measure="information_loss"
            )["mean"]
            assert loss == pytest.approx(
                ll.measures.entropy(joint.p_x) - out.mutual_information, abs=1e-12
            )
            assert row["ldp"] == pytest.approx(out.ldp, abs=1e-9)
            assert row["log_lift"] == pytest.approx(out.lip, abs=1e-9)


def test_figure_3_takes_any_distortion():
    for power in (0.0, 1.0, 2.0):
        cost = i21.distance(4, power)
        assert cost[0, 3] == 3**power
        assert not cost.diagonal().any()
        rows = figures.figure_i21_3([0.4], distortion=cost)
        printed = 0.4 * JOINT.p_x @ cost @ JOINT.p_x
        assert point(rows, series="Markov, eq. (7)")["mean"] == pytest.approx(printed)
        for series, make in (
            ("Markov, cheapest", ll.mechanisms.markov_reduction),
            ("sees the secret", ll.mechanisms.secret_aware_reduction),
        ):
            paid = (make.at(JOINT, 0.4, distortion=cost).joint_xy(JOINT) * cost).sum()
            assert point(rows, series=series)["mean"] == pytest.approx(paid)
    assert figures.figure_i21_3([0.4]).equals(
        figures.figure_i21_3([0.4], distortion=i21.distance(4))
    )


def test_tradeoff_is_the_mean_over_joints(monkeypatch):
    monkeypatch.setenv("LIFT_JOBS", "1")
    rows = figures.reduction_tradeoff(4, [0.5, 20.0], 3, 6, rng=5)
    drawn = drawn_joints(4, 3, 6, 5)
    for eps in (0.5, 20.0):
        shares = [
            ll.calibrate(ll.mechanisms.linear_reduction, joint, ll.LIP(eps))
            for joint in drawn
        ]
        for series, make in (
            ("Markov, eq. (7)", ll.mechanisms.linear_reduction),
            ("sees the secret", ll.mechanisms.secret_aware_reduction),
        ):
            channels = [
                make.at(joint, share)
                for joint, share in zip(drawn, shares, strict=True)
            ]
            nmi = [
                ll.evaluate(joint, channel).nmi
                for joint, channel in zip(drawn, channels, strict=True)
            ]
            row = point(rows, series=series, eps=eps, measure="nmi")
            assert row["mean"] == pytest.approx(np.mean(nmi), abs=1e-7)
            assert row["std"] == pytest.approx(np.std(nmi, ddof=1), abs=1e-6)
            moved = [
                1 - np.trace(channel.joint_xy(joint))
                for joint, channel in zip(drawn, channels, strict=True)
            ]
            assert point(rows, series=series, eps=eps, measure="moved")[
                "mean"
            ] == pytest.approx(np.mean(moved), abs=1e-7)
        best = np.mean(
            [
                ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.LIP(eps))).nmi
                for joint in drawn
            ]
        )
        assert point(rows, series="optimal response", eps=eps, measure="nmi")[
            "mean"
        ] == pytest.approx(best)
    assert (
        rows[(rows["eps"] == 20.0) & (rows["measure"] == "nmi")]["mean"] > 1 - 1e-9
    ).all()
    assert set(rows[rows["measure"] == "moved"]["series"]) == set(i21.REDUCTIONS)


@pytest.mark.parametrize("values", [[], [-0.1], [np.nan], [1.1]])
def test_wrong_shares(values):
    for figure in (figures.figure_i21_1, figures.figure_i21_2, figures.figure_i21_3):
        with raised(InvalidParameter):
            figure(values)
