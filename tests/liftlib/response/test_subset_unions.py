"""E23 Algorithm 2's unions against a plain implementation and by hand."""

import itertools
import math

import numpy as np
import pytest

import liftlib as ll
from liftlib.response import subset_response as subset_module
from liftlib.response.subset_response import SubsetCertificate


def lifts_of(joint, subset):
    """Return P(A|s) / P(A) for each secret: the lifts of a subset that is merged."""
    mass = sum(joint.p[:, x] for x in subset)
    return [float(part / whole / mass.sum()) for part, whole in zip(mass, joint.p_s, strict=True)]


def allowed(joint, subset, eps):
    """Whether a response exists within a subset."""
    return all(abs(math.log(lift)) <= eps for lift in lifts_of(joint, subset))


def algorithm_2(joint, waiting, eps):
    """Follow section 5.1.

    Where G is empty, it is united with the subset that was made last, X_(g-1) of O, and the index g is updated.
    Returns O, and how often subsets were united.
    """
    waiting, made, unions = [list(subset) for subset in waiting], [], 0
    while waiting:
        made.append(waiting[0])
        del waiting[0]
        while not allowed(joint, made[-1], eps):
            if waiting:
                made[-1] = made[-1] + waiting[0]
                del waiting[0]
            elif len(made) > 1:
                made[-2] = made[-2] + made[-1]
                del made[-1]
            else:
                return None, unions
            unions += 1
    return made, unions


def found_by(monkeypatch, joint, partition, eps):
    """Return the subsets that ``subset_response`` ends with from a given partition."""
    merged = ll.Channel.merge(partition, joint.n_public)
    monkeypatch.setattr(subset_module, "subset_merging", lambda *_: merged)
    channel = ll.mechanisms.subset_response(joint, ll.LIP(eps))
    report = channel.certified(SubsetCertificate)
    return channel, report


def test_the_last_subset_is_united_with_the_one_made_before_it(monkeypatch):
    counts = np.array([[19, 9, 2, 9, 2, 8], [19, 3, 6, 3, 6, 12]])
    joint, eps = ll.Joint.from_counts(counts), 0.15
    partition = [(0,), (1, 2), (3, 4), (5,)]
    assert np.flatnonzero(ll.high_risk(joint, ll.LIP(eps))).tolist() == [1, 2, 3, 4, 5]
    kept = {subset: allowed(joint, subset, eps) for subset in [(1, 2), (3, 4), (5,), (1, 2, 5), (3, 4, 5)]}
    assert [subset for subset, one in kept.items() if not one] == [(5,)]
    channel, report = found_by(monkeypatch, joint, partition, eps)
    assert set(report.subsets) == {(0,), (1, 2), (3, 4, 5)}
    assert report.unions == 1
    assert not report.fallback
    assert ll.LIP(eps).is_satisfied(joint, channel)
    # each subset has outputs of its own
    used = channel.kernel > 0
    for one, other in itertools.combinations([[0], [1, 2], [3, 4, 5]], 2):
        assert not (used[one].any(axis=0) & used[other].any(axis=0)).any()


EPS, SEEDS = 0.12, range(40)


def example(seed):
    """Return a random joint, and pairs of the symbols at risk in random order."""
    rng = np.random.default_rng(seed)
    joint = ll.Joint.from_counts(rng.integers(20, 80, (2, 9)))
    risky = rng.permutation(np.flatnonzero(ll.high_risk(joint, ll.LIP(EPS)))).tolist()
    return joint, [tuple(risky[at : at + 2]) for at in range(0, len(risky), 2)]


@pytest.mark.parametrize("seed", SEEDS)
def test_subsets_are_united_as_a_plain_implementation_does(monkeypatch, seed):
    """The same subsets, after as many unions."""
    joint, pairs = example(seed)
    low = [(x,) for x in range(9) if not any(x in pair for pair in pairs)]
    wanted, unions = algorithm_2(joint, pairs, EPS)
    _, report = found_by(monkeypatch, joint, [*low, *pairs], EPS)
    assert report.unions == unions
    assert report.fallback == (wanted is None)
    if wanted is not None:
        assert set(report.subsets) == {*low, *(tuple(sorted(subset)) for subset in wanted)}


def test_the_examples_reach_the_unions_with_subsets_to_come_and_with_those_before():
    ends = {"on": 0, "back": 0}
    for seed in SEEDS:
        joint, pairs = example(seed)
        wanted, unions = algorithm_2(joint, pairs, EPS)
        if wanted is not None and unions:
            ends["back" if len(wanted) > 1 and not allowed(joint, pairs[-1], EPS) else "on"] += 1
    assert min(ends.values()) >= 3
