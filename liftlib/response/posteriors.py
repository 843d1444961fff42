"""Posterior cone, repair and certificate, shared by the random responses.

Each output y stands for its posterior v = P(X=.|Y=y), and a mechanism is a mixture of
posteriors that averages to P_X.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from liftlib.channel import Certificate, Channel
from liftlib.errors import LiftWarning, SolverFailure
from liftlib.joint import Joint
from liftlib.merging.subset_merging import subset_merging
from liftlib.notions import (
    AttributeWise,
    Convex,
    LiftNotion,
    Notion,
    Polyhedral,
    provides,
    require,
)
from liftlib.notions.base import MIN_RESOLVED_LIFT
from mixproof.extension import Extension
from mixproof.limits import Reached
from mixproof.lp import Solution
from mixproof.numerics import (
    HALFSPACE_SLACK,
    NEGLIGIBLE_MASS,
    Mask,
    Matrix,
    Vector,
    entropies,
)
from mixproof.proof import DeferredProof

# largest share of constant release that repairs rounding; needing more is a solver
# failure
REPAIR_TOL = 1e-7
# the first share of constant release that is tried: a smaller one would be lost to
# rounding
REPAIR_START = 1e-14
# by how much a bound is rounded up, relative to 1 + H(X): more than H(X) is rounded
BOUND_MARGIN = 2e-10
MAX_LISTED_HALFSPACES = (
    # halfspaces beyond which only their description with auxiliary variables is used,
    # if there is one
    1000
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ResponseCertificate(Certificate):
    """How a response was found, and a bound on every other response.

    ``upper`` is finite if vertex enumeration or branch and bound proved the bound, and
    no symbol was removed or all of X may be published. It has room for the tolerance
    of ``is_satisfied``, so ``gap`` is some 10^-9 nats where the mechanism is optimal.

    Attributes
    ----------
    rows : int
        Number of posteriors that the mixture was chosen from.
    solution : mixproof.lp.Solution
        The certified linear program; its objective is H(X|Y), nats.
    mixed : float
        Share of a constant release mixed in to repair rounding errors; usually 0.
    proof : mixproof.proof.Proof or None
        The proof for :func:`~liftlib.check_proof`, assembled at first access;
        None if vertices were listed.
    programmes, seconds
        Number of linear programs in branch and bound, and duration of the search; 0 if
        vertices were listed.
    """

    rows: int
    solution: Solution
    mixed: float
    proof: DeferredProof = DeferredProof()  # noqa: RUF009 - a descriptor
    programmes: int = 0
    seconds: float = 0.0

    def warn_of(
        self, limit: Reached, gap: float, *, after: str = "", stacklevel: int
    ) -> None:
        """Warn that a search ended before it reached the requested optimality gap."""
        trivial = self.upper >= self.value + self.solution.objective  # which is H(X)
        others = (
            "nothing has been proven of others"
            if trivial
            else f"no mechanism has more than {self.upper:.6g}"
        )
        warnings.warn(
            f"{limit.reason} after {self.seconds:.3g} s{after}: I(X; Y) is "
            f"{self.value:.6g} nats and {others}; {limit.remedy} than {gap:g}",
            LiftWarning,
            stacklevel=stacklevel + 1,
        )


class Support(NamedTuple):
    """The distribution of the symbols that a solver resolves, and their mask."""

    joint: Joint
    resolved: Mask

    def extended(self, kernel: Matrix) -> Matrix:
        """Return the kernel extended to the removed symbols, as average symbols."""
        if self.resolved.all():
            return kernel
        extended = np.tile(self.joint.p_x @ kernel, (self.resolved.size, 1))
        extended[self.resolved] = kernel
        return extended


class PosteriorCone(NamedTuple):
    """The posteriors v that a convex notion allows, over the support: a cone G v >= 0
    if it is polyhedral.

    If solvers cannot resolve a bound of the notion, G omits it, and ``floor`` restores
    it.

    Attributes
    ----------
    joint, notion
        The distribution and the notion.
    support : Support
        The symbols that a solver can resolve.
    halfspaces : numpy.ndarray, shape (m, n), optional
        G; None if there is an extension for more than ``MAX_LISTED_HALFSPACES``
        halfspaces, which is then used, or if the notion is not polyhedral, so that
        tangents are added on demand.
    floor : float
        Minimum share of a constant release to mix in.
    extension : Extension, optional
        An equivalent description with auxiliary variables and fewer inequalities.
    others : tuple of Joint
        Further distributions on the same symbols under which the notion must hold.
    """

    joint: Joint
    notion: Convex
    support: Support
    halfspaces: Matrix | None = None
    floor: float = 0.0
    extension: Extension | None = None
    others: tuple[Joint, ...] = ()

    def listed(self) -> Matrix:
        """Return G, however many halfspaces there are."""
        if self.halfspaces is not None:
            return self.halfspaces
        joint = self.support.joint
        notion = require(self.notion, Polyhedral, "a list of halfspaces")
        relaxed, _ = notion.relaxed(joint.p_s, MIN_RESOLVED_LIFT)
        return relaxed.halfspaces(joint)

    def channel(self, kernel: Matrix) -> tuple[Channel, float]:
        """Return the repaired channel of a kernel over the support, see
        :func:`repaired`.
        """
        extended = self.support.extended(kernel)
        return repaired(
            extended, self.joint.p_x, self.keeps, self.floor, name=self.notion
        )

    def keeps(self, channel: Channel) -> bool:
        """Return whether a channel satisfies the notion under every distribution."""
        every = (self.joint, *self.others)
        return all(self.notion.is_satisfied(joint, channel) for joint in every)


def without_negligible(joint: Joint, notion: Notion) -> Support:
    """Return the joint distribution without symbols of negligible probability.

    Treating them like an average symbol moves every lift towards 1 and costs at most
    their entropy. Notions about attributes need every symbol, so none is removed.

    Examples
    --------
    >>> from liftlib.notions import LIP, SRLIP
    >>> joint = Joint.from_counts([[1, 1, 0, 1e-12], [1, 3, 2, 0]])
    >>> without_negligible(joint, LIP(1.0)).resolved.tolist()
    [True, True, True, False]
    >>> without_negligible(joint, SRLIP(1.0, (2, 2))).resolved.all()
    np.True_
    """
    resolved = joint.p_x >= NEGLIGIBLE_MASS
    if isinstance(notion, AttributeWise):
        resolved[:] = True
    if not resolved.all():
        joint = Joint.from_counts(joint.p[:, resolved], drop_empty=True)
    return Support(joint, resolved)


def merged_rows(support: Support, notion: LiftNotion) -> tuple[Matrix, Vector]:
    """Return the posteriors of subset merging, the fallback of a search, and their
    probabilities.
    """
    merged = subset_merging(support.joint, notion)
    masses = (support.joint.p_x[:, None] * merged.kernel).T
    weights = masses.sum(axis=1)
    return np.asarray(masses / weights[:, None]), np.asarray(weights)


def repaired(
    kernel: Matrix,
    p_x: Vector,
    keeps: Callable[[Channel], bool],
    floor: float = 0.0,
    *,
    name: object = "its notion",
) -> tuple[Channel, float]:
    """Return the channel, mixed with a constant release if needed, and the share.

    With share t, the posterior of output y is (1 - t) v_y + t P_X, which the notion
    allows if it nearly allows v_y.

    Parameters
    ----------
    kernel : numpy.ndarray, shape (X, Y)
    p_x : numpy.ndarray, shape (X,)
    keeps : callable
        Returns whether a channel satisfies the notion.
    floor : float
        Minimum share, in [0, 1].
    name : object, keyword-only
        The notion's name in the error message.

    Raises
    ------
    SolverFailure
        If a share above ``REPAIR_TOL`` is needed, which rounding cannot explain.
    """
    p_y = p_x @ kernel
    share = floor
    while True:
        channel = Channel((1 - share) * kernel + share * p_y)
        if keeps(channel):
            return channel, share
        share = max(4 * share, REPAIR_START)
        if share > REPAIR_TOL:
            raise SolverFailure(
                f"the response violates {name} by more than a share of {REPAIR_TOL:g} "
                "can repair"
            )


def cone_for(joint: Joint, notion: Convex) -> PosteriorCone:
    """Return the cone of posteriors that a convex notion allows."""
    support = without_negligible(joint, notion)
    if not provides(notion, Polyhedral):
        return PosteriorCone(joint, notion, support)
    relaxed, floor = notion.relaxed(support.joint.p_s, MIN_RESOLVED_LIFT)
    extension = relaxed.extension(support.joint)
    many = extension is not None and extension.n_halfspaces > MAX_LISTED_HALFSPACES
    halfspaces = None if many else relaxed.halfspaces(support.joint)
    return PosteriorCone(joint, notion, support, halfspaces, floor, extension)


def widened(halfspaces: Matrix) -> Matrix:
    """Return G moved outwards, so that G v >= 0 for every posterior v of a mechanism
    that the notion accepts, which may exceed a budget by ``KEEP_TOL``.

    Examples
    --------
    >>> widened(np.array([[0.5, -0.5], [-3.0, 2.0]])).tolist()
    [[0.50000000101, -0.49999999899], [-2.99999999697, 2.00000000303]]
    """
    size = np.abs(halfspaces).max(axis=1, initial=1.0, keepdims=True)
    return np.asarray(halfspaces + HALFSPACE_SLACK * size)  # v sums to 1


def rounded_up(joint: Joint, least: float) -> float:
    """Return H(X) - least, rounded up.

    It bounds I(X; Y) of every mechanism that a notion accepts, if no symbol was removed
    and none that satisfies the :func:`widened` halfspaces has H(X|Y) below ``least``.
    """
    total = float(entropies(joint.p_x))
    return total - least + BOUND_MARGIN * (1 + total)


def vertex_bound(n_halfspaces: int, n: int) -> int:
    """Return an upper bound on the number of vertices of a polytope of posteriors.

    McMullen's upper bound theorem :cite:`McMullen1970`: a polytope of d dimensions and
    m facets has at most C(m - ceil(d/2), floor(d/2)) + C(m - floor(d/2) - 1, ceil(d/2)
    - 1) vertices.

    Examples
    --------
    >>> vertex_bound(4, 3)  # a polygon of 3 + 4 sides
    7
    >>> vertex_bound(4, 4)  # three dimensions: 2 m - 4 for m = 4 + 4 faces
    12
    """
    sides = n_halfspaces + n
    half = (n - 1) // 2
    rest = n - 1 - half
    return math.comb(sides - rest, half) + math.comb(sides - half - 1, max(rest - 1, 0))
