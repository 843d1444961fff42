"""C22's figures against mechanisms run one at a time, and its Example 1."""

import inspect

import numpy as np
import pytest
from messages import raised
from point import drawn_joints

import liftlib as ll
from liftbook import figures
from liftbook.figures import c22
from liftbook.rows.making import C22_EPSILONS
from liftlib.errors import InvalidParameter

EPSILONS = (0.3, 1.2, 2.5)


DRAWN = drawn_joints(40, 3, 6, 4)


def by_subsets(joint, channel, eps):
    """C22 eqs. (2), (4) and (8) from the definitions, one subset of symbols
    at a time.
    """
    high = set(np.flatnonzero(ll.high_risk(joint, ll.LIP(eps))))
    risks, of_high = [], []
    for group in channel.partition:
        mass = joint.p[:, list(group)].sum(axis=1)
        risk = max(
            abs(np.log(m / mass.sum() / q))
            for m, q in zip(mass, joint.p_s, strict=True)
        )
        risks.append(risk)
        if high & set(group):
            of_high.append(risk)
    merged = [joint.p_x[list(group)].sum() for group in channel.partition]
    nmil = 1 - ll.measures.entropy(np.array(merged)) / ll.measures.entropy(joint.p_x)
    return {
        "nmil": nmil,
        "leakage": max(risks),
        "high_risk_leakage": max(of_high, default=None),
    }


@pytest.mark.parametrize("extend", [False, True])
@pytest.mark.parametrize(
    ("figure", "measures"),
    [
        (figures.figure_c22_1, ["high_risk_leakage"]),
        (figures.figure_c22_2, ["nmil"]),
        (figures.figure_c22_3, ["nmil", "leakage"]),
    ],
)
def test_rows_are_means_over_joints(figure, measures, extend):
    rows = figure(40, EPSILONS, 3, 6, extend=extend, rng=4)
    assert set(rows["series"]) == {"C22 Algorithm 1", "complete merging"}
    assert set(rows["measure"]) == set(measures)
    for series, mechanism in (
        ("C22 Algorithm 1", ll.mechanisms.subset_merging),
        ("complete merging", ll.mechanisms.watchdog),
    ):
        for eps in EPSILONS:
            found = [
                by_subsets(joint, mechanism(joint, ll.LIP(eps), extend=extend), eps)
                for joint in DRAWN
            ]
            for measure in measures:
                values = [one[measure] for one in found if one[measure] is not None]
                (row,) = rows[
                    (rows["series"] == series)
                    & (rows["eps"] == eps)
                    & (rows["measure"] == measure)
                ].itertuples()
                assert row.n == len(values)
                assert row.mean == pytest.approx(np.mean(values), abs=1e-12)
                assert row.std == pytest.approx(np.std(values, ddof=1), abs=1e-12)


def test_joints_without_high_risk_are_left_out_of_figure_1():
    without = sum(not ll.high_risk(joint, ll.LIP(2.5)).any() for joint in DRAWN)
    assert 0 < without < 40
    rows = figures.figure_c22_1(40, [2.5], 3, 6, rng=4)
    assert (rows["n"] == 40 - without).all()
    none = figures.figure_c22_1(40, [2.5, 30], 3, 6, rng=4)
    assert none.equals(rows)  # no row where no joint has a symbol of high risk
    assert (figures.figure_c22_3(40, [30], 3, 6, rng=4)["n"] == 40).all()
    empty = figures.figure_c22_1(40, [30], 3, 6, rng=4)
    assert empty.empty
    assert list(empty.columns) == list(rows.columns)


def test_a_merge_of_everything_leaks_nothing():
    p = ll.datasets.uniform_joints(5, 3, 6, np.random.default_rng(0))
    found = figures.merged_risks(p, np.zeros((5, 6), dtype=int), 0.1)
    assert found["leakage"] == pytest.approx(np.zeros(5), abs=1e-12)
    assert found["nmil"] == pytest.approx(np.ones(5))
    same = figures.merged_risks(p, np.tile(np.arange(6), (5, 1)), 0.1)
    assert same["nmil"] == pytest.approx(np.zeros(5), abs=1e-12)


def test_a_group_may_be_named_by_a_low_risk_symbol():
    joint = ll.Joint.from_counts([[10, 30, 20, 40], [10, 5, 20, 65]])
    assert ll.high_risk(joint, ll.LIP(0.4)).tolist() == [False, True, False, False]
    merged = by_subsets(joint, ll.Channel.merge([(0, 1), (2,), (3,)], 4), 0.4)
    found = figures.merged_risks(joint.p[None], np.array([[0, 0, 2, 3]]), 0.4)
    assert found["high_risk_leakage"] == pytest.approx([merged["high_risk_leakage"]])
    assert found["high_risk_leakage"] > found["leakage"] / 2
    alone = figures.merged_risks(joint.p[None], np.array([[0, 1, 2, 3]]), 0.4)
    assert alone["leakage"] == alone["high_risk_leakage"]
    # {0, 2} holds none and leaks the least
    other = figures.merged_risks(joint.p[None], np.array([[0, 1, 0, 1]]), 0.4)
    assert other["high_risk_leakage"] == pytest.approx([direct_risk(joint, [1, 3])])


def direct_risk(joint, group):
    mass = joint.p[:, group].sum(axis=1)
    return np.abs(np.log(mass / mass.sum() / joint.p_s)).max()


def test_a_zero_cell_leaks_without_bound():
    p = np.array([[[0.0, 0.3, 0.2], [0.2, 0.2, 0.1]]])
    found = figures.merged_risks(p, np.array([[0, 1, 2]]), 1.0)
    assert found["leakage"] == [np.inf]
    assert found["high_risk_leakage"] == [np.inf]
    merged = figures.merged_risks(p, np.array([[0, 0, 2]]), 1.0)
    assert np.isfinite(merged["leakage"]).all()


def test_defaults_are_the_papers_scale():
    assert C22_EPSILONS == (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5)
    for figure in (figures.figure_c22_1, figures.figure_c22_2, figures.figure_c22_3):
        parameters = inspect.signature(figure).parameters.values()
        defaults = [p.default for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        assert defaults == [1000, C22_EPSILONS, 13, 20]


class TestExample1:
    def test_has_every_printed_number(self):
        joint = figures.example_c22_1()
        lifts = joint.p / np.outer(joint.p.sum(axis=1), joint.p.sum(axis=0))
        assert np.abs(np.log(lifts)).max(axis=0) == pytest.approx(
            [1.3515, 1.6458, 0.9295, 0.8161, 0.2608], abs=5e-5
        )
        assert -(joint.p_x * np.log(joint.p_x)).sum() == pytest.approx(1.6034, abs=5e-5)
        others = joint.p[:, :4].sum(axis=1)
        assert np.abs(np.log(others / others.sum() / joint.p_s)).max() == pytest.approx(
            0.0627, abs=5e-5
        )
        masses = np.array([others.sum(), joint.p_x[4]])
        assert -(masses * np.log(masses)).sum() == pytest.approx(0.5269, abs=5e-5)

    def test_says_so_where_no_joint_has_them(self, monkeypatch):
        # x5's risk of 0.2608 allows less than 0.1
        monkeypatch.setattr(c22, "EXAMPLE_MERGED_RISK", 0.5)
        with raised(InvalidParameter):
            figures.example_c22_1()
