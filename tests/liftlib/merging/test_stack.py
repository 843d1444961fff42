"""Merging many joint distributions at once, against one at a time and against plain
Python.
"""

from fractions import Fraction

import numpy as np
import pytest
from algorithm_1 import KINDS, algorithm_1
from merged_notions import NOTIONS
from messages import raised

from liftbook.figures.e23.merging import ALIPWithRisk
from liftlib import ALIP, LDP, LIP, InvalidParameter, Joint, high_risk
from liftlib.measures.lifts import lift
from liftlib.merging import stack
from liftlib.merging.stack import Stack, outputs_of
from liftlib.merging.subset_merging import merged_subsets, subset_merging
from liftlib.merging.watchdog import watchdog, watchdog_subsets


def awkward_joints(n=30):
    """120 joint distributions, shape (4 n, 4, 10).

    No counts: on small whole numbers, different unions have exactly the same risk, and
    rounding decides between them.
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


def partition_of(subset_of):
    """Return the partition that the numbers of subsets stand for."""
    low = [(x,) for x in np.flatnonzero(subset_of < 0)]
    return (
        *low,
        *(
            tuple(np.flatnonzero(subset_of == k).tolist())
            for k in range(subset_of.max() + 1)
        ),
    )


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("extend", [True, False])
def test_each_joint_has_the_partition_of_the_plain_algorithm(kind, extend):
    """The joints are of one shape, and of different numbers of high-risk symbols."""
    p = awkward_joints(12)
    for eps in (0.2, 0.7):
        subset_of = merged_subsets(p, kind(eps), extend=extend)
        assert len({*(subset_of >= 0).sum(axis=1)}) > 1
        for one, numbers in zip(p, subset_of, strict=True):
            low, subsets = algorithm_1(one.tolist(), kind(eps), extend=extend)
            expected = (*((x,) for x in low), *subsets)
            channel = subset_merging(Joint(one), kind(eps), extend=extend)
            assert partition_of(numbers) == channel.partition == expected


@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
@pytest.mark.parametrize("extend", [True, False])
def test_the_watchdog_merges_the_same_symbols(notion, extend):
    p = awkward_joints()
    subset_of = watchdog_subsets(p, notion, extend=extend)
    for one, numbers in zip(p, subset_of, strict=True):
        assert (
            partition_of(numbers)
            == watchdog(Joint(one), notion, extend=extend).partition
        )
        if not extend:
            np.testing.assert_array_equal(numbers == 0, high_risk(Joint(one), notion))


@pytest.mark.parametrize("risk", ["standard", "printed"])
@pytest.mark.parametrize("loop", ["standard", "printed"])
@pytest.mark.parametrize("lam", [0.35, 0.5, 0.65])
def test_each_reading_of_algorithm_1(risk, loop, lam):
    rng = np.random.default_rng(2)
    for eps in (0.3, 1, 2):
        p = rng.dirichlet(np.ones(30), size=60).reshape(60, 3, 10)
        notion = ALIP.split(eps, lam)
        read = ALIPWithRisk(notion, "Λ + Ψ") if risk == "printed" else notion
        for one, numbers in zip(p, merged_subsets(p, read, loop=loop), strict=True):
            low, subsets = algorithm_1(one.tolist(), notion, risk, loop)
            assert partition_of(numbers) == (*((x,) for x in low), *subsets)


@pytest.mark.parametrize("notion", [LIP(0.5), LDP(1)], ids=str)
def test_the_printed_loop_under_other_notions(notion):
    p = np.random.default_rng(3).dirichlet(np.ones(27), size=100).reshape(100, 3, 9)
    for extend in (True, False):
        subset_of = merged_subsets(p, notion, loop="printed", extend=extend)
        for one, numbers in zip(p, subset_of, strict=True):
            low, subsets = algorithm_1(
                one.tolist(), notion, loop="printed", extend=extend
            )
            assert partition_of(numbers) == (*((x,) for x in low), *subsets)


def test_the_printed_loop_is_complete_merging_where_that_is_private():
    """Line 4 stops at once if the high-risk symbols, merged, satisfy the notion."""
    p = np.random.default_rng(8).random((300, 5, 17))
    p /= p.sum(axis=(1, 2), keepdims=True)
    for notion in (ALIP.split(1, 0.5), LDP(1), LIP(0.5)):
        subset_of = merged_subsets(p, notion, loop="printed", extend=False)
        complete = watchdog_subsets(p, notion, extend=False)
        private = ~Stack(p).release(complete).high_risk(notion).any(axis=1)
        assert private.sum() > 250
        np.testing.assert_array_equal(subset_of[private], complete[private])


def test_refuses_another_loop():
    with raised(InvalidParameter):
        merged_subsets(np.full((1, 2, 2), 0.25), LIP(1), loop=None)


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


@pytest.mark.parametrize(
    "notion", [ALIP(0.3, 0.3), ALIP(1.3, 0.7), LIP(0.5), LDP(0.6)], ids=str
)
def test_each_group_grows_by_least_risk_where_ties_abound(notion):
    rng = np.random.default_rng(0)
    groups = 0
    for _ in range(40):
        counts = rng.integers(0, 4, size=(3, 8))
        counts[:, 0] += 1
        counts = counts[:, counts.sum(axis=0) > 0]
        joint = Joint.from_counts(counts)
        subset_of = merged_subsets(joint.p[None], notion, extend=False)[0]
        risky = set(np.flatnonzero(high_risk(joint, notion)).tolist())
        united = 0
        for k in range(subset_of.max() + 1):
            group = set(np.flatnonzero(subset_of == k).tolist())
            grown = any(
                made_greedily(notion, counts.tolist(), [x], group - {x}, risky)
                for x in group
            )
            united += not grown
            risky -= group
            groups += len(group) > 1
        assert united <= 1, counts  # the last one, after line 11
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
def test_a_stack_is_its_joints_one_by_one(notion, extend, monkeypatch):
    """Also without a secret's mass, and without a symbol's, and in small blocks."""
    monkeypatch.setattr(stack, "BLOCK", 100)
    for weights in awkward():
        weights[0, 0], weights[1, :, 0] = 0, 0
        filled = weights + (weights.sum(axis=(1, 2), keepdims=True) == 0)
        p = filled / filled.sum(axis=(1, 2), keepdims=True)
        for merging in (merged_subsets, watchdog_subsets):
            together = merging(p, notion, extend=extend)
            for n in range(len(p)):
                np.testing.assert_array_equal(
                    merging(p[n : n + 1], notion, extend=extend)[0], together[n]
                )


@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 1, 1), (2, 1, 5), (2, 4, 1)])
def test_no_joint_one_secret_one_symbol(shape):
    p = np.full(shape, 1 / max(shape[1] * shape[2], 1))
    for notion in NOTIONS:
        for loop in ("standard", "printed"):
            assert merged_subsets(p, notion, loop=loop).shape == (shape[0], shape[2])
        assert (watchdog_subsets(p, notion) == -1).all()


class TestStack:
    P = np.random.default_rng(4).dirichlet(np.ones(15), 6).reshape(6, 3, 5)

    def test_lifts_are_those_of_each_joint(self):
        stack = Stack(self.P)
        for n, one in enumerate(self.P):
            np.testing.assert_allclose(stack.lifts[n], lift(Joint(one)), rtol=1e-14)
            np.testing.assert_allclose(
                stack.x_given_s[:, n], Joint(one).x_given_s, rtol=1e-14
            )
        np.testing.assert_array_equal(stack.p, self.P)

    def test_a_joint_is_a_stack_of_one(self):
        joint = Joint(self.P[0])
        stack = Stack.of(joint)
        assert len(stack) == 1
        np.testing.assert_array_equal(stack.p[0], joint.p)
        assert Stack.of(stack) is stack

    def test_a_merged_stack_is_the_stack_of_releases(self):
        output_of = np.random.default_rng(5).integers(-1, 3, (6, 5))
        merged = Stack(self.P).merged(output_of, 3)
        for n in range(6):
            for y in range(3):
                expected = self.P[n][:, output_of[n] == y].sum(axis=1)
                np.testing.assert_allclose(merged.p[n][:, y], expected, atol=1e-16)
                if expected.any():  # under the prior of the whole, whatever is left out
                    prior = self.P[n].sum(axis=1)
                    np.testing.assert_allclose(
                        merged.lifts[n][:, y], expected / expected.sum() / prior
                    )
        empty = merged.p_x == 0
        assert empty.any()
        assert (merged.lifts.swapaxes(1, 2)[empty] == 1).all()

    def test_a_release_publishes_the_others_unchanged(self):
        subset_of = np.array([[-1, 0, 1, 0, -1]] * 6)
        release = Stack(self.P).release(subset_of)
        np.testing.assert_array_equal(outputs_of(subset_of)[0], [0, 2, 3, 2, 1])
        expected = np.stack(
            [
                self.P[..., 0],
                self.P[..., 4],
                self.P[..., [1, 3]].sum(axis=-1),
                self.P[..., 2],
            ],
            -1,
        )
        np.testing.assert_allclose(release.p[..., :4], expected, atol=1e-16)
        assert (release.p[..., 4] == 0).all()
