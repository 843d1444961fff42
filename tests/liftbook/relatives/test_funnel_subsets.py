"""Merging by subsets."""

import itertools

import pytest
from partitions import best_by_hand

import liftlib as ll
from liftbook.relatives import AverageLeakage
from liftbook.relatives.submodular import _merged, merging_losses

JOINT = ll.Joint.from_counts([[6, 1, 2, 3, 0], [1, 5, 2, 2, 1], [0, 2, 4, 1, 3]])


def merged(joint, chosen):
    rest = [(x,) for x in range(joint.n_public) if x not in chosen]
    return ll.evaluate(joint, ll.Channel.merge([tuple(chosen), *rest], joint.n_public))


def test_losses_are_those_of_the_release():
    of_x, of_s = merging_losses(JOINT)
    whole = ll.evaluate(JOINT, ll.Channel.identity(5))
    for size in range(1, 6):
        for chosen in itertools.combinations(range(5), size):
            found, at = merged(JOINT, chosen), sum(1 << x for x in chosen)
            assert of_x[at] == pytest.approx(whole.mutual_information - found.mutual_information, abs=1e-12)
            assert of_s[at] == pytest.approx(whole.secret_information - found.secret_information, abs=1e-12)


def test_both_parts_are_supermodular():
    of_x, of_s = merging_losses(JOINT)
    for part in (of_x, of_x - of_s):
        for a, b in itertools.product(range(32), repeat=2):
            assert part[a] + part[b] <= part[a | b] + part[a & b] + 1e-12


@pytest.mark.parametrize("share", [0.03, 0.1, 0.25])
def test_a_step_is_the_best_of_all(share):
    of_x, of_s = merging_losses(JOINT)
    found = _merged(of_x, of_s, share, 5)
    tried = {
        chosen: (one := merged(JOINT, chosen)).secret_information - share * one.mutual_information
        for size in range(2, 6)
        for chosen in itertools.combinations(range(5), size)
    }
    best = min(tried, key=tried.get)
    rest = [1 << x for x in range(5) if x not in best]
    assert found[0] == tuple(sorted([*rest, sum(1 << x for x in best)]))


def test_it_ends_where_no_merging_lowers_the_objective():
    joint, share = ll.datasets.uniform_joint(3, 6, 3), 0.1
    groups = _merged(*merging_losses(joint), share, 6)[-1]
    parts = [tuple(x for x in range(6) if group >> x & 1) for group in groups]
    ended = ll.evaluate(joint, ll.Channel.merge(parts, 6))
    here = ended.secret_information - share * ended.mutual_information
    for size in range(2, len(parts) + 1):
        for chosen in itertools.combinations(parts, size):
            rest = [part for part in parts if part not in chosen]
            other = ll.evaluate(joint, ll.Channel.merge([sum(chosen, ()), *rest], 6))
            assert other.secret_information - share * other.mutual_information >= here - 1e-12


def test_against_all_partitions():
    met = 0
    for seed in range(12):
        joint = ll.datasets.uniform_joint(2, 5, seed)
        notion = AverageLeakage(0.3 * ll.measures.mutual_information(joint.p))
        channel = ll.mechanisms.funnel_subsets(joint, notion)
        assert notion.is_satisfied(joint, channel)
        found, (best, _) = ll.evaluate(joint, channel).mutual_information, best_by_hand(joint, notion)
        assert found <= best + 1e-12
        met += found >= best - 1e-12
    assert met > 6


def test_twins_are_merged_for_nothing():
    joint = ll.Joint([[0.1, 0.2, 0.3], [0.1, 0.2, 0.1]])
    told = ll.measures.mutual_information(joint.p)
    assert ll.mechanisms.funnel_subsets(joint, AverageLeakage(told)).n_outputs == 3
    assert ll.mechanisms.funnel_subsets(joint, AverageLeakage(0.5 * told)).n_outputs < 3
