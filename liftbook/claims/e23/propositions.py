"""E23 Definitions 5 and 6 and Propositions 1 and 3 to 6: averages of lifts, and the bounds printed for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from liftbook.claims.samples import drawn
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import chi2_divergence, sibson, total_variation
from liftlib.measures.lifts import (
    alpha_lift,
    alpha_lift_inverse,
    chi2_lift,
    chi2_lift_inverse,
    chi2_of,
    inverse_of,
    l1_lift,
    l1_lift_inverse,
    l1_of,
    lift,
    max_lift,
    min_lift,
)
from liftlib.notions import ALIP

JOINTS = partial(drawn, 200, 5, 17)
ORDERS = (1.5, 2.0, 10.0, 100.0)
ROUNDING = 1 + 1e-9


def _all_but_one(n: int, lift: float) -> Joint:
    """Return n equally likely secrets and outputs, each output with a lift of ``lift`` on one secret of its own."""
    others = (n - lift) / (n - 1)
    return Joint((others * np.ones((n, n)) + (lift - others) * np.eye(n)) / n**2)


def proposition_1_total_variation() -> bool:
    joint = _all_but_one(10, 0.1)
    eps_u = ALIP(0, 0).leakage(joint, Channel.identity(10)).upper
    return bool(evaluate(joint, Channel.identity(10)).total_variation <= np.expm1(eps_u) / 2)


def proposition_1_chi2() -> bool:
    joint = _all_but_one(10, 0.1)
    eps_u = ALIP(0, 0).leakage(joint, Channel.identity(10)).upper
    return bool(evaluate(joint, Channel.identity(10)).chi2_divergence <= np.expm1(eps_u) ** 2)


def _printed_bound_holds(measure: Callable[..., np.ndarray], *, inverse: bool, power: int) -> bool:
    """Return whether a printed per-symbol bound holds for two secrets over a grid of priors and lifts."""
    rare = np.linspace(0.01, 0.5, 50)[:, None]
    of_rare = np.concatenate([np.linspace(0.05, 0.95, 19), np.linspace(1.05, 1.95, 19)])[None, :]
    other = (1 - rare * of_rare) / (1 - rare)
    lifts = np.stack([np.broadcast_to(of_rare, other.shape), other], axis=1)
    p_s = np.concatenate([rare, 1 - rare], axis=1)
    values = measure(inverse_of(lifts) if inverse else lifts, p_s)
    bound = (1 / lifts.min(axis=1) if inverse else lifts.max(axis=1)) - 1
    return bool((values <= bound**power + 1e-12).all())


def proposition_3_l1() -> bool:
    return _printed_bound_holds(l1_of, inverse=False, power=1)


def proposition_3_chi2() -> bool:
    return _printed_bound_holds(chi2_of, inverse=False, power=2)


def proposition_5_l1() -> bool:
    return _printed_bound_holds(l1_of, inverse=True, power=1)


def proposition_5_chi2() -> bool:
    return _printed_bound_holds(chi2_of, inverse=True, power=2)


def lift_based_means_are_averages() -> bool:
    return all(
        np.isclose(total_variation(joint), joint.p_x @ l1_lift(joint) / 2)
        and np.isclose(chi2_divergence(joint), joint.p_x @ chi2_lift(joint))
        and all(np.isclose(sibson(joint, a), a / (a - 1) * np.log(joint.p_x @ alpha_lift(joint, a))) for a in ORDERS)
        for joint in JOINTS()
    )


def proposition_3_alpha() -> bool:
    return all((alpha_lift(joint, a) <= max_lift(joint) * ROUNDING).all() for joint in JOINTS() for a in ORDERS)


def proposition_5_alpha() -> bool:
    return all((alpha_lift_inverse(joint, a) <= ROUNDING / min_lift(joint)).all() for joint in JOINTS() for a in ORDERS)


def proposition_4() -> bool:
    for joint in JOINTS():
        values = lift(joint)
        s, x = np.unravel_index(values.argmax(), values.shape)
        p, high = joint.p_s[s], values[s, x] / ROUNDING
        bounds = [l1_lift(joint).max() / p + 1, np.sqrt(chi2_lift(joint).max() / p) + 1]
        bounds += [alpha_lift(joint, a).max() / p ** (1 / a) for a in ORDERS]
        if not (high <= np.array(bounds)).all():
            return False
    return True


def proposition_6() -> bool:
    for joint in JOINTS():
        values = lift(joint)
        s, x = np.unravel_index(values.argmin(), values.shape)
        p, low, root = joint.p_s[s], values[s, x] * ROUNDING, np.sqrt(joint.p_s[s])
        bounds = [p / (l1_lift_inverse(joint).max() + p), root / (np.sqrt(chi2_lift_inverse(joint).max()) + root)]
        bounds += [p ** (1 / a) / alpha_lift_inverse(joint, a).max() for a in ORDERS]
        if not (low >= np.array(bounds)).all():
            return False
    return True
