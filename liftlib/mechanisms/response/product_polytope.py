"""The optimal LDP mechanism as S20 Theorem 2 prints it: vertices in ``|X|(|X|-1)`` dimensions. For comparison only."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information_of
from liftlib.notions import LDP, Notion
from liftlib.numerics import Matrix
from liftlib.solvers.polytope import vertices

LARGEST = 5
"""Symbols beyond which the polytope, of 20 dimensions already at 5, is out of reach."""


def product_polytope_response(joint: Joint, notion: Notion) -> Channel:
    """Return the LDP mechanism of the largest I(X; Y), found among the vertices of the polytope of whole kernels.

    Parameters
    ----------
    joint : Joint
        P_SX with at most ``LARGEST`` symbols.
    notion : LDP
        The budget.

    Returns
    -------
    Channel
        With as many outputs as symbols; some may never occur.

    Raises
    ------
    UnsupportedNotion
        If the notion is not LDP.
    InvalidParameter
        If there are more symbols.

    Notes
    -----
    S20 Theorem 2: the kernels Q with columns that sum to 1 and rows that meet eqs. (5)-(7) form a polytope, and the
    convex I(X; Y) is largest at a vertex. :func:`~liftlib.mechanisms.response.optimal.optimal_response` needs ``|X|-1``
    dimensions for the same optimum.

    Examples
    --------
    >>> channel = product_polytope_response(Joint([[0.3, 0.1], [0.2, 0.4]]), LDP(0.5))
    >>> LDP(0.5).is_kept(Joint([[0.3, 0.1], [0.2, 0.4]]), channel)
    True
    """
    if not isinstance(notion, LDP):
        raise UnsupportedNotion(f"the product polytope is S20 Theorem 2's, for LDP, not {notion}: use method='auto'")
    n = joint.n_public
    if n > LARGEST:
        raise InvalidParameter(f"{n} symbols make a polytope of {n * (n - 1)} dimensions: use method='auto'")
    found = kernels(joint, notion)
    utility = mutual_information_of(joint.p_x[:, None] * found)
    return Channel(found[int(np.argmax(utility))])


def kernels(joint: Joint, notion: LDP) -> Matrix:
    """Return the vertices of the polytope of kernels that are LDP(eps), shape (M, X, Y)."""
    n = joint.n_public
    # one output's constraint in terms of its row of probabilities over x: P(y|s) <= e^eps P(y|s')
    pairs = [(s, t) for s in range(joint.n_secret) for t in range(joint.n_secret) if s != t]
    one = [joint.x_given_s[t] - np.exp(-notion.eps) * joint.x_given_s[s] for s, t in pairs]
    return kernel_vertices(np.array(one).reshape(-1, n))


def kernel_vertices(cone: Matrix) -> Matrix:
    """Return the vertices of {Q >= 0: rows sum to 1, cone @ Q >= 0}, shape (M, X, X), in X (X - 1) dimensions.

    A kernel is written as one point of a simplex, divided by ``|X|`` so that all entries sum to 1; that each of its
    rows sums to 1 is then ``|X|`` pairs of opposite halfspaces. The vertices are enumerated as of any polytope;
    :func:`liftlib.solvers.kernel_faces.kernels_by_faces` has a shorter way.

    Examples
    --------
    >>> len(kernel_vertices(np.array([[2.0, -1.0], [-1.0, 2.0]])))
    4
    """
    n = cone.shape[1]
    private = np.einsum("px,yz->pyxz", cone, np.eye(n)).reshape(-1, n * n)
    sums = np.einsum("xw,z->xwz", np.eye(n), np.ones(n)).reshape(n, n * n) - 1 / n
    found = vertices(np.concatenate([private, sums, -sums]), interior=None)
    return np.asarray(found.reshape(-1, n, n) * n)
