"""What every notion of privacy can answer, and what the notions share.

A notion answers for itself; nothing outside this folder asks what class it is. Two kinds of question cover the
mechanisms. One is about columns of lifts l(., y): which budgets does each need (:meth:`Notion.required_budgets`)? It is
answered by the notions that each output's lifts decide, the subclasses of :class:`LiftNotion`. The other is about
rows v = P(X=.|Y=y): which are allowed (:meth:`Notion.halfspaces`)? It is answered by the notions that are polyhedral
cones of rows, for the condition does not change when v is scaled.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.channel import Channel
from liftlib.errors import InvalidDistribution, UnsupportedNotion, shown
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from mixproof.checks import checked
from mixproof.extension import Extension
from mixproof.numerics import KEEP_TOL, SAME_TOL, Mask, Matrix, Vector, as_matrix

Decides = tuple[Literal["least", "most"], ...]


class Leakage(NamedTuple):
    """The smallest budgets, in nats, that a release keeps: ``lower`` for eps_l and ``upper`` for eps_u."""

    lower: float
    upper: float


class RequiredBudget(NamedTuple):
    """One reason why a lift column needs some of a budget; a budget may have several.

    Attributes
    ----------
    budget : str
        The parameter's name, such as ``"eps_l"``.
    needed : numpy.ndarray, shape (..., X)
        The smallest budget that each column keeps, nats.
    allowed : float
        The budget, nats.
    decides : tuple
        Whose lift decides: ``("least",)`` or ``("most",)`` of the secrets, ``("most", "least")`` by their ratio, or
        ``()`` where all secrets count together.
    """

    budget: str
    needed: Matrix
    allowed: float
    decides: Decides = ()


class RequiredByPosterior(NamedTuple):
    """One reason why the row of an output needs some of a budget, where its lifts alone do not say.

    Attributes
    ----------
    budget : str
        The parameter's name, such as ``"eps"``.
    needed : numpy.ndarray, shape (Y,)
        The smallest budget that each output keeps, nats.
    allowed : float
        The budget, nats.
    secret : numpy.ndarray of int, shape (Y,), optional
        Whose lift decides; None where all secrets count together.
    lift : numpy.ndarray, shape (Y,), optional
        That secret's lift, given what is known before.
    known : tuple of tuple of (int, int)
        For each output, the attributes of X and their values that are known before it; () where nothing is.
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
        Nats, one for each secret; infinite where nothing is implied.
    exact : bool
        Whether a release that keeps the bounds keeps the notion too.
    """

    lower: Vector
    upper: Vector
    exact: bool


class Ratios(NamedTuple):
    """Conditions P(y|a) <= e^budget P(y|b) on an output, which together are a notion.

    Attributes
    ----------
    top, bottom : numpy.ndarray of int, shape (m,)
        The secrets a and b; ``n_secret`` stands for anyone, P(y).
    budget : numpy.ndarray, shape (m,)
        Nats, finite.
    """

    top: NDArray[np.int64]
    bottom: NDArray[np.int64]
    budget: Vector


class Notion(ABC):
    """A privacy notion; what every notion can answer. A subclass says at least ``leakage`` and ``violation``."""

    columnwise: ClassVar[bool] = False
    """Whether each output's lift column decides by itself, so that the methods on columns answer."""
    rowwise: ClassVar[bool] = False
    """Whether each output's posterior decides by itself, where its lifts do not: see :meth:`required_by_posteriors`."""
    extremes: ClassVar[bool] = False
    """Whether a column's least and largest lift alone decide, so that these two may stand for all of its lifts."""

    def __str__(self) -> str:
        """Return the notion as it is called, without the last digits of a floating-point sum such as 0.1 + 0.2."""
        return re.sub(r"\d+\.\d{12,}(e-?\d+)?", lambda number: f"{float(number[0]):.12g}", repr(self))

    @property
    def attributes(self) -> tuple[int, ...] | None:
        """The sizes of X's attributes where the notion is about them, and None for the others."""
        return None

    @property
    def average(self) -> float | None:
        """The budget of I(S; Y), nats, where that is all that the notion bounds, and None for the others."""
        return None

    @property
    def maximal(self) -> float | None:
        """The budget of maximal leakage, nats, where that is all that the notion bounds, and None for the others."""
        return None

    @property
    def polyhedral(self) -> bool:
        """Whether finitely many linear constraints say which rows are allowed, see :meth:`halfspaces`."""
        return False

    @property
    def convex(self) -> bool:
        """Whether a mixture of allowed rows is allowed, so that :meth:`halfspaces` or :meth:`tangents` answers."""
        return self.polyhedral

    def belief(self, prior: float) -> tuple[float, float]:  # noqa: ARG002 - what notions of single lifts override
        """Return the least and the largest belief in a property of the secret, after a release, given that before it.

        It holds for every property, such as "one of these three diagnoses"; (0, 1) where the notion bounds no single
        lift whatever the prior.
        """
        return 0.0, 1.0

    @property
    def proven(self) -> Notion:
        """The notion that a proof is about: perfect privacy where a budget of 0 leaves nothing else, else this one."""
        return self

    @property
    def odds_growth(self) -> float:
        """The most, in nats, by which a release raises the odds of one secret against another, for any prior.

        The likelihood ratio P(y|s) / P(y|s') = l(s,y) / l(s',y) does not depend on the prior, so a bound on it holds
        for every adversary. It is infinite if the notion does not bound this ratio.
        """
        return math.inf

    @abstractmethod
    def leakage(self, joint: Joint, channel: Channel) -> float | Leakage:
        """Return the smallest budget, or pair of budgets, of this notion that the release keeps, in nats."""

    @abstractmethod
    def violation(self, joint: Joint, channel: Channel) -> float:
        """Return by how many nats the release exceeds a budget, the worst of them; negative where all are kept.

        It is minus infinity where every budget is infinite, and infinity where no finite budget would do.
        """

    @checked
    def is_satisfied(self, joint: Joint, channel: Channel) -> bool:
        """Return whether the release keeps the notion, to within ``numerics.KEEP_TOL`` nats."""
        return self.violation(joint, channel) <= KEEP_TOL

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
        """Return halfspaces, shape (m, X), that hold for every allowed row and touch the set at rows of its boundary.

        Parameters
        ----------
        joint : Joint
            P_SX.
        rows : numpy.ndarray, shape (n, X)
            Rows on the boundary of what is allowed.

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

    def tangent_directions(self, joint: Joint, rows: Matrix) -> tuple[Matrix, Matrix]:  # noqa: ARG002
        """Return vectors u over the secrets, shape (m, S) for eps_l and for eps_u, that :meth:`tangents` come from."""
        none = np.empty((0, joint.n_secret))
        return none, none

    def attribute_halfspaces(self, joint: Joint, j: int, eps: float) -> tuple[Matrix, Vector]:  # noqa: ARG002
        """Return G and P(x^j): an output of attribute j alone is private at eps, given any others, iff G v >= 0.

        Raises
        ------
        UnsupportedNotion
            If the notion is not about X's attributes, or does not say.
        """
        raise UnsupportedNotion(f"{self} does not say what one attribute may tell given others: use SRLIP")

    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:  # noqa: ARG002 - what lift notions override
        """Return what columns of lifts need of each budget.

        Parameters
        ----------
        lift : numpy.ndarray, shape (..., S, X)
            Lifts, with any number of leading batch axes.
        p_s : numpy.ndarray, shape (..., S)
            Priors.

        Raises
        ------
        UnsupportedNotion
            If single columns do not decide.
        """
        raise UnsupportedNotion(
            f"{self} is not decided by each symbol's lifts alone: use optimal_response or product_response"
        )

    def required_by_posteriors(self, joint: Joint, channel: Channel) -> tuple[RequiredByPosterior, ...]:  # noqa: ARG002 - cones of rows override
        """Return what each output of a release needs of each budget, where its row decides and not its lifts.

        Raises
        ------
        UnsupportedNotion
            If it does not say what single outputs need.
        """
        raise UnsupportedNotion(f"{self} does not say what single outputs need: use excess")

    def violation_of(self, lift: Matrix, p_s: Vector) -> float:
        """Return by how many nats a release with these lifts, shape (S, Y), exceeds a budget, see :meth:`violation`."""
        # max() of a NaN and a number is whichever came first: numpy's keeps the NaN, which then breaks the notion
        needs = self.required_budgets(lift, p_s)
        over = [max(0.0, float(n.needed.max())) - n.allowed for n in needs if not math.isinf(n.allowed)]
        return float(np.max(over, initial=-np.inf))

    def kept_columns(self, lift: Matrix, p_s: Vector) -> Mask:
        """Return booleans of shape (..., X): which lift columns keep the notion."""
        kept = [need.needed <= need.allowed + KEEP_TOL for need in self.required_budgets(lift, p_s)]
        return np.asarray(np.logical_and.reduce(kept))

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:
        """Return omega, shape (..., X), by which subset merging orders columns: larger where more is leaked."""
        with np.errstate(over="ignore"):
            return np.asarray(sum(np.exp(need.needed) for need in self.required_budgets(lift, p_s)))

    def lift_bounds(self, p_s: Vector) -> LiftBounds:
        """Return bounds on single lifts that the notion implies, for a prior of shape (S,)."""
        p_s = prior_of(p_s)
        nothing = np.full(len(p_s), np.inf)
        # P(s|y) <= 1 bounds every lift, whatever the notion
        return LiftBounds(nothing, -np.log(p_s), exact=False)

    def ratios(self, n_secret: int) -> Ratios:  # noqa: ARG002
        """Return the notion as ratios of an output's probabilities, in which no distribution occurs.

        Raises
        ------
        UnsupportedNotion
            If it is not of that kind.
        """
        raise UnsupportedNotion(f"{self} is not a bound on ratios of P(y|s) and P(y): use confident_merging")

    def extension(self, joint: Joint) -> Extension | None:  # noqa: ARG002 - what notions of ratios override
        """Return the halfspaces by fewer inequalities with auxiliary variables, None where there is nothing to gain."""
        return None

    def relaxed(self, p_s: Vector, least: float) -> tuple[Notion, float]:  # noqa: ARG002
        """Return the notion without a bound on the least lift that is below ``least``, and the share that makes up.

        At a zero cell a symbol's own row has lift 0 and breaks any finite bound, however small, and solvers cannot
        resolve it. A constant release mixed in with that share lifts every lift above the bound, costs at most that
        share of the utility, and keeps any upper bound. Others return themselves, and 0.
        """
        return self, 0.0


class LiftNotion(Notion):
    """A notion decided by each output's lift column alone; a subclass says at least :meth:`required_budgets`."""

    columnwise = True

    @abstractmethod
    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:
        """Return what columns of lifts need of each budget, see :meth:`Notion.required_budgets`."""

    @checked
    def leakage(self, joint: Joint, channel: Channel) -> float | Leakage:
        """Return the smallest budget of this notion that the release keeps, or the pair of them, in nats."""
        worst = self.worst(joint, channel)
        return worst[0] if len(worst) == 1 else Leakage(*worst)

    @checked
    def worst(self, joint: Joint, channel: Channel) -> tuple[float, ...]:
        """Return how much a release needs of each budget, in the order of :meth:`required_budgets`, nats."""
        found: dict[str, float] = {}
        for need in self._of_release(joint, channel):
            # rounding can leave a constant release a hair below 0
            found[need.budget] = max(found.get(need.budget, 0.0), float(need.needed.max()))
        return tuple(found.values())

    @checked
    def violation(self, joint: Joint, channel: Channel) -> float:
        """Return by how many nats the release exceeds a budget, the worst of them; see :meth:`Notion.violation`."""
        return self.violation_of(lift(channel.release(joint)), joint.p_s)

    def _of_release(self, joint: Joint, channel: Channel) -> tuple[RequiredBudget, ...]:
        return self.required_budgets(lift(channel.release(joint)), joint.p_s)


def belief_within(prior: float, eps_l: float, eps_u: float) -> tuple[float, float]:
    """Return what lifts in [e^-eps_l, e^eps_u] let a belief in a property become (E23 Proposition A1).

    The property's lift is a mean of its secrets' lifts, and its complement's too, so that each bounds the other.

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
    """Return a prior as an array, shape (S,), refusing what is none."""
    prior = as_matrix("p_s", p_s, (1,))
    if not (prior > 0).all():
        raise InvalidDistribution(f"p_s is {shown(prior)}: give each secret a probability above 0")
    return prior


def log_of(measure: Matrix) -> Matrix:
    """Return the natural logarithm, minus infinity at 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(measure))


def difference(a: Matrix | float, b: Matrix | float) -> Matrix:
    """Return a - b, 0 where it is rounding: a solver scales its rows, and would take a row of rounding for a bound."""
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
