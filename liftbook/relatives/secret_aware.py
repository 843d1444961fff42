"""The optimal response with access to the secret."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from liftbook.relatives.maps import ExactMaps, Index
from liftbook.relatives.secret_aware_posteriors import (
    Found,
    Offers,
    Searched,
    cheapest_columns,
    coarsened,
    refined,
)
from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, SolverFailure
from liftlib.joint import Joint
from liftlib.measures.information import mutual_information
from liftlib.noise.conditional_reporting import conditional_reporting
from liftlib.notions import Notion, PolyhedralLift
from liftlib.notions.base import MIN_RESOLVED_LIFT
from liftlib.response.aorr import cheapest
from liftlib.response.posteriors import (
    ResponseCertificate,
    repaired,
    rounded_up,
    widened,
)
from liftlib.response.proven import UNRESOLVED, unresolved
from mixproof.checks import checked
from mixproof.limits import Reached
from mixproof.numerics import (
    FEASIBILITY_TOL,
    NEGLIGIBLE_MASS,
    Mask,
    Matrix,
    Vector,
    check_scalar,
    entropies,
)
from mixproof.polytope import vertices

MOST_SECRETS = 9
"""Maximum number of secrets for listing posteriors: 10 have 5,120 under LIP, with 3^10
/ 2 steps each.
"""

MOST_STEPS = 3e7
"""Maximum number of steps of one pricing with listed posteriors: about a second."""

MOST_LAST_STEPS = 10 * MOST_STEPS
"""Maximum number of steps of the last pricing, whose posteriors may be more."""

NOT_LISTED = Reached(
    "no further posterior was found, where there are too many or too close ones to "
    "list,",
    "give a wider gap",
)
"""Why a search with few secrets ended before its gap, and a remedy."""


class Cells(NamedTuple):
    """P_SX without the cells that a solver cannot resolve.

    ``joint`` is P_SX given the remaining cells, and ``resolved``, shape (S, X), says
    which cells remain.
    """

    joint: Joint
    resolved: Mask

    @property
    def target(self) -> Vector:
        """P(s, x) of the resolved cells, in C order."""
        return np.asarray(self.joint.p[self.joint.p > 0])


@checked
def secret_aware_response(
    joint: Joint,
    notion: PolyhedralLift,
    *,
    gap: float = 1e-6,
    seconds: float | None = None,
) -> Channel:
    """Return the mechanism P(y|s,x) that maximises I(X; Y), with an upper bound.

    Parameters
    ----------
    joint : Joint
        P_SX. With up to 9 secrets the optimum is found and proven, if the posteriors
        can be listed. With more secrets, or if posteriors are too close (budgets near
        0), a search finds mechanisms, and the optimum for a coarser secret bounds them.
    gap : float, keyword-only
        The search ends once the proven gap is at most this fraction of I(X; Y), or no
        column improves the mixture.
    seconds : float, optional, keyword-only
        Time limit, after which the best mechanism so far and its bound are returned.

    Returns
    -------
    Channel
        P(y|s,x), shape (S, X, Y), with a
        :class:`~liftlib.response.posteriors.ResponseCertificate`.

    Warns
    -----
    LiftWarning
        If the time limit was reached first; with up to 9 secrets also if rounding, or
        posteriors that could not be listed, leave more than the gap.

    Notes
    -----
    The method is this book's. The notion constrains only the posterior u = P(S|y) of an
    output's P(S, X | y). Given u, these distributions are products of distributions of
    X given each s, and because H(X|y) is concave, vertices suffice: a vertex u of the
    notion's set of posteriors, and a map from secrets to symbols. There are too many to
    list, but given a linear program's duals, dynamic programming over sets of secrets
    finds the best map for each u, and the largest saving bounds every mechanism. A
    mechanism that is private for S is private for a function of S, and may as well see
    that function alone. Therefore, beyond 9 secrets, the optimum for 7 classes of
    secrets, under the bounds on single lifts that the notion implies, is an upper
    bound.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> channel = secret_aware_response(joint, LIP(0.0))
    >>> channel.sees_secret, LIP(0.0).is_satisfied(joint, channel)
    (True, True)
    """
    share = check_scalar("gap", gap, open_low=True)
    limit = np.inf if seconds is None else check_scalar("seconds", seconds)
    cells = without_dusty_cells(joint)
    relaxed, floor = notion.relaxed(cells.joint.p_s, MIN_RESOLVED_LIFT)
    # the posterior of S is the row of a joint distribution in which X tells S
    halfspaces = relaxed.halfspaces(Joint(np.diag(cells.joint.p_s)))
    listed = exact_offers(cells.joint, halfspaces)
    if listed is not None:
        exact = cheapest_columns(cells.joint, listed, share, limit)
        return _made(joint, notion, cells, exact, floor, "listed", share)
    began, bound = time.perf_counter(), -np.inf
    rows = [reported(cells.joint, relaxed)]
    coarse, sides, classes = coarsened(cells.joint, notion)
    of_classes = exact_offers(coarse, sides)
    if of_classes is not None:
        exact = cheapest_columns(coarse, of_classes, share, limit)
        bound = exact.bound
        rows.append(refined(cells.joint, coarse, classes, exact.columns))
    allowed = [
        row for row in np.concatenate(rows) if _keeps(row, cells.joint, halfspaces)
    ]
    first = np.array(allowed).reshape(-1, cells.target.size)
    left = max(0.0, limit - (time.perf_counter() - began))
    offers = Searched(cells.joint, halfspaces)
    searched = cheapest_columns(
        cells.joint, offers, share, left, first=first, bound=bound
    )
    return _made(joint, notion, cells, searched, floor, "searched", share)


def _keeps(row: Vector, joint: Joint, halfspaces: Matrix) -> bool:
    """Return whether a posterior satisfies the halfspaces, up to repairable errors."""
    table = np.zeros(joint.p.shape)
    table[joint.p > 0] = row
    return bool((halfspaces @ table.sum(axis=1) >= -FEASIBILITY_TOL / 100).all())


def reported(joint: Joint, notion: Notion) -> Matrix:
    """Return the posteriors P(s, x | y) of conditional reporting, to start from."""
    cells = joint.p[:, :, None] * conditional_reporting.calibrated(joint, notion).kernel
    rows = cells[joint.p > 0].T
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def without_dusty_cells(joint: Joint) -> Cells:
    """Return P_SX without cells that a linear program cannot resolve."""
    resolved = joint.p >= NEGLIGIBLE_MASS
    if (resolved == (joint.p > 0)).all():
        return Cells(joint, resolved)
    return Cells(Joint.from_counts(joint.p * resolved, drop_empty=True), resolved)


def exact_offers(joint: Joint, halfspaces: Matrix) -> Offers | None:
    """Return all vertex posteriors with their cheapest maps, or None.

    None means that there are too many vertices, or that they nearly coincide and qhull
    fails.
    """
    if joint.n_secret > MOST_SECRETS:
        return None
    try:
        posteriors = vertices(halfspaces, interior=joint.p_s)
    except SolverFailure:
        return None
    if len(posteriors) * 3.0**joint.n_secret > MOST_STEPS:
        return None
    return Listed(posteriors, accepted(halfspaces, joint.p_s))


def accepted(halfspaces: Matrix, p_s: Vector) -> Matrix | None:
    """Return the vertices of the posteriors that the notion's tolerance allows, or None
    as :func:`exact_offers` does.
    """
    try:
        posteriors = vertices(widened(halfspaces), interior=p_s)
    except SolverFailure:
        return None
    if len(posteriors) * 3.0**p_s.size > MOST_LAST_STEPS:
        return None
    return posteriors


class Listed:
    """Columns from a complete list of vertex posteriors.

    ``accepted`` are the vertices within the notion's tolerance, if they can be listed.
    """

    def __init__(self, posteriors: Matrix, accepted: Matrix | None) -> None:
        self._maps = ExactMaps(posteriors)
        self._accepted = accepted

    def best(self, worth: Matrix) -> tuple[Matrix, Index, float]:
        """Return posteriors, the cheapest map of each, and the least price."""
        prices, maps = self._maps.cheapest(worth)
        return self._maps.points, maps, float(prices.min())

    def least(self, worth: Matrix) -> float:
        """Return the least price of a posterior that the notion accepts."""
        if self._accepted is None:
            return -np.inf
        return float(ExactMaps(self._accepted).cheapest(worth)[0].min())


def _made(
    joint: Joint,
    notion: PolyhedralLift,
    cells: Cells,
    found: Found,
    floor: float,
    which: str,
    gap: float,
) -> Channel:
    """Return the repaired channel of the columns, with its certificate."""
    secret, public = np.nonzero(cells.resolved)
    to_public = np.eye(joint.n_public)[public]
    try:
        mixture = cheapest(
            found.columns, cells.target, lambda rows: entropies(rows @ to_public)
        )
    except InfeasiblePrivacy as error:
        raise SolverFailure(
            f"no response found, although a constant release satisfies {notion}:"
            f" {error}"
        ) from error
    # a cell that is left out is sent where an average one goes
    kernel = np.tile(
        cells.target @ mixture.kernel, (joint.n_secret * joint.n_public, 1)
    )
    kernel[secret * joint.n_public + public] = mixture.kernel

    def shaped(flat: Channel) -> Channel:
        return Channel(flat.kernel.reshape(*joint.p.shape, -1))

    flat, mixed = repaired(
        kernel / kernel.sum(axis=1, keepdims=True),
        joint.p.ravel(),
        lambda made: notion.is_satisfied(joint, shaped(made)),
        floor,
        name=notion,
    )
    channel = shaped(flat)
    value = mutual_information(channel.joint_xy(joint))
    # with cells left out nothing is proven of the rest
    upper = (
        rounded_up(joint, found.bound)
        if (cells.resolved == (joint.p > 0)).all()
        else np.inf
    )
    certificate = ResponseCertificate(
        f"{which} posteriors, each with maps from secrets to symbols",
        value,
        max(value, upper),
        rows=found.seen,
        solution=mixture.solution,
        mixed=mixed,
        seconds=found.seconds,
    )
    limit = found.limit
    open_still = unresolved(certificate, gap) or not np.isfinite(found.bound)
    if limit is None and open_still and cells.joint.n_secret <= MOST_SECRETS:
        limit = UNRESOLVED if which == "listed" else NOT_LISTED
    if limit is not None:
        certificate.warn_of(limit, gap, stacklevel=5)
    return channel.with_certificate(certificate)
