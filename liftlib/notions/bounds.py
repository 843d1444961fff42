"""Notions that bound each lift (ALIP, LIP, perfect privacy) or lift ratios (LDP)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.lifts import inverse_of, lift
from liftlib.notions.base import (
    Leakage,
    LiftBounds,
    LiftNotion,
    PolyhedralLift,
    RatioBased,
    Ratios,
    RequiredBudget,
    belief_within,
    check_budgets,
    cone_of,
    difference,
    equalities,
    log_of,
    prior_of,
)
from mixproof.checks import checked
from mixproof.extension import Extension
from mixproof.numerics import Matrix, Vector, check_count, check_scalar

# secrets from which an auxiliary variable saves inequalities over pairs
MIN_EXTENDED_SECRETS = 4

# nats: with other budgets the coefficients of the variable are too extreme
EXTENDED_BUDGETS = 1e-5, 30.0


class _LiftRange(PolyhedralLift, RatioBased):
    """A notion that bounds each lift: e^-range[0] <= l <= e^range[1]."""

    names: tuple[str, str]

    def _range(self) -> tuple[float, float]:
        return getattr(self, self.names[0]), getattr(self, self.names[1])

    def required_budgets(
        self,
        lift: Matrix,
        p_s: Vector,  # noqa: ARG002
    ) -> tuple[RequiredBudget, ...]:
        lower, upper = self._range()
        return (
            RequiredBudget(
                self.names[0], log_of(inverse_of(lift.min(axis=-2))), lower, ("least",)
            ),
            RequiredBudget(self.names[1], log_of(lift.max(axis=-2)), upper, ("most",)),
        )

    def belief(self, prior: float) -> tuple[float, float]:
        return belief_within(check_scalar("prior", prior, 0, 1), *self._range())

    @property
    def odds_growth(self) -> float:
        return sum(self._range())

    @checked
    def halfspaces(self, joint: Joint) -> Matrix:
        if self._perfect():
            return equalities(lift(joint))
        return cone_of(lift(joint), *self._range())

    @checked
    def numbered_halfspaces(self, joint: Joint) -> Matrix:
        eps_l, eps_u = (0.0, 0.0) if self._perfect() else self._range()
        return cone_of(lift(joint), eps_l, eps_u)

    def _perfect(self) -> bool:
        """Return whether a budget of 0 forces every lift to 1."""
        return min(self._range()) == 0

    def lift_bounds(self, p_s: Vector) -> LiftBounds:
        lower, upper = self._range()
        p_s = prior_of(p_s)
        return LiftBounds(
            np.full(len(p_s), lower), np.full(len(p_s), upper), exact=True
        )

    def ratios(self, n_secret: int) -> Ratios:
        lower, upper = self._range()
        n_secret = check_count("n_secret", n_secret)
        each = np.arange(n_secret)
        anyone = np.full(n_secret, n_secret)
        # P(y) <= e^eps_l P(y|s), and P(y|s) <= e^eps_u P(y)
        top = np.concatenate([anyone, each])
        bottom = np.concatenate([each, anyone])
        budget = np.repeat([lower, upper], n_secret)
        finite = np.isfinite(budget)
        return Ratios(top[finite], bottom[finite], budget[finite])

    def relaxed(
        self,
        p_s: Vector,  # noqa: ARG002 - the range is the same for each prior
        least: float,
    ) -> tuple[PolyhedralLift, float]:
        lower, upper = self._range()
        floor = float(np.exp(-lower))
        return (ALIP(np.inf, upper), floor) if 0 < floor < least else (self, 0.0)


@final
@dataclass(frozen=True)
class ALIP(_LiftRange):
    r"""Asymmetric local information privacy: bounds on the min-lift and the max-lift.

    :math:`e^{-\varepsilon_l} \le l(s,y) \le e^{\varepsilon_u}` for every s and y.

    Parameters
    ----------
    eps_l, eps_u : float
        Budgets in nats, in [0, inf]; an infinite one drops that side. ``ALIP(inf,
        eps)`` bounds pointwise maximal leakage.

    Notes
    -----
    E23 Definition 3, eq. (5).

    Examples
    --------
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])
    >>> ALIP(1.0, 0.5).is_satisfied(joint, Channel.identity(2))
    True
    >>> [round(eps, 4) for eps in ALIP(1.0, 0.5).leakage(joint, Channel.identity(2))]
    [0.6931, 0.4055]
    """

    eps_l: float
    eps_u: float
    names = ("eps_l", "eps_u")

    def __post_init__(self) -> None:
        check_budgets(self, *self.names)

    @classmethod
    @checked
    def split(cls, eps: float, lam: float) -> ALIP:
        """Return ALIP(lam eps, (1 - lam) eps), which implies LDP(eps) (E23 section 3).

        Parameters
        ----------
        eps : float
            LDP budget, nats.
        lam : float
            The share of the budget for the min-lift, in [0, 1]; above 1/2, the min-lift
            has the looser bound.
        """
        eps = check_scalar("eps", eps)
        lam = check_scalar("lam", lam, 0, 1)
        return cls(lam * eps, (1 - lam) * eps)

    @property
    def proven(self) -> ALIP:
        """The notion that proofs refer to, perfect privacy if a budget is 0."""
        return ALIP(0.0, 0.0) if self._perfect() else self

    @checked
    def leakage(self, joint: Joint, channel: Channel | None = None) -> Leakage:
        """Return the smallest (eps_l, eps_u), nats, that the release satisfies."""
        return Leakage(*self.worst(joint, channel))

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:  # noqa: ARG002
        """Return max-lift + 1 / min-lift, shape (..., X), as in the papers' figures."""
        return np.asarray(inverse_of(lift.min(axis=-2)) + lift.max(axis=-2))


class _OneBudget(LiftNotion):
    """A notion that bounds the max-lift and the min-lift with one budget, ``eps``."""

    eps: float

    def __post_init__(self) -> None:
        check_budgets(self, "eps")

    @checked
    def leakage(self, joint: Joint, channel: Channel | None = None) -> float:
        """Return the smallest eps that the release satisfies, in nats."""
        return self.worst(joint, channel)[0]


@final
@dataclass(frozen=True)
class LIP(_OneBudget, _LiftRange):
    r"""Local information privacy: :math:`|\log l(s,y)| \le \varepsilon`.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, inf].

    Notes
    -----
    E23 Definition 1; S20 Definition 2; C22 eq. (2). The risk score is the largest
    absolute log-lift, as in C22.

    Examples
    --------
    >>> round(LIP(1.0).leakage(Joint([[0.3, 0.2], [0.1, 0.4]]), Channel.identity(2)), 4)
    0.6931
    """

    eps: float
    names = ("eps", "eps")

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:  # noqa: ARG002
        """Return the largest absolute log-lift, shape (..., X) (C22 eq. (2))."""
        return log_of(np.maximum(inverse_of(lift.min(axis=-2)), lift.max(axis=-2)))


@final
@dataclass(frozen=True)
class LDP(_OneBudget, PolyhedralLift, RatioBased):
    r"""Local differential privacy with respect to S.

    :math:`P(y|s) \le e^\varepsilon P(y|s')` for every y and every pair of secrets.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, inf].

    Notes
    -----
    E23 Definition 2, eq. (4); S20 Definition 1.

    Examples
    --------
    >>> round(LDP(1.0).leakage(Joint([[0.3, 0.2], [0.1, 0.4]]), Channel.identity(2)), 4)
    1.0986
    """

    eps: float

    def belief(self, prior: float) -> tuple[float, float]:
        """Return the range of a set's posterior: the odds change by at most e^eps."""
        prior = check_scalar("prior", prior, 0, 1)
        ratio = float(np.exp(-self.eps))
        # certainty does not change, not even where the budget is infinite
        if prior in (0.0, 1.0):
            return prior, prior
        least = ratio * prior / (1 - prior + ratio * prior)
        return least, prior / (prior + ratio * (1 - prior))

    @property
    def odds_growth(self) -> float:  # noqa: D102
        return self.eps

    def required_budgets(  # noqa: D102
        self,
        lift: Matrix,
        p_s: Vector,  # noqa: ARG002
    ) -> tuple[RequiredBudget, ...]:
        ratio = log_of(inverse_of(lift.min(axis=-2))) + log_of(lift.max(axis=-2))
        return (RequiredBudget("eps", ratio, self.eps, ("most", "least")),)

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:  # noqa: ARG002
        """Return Gamma = max-lift / min-lift, shape (..., X) (E23 section 4.1)."""
        with np.errstate(over="ignore"):
            return np.asarray(inverse_of(lift.min(axis=-2)) * lift.max(axis=-2))

    @checked
    def halfspaces(self, joint: Joint) -> Matrix:  # noqa: D102
        if np.isinf(self.eps):
            return np.empty((0, joint.n_public))
        lifts = lift(joint)
        first, second = _pairs(joint.n_secret).T
        # l(s) <= e^eps l(s'), divided by e^eps so that no coefficient overflows; with
        # the budget exceeded by t, e^-eps l(s) <= e^t min l <= e^t, so that a row is
        # missed by e^t - 1 at most
        return difference(lifts[second], np.exp(-self.eps) * lifts[first])

    @checked
    def extension(
        self, joint: Joint, through: Matrix | None = None
    ) -> Extension | None:
        """Return an extended formulation: l(s) <= u <= e^eps l(s) for each s."""
        n = joint.n_secret
        usual = EXTENDED_BUDGETS[0] <= self.eps <= EXTENDED_BUDGETS[1]
        if n < MIN_EXTENDED_SECRETS or not usual:
            return None
        shrink = float(np.exp(-self.eps))
        through = np.eye(joint.n_public) if through is None else through
        lifts = lift(joint) @ through
        largest = float(lifts.max())
        at_least = np.hstack([lifts, np.full((n, 1), -shrink)])  # l(s) >= e^-eps u
        at_most = np.hstack([-lifts, np.ones((n, 1))])  # u >= l(s)
        different = ~np.eye(n, dtype=bool)
        # u = max l(s) meets l(s) <= u, so that only the other side may fail where pairs
        # do
        size_of_pair = np.abs(self.halfspaces(joint) @ through).max(axis=1)
        room = np.zeros((n, n))
        room[different] = np.maximum(1.0, size_of_pair)

        def worst(values: Matrix) -> tuple[Vector, Matrix]:
            each = np.arange(len(values))
            a = values.argmax(axis=1)
            b = values.argmin(axis=1)
            slopes = np.zeros_like(values)
            slopes[each, b] = 1.0
            slopes[each, a] -= shrink
            return values[each, b] - shrink * values[each, a], slopes

        def pull_back(weights: Matrix) -> tuple[Matrix, NDArray[np.int64], Vector]:
            most = weights[:, n:]
            matched = _overlaps(shrink * weights[:, :n], most)
            # a secret matched with itself needs no halfspace, as l(s) >= e^-eps l(s)
            of_pairs = matched.transpose(0, 2, 1)[:, different] / shrink
            left = np.maximum(most - matched.sum(axis=1), 0.0)
            return of_pairs, np.arange(n * (n - 1)), largest * left.sum(axis=1)

        return Extension(
            halfspaces=np.concatenate([at_least, at_most]),
            upper=np.array([largest]),
            inside=np.ones(1),
            slack=np.append(room.max(axis=0), np.zeros(n)),
            n_halfspaces=n * (n - 1),
            forms=lifts,
            worst=worst,
            pull_back=pull_back,
        )

    def ratios(self, n_secret: int) -> Ratios:  # noqa: D102
        pairs = _pairs(check_count("n_secret", n_secret))
        pairs = pairs if np.isfinite(self.eps) else pairs[:0]
        return Ratios(pairs[:, 0], pairs[:, 1], np.full(len(pairs), self.eps))

    def lift_bounds(self, p_s: Vector) -> LiftBounds:
        """Return the bounds of LIP(eps), which LDP(eps) implies (S20 Lemma 1)."""
        p_s = prior_of(p_s)
        return LiftBounds(
            np.full(len(p_s), self.eps), np.full(len(p_s), self.eps), exact=False
        )

    def relaxed(  # noqa: D102
        self, p_s: Vector, least: float
    ) -> tuple[PolyhedralLift, float]:
        # lifts are at most 1 / min P(s), so that a floor of e^-eps times that keeps
        # their ratio
        floor = float(np.exp(-self.eps) / p_s.min())
        return (LDP(np.inf), floor) if 0 < floor < least else (self, 0.0)


def _overlaps(first: Matrix, second: Matrix) -> Matrix:
    """Return how much of each entry of two rows overlaps, shape (K, n, n), if the
    entries of a row, shapes (K, n), are lengths of intervals laid end to end.
    """
    first_end = np.cumsum(first, axis=1)
    second_end = np.cumsum(second, axis=1)
    first_start = first_end - first
    second_start = second_end - second
    ends = np.minimum(first_end[:, :, None], second_end[:, None])
    starts = np.maximum(first_start[:, :, None], second_start[:, None])
    return np.asarray(np.maximum(ends - starts, 0.0))


def _pairs(n_secret: int) -> NDArray[np.int64]:
    """Return the ordered pairs of different secrets, shape (m, 2)."""
    return np.array(
        list(itertools.permutations(range(n_secret), 2)), dtype=np.int64
    ).reshape(-1, 2)


@checked
def PerfectPrivacy() -> ALIP:  # noqa: N802 - reads as a notion
    """Return ALIP(0, 0), which requires that Y is independent of S.

    Examples
    --------
    >>> PerfectPrivacy()
    ALIP(eps_l=0.0, eps_u=0.0)
    """
    return ALIP(0.0, 0.0)
