"""Families of mechanisms with one parameter: what they are, and the least private member that keeps a notion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Literal

import numpy as np
from scipy.optimize import toms748

from liftlib.channel import Channel
from liftlib.checks import checked
from liftlib.errors import InfeasiblePrivacy, InvalidParameter
from liftlib.joint import Joint
from liftlib.notions import Notion
from liftlib.numerics import KEEP_TOL, check_scalar

LAST = 500.0
"""A parameter beyond this is as good as infinite: e^-500 is below the least positive float that a kernel can use."""

Make = Callable[[Joint, float], Channel]
Level = Callable[[Joint, float], float]


@dataclass(frozen=True, eq=False)
class Family:
    """Mechanisms with one parameter, whose leakage grows from one end of its range, the private one, to the other.

    Calling it with a joint distribution and a parameter returns the channel.

    Parameters
    ----------
    make : callable
        ``make(joint, parameter) -> Channel``.
    low, high : float, keyword-only
        The parameter's range; the private end is finite, the other may be infinite.
    private_end : {"low", "high"}, keyword-only
        Which end is the most private.
    lip : callable, optional, keyword-only
        ``lip(joint, parameter)``, the smallest LIP budget that the member keeps, nats, in closed form.
    at_lip : callable, optional, keyword-only
        ``at_lip(joint, eps)``, the parameter that a LIP budget buys, in closed form, rounded to the private side.

    Raises
    ------
    InvalidParameter
        If the range is empty or its private end infinite.

    Examples
    --------
    >>> def blunt(joint, share):
    ...     return Channel((1 - share) * np.eye(joint.n_public) + share * joint.p_x)
    >>> family = Family(blunt, high=1.0, private_end="high")
    >>> family(Joint([[0.4, 0.1], [0.1, 0.4]]), 1.0).kernel.tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    make: Make
    low: float = 0.0
    high: float = np.inf
    private_end: Literal["low", "high"] = "low"
    lip: Level | None = None
    at_lip: Level | None = None

    def __post_init__(self) -> None:
        if not callable(self.make):
            raise InvalidParameter(f"make is {self.make!r}: give a function of a joint distribution and a parameter")
        if self.private_end not in ("low", "high"):
            raise InvalidParameter(f'private_end is {self.private_end!r}: give "low" or "high"')
        if not self.low < self.high or not np.isfinite(self.start):
            raise InvalidParameter(
                f"the range is [{self.low:g}, {self.high:g}], private at its {self.private_end} end: give a finite one"
            )
        update_wrapper(self, self.make)

    @property
    def start(self) -> float:
        """The private end."""
        return self.low if self.private_end == "low" else self.high

    @property
    def end(self) -> float:
        """The other end."""
        return self.high if self.private_end == "low" else self.low

    @checked
    def __call__(self, joint: Joint, parameter: float, /) -> Channel:
        """Return the member with this parameter."""
        return self.make(joint, check_scalar("the parameter", parameter, self.low, self.high))

    @checked
    def calibrated(self, joint: Joint, notion: Notion) -> Channel:
        """Return the least private member that keeps a notion, see :func:`calibrate`."""
        return self(joint, calibrate(self, joint, notion))

    def __repr__(self) -> str:
        return f"Family({getattr(self, '__name__', 'unnamed')}, parameter in [{self.low:g}, {self.high:g}])"


def family(
    *,
    low: float = 0.0,
    high: float = np.inf,
    private_end: Literal["low", "high"] = "low",
    lip: Level | None = None,
    at_lip: Level | None = None,
) -> Callable[[Make], Family]:
    """Make a family of the function that it decorates; the parameters are those of :class:`Family`."""
    return lambda make: Family(make, low, high, private_end, lip, at_lip)


@checked
def calibrate(family: Family, joint: Joint, notion: Notion) -> float:
    """Return the parameter, as far from the private end as possible, at which a family's mechanism keeps the notion.

    Parameters
    ----------
    family : Family
        Such as ``randomised_response``, ``unary_encoding``, ``conditional_reporting`` or ``linear_reduction``.
    joint : Joint
        P_SX.
    notion : Notion
        Any notion.

    Returns
    -------
    float
        A parameter at which the leakage is at most the budget, exactly: the root is rounded to the private side. The
        far end itself (which may be infinite) if the notion is kept there.

    Raises
    ------
    InfeasiblePrivacy
        If even the private end breaks the notion.

    Notes
    -----
    S20 section VII: LIP(alpha) = eps is solved for alpha, by bracketing. Where a family has a closed form for LIP, it
    is ``family.at_lip``.

    Examples
    --------
    >>> from liftlib.mechanisms.noise.randomised import randomised_response
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> round(calibrate(randomised_response, joint, LIP(0.356675)), 4)  # log 3
    1.0986
    """
    start, end = family.start, family.end

    def excess(parameter: float) -> float:
        return notion.excess(joint, family(joint, parameter))

    if not excess(start) <= KEEP_TOL:
        raise InfeasiblePrivacy(f"the family breaks {notion} even at its private end, {start:g}")
    if excess(end) <= 0:
        return end
    if excess(start) >= 0:  # the budget is 0 up to rounding, and nothing but the private end keeps it
        return start
    kept, broken = start, end if np.isfinite(end) else _bracket(excess, start)
    if not np.isfinite(broken):
        return LAST
    root = float(toms748(lambda p: _finite(excess(p)), min(kept, broken), max(kept, broken), xtol=1e-13, rtol=1e-13))
    step = np.spacing(max(abs(root), 1e-12))
    while not excess(root) <= 0:
        root, step = root + np.sign(kept - root) * step, 2 * step
        if (root - kept) * (broken - kept) <= 0:
            return float(kept)
    return float(root)


def _bracket(excess: Callable[[float], float], start: float) -> float:
    """Return a parameter above ``start`` that breaks the notion, infinity if none below LAST does."""
    width = 1.0
    while start + width < LAST:
        if excess(start + width) > 0:
            return start + width
        width *= 2
    return LAST if excess(LAST) > 0 else np.inf


def _finite(value: float) -> float:
    # a zero cell leaks infinitely at the far end; the root finder needs a number
    return min(value, 1e6)
