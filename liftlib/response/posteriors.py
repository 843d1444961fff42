"""The engine for rows: an output is its row v = P(X=.|Y=y), a mechanism a mixture of rows that averages to P_X.

A notion allows a convex set of rows, and I(X; Y) = H(X) - H(X|Y) is best where the rows' mean entropy is least. So
every response is made in the same steps: symbols of next to no mass are left out, rows are given (vertices, or found
otherwise), the cheapest mixture of them is a linear programme, the kernel follows from it, the symbols left out
follow the others, and what rounding broke is mended.
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
from liftlib.notions import Notion
from mixproof.extension import Extension
from mixproof.lp import Solution, mix_columns
from mixproof.numerics import DUST, REPAIR_START, REPAIR_TOL, RESOLVED, Mask, Matrix, Vector, xlogx
from mixproof.polytope import Method, vertices
from mixproof.proof import DeferredProofField

Cost = Callable[[Matrix], Vector]
"""What rows of shape (M, X) cost, shape (M,), at least 0 and concave in the row."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsCertificate(Certificate):
    """What the making of a response tells.

    ``upper`` is finite where it is proven: the mixture was chosen from all vertices, or a tree bounds what is missing;
    and no symbol was left out.

    Attributes
    ----------
    rows : int
        How many rows the mixture was chosen from.
    solution : mixproof.lp.Solution
        The certified linear programme; its objective is H(X|Y), nats, before anything was mixed in.
    mixed : float
        The share of constant release mixed in so that the notion is kept in floating point, mostly 0.
    proof : mixproof.proof.Proof or None
        What :func:`liftlib.proofs.check_proof` checks, put together when it is first asked for; the vertices
        of an enumeration have none.
    programmes : int
        Linear programmes solved in the tree.
    seconds : float
        How long the search took, 0 for an enumeration.
    """

    rows: int
    solution: Solution
    mixed: float
    proof: DeferredProofField = DeferredProofField()  # noqa: RUF009 - a descriptor
    programmes: int = 0
    seconds: float = 0.0

    def warn_of(self, limit: tuple[str, str], gap: float, *, after: str = "", stacklevel: int) -> None:
        """Warn that a search ended before its gap: what was reached, and what to do about it, in words."""
        reached, remedy = limit
        warnings.warn(
            f"{reached} after {self.seconds:.3g} s{after}: I(X; Y) is {self.value:.6g} nats and no mechanism has more "
            f"than {self.upper:.6g}; {remedy} than {gap:g}",
            LiftWarning,
            stacklevel=stacklevel + 1,
        )


class Core(NamedTuple):
    """The symbols that a solver can resolve.

    Attributes
    ----------
    joint : Joint
        P_SX given that X is one of them.
    solid : numpy.ndarray of bool, shape (X,)
        Which they are.
    """

    joint: Joint
    solid: Mask

    def spread(self, rows: Matrix) -> Matrix:
        """Return rows of shape (M, X), 0 at the symbols that were left out."""
        whole = np.zeros((len(rows), self.solid.size))
        whole[:, self.solid] = rows
        return whole

    def completed(self, kernel: Matrix) -> Matrix:
        """Return the kernel with a row for each symbol that was left out: it is sent where an average one goes."""
        if self.solid.all():
            return kernel
        whole = np.tile(self.joint.p_x @ kernel, (self.solid.size, 1))
        whole[self.solid] = kernel
        return whole


class Cone(NamedTuple):
    """What a notion allows: a row v over the core's symbols exactly where G v >= 0.

    Attributes
    ----------
    core : Core
    halfspaces : numpy.ndarray, shape (m, n)
        G.
    floor : float
        The share of constant release to mix in at least.
    extension : Extension, optional
        The same by fewer inequalities, with auxiliary variables.
    """

    core: Core
    halfspaces: Matrix
    floor: float
    extension: Extension | None = None


class Mixture(NamedTuple):
    """The cheapest mixture of rows, shape (M, X), that averages to ``p_x``, shape (X,)."""

    rows: Matrix
    solution: Solution
    p_x: Vector

    @property
    def kernel(self) -> Matrix:
        """P(y|x) = q(y) v_y(x) / P(x) for the rows with weight, shape (X, Y) (E23 eqs. (27)-(29)).

        A symbol so rare that no such row has it, by the programme's tolerance, is sent where an average one goes.
        """
        weights = self.solution.x[self.solution.x > 0]
        kernel = (weights[:, None] * self.rows[self.solution.x > 0] / self.p_x).T
        kernel[~kernel.any(axis=1)] = weights
        return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))


def without_dust(joint: Joint, notion: Notion) -> Core:
    """Return what is left without the symbols of less mass than a linear programme's tolerance.

    A mechanism made for the rest sends them where it sends an average symbol, which moves every lift towards 1 and so
    keeps the notion, and costs no more than their entropy. Notions about attributes cannot lose a symbol, so there all
    are kept.

    Examples
    --------
    >>> from liftlib.notions import LIP, SRLIP
    >>> joint = Joint.from_counts([[1, 1, 0, 1e-12], [1, 3, 2, 0]])
    >>> without_dust(joint, LIP(1.0)).solid.tolist()
    [True, True, True, False]
    >>> without_dust(joint, SRLIP(1.0, (2, 2))).solid.all()
    np.True_
    """
    solid = joint.p_x >= DUST if notion.attributes is None else np.ones(joint.n_public, dtype=bool)
    return Core(joint if solid.all() else Joint.from_counts(joint.p[:, solid], drop_empty=True), solid)


def entropies(rows: Matrix) -> Vector:
    """Return H(X|Y=y) of each row, nats.

    Examples
    --------
    >>> entropies(np.array([[1.0, 0.0], [0.5, 0.5]])).round(4).tolist()
    [-0.0, 0.6931]
    """
    return np.asarray(-xlogx(rows).sum(axis=1))


def cheapest(rows: Matrix, p_x: Vector, cost: Cost = entropies) -> Mixture:
    """Return the cheapest mixture of rows that averages to P_X (E23 eq. (26), S20 eq. (17)).

    Raises
    ------
    InfeasiblePrivacy
        If no mixture does.
    SolverFailure
        If the programme's answer fails its check.
    """
    return Mixture(rows, mix_columns(cost(rows), rows, p_x), p_x)


def mended(
    kernel: Matrix, p_x: Vector, keeps: Callable[[Channel], bool], floor: float = 0.0, *, name: object = "its notion"
) -> tuple[Channel, float]:
    """Return the channel with as little constant release mixed in as keeps a notion, and that share.

    An output y then has the row (1 - t) q(y) v_y + t q(y) P_X, which is allowed if v_y nearly is.

    Parameters
    ----------
    kernel : numpy.ndarray, shape (X, Y)
    p_x : numpy.ndarray, shape (X,)
    keeps : callable
        Whether a channel keeps the notion.
    floor : float
        The least share, in [0, 1].
    name : object, keyword-only
        What the notion is called in an error's message.

    Raises
    ------
    SolverFailure
        If it takes a larger share than ``numerics.REPAIR_TOL``: that much is not rounding.
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
    """Return the channel with its certificate; ``upper`` is infinite where nothing is proven."""
    value = mutual_information(channel.joint_xy(joint))
    # equal bounds may cross by rounding
    certificate = RowsCertificate(
        route, value, max(value, upper), rows=len(mixture.rows), solution=mixture.solution, mixed=mixed
    )
    return channel.with_certificate(certificate)


def best_response(
    joint: Joint,
    notion: Notion,
    *,
    others: Sequence[Joint] = (),
    cone: Cone | None = None,
    cost: Cost = entropies,
    method: Method = "qhull",
    route: str = "all vertices",
) -> Channel:
    """Return the mechanism of the least mean cost of an output's row, among all that keep a polyhedral notion.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion : Notion
        One with halfspaces.
    others : sequence of Joint, keyword-only
        Distributions of as many symbols under which the notion must be kept too.
    cone : Cone, optional, keyword-only
        :func:`cone_for` these, where it is known already.
    cost : callable, keyword-only
        The cost of rows, concave; H(X|Y=y) by default.
    method : {"qhull", "cdd"}, keyword-only
        See :func:`mixproof.polytope.vertices`.
    route : str, keyword-only
        What the certificate says.

    Returns
    -------
    Channel
        With a :class:`RowsCertificate`; its ``upper`` is that of the default cost.

    Raises
    ------
    UnsupportedNotion
        If the notion has no halfspaces.
    SolverFailure
        If a solver's answer fails its check: a constant release keeps every notion, so there is always an answer.
    """
    core, halfspaces, floor, _ = cone_for(joint, notion, others) if cone is None else cone
    p_x = core.joint.p_x
    # P_X itself, the row of a constant release, lies inside every notion's cone
    rows = vertices(halfspaces, method, interior=p_x)
    try:
        mixture = cheapest(rows, p_x, lambda found: cost(core.spread(found)))
    except InfeasiblePrivacy as error:
        raise SolverFailure(f"no response found, yet a constant release keeps {notion}: {error}") from error
    every = (joint, *others)
    channel, mixed = mended(
        core.completed(mixture.kernel),
        joint.p_x,
        lambda made: all(notion.is_satisfied(one, made) for one in every),
        floor,
        name=notion,
    )
    # cddlib in floating point may miss vertices, so that nothing is proven by what it finds
    upper = np.inf if method == "cdd" else proven(joint, core, mixture)
    return certified(joint, channel, route, mixture, mixed, upper)


def cone_for(joint: Joint, notion: Notion, others: Sequence[Joint] = ()) -> Cone:
    """Return the cone of the rows that a polyhedral notion allows, under ``joint`` and under each of the others."""
    core = without_dust(joint, notion)
    relaxed, floor = notion.relaxed(core.joint.p_s, RESOLVED)
    cones = [relaxed.halfspaces(core.joint)]
    for other in others:
        its_relaxed, its_floor = notion.relaxed(other.p_s, RESOLVED)
        cones.append(cone_under(other, core, its_relaxed.halfspaces(other)))
        floor = max(floor, its_floor)
    return Cone(core, np.concatenate(cones), floor, None if others else relaxed.extension(core.joint))


def proven(joint: Joint, core: Core, mixture: Mixture) -> float:
    """Return H(X) less the mixture's cost, nats, which no mixture of the rows exceeds; infinite with symbols left out.

    It bounds every mechanism as far as the rows are all vertices there are, which qhull is trusted to find.
    """
    return entropy(joint.p_x) - mixture.solution.objective if core.solid.all() else np.inf


def cone_under(other: Joint, core: Core, halfspaces: Matrix) -> Matrix:
    """Return halfspaces on a row under one distribution, given those on its row under another.

    Parameters
    ----------
    other : Joint
        P'_SX, over the whole alphabet.
    core : Core
        The symbols of the first distribution, whose row v = P(X=.|Y=y) runs over the solid ones.
    halfspaces : numpy.ndarray, shape (m, X)
        What a row under ``other`` must meet.

    Notes
    -----
    With P(y|x) = q v_x / P(x), the row under ``other`` is proportional to v_x P'(x) / P(x). A symbol left out is sent
    where an average one goes, with P(y|x) = q sum v, and so counts P'(x) sum v.

    Examples
    --------
    >>> first, other = Joint([[0.25, 0.25], [0.25, 0.25]]), Joint([[0.1, 0.4], [0.1, 0.4]])
    >>> cone_under(other, Core(first, np.array([True, True])), np.array([[1.0, -1.0]])).tolist()
    [[0.4, -1.6]]
    """
    solid = core.solid
    left_out = halfspaces[:, ~solid] @ other.p_x[~solid]
    return np.asarray(halfspaces[:, solid] * (other.p_x[solid] / core.joint.p_x) + left_out[:, None])
