"""Pairs of coordinates by hand: what is at a bound, what rounding may do."""

import numpy as np
import pytest

from mixproof.constraints import Constraints
from mixproof.sparse_vertices import _shares, sparse_vertices


def shares(rows, low, high):
    rows, low, high = (np.array(one, dtype=float) for one in (rows, low, high))
    first, second = np.triu_indices(rows.shape[1], 1)
    least, most = np.zeros(first.size), np.ones(first.size)
    _shares(rows, low[:, None], high[:, None], first, second, least, most)
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
        # of a billionth, which is no rounding
        ([[2.0**-33, 0.0]], [2.0**-34], [1], [(0.5, 1.0)]),
    ],
)
def test_shares_by_hand(rows, low, high, expected):
    assert shares(rows, low, high) == expected


@pytest.mark.parametrize(("low", "high"), [(0.6, 1.0), (-1.0, 0.4)])
def test_a_flat_row_that_is_outside_leaves_no_share(low, high):
    ((least, most),) = shares([[0.5, 0.5]], [low], [high])
    assert least > most


def listed(found):
    return sorted(
        {
            (int(i), int(j), float(share), round(float(h), 12))
            for i, j, share, h in zip(*found, strict=True)
        }
    )


def vertices(rows, low, high):
    rows = np.array(rows)
    whole = np.append(rows, np.ones((1, rows.shape[1])), axis=0)
    return listed(
        sparse_vertices(
            Constraints(whole, np.append(low, 1.0), np.append(high, 1.0), rows, rows)
        )
    )


def test_vertices_by_hand():
    half = round(np.log(2), 12)
    alone = [(0, 0, 1.0, 0.0), (1, 1, 1.0, 0.0)]
    assert vertices([[0.0, 0.0]], [-1.0], [1.0]) == alone
    # a range that is one share
    assert vertices([[1.0, 0.0]], [0.5], [0.5]) == [(0, 1, 0.5, half)]
    assert vertices([[1.0, 0.0]], [0.5], [2.0]) == [(0, 0, 1.0, 0.0), (0, 1, 0.5, half)]
    assert vertices([[1.0, 0.0]], [-1.0], [0.5]) == [
        (0, 1, 0.5, half),
        (1, 1, 1.0, 0.0),
    ]
    # more vertices than coordinates, none of them a coordinate alone
    third = round(np.log(3) - 2 / 3 * np.log(2), 12)
    assert vertices([[1.0, -0.5, -0.5]], [0.0], [0.0]) == [
        (0, 1, 1 / 3, third),
        (0, 2, 1 / 3, third),
    ]
