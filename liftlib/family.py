"""One-parameter families of mechanisms, and their calibration to a privacy notion."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import WRAPPER_ASSIGNMENTS, cache
from typing import Any, Literal

import numpy as np
import scipy

from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, InvalidParameter
from liftlib.joint import Joint
from liftlib.notions import LIP, LiftNotion, Notion
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL, Matrix, check_scalar

# the largest finite parameter: e^-500 is below the smallest float that a kernel can use
MAX_PARAMETER = 500.0
PARAMETER_TOL = 1e-13  # relative and absolute precision of a calibrated parameter
# rounding error of a closed form within which it is taken as it is
CLOSED_FORM_TOL = 1e-10
# largest distance from an initial guess at which a bracket is tried
MAX_BRACKET_DISTANCE = 1e-8
# precision of a parameter whose members a linear program makes, within its own
# tolerance
LP_PARAMETER_TOL = 1e-9

Make = Callable[..., Channel]
Level = Callable[[Joint, float], float]
Near = Callable[[Joint, Notion], float | None]
Lifts = Callable[[Joint, float], Matrix]
End = Literal["low", "high"]


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """A one-parameter family of mechanisms with a most private end.

    Called with a joint distribution and a notion, a family returns its least private
    member that satisfies the notion;
    :meth:`at` returns the member with a given parameter.

    Parameters
    ----------
    make : callable
        ``make(joint, parameter) -> Channel``, possibly with keywords. Leakage grows
        away from the private end.
    low, high : float, keyword-only
        The parameter's range; the private end is finite, the other may be infinite.
    private_end : {"low", "high"}, keyword-only
        The end of the range with the most private member.
    lip, at_lip : callable, optional, keyword-only
        Closed forms of :meth:`lip` and :meth:`at_lip`.
    near : callable, optional, keyword-only
        ``near(joint, notion)``, an initial guess for :func:`calibrate`, or None.
    lifts : callable, optional, keyword-only
        ``lifts(joint, parameter)``, shape (S, Y): a closed form of the outputs' lifts.
    resolution : float, keyword-only
        Precision of the calibrated parameter.

    Raises
    ------
    InvalidParameter
        If ``make`` does not take two arguments, the range is empty, or its private end
        is infinite.

    Examples
    --------
    >>> def blunt(joint, share):
    ...     return Channel((1 - share) * np.eye(joint.n_public) + share * joint.p_x)
    >>> family = Family(blunt, high=1.0, private_end="high")
    >>> family.at(Joint([[0.4, 0.1], [0.1, 0.4]]), 1.0).kernel.tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    make: Make
    low: float
    high: float
    private_end: End
    resolution: float
    parameter: str
    """The name of the second argument of ``make``."""
    start: float
    """The private end."""
    end: float
    """The other end."""
    _lip: Level | None
    _at_lip: Level | None
    _near: Near | None
    _lifts: Lifts | None

    @checked
    def __init__(
        self,
        make: Make,
        *,
        low: float = 0.0,
        high: float = np.inf,
        private_end: End = "low",
        lip: Level | None = None,
        at_lip: Level | None = None,
        near: Near | None = None,
        lifts: Lifts | None = None,
        resolution: float = PARAMETER_TOL,
    ):
        signature = inspect.signature(make)
        names = list(signature.parameters)
        if len(names) < 2:
            raise InvalidParameter(
                f"make takes ({', '.join(names)}): let it take a joint distribution "
                "and a parameter"
            )
        low, high = (
            check_scalar(name, value, -np.inf)
            for name, value in (("low", low), ("high", high))
        )
        start, end = (low, high) if private_end == "low" else (high, low)
        if not low < high or not np.isfinite(start):
            raise InvalidParameter(
                f"the range is [{low:g}, {high:g}], private at its {private_end} end: "
                "give a finite one"
            )
        resolution = check_scalar("resolution", resolution, open_low=True, finite=True)
        # as functools.update_wrapper does, for a frozen object
        for name in WRAPPER_ASSIGNMENTS:
            if hasattr(make, name):
                vars(self)[name] = getattr(make, name)
        vars(self).update(
            __wrapped__=make,
            make=make,
            low=low,
            high=high,
            private_end=private_end,
            resolution=resolution,
            parameter=names[1],
            start=start,
            end=end,
            _lip=lip,
            _at_lip=at_lip,
            _near=near,
            _lifts=lifts,
        )

    def __call__(self, joint: Joint, notion: Notion) -> Channel:
        """Return the least private member that satisfies a notion; see
        :func:`calibrate`.
        """
        return self.calibrated(joint, notion)

    @checked
    def at(self, joint: Joint, parameter: float, **options: Any) -> Channel:
        """Return the member with this parameter; options go to ``make``."""
        return self.make(joint, self._inside(parameter), **options)

    @checked
    def lip(self, joint: Joint, parameter: float) -> float:
        """Return the smallest LIP budget that the member satisfies, in nats."""
        if self._lip is None:
            return LIP(0.0).violation(joint, self.at(joint, parameter))
        return float(self._lip(joint, self._inside(parameter)))

    @checked
    def at_lip(self, joint: Joint, eps: float) -> float:
        """Return the parameter for a LIP budget, nats, rounded to the private side."""
        if self._at_lip is None:
            return calibrate(self, joint, LIP(eps))
        return float(self._at_lip(joint, LIP(eps).eps))

    @checked
    def violation(self, joint: Joint, notion: Notion, parameter: float) -> float:
        """Return the member's violation of a notion, nats (negative if satisfied)."""
        if self._lifts is None or not isinstance(notion, LiftNotion):
            return notion.violation(joint, self.at(joint, parameter))
        lifts = self._lifts(joint, self._inside(parameter))
        return notion.violation_of(lifts, joint.p_s)

    @checked
    def calibrated(self, joint: Joint, notion: Notion) -> Channel:
        """Return the least private member that satisfies a notion; see
        :func:`calibrate`.
        """
        return self.at(joint, calibrate(self, joint, notion))

    def _inside(self, value: float) -> float:
        return check_scalar(self.parameter, value, self.low, self.high)

    @property
    def name(self) -> str:
        """The name of ``make``."""
        return getattr(self.make, "__name__", "unnamed")

    def __repr__(self) -> str:
        return f"Family({self.name}, {self.parameter} in [{self.low:g}, {self.high:g}])"

    def __reduce_ex__(self, protocol: Any) -> Any:
        # a decorated function is pickled by name, as a function is
        attribute = getattr(sys.modules.get(self.make.__module__), self.name, None)
        return self.name if attribute is self else super().__reduce_ex__(protocol)


def family(**options: Any) -> Callable[[Make], Family]:
    """Return a decorator that makes a :class:`Family`, with the same keywords.

    Examples
    --------
    >>> @family(high=1.0, private_end="high")
    ... def blunt(joint, share):
    ...     return Channel((1 - share) * np.eye(joint.n_public) + share * joint.p_x)
    >>> blunt
    Family(blunt, share in [0, 1])
    """
    return lambda make: Family(make, **options)


@checked
def calibrate(family: Family, joint: Joint, notion: Notion) -> float:
    """Return the parameter of a family's least private member that satisfies a notion.

    Parameters
    ----------
    family : Family
        Such as ``randomised_response``, ``unary_encoding``, ``conditional_reporting``
        or ``linear_reduction``.
    joint : Joint
        P_SX.
    notion : Notion
        Any notion.

    Returns
    -------
    float
        Rounded to the private side, so that the notion is satisfied; the other end,
        even if infinite, if it is private.

    Raises
    ------
    InfeasiblePrivacy
        If even the private end violates the notion.

    Notes
    -----
    S20 section VII, by bracketing and root finding. :meth:`Family.at_lip` uses a closed
    form for LIP if there is one.

    Examples
    --------
    >>> from liftlib.noise.randomised_response import randomised_response
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> round(calibrate(randomised_response, joint, LIP(0.356675)), 4)  # log 3
    1.0986
    """
    start, end = family.start, family.end

    @cache  # cached, because the ends are evaluated repeatedly
    def violation(parameter: float) -> float:
        return family.violation(joint, notion, parameter)

    spare = 0.0
    if family._lifts is not None:
        # the rounding by which a kernel's lifts may differ from a closed form
        spare = 4 * joint.n_public * float(np.finfo(np.float64).eps)
    near = _around(
        family, joint, notion, lambda parameter: violation(parameter) + spare
    )
    if near is not None:
        satisfying, violating = near
        narrow = 2 * max(family.resolution, CLOSED_FORM_TOL)
        if abs(violating - satisfying) <= narrow:
            return satisfying
    if not violation(start) <= KEEP_TOL:
        raise InfeasiblePrivacy(
            f"{family.name} violates {notion} even at its private end, {start:g}"
        )
    if violation(end) <= 0:
        return end
    # the budget is 0 up to rounding, and only the private end satisfies it
    if violation(start) >= 0:
        return start
    towards = np.sign(end - start)
    if near is None:
        satisfying = start
        violating = end if np.isfinite(end) else _bracket(violation, start, towards)
    if not np.isfinite(violating):
        return float(towards * MAX_PARAMETER)
    low = min(satisfying, violating)
    high = max(satisfying, violating)
    fine = family.resolution
    root = float(
        scipy.optimize.toms748(
            lambda p: _finite(violation(p)), low, high, xtol=fine, rtol=fine
        )
    )
    # a step of the last digit for a closed form, no finer than the tolerance for a
    # linear program
    step = max(np.spacing(max(abs(root), 1e-12)), fine - PARAMETER_TOL)
    while not violation(root) + spare <= 0:
        root = root + np.sign(satisfying - root) * step
        step = 2 * step
        if (root - satisfying) * (violating - satisfying) <= 0:
            return float(satisfying)
    return float(root)


def _around(
    family: Family, joint: Joint, notion: Notion, violation: Callable[[float], float]
) -> tuple[float, float] | None:
    """Return a bracket (satisfying, violating) around the initial guess, or None."""
    near = None if family._near is None else family._near(joint, notion)
    if near is None or not np.isfinite(near):
        return None
    towards = np.sign(family.end - family.start)
    for apart in (family.resolution, CLOSED_FORM_TOL, MAX_BRACKET_DISTANCE):
        satisfying, violating = (
            float(np.clip(near + side * apart, family.low, family.high))
            for side in (-towards, towards)
        )
        if violation(satisfying) <= 0:
            return (satisfying, violating) if violation(violating) > 0 else None
    return None


def _bracket(
    violation: Callable[[float], float], start: float, towards: float
) -> float:
    """Return a parameter beyond ``start`` that violates the notion, or infinity."""
    width = 1.0
    while abs(start + towards * width) < MAX_PARAMETER:
        if violation(start + towards * width) > 0:
            return float(start + towards * width)
        width *= 2
    most = towards * MAX_PARAMETER
    return float(most if violation(most) > 0 else towards * np.inf)


def _finite(value: float) -> float:
    """Return the value clipped to [-1, 1] (the root finder needs finite values).

    A violation that is not a number is one.
    """
    return max(-1.0, value) if value <= 1 else 1.0
