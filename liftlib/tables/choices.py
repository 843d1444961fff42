"""Notions and mechanisms by the names that a command line gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.mechanisms.family import calibrate
from liftlib.mechanisms.merging.subset import subset_merging
from liftlib.mechanisms.merging.watchdog import watchdog
from liftlib.mechanisms.noise.randomised import randomised_response
from liftlib.mechanisms.noise.reporting import conditional_reporting
from liftlib.mechanisms.reduction.linear import linear_reduction
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.mechanisms.response.subset import subset_response
from liftlib.notions import ALIP, LDP, LIP, SRLIP, AlphaLift, Chi2Lift, L1Lift, Notion, PerfectPrivacy

Mechanism = Callable[[Joint, Notion], Channel]

BUDGETS: Mapping[str, tuple[str, ...]] = {
    "alip": ("eps_l", "eps_u"),
    "lip": ("eps",),
    "ldp": ("eps",),
    "l1": ("eps_l", "eps_u"),
    "chi2": ("eps_l", "eps_u"),
    "alpha": ("alpha", "eps_l", "eps_u"),
    "srlip": ("eps",),
    "perfect": (),
}
"""What each notion needs, in nats."""

MAKERS: Mapping[str, Callable[..., Notion]] = {
    "alip": ALIP,
    "lip": LIP,
    "ldp": LDP,
    "l1": L1Lift,
    "chi2": Chi2Lift,
    "alpha": AlphaLift,
    "perfect": PerfectPrivacy,
}


def notion_from(name: str, budgets: Mapping[str, float | None], shape: tuple[int, ...] = ()) -> Notion:
    """Return a notion from its name and the budgets that were given.

    Raises
    ------
    InvalidParameter
        If a budget that it needs is missing, or one is given that it does not have.

    Examples
    --------
    >>> notion_from("alip", {"eps_l": 1.0, "eps_u": 0.5})
    ALIP(eps_l=1.0, eps_u=0.5)
    """
    needed = BUDGETS[name]
    given = {key: value for key, value in budgets.items() if value is not None}
    options = " ".join(f"--{key.replace('_', '-')}" for key in needed) or "no budget"
    if set(given) != set(needed):
        got = " ".join(f"--{key.replace('_', '-')}" for key in given) or "none"
        raise InvalidParameter(f"notion {name} takes {options}, in nats; given: {got}")
    if name == "srlip":
        return SRLIP(given["eps"], shape)
    return MAKERS[name](**given)


MECHANISMS: Mapping[str, Mechanism] = {
    "watchdog": watchdog,
    "subset-merging": subset_merging,
    "subset-response": subset_response,
    "optimal": optimal_response,
    "randomised-response": lambda joint, notion: randomised_response(
        joint, calibrate(randomised_response, joint, notion)
    ),
    "conditional-reporting": lambda joint, notion: conditional_reporting(
        joint, calibrate(conditional_reporting, joint, notion)
    ),
    "linear-reduction": lambda joint, notion: linear_reduction(joint, calibrate(linear_reduction, joint, notion)),
}
"""Each makes a channel that keeps a notion; a family's parameter is calibrated."""
