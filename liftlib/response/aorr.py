"""AORR, the asymmetric optimal random response, by vertex enumeration (E23).

1. The posteriors v = P(X=.|Y=y) that the notion allows form a polytope (eq. (25)); list
   its vertices.
2. I(X; Y) = H(X) - H(X|Y) is largest where H(X|Y), the mean entropy of the posteriors,
   is smallest (eq. (15)). Entropy is concave, so vertices suffice. A linear program
   finds their weights; the mean of the vertices is P_X (eq. (26)).
3. The vertices with a positive weight are the outputs, and the weight is P(y) (eqs.
   (27) and (28)).
4. P(y|x) = P(y) v_y(x) / P(x), which inverts eqs. (29) and (30).

The bound on every other mechanism has room for the tolerance of ``is_satisfied``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information_of
from liftlib.response.posteriors import (
    PosteriorCone,
    ResponseCertificate,
    rounded_up,
    widened,
)
from mixproof.limits import Limits
from mixproof.lp import Solution, mix_columns
from mixproof.numerics import HALFSPACE_SLACK, Matrix, Vector, entropies
from mixproof.polytope import Method, vertices
from mixproof.search import cheapest_mixture

MEAN_TOL = 1e-14  # relative error of a mixture's mean that is the rounding of its sum
# slack of P_X in each halfspace above which the widened polytope is listed too
MIN_WIDTH = 1e3 * HALFSPACE_SLACK
# vertices of the widened polytope, which may split, for each that may be listed
SPLIT_VERTICES = 4
BOUND_WORK = 20_000  # linear programs that bound a thinner polytope, about a second


class Mixture(NamedTuple):
    """A minimum-cost mixture of posteriors, shape (M, X), with mean ``p_x``."""

    rows: Matrix
    solution: Solution
    p_x: Vector

    @classmethod
    def of(cls, rows: Matrix, weights: Vector, p_x: Vector) -> Self:
        """Return the mixture with these weights, shape (M,), as an uncertified solution
        without multipliers.
        """
        cost = float(entropies(rows) @ weights)
        residual = float(np.abs(weights @ rows - p_x).max())
        solution = Solution(
            x=np.maximum(weights, 0.0),
            dual=np.zeros(p_x.size),
            objective=cost,
            primal_residual=residual,
            dual_residual=np.inf,
            gap=np.inf,
        )
        return cls(rows, solution, p_x)

    @classmethod
    def constant(cls, p_x: Vector) -> Self:
        """Return the mixture of P_X alone, which reveals nothing."""
        return cls.of(p_x[None], np.ones(1), p_x)

    @property
    def kernel(self) -> Matrix:
        """P(y|x) = P(y) v_y(x) / P(x), shape (X, Y) (E23 eqs. (27)-(30)).

        A symbol that no output contains, because its mass is below the linear program's
        tolerance, is treated like an average symbol. Each weight above 0 is an output:
        without one of 10^-17, the posteriors of symbols of probability 10^-9 would move
        by more than the notion's tolerance.
        """
        outputs = self.solution.x > 0
        weights = self.solution.x[outputs]
        kernel = (weights[:, None] * self.rows[outputs] / self.p_x).T
        kernel[~kernel.any(axis=1)] = weights
        return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))


def cheapest(
    rows: Matrix,
    p_x: Vector,
    cost: Callable[[Matrix], Vector] = entropies,
    *,
    seconds: float = np.inf,
) -> Mixture:
    """Return the minimum-cost mixture with mean P_X (E23 eq. (26), S20 eq. (17)).

    Raises
    ------
    InfeasiblePrivacy
        If no mixture has mean P_X.
    SolverFailure
        If the linear program's solution fails its check.
    TimeoutError
        If it takes longer than ``seconds``.
    """
    return Mixture(rows, mix_columns(cost(rows), rows, p_x, seconds), p_x)


def exactly(mixture: Mixture) -> Mixture:
    """Return the mixture with weights refined so that the mean equals P_X.

    A solver's residual of 10^-10, divided by the mass of a rare symbol, would exceed a
    budget of 10^-9.
    """
    used = mixture.solution.x > 0
    rows = mixture.rows[used]
    weights = mixture.solution.x[used]
    missed = mixture.p_x - weights @ rows
    if (np.abs(missed) <= MEAN_TOL * mixture.p_x).all():
        return mixture
    change = np.linalg.lstsq(rows.T, missed, rcond=None)[0]
    if not (weights + change >= 0).all():
        return mixture
    full = np.zeros(len(mixture.rows))
    full[used] = weights + change
    return mixture._replace(solution=replace(mixture.solution, x=full))


def aorr(
    cone: PosteriorCone, *, method: Method = "qhull", most: int | None = None
) -> Channel:
    """Return the mechanism that maximises I(X; Y), by vertex enumeration.

    Parameters
    ----------
    cone : PosteriorCone
        The posteriors that a polyhedral notion allows, as
        :func:`~liftlib.response.posteriors.cone_for` returns them: AORR under ALIP, ORR
        under LIP (S20 Theorem 3).
    method : {"qhull", "cdd"}, keyword-only
        See :func:`mixproof.polytope.vertices`. The number of vertices grows
        exponentially in ``|X|``.
    most : int, optional, keyword-only
        The largest number of vertices to list.

    Returns
    -------
    Channel
        With a :class:`~liftlib.response.posteriors.ResponseCertificate`.

    Raises
    ------
    SolverFailure
        If there are more than ``most`` vertices, or a solver's solution fails its
        check. (A constant release satisfies every notion, so a solution exists.)
    """
    p_x = cone.support.joint.p_x
    # P_X, the posterior of a constant release, lies inside the polytope of every notion
    posteriors = vertices(cone.listed(), method, interior=p_x, most=most)  # eq. (25)
    try:
        solution = mix_columns(entropies(posteriors), posteriors, p_x)  # eq. (26)
    except InfeasiblePrivacy as error:
        raise SolverFailure(
            "no response found, although a constant release satisfies "
            f"{cone.notion}: {error}"
        ) from error
    mixture = Mixture(posteriors, solution, p_x)
    channel, mixed = cone.channel(mixture.kernel)  # eqs. (27)-(30)
    # cddlib in floating point may miss vertices, so its result proves nothing
    upper = np.inf
    if method == "qhull" and cone.support.resolved.all():
        upper = rounded_up(cone.joint, least_entropy(cone, mixture, most))
    certificate = certified(cone.joint, channel, "all vertices", mixture, mixed, upper)
    return channel.with_certificate(certificate)


def least_entropy(
    cone: PosteriorCone, mixture: Mixture, most: int | None = None
) -> float:
    """Return a lower bound on H(X|Y) of every mechanism that the notion accepts, nats.

    Its posteriors may miss a halfspace by the notion's tolerance, so they form a wider
    polytope. With the dual y of the best mixture, no mixture of its points costs less
    than y P_X plus the least price H(v) - y v of a vertex v.
    """
    p_x = mixture.p_x
    halfspaces = cone.listed()
    bounding = halfspaces[(halfspaces < 0).any(axis=1)]
    # qhull cannot list a polytope that is as thin as the tolerance
    if (bounding @ p_x > MIN_WIDTH).all():
        with suppress(SolverFailure):
            limit = None if most is None else SPLIT_VERTICES * most
            points = vertices(widened(halfspaces), interior=p_x, most=limit)
            dual = mixture.solution.dual
            price = entropies(points) - points @ dual
            return float(dual @ p_x + price.min())
    found = cheapest_mixture(
        cone.halfspaces,
        p_x,
        Limits(work=BOUND_WORK),
        more=mixture.rows[mixture.solution.x > 0],
        slack=HALFSPACE_SLACK,
        extension=cone.extension,
    )
    return found.proven.bound


def certified(
    joint: Joint,
    channel: Channel,
    route: str,
    mixture: Mixture,
    mixed: float,
    upper: float,
) -> ResponseCertificate:
    """Return the certificate of a mixture's channel; ``upper`` may be infinite."""
    value = max(0.0, float(mutual_information_of(channel.joint_xy(joint))))
    # equal bounds may cross through rounding
    return ResponseCertificate(
        route,
        value,
        max(value, upper),
        rows=len(mixture.rows),
        solution=mixture.solution,
        mixed=mixed,
    )
