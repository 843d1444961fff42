"""Halfspaces as ranges, and the vertices on one or two coordinates."""

import numpy as np
import pytest

import liftlib as ll
from mixproof import constraints as module
from mixproof.constraints import two_sided
from mixproof.numerics import xlogx
from mixproof.polytope import vertices
from mixproof.sparse_vertices import sparse_vertices


def cones(seed=0, count=30):
    """Halfspaces of notions and of integers, some twice, some scaled, some turned."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(2, 7))
        if rng.random() < 0.5:
            joint = ll.Joint(ll.datasets.uniform_joints(1, 3, n, rng)[0])
            yield ll.ALIP(*rng.uniform(0.1, 1, 2)).halfspaces(joint), joint.p_x, rng
            continue
        inside = rng.dirichlet(np.ones(n))
        g = rng.integers(-3, 4, (int(rng.integers(1, 6)), n)).astype(float)
        # so that the point is inside
        g = g - (g @ inside)[:, None] + rng.random((len(g), 1))
        other = -g + 2 * rng.random((len(g), 1)) + 2 * (g @ inside)[:, None]
        both = np.concatenate(
            [g, 3 * g, g + 0.2, other, np.ones((1, n)), np.zeros((1, n))]
        )
        yield rng.permutation(both), inside, rng


def test_directions_that_rounding_tells_apart_are_one_in_many_coordinates_too():
    rng = np.random.default_rng(3)
    g = rng.uniform(-0.9, 0.9, (12, 200))
    g[:, 0], g[:, 1] = 1.0, -1.0  # so that each is of unit size as it is
    g[7] = g[3]
    g[7, 2:] += 0.9 * module.DIRECTION_TOL
    assert g.size * len(g) > module.MAX_PAIRWISE_SIZE
    assert len(two_sided(g).rows) == 12  # eleven, and the sum


def test_a_point_is_allowed_by_ranges_where_halfspaces_allow_it():
    outside = 0
    for g, _, rng in cones():
        hull = two_sided(g)
        points = rng.dirichlet(np.ones(g.shape[1]), 300)
        by_rows = (points @ g.T >= 0).all(axis=1)
        values = points @ hull.rows.T
        # the sum is 1 up to rounding
        by_ranges = ((values >= hull.low) & (values <= hull.high))[:, :-1].all(axis=1)
        np.testing.assert_array_equal(by_rows, by_ranges)
        outside += (~by_rows).sum()
        assert np.isfinite([hull.low, hull.high]).all()
    assert outside > 500


def test_each_direction_stands_once_and_knows_its_halfspaces():
    for g, _, _ in cones(1):
        hull = two_sided(g)
        *rows, total = hull.rows
        assert (total == 1).all()
        assert (
            hull.low[-1],
            hull.high[-1],
            hull.sides[-1].tolist(),
            hull.sizes[-1].tolist(),
        ) == (
            1,
            1,
            [-1, -1],
            [1, 1],
        )
        for k, row in enumerate(rows):
            assert (row.max(), row.min()) == pytest.approx((1, -1))
            assert row[np.abs(row) > 0.5][0] > 0
            assert (np.abs(hull.rows[:-1] - row).max(axis=1) < 1e-9).sum() == 1
            assert (np.abs(hull.rows[:-1] + row).max(axis=1) > 1e-9).all()
            bounds = {0: [], 1: []}
            for at, halfspace in enumerate(g):
                size = (halfspace.max() - halfspace.min()) / 2
                if size == 0 or halfspace.min() >= 0:
                    continue
                middle = (halfspace.max() + halfspace.min()) / 2
                for side, sign in ((0, 1), (1, -1)):
                    if np.abs(sign * (halfspace - middle) / size - row).max() < 1e-9:
                        bounds[side].append((-sign * middle / size, at, size))
            for side, tightest, end, free in (
                (0, max, hull.low[k], -1.0),
                (1, min, hull.high[k], 1.0),
            ):
                if not bounds[side]:
                    assert (end, hull.sides[k, side], hull.sizes[k, side]) == (
                        free,
                        -1,
                        1,
                    )
                    continue
                wanted = tightest(bounds[side])[0]
                assert end == pytest.approx(wanted, abs=1e-12)
                allowed = [
                    (at, size)
                    for bound, at, size in bounds[side]
                    if abs(bound - wanted) < 1e-12
                ]
                assert hull.sides[k, side] in [at for at, _ in allowed]
                assert hull.sizes[k, side] == pytest.approx(
                    dict(allowed)[hull.sides[k, side]]
                )


def test_no_halfspaces_leave_the_sum():
    for g in (
        np.empty((0, 3)),
        np.zeros((2, 3)),
        np.ones((1, 3)),
        np.array([[1.0, 0.0, 2.0]]),
    ):
        hull = two_sided(g)
        assert hull.rows.tolist() == [[1, 1, 1]]
        assert (hull.low.tolist(), hull.high.tolist()) == ([1], [1])
        assert hull.sides.tolist() == [[-1, -1]]
        low, high = hull.widened(np.full(len(g), 0.5))
        assert (low.tolist(), high.tolist()) == ([1], [1])


def test_wider_by_a_slack():
    for g, _, rng in cones(2):
        hull, slack = two_sided(g), 0.1 * rng.random(len(g))
        low, high = hull.widened(slack)
        for k, (below, above) in enumerate(hull.sides):
            for at, size, moved in (
                (below, hull.sizes[k, 0], hull.low[k] - low[k]),
                (above, hull.sizes[k, 1], high[k] - hull.high[k]),
            ):  # fmt: skip
                assert moved == pytest.approx(
                    slack[at] / size if at >= 0 else 0.0, abs=1e-12
                )


def test_multipliers_of_the_halfspaces_themselves():
    for g, _, rng in cones(3):
        hull = two_sided(g)
        multipliers = rng.normal(size=(4, len(hull.rows))) * (
            rng.random((4, len(hull.rows))) < 0.8
        )
        multipliers[:, :-1] *= (hull.sides >= 0).all(axis=1)[:-1] | (
            rng.random(len(hull.rows) - 1) < 0.5
        )
        _, found = hull.pulled_back(multipliers)
        assert found.shape == multipliers.shape
        for y, weights in zip(multipliers, found, strict=True):
            constant = sum(
                v * (hull.low[k] if v > 0 else hull.high[k]) for k, v in enumerate(y)
            )
            assert weights[-1] == pytest.approx(constant, abs=1e-12)
            for k, v in enumerate(y[:-1]):
                at = hull.sides[k, 0 if v > 0 else 1]
                if at < 0 or v == 0:
                    assert weights[k] == 0
                    continue
                # what is above the bound is the halfspace itself, in its size
                point = rng.dirichlet(np.ones(g.shape[1]))
                above = (
                    hull.rows[k] @ point - hull.low[k]
                    if v > 0
                    else hull.high[k] - hull.rows[k] @ point
                )
                assert abs(weights[k]) * (g[at] @ point) == pytest.approx(
                    abs(v) * above, abs=1e-10
                )
                assert np.sign(weights[k]) == np.sign(v)


@pytest.mark.parametrize(
    ("apart", "alike"), [(0.9e-13, True), (1.2e-13, False), (1e-9, False)]
)
def test_when_two_directions_are_one(apart, alike):
    one = np.array([[1.0, -1.0, 0.25]])
    for far in (0.0, 0.5):
        rows = np.concatenate([one, one[:, ::-1], one, one])
        rows[2, 2] += apart
        rows[3, 2] += far
        group = module._groups(rows)
        assert (group[0] == group[2]) == alike
        assert group[0] != group[1]
        assert (group[0] == group[3]) == (far == 0)
        assert set(group) == set(range(len(set(group))))


def test_many_directions_are_told_apart_as_few_are():
    rng = np.random.default_rng(4)
    rows = rng.integers(-1, 2, (400, 4)) / 2.0
    group = module._groups(rows)
    for at, row in enumerate(rows):
        np.testing.assert_array_equal(group == group[at], (rows == row).all(axis=1))
    swapped = np.tile(np.eye(4), (60, 1)) + 1e-14 * rng.normal(size=(240, 4))
    assert len(set(module._groups(swapped).tolist())) == 4


def test_directions_that_lie_next_to_each_other_along_the_line():
    """Two that tie there, in turns: each is found behind the other."""
    one = np.array([1.0, -1.0, 0.2])
    # the line's own direction is (sqrt 2, sqrt 3, 2)
    other = one + 0.3 * np.array([np.sqrt(3), -np.sqrt(2), 0.0])
    rows = np.tile([one, other], (100, 1)) + 1e-14 * np.random.default_rng(8).normal(
        size=(200, 3)
    )
    assert rows.size * len(rows) > module.MAX_PAIRWISE_SIZE
    group = module._groups(rows)
    assert len(set(group.tolist())) == 2
    assert set(group[::2]) == {group[0]}


# Vertices on one or two coordinates
# -------------------------------------------------------------------------------


def test_all_vertices_on_one_or_two_coordinates():
    on_two = 0
    for g, _, rng in cones(5):
        n = g.shape[1]
        found = sparse_vertices(two_sided(g))
        points = found.points(np.arange(found.share.size), n)
        every = vertices(g)
        expected = every[(every > 1e-9).sum(axis=1) <= 2]
        assert len(points) == len(expected)
        distance = np.abs(points[:, None] - expected[None]).max(axis=2)
        np.testing.assert_array_equal((distance < 1e-9).sum(axis=0), 1)
        np.testing.assert_array_equal((distance < 1e-9).sum(axis=1), 1)
        np.testing.assert_allclose(
            found.entropy, -xlogx(points).sum(axis=1), atol=1e-12
        )
        dual = rng.normal(size=n)
        np.testing.assert_allclose(
            found.prices(dual), found.entropy - points @ dual, atol=1e-12
        )
        some = rng.permutation(found.share.size)[:3]
        np.testing.assert_array_equal(found.points(some, n), points[some])
        on_two += (found.first != found.second).sum()
    assert on_two > 50


def test_a_coordinate_that_is_allowed_alone_is_found():
    rng = np.random.default_rng(7)
    for g in rng.normal(size=(300, 1, 2)) + np.array([0.5, -0.5]):
        alone = sparse_vertices(two_sided(g))
        assert (
            sorted(alone.first[alone.first == alone.second])
            == np.flatnonzero(g[0] >= 0).tolist()
        )


@pytest.mark.parametrize(("share", "kept"), [(2e-12, True), (0.5e-12, False)])
def test_a_share_of_next_to_nothing_is_a_coordinate_alone(share, kept):
    g = np.array([[1 - share, -share]])  # at least so much of the first
    found = sparse_vertices(two_sided(g))
    points = found.points(np.arange(found.share.size), 2)
    assert len(points) == (2 if kept else 1)
    assert points[0].tolist() == [1, 0]


def test_rows_that_are_flat_between_two_coordinates():
    """They bound no share of theirs, but may rule both out."""
    # twice the third at least as much as the first two together: alike in those
    g = np.array([[-1.0, -1.0, 2.0]])
    found = sparse_vertices(two_sided(g))
    points = found.points(np.arange(found.share.size), 3)
    wanted = [[0, 0, 1], [2 / 3, 0, 1 / 3], [0, 2 / 3, 1 / 3]]
    np.testing.assert_allclose(sorted(points.tolist()), sorted(wanted), atol=1e-12)
    # at most twice: then the first two are free among each other
    found = sparse_vertices(two_sided(-g))
    points = found.points(np.arange(found.share.size), 3)
    wanted = [[1, 0, 0], [0, 1, 0], [2 / 3, 0, 1 / 3], [0, 2 / 3, 1 / 3]]
    np.testing.assert_allclose(sorted(points.tolist()), sorted(wanted), atol=1e-12)


@pytest.mark.parametrize("pairwise", [True, False])
def test_a_chain_of_directions_is_not_one(pairwise, monkeypatch):
    if not pairwise:
        monkeypatch.setattr(module, "MAX_PAIRWISE_SIZE", 0)
    # the third row is alike to the first and the fourth, which differ
    rows = np.array([[1, 0.0], [1, -0.5], [1, 0.8e-13], [1, 1.6e-13]])
    group = module._groups(rows)
    assert (group == group[1]).sum() == 1
    assert group[0] != group[3]
    for number in set(group):
        (among,) = np.nonzero(group == number)
        assert np.ptp(rows[among], axis=0).max() <= module.DIRECTION_TOL
