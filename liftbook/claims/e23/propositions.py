"""Claims about averages of lifts: E23 Definitions 5, 6 and Propositions 1, 3 to 6."""

from __future__ import annotations

from itertools import product

import numpy as np

from liftbook.claims.samples import Size, drawn, on_each
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import Evaluation, evaluate
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
from liftlib.merging.watchdog import watchdog
from liftlib.notions import ALIP
from liftlib.response.optimal import optimal_response
from mixproof.numerics import Matrix

ALPHAS = (1.5, 2.0, 10.0, 100.0)
ALPHAS_BELOW_1 = (0.25, 0.5, 0.75)
ROUNDING_FACTOR = 1 + 1e-9
"""Factor by which rounding may violate an inequality."""


def _all_but_one(n: int, lift: float) -> Joint:
    """Return the n x n joint with uniform marginals and ``lift`` on the diagonal."""
    others = (n - lift) / (n - 1)
    return Joint((others * np.ones((n, n)) + (lift - others) * np.eye(n)) / n**2)


def _told(n: int) -> Joint:
    """Return the joint of n uniform secrets, each almost surely revealed by
    a symbol.
    """
    return Joint(((1 - 1e-6) * np.eye(n) + 1e-6 / n) / n)


def _nearly_ruled_out(lift: float) -> Joint:
    """Return a joint 2 x 2 whose rarer symbol has this lift of the rarer secret."""
    p_s = np.array([0.05, 0.95])
    column = 0.01 * np.array([0.05 * lift, 1 - 0.05 * lift])
    return Joint(np.column_stack([column, p_s - column]))


def _joints(*, seed: int, size: Size = (200, 5, 17)) -> list[Joint]:
    """Return random joints, and joints that nearly attain the bounds."""
    return [*drawn(*size, seed), *AT_THE_BOUNDS]


AT_THE_BOUNDS = [
    *(_told(n) for n in (2, 3, 10)),
    *(_all_but_one(n, lift) for n in (2, 10) for lift in (0.05, 0.5, 1.8)),
    *(_nearly_ruled_out(lift) for lift in (0.001, 0.1)),
]


NEARLY_RULED_OUT_OF_TEN = _all_but_one(10, 0.1)


def printed_average_bound_holds(
    measure: str, joint: Joint = NEARLY_RULED_OUT_OF_TEN
) -> bool:
    """Whether Proposition 1's published bound on TV or chi2 holds on a
    joint 10 x 10.
    """
    factor = np.expm1(ALIP(0, 0).leakage(joint, Channel.identity(10)).upper)
    bound = {"total_variation": factor / 2, "chi2_divergence": factor**2}[measure]
    return bool(getattr(evaluate(joint, Channel.identity(10)), measure) <= bound)


def printed_symbol_bound_holds(
    measure: str, priors: int = 50, lifts_each: int = 38
) -> bool:
    """Whether Proposition 3 or 5, as published, holds for two secrets.

    Proposition 3 is "l1" or "chi2", Proposition 5 "inverse l1"; over priors and lifts.
    """
    inverse, kind = measure.startswith("inverse"), measure.rpartition(" ")[2]
    rare = np.linspace(0.01, 0.5, priors)[:, None]
    below, above = (0.05, 0.95, lifts_each // 2), (1.05, 1.95, lifts_each // 2)
    of_rare = np.concatenate([np.linspace(*below), np.linspace(*above)])[None, :]
    other = (1 - rare * of_rare) / (1 - rare)
    lifts = np.stack([np.broadcast_to(of_rare, other.shape), other], axis=1)
    p_s = np.concatenate([rare, 1 - rare], axis=1)
    values = {"l1": l1_of, "chi2": chi2_of}[kind](
        inverse_of(lifts) if inverse else lifts, p_s
    )
    bound = (1 / lifts.min(axis=1) if inverse else lifts.max(axis=1)) - 1
    return bool((values <= bound ** {"l1": 1, "chi2": 2}[kind] + 1e-12).all())


def _raw(joint: Joint) -> tuple[float, float, Evaluation]:
    """Return the lower and upper ALIP leakage of releasing X, and its evaluation."""
    channel = Channel.identity(joint.n_public)
    lower, upper = ALIP(0, 0).leakage(joint, channel)
    return lower, upper, evaluate(joint, channel)


@on_each(_joints)
def proposition_1_information(joint: Joint) -> bool:
    _, upper, out = _raw(joint)
    return out.secret_information <= upper * ROUNDING_FACTOR


@on_each(_joints)
def proposition_1_orders(joint: Joint, which: str) -> bool:
    """Whether Sibson's information, above order 1 also Arimoto's, is at most
    alpha/(alpha - 1) eps_u.

    Orders "above 1" or "below 1"; below it the factor is negative, and so is the bound.
    """
    _, upper, out = _raw(joint)
    if which == "above 1":
        return all(
            max(out.sibson(a), out.arimoto(a)) <= a / (a - 1) * upper * ROUNDING_FACTOR
            for a in ALPHAS
        )
    for order in ALPHAS_BELOW_1:
        alpha_lifts = (joint.p_s @ lift(joint) ** order) ** (1 / order)
        if (
            order / (order - 1) * np.log(joint.p_x @ alpha_lifts)
            > order / (order - 1) * upper
        ):
            return False
    return True


@on_each(_joints)
def proposition_1_ldp(joint: Joint) -> bool:
    lower, upper, out = _raw(joint)
    return out.ldp <= (lower + upper) * ROUNDING_FACTOR


def _beliefs(joint: Joint) -> tuple[Matrix, Matrix]:
    """Return the belief in each set of secrets, before and after each symbol."""
    sets = np.array(list(product([0.0, 1.0], repeat=joint.n_secret)))[1:-1]
    return (sets @ joint.p_s)[:, None], sets @ joint.s_given_x


def _between(low: Matrix, values: Matrix, high: Matrix) -> bool:
    inside = (values >= low - 1e-12) & (values <= high + 1e-12)
    return bool(inside.all())


@on_each(drawn, 50, 5, 17)
def proposition_a1(joint: Joint) -> bool:
    """Whether lifts in [(1 - rho2)/(1 - rho1), rho2/rho1] prevent privacy breaches.

    For each set of secrets and symbol of 50 joints, with the two rhos chosen so that
    the condition is just satisfied.
    """
    prior, posterior = _beliefs(joint)
    low, high = min_lift(joint), max_lift(joint)
    # the least rho2 that the condition allows for a rho1, and the largest rho1 for a
    # rho2
    up = np.maximum(prior * high, 1 - low * (1 - prior))
    down = np.minimum(prior / high, 1 - (1 - prior) / low)
    return _between(down, posterior, up)


@on_each(_joints)
def lift_based_means_are_averages(joint: Joint) -> bool:
    pairs = [(total_variation(joint), joint.p_x @ l1_lift(joint) / 2)]
    pairs += [(chi2_divergence(joint), joint.p_x @ chi2_lift(joint))]
    pairs += [
        (sibson(joint, a), a / (a - 1) * np.log(joint.p_x @ alpha_lift(joint, a)))
        for a in ALPHAS
    ]
    return all(np.isclose(*pair) for pair in pairs)


@on_each(_joints)
def proposition_3_alpha(joint: Joint) -> bool:
    return all(
        (alpha_lift(joint, a) <= max_lift(joint) * ROUNDING_FACTOR).all()
        for a in ALPHAS
    )


@on_each(_joints)
def proposition_5_alpha(joint: Joint) -> bool:
    return all(
        (alpha_lift_inverse(joint, a) <= ROUNDING_FACTOR / min_lift(joint)).all()
        for a in ALPHAS
    )


@on_each(_joints)
def proposition_4(joint: Joint) -> bool:
    values = lift(joint)
    s, x = np.unravel_index(values.argmax(), values.shape)
    p, high = joint.p_s[s], values[s, x] / ROUNDING_FACTOR
    bounds = [l1_lift(joint).max() / p + 1, np.sqrt(chi2_lift(joint).max() / p) + 1]
    bounds += [alpha_lift(joint, a).max() / p ** (1 / a) for a in ALPHAS]
    return bool((high <= np.array(bounds)).all())


@on_each(_joints)
def proposition_6(joint: Joint) -> bool:
    values = lift(joint)
    s, x = np.unravel_index(values.argmin(), values.shape)
    p, low, root = joint.p_s[s], values[s, x] * ROUNDING_FACTOR, np.sqrt(joint.p_s[s])
    bounds = [
        p / (l1_lift_inverse(joint).max() + p),
        root / (np.sqrt(chi2_lift_inverse(joint).max()) + root),
    ]
    bounds += [p ** (1 / a) / alpha_lift_inverse(joint, a).max() for a in ALPHAS]
    return bool((low >= np.array(bounds)).all())


@on_each(drawn, 50, 5, 17)
def ldp_prevents_breaches(joint: Joint) -> bool:
    """Whether LDP prevents breaches if e^eps <= rho2 (1 - rho1) / (rho1 (1 - rho2)).

    In both directions, for each set of secrets of 50 joints 5 x 17.
    """
    prior, posterior = _beliefs(joint)
    odds, factor = prior / (1 - prior), max_lift(joint) / min_lift(joint)
    # the least rho2 for a rho1, and the largest rho1 for a rho2, that the condition
    # allows
    up = odds * factor / (1 + odds * factor)
    down = odds / factor / (1 + odds / factor)
    return _between(down, posterior, up)


ONE_HIGH_RISK = Joint([[0.05, 0.25, 0.20], [0.20, 0.16, 0.14]])


def problem_15_is_unsolvable(joint: Joint = ONE_HIGH_RISK) -> bool:
    """Whether problem (15) is infeasible on a joint where the watchdog
    violates ALIP.
    """
    notion = ALIP(0.7, 0.7)
    assert not notion.is_satisfied(joint, watchdog(joint, notion, extend=False))
    return not notion.is_satisfied(joint, optimal_response(joint, notion))
