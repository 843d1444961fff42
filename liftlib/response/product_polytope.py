"""The optimal mechanism as published in S20 Theorem 2, by vertices in ``|X|(|X|-1)`` dimensions, for comparison."""

from __future__ import annotations

import numpy as np

from liftlib.channel import Certificate, Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information, mutual_information_of
from liftlib.notions import Polyhedral
from liftlib.response.kernels import kernel_vertices
from liftlib.response.posteriors import mended, without_dust
from mixproof.checks import checked
from mixproof.numerics import Matrix

LARGEST = 5
"""Symbols beyond which the polytope, of 20 dimensions already at 5, is out of reach."""


@checked
def product_polytope_response(joint: Joint, notion: Polyhedral) -> Channel:
    """Return the mechanism with the largest I(X; Y) among the vertices of the polytope of kernels.

    Parameters
    ----------
    joint : Joint
        P_SX with at most ``LARGEST`` symbols.
    notion : Notion
        A polyhedral notion; S20 uses LDP.

    Returns
    -------
    Channel
        With as many outputs as symbols; some may have probability 0.

    Raises
    ------
    UnsupportedNotion
        If the notion has no halfspaces.
    InvalidParameter
        If there are more than ``LARGEST`` symbols.
    SolverFailure
        If a solver's answer fails its check.

    Notes
    -----
    S20 Theorem 2: the kernels Q whose rows sum to 1 and whose columns meet eqs. (5)-(7) form a polytope, and I(X; Y),
    which is convex in Q, is largest at a vertex. :func:`~liftlib.response.optimal.optimal_response` finds the same
    optimum in ``|X|-1`` dimensions.

    Examples
    --------
    >>> from liftlib.notions import LDP
    >>> channel = product_polytope_response(Joint([[0.3, 0.1], [0.2, 0.4]]), LDP(0.5))
    >>> LDP(0.5).is_satisfied(Joint([[0.3, 0.1], [0.2, 0.4]]), channel)
    True
    """
    n = joint.n_public
    if n > LARGEST:
        raise InvalidParameter(f"{n} symbols make a polytope of {n * (n - 1)} dimensions: use method='auto'")
    core = without_dust(joint, notion)
    found = kernels_of(core.joint, notion)
    utility = mutual_information_of(core.joint.p_x[:, None] * found)
    best = found[int(np.argmax(utility))]
    kernel = core.completed(best / best.sum(axis=1, keepdims=True))
    channel, _ = mended(kernel, joint.p_x, lambda made: notion.is_satisfied(joint, made), name=notion)
    value = mutual_information(channel.joint_xy(joint))
    upper = max(value, float(utility.max())) if core.solid.all() else np.inf
    return Channel(channel.kernel, certificate=Certificate("all vertices of the product polytope", value, upper))


def kernels_of(joint: Joint, notion: Polyhedral) -> Matrix:
    """Return the vertices of the polytope of kernels that satisfy a polyhedral notion, shape (M, X, Y)."""
    # an output's row v is proportional to P(x) P(y|x), so its column P(y|.) has a cone as well
    return kernel_vertices(notion.halfspaces(joint) * joint.p_x)
