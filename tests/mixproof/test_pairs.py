"""Pairs of coordinates, by loops and by tables, and directions, by hand: what is at a bound, what rounding may do."""

import numpy as np
import pytest
from loops import interpreted

from mixproof import directions as of_directions
from mixproof import two_sparse as pairs
from mixproof.compiling import HAS_NUMBA
from mixproof.constraints import Constraints
from mixproof.sparse_vertices import AT_AN_END, FLAT, _shares, sparse_vertices


@pytest.fixture(autouse=True)
def without_compiler(monkeypatch):
    for module, names in ((pairs, ("shares", "put")), (of_directions, ("alike",))):
        for name in names:
            monkeypatch.setattr(module, name, interpreted(getattr(module, name)))


def by_loops(rows, low, high):
    count = rows.shape[1] * (rows.shape[1] - 1) // 2
    least, most = np.full(count, np.nan), np.full(count, np.nan)
    interpreted(pairs.shares)(rows, low, high, FLAT, least, most)
    return least, most


def by_tables(rows, low, high):
    first, second = np.triu_indices(rows.shape[1], 1)
    least, most = np.zeros(first.size), np.ones(first.size)
    _shares(rows, low[:, None], high[:, None], first, second, least, most)
    return least, most


def shares(route, rows, low, high):
    least, most = route(*(np.array(one, dtype=float) for one in (rows, low, high)))
    return list(zip(least.tolist(), most.tolist(), strict=True))


BOTH = pytest.mark.parametrize("route", [by_loops, by_tables])


@BOTH
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
        ([[2.0**-33, 0.0]], [2.0**-34], [1], [(0.5, 1.0)]),  # of a billionth, which is no rounding
    ],
)
def test_shares_by_hand(route, rows, low, high, expected):
    assert shares(route, rows, low, high) == expected


@BOTH
@pytest.mark.parametrize(("low", "high"), [(0.6, 1.0), (-1.0, 0.4)])
def test_a_flat_row_that_is_outside_leaves_no_share(route, low, high):
    ((least, most),) = shares(route, [[0.5, 0.5]], [low], [high])
    assert least > most


def listed(found):
    return sorted({(int(i), int(j), float(share), round(float(h), 12)) for i, j, share, h in zip(*found, strict=True)})


def vertices(rows, low, high, some=True):
    rows, low, high = np.array(rows), np.array(low), np.array(high)
    found = listed(interpreted(pairs.vertices)(rows, low, high, FLAT, AT_AN_END, some))
    if some:
        hull = Constraints(
            np.append(rows, np.ones((1, rows.shape[1])), axis=0), np.append(low, 1.0), np.append(high, 1.0), rows, rows
        )
        assert listed(sparse_vertices(hull)) == found
    return found


def test_vertices_by_hand():
    """As the route by tables has them."""
    half = round(np.log(2), 12)
    alone = [(0, 0, 1.0, 0.0), (1, 1, 1.0, 0.0)]
    assert vertices([[0.0, 0.0]], [-1.0], [1.0]) == alone
    assert vertices([[1.0, 0.0]], [0.5], [0.5]) == [(0, 1, 0.5, half)]  # a range that is one share
    assert vertices([[1.0, 0.0]], [0.5], [2.0]) == [(0, 0, 1.0, 0.0), (0, 1, 0.5, half)]
    assert vertices([[1.0, 0.0]], [-1.0], [0.5]) == [(0, 1, 0.5, half), (1, 1, 1.0, 0.0)]
    third = round(np.log(3) - 2 / 3 * np.log(2), 12)  # more vertices than coordinates, none of them a coordinate alone
    assert vertices([[1.0, -0.5, -0.5]], [0.0], [0.0]) == [(0, 1, 1 / 3, third), (0, 2, 1 / 3, third)]
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
        rows, *_ = interpreted(of_directions.directions)(cut, 1e-12)
        assert np.abs(rows).max() == 1.0
    assert above > 3


@pytest.mark.skipif(not HAS_NUMBA, reason="numba is not installed")
def test_compiled_loops_call_compiled_loops(monkeypatch):
    monkeypatch.undo()  # what is not compiled yet is compiled here
    rows = np.array([[1.0, 0.0, 0.5]])
    found = pairs.vertices(rows, np.array([0.5]), np.array([2.0]), 1e-12, 1e-9, True)
    expected = interpreted(pairs.vertices)(rows, np.array([0.5]), np.array([2.0]), 1e-12, 1e-9, True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
