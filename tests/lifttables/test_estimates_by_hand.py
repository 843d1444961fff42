"""Estimates from a release, by fractions."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import liftlib as ll
import lifttables as tables
from lifttables.releases.estimating import INTERVAL_MARGIN, estimate

Z = 1.959963984540054
COIN = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]


def card_of(kernel):
    """Return the card of a release of the symbols a, b."""
    names = "abcdef"[: len(kernel)]
    frame = pl.DataFrame({"s": ["u", "v"] * 50 * len(names), "x": list(names) * 100})
    words = {"secret": "s", "public": "x", "notion": ll.LIP(5.0)}
    card = tables.sanitise(frame, **words).card
    assert card.symbols == tuple((name,) for name in names)
    kernel = np.array(kernel, dtype=float)
    outputs = tuple((f"y{y}",) for y in range(kernel.shape[1]))
    return replace(card, kernel=kernel, texts=outputs)


def released_rows(counts):
    return pl.DataFrame(
        {"x": [f"y{y}" for y, n in enumerate(counts) for _ in range(n)]}
    )


def coin_by_hand(heads, n):
    """Return the estimated share of heads, its standard error and its end's shift.

    P(head) = (3/2) told - (1/2) (1 - told), so that its variance is that of a share,
    (3/2 + 1/2)^2 q (1 - q) / n, with q from one row more of either output.
    """
    told, smooth = Fraction(heads, n), Fraction(heads + 1, n + 2)
    share = Fraction(3, 2) * told - Fraction(1, 2) * (1 - told)
    return share, math.sqrt(4 * smooth * (1 - smooth) / n), Z**2 / (2 * n) * 1.5


@pytest.mark.parametrize("n", [40, 1000])
@pytest.mark.parametrize("told", [0.0, 0.05, 0.3, 0.5, 0.6, 0.75, 1.0])
def test_a_coins_interval(n, told):
    heads = round(told * n)
    found = estimate(released_rows([heads, n - heads]), card_of(COIN))
    assert found.rows == n
    for x, seen in enumerate([heads, n - heads]):
        share, error, shift = coin_by_hand(seen, n)
        assert found.unbiased[x] == pytest.approx(float(share), abs=1e-12)
        assert found.error[x] == pytest.approx(error)
        low, high = share - Z * error, share + Z * error + shift
        assert found.low[x] == pytest.approx(
            min(max(low, 0.0), 1.0), abs=2 * INTERVAL_MARGIN
        )
        assert found.high[x] == pytest.approx(
            min(max(high, 0.0), 1.0), abs=2 * INTERVAL_MARGIN
        )


def test_a_coins_interval_in_numbers():
    found = estimate(released_rows([600, 400]), card_of(COIN))
    assert found.unbiased.round(4).tolist() == [0.7, 0.3]
    assert found.low.round(4).tolist() == [0.6393, 0.2393]
    assert found.high.round(4).tolist() == [0.7636, 0.3636]


@pytest.mark.parametrize("heads", [300, 450, 600, 700])
def test_what_a_coins_rows_are_worth(heads):
    """Rows of the table itself with the same error: p (1 - p) / m = error^2."""
    found = estimate(released_rows([heads, 1000 - heads]), card_of(COIN))
    share, error, _ = coin_by_hand(heads, 1000)
    plain = float(share * (1 - share))
    assert found.rows_worth.tolist() == pytest.approx([plain / error**2] * 2)
    assert math.sqrt(plain / found.rows_worth[0]) == pytest.approx(error)
    assert 0 < found.rows_worth[0] < 250


def test_what_is_told_outright_is_worth_no_more_than_its_rows():
    n, counts = 1000, [500, 300, 200]
    found = estimate(released_rows(counts), card_of(np.eye(3)))
    wanted = []
    for seen in counts:
        share, smooth = Fraction(seen, n), Fraction(seen + 1, n + 3)
        wanted.append(n * share * (1 - share) / (smooth * (1 - smooth)))
    assert wanted[0] > n
    assert found.rows_worth[0] == n
    assert found.rows_worth[1:].tolist() == pytest.approx(
        [float(one) for one in wanted[1:]]
    )
    assert max(wanted[1:]) < n


def test_a_share_estimated_as_0_is_worth_no_row():
    """200 of 1,000 reported heads are fewer than coins without heads would report."""
    found = estimate(released_rows([200, 800]), card_of(COIN))
    assert found.projected.tolist() == pytest.approx([0.0, 1.0])
    assert found.rows_worth.tolist() == pytest.approx([0.0, 0.0])


def test_what_is_certain_is_worth_all_rows():
    found = estimate(released_rows([70]), card_of(np.ones((3, 1))))
    assert found.symbols == ("a or b or c",)
    assert (found.unbiased[0], found.error[0]) == (
        pytest.approx(1.0),
        pytest.approx(0.0, abs=1e-7),
    )
    assert found.high[0] == 1.0
    assert found.rows_worth == 70
