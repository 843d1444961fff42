"""Notions that bound an average over secrets of the lift: l1, chi2, alpha."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np
from numpy.typing import NDArray

from liftlib.channel import Channel
from liftlib.errors import UnsupportedNotion
from liftlib.joint import Joint
from liftlib.measures.lifts import alpha_of, chi2_of, inverse_of, l1_of, lift
from liftlib.notions.base import (
    Convex,
    CurvedLift,
    Leakage,
    LiftBounds,
    LiftNotion,
    Notion,
    Polyhedral,
    PolyhedralLift,
    RequiredBudget,
    Rows,
    check_budgets,
    log_of,
    prior_of,
    require,
)
from liftlib.notions.bounds import ALIP
from mixproof.checks import checked
from mixproof.extension import Extension
from mixproof.numerics import Matrix, Vector, check_scalar

# secrets beyond which the l1-lift has too many halfspaces, one for each set of secrets
MAX_LISTED_SECRETS = 16
# secrets beyond which the number of a set of secrets is no 64-bit integer
MAX_NUMBERED_SECRETS = 62
# secrets from which auxiliary variables save inequalities over sets of secrets
MIN_EXTENDED_SECRETS = 4

# nats: with smaller budgets the coefficients of auxiliary variables are too small
MIN_EXTENDED_BUDGET = 1e-5

# digits of shares of a multiplier: without rounding errors a proof names fewer sets of
# secrets
SHARE_DIGITS = 13
# nats from a budget within which a row counts as on its boundary, so that it gets a
# tangent there
BOUNDARY_TOL = 1e-6


class _Averages(PolyhedralLift):
    """A notion that bounds a measure of the lifts and of the inverse lifts."""

    eps_l: float
    eps_u: float

    def __post_init__(self) -> None:
        check_budgets(self, "eps_l", "eps_u")

    @abstractmethod
    def _measure(self, lift: Matrix, p_s: Vector) -> Matrix:
        """Return the measure of each lift column, shape (..., X)."""

    @abstractmethod
    def _budget(self, measure: Matrix) -> Matrix:
        """Return the smallest budget, nats, that a value of the measure satisfies."""

    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:
        lower = self._budget(self._measure(inverse_of(lift), p_s))
        upper = self._budget(self._measure(lift, p_s))
        return (
            RequiredBudget("eps_l", lower, self.eps_l),
            RequiredBudget("eps_u", upper, self.eps_u),
        )

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:
        """Return the sum of the two measures, shape (..., X) (E23 section 6.2)."""
        of_inverse = self._measure(inverse_of(lift), p_s)
        return np.asarray(of_inverse + self._measure(lift, p_s))

    @checked
    def leakage(self, joint: Joint, channel: Channel | None = None) -> Leakage:
        """Return the smallest budgets (eps_l, eps_u) that the release satisfies, in
        nats.
        """
        return Leakage(*self.worst(joint, channel))

    def _perfect(self) -> bool:
        """Return whether a budget of 0 forces every lift to 1."""
        return min(self.eps_l, self.eps_u) == 0

    @property
    def proven(self) -> LiftNotion:
        return ALIP(0.0, 0.0) if self._perfect() else self

    @abstractmethod
    def _kind(self) -> type[Convex] | None:
        """Return the interface provided with positive budgets; None if not convex."""

    def lacks(self, interface: type[Notion]) -> str | None:
        """Return why the notion does not provide an interface, or None if it does."""
        reason = super().lacks(interface)
        if reason is not None or not issubclass(interface, Convex):
            return reason
        kind = Polyhedral if self._perfect() else self._kind()
        if kind is None:
            return (
                f"{self} bounds the inverse lifts too, which is not convex: set eps_l "
                "to inf"
            )
        if interface is Convex or issubclass(interface, kind):
            return None
        is_or_not = "" if kind is Polyhedral else "not "
        return f"the posteriors that {self} allows are {is_or_not}a polytope"

    @checked
    def halfspaces(self, joint: Joint) -> Matrix:
        """Return the halfspaces of perfect privacy; requires a budget of 0."""
        if not self._perfect():
            require(self, Polyhedral, "halfspaces")
        return ALIP(0.0, 0.0).halfspaces(joint)

    @checked
    def numbered_halfspaces(self, joint: Joint) -> Rows:
        if self._perfect():
            return ALIP(0.0, 0.0).numbered_halfspaces(joint)
        return self.halfspaces(joint)

    @abstractmethod
    def _largest(self, p_s: Vector, eps: float, *, inverse: bool) -> Vector:
        """Return the log of the largest (inverse) lift of each secret, shape (S,)."""

    def lift_bounds(self, p_s: Vector) -> LiftBounds:
        """Return the implied bounds on lifts; exact only for a budget of 0."""
        p_s = prior_of(p_s)
        least = self._largest(p_s, self.eps_l, inverse=True)
        most = np.minimum(self._largest(p_s, self.eps_u, inverse=False), -np.log(p_s))
        return LiftBounds(least, most, exact=self._perfect())


class SetHalfspaces:
    """The halfspaces of the l1-lift, one per nonempty proper subset of secrets.

    The l1-lift of y is 2 max (P(T|y) - P(T)) over subsets T of the secrets. The
    halfspace of T, e^eps - 1 - 2 (P(T|y) - P(T)) >= 0, is divided by e^eps so that a
    tolerance on the budget stays within the slack of the bound. Halfspaces are computed
    on access: the binary digits of the index plus one encode T, with the first secret
    as the most significant bit.
    """

    def __init__(self, joint: Joint, eps: float) -> None:
        self.constant = float(-np.expm1(-eps))
        self.forms = 2 * np.exp(-eps) * (joint.s_given_x - joint.p_s[:, None])

    def __len__(self) -> int:
        return max((1 << len(self.forms)) - 2, 0)

    def __getitem__(self, which: NDArray[np.int64]) -> Matrix:
        digits = (which[:, None] + 1 >> np.arange(len(self.forms))[::-1]) & 1
        return np.asarray(self.constant - digits @ self.forms)


@final
@dataclass(frozen=True)
class L1Lift(_Averages):
    r"""l1-privacy: bounds on the l1-lift and on its inverse.

    :math:`\Lambda_{\ell_1} \le e^{\varepsilon_u} - 1` and
    :math:`\Psi_{\ell_1} \le e^{\varepsilon_l} - 1`.

    Parameters
    ----------
    eps_l, eps_u : float
        Budgets in nats, in [0, inf]. An infinite ``eps_l`` bounds only the l1-lift; the
        notion is then polyhedral.

    Notes
    -----
    E23 eqs. (31) and (34), section 6.2. The l1-lift-inverse is not convex.

    Examples
    --------
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])
    >>> L1Lift(1.0, 0.5).is_satisfied(joint, Channel.identity(2))
    True
    """

    eps_l: float
    eps_u: float

    def _kind(self) -> type[Convex] | None:
        return Polyhedral if np.isinf(self.eps_l) else None

    def _measure(self, lift: Matrix, p_s: Vector) -> Matrix:
        return l1_of(lift, p_s)

    def _budget(self, measure: Matrix) -> Matrix:
        return np.log1p(measure)

    def _largest(self, p_s: Vector, eps: float, *, inverse: bool) -> Vector:
        with np.errstate(over="ignore"):
            # the mean lift is 1, so that half of the l1-lift is below it; not so for
            # the inverses
            return np.asarray(np.log1p(np.expm1(eps) / (p_s if inverse else 2 * p_s)))

    @checked
    def halfspaces(self, joint: Joint) -> Matrix:
        """Return the halfspaces of the l1-lift, one for each set of secrets."""
        if self._perfect() or np.isfinite(self.eps_l):
            return super().halfspaces(joint)
        if self.eps_u >= np.log(3):  # the l1-lift is always below 2
            return np.empty((0, joint.n_public))
        if joint.n_secret > MAX_LISTED_SECRETS:
            raise UnsupportedNotion(
                f"the l1-lift of {joint.n_secret} secrets has 2^{joint.n_secret} "
                "halfspaces, which cannot be listed: "
                "use optimal_response or subset_merging"
            )
        set_halfspaces = SetHalfspaces(joint, self.eps_u)
        return set_halfspaces[np.arange(len(set_halfspaces))]

    @checked
    def numbered_halfspaces(self, joint: Joint) -> Rows:  # noqa: D102
        if self._bounded():
            return SetHalfspaces(joint, self.eps_u)
        return super().numbered_halfspaces(joint)

    def _bounded(self) -> bool:
        """Return whether only the l1-lift is bounded, and the bound can be violated."""
        return not self._perfect() and np.isinf(self.eps_l) and self.eps_u < np.log(3)

    @checked
    def extension(
        self, joint: Joint, through: Matrix | None = None
    ) -> Extension | None:
        """Return an extended formulation: u(s) >= b(s) for each s, and sum u <= k.

        The halfspace of a set T is k - sum b(s) >= 0 over T, see
        :class:`SetHalfspaces`. The worst set has the secrets with b(s) > 0, so all
        halfspaces hold exactly if this holds with u(s) = max(b(s), 0).
        """
        if not self._worth_extending(joint.n_secret):
            return None
        n = joint.n_secret
        listed = SetHalfspaces(joint, self.eps_u)
        through = np.eye(joint.n_public) if through is None else through
        forms = listed.forms @ through  # b
        mass = through.sum(axis=0)
        constant = listed.constant * mass  # k
        largest = np.maximum(forms.max(axis=1), 0.0)
        smallest = np.maximum(-forms.min(axis=1), 0.0)
        at_least = np.hstack([-forms, np.eye(n)])
        in_total = np.append(constant, -np.ones(n))
        # only the last inequality may fail where a halfspace does, whose entries are at
        # most 2
        slack = np.append(np.zeros(n), 2.0 * max(1.0, float(mass.max())))
        return Extension(
            halfspaces=np.vstack([at_least, in_total]),
            upper=largest,
            inside=np.zeros(n),
            slack=slack,
            n_halfspaces=len(listed),
            forms=np.vstack([forms, constant]),
            worst=_worst_sets,
            pull_back=partial(_weights_of_sets, largest=largest, smallest=smallest),
        )

    def _worth_extending(self, n_secret: int) -> bool:
        """Return whether auxiliary variables save halfspaces, which are too many to
        number for very many secrets.
        """
        if n_secret > MAX_NUMBERED_SECRETS:
            raise UnsupportedNotion(
                f"the l1-lift of {n_secret} secrets is beyond {MAX_NUMBERED_SECRETS}: "
                "use subset_merging"
            )
        small = self.eps_u < MIN_EXTENDED_BUDGET and n_secret <= MAX_LISTED_SECRETS
        return self._bounded() and n_secret >= MIN_EXTENDED_SECRETS and not small


def _worst_sets(values: Matrix) -> tuple[Vector, Matrix]:
    """Return the value of the worst set's halfspace at each point, and its slopes.

    ``values``, shape (K, n + 1), holds b(s) for each secret and k.
    """
    n = values.shape[1] - 1
    forms = values[:, :n]
    slopes = np.where(forms > 0, -1.0, 0.0)
    least = values[:, n] + (slopes * forms).sum(axis=1)
    return least, np.insert(slopes, n, 1.0, axis=1)


def _weights_of_sets(
    weights: Matrix, *, largest: Vector, smallest: Vector
) -> tuple[Matrix, NDArray[np.int64], Vector]:
    """Return weights of the halfspaces of sets, their numbers, and what is lost.

    Parameters
    ----------
    weights : numpy.ndarray, shape (K, n + 1)
        Weights, at least 0, of u(s) >= b(s) for each secret, and of sum u <= k.
    largest, smallest : numpy.ndarray, shape (n,)
        The largest values of b(s) and of -b(s), at least 0.
    """
    n = len(largest)
    of_secrets = weights[:, :n]
    of_sum = weights[:, n:]
    # a secret's weight beyond that of the sum belongs to no set
    share = of_secrets / np.where(of_sum > 0, of_sum, 1.0)
    share = np.minimum(share, of_sum > 0)
    matched = of_sum * share.round(SHARE_DIGITS)
    more = np.maximum(of_secrets - matched, 0.0)
    less = np.maximum(matched - of_secrets, 0.0)
    lost = more @ largest + less @ smallest
    # the matched weights are a sum of weights of nested sets: the secret of the largest
    # weight, those of the two largest, and so on
    order = np.argsort(-matched, axis=1, kind="stable")
    falling = np.take_along_axis(matched, order, axis=1)
    steps = -np.diff(falling, axis=1)  # the set of all secrets adds a constant
    bits = 1 << (n - 1 - order)
    numbers = np.cumsum(bits, axis=1)[:, :-1] - 1
    row, place = np.nonzero(steps > 0)
    used, column = np.unique(numbers[row, place], return_inverse=True)
    of_sets = np.zeros((len(weights), len(used)))
    of_sets[row, column] = steps[row, place]
    return of_sets, used, lost


@final
@dataclass(frozen=True)
class Chi2Lift(_Averages, CurvedLift):
    r"""chi2-privacy: bounds on the chi2-lift and on its inverse.

    :math:`\Lambda_{\chi^2} \le (e^{\varepsilon_u} - 1)^2` and
    :math:`\Psi_{\chi^2} \le (e^{\varepsilon_l} - 1)^2`.

    Parameters
    ----------
    eps_l, eps_u : float
        Budgets in nats, in [0, inf].

    Notes
    -----
    E23 eqs. (32) and (35), section 6.2. The chi2-lift is convex, not polyhedral; the
    chi2-lift-inverse is not convex.

    Examples
    --------
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])
    >>> Chi2Lift(1.0, 0.5).is_satisfied(joint, Channel.identity(2))
    True
    """

    eps_l: float
    eps_u: float

    def _kind(self) -> type[Convex] | None:
        return CurvedLift if np.isinf(self.eps_l) else None

    def _measure(self, lift: Matrix, p_s: Vector) -> Matrix:
        return chi2_of(lift, p_s)

    def _budget(self, measure: Matrix) -> Matrix:
        return np.log1p(np.sqrt(measure))

    def _largest(self, p_s: Vector, eps: float, *, inverse: bool) -> Vector:
        # the other lifts contribute least if they are equal; inverses of others may
        # contribute almost nothing
        room = np.ones_like(p_s) if inverse else np.maximum(1 - p_s, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            # the lift of a constant secret is 1, whatever the budget
            return np.where(
                room > 0, np.log1p(np.expm1(eps) * np.sqrt(room / p_s)), 0.0
            )

    def tangents(self, joint: Joint, rows: Matrix) -> Matrix:
        """Return tangents of the P_S-weighted 2-norm of l - 1 (the root of the
        chi2-lift).
        """
        require(self, CurvedLift, "tangents")
        _, upper = self.tangent_directions(joint, rows)
        tangents = np.expm1(self.eps_u) - (joint.p_s * upper) @ (lift(joint) - 1)
        return np.asarray(tangents / np.exp(self.eps_u))

    @checked
    def tangent_directions(self, joint: Joint, rows: Matrix) -> tuple[Matrix, Matrix]:
        """Return unit vectors along l - 1 for the posteriors near the bound eps_u."""
        lifts = lift(joint) @ rows.T
        size = np.sqrt(chi2_of(lifts, joint.p_s))
        near = np.log1p(size) >= self.eps_u - BOUNDARY_TOL
        upper = (lifts[:, near] - 1) / size[near]
        return np.empty((0, joint.n_secret)), np.asarray(upper.T)


@final
@dataclass(frozen=True)
class AlphaLift(_Averages, CurvedLift):
    r"""alpha-lift-privacy: bounds on the alpha-lift and on its inverse.

    :math:`\Lambda^S_\alpha \le e^{\varepsilon_u}` and
    :math:`\Psi^S_\alpha \le e^{\varepsilon_l}`.

    Parameters
    ----------
    alpha : float
        The order, in (1, inf]; at inf it is ALIP.
    eps_l, eps_u : float
        Budgets in nats, in [0, inf].

    Notes
    -----
    E23 eqs. (33), (36) and (37). Both conditions are convex, and polyhedral only at
    alpha = inf or with a budget of 0.

    Examples
    --------
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])
    >>> AlphaLift(2, 0.4, 0.2).is_satisfied(joint, Channel.identity(2))
    True
    """

    alpha: float
    eps_l: float
    eps_u: float

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "alpha", check_scalar("alpha", self.alpha, 1, open_low=True)
        )
        _Averages.__post_init__(self)

    def _kind(self) -> type[Convex]:
        return Polyhedral if np.isinf(self.alpha) else CurvedLift

    def _measure(self, lift: Matrix, p_s: Vector) -> Matrix:
        return alpha_of(lift, p_s, self.alpha)

    def _budget(self, measure: Matrix) -> Matrix:
        return log_of(measure)

    def _largest(
        self,
        p_s: Vector,
        eps: float,
        *,
        inverse: bool,  # noqa: ARG002 - alike for both
    ) -> Vector:
        return np.asarray(eps - np.log(p_s) / self.alpha)

    def lift_bounds(self, p_s: Vector) -> LiftBounds:  # noqa: D102
        p_s = prior_of(p_s)
        # every lift is 1, and eps + log(1 / P(s)) / alpha would be loose
        if self._perfect():
            return LiftBounds(np.zeros(len(p_s)), np.zeros(len(p_s)), exact=True)
        return super().lift_bounds(p_s)._replace(exact=bool(np.isinf(self.alpha)))

    @checked
    def halfspaces(self, joint: Joint) -> Matrix:  # noqa: D102
        if np.isfinite(self.alpha):
            return super().halfspaces(joint)
        return ALIP(self.eps_l, self.eps_u).halfspaces(joint)

    def tangents(self, joint: Joint, rows: Matrix) -> Matrix:
        """Return tangents of the alpha-lift and of 1 / alpha-lift-inverse."""
        require(self, CurvedLift, "tangents")
        lifts = lift(joint)
        lower, upper = self.tangent_directions(joint, rows)
        from_above = 1 - np.exp(-self.eps_u) * ((joint.p_s * upper) @ lifts)
        from_below = (joint.p_s * lower) @ lifts - np.exp(-self.eps_l)
        return np.concatenate([from_above, from_below])

    @checked
    def tangent_directions(self, joint: Joint, rows: Matrix) -> tuple[Matrix, Matrix]:
        """Return dual vectors, shapes (m, S), for posteriors near the eps_l, eps_u
        bounds.
        """
        power = self.alpha
        lifts = lift(joint) @ rows.T
        lower = upper = np.empty((0, joint.n_secret))
        if np.isfinite(self.eps_u):
            # ||l|| >= (P_S (l0 / ||l0||)^(alpha-1)) . l, by Hölder, with equality at l0
            size = alpha_of(lifts, joint.p_s, power)
            near = np.log(size) >= self.eps_u - BOUNDARY_TOL
            upper = ((lifts[:, near] / size[near]) ** (power - 1)).T
        if np.isfinite(self.eps_l):
            # M(l) = ||1/l||^-1 is concave: M(l) <= (P_S (l0 / M(l0))^(-alpha-1)) . l,
            # with equality at l0
            size = 1 / alpha_of(1 / lifts, joint.p_s, power)
            near = -np.log(size) >= self.eps_l - BOUNDARY_TOL
            lower = ((lifts[:, near] / size[near]) ** (-power - 1)).T
        return lower, upper
