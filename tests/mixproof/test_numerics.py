"""Tolerances, checks and careful functions, against exact arithmetic and scipy."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from messages import raised
from scipy import special

from liftlib import Channel, Joint
from liftlib.errors import InvalidDistribution, InvalidParameter, LiftError
from lifttables.population.sample import Sample
from mixproof.numerics import (
    as_matrix,
    check_count,
    check_nonnegative,
    check_scalar,
    check_shape,
    generator,
    xlogx,
)


class TestAsMatrix:
    def test_copies(self):
        source = np.array([[1.0, 2.0]])
        copy = as_matrix("a", source)
        source[0, 0] = 9
        assert copy.tolist() == [[1.0, 2.0]]
        assert copy.dtype == np.float64

    @pytest.mark.parametrize(
        "values", [[[1, "a"]], [[1, 10**400]], [[1, 2], [3]], [[1, None]]]
    )
    def test_refuses_what_numpy_refuses(self, values):
        with pytest.raises(InvalidDistribution):
            as_matrix("a", values)

    @pytest.mark.parametrize(
        "values",
        [
            np.array([[1, 2j]]),
            [1, 2],
            3.0,
            [[[1]]],
            [[]],
            [[1, 2], [math.nan, math.nan]],
            [[1, math.inf]],
            [[1, -math.inf]],
        ],
    )
    def test_refuses(self, values):
        with raised(InvalidDistribution):
            as_matrix("a", values)

    def test_names_every_number_of_axes_allowed(self):
        with raised(InvalidDistribution):
            as_matrix("a", [1.0], ndim=(2, 3))

    def test_errors_are_lift_errors_and_value_errors(self):
        for kind in (LiftError, ValueError):
            with pytest.raises(kind):
                as_matrix("a", [1.0])


def test_check_nonnegative_names_place_and_value():
    check_nonnegative("counts", np.array([[0.0, 1.0]]))
    with raised(InvalidDistribution):
        check_nonnegative("counts", np.array([[0.0, 1.0], [-0.5, -2.0]]))
    with raised(InvalidDistribution):
        check_nonnegative("counts", np.array([-0.5, 1.0]))
    with raised(InvalidDistribution):
        check_nonnegative("counts", np.array([math.nan]))


@pytest.mark.parametrize("made", [Joint, Joint.from_counts, Sample, Channel])
def test_a_sum_beyond_any_float(made):
    with raised(InvalidDistribution):
        made([[1e308, 1e308]])


class TestCheckScalar:
    @pytest.mark.parametrize(
        "value", [0, 1.5, np.float32(2), np.int64(3), Fraction(1, 2), math.inf]
    )
    def test_returns_a_float(self, value):
        checked = check_scalar("eps", value)
        assert type(checked) is float
        assert checked == float(value)

    @pytest.mark.parametrize(
        "value",
        [
            -1,
            -1e-300,
            Fraction(-1, 2),
            math.nan,
            np.float64("nan"),
            True,
            np.True_,
            "2",
            None,
            [1.0],
            1j,
            np.complex128(1),
            np.array(1.0),
            10**400,
            Fraction(10**400, 3),
        ],
    )
    def test_refuses(self, value):
        with raised(InvalidParameter):
            check_scalar("eps", value)

    def test_refuses_what_is_too_long_to_write(self):
        with raised(InvalidParameter):
            check_scalar("eps", -(10**5000))

    def test_open_and_finite_ends(self):
        assert check_scalar("a", 1, 1, 2) == 1
        assert check_scalar("a", 2, 1, 2) == 2
        assert check_scalar("alpha", 1.5, 1, open_low=True) == 1.5
        with raised(InvalidParameter):
            check_scalar("alpha", 1, 1, open_low=True)
        assert check_scalar("level", 0.5, 0, 1, open_low=True, open_high=True) == 0.5
        with raised(InvalidParameter):
            check_scalar("level", 1, 0, 1, open_low=True, open_high=True)
        with raised(InvalidParameter):
            check_scalar("a", math.inf, finite=True)
        with raised(InvalidParameter):
            check_scalar("lam", 1.5, 0, 1, finite=True)
        with raised(InvalidParameter):
            check_scalar("lam", 1.0000000001, 0, 1)
        with raised(InvalidParameter):
            check_scalar("n", 2, 0, 1.9999999, open_high=True)


class TestCounts:
    @pytest.mark.parametrize("value", [2, 3, np.int8(2)])
    def test_whole_numbers_from_the_least_on(self, value):
        counted = check_count("n", value, 2)
        assert type(counted) is int
        assert counted == value

    @pytest.mark.parametrize(
        "value", [1, 0, -1, True, np.True_, 2.0, "2", None, math.nan]
    )
    def test_refuses(self, value):
        with raised(InvalidParameter):
            check_count("n", value, 2)

    def test_the_least_is_1_unless_said(self):
        assert check_count("n", 1) == 1
        with raised(InvalidParameter):
            check_count("n", 0)

    def test_no_more_than_an_array_holds(self):
        most = sys.maxsize // 8
        assert check_count("n", most) == most
        for value in (most + 1, 10**400, 10**5000):
            with raised(InvalidParameter):
                check_count("n", value)
        with raised(InvalidParameter):
            check_shape(a=most, b=2, c=1)
        assert check_shape(a=most // 2, b=2) == (most // 2, 2)
        with raised(InvalidParameter):
            check_shape(a=2, b=0)


class TestGenerator:
    def test_a_generator_goes_on_and_a_seed_starts(self):
        rng = np.random.default_rng(3)
        assert generator(rng) is rng
        for seed in (0, np.int64(3), 10**400):
            assert generator(seed).random() == np.random.default_rng(seed).random()

    def test_refuses(self):
        with raised(InvalidParameter):
            generator(-1)


class TestXlogx:
    def test_against_scipy(self):
        p = np.concatenate(
            [[0.0, 1.0, 5e-324, 1e-308], np.random.default_rng(0).random(50)]
        )
        np.testing.assert_allclose(xlogx(p), special.xlogy(p, p), rtol=1e-15, atol=0)

    def test_zero_and_nan(self):
        assert xlogx(0.0) == 0
        assert np.isnan(xlogx(math.nan))


@pytest.mark.parametrize("check", [check_count, check_scalar])
def test_an_array_for_a_number_is_told_on_one_short_line(check):
    with raised(InvalidParameter) as told:
        check("n", np.ones((6, 15)))
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 160
