"""Bounds from a sample, by other routes."""

import math

import numpy as np
import pytest
from messages import raised
from scipy.stats import binom, binomtest

import liftlib as ll
from liftlib.errors import InvalidDistribution, InvalidParameter, UnsupportedNotion
from lifttables.population.binomial import clopper_pearson
from lifttables.population.sample import Parts, Sample, subset_price


@pytest.mark.parametrize("rows", [1, 7, 40])
@pytest.mark.parametrize("level", [0.2, 0.025, 1e-6])
def test_the_bounds_are_where_the_tails_are_the_level(rows, level):
    for seen in range(rows + 1):
        low, up = (float(end) for end in clopper_pearson(seen, rows, math.log(level)))
        exact = binomtest(seen, rows).proportion_ci(1 - 2 * level, method="exact")
        assert (low, up) == (
            pytest.approx(exact.low, abs=1e-9),
            pytest.approx(exact.high, abs=1e-9),
        )
        assert seen == 0 or binom.sf(seen - 1, rows, low) == pytest.approx(level)
        assert seen == rows or binom.cdf(seen, rows, up) == pytest.approx(level)


def test_no_rows_bound_nothing():
    assert [float(end) for end in clopper_pearson(0, 0, -3.0)] == [0.0, 1.0]


@pytest.mark.parametrize("n", range(1, 13))
def test_the_shares_of_the_subsets_are_at_most_one(n):
    pairs = {min(a, 2**n - 1 - a) for a in range(1, 2**n - 1)}
    assert (
        sum(math.exp(-float(subset_price(n, a.bit_count()))) for a in pairs)
        <= 1 + 1e-12
    )


def test_parts_are_their_kernel():
    kernel = np.array([[0.5, 0.5, 0.0], [0.1, 0.5, 0.4], [1.0, 0.0, 0.0]])
    parts = Parts.nested(kernel)
    assert np.allclose(parts.kernel, kernel, rtol=0, atol=1e-15)
    assert (parts.weights >= 0).all()
    assert (parts.weights > 0).sum(axis=0).tolist() == [3, 1, 1]


def test_one_secret_has_nothing_to_hide():
    assert Sample([[3, 1, 0]]).keeps(ll.LIP(0.0), ll.Channel.identity(3))
    assert Sample([[3, 1, 0]]).keeps(ll.LDP(0.0), ll.Channel.identity(3))


def test_a_constant_is_kept_at_any_budget():
    sample = Sample([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    for notion in (ll.PerfectPrivacy(), ll.LIP(0.0), ll.LDP(0.0)):
        assert sample.keeps(notion, ll.Channel.constant(3))
        assert sample.keeps(notion, ll.Channel(np.full((3, 2), 0.5)))


def test_an_output_that_nothing_leads_to():
    kernel = np.column_stack([np.ones(3), np.zeros(3)])
    assert Sample([[3, 1, 2], [4, 1, 1]]).keeps(ll.LIP(0.0), ll.Channel(kernel))
    assert Sample([[3, 1, 2], [4, 1, 1]]).keeps(ll.LDP(0.0), ll.Channel(kernel))


@pytest.mark.parametrize(
    "counts", [[[1, -1]], [[1, math.nan]], [[0.5, 0.5]], [[0, 0]], [1, 2], "x"]
)
def test_counts_that_are_none(counts):
    with raised(InvalidDistribution):
        Sample(counts)


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, math.nan, "0.95", None, True])
def test_confidence_is_a_share(confidence):
    with raised(InvalidParameter):
        Sample([[1, 2]], confidence)


def test_what_does_not_fit():
    sample = Sample([[1, 2], [3, 4]])
    with raised(InvalidParameter):
        sample.keeps(ll.LIP(1.0), ll.Channel.identity(3))
    with raised(InvalidParameter):
        sample.satisfied(ll.LIP(1.0), [True, False])
    with raised(InvalidParameter):
        sample.satisfied(ll.LIP(1.0), [[True], [True, False]])
    for wrong in ([[0, 2]], [["a", "b"]], [["0", "1"]], [[np.nan, 1]], [[None, True]]):
        with raised(InvalidParameter):
            sample.satisfied(ll.LIP(1.0), wrong)
    one, other = (
        sample.misses(ll.LIP(1.0), member) for member in ([[0, 1.0]], [[False, True]])
    )
    np.testing.assert_array_equal(one, other)
    for notion in (ll.SRLIP(1.0, (2,)), ll.Chi2Lift(1, 1)):
        with pytest.raises(UnsupportedNotion):
            sample.keeps(notion, ll.Channel.identity(2))
    with pytest.raises(InvalidParameter):  # a mechanism that sees the secret
        sample.keeps(ll.LIP(1.0), ll.Channel(np.full((2, 2, 2), 0.5)))
    assert (
        repr(sample) == "Sample(10 rows, 2 secrets x 2 public symbols, confidence 0.95)"
    )
