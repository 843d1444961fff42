"""The watchdog."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from awkward_joints import on_each_joint
from hypothesis import given
from hypothesis import strategies as st
from merged_notions import NOTIONS
from messages import raised
from scipy import stats

import liftlib as ll
from liftlib.merging.watchdog import watchdog

# in column 0 the secret 0 is at odds; the other columns have lifts 10/11 and 15/14 or
# so
ONE_RISKY = ll.Joint.from_counts([[8, 10, 10, 10], [1, 10, 10, 11]], public="abcd")


def group_lift(joint, group):
    """P(A|s) / P(A) for each s (E23 eqs. (9) and (10)), by loops."""
    p_a = math.fsum(joint.p[s, x] for s in range(joint.n_secret) for x in group)
    return [
        math.fsum(joint.p[s, x] for x in group) / math.fsum(joint.p[s]) / p_a
        for s in range(joint.n_secret)
    ]


class TestHighRisk:
    def test_by_the_definitions(self, joint):
        lifts = [group_lift(joint, [x]) for x in range(joint.n_public)]
        alip = [min(c) < math.exp(-0.9) or max(c) > math.exp(0.4) for c in lifts]
        ldp = [max(c) > math.e * min(c) for c in lifts]
        assert ll.high_risk(joint, ll.ALIP(0.9, 0.4)).tolist() == alip  # E23 eq. (6)
        assert ll.high_risk(joint, ll.LDP(1)).tolist() == ldp  # E23 eq. (7)

    def test_alpha_by_the_definition(self, named_joints):
        joint = named_joints["random-5x17"]
        lifts = ll.lift(joint)
        low, high = (joint.p_s @ lifts**-2.0) ** 0.5, (joint.p_s @ lifts**2) ** 0.5
        expected = (low > math.exp(0.2)) | (high > math.exp(0.1))
        assert 0 < expected.sum() < 17
        # E23 eq. (37)
        assert np.array_equal(ll.high_risk(joint, ll.AlphaLift(2, 0.2, 0.1)), expected)

    def test_ends(self, named_joints):
        whole = named_joints["random-5x17"]
        assert ll.high_risk(whole, ll.LIP(0)).all()
        assert not ll.high_risk(whole, ll.LIP(50)).any()
        assert not ll.high_risk(named_joints["zeros"], ll.LIP(math.inf)).any()
        assert not ll.high_risk(named_joints["independent"], ll.PerfectPrivacy()).any()
        zeros = named_joints["zeros"]
        assert np.array_equal(
            ll.high_risk(zeros, ll.LIP(50)), (zeros.p == 0).any(axis=0)
        )


class TestMerge:
    @pytest.mark.parametrize("notion", NOTIONS, ids=repr)
    @on_each_joint
    def test_as_printed_merges_exactly_the_high_risk_symbols(self, joint, notion):
        high = np.flatnonzero(ll.high_risk(joint, notion)).tolist()
        low = [(x,) for x in range(joint.n_public) if x not in high]
        expected = tuple(low + [tuple(high)] * bool(high))
        assert watchdog(joint, notion, extend=False).partition == expected

    def test_extends_only_where_the_merged_set_breaks_the_notion(self, named_joints):
        extended = 0
        for joint, notion in itertools.product(named_joints.values(), NOTIONS):
            printed = watchdog(joint, notion, extend=False)
            if notion.is_satisfied(joint, printed):
                assert watchdog(joint, notion).partition == printed.partition
            else:
                extended += 1
                merged = set(watchdog(joint, notion).partition[-1])
                assert set(printed.partition[-1]) < merged
        assert extended

    def test_a_single_high_risk_symbol_is_where_the_print_fails(self):
        notion = ll.ALIP(0.7, 0.7)
        assert ll.high_risk(ONE_RISKY, notion).tolist() == [True, False, False, False]
        printed = watchdog(ONE_RISKY, notion, extend=False)
        assert printed.partition == ((1,), (2,), (3,), (0,))
        assert not notion.is_satisfied(ONE_RISKY, printed)
        repaired = watchdog(ONE_RISKY, notion)
        assert notion.is_satisfied(ONE_RISKY, repaired)
        assert repaired.partition == ((1,), (2,), (0, 3))  # d offsets a best
        assert repaired.outputs == ("b", "c", "a or d")

    def test_extension_takes_the_least_risk_first(self, named_joints):
        """Against a loop that tries each low-risk symbol."""
        joint, notion = named_joints["random-5x17"], ll.ALIP(0.05, 0.05)
        joint = ll.Joint.from_counts(
            np.c_[
                joint.p[:, :3],
                np.outer(joint.p_s, np.ones(4)) * [[1, 1.01, 0.99, 1.02]],
            ]
        )
        group = np.flatnonzero(ll.high_risk(joint, notion)).tolist()
        low = [x for x in range(joint.n_public) if x not in group]

        def kept(members):
            column = group_lift(joint, members)
            return min(column) >= math.exp(-0.05) and max(column) <= math.exp(0.05)

        assert not kept(group)
        assert low
        while not kept(group):
            risks = [
                max(c) + 1 / min(c)
                for c in (group_lift(joint, [*group, x]) for x in low)
            ]
            group.append(low.pop(int(np.argmin(risks))))
        assert set(watchdog(joint, notion).partition[-1]) == set(group)

    def test_nothing_at_risk_passes_unchanged(self, joint):
        for randomise in ("merge", "uniform"):
            channel = watchdog(joint, ll.LIP(math.inf), randomise=randomise)
            assert channel.outputs == joint.public
            assert np.array_equal(channel.kernel, np.eye(joint.n_public))


class TestUniform:
    def test_kernel(self, named_joints):
        joint, notion = named_joints["random-5x17"], ll.ALIP(0.8, 0.8)
        high = ll.high_risk(joint, notion)
        assert 1 < high.sum() < 17
        kernel = watchdog(joint, notion, randomise="uniform").kernel
        for x, y in itertools.product(range(17), repeat=2):
            expected = (
                1 / high.sum() if high[x] and high[y] else float(x == y and not high[x])
            )
            assert kernel[x, y] == pytest.approx(expected, abs=1e-15)  # E23 eq. (8)

    @pytest.mark.parametrize("notion", NOTIONS, ids=repr)
    @pytest.mark.parametrize("extend", [True, False])
    @on_each_joint
    def test_leaks_and_keeps_what_merging_does(self, joint, notion, extend):
        merged = ll.evaluate(
            joint, watchdog(joint, notion, randomise="merge", extend=extend)
        )
        uniform = ll.evaluate(
            joint, watchdog(joint, notion, randomise="uniform", extend=extend)
        )
        assert uniform.mutual_information == pytest.approx(
            merged.mutual_information, rel=1e-9, abs=1e-12
        )
        assert uniform.max_lift_leakage == pytest.approx(
            merged.max_lift_leakage, rel=1e-9, abs=1e-12
        )
        assert uniform.min_lift_leakage == pytest.approx(
            merged.min_lift_leakage, rel=1e-9, abs=1e-12
        )
        assert uniform.secret_information == pytest.approx(
            merged.secret_information, rel=1e-9, abs=1e-12
        )


class TestLaws:
    @given(joint=st.from_type(ll.Joint), eps=st.floats(0, 3))
    def test_utility_is_equation_11(self, joint, eps):
        for notion in (
            ll.LIP(eps),
            ll.LDP(eps),
            ll.L1Lift(eps, eps),
            ll.AlphaLift(5, eps, eps),
        ):
            p = joint.p_x[ll.high_risk(joint, notion)]
            expected = stats.entropy(joint.p_x) - float(np.sum(p * np.log(p.sum() / p)))
            found = ll.evaluate(
                joint, watchdog(joint, notion, extend=False)
            ).mutual_information
            assert found == pytest.approx(expected, abs=1e-12)

    @given(joint=st.from_type(ll.Joint), eps=st.floats(0, 3), lam=st.floats(0, 1))
    def test_ldp_randomises_fewer_symbols_than_alip_and_keeps_more(
        self, joint, eps, lam
    ):
        """E23 Proposition 2, of the mechanism as printed."""
        ldp, alip = ll.LDP(eps), ll.ALIP.split(eps, lam)
        assert not (ll.high_risk(joint, ldp) & ~ll.high_risk(joint, alip)).any()
        of_ldp = ll.evaluate(
            joint, watchdog(joint, ldp, extend=False)
        ).mutual_information
        of_alip = ll.evaluate(
            joint, watchdog(joint, alip, extend=False)
        ).mutual_information
        assert of_ldp >= of_alip - 1e-12

    @given(
        joint=st.from_type(ll.Joint),
        seed=st.integers(0, 2**32 - 1),
        eps=st.floats(0.05, 2),
    )
    def test_x_invariance_leaks_the_least(self, joint, seed, eps):
        group = np.flatnonzero(ll.high_risk(joint, ll.LDP(eps)))
        if not group.size:
            return
        invariant = group_lift(joint, group)
        rng = np.random.default_rng(seed)
        for n_outputs, concentration in ((1, 1), (2, 0.3), (3, 1), (5, 10)):
            r = rng.dirichlet(np.full(n_outputs, concentration), size=group.size)
            out = joint.p[:, group] @ r
            out = out[:, out.sum(axis=0) > 0]
            lifts = out / out.sum(axis=0) / joint.p_s[:, None]
            with np.errstate(divide="ignore"):
                gamma = (lifts.max(axis=0) / lifts.min(axis=0)).max()
            if min(invariant) > 0:
                assert gamma >= max(invariant) / min(invariant) * (1 - 1e-9)
            else:
                assert gamma == math.inf
            assert lifts.max() >= max(invariant) * (1 - 1e-12)
            assert lifts.min() <= min(invariant) * (1 + 1e-12) + 1e-15


class TestRefuses:
    def test_randomise(self):
        with raised(ll.InvalidParameter):
            watchdog(ONE_RISKY, ll.LIP(1), randomise="shuffle")

    def test_a_notion_that_is_not_of_lift_columns(self):
        with raised(ll.UnsupportedNotion):
            ll.high_risk(ONE_RISKY, ll.SRLIP(1, (2, 2)))


def test_a_large_table_is_hardly_copied():
    joint = ll.datasets.uniform_joint(10, 10**5, np.random.default_rng(0))
    tracemalloc.start()
    try:
        watchdog(joint, ll.LIP(0.5))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2.2 * joint.p.nbytes
