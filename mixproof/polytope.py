"""Vertex enumeration for the polytope {v >= 0, sum v = 1, G v >= 0}.

Qhull enumerates the vertices in the affine hull of the polytope, because it needs a
non-empty interior; cddlib is an independent check. Each vertex is recomputed from its
tight constraints and checked, so its residual is rounding error.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from mixproof.checks import checked
from mixproof.errors import Infeasible, InvalidParameter, SolverFailure, TooManyVertices
from mixproof.lp import LinearProgram
from mixproof.numerics import (
    DISTINCT_TOL,
    FEASIBILITY_TOL,
    INTERIOR_TOL,
    POLISH_TOL,
    RANK_TOL,
    REGULAR_TOL,
    TIGHT_TOL,
    TWIN_TOL,
    Matrix,
    Vector,
    as_matrix,
)

Method = Literal["qhull", "cdd"]

# more might pass a limit on vertices by far, and each step counts the vertices anew
HALFSPACES_AT_ONCE = 4

HAS_CDD = find_spec("cdd") is not None
"""Whether pycddlib is installed; it has to be compiled, so it may be left out."""

NO_CDD = (
    "pycddlib is not installed: pip install 'pycddlib-standalone>=3' (the extra cdd), "
    "which compiles it with gcc and python3-dev"
)


@checked
def vertices(
    halfspaces: ArrayLike,
    method: Method = "qhull",
    *,
    interior: ArrayLike | None = None,
    most: int | None = None,
) -> Matrix:
    """Return the vertices of {v >= 0, sum v = 1, G v >= 0}.

    Parameters
    ----------
    halfspaces : array_like, shape (m, X)
        G; m may be 0. Rows may have any positive scale.
    method : {"qhull", "cdd"}
        ``"qhull"`` through scipy, or ``"cdd"``, the double description method in
        floating point: an independent, slower check that needs pycddlib and is known to
        miss vertices of very thin polytopes.
    interior : array_like, shape (X,), optional, keyword-only
        A candidate for a strictly interior point; if it is one, no linear program is
        needed to find one.
    most : int, optional, keyword-only
        For ``"qhull"``: give up at more vertices than this, of the polytope or of one
        with fewer halfspaces on the way.

    Returns
    -------
    numpy.ndarray, shape (M, X)
        The distinct vertices, as non-negative rows that sum to 1; M is 0 if the
        polytope is empty.

    Raises
    ------
    InvalidParameter
        If the method is unknown, or is ``"cdd"`` and pycddlib is not installed.
    TooManyVertices
        If there are more than ``most``.
    SolverFailure
        If a vertex violates a constraint by more than ``numerics.FEASIBILITY_TOL``, or
        the solver fails.

    Notes
    -----
    S20 eq. (15), E23 eq. (25). :cite:`Barber1996`, :cite:`Fukuda1996`.

    Examples
    --------
    >>> sorted(vertices([[1.0, -1.0, 0.0]]).round(6).tolist())  # v_0 >= v_1
    [[0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]
    """
    # without halfspaces the polytope is the simplex
    g = as_matrix("halfspaces", halfspaces, may_be_empty=True)
    if method == "cdd" and not HAS_CDD:
        raise InvalidParameter(f'method is "cdd", but {NO_CDD}; or give "qhull"')
    inside = None if interior is None else as_matrix("interior", interior, ndim=(1,))
    if inside is not None and len(inside) != g.shape[1]:
        raise InvalidParameter(
            f"interior has {len(inside)} coordinates, halfspaces {g.shape[1]}: give a "
            "point with as many coordinates"
        )
    rows = _constraints(g)
    if method == "cdd":
        points = _by_cdd(rows)
    else:
        try:
            points = _by_qhull(rows, inside, most)
        except TooManyVertices:
            raise
        except (scipy.spatial.QhullError, SolverFailure) as error:
            remedy = (
                "cdd might not, but may miss some"
                if HAS_CDD
                else f"cdd might not, but {NO_CDD}"
            )
            raise SolverFailure(
                f"qhull failed on {rows.shape[0]} halfspaces: {error}; {remedy}"
            ) from error
    points = _distinct(points, rows)
    if most is not None and len(points) > most:
        raise TooManyVertices(_too_many(len(points), most))
    worst = float((points @ rows.T).min(initial=0.0))
    if not worst >= -FEASIBILITY_TOL:
        raise SolverFailure(
            f"a vertex breaks a constraint by {-worst:.3g}, more than "
            f"{FEASIBILITY_TOL:g}"
        )
    return points


def _too_many(count: int, most: int) -> str:
    return f"{count} vertices are more than {most}: give most=None to list them all"


def _constraints(g: Matrix) -> Matrix:
    """Return v >= 0 and G v >= 0 in unit size, without redundant rows of G."""
    needed = g[(g < 0).any(axis=1)]
    size = np.abs(needed).max(axis=1, initial=0.0, keepdims=True)
    return np.concatenate([np.eye(g.shape[1]), needed / size])


def _by_qhull(rows: Matrix, interior: Vector | None, most: int | None) -> Matrix:
    n = rows.shape[1]
    equal = np.zeros(len(rows), dtype=bool)
    centre = None if interior is None else interior / interior.sum()
    if centre is None or not (rows @ centre > INTERIOR_TOL).all():
        inside, equal = _relative_interior(rows)
        if inside is None:
            return np.empty((0, n))
        centre = inside / inside.sum()
    # the affine hull: sum v = 1 and the constraints that hold with equality everywhere
    # equalities that follow from others do so up to rounding, which must not count
    # towards the rank
    hull = np.concatenate([np.ones((1, n)), rows[equal]])
    basis = (
        scipy.linalg.null_space(hull, rcond=RANK_TOL)
        if equal.any()
        else scipy.linalg.helmert(n).T
    )
    dimension = basis.shape[1]
    if dimension == 0:
        return np.asarray(centre[None])
    free = rows[~equal]
    slope = free @ basis
    offset = free @ centre
    moving = np.abs(slope).max(axis=1) > TIGHT_TOL
    free = free[moving]
    slope = slope[moving]
    offset = offset[moving]
    if dimension == 1:
        ends = -offset / slope[:, 0]
        low = ends[slope[:, 0] > 0].max()
        high = ends[slope[:, 0] < 0].min()
        steps = np.array([[low], [high]])
        return np.asarray(centre + steps @ basis.T)
    # what is not finite is left out
    with np.errstate(divide="ignore", invalid="ignore"):
        intersection = _intersection(np.column_stack([-slope, -offset]), n, most)
        steps = _polish(intersection, slope, offset)
        return np.asarray(centre + steps @ basis.T)


def _intersection(
    halfspaces: Matrix, n: int, most: int | None
) -> scipy.spatial.HalfspaceIntersection:
    """Return the intersection of halfspaces; the first n at most are those of the
    simplex.

    With ``most``, halfspaces are added a few at a time, because qhull cannot be
    stopped.
    """
    inside = np.zeros(halfspaces.shape[1] - 1)
    if most is None or len(halfspaces) <= n:
        return scipy.spatial.HalfspaceIntersection(halfspaces, inside)
    intersection = scipy.spatial.HalfspaceIntersection(
        halfspaces[:n], inside, incremental=True
    )
    for at in range(n, len(halfspaces), HALFSPACES_AT_ONCE):
        intersection.add_halfspaces(halfspaces[at : at + HALFSPACES_AT_ONCE])
        count = len(intersection.dual_facets)
        if count > most:
            raise TooManyVertices(_too_many(count, most))
    return intersection


def _polish(
    hull: scipy.spatial.HalfspaceIntersection, slope: Matrix, offset: Vector
) -> Matrix:
    """Return the intersections, recomputed where they miss their tight constraints."""
    raw = np.asarray(hull.intersections)
    finite = np.isfinite(raw).all(axis=1)
    facets = [hull.dual_facets[at] for at in np.flatnonzero(finite)]
    points = raw[finite]
    simple = np.flatnonzero([len(facet) == raw.shape[1] for facet in facets])
    if not simple.size:
        return points
    tight = np.array([facets[at] for at in simple])
    slacks = points[simple] @ slope.T + offset
    missed = np.abs(np.take_along_axis(slacks, tight, axis=1)).max(axis=1)
    rough = missed > POLISH_TOL
    if not rough.any():
        return points
    at = simple[rough]
    tight = tight[rough]
    lengths = np.linalg.norm(slope[tight], axis=2, keepdims=True)
    regular = np.abs(np.linalg.det(slope[tight] / lengths)) > REGULAR_TOL
    at = at[regular]
    tight = tight[regular]
    right = -offset[tight][..., None]
    solved = np.linalg.solve(slope[tight], right)[..., 0]
    before = (points[at] @ slope.T + offset).min(axis=1)
    after = (solved @ slope.T + offset).min(axis=1)
    better = after >= before - TIGHT_TOL
    points[at[better]] = solved[better]
    return points


def _relative_interior(rows: Matrix) -> tuple[Vector | None, NDArray[np.bool_]]:
    """Return a relative interior point (None if empty) and the implicit equalities.

    The constraints define a cone: if a member has slack in a row, a multiple of it has
    slack 1, and the sum of such members has slack 1 in every row that can have slack.
    One linear program therefore finds all of them.
    """
    m, n = rows.shape
    # maximise sum z over v >= 0, 0 <= z <= 1, rows v >= z; the first n rows are v >= 0
    programme = LinearProgram(
        cost=np.repeat([0.0, -1.0], [n, m]),
        table=np.column_stack([rows, -np.eye(m)]),
        low=np.zeros(m),
        high=np.full(m, np.inf),
        most=np.repeat([np.inf, 1.0], [n, m]),
        presolve="on",
    )
    try:
        solution, _ = programme.run()
    except (Infeasible, SolverFailure) as error:
        raise SolverFailure(f"no interior point: {error}") from error
    v = solution[:n]
    slack = solution[n:]
    equal = slack < 0.5
    if not v.sum() > 0 or equal[:n].all():
        return None, equal
    return _centred(rows, equal, v / v.sum()), equal


def _centred(rows: Matrix, equal: NDArray[np.bool_], inside: Vector) -> Vector:
    """Return the point of the affine hull that maximises the smallest slack; near
    ``inside``, an interior point, if that fails.
    """
    m, n = rows.shape
    within_sum = rows - rows.mean(axis=1, keepdims=True)
    size = np.linalg.norm(within_sum, axis=1)
    weight = np.where(equal, 0.0, size)
    # maximise t over v >= 0, t >= 0, sum v = 1, rows v >= weight t, with equality where
    # there is no slack
    of_sum = np.append(np.ones(n), 0.0)
    programme = LinearProgram(
        cost=np.append(np.zeros(n), -1.0),
        table=np.vstack([np.column_stack([rows, -weight]), of_sum]),
        low=np.append(np.zeros(m), 1.0),
        high=np.append(np.where(equal, 0.0, np.inf), 1.0),
        presolve="on",
    )
    centred = inside
    with suppress(Infeasible, SolverFailure):  # any interior point will do
        solution, _ = programme.run()
        if solution[n] > 0:
            centred = solution[:n]
    # the solver's equalities hold to its tolerance; put the point on the affine hull
    # itself
    system = np.concatenate([np.ones((1, n)), rows[equal]])
    right = np.zeros(len(system))
    right[0] = 1.0
    missed = right - system @ centred
    correction, *_ = np.linalg.lstsq(system, missed, rcond=RANK_TOL)
    return np.asarray(centred + correction)


def _by_cdd(rows: Matrix) -> Matrix:
    """Return vertices by double description; cddlib (GPL) is imported only here."""
    import cdd  # noqa: PLC0415

    n = rows.shape[1]
    of_rows = np.column_stack([np.zeros(len(rows)), rows])
    of_sum = np.append(-1.0, np.ones(n))
    table = np.vstack([of_rows, of_sum])
    matrix = cdd.matrix_from_array(
        table.tolist(), lin_set={len(rows)}, rep_type=cdd.RepType.INEQUALITY
    )
    try:
        generators = cdd.copy_generators(cdd.polyhedron_from_matrix(matrix)).array
    except RuntimeError as error:
        raise SolverFailure(f"cdd failed on {len(rows)} halfspaces: {error}") from error
    # a row that begins with 1 is a vertex, with 0 a ray
    points = [row[1:] for row in generators if row[0] == 1]
    return np.array(points, dtype=np.float64).reshape(-1, n)


def _distinct(points: Matrix, rows: Matrix) -> Matrix:
    """Return the points, normalised, one for each set of tight constraints."""
    n = rows.shape[1]
    points = np.where(points > TIGHT_TOL, points, 0.0)
    points = points / points.sum(axis=1, keepdims=True)
    if len(points) < 2:
        return np.asarray(points)
    if len(points) == 2:  # the ends of a segment
        apart = np.abs(points[0] - points[1]).max()
        if apart > DISTINCT_TOL:
            return np.asarray(points)
    tight = np.packbits(np.abs(points @ rows.T) < TIGHT_TOL, axis=1)
    as_one = np.ascontiguousarray(tight).view(np.dtype((np.void, tight.shape[1])))
    _, kept = np.unique(as_one[:, 0], return_index=True)
    points = points[np.sort(kept)]
    # rounding in a thin polytope may leave a duplicate whose tight set differs in one
    # constraint; sorted along a generic direction, duplicates are neighbours
    along = points @ np.sqrt(np.arange(2, n + 2))
    order = np.argsort(along, kind="stable")
    steps = np.diff(along[order])
    near = np.flatnonzero(steps <= n * np.sqrt(n + 1) * TWIN_TOL)
    first = order[near]
    second = order[near + 1]
    apart = np.abs(points[first] - points[second]).max(axis=1, initial=0.0)
    twins = second[apart <= TWIN_TOL]
    return np.asarray(np.delete(points, twins, axis=0))
