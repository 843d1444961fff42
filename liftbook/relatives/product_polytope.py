"""S20 Theorem 2: the optimum among the vertices of the polytope of kernels.

If all columns of a kernel P(y|x) satisfy the same homogeneous constraints, they are
``|Y|`` members of one cone C in ``|X|`` dimensions whose sum is the vector of ones. The
kernel is a vertex exactly if the faces of C that contain its non-zero columns in their
relative interiors have linearly independent spans; otherwise some column could move.
The few faces of C therefore give every vertex, and the order of the outputs need not be
enumerated.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Certificate, Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information, mutual_information_of
from liftlib.notions import Polyhedral
from liftlib.response.aorr import aorr
from liftlib.response.posteriors import ResponseCertificate, cone_for
from mixproof.checks import checked
from mixproof.numerics import RANK_TOL, TIGHT_TOL, Mask, Matrix, as_matrix
from mixproof.polytope import vertices

# Gram determinant of unit-length bases of faces below which their spans are dependent
SPAN_TOL = 1e-12

LARGEST_GENERIC = 5
"""Largest number of symbols for the generic enumeration, which then has 20
dimensions.
"""

LARGEST_BY_FACES = 6
"""Largest number of symbols for the enumeration through faces."""


@checked
def product_polytope_response(joint: Joint, notion: Polyhedral) -> Channel:
    """Return the best mechanism among the vertices of the polytope of kernels.

    Parameters
    ----------
    joint : Joint
        P_SX with at most ``LARGEST_GENERIC`` symbols.

    Returns
    -------
    Channel
        With as many outputs as symbols; some may have probability 0. Its certificate's
        ``upper`` is that of ``aorr``, which has room for the
        tolerance of ``is_satisfied``.

    Notes
    -----
    S20 Theorem 2: the kernels Q whose rows sum to 1 and whose columns meet eqs. (5)-(7)
    form a polytope, and I(X; Y), which is convex in Q, is largest at a vertex.
    :func:`~liftlib.response.optimal.optimal_response` finds the same optimum in
    ``|X|-1`` dimensions.

    Examples
    --------
    >>> from liftlib.notions import LDP
    >>> channel = product_polytope_response(Joint([[0.3, 0.1], [0.2, 0.4]]), LDP(0.5))
    >>> LDP(0.5).is_satisfied(Joint([[0.3, 0.1], [0.2, 0.4]]), channel)
    True
    """
    n = joint.n_public
    if n > LARGEST_GENERIC:
        raise InvalidParameter(
            f"{n} symbols make a polytope of {n * (n - 1)} dimensions: use"
            " optimal_response"
        )
    cone = cone_for(joint, notion)
    kernels = kernels_of(cone.support.joint, notion)
    utility = mutual_information_of(cone.support.joint.p_x[:, None] * kernels)
    best = kernels[int(np.argmax(utility))]
    channel, _ = cone.channel(best / best.sum(axis=1, keepdims=True))
    value = mutual_information(channel.joint_xy(joint))
    upper = max(value, aorr(cone).certified(ResponseCertificate).upper)
    return channel.with_certificate(
        Certificate("all vertices of the product polytope", value, upper)
    )


def kernels_of(joint: Joint, notion: Polyhedral) -> Matrix:
    """Return the vertex kernels of a polyhedral notion, shape (M, X, Y)."""
    # an output's row v is proportional to P(x) P(y|x), so its column P(y|.) has a cone
    # as well
    return kernel_vertices(notion.halfspaces(joint) * joint.p_x)


class KernelVertices(NamedTuple):
    """Vertex kernels up to the order of outputs, and the number of orders of each."""

    kernels: Matrix
    copies: NDArray[np.int64]


def kernel_vertices(cone: Matrix) -> Matrix:
    """Return the vertices of {Q >= 0: rows sum to 1, cone @ Q >= 0}, shape (M, X, X).

    ``cone`` has shape (m, X). A kernel divided by ``|X|`` is a point of a simplex, and
    the condition that each row sums to 1 becomes ``|X|`` pairs of opposite halfspaces.
    The vertices are then enumerated in X (X - 1) dimensions; :func:`kernels_by_faces`
    is faster.

    Examples
    --------
    >>> len(kernel_vertices(np.array([[2.0, -1.0], [-1.0, 2.0]])))
    4
    """
    n = cone.shape[1]
    private = np.einsum("px,yz->pyxz", cone, np.eye(n)).reshape(-1, n * n)
    sums = np.einsum("xw,z->xwz", np.eye(n), np.ones(n)).reshape(n, n * n) - 1 / n
    points = vertices(np.concatenate([private, sums, -sums]), interior=None)
    return np.asarray(points.reshape(-1, n, n) * n)


def kernels_by_faces(cone: Matrix) -> KernelVertices:
    """Return the vertices of {Q >= 0: rows sum to 1, cone @ Q >= 0}.

    ``cone`` has shape (m, X), with at most ``LARGEST_BY_FACES`` symbols.
    ``copies.sum()`` is the number of vertices. See S20 Theorem 2 and eqs. (23)-(26);
    :func:`kernel_vertices` finds the same vertices by generic enumeration.

    Raises
    ------
    InvalidParameter
        If there are more than ``LARGEST_BY_FACES`` symbols.
    SolverFailure
        If qhull fails, which can happen if rays nearly coincide.

    Examples
    --------
    >>> found = kernels_by_faces(
    ...     [[2.0, -1.0], [-1.0, 2.0]]
    ... )  # neither probability above twice the other
    >>> sorted(
    ...     sorted(kernel[0].round(3).tolist()) for kernel in found.kernels
    ... )  # what symbol 0 is sent to
    [[0.0, 1.0], [0.333, 0.667]]
    >>> found.copies.tolist()
    [2, 2]
    """
    given = np.asarray(cone, dtype=np.float64)
    if given.ndim != 2 or given.size > 0:
        given = as_matrix("cone", given)
    n = given.shape[1]
    if not 1 <= n <= LARGEST_BY_FACES:
        raise InvalidParameter(
            f"{n} symbols: give 1 to {LARGEST_BY_FACES}, as more have too many families"
            " of faces"
        )
    rays = vertices(given)
    size = np.abs(given).max(axis=1, initial=0.0, keepdims=True)
    rows = np.concatenate([np.eye(n), given / np.where(size > 0, size, 1)])
    slack = rays @ rows.T
    faces = _faces(np.abs(slack) < TIGHT_TOL)
    bases: dict[int, list[Matrix]] = {}
    shadows: dict[int, list[Mask]] = {}
    for face in faces:
        _, values, basis = np.linalg.svd(rays[face])
        dimension = int((values > RANK_TOL).sum())
        bases.setdefault(dimension, []).append(basis[:dimension])
        # the constraints with slack somewhere on the face have it in the whole relative
        # interior
        shadows.setdefault(dimension, []).append(
            (np.abs(slack[face]) >= TIGHT_TOL).any(axis=0)
        )
    kernels, copies = [], []
    for parts in _partitions(n):
        if not all(part in bases for part in parts):
            continue
        family_kernels = _families(parts, bases, shadows, rows)
        kernels.append(family_kernels)
        copies.append(np.full(len(family_kernels), math.perm(n, len(parts))))
    # there is none where 0 is the only column that is allowed
    none = np.empty((0, n, n)), np.empty(0, dtype=np.intp)
    return KernelVertices(
        np.concatenate([none[0], *kernels]), np.concatenate([none[1], *copies])
    )


def _faces(tight: Mask) -> list[NDArray[np.intp]]:
    """Return each non-zero face as the rays in it, the cone itself included."""
    facets = {
        np.packbits(column).tobytes(): column for column in tight.T if column.any()
    }
    cone = np.ones(len(tight), dtype=bool)
    known = {np.packbits(cone).tobytes(): cone}
    todo = [cone]
    while todo:
        face = todo.pop()
        for facet in facets.values():
            smaller = face & facet
            key = np.packbits(smaller).tobytes()
            if smaller.any() and key not in known:
                known[key] = smaller
                todo.append(smaller)
    return [np.flatnonzero(face) for face in known.values()]


def _partitions(n: int) -> list[tuple[int, ...]]:
    """Return the possible dimensions of independent faces, in descending order."""
    return [
        parts
        for k in range(1, n + 1)
        for parts in itertools.combinations_with_replacement(range(n, 0, -1), k)
        if sum(parts) <= n
    ]


def _families(
    parts: tuple[int, ...],
    bases: dict[int, list[Matrix]],
    shadows: dict[int, list[Mask]],
    rows: Matrix,
) -> Matrix:
    """Return the vertices with columns in faces of these dimensions, (N, X, X)."""
    n = rows.shape[1]
    choices = [
        list(itertools.combinations(range(len(bases[part])), len(list(group))))
        for part, group in itertools.groupby(parts)
    ]
    picked = np.array(
        [sum(family, ()) for family in itertools.product(*choices)], dtype=int
    ).reshape(-1, len(parts))
    stacks = [np.array(bases[part])[picked[:, at]] for at, part in enumerate(parts)]
    basis = np.concatenate(stacks, axis=1)  # (families, sum of parts, X)
    gram = basis @ basis.transpose(0, 2, 1)
    independent = np.linalg.det(gram) > SPAN_TOL
    basis, gram, picked = basis[independent], gram[independent], picked[independent]
    # of the point nearest to the ones
    weights = np.linalg.solve(gram, basis.sum(axis=2)[..., None])[..., 0]
    valid = np.abs(np.einsum("fd,fdx->fx", weights, basis) - 1).max(axis=1) < TIGHT_TOL
    columns = np.zeros((len(picked), n, n))
    start = 0
    for at, part in enumerate(parts):
        end = start + part
        column = np.einsum("fd,fdx->fx", weights[:, start:end], basis[:, start:end])
        inside = np.array(shadows[part])[picked[:, at]]
        valid &= (np.where(inside, column @ rows.T, 1.0) > TIGHT_TOL).all(axis=1)
        # what lies in the face is not negative but for rounding
        columns[:, :, at] = np.maximum(column, 0)
        start = end
    return np.asarray(columns[valid])
