"""The loops over pairs of coordinates and over directions, by hand: what is at a bound, and what rounding may do."""

import numpy as np
import pytest

from liftlib.solvers.mixing import directions as of_directions
from liftlib.solvers.mixing import pairs
from liftlib.solvers.mixing.problem import HAS_NUMBA


def plain(function):
    """A loop as Python runs it."""
    return getattr(function, "py_func", function)


@pytest.fixture(autouse=True)
def without_compiler(monkeypatch):
    for module, names in ((pairs, ("shares", "put")), (of_directions, ("alike",))):
        for name in names:
            monkeypatch.setattr(module, name, plain(getattr(module, name)))


def shares(rows, low, high):
    rows = np.array(rows, dtype=float)
    count = rows.shape[1] * (rows.shape[1] - 1) // 2
    least, most = np.full(count, np.nan), np.full(count, np.nan)
    plain(pairs.shares)(rows, np.array(low, dtype=float), np.array(high, dtype=float), 1e-12, least, most)
    return list(zip(least.tolist(), most.tolist(), strict=True))


@pytest.mark.parametrize(
    ("rows", "low", "high", "expected"),
    [
        ([[0.0, 0.0]], [-1], [1], [(0.0, 1.0)]),
        ([[0.5, 0.5]], [0.5], [1], [(0.0, 1.0)]),  # flat, at its lower end
        ([[0.5, 0.5]], [0], [0.5], [(0.0, 1.0)]),  # and at its upper end
        ([[1.0, 0.0]], [0.25], [0.75], [(0.25, 0.75)]),
        ([[0.0, 1.0]], [0.25], [1], [(0.0, 0.75)]),
        ([[1.0, 0.0]], [0.5], [0.5], [(0.5, 0.5)]),
        ([[1.0, 0.0], [0.0, 1.0]], [0.25, 0.5], [1, 1], [(0.25, 0.5)]),
        ([[1.0, 0.0, 0.5]], [0.25], [1], [(0.25, 1.0), (0.0, 1.0), (0.0, 0.5)]),
    ],
)
def test_shares_by_hand(rows, low, high, expected):
    assert shares(rows, low, high) == expected


@pytest.mark.parametrize(("low", "high"), [(0.6, 1.0), (-1.0, 0.4)])
def test_a_flat_row_that_is_outside_leaves_no_share(low, high):
    ((least, most),) = shares([[0.5, 0.5]], [low], [high])
    assert least > most


def vertices(rows, low, high, some=True):
    found = plain(pairs.vertices)(np.array(rows, dtype=float), np.array(low), np.array(high), 1e-12, 1e-9, some)
    return sorted({(int(i), int(j), share, round(h, 12)) for i, j, share, h in zip(*found, strict=True)})


def test_vertices_by_hand():
    half = round(np.log(2), 12)
    alone = [(0, 0, 1.0, 0.0), (1, 1, 1.0, 0.0)]
    assert vertices([[0.0, 0.0]], [-1.0], [1.0]) == alone
    assert vertices([[1.0, 0.0]], [0.5], [0.5]) == [(0, 1, 0.5, half)]  # a range that is one share
    assert vertices([[1.0, 0.0]], [0.5], [2.0]) == [(0, 0, 1.0, 0.0), (0, 1, 0.5, half)]
    assert vertices([[1.0, 0.0]], [-1.0], [0.5]) == [(0, 1, 0.5, half), (1, 1, 1.0, 0.0)]
    assert vertices([[1.0, 0.0]], [0.5], [2.0], some=False) == [(0, 0, 1.0, 0.0)]


def test_no_coordinate_of_a_direction_is_beyond_1():
    """Where rounding puts the quotient there."""
    rng = np.random.default_rng(0)
    above = 0
    for _ in range(200):
        cut = rng.normal(size=(1, 3))
        if not cut.min() < 0 < cut.max():
            continue
        middle, size = (cut.max() + cut.min()) / 2, (cut.max() - cut.min()) / 2
        above += ((cut - middle) / size).max() > 1
        rows, *_ = plain(of_directions.directions)(cut, 1e-12)
        assert np.abs(rows).max() == 1.0
    assert above > 3


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not installed")
def test_compiled_loops_call_compiled_loops():
    rows = np.array([[1.0, 0.0, 0.5]])
    found = pairs.vertices(rows, np.array([0.5]), np.array([2.0]), 1e-12, 1e-9, True)
    expected = plain(pairs.vertices)(rows, np.array([0.5]), np.array([2.0]), 1e-12, 1e-9, True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
