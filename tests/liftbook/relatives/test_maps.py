"""The cheapest maps, against all maps one by one."""

import itertools

import numpy as np
import pytest

from liftbook.relatives.maps import ExactMaps, marginal_entropies, moved


def price(point, to, worth):
    symbols = np.bincount(to, point, worth.shape[1])
    inside = symbols[symbols > 0]
    return -(inside * np.log(inside)).sum() - sum(
        point[s] * worth[s, x] for s, x in enumerate(to)
    )


@pytest.mark.parametrize(
    ("n", "n_symbols"), [(1, 1), (1, 4), (2, 2), (3, 4), (4, 3), (5, 2)]
)
def test_exactly_the_cheapest_of_all_maps(n, n_symbols):
    rng = np.random.default_rng(n)
    points = rng.dirichlet(np.ones(n), size=5)
    points[0] = np.eye(n)[0]  # a sure one, the others with mass 0
    worth = rng.normal(size=(n, n_symbols))
    found, maps = ExactMaps(points).cheapest(worth)
    for k, point in enumerate(points):
        best = min(
            price(point, to, worth)
            for to in itertools.product(range(n_symbols), repeat=n)
        )
        assert found[k] == pytest.approx(best, abs=1e-12)
        assert price(point, maps[k], worth) == pytest.approx(best, abs=1e-12)


def test_a_cell_worth_nothing_is_left_alone():
    worth = np.array([[-1e3, 0.0], [0.0, -1e3]])
    _, maps = ExactMaps(np.array([[0.5, 0.5]])).cheapest(worth)
    assert maps.tolist() == [[1, 0]]


def test_entropies_by_loops():
    rng = np.random.default_rng(1)
    points, maps = rng.dirichlet(np.ones(4), size=6), rng.integers(0, 3, (6, 4))
    found = marginal_entropies(points, maps, 3)
    expected = [
        price(point, to, np.zeros((4, 3)))
        for point, to in zip(points, maps, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_no_single_move_helps():
    rng = np.random.default_rng(2)
    points, worth = rng.dirichlet(np.ones(5), size=20), rng.normal(size=(5, 4))
    starts = rng.integers(0, 4, (20, 5))
    ends = moved(points, starts, worth)
    for point, start, end in zip(points, starts, ends, strict=True):
        reached = price(point, end, worth)
        assert reached <= price(point, start, worth) + 1e-12
        for s, x in itertools.product(range(5), range(4)):
            other = end.copy()
            other[s] = x
            assert reached <= price(point, other, worth) + 1e-10


def test_a_move_must_be_worth_more_than_rounding():
    """Else two symbols of one price would take turns for ever."""
    for gain, to in ((0.0, 0), (1e-14, 0), (1e-11, 1)):
        assert moved(
            np.array([[1.0]]), np.array([[0]]), np.array([[0.0, gain]])
        ).tolist() == [[to]]
    # prices so large that the tolerance is nothing to them
    assert moved(np.array([[1.0]]), np.array([[0]]), np.array([[5000.0]])).tolist() == [
        [0]
    ]


def test_maps_are_not_changed_in_place():
    starts = np.array([[0, 0]])
    ends = moved(np.array([[0.5, 0.5]]), starts, np.array([[0.0, 9.0], [0.0, 9.0]]))
    assert (starts.tolist(), ends.tolist()) == ([[0, 0]], [[1, 1]])
