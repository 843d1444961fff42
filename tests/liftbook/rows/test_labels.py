"""Merging many joint distributions at once, against one at a time."""

from fractions import Fraction

import numpy as np
import pytest
from algorithm_1 import algorithm_1
from merged_notions import NOTIONS

from liftbook.figures.e23.merging import ALIPWithRisk
from liftbook.rows.batch import Batch
from liftbook.rows.labels import _grown, merge_labels, watchdog_labels
from liftlib import ALIP, LDP, LIP, InvalidParameter, Joint, high_risk
from liftlib.merging.subset_merging import subset_merging
from liftlib.merging.watchdog import watchdog


def awkward_joints(n=30):
    """120 joint distributions, shape (4 n, 4, 10).

    No counts: on small whole numbers, different unions have exactly the same risk, and rounding decides between them.
    """
    rng = np.random.default_rng(0)
    uniform = rng.random((n, 4, 10))
    skewed = rng.dirichlet(np.full(40, 0.3), size=n).reshape(n, 4, 10) + 1e-12
    zeros = rng.random((n, 4, 10)) * (rng.random((n, 4, 10)) < 0.7)
    zeros[:, 0] += zeros.sum(axis=1) == 0
    zeros[:, :, 0] += zeros.sum(axis=2) == 0
    copies = rng.random((n, 4, 10))
    copies[:, :, 1::2] = copies[:, :, ::2]
    p = np.concatenate([uniform, skewed, zeros, copies])
    return p / p.sum(axis=(1, 2), keepdims=True)


def partition_of(labels, order):
    """The partition that labels stand for."""
    groups = [g for g in order.tolist() if g >= 0]
    low = [x for x in range(labels.size) if labels[x] == x and x not in groups]
    return (*((x,) for x in low), *(tuple(np.flatnonzero(labels == g).tolist()) for g in groups))


@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
@pytest.mark.parametrize("extend", [True, False])
def test_each_of_120_joints_has_the_partition_of_the_readable_version(notion, extend):
    p = awkward_joints()
    labels, order = merge_labels(p, notion, extend=extend)
    for one, its_labels, its_order in zip(p, labels, order, strict=True):
        expected = subset_merging(Joint(one), notion, extend=extend).partition
        assert partition_of(its_labels, its_order) == expected


@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
@pytest.mark.parametrize("extend", [True, False])
def test_the_watchdog_merges_the_same_symbols(notion, extend):
    p = awkward_joints()
    labels = watchdog_labels(p, notion, extend=extend)
    for one, its_labels in zip(p, labels, strict=True):
        groups = {tuple(np.flatnonzero(its_labels == g).tolist()) for g in np.unique(its_labels)}
        assert set(watchdog(Joint(one), notion, extend=extend).partition) == groups


@pytest.mark.parametrize("shape", [(1, 4), (5, 1), (2, 2), (12, 40)])
def test_other_shapes(shape):
    p = np.random.default_rng(1).dirichlet(np.ones(shape[0] * shape[1]), size=20).reshape(20, *shape)
    for notion in NOTIONS:
        labels, order = merge_labels(p, notion)
        for n, one in enumerate(p):
            assert partition_of(labels[n], order[n]) == subset_merging(Joint(one), notion).partition


@pytest.mark.parametrize("risk", ["standard", "printed"])
@pytest.mark.parametrize("loop", ["standard", "printed"])
@pytest.mark.parametrize("lam", [0.35, 0.5, 0.65])
def test_each_reading_of_algorithm_1(risk, loop, lam):
    rng = np.random.default_rng(2)
    for eps in (0.3, 1, 2):
        p = rng.dirichlet(np.ones(30), size=60).reshape(60, 3, 10)
        notion = ALIP.split(eps, lam)
        labels, order = merge_labels(p, ALIPWithRisk(notion, "Λ + Ψ") if risk == "printed" else notion, loop=loop)
        for n, one in enumerate(p):
            low, subsets = algorithm_1(one.tolist(), notion, risk, loop)
            assert partition_of(labels[n], order[n]) == (*((x,) for x in low), *subsets)


@pytest.mark.parametrize("notion", [LIP(0.5), LDP(1)], ids=str)
def test_the_printed_loop_under_other_notions(notion):
    p = np.random.default_rng(3).dirichlet(np.ones(27), size=100).reshape(100, 3, 9)
    for extend in (True, False):
        labels, order = merge_labels(p, notion, loop="printed", extend=extend)
        for n, one in enumerate(p):
            low, subsets = algorithm_1(one.tolist(), notion, loop="printed", extend=extend)
            assert partition_of(labels[n], order[n]) == (*((x,) for x in low), *subsets)


def test_the_printed_loop_is_complete_merging_where_that_is_private():
    """Line 4 stops at once if the high-risk symbols, merged, satisfy the notion."""
    p = np.random.default_rng(8).random((300, 5, 17))
    p /= p.sum(axis=(1, 2), keepdims=True)
    for notion in (ALIP.split(1, 0.5), LDP(1), LIP(0.5)):
        labels, order = merge_labels(p, notion, loop="printed", extend=False)
        same = 0
        for n, one in enumerate(map(Joint, p)):
            complete = watchdog(one, notion, extend=False)
            if notion.is_satisfied(one, complete):
                assert sorted(partition_of(labels[n], order[n])) == sorted(complete.partition)
                same += 1
        assert same > 250


def test_refuses_another_loop():
    with pytest.raises(InvalidParameter, match=r'^loop is None: give "standard" or "printed"$'):
        merge_labels(np.full((1, 2, 2), 0.25), LIP(1), loop=None)


def exact_lifts(p, group):
    prior = [sum(map(Fraction, row)) for row in p]
    mass = [sum(Fraction(row[x]) for x in group) for row in p]
    return [m / sum(mass) / q * sum(prior) for m, q in zip(mass, prior, strict=True)]


def exact_risk(notion, p, group):
    """Omega of E23 section 4.1 in fractions, with the largest lift where infinite."""
    lifts = exact_lifts(p, group)
    if min(lifts) == 0:
        return (np.inf, float(max(lifts)))
    if isinstance(notion, ALIP):
        return (float(max(lifts) + 1 / min(lifts)), 0.0)
    if isinstance(notion, LDP):
        return (float(max(lifts) / min(lifts)), 0.0)
    return (float(max(*lifts, 1 / min(lifts))), 0.0)


def made_greedily(notion, p, held, rest, free):
    """Whether a group results from always adding a symbol of nearly the least risk."""
    if not rest:
        return True
    risks = {x: exact_risk(notion, p, [*held, x]) for x in free - set(held)}
    least = min(risks.values())
    best = [x for x in rest if np.allclose(risks[x], least, rtol=1e-12, atol=0)]
    return any(made_greedily(notion, p, [*held, x], rest - {x}, free) for x in best)


@pytest.mark.parametrize("notion", [ALIP(0.3, 0.3), ALIP(1.3, 0.7), LIP(0.5), LDP(0.6)], ids=str)
def test_each_group_grows_by_least_risk_where_ties_abound(notion):
    rng = np.random.default_rng(0)
    groups = 0
    for _ in range(40):
        counts = rng.integers(0, 4, size=(3, 8))
        counts[:, 0] += 1
        counts = counts[:, counts.sum(axis=0) > 0]
        joint = Joint.from_counts(counts)
        batch = Batch(joint.p[None])
        labels, order, _ = _grown(batch, batch.high_risk(notion), notion, notion.risk, until_private=False)
        risky = set(np.flatnonzero(high_risk(joint, notion)).tolist())
        for g in order[0][order[0] >= 0].tolist():
            group = set(np.flatnonzero(labels[0] == g).tolist())
            assert made_greedily(notion, counts.tolist(), [g], group - {g}, risky), (counts, g, group)
            risky -= group
            groups += len(group) > 1
    assert groups > 40


def awkward(n=4):
    rng = np.random.default_rng(1)
    for n_s, n_x in ((5, 17), (1, 4), (4, 1), (2, 2), (6, 40)):
        p = rng.random((n, n_s, n_x))
        yield p
        zeros = p * (rng.random(p.shape) < 0.6)
        zeros[:, 0], zeros[:, :, 0] = 1, 1
        yield zeros
        dust = p.copy()
        dust[:, -1] *= 1e-12
        dust[:, :, -1] *= 1e-300
        yield dust
        copies = p.copy()
        copies[:, :, 1::2] = copies[:, :, :1]
        yield copies


@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
@pytest.mark.parametrize("extend", [True, False])
def test_a_batch_is_its_joints_one_by_one(notion, extend):
    """Also without a secret's mass, and without a symbol's."""
    for weights in awkward():
        weights[0, 0], weights[1, :, 0] = 0, 0
        filled = weights + (weights.sum(axis=(1, 2), keepdims=True) == 0)
        p = filled / filled.sum(axis=(1, 2), keepdims=True)
        labels, order = merge_labels(p, notion, extend=extend)
        complete = watchdog_labels(p, notion, extend=extend)
        for n, one in enumerate(p):
            alone = merge_labels(one[None], notion, extend=extend)
            np.testing.assert_array_equal(alone[0][0], labels[n])
            np.testing.assert_array_equal(alone[1][0], order[n])
            np.testing.assert_array_equal(watchdog_labels(one[None], notion, extend=extend)[0], complete[n])
