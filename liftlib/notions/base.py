"""The interface of privacy notions, and helpers that several notions share.

Mechanisms ask a notion for what they need and never for its class. Merging asks about lift columns l(., y): which
budgets does each column require (:meth:`Notion.required_budgets`)? Notions that each output's lifts decide, the
subclasses of :class:`LiftNotion`, answer this. Optimal responses ask about posteriors v = P(X=.|Y=y): which ones are
allowed (:meth:`Notion.halfspaces`)? Notions whose allowed posteriors form a polyhedral cone answer this; it is a cone
because the condition does not change when v is scaled.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.channel import Channel, or_identity
from liftlib.errors import InvalidDistribution, UnsupportedNotion, shown
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from mixproof.checks import checked
from mixproof.extension import Extension
from mixproof.numerics import KEEP_TOL, SAME_TOL, Mask, Matrix, Vector, as_matrix

Decides = tuple[Literal["least", "most"], ...]


class Leakage(NamedTuple):
    """The smallest budgets that a release satisfies, in nats: ``lower`` for eps_l, ``upper`` for eps_u."""

    lower: float
    upper: float


class RequiredBudget(NamedTuple):
    """The budget that each lift column requires for one condition; a budget may have several conditions.

    Attributes
    ----------
    budget : str
        The parameter's name, such as ``"eps_l"``.
    needed : numpy.ndarray, shape (..., X)
        The smallest budget that each column satisfies, nats.
    allowed : float
        The budget, nats.
    decides : tuple
        Which lifts decide: ``("least",)`` for the min-lift, ``("most",)`` for the max-lift, ``("most", "least")`` for
        their ratio, or ``()`` for all lifts together.
    """

    budget: str
    needed: Matrix
    allowed: float
    decides: Decides = ()


class RequiredByPosterior(NamedTuple):
    """The budget that each output requires for one condition on its posterior, where lifts alone do not decide.

    Attributes
    ----------
    budget : str
        The parameter's name, such as ``"eps"``.
    needed : numpy.ndarray, shape (Y,)
        The smallest budget that each output satisfies, nats.
    allowed : float
        The budget, nats.
    secret : numpy.ndarray of int, shape (Y,), optional
        The secret whose lift decides; None if all secrets count together.
    lift : numpy.ndarray, shape (Y,), optional
        That secret's lift, given what is already known.
    known : tuple of tuple of (int, int)
        For each output, the attributes of X that are already known, with their values; () if none is.
    """

    budget: str
    needed: Vector
    allowed: float
    secret: NDArray[np.int64] | None = None
    lift: Vector | None = None
    known: tuple[tuple[tuple[int, int], ...], ...] = ()


class LiftBounds(NamedTuple):
    """Bounds on single lifts, e^-lower(s) <= l(s, y) <= e^upper(s).

    Attributes
    ----------
    lower, upper : numpy.ndarray, shape (S,)
        Nats, one for each secret; infinite if nothing is implied.
    exact : bool
        Whether a release that satisfies the bounds satisfies the notion too.
    """

    lower: Vector
    upper: Vector
    exact: bool


class Ratios(NamedTuple):
    """A notion as conditions P(y|a) <= e^budget P(y|b) on every output y.

    Attributes
    ----------
    top, bottom : numpy.ndarray of int, shape (m,)
        The secrets a and b; the index ``n_secret`` stands for P(y), without a secret.
    budget : numpy.ndarray, shape (m,)
        Nats, finite.
    """

    top: NDArray[np.int64]
    bottom: NDArray[np.int64]
    budget: Vector


class Notion(ABC):
    """A privacy notion. A subclass implements at least ``leakage`` and ``violation``."""

    columnwise: ClassVar[bool] = False
    """Whether each output's lift column decides on its own, so that the methods on columns apply."""
    rowwise: ClassVar[bool] = False
    """Whether each output's posterior decides on its own, see :meth:`required_by_posteriors`."""
    extremes: ClassVar[bool] = False
    """Whether a column's min-lift and max-lift decide, so that these two may replace all of its lifts."""

    def __str__(self) -> str:
        """Return the notion as text, with rounding such as that of 0.1 + 0.2 removed."""
        return re.sub(r"\d+\.\d{12,}(e-?\d+)?", lambda number: f"{float(number[0]):.12g}", repr(self))

    @property
    def attributes(self) -> tuple[int, ...] | None:
        """The sizes of X's attributes if the notion is about attributes, otherwise None."""
        return None

    @property
    def average(self) -> float | None:
        """The budget of I(S; Y) in nats if the notion bounds only that, otherwise None."""
        return None

    @property
    def maximal(self) -> float | None:
        """The budget of maximal leakage in nats if the notion bounds only that, otherwise None."""
        return None

    @property
    def polyhedral(self) -> bool:
        """Whether finitely many linear constraints define the allowed posteriors, see :meth:`halfspaces`."""
        return False

    @property
    def convex(self) -> bool:
        """Whether the allowed posteriors form a convex set, see :meth:`halfspaces` and :meth:`tangents`."""
        return self.polyhedral

    def belief(self, prior: float) -> tuple[float, float]:  # noqa: ARG002 - what notions of single lifts override
        """Return the smallest and largest belief in a property of the secret after a release.

        ``prior`` is the belief before the release. The bounds hold for every property, such as "one of these three
        diagnoses". They are (0, 1) if the notion does not bound single lifts for every prior.
        """
        return 0.0, 1.0

    @property
    def proven(self) -> Notion:
        """The notion that proofs refer to, which is this one unless a budget of 0 means perfect privacy."""
        return self

    @property
    def odds_growth(self) -> float:
        """The largest increase, in nats, of the log-odds of one secret against another, for any prior.

        The likelihood ratio P(y|s) / P(y|s') = l(s,y) / l(s',y) does not depend on the prior, so a bound on it holds
        for every adversary. It is infinite if the notion does not bound this ratio.
        """
        return math.inf

    @abstractmethod
    def leakage(self, joint: Joint, channel: Channel | None = None) -> float | Leakage:
        """Return the smallest budget, or pair of budgets, that the release satisfies, in nats.

        Without a channel, the release is X itself; the same holds for :meth:`violation` and :meth:`is_satisfied`.
        """

    @abstractmethod
    def violation(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the largest violation of any budget, in nats (negative if all are satisfied).

        It is minus infinity if every budget is infinite, and infinity if no finite budget would suffice.
        """

    @checked
    def is_satisfied(self, joint: Joint, channel: Channel | None = None) -> bool:
        """Return whether the release satisfies the notion, to within ``numerics.KEEP_TOL`` nats."""
        return self.violation(joint, or_identity(joint, channel)) <= KEEP_TOL

    def halfspaces(self, joint: Joint) -> Matrix:  # noqa: ARG002 - what polyhedral notions override
        """Return G, shape (m, X): an output with v = P(X=.|Y=y) is allowed exactly when G v >= 0.

        Each row g is of such a size that g v >= -SLACK max(1, largest of g) where ``is_satisfied`` accepts an
        output, by its tolerance: a proof allows for that much.

        Raises
        ------
        UnsupportedNotion
            If the notion is not polyhedral.
        """
        raise UnsupportedNotion(
            f"{self} is not a finite set of linear constraints, so optimal_response cannot serve it: "
            "use subset_merging or watchdog"
        )

    def tangents(self, joint: Joint, rows: Matrix) -> Matrix:  # noqa: ARG002 - what convex notions override
        """Return supporting halfspaces of the set of allowed posteriors, shape (m, X).

        Parameters
        ----------
        joint : Joint
            P_SX.
        rows : numpy.ndarray, shape (n, X)
            Posteriors on the boundary of the set, where the halfspaces touch it.

        Returns
        -------
        numpy.ndarray, shape (m, X)
            Each row g of such a size that g v >= -SLACK max(1, largest of g) for every row v that ``is_satisfied``
            accepts: a proof allows for that much.

        Raises
        ------
        UnsupportedNotion
            If the set is not convex, or is polyhedral.
        """
        remedy = "use optimal_response" if self.polyhedral else "use subset_merging or watchdog"
        kind = "polyhedral" if self.polyhedral else "not convex"
        raise UnsupportedNotion(f"the rows that {self} allows are {kind}, so they have no tangents to cut by: {remedy}")

    @checked
    def tangent_directions(self, joint: Joint, rows: Matrix) -> tuple[Matrix, Matrix]:  # noqa: ARG002
        """Return vectors u over the secrets, shape (m, S) for eps_l and for eps_u, that :meth:`tangents` come from."""
        none = np.empty((0, joint.n_secret))
        return none, none

    def attribute_halfspaces(self, joint: Joint, j: int, eps: float) -> tuple[Matrix, Vector]:  # noqa: ARG002
        """Return the halfspaces G of attribute j, and P(x^j).

        An output of attribute j alone is private at eps, given any other attributes, exactly if G v >= 0.

        Raises
        ------
        UnsupportedNotion
            If the notion is not about X's attributes, or does not say.
        """
        raise UnsupportedNotion(f"{self} does not say what one attribute may tell given others: use SRLIP")

    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:  # noqa: ARG002 - what lift notions override
        """Return the budget that each lift column requires, one entry for each condition.

        Parameters
        ----------
        lift : numpy.ndarray, shape (..., S, X)
            Lifts, with any number of leading batch axes.
        p_s : numpy.ndarray, shape (..., S)
            Priors.

        Raises
        ------
        UnsupportedNotion
            If single lift columns do not decide the notion.
        """
        raise UnsupportedNotion(
            f"{self} is not decided by each symbol's lifts alone: use optimal_response or product_response"
        )

    def required_by_posteriors(self, joint: Joint, channel: Channel | None = None) -> tuple[RequiredByPosterior, ...]:  # noqa: ARG002 - cones of rows override
        """Return the budget that each output of a release requires, if its posterior decides.

        Raises
        ------
        UnsupportedNotion
            If single outputs do not decide the notion.
        """
        raise UnsupportedNotion(f"{self} does not say what single outputs need: use excess")

    def violation_of(self, lift: Matrix, p_s: Vector) -> float:
        """Return the :meth:`violation` of a release with these lifts, shape (S, Y), in nats."""
        # max() of a NaN and a number is whichever came first: numpy's keeps the NaN, which then breaks the notion
        needs = self.required_budgets(lift, p_s)
        over = [max(0.0, float(n.needed.max())) - n.allowed for n in needs if not math.isinf(n.allowed)]
        return float(np.max(over, initial=-np.inf))

    def kept_columns(self, lift: Matrix, p_s: Vector) -> Mask:
        """Return a mask, shape (..., X), of the lift columns that satisfy the notion."""
        kept = [need.needed <= need.allowed + KEEP_TOL for need in self.required_budgets(lift, p_s)]
        return np.asarray(np.logical_and.reduce(kept))

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:
        """Return the risk score omega of each column, shape (..., X), which guides subset merging."""
        with np.errstate(over="ignore"):
            return np.asarray(sum(np.exp(need.needed) for need in self.required_budgets(lift, p_s)))

    def lift_bounds(self, p_s: Vector) -> LiftBounds:
        """Return the bounds on single lifts that the notion implies for a prior of shape (S,)."""
        p_s = prior_of(p_s)
        nothing = np.full(len(p_s), np.inf)
        # P(s|y) <= 1 bounds every lift, whatever the notion
        return LiftBounds(nothing, -np.log(p_s), exact=False)

    def ratios(self, n_secret: int) -> Ratios:  # noqa: ARG002
        """Return the notion as ratios of an output's probabilities, which do not involve the prior.

        Raises
        ------
        UnsupportedNotion
            If the notion is not of this kind.
        """
        raise UnsupportedNotion(f"{self} is not a bound on ratios of P(y|s) and P(y): use confident_merging")

    @checked
    def extension(self, joint: Joint) -> Extension | None:  # noqa: ARG002 - what notions of ratios override
        """Return an equivalent description with auxiliary variables; None if it is no shorter."""
        return None

    def relaxed(self, p_s: Vector, least: float) -> tuple[Notion, float]:  # noqa: ARG002
        """Return the notion without a bound on the least lift that is below ``least``, and the share that makes up.

        At a zero cell a symbol's own row has lift 0 and breaks any finite bound, however small, and solvers cannot
        resolve it. A constant release mixed in with that share lifts every lift above the bound, costs at most that
        share of the utility, and keeps any upper bound. Others return themselves, and 0.
        """
        return self, 0.0


class LiftNotion(Notion):
    """A notion that each output's lift column decides. A subclass implements :meth:`required_budgets`."""

    columnwise = True

    @abstractmethod
    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:
        """Return the budget that each lift column requires, see :meth:`Notion.required_budgets`."""

    @checked
    def leakage(self, joint: Joint, channel: Channel | None = None) -> float | Leakage:
        """Return the smallest budget, or pair of budgets, that the release satisfies, in nats."""
        worst = self.worst(joint, channel)
        return worst[0] if len(worst) == 1 else Leakage(*worst)

    @checked
    def worst(self, joint: Joint, channel: Channel | None = None) -> tuple[float, ...]:
        """Return the smallest value of each budget that the release satisfies, in nats."""
        found: dict[str, float] = {}
        for need in self._of_release(joint, channel):
            # rounding can leave a constant release a hair below 0
            found[need.budget] = max(found.get(need.budget, 0.0), float(need.needed.max()))
        return tuple(found.values())

    @checked
    def violation(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the largest violation of any budget, in nats, see :meth:`Notion.violation`."""
        return self.violation_of(lift(or_identity(joint, channel).release(joint)), joint.p_s)

    def _of_release(self, joint: Joint, channel: Channel | None = None) -> tuple[RequiredBudget, ...]:
        return self.required_budgets(lift(or_identity(joint, channel).release(joint)), joint.p_s)


def belief_within(prior: float, eps_l: float, eps_u: float) -> tuple[float, float]:
    """Return the smallest and largest belief under lifts in [e^-eps_l, e^eps_u] (E23 Proposition A1).

    The lift of a property is a mean of its secrets' lifts, and so is that of its complement, so each bounds the other.

    Examples
    --------
    >>> [round(belief, 4) for belief in belief_within(0.1, 1.0, 0.5)]
    [0.0368, 0.1649]
    """
    growth = math.exp(min(eps_u, 700.0))
    least = max(math.exp(-eps_l) * prior, 1 - growth * (1 - prior))
    # what is next to impossible may become certain where e^eps is beyond a float, or nearly
    grown = 1.0 if eps_u > 700 and prior > 0 else growth * prior
    return least, min(grown, 1 - math.exp(-eps_l) * (1 - prior))


def prior_of(p_s: ArrayLike) -> Vector:
    """Return a prior as an array, shape (S,), and raise an error if it is invalid."""
    prior = as_matrix("p_s", p_s, (1,))
    if not (prior > 0).all():
        raise InvalidDistribution(f"p_s is {shown(prior)}: give each secret a probability above 0")
    return prior


def log_of(measure: Matrix) -> Matrix:
    """Return the natural logarithm, minus infinity at 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(measure))


def difference(a: Matrix | float, b: Matrix | float) -> Matrix:
    """Return a - b, with rounding errors replaced by 0, because a solver would scale them up to constraints."""
    found = np.asarray(a - b)
    exact = np.where(np.abs(found) <= SAME_TOL * np.maximum(np.abs(a), np.abs(b)), 0.0, found)
    # a bound that no output can miss by as much as KEEP_TOL, as for a secret of probability almost 1, is no bound
    return np.where(np.abs(exact).max(axis=1, keepdims=True) <= KEEP_TOL / 10, 0.0, exact)


def cone_of(likelihood: Matrix, eps_l: float, eps_u: float) -> Matrix:
    """Return the rows l(s) - e^-eps_l and 1 - e^-eps_u l(s), each times sum v, for the finite budgets.

    Parameters
    ----------
    likelihood : numpy.ndarray, shape (S, X)
        The lift of each symbol, so that ``likelihood @ v`` is an output's.
    eps_l, eps_u : float
        Nats; an infinite one drops that side.
    """
    rows = [np.empty((0, likelihood.shape[1]))]
    if np.isfinite(eps_l):
        rows.append(difference(likelihood, np.exp(-eps_l)))
    if np.isfinite(eps_u):
        rows.append(difference(1.0, np.exp(-eps_u) * likelihood))
    return np.concatenate(rows)
