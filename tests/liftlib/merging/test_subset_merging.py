"""Subset merging."""

import itertools
import math

import numpy as np
import pytest
from algorithm_1 import KINDS, algorithm_1
from awkward_joints import on_each_joint
from hypothesis import given
from hypothesis import strategies as st
from merged_notions import NOTIONS
from scipy import stats

from liftlib import (
    ALIP,
    LDP,
    LIP,
    AlphaLift,
    Channel,
    Joint,
    PerfectPrivacy,
    evaluate,
    high_risk,
)
from liftlib.merging.subset_merging import subset_merging
from liftlib.merging.watchdog import watchdog


def agree_with_the_plain_algorithm(p, notion, *, extend=True):
    """Assert that the partition is the plain algorithm's for N joints."""
    for one in p:
        low, subsets = algorithm_1(one.tolist(), notion, extend=extend)
        expected = (*((x,) for x in low), *subsets)
        assert subset_merging(Joint(one), notion, extend=extend).partition == expected


class TestAgainstThePrint:
    @pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
    @pytest.mark.parametrize("extend", [True, False])
    @pytest.mark.parametrize("number", [30, pytest.param(100, marks=pytest.mark.slow)])
    def test_random_joints_of_each_notion(self, kind, extend, number):
        rng = np.random.default_rng(1)
        for eps, (n_s, n_x) in ((0.1, (2, 6)), (0.5, (3, 9)), (1.0, (4, 8))):
            p = rng.dirichlet(np.ones(n_s * n_x), size=number).reshape(number, n_s, n_x)
            agree_with_the_plain_algorithm(p, kind(eps), extend=extend)

    def test_low_risk_symbols_repair_a_single_high_risk_one(self):
        """Joints in which extension is the rule, not the exception."""
        rng = np.random.default_rng(5)
        p = 1 + 0.1 * rng.random((100, 3, 6))
        p[:, 0, 0] += 1
        p /= p.sum(axis=(1, 2), keepdims=True)
        for notion in (ALIP(0.15, 0.15), LIP(0.15), LDP(0.3)):
            agree_with_the_plain_algorithm(p, notion)
            broken = [
                not notion.is_satisfied(
                    Joint(one), subset_merging(Joint(one), notion, extend=False)
                )
                for one in p
            ]
            assert sum(broken) > 30


class TestChannel:
    @pytest.mark.parametrize("notion", NOTIONS, ids=repr)
    @on_each_joint
    def test_as_printed_keeps_it_exactly_where_the_merged_set_does(self, joint, notion):
        printed = subset_merging(joint, notion, extend=False)
        merged = watchdog(joint, notion, extend=False)
        if notion.is_satisfied(joint, merged):
            assert notion.is_satisfied(joint, printed)
        elif not notion.is_satisfied(joint, printed):
            assert set(printed.partition) == set(merged.partition)

    @pytest.mark.parametrize("notion", NOTIONS, ids=repr)
    @on_each_joint
    def test_partition_has_the_low_risk_symbols_first_and_labels_of_its_own(
        self, joint, notion
    ):
        channel = subset_merging(joint, notion)
        low = np.flatnonzero(~high_risk(joint, notion)).tolist()
        alone = [
            c[0]
            for c in itertools.takewhile(
                lambda c: len(c) == 1 and c[0] in low, channel.partition
            )
        ]
        assert alone == sorted(alone)
        assert not set(low) & {
            c[0] for c in channel.partition[len(alone) :] if len(c) == 1
        }
        for subset, name in zip(channel.partition, channel.outputs, strict=True):
            labels = [joint.public[x] for x in subset]
            assert name == (
                labels[0] if len(labels) == 1 else " or ".join(map(str, labels))
            )

    def test_a_single_high_risk_symbol_is_where_the_print_fails(self):
        joint = Joint.from_counts([[8, 10, 10, 10], [1, 10, 10, 11]], public="abcd")
        notion = ALIP(0.7, 0.7)
        printed = subset_merging(joint, notion, extend=False)
        assert printed.partition == ((1,), (2,), (3,), (0,))
        assert not notion.is_satisfied(joint, printed)
        assert notion.leakage(joint, printed) == notion.leakage(
            joint, Channel.identity(4)
        )
        repaired = subset_merging(joint, notion)
        assert repaired.outputs == ("b", "c", "a or d")
        assert notion.is_satisfied(joint, repaired)

    def test_ends(self, named_joints):
        for name in ("random-5x17", "adult", "function-of-x"):
            joint = named_joints[name]
            assert subset_merging(joint, PerfectPrivacy()).n_outputs == 1
            assert subset_merging(joint, LIP(math.inf)).n_outputs == joint.n_public
        assert subset_merging(named_joints["random-5x17"], LIP(50)).n_outputs == 17

    def test_greed_is_not_optimal(self, named_joints):
        joint = named_joints["ties"]
        assert PerfectPrivacy().is_satisfied(
            joint, Channel.merge([(0, 1, 2), (3, 4, 5)], 6)
        )
        assert subset_merging(joint, PerfectPrivacy()).n_outputs == 1

    def test_many_symbols(self):
        """5,000 symbols and 20 secrets: it runs, keeps the notion and merges little."""
        joint = Joint.from_counts(np.random.default_rng(6).random((20, 5000)))
        notion = LIP(1)
        channel = subset_merging(joint, notion)
        assert notion.is_satisfied(joint, channel)
        assert sum(map(len, channel.partition)) == 5000
        assert channel.n_outputs > 500


class TestOrders:
    @given(joint=st.from_type(Joint), eps=st.floats(0, 3))
    def test_utility_is_equation_13(self, joint, eps):
        for notion in (LIP(eps), LDP(eps), AlphaLift(3, eps, eps)):
            channel = subset_merging(joint, notion)
            lost = sum(
                joint.p_x[x] * math.log(joint.p_x[list(group)].sum() / joint.p_x[x])
                for group in channel.partition
                for x in group
            )
            found = evaluate(joint, channel).mutual_information
            assert found == pytest.approx(stats.entropy(joint.p_x) - lost, abs=1e-12)
