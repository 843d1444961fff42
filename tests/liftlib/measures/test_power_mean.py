"""The power mean, against exact arithmetic."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from liftlib.measures.lifts import power_mean


def decimal_power_mean(values, weights, order):
    """The mean in 60 digits, where 1e-300 ** 100 neither underflows nor overflows."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**9), 10**9
        total = sum(
            Decimal(w) * Decimal(v) ** Decimal(order)
            for v, w in zip(values, weights, strict=True)
        )
        return float(total ** (1 / Decimal(order)))


class TestPowerMean:
    @pytest.mark.parametrize("order", [1, 1.5, 2, 10, 100])
    @pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
    def test_against_60_digits(self, order, scale):
        rng = np.random.default_rng(int(order * 7))
        values, weights = rng.random(6) * scale, rng.dirichlet(np.ones(6))
        expected = decimal_power_mean(values.tolist(), weights.tolist(), order)
        assert power_mean(values, weights, order, axis=0) == pytest.approx(
            expected, rel=1e-13, abs=0
        )

    def test_values_of_very_different_size(self):
        values, weights = np.array([1e-300, 1e300]), np.array([1 - 1e-12, 1e-12])
        assert power_mean(values, weights, 100, axis=0) == pytest.approx(
            decimal_power_mean(values.tolist(), weights.tolist(), 100), rel=1e-13
        )

    def test_order_one_is_the_mean_and_infinity_the_largest_with_weight(self):
        values, weights = np.array([1.0, 3.0, 9.0]), np.array([0.5, 0.5, 0.0])
        assert power_mean(values, weights, 1, axis=0) == 2
        assert power_mean(values, weights, math.inf, axis=0) == 3
        assert power_mean(values, weights, 1e6, axis=0) == pytest.approx(3, rel=1e-5)

    @pytest.mark.parametrize(
        ("values", "weights", "order", "mean"),
        [
            # what has no weight counts for nothing, even if it is infinite
            *(([0.5, 9.0], [1.0, 0.0], order, 0.5) for order in (1, 2.5, math.inf)),
            ([math.inf, 2.0], [0.0, 1.0], 100, 2.0),
            # a huge value beside an infinite one does not overflow
            ([math.inf, 1e300], [0.5, 0.5], 100, math.inf),
            *(([0.0, 0.0], [0.5, 0.5], order, 0.0) for order in (1.5, 100, math.inf)),
            ([math.nan, 1.0], [0.5, 0.5], 2, math.nan),
        ],
    )
    def test_odd_values(self, values, weights, order, mean):
        found = power_mean(np.array(values), np.array(weights), order, axis=0)
        np.testing.assert_equal(found.item(), mean)

    @pytest.mark.parametrize("order", [1.5, 100, 1e4, math.inf])
    def test_infinite_values(self, order):
        values = np.array([[math.inf, 1.0, math.inf], [2.0, 1.0, math.inf]])
        assert power_mean(values, np.array([[0.3], [0.7]]), order, axis=0).tolist() == [
            math.inf,
            1.0,
            math.inf,
        ]

    def test_axis_and_batches(self):
        rng = np.random.default_rng(3)
        values, weights = rng.random((4, 3, 5)), rng.dirichlet(np.ones(3), size=4)
        batch = power_mean(values, weights[:, :, None], 2.5, axis=-2)
        assert batch.shape == (4, 5)
        for n in range(4):
            for x in range(5):
                expected = (
                    sum(
                        w * v**2.5
                        for w, v in zip(weights[n], values[n, :, x], strict=True)
                    )
                    ** 0.4
                )
                assert batch[n, x] == pytest.approx(expected, rel=1e-13)
