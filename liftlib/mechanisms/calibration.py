"""The least private member of a family of mechanisms that still keeps a notion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.optimize import toms748

from liftlib.channel import Channel
from liftlib.errors import InfeasiblePrivacy, InvalidParameter
from liftlib.joint import Joint
from liftlib.notions import ALIP, LDP, LIP, SRLIP, AlphaLift, Chi2Lift, L1Lift, Leakage, Notion
from liftlib.numerics import KEEP_TOL

Family = Callable[[Joint, float], Channel]

LAST = 500.0
"""A parameter beyond this is as good as infinite: e^-500 is below the least positive float that a kernel can use."""


def calibrate(
    family: Family,
    joint: Joint,
    notion: Notion,
    *,
    low: float = 0.0,
    high: float = np.inf,
    private_end: Literal["low", "high"] = "low",
) -> float:
    """Return the parameter, as far from the private end as possible, at which a family's mechanism keeps the notion.

    Parameters
    ----------
    family : callable
        ``family(joint, parameter) -> Channel`` whose leakage grows from the private end to the other, such as
        ``randomised_response``, ``unary_encoding`` or ``conditional_reporting``.
    joint : Joint
        P_SX.
    notion : Notion
        Any notion with finite budgets.
    low, high : float, keyword-only
        The parameter's range; ``high`` may be infinite.
    private_end : {"low", "high"}, keyword-only
        Which end is the most private: ``"high"``, with the range [0, 1], for ``linear_reduction``.

    Returns
    -------
    float
        A parameter at which the leakage is at most the budget, exactly: the root is rounded to the private side. The
        far end itself (which may be infinite) if the notion is kept there.

    Raises
    ------
    InfeasiblePrivacy
        If even the private end breaks the notion.
    InvalidParameter
        If the range is empty or has no finite private end.

    Notes
    -----
    S20 section VII: LIP(alpha) = eps is solved for alpha, by bracketing.

    Examples
    --------
    >>> from liftlib.mechanisms.ldp import randomised_response
    >>> joint = Joint([[0.4, 0.1], [0.1, 0.4]])
    >>> round(calibrate(randomised_response, joint, LIP(0.356675)), 4)  # log 3
    1.0986
    """
    start, end = (low, high) if private_end == "low" else (high, low)
    if not low < high or not np.isfinite(start):
        raise InvalidParameter(f"the range is [{low:g}, {high:g}], private at its {private_end} end: give a finite one")

    def excess(parameter: float) -> float:
        return excess_of(joint, notion, family(joint, parameter))

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


def excess_of(joint: Joint, notion: Notion, channel: Channel) -> float:
    """Return by how many nats a release exceeds the notion's budget, the worse of its two; negative where it is kept.

    Raises
    ------
    InvalidParameter
        If the notion is of a kind without budgets.
    """
    leakage = notion.leakage(joint, channel)
    if isinstance(leakage, Leakage) and isinstance(notion, ALIP | L1Lift | Chi2Lift | AlphaLift):
        pairs = ((leakage.lower, notion.eps_l), (leakage.upper, notion.eps_u))
        return max(leak - budget for leak, budget in pairs if np.isfinite(budget)) if _bounded(notion) else -np.inf
    if isinstance(notion, LIP | LDP | SRLIP) and isinstance(leakage, float):
        return leakage - notion.eps if np.isfinite(notion.eps) else -np.inf
    raise InvalidParameter(f"{notion} has no budgets to calibrate for")


def _bounded(notion: ALIP | L1Lift | Chi2Lift | AlphaLift) -> bool:
    return bool(np.isfinite(notion.eps_l) or np.isfinite(notion.eps_u))


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
