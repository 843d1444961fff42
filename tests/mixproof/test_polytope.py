"""Vertices against an exact enumeration, cddlib, and shapes known by hand."""

import itertools
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from asked import give_up, raised_if
from messages import raised
from scipy.optimize import linprog

import liftlib as ll
from liftlib.errors import InvalidDistribution, InvalidParameter, SolverFailure
from mixproof import polytope
from mixproof.errors import TooManyVertices
from mixproof.numerics import FEASIBILITY_TOL, TIGHT_TOL, TWIN_TOL
from mixproof.polytope import vertices

cdd = pytest.param("cdd", marks=pytest.mark.cdd)


def solve_exactly(matrix, right):
    """Return the solution of a square system of Fractions, or None if it is
    singular.
    """
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n = len(rows)
    for column in range(n):
        pivot = next((r for r in range(column, n) if rows[r][column] != 0), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for other in range(n):
            if other != column and rows[other][column] != 0:
                factor = rows[other][column]
                rows[other] = [
                    a - factor * b
                    for a, b in zip(rows[other], rows[column], strict=True)
                ]
    return [row[n] for row in rows]


def exact_vertices(g):
    """Try every basis: n - 1 tight constraints and the sum, all in Fractions."""
    n = len(g[0])
    rows = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)] + [
        [Fraction(value) for value in row] for row in g
    ]
    found = set()
    for tight in itertools.combinations(rows, n - 1):
        v = solve_exactly(
            [[Fraction(1)] * n, *tight], [Fraction(1)] + [Fraction(0)] * (n - 1)
        )
        if v is not None and all(
            sum(a * b for a, b in zip(row, v, strict=True)) >= 0 for row in rows
        ):
            found.add(tuple(v))
    return sorted(found)


def assert_same(found, expected, tolerance=1e-9):
    assert len(found) == len(expected)
    expected = np.array(expected, dtype=float).reshape(np.shape(found))
    if not len(expected):
        return
    distance = np.abs(np.asarray(found)[:, None] - expected[None]).max(axis=2)
    assert (distance.min(axis=1) <= tolerance).all()
    assert (distance.min(axis=0) <= tolerance).all()


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("method", ["qhull", cdd])
def test_against_exact_enumeration(seed, method):
    """Small integer rows: ties, zeros, repeated and redundant rows come by
    themselves.
    """
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 5)), int(rng.integers(1, 5))
    g = rng.integers(-2, 4, (m, n))
    assert_same(vertices(g, method), exact_vertices(g.tolist()))


@pytest.mark.parametrize("seed", range(20))
def test_with_implied_equalities(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    row = rng.integers(-3, 4, n)
    g = np.array([row, -row, rng.integers(-2, 3, n)])
    assert_same(vertices(g), exact_vertices(g.tolist()))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.1, 1.0, 5.0])
def test_lift_polytopes_against_exact_enumeration(seed, eps):
    """The halfspaces that the notions give, with zero cells and duplicate columns."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, (2, 4)) + np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
    counts[:, 3] = counts[:, 0] + counts[:, 0]
    joint = ll.Joint.from_counts(counts, drop_empty=True)
    g = ll.LIP(eps).halfspaces(joint)
    # the float rows of an equality are not each other's negative to the last bit; make
    # them so
    if eps == 0:
        g = np.concatenate([g[: joint.n_secret], -g[: joint.n_secret]])[
            [0, joint.n_secret]
        ]
    assert_same(vertices(g), exact_vertices(g.tolist()), tolerance=1e-7)


@pytest.mark.cdd
@pytest.mark.parametrize(
    ("n_secret", "n_public", "eps"),
    [(3, 8, 0.5), (5, 12, 1.0), (2, 20, 0.3), (6, 9, 0.7)],
)
def test_qhull_against_cdd(n_secret, n_public, eps):
    joint = ll.datasets.uniform_joint(n_secret, n_public, np.random.default_rng(3))
    g = ll.LIP(eps).halfspaces(joint)
    found = vertices(g, "qhull")
    assert_same(found, vertices(g, "cdd"))
    assert_same(found, vertices(g, interior=joint.p_x))


def test_thin_polytope_is_the_scaled_tangent_one():
    """At a tiny budget the polytope is its shape at budget 0, thickened."""
    joint = ll.datasets.uniform_joint(5, 12, np.random.default_rng(0))
    counts = {
        eps: len(vertices(ll.LIP(eps).halfspaces(joint), interior=joint.p_x))
        for eps in (1e-5, 1e-6)
    }
    assert counts[1e-5] == counts[1e-6]
    assert len(vertices(ll.LIP(1e-6).halfspaces(joint))) == counts[1e-6]
    found = vertices(ll.LIP(1e-6).halfspaces(joint))
    assert ((found > 0).sum(axis=1) <= 5).all()
    lifts = found @ (joint.s_given_x / joint.p_s[:, None]).T
    assert np.abs(np.log(lifts)).max() <= 1e-6 + 1e-12


def test_simplex_and_rows_that_never_bind():
    assert_same(vertices(np.empty((0, 3))), np.eye(3))
    assert_same(vertices([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]), np.eye(3))
    assert_same(vertices([[np.exp(50.0), np.exp(50.0) - 1, 1e-9]]), np.eye(3))


def test_one_coordinate():
    for free in (np.empty((0, 1)), [[1.0]]):
        assert vertices(free).tolist() == [[1.0]]
    assert vertices([[-1.0]]).shape == (0, 1)


@pytest.mark.parametrize("method", ["qhull", cdd])
def test_empty_is_an_answer(method):
    assert vertices([[-1.0, -1.0]], method).shape == (0, 2)
    assert vertices([[1.0, -2.0, -1.0], [-2.0, 1.0, -1.0]], method).shape == (0, 3)


def test_single_point_and_segment():
    assert_same(vertices([[1.0, -1.0], [-1.0, 1.0]]), [[0.5, 0.5]])
    assert_same(vertices([[-1.0, 0.0, 0.0]]), [[0, 1, 0], [0, 0, 1]])
    assert_same(vertices([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), [[0, 0, 1]])


def test_scaling_rows_changes_nothing():
    g = np.random.default_rng(5).normal(size=(3, 5))
    assert_same(vertices(g * np.array([[1e-100], [1.0], [1e100]])), vertices(g))


def test_a_given_point_that_is_not_inside_is_not_used():
    g = [[1.0, -1.0, 0.0]]
    assert_same(vertices(g, interior=[0.1, 0.8, 0.1]), vertices(g))


def test_wrong_arguments():
    with raised(InvalidParameter):
        vertices([[1.0]], "fast")
    with raised(InvalidDistribution):
        vertices([[1.0, np.nan]])
    with raised(InvalidDistribution):
        vertices(np.empty((0, 0)))
    with raised(InvalidParameter):
        vertices([[1.0, -1.0, 0.0]], interior=[0.5, 0.5])


def test_a_solver_that_returns_nonsense_is_caught(monkeypatch):
    monkeypatch.setattr(polytope, "_by_qhull", lambda *_: np.array([[0.0, 1.0]]))
    with raised(SolverFailure):
        vertices([[1.0, -1.0]])


def test_without_pycddlib_the_remedy_is_said(monkeypatch):
    monkeypatch.setattr(polytope, "HAS_CDD", False)
    with raised(InvalidParameter):
        vertices([[1.0, -1.0]], "cdd")
    monkeypatch.setattr(polytope, "_by_qhull", give_up)
    with raised(SolverFailure):
        vertices([[1.0, -1.0]])


@pytest.mark.cdd
def test_where_qhull_gives_up_nobody_else_is_asked_in_silence(monkeypatch):
    """cdd may miss vertices, and what is made of its list is not proven."""
    monkeypatch.setattr(polytope, "_by_qhull", give_up)
    with raised(SolverFailure):
        vertices([[1.0, -1.0, 0.0]])
    assert_same(
        vertices([[1.0, -1.0, 0.0]], "cdd"), [[1, 0, 0], [0, 0, 1], [0.5, 0.5, 0]]
    )


@pytest.mark.parametrize("seed", range(10))
def test_copies_and_twins_are_one_vertex(seed):
    rng = np.random.default_rng(seed)
    joint = ll.datasets.uniform_joint(4, 12, rng)
    rows = polytope._constraints(ll.LIP(0.3).halfspaces(joint))
    found = vertices(ll.LIP(0.3).halfspaces(joint), interior=joint.p_x)
    many = np.concatenate([found, found[: len(found) // 2]])
    assert_same(polytope._distinct(rng.permutation(many), rows), found)
    # beyond 64 constraints the tight sets fill more than one word
    wide = np.concatenate([rows] * 4)
    assert_same(polytope._distinct(rng.permutation(many), wide), found)
    # a constraint on the brink of tightness, so that rounding decides whose tight set
    # has it
    brink = np.concatenate([rows, rows[12:] + TIGHT_TOL])
    twins = np.concatenate([found, found * (1 + 1e-14 * rng.normal(size=found.shape))])
    assert_same(polytope._distinct(twins, brink), found)


@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-4, 1e-5])
def test_equalities_that_follow_from_others_up_to_rounding(step):
    """All lifts differ from 1 in one direction, so three equalities are one."""
    joint = ll.Joint.from_counts(np.outer([0.5, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1]) + step)
    found = vertices(ll.PerfectPrivacy().halfspaces(joint), interior=joint.p_x)
    # P(s|x) is (p_s p_x + step) / (p_x + 3 step): a row is allowed if its mean of 1 /
    # (p_x + 3 step) is that of P_X
    height = 1 / (np.array([0.4, 0.3, 0.2, 0.1]) + 3 * step)
    level = height @ joint.p_x
    expected = []
    for i, j in itertools.combinations(range(4), 2):
        share = (level - height[j]) / (height[i] - height[j])
        if 0 <= share <= 1:
            expected.append(share * np.eye(4)[i] + (1 - share) * np.eye(4)[j])
    assert_same(found, expected, 1e-8)


def test_a_broken_constraint_is_judged_at_the_tolerance(monkeypatch):
    """A vertex may miss a constraint by the tolerance and by no more."""
    for miss, fails in ((0.9 * FEASIBILITY_TOL, False), (1.1 * FEASIBILITY_TOL, True)):
        monkeypatch.setattr(
            polytope,
            "_by_qhull",
            lambda *_, off=miss: np.array([[0.5 - off / 2, 0.5 + off / 2]]),
        )
        with raised_if(fails, SolverFailure):
            assert len(vertices([[1.0, -1.0]])) == 1


def test_a_solver_without_a_point_is_at_fault(monkeypatch):
    """No point inside is a failure; no central one is not."""

    def stopped(_):
        raise SolverFailure("HiGHS stopped: Time limit")

    run = polytope.LinearProgram.run
    monkeypatch.setattr(polytope.LinearProgram, "run", stopped)
    with raised(SolverFailure):
        polytope._relative_interior(polytope._constraints(np.array([[1.0, -1.0]])))
    calls = []

    def second_stopped(programme):
        calls.append(programme)
        return run(programme) if len(calls) == 1 else stopped(programme)

    monkeypatch.setattr(polytope.LinearProgram, "run", second_stopped)
    assert_same(
        vertices([[1.0, -1.0, 0.0]], "qhull"), [[1, 0, 0], [0, 0, 1], [0.5, 0.5, 0]]
    )
    assert len(calls) == 2


def test_twins_are_told_from_neighbours():
    base, third = np.array([0.5, 0.3, 0.2]), np.array([0.0, 0.0, 1.0])
    for apart, slack, count in (
        (0.2 * TWIN_TOL, TIGHT_TOL - 0.3 * TWIN_TOL, 2),
        (20 * TWIN_TOL, 0.0, 3),
    ):
        twin = base + apart * np.array([1, -1, 0])
        # tight at the first point only: its slack there, and 8/3 of the distance more
        # at its twin
        rows = np.concatenate([np.eye(3), [np.array([1.0, -5 / 3, 0.0]) + slack]])
        tight = np.abs(np.array([base, twin]) @ rows.T) < TIGHT_TOL
        assert tight[:, 3].tolist() == [True, False]
        assert len(polytope._distinct(np.array([base, twin, third]), rows)) == count


@pytest.mark.parametrize("size", [1e-8, 1e-4, 1.0, 1e6])
def test_an_interior_point_of_any_size(size):
    """What counts is its direction: also whether a constraint all but touches it."""
    g = [[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]
    wanted = [[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]
    for point in ([6.0, 5.0, 4.0], [1 / 3 + 1e-12, 1 / 3, 1 / 3 - 1e-12]):
        assert_same(vertices(g, "qhull", interior=size * np.array(point)), wanted)


def polished(raw, facets, slope, offset):
    hull = SimpleNamespace(intersections=np.array(raw, dtype=float), dual_facets=facets)
    return polytope._polish(
        hull, np.array(slope, dtype=float), np.array(offset, dtype=float)
    )


def test_a_small_constraint_is_as_good_as_a_large_one():
    slope, offset = np.array([[-1e-13, -1e-13], [-1.0, 1.0]]), np.array([1e-13, 0.0])
    np.testing.assert_allclose(
        polished([[0.5 + 1e-7, 0.5]], [[0, 1]], slope, offset), [[0.5, 0.5]], atol=1e-14
    )


@pytest.mark.parametrize("size", [1e-4, 1.0])
def test_points_are_solved_again_from_their_tight_constraints(size):
    """Where they miss them by more than rounding, whatever size the
    constraints have.
    """
    # the square of side 2
    slope, offset = (
        size * np.array([[-1.0, 0], [0, -1], [1, 0], [0, 1]]),
        np.full(4, size),
    )
    raw = [[1 + 1e-7, 1 - 1e-7], [-1, 1], [np.inf, 0], [-1 + 1e-7, -1]]
    facets = [[0, 1], [1, 2], [0, 2], [2, 3]]
    assert polished(raw, facets, slope, offset).tolist() == [[1, 1], [-1, 1], [-1, -1]]
    # only points with as many tight constraints as coordinates are
    assert polished(raw[:1], [[0, 1, 2]], slope, offset).tolist() == raw[:1]
    # and none where they are nearly parallel, or where it would break another
    # constraint
    nearly = np.concatenate([slope, size * np.array([[-1.0, 1e-14]])])
    assert (
        polished(raw[:1], [[0, 4]], nearly, np.append(offset, size)).tolist() == raw[:1]
    )
    assert polished(
        [[1 - 1e-7, 1]],
        [[0, 4]],
        np.concatenate([slope, [[-1.0, -1.0]]]),
        np.append(offset, 3.0),
    ).tolist() == [[1 - 1e-7, 1]]


def test_two_twins_are_one_vertex_and_points_are_normalised():
    rows = np.eye(3)
    base = np.array([0.5, 0.3, 0.2])
    assert len(polytope._distinct(np.array([base, base + 1e-14]), rows)) == 1
    # two that are further apart are the ends of a segment, whatever is tight there
    assert len(polytope._distinct(np.array([base, base[::-1]]), rows)) == 2
    unit = np.eye(3)
    near = np.array([unit[0], unit[1], unit[1] + 1e-14])
    assert len(polytope._distinct(near, rows)) == 2
    found = polytope._distinct(4 * np.array([base, [1.0, 0, 0], [0, 1, 0]]), rows)
    np.testing.assert_allclose(found, [base, [1, 0, 0], [0, 1, 0]], rtol=1e-15)


@pytest.mark.parametrize("n", [4, 10, 30])
def test_twins_in_many_coordinates(n):
    base = np.full(n, 1 / n)
    off = 0.9 * TWIN_TOL * np.where(np.arange(n) < n // 2, -1.0, 1.0)
    # tight at the first only
    brink = np.where(off > 0, 1.0, -1.0)
    brink += TIGHT_TOL - 0.5 * abs(off @ brink) - brink @ base
    rows = np.concatenate([np.eye(n), [brink]])
    points = np.array([base, base + off, np.eye(n)[0]])
    tight = np.abs(points @ rows.T) < TIGHT_TOL
    assert tight[:2, -1].tolist() == [True, False]
    assert len(polytope._distinct(points, rows)) == 2


def test_neighbours_along_the_line_that_are_no_twins_stay():
    """Points far apart may lie side by side along it."""
    n, base = 3, np.array([0.4, 0.3, 0.3])
    # moves neither the sum nor the place on the line
    apart = np.cross(np.ones(n), np.sqrt(np.arange(2, n + 2)))
    points = np.array([base, base + 0.1 * apart / np.abs(apart).max(), [0.1, 0.1, 0.8]])
    # each point has a constraint of its own
    rows = np.concatenate([np.eye(n), np.eye(n) - points.diagonal()[:, None]])
    assert len(polytope._distinct(points, rows)) == 3


@pytest.mark.cdd
def test_where_cdd_gives_up(monkeypatch):
    import cdd

    def stopped(_):
        raise RuntimeError("failed to run")

    monkeypatch.setattr(cdd, "polyhedron_from_matrix", stopped)
    with raised(SolverFailure):
        vertices([[1.0, -1.0, 0.0]], "cdd")


def test_the_centre_has_the_most_slack():
    rng, equalities = np.random.default_rng(11), 0
    for _ in range(20):
        n = int(rng.integers(3, 6))
        row = rng.integers(-2, 3, n).astype(float)
        rows = polytope._constraints(np.array([row, -row, *rng.normal(size=(2, n))]))
        centre, equal = polytope._relative_interior(rows)
        if centre is None or equal.all():
            continue
        equalities += equal.any()
        size = np.array([np.linalg.norm(one - one.mean()) for one in rows])
        free = ~equal & (size > 0)
        best = linprog(
            np.append(np.zeros(n), -1.0),
            A_ub=np.column_stack([-rows[free], size[free]]), b_ub=np.zeros(free.sum()),
            A_eq=np.vstack([
                np.append(np.ones(n), 0),
                np.column_stack([rows[equal], np.zeros(equal.sum())]),
            ]),
            b_eq=np.append(1.0, np.zeros(equal.sum())), bounds=[(0, None)] * (n + 1),
            method="highs",
        )  # fmt: skip
        assert ((rows[free] @ centre) / size[free]).min() == pytest.approx(
            -best.fun, abs=1e-8
        )
    assert equalities > 5


@pytest.mark.parametrize("seed", [2089, 1454])
def test_a_thin_polytope_keeps_all_its_vertices(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    inside = rng.dirichlet(np.ones(n))
    rows = rng.normal(size=(int(rng.integers(1, 4)), n))
    rows -= (rows @ inside)[:, None]
    width = 10.0 ** rng.uniform(-11, -4)
    halfspaces = np.concatenate([rows, -rows]) + width * rng.random((2 * len(rows), 1))
    every, corners = np.concatenate([np.eye(n), halfspaces]), []
    for some in itertools.combinations(range(len(every)), n - 1):
        system = np.concatenate([np.ones((1, n)), every[list(some)]])
        if np.linalg.cond(system) < 1e8:
            corner = np.linalg.solve(system, np.eye(n)[0])
            if (every @ corner >= -1e-3 * width).all():
                corners.append(corner)
    found = vertices(halfspaces)
    assert len(found) == len(corners) > 5
    for corner in corners:
        assert np.abs(found - corner).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("n", [2, 3, 6, 9])
def test_a_list_with_a_limit_is_the_same_list(n):
    rng = np.random.default_rng(n)
    for n_secret in (1, 2, 5):
        joint = ll.datasets.dirichlet_joint(n_secret, n, 0.5, rng)
        for notion in (ll.LIP(0.4), ll.LDP(0.8), ll.ALIP(np.inf, 0.1)):
            halfspaces = notion.halfspaces(joint)
            every = vertices(halfspaces, interior=joint.p_x)
            some = vertices(halfspaces, interior=joint.p_x, most=10_000)
            assert len(some) == len(every)
            apart = np.abs(some[:, None] - every).max(axis=2).min(axis=1)
            assert apart.max() <= 1e-11


def test_too_many_vertices_are_not_listed():
    joint = ll.datasets.uniform_joint(5, 9, np.random.default_rng(0))
    halfspaces = ll.LIP(0.3).halfspaces(joint)
    count = len(vertices(halfspaces, interior=joint.p_x))
    with pytest.raises(TooManyVertices):
        vertices(halfspaces, interior=joint.p_x, most=count // 2)


@pytest.mark.parametrize("rows", [np.empty((0, 5)), [[1.0, -1.0]]])
def test_more_vertices_than_asked_for_are_an_error_in_every_dimension(rows):
    with pytest.raises(TooManyVertices):
        vertices(rows, most=1)
