"""The rows of the open questions against mechanisms run one at a time."""

import numpy as np
import pytest
from point import drawn_joints, point

import liftlib as ll
from liftbook import figures
from liftbook.figures import open_questions
from liftbook.relatives.bounded_reduction import bounded_reduction


def value(rows, **keys):
    return point(rows, **keys)["mean"]


@pytest.fixture(autouse=True)
def one_worker(monkeypatch):
    monkeypatch.setenv("LIFT_JOBS", "1")


def test_partition_gap():
    rows = figures.partition_gap(5, [0.2, 0.8], 3, 6, rng=4)
    for eps in (0.2, 0.8):
        for series, make in (
            ("greedy (C22 Algorithm 1)", ll.mechanisms.subset_merging),
            ("best partition", ll.mechanisms.best_partition),
            ("optimal response", ll.mechanisms.optimal),
        ):
            nmil = [
                ll.evaluate(joint, make(joint, ll.LIP(eps))).nmil
                for joint in drawn_joints(5, 3, 6, 4)
            ]
            assert value(rows, series=series, eps=eps) == pytest.approx(
                np.mean(nmil), abs=1e-12
            )
    table = rows.pivot_table(index="eps", columns="series", values="mean")
    assert (table["best partition"] <= table["greedy (C22 Algorithm 1)"] + 1e-12).all()
    assert (table["optimal response"] <= table["best partition"] + 1e-9).all()


def test_alpha_lifts_have_half_of_the_budget_on_each_side(monkeypatch):
    asked = []

    def optimum(joint, notion):
        asked.append(notion)
        return ll.mechanisms.optimal(joint, notion)

    monkeypatch.setattr(open_questions, "optimal_response", optimum)
    figures.alpha_lift_optimum(1, [0.6], [2.0], 3, 4)
    assert asked == [ll.AlphaLift(2.0, 0.3, 0.3), ll.LIP(0.3)]


def test_alpha_lift_optimum():
    rows = figures.alpha_lift_optimum(3, [0.6, 2.0], [2.0], 3, 6, rng=4)
    for eps in (0.6, 2.0):
        notion = ll.AlphaLift(2, eps / 2, eps / 2)
        drawn = drawn_joints(3, 3, 6, 4)
        merged = np.mean(
            [
                ll.evaluate(joint, ll.mechanisms.subset_merging(joint, notion)).nmi
                for joint in drawn
            ]
        )
        assert value(rows, series="merging, α=2", eps=eps) == pytest.approx(merged)
        found = [ll.mechanisms.optimal(joint, notion) for joint in drawn]
        nmi = np.mean(
            [ll.evaluate(joint, b).nmi for joint, b in zip(drawn, found, strict=True)]
        )
        assert value(
            rows, series="optimum, α=2", eps=eps, measure="nmi"
        ) == pytest.approx(nmi)
        assert 0 <= value(rows, series="optimum, α=2", eps=eps, measure="gap") <= 1e-6
        alip = np.mean(
            [
                ll.evaluate(joint, ll.mechanisms.optimal(joint, ll.LIP(eps / 2))).nmi
                for joint in drawn
            ]
        )
        assert value(rows, series="optimum, ALIP", eps=eps) == pytest.approx(alip)
        assert nmi >= max(merged, alip) - 1e-3


def test_extreme_lifts():
    rows = figures.extreme_lifts(4, [2, 5], 6, 0.4, rng=4)
    source = np.random.default_rng(4)
    for n_secret in (2, 5):
        drawn = drawn_joints(4, n_secret, 6, source)
        shares = {"extreme lifts": [], "the same log-lift": []}
        for joint in drawn:
            whole = 0.4 * ll.measures.total_variation(joint)
            eps = ll.LIP(0).leakage(
                joint, ll.mechanisms.linear_reduction.at(joint, 0.4)
            )
            least = bounded_reduction(joint, np.exp(-eps), np.exp(eps))
            for name, channel in zip(
                shares,
                (ll.mechanisms.extreme_reduction.at(joint, 0.4), least),
                strict=True,
            ):
                shares[name].append((1 - np.trace(channel.joint_xy(joint))) / whole)
        for name, expected in shares.items():
            assert value(rows, series=name, n_secret=n_secret) == pytest.approx(
                np.mean(expected), abs=1e-7
            )
        assert value(
            rows, series="every lift, eq. (3)", n_secret=n_secret
        ) == pytest.approx(1)


def test_robust_surveys_one_by_one():
    rows = figures.robust_surveys(1, [200], [0, 2], 2, 4, 0.3, rng=9)
    rng = np.random.default_rng(
        int(np.random.default_rng(9).integers(2**63, size=1)[0])
    )
    truth = ll.datasets.dirichlet_joint(2, 4, 1.0, rng)
    counts = rng.multinomial(200, truth.p.ravel()) + 0.5
    others = [ll.Joint(p) for p in rng.dirichlet(counts, size=2).reshape(2, 2, 4)]
    estimate = ll.Joint.from_counts(counts.reshape(2, 4))
    channel = ll.mechanisms.robust(estimate, ll.LIP(0.3), others=others)
    assert value(rows, series="and 2 others", measure="lip") == pytest.approx(
        ll.LIP(0).leakage(truth, channel)
    )
    alone = ll.mechanisms.optimal(estimate, ll.LIP(0.3))
    assert value(rows, series="the estimate alone", measure="nmi") == pytest.approx(
        ll.evaluate(truth, alone).nmi, abs=1e-9
    )
