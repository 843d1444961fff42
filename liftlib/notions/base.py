"""Interfaces of privacy notions, and helpers that the notions share.

A notion derives from the interfaces that it can implement, and a mechanism names the
one that it needs:

- :class:`LiftNotion`: a condition on each output's lift column l(., y), so symbols can
  be merged.
- :class:`Polyhedral`: finitely many halfspaces define the cone of allowed posteriors
  v = P(X=.|Y=y); :class:`PolyhedralLift` is both.
- :class:`CurvedLift`: the allowed posteriors form a convex set with tangents. It and
  Polyhedral are :class:`Convex`.
- :class:`RatioBased`: bounds on ratios of P(y|s) and P(y) that do not depend on the
  prior.
- :class:`PosteriorNotion`: a condition on each output's posterior.
  :class:`AttributeWise`: also on attributes of X.

Which interfaces a notion provides may depend on its budgets: see :meth:`Notion.lacks`
and :func:`provides`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from html import escape
from typing import (
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    SupportsFloat,
    TypeGuard,
    TypeVar,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liftlib.channel import Channel, or_identity
from liftlib.errors import (
    InvalidDistribution,
    InvalidParameter,
    UnsupportedNotion,
    shown,
)
from liftlib.joint import Joint
from liftlib.measures.lifts import lift
from mixproof.checks import Interface, checked
from mixproof.extension import Extension
from mixproof.numerics import (
    KEEP_TOL,
    SAME_TOL,
    Mask,
    Matrix,
    Vector,
    as_matrix,
    check_scalar,
)

# vertices cannot resolve a smaller bound on the least lift; mixing then satisfies it
MIN_RESOLVED_LIFT = 1e-11
# size, relative to a row's own, of what others leave of it by rounding
IMPLIED_TOL = 1e-13

Decides = tuple[Literal["least", "most"], ...]


class Rows(Protocol):
    """A matrix whose rows may be computed on access."""

    def __len__(self) -> int: ...
    def __getitem__(self, which: Any, /) -> Any: ...


class Leakage(NamedTuple):
    """The smallest budgets eps_l and eps_u that a release satisfies, in nats."""

    lower: float
    upper: float


class RequiredBudget(NamedTuple):
    """The budget that each lift column requires for one condition.

    Attributes
    ----------
    budget : str
        The parameter's name, such as ``"eps_l"``.
    needed : numpy.ndarray, shape (..., X)
        The smallest budget that each column satisfies, nats.
    allowed : float
        The notion's budget, nats.
    decides : tuple
        Which lifts determine ``needed``: ``("least",)`` the min-lift, ``("most",)`` the
        max-lift, ``("most", "least")`` their ratio, ``()`` all lifts together.
    """

    budget: str
    needed: Matrix
    allowed: float
    decides: Decides = ()


class RequiredByPosterior(NamedTuple):
    """The budget that each output requires for one condition on its posterior.

    Attributes
    ----------
    budget : str
        The parameter's name, such as ``"eps"``.
    needed : numpy.ndarray, shape (Y,)
        The smallest budget that each output satisfies, nats.
    allowed : float
        The notion's budget, nats.
    secret : numpy.ndarray of int, shape (Y,), optional
        The secret whose lift determines ``needed``; None if all secrets do together.
    lift : numpy.ndarray, shape (Y,), optional
        The lift of that secret, given the known attributes.
    known : tuple of tuple of (int, int)
        For each output, the known attributes of X with their values; () if none is
        known.
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


class Requirement(NamedTuple):
    """Texts for messages of a mechanism that requires an interface."""

    words: str
    """The notions that do."""
    members: str
    """What they provide and others do not."""
    remedy: str


class Notion(Interface, ABC):
    """A privacy notion; a subclass implements at least ``leakage``, ``violation``."""

    requirement: ClassVar[Requirement] = Requirement(
        "any notion", "leakage", "derive it from Notion"
    )

    def __str__(self) -> str:
        """Return the notion as text, with numbers rounded to 12 significant digits."""
        return re.sub(
            r"\d+\.\d{12,}(e-?\d+)?",
            lambda number: f"{float(number[0]):.12g}",
            repr(self),
        )

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th>{name}</th><td>{escape(str(value))}</td></tr>"
            for name, value in vars(self).items()
        )
        return f"<table><caption>{type(self).__name__}</caption>{cells}</table>"

    @abstractmethod
    def leakage(self, joint: Joint, channel: Channel | None = None) -> float | Leakage:
        """Return the smallest budget or budgets that the release satisfies, in nats.

        Without a channel, the release is X itself, here and in :meth:`violation` and
        :meth:`is_satisfied`.
        """

    @abstractmethod
    def violation(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the largest violation of any budget, in nats (negative if satisfied).

        It is minus infinity if every budget is infinite, and infinity if no finite
        budget would suffice.
        """

    @checked
    def is_satisfied(self, joint: Joint, channel: Channel | None = None) -> bool:
        """Return whether the release satisfies the notion, within ``KEEP_TOL`` nats."""
        return self.violation(joint, or_identity(joint, channel)) <= KEEP_TOL

    def belief(
        self,
        prior: float,  # noqa: ARG002 - for notions that bound lifts
    ) -> tuple[float, float]:
        """Return the smallest and largest posterior probability of a set of secrets.

        ``prior`` is the prior probability of the set. The result is (0, 1) if the
        notion does not bound single lifts for every prior.
        """
        return 0.0, 1.0

    @property
    def odds_growth(self) -> float:
        """The largest increase of the log-odds of two secrets, for any prior, in nats.

        It bounds log P(y|s) / P(y|s'); infinite if the notion gives no such bound for
        every prior.
        """
        return math.inf

    @property
    def proven(self) -> Notion:
        """The notion that proofs refer to, perfect privacy if a budget is 0."""
        return self

    def lacks(self, interface: type[Notion]) -> str | None:
        """Return why the notion does not provide an interface, or None if it does.

        Notions whose interfaces depend on the budgets override this method.

        Examples
        --------
        >>> from liftlib.notions import ALIP, SRLIP
        >>> ALIP(1.0, 0.5).lacks(LiftNotion) is None
        True
        >>> SRLIP(1.0, (2, 2)).lacks(LiftNotion)
        'SRLIP(eps=1.0, shape=(2, 2)) does not provide required_budgets (LiftNotion)'
        """
        if isinstance(self, interface):
            return None
        return (
            f"{self} does not provide {interface.requirement.members} "
            f"({interface.__name__})"
        )

    @classmethod
    def refusal(cls, value: object, function: str) -> Exception | None:
        """Return the error to raise if a value does not provide this interface, or
        None.
        """
        reason = (
            value.lacks(cls)
            if isinstance(value, Notion)
            else f"{shown(value)} is not a Notion"
        )
        if reason is None:
            return None
        return UnsupportedNotion(
            f"{function} needs {cls.requirement.words}; {reason}: "
            f"{cls.requirement.remedy}"
        )


N = TypeVar("N", bound=Notion)


def provides(notion: Notion, interface: type[N]) -> TypeGuard[N]:
    """Return whether a notion, with its budgets, provides an interface.

    Parameters
    ----------
    notion : Notion
        A notion with its budgets.
    interface : type
        One of the interfaces, such as ``Polyhedral``.

    Examples
    --------
    >>> from liftlib.notions import LIP, SRLIP
    >>> provides(LIP(1.0), LiftNotion), provides(SRLIP(1.0, (2, 2)), LiftNotion)
    (True, False)
    """
    return notion.lacks(interface) is None


def require(notion: Notion, interface: type[N], function: str) -> N:
    """Return the notion if it provides an interface.

    Parameters
    ----------
    notion : Notion
        A notion with its budgets.
    interface : type
        One of the interfaces, such as ``Polyhedral``.
    function : str
        The name of the function that asks, for the message.

    Raises
    ------
    UnsupportedNotion
        If the notion does not provide the interface; the message says what to use.

    Examples
    --------
    >>> from liftlib.notions import LIP
    >>> require(LIP(1.0), LiftNotion, "my_mechanism")
    LIP(eps=1.0)
    """
    if provides(notion, interface):
        return notion
    raise interface.refusal(notion, function) or UnsupportedNotion(function)


class LiftNotion(Notion):
    """A notion that is a condition on each output's lift column."""

    requirement = Requirement(
        "a notion that each output's lifts decide",
        "required_budgets",
        "use optimal_response or product_response",
    )

    def __init_subclass__(cls, **options: Any) -> None:
        """Check what ``required_budgets`` of a notion of a user returns."""
        super().__init_subclass__(**options)
        own = vars(cls).get("required_budgets")
        if own is not None and not cls.__module__.startswith("liftlib."):
            cls.required_budgets = _checked_budgets(own)  # type: ignore[assignment]

    @property
    def proven(self) -> LiftNotion:
        """The notion that decides whether a release is private; perfect privacy if a
        budget of 0 implies it.

        Within the tolerance of a budget of 0, an average would still allow a rare
        secret's lift far from 1.
        """
        return self

    @abstractmethod
    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:
        """Return the budget that each lift column requires, one entry for each
        condition.

        Parameters
        ----------
        lift : numpy.ndarray, shape (..., S, X)
            Lifts, with any number of leading batch axes.
        p_s : numpy.ndarray, shape (..., S)
            Priors.
        """

    @checked
    def leakage(self, joint: Joint, channel: Channel | None = None) -> float | Leakage:
        """Return the smallest budget or budgets that the release satisfies, in nats."""
        worst = self.worst(joint, channel)
        return worst[0] if len(worst) == 1 else Leakage(*worst)

    @checked
    def worst(self, joint: Joint, channel: Channel | None = None) -> tuple[float, ...]:
        """Return, for each budget, the smallest value that the release satisfies, in
        nats.
        """
        lifts = lift(or_identity(joint, channel).release(joint))
        required: dict[str, float] = {}
        needs = self.required_budgets(lifts, joint.p_s)
        for at, need in enumerate(needs):
            needed = _needed_by(self, at, needs, joint.p_s)
            before = required.get(need.budget, 0.0)
            # numpy's maximum keeps a NaN, and Python's may not
            required[need.budget] = float(np.maximum(before, needed))
        return tuple(required.values())

    @checked
    def violation(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the largest violation of any budget, see :meth:`Notion.violation`."""
        lifts = lift(or_identity(joint, channel).release(joint))
        return self.violation_of(lifts, joint.p_s)

    def violation_of(self, lift: Matrix, p_s: Vector) -> float:
        """Return the :meth:`violation` of a release with these lifts, shape (S, Y)."""
        needs = self.proven.required_budgets(lift, p_s)
        over = [
            _needed_by(self.proven, at, needs, p_s) - need.allowed
            for at, need in enumerate(needs)
            if not math.isinf(need.allowed)
        ]
        return float(np.max(over, initial=-np.inf))

    def kept_columns(self, lift: Matrix, p_s: Vector, tol: float = KEEP_TOL) -> Mask:
        """Return a mask, shape (..., X), of the lift columns that satisfy the notion,
        within ``tol`` nats.
        """
        needs = self.proven.required_budgets(lift, p_s)
        satisfied = np.asarray(needs[0].needed <= needs[0].allowed + tol)
        for need in needs[1:]:
            satisfied = satisfied & (need.needed <= need.allowed + tol)
        return satisfied

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:
        """Return the risk score omega of each lift column, shape (..., X)."""
        with np.errstate(over="ignore"):
            return np.asarray(
                sum(np.exp(need.needed) for need in self.required_budgets(lift, p_s))
            )

    def lift_bounds(self, p_s: Vector) -> LiftBounds:
        """Return the implied bounds on single lifts for a prior of shape (S,)."""
        p_s = prior_of(p_s)
        nothing = np.full(len(p_s), np.inf)
        # P(s|y) <= 1 bounds every lift, whatever the notion
        return LiftBounds(nothing, -np.log(p_s), exact=False)


class Convex(Notion):
    """A notion whose allowed posteriors form a convex set."""

    requirement = Requirement(
        "a notion whose allowed posteriors form a convex set",
        "halfspaces or tangents",
        "use subset_merging or watchdog",
    )


class Polyhedral(Convex):
    """A notion whose allowed posteriors form a polyhedral cone."""

    requirement = Requirement(
        "a notion whose allowed posteriors are a finite set of linear constraints",
        "halfspaces",
        "use subset_merging or watchdog",
    )

    @abstractmethod
    def halfspaces(self, joint: Joint) -> Matrix:
        """Return G, shape (m, X): v = P(X=.|Y=y) is allowed exactly when G v >= 0.

        Rows g are scaled so that g v >= -HALFSPACE_SLACK max(1, max(abs(g))) for every
        v that ``is_satisfied`` accepts.
        """

    def numbered_halfspaces(self, joint: Joint) -> Rows:
        """Return the halfspaces, indexable by number, for a proof that uses some of
        them.
        """
        return self.halfspaces(joint)

    @checked
    def extension(
        self,
        joint: Joint,  # noqa: ARG002 - where there is one
        through: Matrix | None = None,  # noqa: ARG002
    ) -> Extension | None:
        """Return an extended formulation with fewer inequalities, or None.

        With ``through``, shape (X, n), it describes the points v of n coordinates with
        G (through @ v) >= 0.
        """
        return None

    def relaxed(
        self,
        p_s: Vector,  # noqa: ARG002 - for notions with a bound below
        least: float,  # noqa: ARG002
    ) -> tuple[Polyhedral, float]:
        """Return the notion without lower bounds on lifts below ``least``, and a share.

        Solvers cannot resolve such bounds. Mixing in a constant release with that share
        raises every lift above them and costs at most that share of the utility.
        Without such bounds, return the notion itself and 0.
        """
        return self, 0.0


class PolyhedralLift(LiftNotion, Polyhedral):
    """A notion given by linear constraints on each output's lift column."""

    requirement = Requirement(
        "a notion that each output's lifts decide, by linear constraints",
        "required_budgets and halfspaces",
        "use subset_merging, watchdog or optimal_response",
    )


class CurvedLift(LiftNotion, Convex):
    """A notion whose allowed posteriors form a convex set that is no polytope."""

    requirement = Requirement(
        "a notion whose allowed posteriors form a convex set that is no polytope",
        "tangents",
        "use subset_merging, watchdog or optimal_response",
    )

    @abstractmethod
    def tangents(self, joint: Joint, rows: Matrix) -> Matrix:
        """Return supporting halfspaces of the set of allowed posteriors, shape (m, X).

        Parameters
        ----------
        joint : Joint
            P_SX.
        rows : numpy.ndarray, shape (n, X)
            Posteriors on the boundary of the set, the points of tangency.

        Returns
        -------
        numpy.ndarray, shape (m, X)
            Rows g, scaled so that g v >= -HALFSPACE_SLACK max(1, max(abs(g))) if
            ``is_satisfied`` accepts v.
        """

    @checked
    def tangent_directions(
        self,
        joint: Joint,
        rows: Matrix,  # noqa: ARG002 - for notions that a proof knows
    ) -> tuple[Matrix, Matrix]:
        """Return the directions from which a proof derives the :meth:`tangents`.

        Parameters
        ----------
        joint, rows
            As for :meth:`tangents`.

        Returns
        -------
        lower, upper : numpy.ndarray, shapes (k, S) and (m, S)
            For each tangent of the bounds eps_l and eps_u, the vector u of
            ``liftlib/exact.py``. By default there are none: a proof then holds the
            halfspaces.
        """
        none = np.empty((0, joint.n_secret))
        return none, none


class RatioBased(Notion):
    """A notion that bounds ratios of P(y|s) and P(y)."""

    requirement = Requirement(
        "a bound on ratios of P(y|s) and P(y)", "ratios", "use ALIP, LIP or LDP"
    )

    @abstractmethod
    def ratios(self, n_secret: int) -> Ratios:
        """Return the notion as bounds on ratios that do not depend on the prior."""


class PosteriorNotion(Notion):
    """A notion that is a condition on each output's posterior."""

    requirement = Requirement(
        "a notion that each output's posterior decides",
        "required_by_posteriors",
        "use SRLIP",
    )

    @abstractmethod
    def required_by_posteriors(
        self, joint: Joint, channel: Channel | None = None
    ) -> tuple[RequiredByPosterior, ...]:
        """Return the budget that each output requires, one entry for each condition."""


class AttributeWise(PosteriorNotion, Polyhedral):
    """A notion about the attributes of X, with one budget, ``eps``."""

    requirement = Requirement(
        "a notion about X's attributes", "attribute_halfspaces", "give SRLIP"
    )
    eps: float

    @property
    @abstractmethod
    def attributes(self) -> tuple[int, ...]:
        """The attributes' sizes; X runs through their combinations in C order."""

    @checked
    def check_fits(self, joint: Joint) -> None:
        """Raise InvalidParameter unless ``|X|`` is the product of the attributes'
        sizes.
        """
        # numpy's product overflows at 2^63
        if (combinations := math.prod(self.attributes)) != joint.n_public:
            raise InvalidParameter(
                f"shape {shown(self.attributes)} has {shown(combinations)} "
                "combinations, "
                f"the joint {joint.n_public} public symbols"
            )

    @abstractmethod
    def attribute_halfspaces(
        self, joint: Joint, j: int, eps: float
    ) -> tuple[Matrix, Vector]:
        """Return the halfspaces G of attribute j, and the marginal P(x^j).

        A posterior v = P(X^j=.|Y^j=y) satisfies the budget eps, given any other
        attributes, exactly if G v >= 0.
        """


def _needed_by(
    notion: LiftNotion, at: int, needs: Sequence[RequiredBudget], p_s: Vector
) -> float:
    """Return the budget that a release needs for condition ``at``, in nats.

    The outputs' lifts have mean 1: that every output needs less than one whose lifts
    are 1, which reveals nothing, is a fault of the notion.
    """
    need = needs[at]
    largest = float(need.needed.max())
    if largest < -KEEP_TOL:
        ones = np.ones((*p_s.shape, 1))
        # a zero without a sign, for the message
        nothing = 0.0 + float(notion.required_budgets(ones, p_s)[at].needed.max())
        if largest < nothing - KEEP_TOL:
            raise InvalidParameter(
                f"{notion}: each output of a release needs at most {largest:.4g} nats"
                f" of {need.budget}, and one that reveals nothing needs {nothing:.4g}:"
                " is a sign flipped?"
            )
    # rounding can leave a constant release a hair below 0; numpy's maximum keeps a
    # NaN, which then breaks the notion, and Python's may not
    return float(np.maximum(0.0, largest))


def _checked_budgets(
    function: Callable[[Any, Matrix, Vector], tuple[RequiredBudget, ...]],
) -> Callable[[Any, Matrix, Vector], tuple[RequiredBudget, ...]]:
    @wraps(function)
    def required_budgets(
        self: LiftNotion, lift: Matrix, p_s: Vector
    ) -> tuple[RequiredBudget, ...]:
        needs: object = function(self, lift, p_s)
        name = f"required_budgets of {type(self).__name__}"
        if isinstance(needs, RequiredBudget) or not isinstance(needs, tuple):
            kind = type(needs).__name__
            raise InvalidParameter(
                f"{name} returns a {kind}, not a tuple of RequiredBudget: is a comma "
                "missing?"
            )
        expected = lift.shape[:-2] + lift.shape[-1:]
        for at, need in enumerate(needs):
            if not isinstance(need, RequiredBudget):
                raise InvalidParameter(
                    f"{name} returns a {type(need).__name__} as item {at}: give a "
                    "RequiredBudget"
                )
            if not isinstance(need.allowed, SupportsFloat):
                raise InvalidParameter(
                    f"{name} allows {shown(need.allowed)} for {need.budget}: give the "
                    "notion's budget in nats"
                )
            if (shape := np.shape(need.needed)) != expected:
                raise InvalidParameter(
                    f"{name} returns `needed` of shape {shape} for {need.budget} and "
                    f"lifts of shape {lift.shape}: "
                    f"reduce over the secrets, axis -2, to shape {expected}"
                )
        return needs

    return required_budgets


def check_budgets(notion: Notion, *names: str) -> None:
    """Replace a frozen notion's budgets by floats, checked to be in [0, inf]."""
    for name in names:
        object.__setattr__(notion, name, check_scalar(name, getattr(notion, name)))


def belief_within(prior: float, eps_l: float, eps_u: float) -> tuple[float, float]:
    """Return the range of a set's posterior for lifts in [e^-eps_l, e^eps_u].

    E23 Proposition A1. Both the lift of the set and the lift of its complement are
    bounded.

    Examples
    --------
    >>> [round(belief, 4) for belief in belief_within(0.1, 1.0, 0.5)]
    [0.0368, 0.1649]
    """
    growth = math.exp(min(eps_u, 700.0))
    least = max(math.exp(-eps_l) * prior, 1 - growth * (1 - prior))
    # what is next to impossible may become certain where e^eps is beyond a float, or
    # nearly
    grown = 1.0 if eps_u > 700 and prior > 0 else growth * prior
    return least, min(grown, 1 - math.exp(-eps_l) * (1 - prior))


def prior_of(p_s: ArrayLike) -> Vector:
    """Return a validated prior as an array, shape (S,)."""
    prior = as_matrix("p_s", p_s, (1,))
    if not (prior > 0).all():
        raise InvalidDistribution(
            f"p_s is {shown(prior)}: give each secret a probability above 0"
        )
    return prior


def log_of(measure: Matrix) -> Matrix:
    """Return the natural logarithm, minus infinity at 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(measure))


def difference(a: Matrix | float, b: Matrix | float) -> Matrix:
    """Return a - b with rounding errors set to 0, because solvers amplify them."""
    raw = np.asarray(a - b)
    exact = np.where(
        np.abs(raw) <= SAME_TOL * np.maximum(np.abs(a), np.abs(b)), 0.0, raw
    )
    # a bound that no output can miss by as much as KEEP_TOL, as for a secret of
    # probability almost 1, is no bound
    return np.where(
        np.abs(exact).max(axis=1, keepdims=True) <= KEEP_TOL / 10, 0.0, exact
    )


def cone_of(likelihood: Matrix, eps_l: float, eps_u: float) -> Matrix:
    """Return the rows l(s) - e^-eps_l and 1 - e^-eps_u l(s), for finite budgets.

    Parameters
    ----------
    likelihood : numpy.ndarray, shape (S, X)
        Lifts of the symbols; ``likelihood @ v`` is the lift column of an output with
        posterior v.
    eps_l, eps_u : float
        Budgets in nats; an infinite one drops that side.
    """
    rows = [np.empty((0, likelihood.shape[1]))]
    if np.isfinite(eps_l):
        rows.append(difference(likelihood, np.exp(-eps_l)))
    if np.isfinite(eps_u):
        rows.append(difference(1.0, np.exp(-eps_u) * likelihood))
    return np.concatenate(rows)


def equalities(likelihood: Matrix) -> Matrix:
    """Return the halfspaces of perfect privacy, l(s) = 1, as :func:`cone_of` does, but
    0 for secrets that others imply.

    The mean lift is 1, so that one secret's equality follows from the others. If that
    secret is almost certain, its lifts are next to 1: relative to the size of its row,
    rounding is large, and would make it contradict the others.
    """
    rows = cone_of(likelihood, 0.0, 0.0)
    left = rows[: len(likelihood)].copy()
    least = np.maximum(KEEP_TOL / 10, IMPLIED_TOL * np.linalg.norm(left, axis=1))
    implied = np.ones(len(left), dtype=bool)
    while True:  # Gram-Schmidt, the largest remainder first
        size = np.where(implied, np.linalg.norm(left, axis=1), 0.0)
        at = int(size.argmax())
        if size[at] <= least[at]:
            rows[np.tile(implied, 2)] = 0.0
            return rows
        implied[at] = False
        unit = left[at] / size[at]
        left -= np.outer(left @ unit, unit)
