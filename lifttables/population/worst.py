"""Worst-case required budgets over all output probabilities within bounds."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from liftlib.errors import UnsupportedNotion
from liftlib.notions import LiftNotion, Notion, RequiredBudget
from mixproof.numerics import KEEP_TOL, SAME_TOL, Mask, Matrix, Vector

MAX_CORNER_SECRETS = 10  # maximum number of secrets, since a box of lifts has 2^|S| corners


class Between(NamedTuple):
    """Bounds on the probabilities of m outputs.

    ``lower`` and ``upper``, shape (S + 1, m), bound P(y|s) and, in the last row, P(y).
    """

    lower: Matrix
    upper: Matrix
    prior_lower: Vector
    prior_upper: Vector


def worst_required_budgets(notion: Notion, between: Between) -> tuple[RequiredBudget, ...]:
    """Return the worst-case required budgets of each output, shape (m,).

    The worst case over all probabilities within the bounds is at a corner of the box of lifts for notions that depend
    on the smallest and largest lift, and for averages of a function of the lifts that first decreases, then increases.
    Other notions, and averages over more than ``MAX_CORNER_SECRETS`` secrets, raise UnsupportedNotion.

    >>> from liftlib.notions import LIP
    >>> half = np.full((3, 1), 0.5)
    >>> found = worst_required_budgets(LIP(1.0), Between(half / 2, half, half[:2, 0], half[:2, 0]))
    >>> [round(float(need.needed[0]), 4) for need in found]
    [0.6931, 0.6931]
    """
    if not isinstance(notion, LiftNotion):
        raise UnsupportedNotion(
            f"{notion} does not depend on each output's lifts alone, so what it requires for the population is "
            "unknown: use LIP or LDP, or keep it for the table's rows only"
        )
    n_secret = len(between.prior_upper)
    if n_secret == 1:  # then P(y|s) = P(y)
        return notion.required_budgets(np.ones_like(between.lower[:-1]), np.ones(1))
    least, most = lifts_between(between)
    worst = _worst_of_box(notion, between, least, most)
    # Upper bounds on P(s) sum to more than 1, so an average with these weights exceeds that under any prior. An output
    # whose lifts are all known to be 1 needs the same under every prior, so its weights may sum to 1.
    constant = (np.maximum(most - 1, 1 - least) <= SAME_TOL).all(axis=0)
    if not constant.any():
        return worst
    at_one = notion.required_budgets(np.ones_like(least), between.prior_upper / between.prior_upper.sum())
    return tuple(
        need._replace(needed=np.where(constant, constant_need.needed, need.needed))
        for need, constant_need in zip(worst, at_one, strict=True)
    )


def _worst_of_box(notion: LiftNotion, between: Between, least: Matrix, most: Matrix) -> tuple[RequiredBudget, ...]:
    lower, upper = between.lower[:-1], between.upper[:-1]
    n_secret, prior = len(lower), between.prior_upper
    with np.errstate(invalid="ignore"):  # a ratio of two bounds that are 0, which is not read
        at_most, at_least = notion.required_budgets(most, prior), notion.required_budgets(least, prior)
    if all(need.decides for need in at_most):
        worst = []
        for place, (up, low) in enumerate(zip(at_most, at_least, strict=True)):
            if up.decides == ("most",):
                worst.append(up)
            elif up.decides == ("least",):
                worst.append(low)
            else:  # the ratio of two secrets' probabilities, of which P(y) is no part
                needed = [_ratio(notion, lower, upper, s, prior)[place].needed for s in range(n_secret)]
                worst.append(up._replace(needed=np.max(needed, axis=0)))
        return tuple(worst)
    if n_secret > MAX_CORNER_SECRETS:
        raise UnsupportedNotion(
            f"{notion} averages over {n_secret} secrets, more than {MAX_CORNER_SECRETS}: bound single lifts by "
            "LIP or LDP"
        )
    corners = [
        notion.required_budgets(np.where(np.array(at)[:, None], most, least), prior)
        for at in itertools.product([False, True], repeat=n_secret)
    ]
    return tuple(
        needs[0]._replace(needed=np.max([need.needed for need in needs], axis=0))
        for needs in zip(*corners, strict=True)
    )


def lifts_between(between: Between) -> tuple[Matrix, Matrix]:
    """Return the least and largest lifts, shape (S, m); 1 for impossible outputs."""
    lower, upper = between.lower, between.upper
    with np.errstate(divide="ignore", invalid="ignore"):
        least, most = lower[:-1] / upper[-1], upper[:-1] / lower[-1]
        # P(s|y) is at most 1
        most = np.minimum(most, 1 / between.prior_lower[:, None])
    never = upper[-1] == 0
    return np.where(never, 1.0, np.minimum(least, 1.0)), np.where(never, 1.0, np.maximum(most, 1.0))


def _ratio(notion: LiftNotion, lower: Matrix, upper: Matrix, s: int, prior: Vector) -> tuple[RequiredBudget, ...]:
    corner = lower.copy()
    corner[s] = upper[s]
    # this secret never produces the output and other secrets need not: the corners of the others decide
    never = corner.max(axis=0) == 0
    return notion.required_budgets(np.where(never, 1.0, corner), prior)


def violation_of(needs: tuple[RequiredBudget, ...]) -> Vector:
    """Return each output's largest violation of a budget, in nats, shape (m,)."""
    over = [np.maximum(need.needed, 0.0) - need.allowed for need in needs if not np.isinf(need.allowed)]
    return np.max(over, axis=0) if over else np.full(needs[0].needed.shape, -np.inf)


def certainly_satisfied(notion: Notion, between: Between) -> Mask:
    """Return which outputs satisfy the notion for all values within bounds, (m,)."""
    return np.asarray(violation_of(worst_required_budgets(notion, between)) <= KEEP_TOL)
