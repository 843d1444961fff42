"""What a consumer can estimate."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from table_of_people import rows_drawn

from lifttables import Question, estimate, sanitise
from lifttables.releases.estimating import Inverse, _nearest, expected_error


def test_a_coin_by_hand():
    """Warner: P(head) = (share told - 1/4) / (1/2), its variance q (1 - q)
    / (n / 4).
    """
    found = Inverse(np.array([[0.75, 0.25], [0.25, 0.75]]))
    told = Fraction(6, 10)
    by_hand = (told - Fraction(1, 4)) / Fraction(1, 2)
    assert np.array([0.6, 0.4]) @ found.weights[:, 0] == pytest.approx(float(by_hand))
    variance = np.array([0.6, 0.4]) @ found.weights[:, 0] ** 2 - float(by_hand) ** 2
    assert variance == pytest.approx(float(told * (1 - told) * 4))
    assert found.condition == pytest.approx(2.0)


def test_what_a_kernel_does_not_tell_apart():
    assert Inverse(np.array([[1.0, 0], [1, 0], [0, 1]])).groups == ((0, 1), (2,))
    assert Inverse(np.ones((3, 1))).groups == ((0, 1, 2),)
    assert Inverse(np.eye(3)).groups == ((0,), (1,), (2,))
    # x0 and x3 mixed evenly look like x1 and x2 mixed evenly, so none of the four is
    # known; x4 is
    kernel = np.array(
        [
            [0.8, 0.2, 0, 0],
            [0.6, 0, 0.4, 0],
            [0.2, 0.2, 0.6, 0],
            [0, 0, 1, 0],
            [0.1, 0, 0, 0.9],
        ]
    )
    kernel[3] = kernel[1] + kernel[2] - kernel[0]
    assert Inverse(kernel).groups == ((0, 1, 2, 3), (4,))


def test_the_widest_error_is_expected():
    p_x = np.array([0.5, 0.49, 0.01])
    error = expected_error(np.eye(3), p_x, 10**6)
    assert error == pytest.approx(1.96 * 0.5 / 1000, rel=0.01)


def test_projection_is_the_nearest_distribution():
    rng = np.random.default_rng(4)
    for _ in range(50):
        values = rng.normal(0.25, 0.5, 6)
        values += (1 - values.sum()) / values.size
        found = _nearest(values)
        assert found.sum() == pytest.approx(1)
        assert (found >= 0).all()
        slopes = found - values
        assert slopes[found > 0].max() <= slopes.min() + 1e-12


LAWS = {
    "shares apart": np.array([[0.2, 0.1, 0.05, 0.05], [0.05, 0.15, 0.3, 0.1]]),
    "a rare symbol": np.array([[0.3, 0.1, 0.05, 0.02], [0.2, 0.2, 0.1, 0.03]]),
    "six symbols": np.outer([0.5, 0.3, 0.2], [0.3, 0.2, 0.2, 0.15, 0.1, 0.05]),
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("law", LAWS)
def test_what_a_recipient_estimates_covers_the_population(law, merge):
    """Of whole releases, with the kernels that they have: every share's interval at
    .95.
    """
    p, covered, of = LAWS[law], 0, 0
    for seed in range(25):
        frame = rows_drawn(p, 2000, np.random.default_rng([seed, p.size]))
        values = [
            f"{name}={','.join(f'{name}{at}' for at in range(n))}"
            for name, n in zip("sx", p.shape, strict=True)
        ]
        # by a key of the owner's, as in a release: another for each table
        done = sanitise(
            frame,
            secret="s",
            public="x",
            notion=Question(0.1, 0.3),
            values=values,
            merge=merge,
            rng=seed,
        )
        found = estimate(done.frame, done.card)
        truth = dict(
            zip((f"x{at}" for at in range(p.shape[1])), p.sum(axis=0), strict=True)
        )
        for symbol, low, high in zip(found.symbols, found.low, found.high, strict=True):
            share = sum(truth.get(name, 0.0) for name in symbol.split(" or "))
            covered += low <= share <= high
            of += 1
    assert of > 50
    # tables are independent, shares of one table are not: an allowance of 3 standard
    # deviations of whole tables
    assert covered / of >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 25) * 0.6
    assert binom.cdf(covered, of, 0.95) > 1e-6
