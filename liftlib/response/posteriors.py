"""Responses as mixtures of posteriors: AORR by enumeration (E23 eqs. (15)-(30)) and shared functions.

Each output y stands for its posterior v = P(X=.|Y=y), and a mechanism is a mixture of posteriors that averages to P_X.
A notion allows a convex set of posteriors, and I(X; Y) = H(X) - H(X|Y) is largest where their mean entropy is smallest.
:func:`best_response` therefore leaves out negligible symbols, lists the vertices of the allowed set, finds the cheapest
mixture by a linear program, computes the kernel, extends it to the symbols left out, and repairs rounding errors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from liftlib.channel import Certificate, Channel
from liftlib.errors import InfeasiblePrivacy, LiftWarning, SolverFailure
from liftlib.joint import Joint
from liftlib.measures.information import entropy, mutual_information
from liftlib.notions import AttributeWise, Notion, Polyhedral
from mixproof.extension import Extension
from mixproof.lp import Solution, mix_columns
from mixproof.numerics import DUST, REPAIR_START, REPAIR_TOL, RESOLVED, Mask, Matrix, Vector, xlogx
from mixproof.polytope import Method, vertices
from mixproof.proof import DeferredProofField

Cost = Callable[[Matrix], Vector]
"""The cost of posteriors, from shape (M, X) to shape (M,): at least 0 and concave in the posterior."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsCertificate(Certificate):
    """How a response was found, and a bound on every other response.

    ``upper`` is finite if it is proven: the mixture was chosen from all vertices, or branch and bound limits what the
    missing posteriors can add, and no symbol was left out.

    Attributes
    ----------
    rows : int
        Number of posteriors that the mixture was chosen from.
    solution : mixproof.lp.Solution
        The certified linear program; its objective is H(X|Y), nats, before any constant release was mixed in.
    mixed : float
        The share of constant release mixed in so that the notion is satisfied in floating point; usually 0.
    proof : mixproof.proof.Proof or None
        The proof that :func:`liftlib.proofs.check_proof` checks, assembled at first access; None for an enumeration.
    programmes : int
        Number of linear programs solved in branch and bound.
    seconds : float
        Duration of the search; 0 for an enumeration.
    """

    rows: int
    solution: Solution
    mixed: float
    proof: DeferredProofField = DeferredProofField()  # noqa: RUF009 - a descriptor
    programmes: int = 0
    seconds: float = 0.0

    def warn_of(self, limit: tuple[str, str], gap: float, *, after: str = "", stacklevel: int) -> None:
        """Warn that a search ended before it reached its gap, with what it reached and a remedy."""
        reached, remedy = limit
        warnings.warn(
            f"{reached} after {self.seconds:.3g} s{after}: I(X; Y) is {self.value:.6g} nats and no mechanism has more "
            f"than {self.upper:.6g}; {remedy} than {gap:g}",
            LiftWarning,
            stacklevel=stacklevel + 1,
        )


class Core(NamedTuple):
    """The joint distribution restricted to the symbols that a solver can resolve.

    Attributes
    ----------
    joint : Joint
        P_SX given that X is one of these symbols.
    solid : numpy.ndarray of bool, shape (X,)
        True for these symbols.
    """

    joint: Joint
    solid: Mask

    def spread(self, rows: Matrix) -> Matrix:
        """Return posteriors over all symbols, shape (M, X), with 0 at the symbols that were left out."""
        whole = np.zeros((len(rows), self.solid.size))
        whole[:, self.solid] = rows
        return whole

    def completed(self, kernel: Matrix) -> Matrix:
        """Return the kernel extended to the symbols left out, which are treated like an average symbol."""
        if self.solid.all():
            return kernel
        whole = np.tile(self.joint.p_x @ kernel, (self.solid.size, 1))
        whole[self.solid] = kernel
        return whole


class Cone(NamedTuple):
    """The posteriors v that a notion allows, over the core's symbols: those with G v >= 0.

    Attributes
    ----------
    core : Core
    halfspaces : numpy.ndarray, shape (m, n)
        G.
    floor : float
        Minimum share of constant release to mix in.
    extension : Extension, optional
        An equivalent description with auxiliary variables and fewer inequalities.
    """

    core: Core
    halfspaces: Matrix
    floor: float
    extension: Extension | None = None


class Mixture(NamedTuple):
    """The cheapest mixture of posteriors, shape (M, X), that averages to ``p_x``, shape (X,)."""

    rows: Matrix
    solution: Solution
    p_x: Vector

    @property
    def kernel(self) -> Matrix:
        """P(y|x) = q(y) v_y(x) / P(x) for the posteriors with positive weight, shape (X, Y) (E23 eqs. (27)-(29)).

        A symbol so rare that none of them contains it, within the linear program's tolerance, is treated like an
        average symbol.
        """
        weights = self.solution.x[self.solution.x > 0]
        kernel = (weights[:, None] * self.rows[self.solution.x > 0] / self.p_x).T
        kernel[~kernel.any(axis=1)] = weights
        return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))


def without_dust(joint: Joint, notion: Notion) -> Core:
    """Return the joint distribution without symbols of less mass than a linear program's tolerance.

    A mechanism for the other symbols treats them like an average symbol. This moves every lift towards 1, so the notion
    is still satisfied, and costs at most their entropy. Notions about attributes need every symbol, so none is removed.

    Examples
    --------
    >>> from liftlib.notions import LIP, SRLIP
    >>> joint = Joint.from_counts([[1, 1, 0, 1e-12], [1, 3, 2, 0]])
    >>> without_dust(joint, LIP(1.0)).solid.tolist()
    [True, True, True, False]
    >>> without_dust(joint, SRLIP(1.0, (2, 2))).solid.all()
    np.True_
    """
    solid = np.ones(joint.n_public, dtype=bool) if isinstance(notion, AttributeWise) else joint.p_x >= DUST
    return Core(joint if solid.all() else Joint.from_counts(joint.p[:, solid], drop_empty=True), solid)


def entropies(rows: Matrix) -> Vector:
    """Return the entropy H(X|Y=y) of each posterior, nats.

    Examples
    --------
    >>> entropies(np.array([[1.0, 0.0], [0.5, 0.5]])).round(4).tolist()
    [-0.0, 0.6931]
    """
    return np.asarray(-xlogx(rows).sum(axis=1))


def cheapest(rows: Matrix, p_x: Vector, cost: Cost = entropies) -> Mixture:
    """Return the cheapest mixture of posteriors that averages to P_X (E23 eq. (26), S20 eq. (17)).

    Raises
    ------
    InfeasiblePrivacy
        If no mixture averages to P_X.
    SolverFailure
        If the linear program's solution fails its check.
    """
    return Mixture(rows, mix_columns(cost(rows), rows, p_x), p_x)


def mended(
    kernel: Matrix, p_x: Vector, keeps: Callable[[Channel], bool], floor: float = 0.0, *, name: object = "its notion"
) -> tuple[Channel, float]:
    """Return the channel, with just enough constant release mixed in to satisfy a notion, and that share.

    With share t, the posterior of output y is (1 - t) v_y + t P_X, which the notion allows if it nearly allows v_y.

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
        If more than ``numerics.REPAIR_TOL`` is needed, which is too much to be rounding.
    """
    p_y, share = p_x @ kernel, floor
    while True:
        channel = Channel((1 - share) * kernel + share * p_y)
        if keeps(channel):
            return channel, share
        share = max(4 * share, REPAIR_START)
        if share > REPAIR_TOL:
            raise SolverFailure(f"the response breaks {name} by more than a share of {REPAIR_TOL:g} can mend")


def certified(joint: Joint, channel: Channel, route: str, mixture: Mixture, mixed: float, upper: float) -> Channel:
    """Return the channel with its certificate; ``upper`` is infinite if nothing is proven."""
    value = mutual_information(channel.joint_xy(joint))
    # equal bounds may cross through rounding
    certificate = RowsCertificate(
        route, value, max(value, upper), rows=len(mixture.rows), solution=mixture.solution, mixed=mixed
    )
    return channel.with_certificate(certificate)


def best_response(
    joint: Joint,
    notion: Polyhedral,
    *,
    others: Sequence[Joint] = (),
    cone: Cone | None = None,
    cost: Cost = entropies,
    method: Method = "qhull",
    route: str = "all vertices",
) -> Channel:
    """Return the cheapest mechanism that satisfies a polyhedral notion, by listing all vertices.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        A polyhedral notion.
    others : sequence of Joint, keyword-only
        Further distributions on the same symbols under which the notion must hold.
    cone : Cone, optional, keyword-only
        The result of :func:`cone_for`, if it is already known.
    cost : callable, keyword-only
        The cost of posteriors, concave; H(X|Y=y) by default, which gives the optimal utility.
    method : {"qhull", "cdd"}, keyword-only
        See :func:`mixproof.polytope.vertices`.
    route : str, keyword-only
        The route named in the certificate.

    Returns
    -------
    Channel
        With a :class:`RowsCertificate`, whose ``upper`` refers to the default cost.

    Raises
    ------
    SolverFailure
        If a solver's solution fails its check. (A constant release satisfies every notion, so a solution exists.)

    Notes
    -----
    AORR under ALIP: E23 eqs. (15)-(30). ORR under LIP: S20 Theorem 3. The number of vertices grows exponentially in
    ``|X|``.
    """
    core, halfspaces, floor, _ = cone_for(joint, notion, others) if cone is None else cone
    p_x = core.joint.p_x
    # P_X itself, the posterior of a constant release, lies inside every notion's cone
    rows = vertices(halfspaces, method, interior=p_x)  # E23 eq. (25)
    try:
        mixture = cheapest(rows, p_x, lambda found: cost(core.spread(found)))  # E23 eq. (26)
    except InfeasiblePrivacy as error:
        raise SolverFailure(f"no response found, yet a constant release keeps {notion}: {error}") from error
    every = (joint, *others)
    channel, mixed = mended(
        core.completed(mixture.kernel),  # E23 eqs. (27)-(30)
        joint.p_x,
        lambda made: all(notion.is_satisfied(one, made) for one in every),
        floor,
        name=notion,
    )
    # cddlib in floating point may miss vertices, so that nothing is proven by what it finds
    upper = np.inf if method == "cdd" else proven(joint, core, mixture)
    return certified(joint, channel, route, mixture, mixed, upper)


def cone_for(joint: Joint, notion: Polyhedral, others: Sequence[Joint] = ()) -> Cone:
    """Return the cone of posteriors that a polyhedral notion allows under ``joint`` and all others."""
    core = without_dust(joint, notion)
    relaxed, floor = notion.relaxed(core.joint.p_s, RESOLVED)
    cones = [relaxed.halfspaces(core.joint)]
    for other in others:
        its_relaxed, its_floor = notion.relaxed(other.p_s, RESOLVED)
        cones.append(cone_under(other, core, its_relaxed.halfspaces(other)))
        floor = max(floor, its_floor)
    return Cone(core, np.concatenate(cones), floor, None if others else relaxed.extension(core.joint))


def proven(joint: Joint, core: Core, mixture: Mixture) -> float:
    """Return an upper bound on I(X; Y), nats: H(X) less the mixture's cost; infinite if symbols were left out.

    The bound holds for every mechanism if the posteriors include all vertices, which qhull is trusted to find.
    """
    return entropy(joint.p_x) - mixture.solution.objective if core.solid.all() else np.inf


def cone_under(other: Joint, core: Core, halfspaces: Matrix) -> Matrix:
    """Return halfspaces on a posterior under one distribution, given halfspaces under another.

    Parameters
    ----------
    other : Joint
        P'_SX, over the whole alphabet.
    core : Core
        The first distribution; its posteriors v = P(X=.|Y=y) run over the core's symbols.
    halfspaces : numpy.ndarray, shape (m, X)
        The constraints on a posterior under ``other``.

    Notes
    -----
    With P(y|x) = q v_x / P(x), the posterior under ``other`` is proportional to v_x P'(x) / P(x). A symbol that was
    left out is treated like an average symbol, P(y|x) = q sum v, so it contributes P'(x) sum v.

    Examples
    --------
    >>> first, other = Joint([[0.25, 0.25], [0.25, 0.25]]), Joint([[0.1, 0.4], [0.1, 0.4]])
    >>> cone_under(other, Core(first, np.array([True, True])), np.array([[1.0, -1.0]])).tolist()
    [[0.4, -1.6]]
    """
    solid = core.solid
    left_out = halfspaces[:, ~solid] @ other.p_x[~solid]
    return np.asarray(halfspaces[:, solid] * (other.p_x[solid] / core.joint.p_x) + left_out[:, None])
