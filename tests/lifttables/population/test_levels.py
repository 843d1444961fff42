"""The share of the chance of error that each bound gets, by hand."""

import itertools
import math

import numpy as np
import pytest
from bounds_by_hand import interval
from scipy.stats import binom

from lifttables.population.intervals import Between, lifts_between
from lifttables.population.sample import Sample

COUNTS = {
    "3 x 4": [[12, 0, 7, 30], [25, 9, 1, 14], [3, 3, 40, 0]],
    "2 x 5": [[40, 60, 5, 0, 11], [30, 70, 9, 2, 0]],
    "4 x 2": [[9, 1], [4, 4], [0, 17], [30, 31]],
    "a secret without rows": [[0, 0, 0], [5, 6, 7]],
}
CHOSEN = [0.0, math.log(10)]
CONFIDENCE = 0.9


def part(n_secret, chosen):
    """Return the share of P(X|s) for one secret, of P(X) or of P_S."""
    return (1 - CONFIDENCE) / (n_secret + 2) / math.exp(chosen)


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("name", COUNTS)
def test_the_prior_shares_its_part_among_two_ends_of_each_secret(name, chosen):
    counts = np.array(COUNTS[name])
    lower, upper = Sample(counts, CONFIDENCE, chosen).prior
    level = part(len(counts), chosen) / (2 * len(counts))
    wanted = [interval(rows, counts.sum(), level) for rows in counts.sum(axis=1)]
    np.testing.assert_allclose(np.column_stack([lower, upper]), wanted, rtol=1e-9)


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("name", COUNTS)
def test_cells_share_their_part_among_two_ends_of_each_symbol(name, chosen):
    counts = np.array(COUNTS[name])
    found = Sample(counts, CONFIDENCE, chosen).cells()
    level = part(len(counts), chosen) / (2 * counts.shape[1])
    for s, row in enumerate([*counts, counts.sum(axis=0)]):
        wanted = [interval(seen, row.sum(), level) for seen in row]
        np.testing.assert_allclose(
            np.column_stack([found.lower[s], found.upper[s]]), wanted, rtol=1e-9
        )


def failing(counts, lower, upper):
    """The chance that rows from a law at an interval's end look this extreme."""
    rows = counts.sum()
    for seen, low, up in zip(counts, lower, upper, strict=True):
        if seen > 0:
            yield float(binom.sf(seen - 1, rows, low))
        if seen < rows:
            yield float(binom.cdf(seen, rows, up))


@pytest.mark.parametrize("chosen", CHOSEN)
def test_laws_at_the_ends_are_missed_with_at_most_one_less_the_confidence(chosen):
    counts = np.array([[14, 8, 21], [9, 30, 2]])
    sample, choices = Sample(counts, CONFIDENCE, chosen), math.exp(chosen)
    prior = list(failing(counts.sum(axis=1), *sample.prior))
    tables, between = [*counts, counts.sum(axis=0)], sample.cells()
    each = [
        list(failing(row, between.lower[s], between.upper[s]))
        for s, row in enumerate(tables)
    ]
    # four equal parts: of P(X|s) for two secrets, of P(X), and of P_S
    for part_of in (prior, *each):
        assert choices * sum(part_of) == pytest.approx((1 - CONFIDENCE) / 4, rel=1e-9)
    assert choices * sum(map(sum, [prior, *each])) == pytest.approx(
        1 - CONFIDENCE, rel=1e-9
    )


@pytest.mark.parametrize(("seen", "rows"), [(3, 20), (0, 20), (20, 20)])
def test_two_secrets_by_bisection(seen, rows):
    lower, upper = Sample([[seen, 0], [0, rows - seen]], CONFIDENCE, math.log(10)).prior
    ends = []
    for tail in (
        lambda p: binom.sf(seen - 1, rows, p),
        lambda p: 1 - binom.cdf(seen, rows, p),
    ):
        level = 1 / 1600 if not ends else 1 - 1 / 1600
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle) <= level else (low, middle)
        ends.append(low)
    assert lower[0] == pytest.approx(0.0 if seen == 0 else ends[0], abs=1e-9)
    assert upper[0] == pytest.approx(1.0 if seen == rows else ends[1], abs=1e-9)


# what is known of one output, beside P(s) of 0.2 to 0.6 and of 0.4 to 0.8
CORNER = Between(
    lower=np.array([[0.5], [0.0], [0.05]]),
    upper=np.array([[0.9], [0.3], [0.5]]),
    prior_lower=np.array([0.2, 0.4]),
    prior_upper=np.array([0.6, 0.8]),
)


def test_a_lift_is_at_most_one_over_the_least_prior_and_a_law_at_the_corner_has_it():
    p_s, p_y_given_s = np.array([0.2, 0.8]), np.array([0.9, 0.0])
    p_y = p_s @ p_y_given_s
    assert CORNER.lower[2, 0] <= p_y <= CORNER.upper[2, 0]
    assert p_y_given_s[0] / p_y == pytest.approx(5.0)
    least, most = lifts_between(CORNER)
    # without the bound by the prior it would be 0.9 / 0.05 = 18 and 0.3 / 0.05 = 6
    assert most[:, 0].tolist() == pytest.approx([5.0, 2.5])
    assert least[:, 0].tolist() == pytest.approx([1.0, 0.0])


def test_no_law_between_the_bounds_has_a_larger_lift():
    _, most = lifts_between(CORNER)
    top = np.zeros(2)
    for at in itertools.product(np.linspace(0, 1, 21), repeat=3):
        first = 0.2 + 0.4 * at[0]
        p_s, p_y_given_s = (
            np.array([first, 1 - first]),
            np.array([0.5 + 0.4 * at[1], 0.3 * at[2]]),
        )
        p_y = float(p_s @ p_y_given_s)
        if 0.05 <= p_y <= 0.5:
            top = np.maximum(top, p_y_given_s / p_y)
    assert (top <= most[:, 0] + 1e-12).all()
    assert top[0] == pytest.approx(most[0, 0])


def test_a_rare_secrets_lift_is_bounded_by_its_own_prior():
    counts = np.array([[3, 7], [0, 190]])
    found = Sample(counts, CONFIDENCE)
    prior = interval(10, 200, (1 - CONFIDENCE) / 4 / 4)[0]
    cell = (1 - CONFIDENCE) / 4 / 2 / 2
    ratio = interval(3, 10, cell)[1] / interval(3, 200, cell)[0]
    assert 1 / prior < ratio
    _, most = lifts_between(found.cells())
    assert most[0, 0] == pytest.approx(1 / prior)
