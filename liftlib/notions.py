"""What "private" means: each notion bounds the lifts of every output, symbol by symbol.

A notion of the lift family gives two measures of one column of lifts l(., y), a lower one (how far some secret was
ruled out) and an upper one (how far some secret was confirmed), each expressed as the smallest budget in nats that
it keeps. Those that are polyhedral also give halfspaces: the row v = P(X=.|Y=y) of an output is allowed exactly when
``halfspaces(joint) @ v >= 0``. The condition does not change when v is scaled: a notion is a cone of rows.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter, UnsupportedNotion
from liftlib.joint import Joint
from liftlib.lift import alpha_of, chi2_of, inverse_of, l1_of, lift
from liftlib.numerics import KEEP_TOL, Mask, Matrix, Vector, check_scalar

ROUNDING = 1e-14
"""Relative difference of two lifts below which they are equal: sums of a few hundred terms are that exact."""


class Leakage(NamedTuple):
    """The smallest budgets, in nats, that a release keeps: ``lower`` for eps_l and ``upper`` for eps_u."""

    lower: float
    upper: float


class Notion(ABC):
    """A privacy notion; what every notion can answer about a channel."""

    @abstractmethod
    def leakage(self, joint: Joint, channel: Channel) -> float | Leakage:
        """Return the smallest budget, or pair of budgets, of this notion that the release keeps, in nats."""

    @abstractmethod
    def is_kept(self, joint: Joint, channel: Channel) -> bool:
        """Return whether the release keeps the notion, to within ``numerics.KEEP_TOL`` nats."""

    def halfspaces(self, joint: Joint) -> Matrix:  # noqa: ARG002 - what polyhedral notions override
        """Return G, shape (m, X): an output with v = P(X=.|Y=y) is allowed exactly when G v >= 0.

        Raises
        ------
        UnsupportedNotion
            If the notion is not polyhedral.
        """
        raise UnsupportedNotion(
            f"{self} is not a finite set of linear constraints, so optimal_response cannot serve it: "
            "use subset_merging or watchdog"
        )


class LiftNotion(Notion):
    """A notion decided by each output's lift column alone, so that watchdog and subset_merging serve it."""

    @abstractmethod
    def measures(self, lift: Matrix, p_s: Vector) -> tuple[Matrix, Matrix]:
        """Return the raw lower and upper measures of lift columns, larger where more is leaked.

        Parameters
        ----------
        lift : numpy.ndarray, shape (..., S, X)
            Lifts, with any number of leading batch axes.
        p_s : numpy.ndarray, shape (..., S)
            Priors.

        Returns
        -------
        lower, upper : numpy.ndarray, shape (..., X)
        """

    @abstractmethod
    def budgets_of(self, lower: Matrix, upper: Matrix) -> tuple[Matrix, Matrix]:
        """Return the smallest budgets, in nats, that keep the raw measures."""

    @abstractmethod
    def within(self, lower: Matrix, upper: Matrix) -> Mask:
        """Return, as booleans, whether raw measures keep the budgets."""

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:
        """Return omega, shape (..., X), by which subset merging orders columns: the sum of the two measures."""
        lower, upper = self.measures(lift, p_s)
        return lower + upper

    def kept_columns(self, lift: Matrix, p_s: Vector) -> Mask:
        """Return booleans of shape (..., X): which lift columns keep the notion."""
        return self.within(*self.measures(lift, p_s))

    def is_kept(self, joint: Joint, channel: Channel) -> bool:  # noqa: D102
        out = channel.release(joint)
        return bool(self.kept_columns(lift(out), joint.p_s).all())

    def _worst(self, joint: Joint, channel: Channel) -> tuple[float, float]:
        out = channel.release(joint)
        lower, upper = self.budgets_of(*self.measures(lift(out), joint.p_s))
        # rounding can leave a constant release a hair below 0
        return max(0.0, float(lower.max())), max(0.0, float(upper.max()))


class _TwoBudgets(LiftNotion):
    """A notion with a budget for the lower measure and one for the upper."""

    eps_l: float
    eps_u: float

    def __post_init__(self) -> None:
        for name in ("eps_l", "eps_u"):
            object.__setattr__(self, name, check_scalar(name, getattr(self, name)))

    def within(self, lower: Matrix, upper: Matrix) -> Mask:
        low, high = self.budgets_of(lower, upper)
        return np.asarray((low <= self.eps_l + KEEP_TOL) & (high <= self.eps_u + KEEP_TOL))

    def leakage(self, joint: Joint, channel: Channel) -> Leakage:
        """Return the smallest pair (eps_l, eps_u) of this notion that the release keeps, in nats."""
        return Leakage(*self._worst(joint, channel))


def _log(measure: Matrix) -> Matrix:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(measure))


@final
@dataclass(frozen=True)
class ALIP(_TwoBudgets):
    r"""Asymmetric local information privacy: :math:`e^{-\varepsilon_l} \le l(s,y) \le e^{\varepsilon_u}`.

    Parameters
    ----------
    eps_l, eps_u : float
        Budgets in nats, in [0, inf]; an infinite one drops that side. ``ALIP(inf, eps)`` bounds pointwise maximal
        leakage.

    Notes
    -----
    E23 Definition 3, eq. (5).

    Examples
    --------
    >>> joint = Joint([[0.3, 0.2], [0.1, 0.4]])
    >>> ALIP(1.0, 0.5).is_kept(joint, Channel.identity(2))
    True
    >>> [round(eps, 4) for eps in ALIP(1.0, 0.5).leakage(joint, Channel.identity(2))]
    [0.6931, 0.4055]
    """

    eps_l: float
    eps_u: float

    @classmethod
    def split(cls, eps: float, lam: float) -> ALIP:
        """Return ALIP(lam eps, (1 - lam) eps), which implies LDP(eps) (E23 section 3).

        Parameters
        ----------
        eps : float
            LDP budget, nats.
        lam : float
            The share of the min-lift, in [0, 1]; above 1/2 the min-lift is relaxed.
        """
        eps, lam = check_scalar("eps", eps), check_scalar("lam", lam, 0, 1)
        return cls(lam * eps, (1 - lam) * eps)

    def measures(self, lift: Matrix, p_s: Vector) -> tuple[Matrix, Matrix]:  # noqa: ARG002, D102
        return inverse_of(lift.min(axis=-2)), lift.max(axis=-2)

    def budgets_of(self, lower: Matrix, upper: Matrix) -> tuple[Matrix, Matrix]:  # noqa: D102
        return _log(lower), _log(upper)

    def halfspaces(self, joint: Joint) -> Matrix:  # noqa: D102
        return _lift_halfspaces(joint, self.eps_l, self.eps_u)


class _OneBudget(LiftNotion):
    """A notion with one budget, ``eps``."""

    eps: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eps", check_scalar("eps", self.eps))

    def within(self, lower: Matrix, upper: Matrix) -> Mask:
        return np.asarray(self._one(lower, upper) <= self.eps + KEEP_TOL)

    def budgets_of(self, lower: Matrix, upper: Matrix) -> tuple[Matrix, Matrix]:
        return _log(lower), _log(upper)

    @abstractmethod
    def _one(self, lower: Matrix, upper: Matrix) -> Matrix: ...

    def leakage(self, joint: Joint, channel: Channel) -> float:
        """Return the smallest eps of this notion that the release keeps, in nats."""
        out = channel.release(joint)
        return max(0.0, float(self._one(*self.measures(lift(out), joint.p_s)).max()))


@final
@dataclass(frozen=True)
class LIP(_OneBudget):
    r"""Local information privacy: :math:`|\log l(s,y)| \le \varepsilon`.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, inf].

    Notes
    -----
    E23 Definition 1; S20 Definition 2; C22 eq. (2), whose risk, the largest absolute log-lift, it uses.

    Examples
    --------
    >>> round(LIP(1.0).leakage(Joint([[0.3, 0.2], [0.1, 0.4]]), Channel.identity(2)), 4)
    0.6931
    """

    eps: float

    def measures(self, lift: Matrix, p_s: Vector) -> tuple[Matrix, Matrix]:  # noqa: ARG002, D102
        return inverse_of(lift.min(axis=-2)), lift.max(axis=-2)

    def _one(self, lower: Matrix, upper: Matrix) -> Matrix:
        return _log(np.maximum(lower, upper))

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:
        """Return the largest absolute log-lift over s, shape (..., X) (C22 eq. (2), E23 section 4.1)."""
        return self._one(*self.measures(lift, p_s))

    def halfspaces(self, joint: Joint) -> Matrix:  # noqa: D102
        return _lift_halfspaces(joint, self.eps, self.eps)


@final
@dataclass(frozen=True)
class LDP(_OneBudget):
    r"""Local differential privacy with respect to S: :math:`P(y|s) \le e^\varepsilon P(y|s')`.

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

    def measures(self, lift: Matrix, p_s: Vector) -> tuple[Matrix, Matrix]:  # noqa: ARG002, D102
        return inverse_of(lift.min(axis=-2)), lift.max(axis=-2)

    def _one(self, lower: Matrix, upper: Matrix) -> Matrix:
        return _log(lower) + _log(upper)

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:
        """Return Gamma = max-lift / min-lift, shape (..., X) (E23 section 4.1)."""
        lower, upper = self.measures(lift, p_s)
        with np.errstate(over="ignore"):
            return np.asarray(lower * upper)

    def halfspaces(self, joint: Joint) -> Matrix:  # noqa: D102
        if np.isinf(self.eps):
            return np.empty((0, joint.n_public))
        likelihood = joint.s_given_x / joint.p_s[:, None]
        pairs = np.array(list(itertools.permutations(range(joint.n_secret), 2)), dtype=int).reshape(-1, 2)
        # l(s) <= e^eps l(s'), divided by e^eps so that no coefficient overflows
        return _difference(likelihood[pairs[:, 1]], np.exp(-self.eps) * likelihood[pairs[:, 0]])


@final
@dataclass(frozen=True)
class L1Lift(_TwoBudgets):
    r"""l1-privacy: :math:`\Lambda_{\ell_1} \le e^{\varepsilon_u} - 1`, :math:`\Psi_{\ell_1} \le e^{\varepsilon_l} - 1`.

    Parameters
    ----------
    eps_l, eps_u : float
        Budgets in nats, in [0, inf]; with ``eps_l`` infinite only the l1-lift is bounded, which is polyhedral.

    Notes
    -----
    E23 eqs. (31) and (34), section 6.2. The l1-lift-inverse is not convex.

    Examples
    --------
    >>> L1Lift(1.0, 0.5).is_kept(Joint([[0.3, 0.2], [0.1, 0.4]]), Channel.identity(2))
    True
    """

    eps_l: float
    eps_u: float

    def measures(self, lift: Matrix, p_s: Vector) -> tuple[Matrix, Matrix]:  # noqa: D102
        return l1_of(inverse_of(lift), p_s), l1_of(lift, p_s)

    def budgets_of(self, lower: Matrix, upper: Matrix) -> tuple[Matrix, Matrix]:  # noqa: D102
        return np.log1p(lower), np.log1p(upper)

    def halfspaces(self, joint: Joint) -> Matrix:
        """Return the halfspaces of the l1-lift alone: one for each set of secrets (``eps_l`` must be infinite)."""
        if np.isfinite(self.eps_l):
            raise UnsupportedNotion(
                f"{self} bounds the l1-lift-inverse, which is not convex, so optimal_response cannot serve it: "
                "set eps_l to inf, or use subset_merging"
            )
        if self.eps_u >= np.log(3):  # the l1-lift is always below 2
            return np.empty((0, joint.n_public))
        # sum_s P(s) |l - 1| = 2 max over sets T of secrets of P(T | y) - P(T), as P(S | y) - P(S) = 0
        if joint.n_secret > 16:
            raise UnsupportedNotion(
                f"the l1-lift of {joint.n_secret} secrets has 2^{joint.n_secret} halfspaces: use subset_merging"
            )
        sets = np.array(list(itertools.product([0.0, 1.0], repeat=joint.n_secret)))[1:-1].reshape(-1, joint.n_secret)
        return np.asarray(np.expm1(self.eps_u) / 2 - sets @ (joint.s_given_x - joint.p_s[:, None]))


@final
@dataclass(frozen=True)
class Chi2Lift(_TwoBudgets):
    r"""chi2-privacy: :math:`\Lambda_{\chi^2} \le (e^{\varepsilon_u} - 1)^2`; :math:`\Psi_{\chi^2}` alike, with eps_l.

    Parameters
    ----------
    eps_l, eps_u : float
        Budgets in nats, in [0, inf].

    Notes
    -----
    E23 eqs. (32) and (35), section 6.2. The chi2-lift is convex, not polyhedral; its inverse is not convex.

    Examples
    --------
    >>> Chi2Lift(1.0, 0.5).is_kept(Joint([[0.3, 0.2], [0.1, 0.4]]), Channel.identity(2))
    True
    """

    eps_l: float
    eps_u: float

    def measures(self, lift: Matrix, p_s: Vector) -> tuple[Matrix, Matrix]:  # noqa: D102
        return chi2_of(inverse_of(lift), p_s), chi2_of(lift, p_s)

    def budgets_of(self, lower: Matrix, upper: Matrix) -> tuple[Matrix, Matrix]:  # noqa: D102
        return np.log1p(np.sqrt(lower)), np.log1p(np.sqrt(upper))


@final
@dataclass(frozen=True)
class AlphaLift(_TwoBudgets):
    r"""alpha-lift-privacy: :math:`\Lambda^S_\alpha \le e^{\varepsilon_u}`, :math:`\Psi^S_\alpha \le e^{\varepsilon_l}`.

    Parameters
    ----------
    alpha : float
        The order, in (1, inf]; at inf it is ALIP.
    eps_l, eps_u : float
        Budgets in nats, in [0, inf].

    Notes
    -----
    E23 eqs. (33), (36) and (37). Both sets are convex, not polyhedral.

    Examples
    --------
    >>> AlphaLift(2, 0.4, 0.2).is_kept(Joint([[0.3, 0.2], [0.1, 0.4]]), Channel.identity(2))
    True
    """

    alpha: float
    eps_l: float
    eps_u: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", check_scalar("alpha", self.alpha, 1, open_low=True))
        _TwoBudgets.__post_init__(self)

    def measures(self, lift: Matrix, p_s: Vector) -> tuple[Matrix, Matrix]:  # noqa: D102
        return alpha_of(inverse_of(lift), p_s, self.alpha), alpha_of(lift, p_s, self.alpha)

    def budgets_of(self, lower: Matrix, upper: Matrix) -> tuple[Matrix, Matrix]:  # noqa: D102
        return _log(lower), _log(upper)


@final
@dataclass(frozen=True)
class SRLIP(Notion):
    r"""Side-channel resistant LIP: LIP for an attacker who knows any subset of X's attributes.

    :math:`e^{-\varepsilon} \le P(y|s,x^J) / P(y|x^J) \le e^\varepsilon` for each subset J of attributes, each of
    their values, and each s that is possible with them.

    Parameters
    ----------
    eps : float
        Budget in nats, in [0, inf].
    shape : sequence of int
        The attributes' sizes; their product is ``|X|``, and X runs through them in C order (the last one fastest).

    Notes
    -----
    S20 Definition 3, eq. (22). Side information under which no secret is left open, and secrets that it rules out,
    bound nothing: the mechanism adds nothing to them.

    Examples
    --------
    >>> joint = Joint([[0.1, 0.2, 0.1, 0.1], [0.2, 0.1, 0.1, 0.1]])
    >>> round(SRLIP(1.0, (2, 2)).leakage(joint, Channel.constant(4)), 6)
    0.0
    """

    eps: float
    shape: tuple[int, ...]

    def __init__(self, eps: float, shape: Sequence[int]):
        object.__setattr__(self, "eps", check_scalar("eps", eps))
        sizes = tuple(shape) if isinstance(shape, Iterable) else ()
        if not sizes or not all(isinstance(n, int | np.integer) and n >= 1 for n in sizes):
            raise InvalidParameter(f"shape is {shape!r}: give the size, 1 or more, of each attribute")
        object.__setattr__(self, "shape", tuple(int(n) for n in sizes))

    def leakage(self, joint: Joint, channel: Channel) -> float:
        """Return the smallest eps that the release keeps against every side channel, in nats."""
        channel.release(joint)  # refuses a channel that does not fit
        p_sxy = joint.p[:, :, None] * channel.kernel  # broadcasts a kernel that does not see the secret
        worst = 0.0
        for cells in self._side_channels(joint):
            given = p_sxy[:, cells].sum(axis=1)  # P(s, x^J, y)
            possible = joint.p[:, cells].sum(axis=1) > 0
            inside = given[possible][:, given.sum(axis=0) > 0]
            if inside.size:
                prior = joint.p[:, cells].sum(axis=1)[possible] / joint.p[:, cells].sum()
                worst = max(worst, float(np.abs(_log(inside / inside.sum(axis=0) / prior[:, None])).max()))
        return worst

    def is_kept(self, joint: Joint, channel: Channel) -> bool:  # noqa: D102
        return self.leakage(joint, channel) <= self.eps + KEEP_TOL

    def halfspaces(self, joint: Joint) -> Matrix:
        """Return one pair of halfspaces for each side channel and each secret possible with it."""
        rows = [np.empty((0, joint.n_public))]
        if np.isinf(self.eps):
            return rows[0]
        for cells in self._side_channels(joint):
            if len(cells) == 1:  # a side channel that reveals x itself leaves nothing to leak
                continue
            part = joint.p[:, cells]
            mass = part.sum(axis=1)
            possible = mass > 0
            # lift given x^J of each x in the cell: P(s|x) / P(s|x^J)
            likelihood = part[possible] / part.sum(axis=0) / (mass[possible, None] / part.sum())
            block = np.zeros((2 * int(possible.sum()), joint.n_public))
            block[:, cells] = _cone(likelihood, self.eps, self.eps)
            rows.append(block)
        return np.concatenate(rows)

    def _side_channels(self, joint: Joint) -> list[list[int]]:
        """Return, for each subset J of attributes and each value of theirs, the symbols x that agree with it."""
        if int(np.prod(self.shape)) != joint.n_public:
            raise InvalidParameter(
                f"shape {self.shape} has {int(np.prod(self.shape))} combinations, "
                f"the joint {joint.n_public} public symbols"
            )
        grid = np.arange(joint.n_public).reshape(self.shape)
        axes = range(len(self.shape))
        found: list[list[int]] = []
        for size in range(len(self.shape) + 1):
            for known in itertools.combinations(axes, size):
                for value in itertools.product(*(range(self.shape[j]) for j in known)):
                    index: list[int | slice] = [slice(None)] * len(self.shape)
                    for j, v in zip(known, value, strict=True):
                        index[j] = v
                    found.append(np.atleast_1d(grid[tuple(index)]).ravel().tolist())
        return found


def PerfectPrivacy() -> ALIP:  # noqa: N802 - reads as a notion
    """Return the notion under which Y is independent of S, ALIP(0, 0)."""
    return ALIP(0.0, 0.0)


def _lift_halfspaces(joint: Joint, eps_l: float, eps_u: float) -> Matrix:
    return _cone(joint.s_given_x / joint.p_s[:, None], eps_l, eps_u)


def _cone(likelihood: Matrix, eps_l: float, eps_u: float) -> Matrix:
    """Return the rows l(s) - e^-eps_l and 1 - e^-eps_u l(s), each times sum v, for the finite budgets."""
    rows = [np.empty((0, likelihood.shape[1]))]
    if np.isfinite(eps_l):
        rows.append(_difference(likelihood, np.exp(-eps_l)))
    if np.isfinite(eps_u):
        rows.append(_difference(1.0, np.exp(-eps_u) * likelihood))
    return np.concatenate(rows)


def _difference(a: Matrix | float, b: Matrix | float) -> Matrix:
    """Return a - b, 0 where it is rounding: a solver scales its rows, and would take a row of rounding for a bound."""
    difference = np.asarray(a - b)
    exact = np.where(np.abs(difference) <= ROUNDING * np.maximum(np.abs(a), np.abs(b)), 0.0, difference)
    # a bound that no output can miss by as much as KEEP_TOL, as for a secret of probability almost 1, is no bound
    return np.where(np.abs(exact).max(axis=1, keepdims=True) <= KEEP_TOL / 10, 0.0, exact)
