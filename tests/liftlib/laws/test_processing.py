"""Laws of releases."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from liftlib import (
    ALIP,
    LDP,
    LIP,
    SRLIP,
    AlphaLift,
    Channel,
    Chi2Lift,
    Joint,
    L1Lift,
    evaluate,
)
from liftlib.measures import mutual_information

SEEDS = st.integers(0, 2**32 - 1)


def two_channels(joint, seed, *, aware=False, n_outputs=5):
    """Two channels, one after the other; some entries are 0."""
    rng = np.random.default_rng(seed)
    shape = (joint.n_secret, joint.n_public) if aware else (joint.n_public,)
    first = rng.dirichlet(np.full(n_outputs, 0.5), size=shape)
    first[first < 0.05] = 0
    return Channel(first / first.sum(axis=-1, keepdims=True)), Channel(
        rng.dirichlet(np.full(3, 0.5), size=n_outputs)
    )


class TestDataProcessing:
    @given(joint=st.from_type(Joint), seed=SEEDS, aware=st.booleans())
    def test_leaks_no_more(self, joint, seed, aware):
        first, second = two_channels(joint, seed, aware=aware)
        both = first.compose(second)
        for notion in (LIP(1), LDP(1), SRLIP(1, (joint.n_public,))):
            assert notion.leakage(joint, both) <= notion.leakage(joint, first) + 1e-9
        for notion in (ALIP(1, 1), AlphaLift(2, 1, 1), AlphaLift(100, 1, 1)):
            assert (
                notion.leakage(joint, both).lower
                <= notion.leakage(joint, first).lower + 1e-9
            )
            assert (
                notion.leakage(joint, both).upper
                <= notion.leakage(joint, first).upper + 1e-9
            )
        # their inverses are not convex: see test_convexity
        for notion in (L1Lift(1, 1), Chi2Lift(1, 1)):
            assert (
                notion.leakage(joint, both).upper
                <= notion.leakage(joint, first).upper + 1e-9
            )

    @given(joint=st.from_type(Joint), seed=SEEDS, aware=st.booleans())
    def test_averages_leak_no_more(self, joint, seed, aware):
        first, second = two_channels(joint, seed, aware=aware)
        before, after = evaluate(joint, first), evaluate(joint, first.compose(second))
        assert after.mutual_information <= before.mutual_information + 1e-12
        assert after.secret_information <= before.secret_information + 1e-12
        assert after.total_variation <= before.total_variation + 1e-12
        assert after.chi2_divergence <= before.chi2_divergence + 1e-12
        for alpha in (1.5, 10, math.inf):
            assert after.sibson(alpha) <= before.sibson(alpha) + 1e-12
            assert after.arimoto(alpha) <= before.arimoto(alpha) + 1e-12

    @given(joint=st.from_type(Joint), seed=SEEDS)
    def test_a_release_of_x_tells_no_more_than_x(self, joint, seed):
        first, _ = two_channels(joint, seed)
        found = evaluate(joint, first)
        assert found.secret_information <= mutual_information(joint.p) + 1e-12
        assert found.secret_information <= found.mutual_information + 1e-12
        assert found.lip <= evaluate(joint, Channel.identity(joint.n_public)).lip + 1e-9


class TestRefinement:
    """E23 after Definition 4; C22 eq. (9)."""

    @given(joint=st.from_type(Joint), seed=SEEDS)
    def test_never_loses_utility(self, joint, seed):
        rng = np.random.default_rng(seed)
        fine = rng.integers(joint.n_public, size=joint.n_public)
        # a function of the finer label
        coarse = rng.integers(2, size=joint.n_public)[fine]

        def merge(labels):
            return Channel.merge(
                [np.flatnonzero(labels == g) for g in np.unique(labels)], joint.n_public
            )

        refined, aggregated = (
            evaluate(joint, merge(fine)),
            evaluate(joint, merge(coarse)),
        )
        assert refined.mutual_information >= aggregated.mutual_information - 1e-12
        assert refined.lip >= aggregated.lip - 1e-9


class TestNotionsImplyEachOther:
    @given(
        joint=st.from_type(Joint),
        seed=SEEDS,
        eps=st.floats(0, 3),
        lam=st.floats(0, 1),
        aware=st.booleans(),
    )
    def test_alip_implies_ldp_of_the_sum(self, joint, seed, eps, lam, aware):
        channel, _ = two_channels(joint, seed, aware=aware)
        if ALIP.split(eps, lam).is_satisfied(joint, channel):
            # KEEP_TOL on either side
            assert LDP(eps + 2e-9).is_satisfied(joint, channel)
        lower, upper = ALIP(1, 1).leakage(joint, channel)
        assert LDP(lower + upper).is_satisfied(joint, channel)

    @given(joint=st.from_type(Joint), seed=SEEDS, aware=st.booleans())
    def test_s20_lemma_1(self, joint, seed, aware):
        channel, _ = two_channels(joint, seed, aware=aware)
        lip, ldp = LIP(1).leakage(joint, channel), LDP(1).leakage(joint, channel)
        assert lip <= ldp + 1e-9
        assert ldp <= 2 * lip + 1e-9
        assert evaluate(joint, channel).secret_information <= lip + 1e-12

    @given(
        seed=SEEDS,
        shape=st.sampled_from([(2, 2), (2, 3), (3, 2), (2, 2, 2)]),
        aware=st.booleans(),
    )
    def test_s20_lemma_2(self, seed, shape, aware):
        n = math.prod(shape)
        joint = Joint.from_counts(
            np.random.default_rng(seed).integers(0, 6, (3, n))
            + np.eye(3, n)
            + (np.arange(3) == 0)[:, None]
        )
        channel, _ = two_channels(joint, seed, aware=aware)
        assert (
            SRLIP(1, shape).leakage(joint, channel)
            >= LIP(1).leakage(joint, channel) - 1e-9
        )

    @given(joint=st.from_type(Joint), seed=SEEDS)
    def test_lift_based_notions_are_relaxations_of_lip(self, joint, seed):
        """E23 section 6.2 at lambda 1/2."""
        channel, _ = two_channels(joint, seed)
        eps = LIP(1).leakage(joint, channel)
        for notion in (
            L1Lift(eps, eps),
            Chi2Lift(eps, eps),
            AlphaLift(2, eps, eps),
            AlphaLift(100, eps, eps),
        ):
            assert notion.is_satisfied(joint, channel)
