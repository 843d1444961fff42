"""E23 Algorithm 1 in plain Python, under each reading of its risk and its loop."""

import functools
import math
import operator

from liftlib import ALIP, LDP, LIP, AlphaLift, Chi2Lift, L1Lift


def total(values):
    """Add from left to right."""
    return functools.reduce(operator.add, values, 0.0)


def lower_and_upper(notion, column, prior):
    """The two measures of a lift column that algorithm 1 adds up (E23 (2),
    (31)-(36)).
    """
    flipped = [1 / v if v > 0 else math.inf for v in column]
    if isinstance(notion, L1Lift):
        return tuple(
            total(p * abs(v - 1) for p, v in zip(prior, c, strict=True))
            for c in (flipped, column)
        )
    if isinstance(notion, Chi2Lift):
        return tuple(
            total(p * (v - 1) ** 2 for p, v in zip(prior, c, strict=True))
            for c in (flipped, column)
        )
    if isinstance(notion, AlphaLift):
        powers = (
            total(p * v**notion.alpha for p, v in zip(prior, c, strict=True))
            for c in (flipped, column)
        )
        return tuple(power ** (1 / notion.alpha) for power in powers)
    return max(flipped), max(column)


def breaks(notion, column, prior):
    lower, upper = lower_and_upper(notion, column, prior)
    if isinstance(notion, LDP):
        return upper * lower > math.exp(notion.eps)
    if isinstance(notion, LIP):
        return min(column) < math.exp(-notion.eps) or max(column) > math.exp(notion.eps)
    bound = {
        L1Lift: lambda e: math.exp(e) - 1,
        Chi2Lift: lambda e: (math.exp(e) - 1) ** 2,
    }.get(type(notion), math.exp)
    return lower > bound(notion.eps_l) or upper > bound(notion.eps_u)


def omega(notion, risk, column, prior):
    lower, upper = lower_and_upper(notion, column, prior)
    if isinstance(notion, LDP):
        return upper * lower
    if isinstance(notion, LIP):
        return max(math.log(upper), math.log(lower))
    if isinstance(notion, ALIP) and risk == "printed":
        return max(column) + min(column)
    return lower + upper


def algorithm_1(p, notion, risk="standard", loop="standard", extend=True):
    """E23 Algorithm 1 (C22 Algorithm 1 where ``loop`` is standard)."""
    n_s, n_x = len(p), len(p[0])
    prior = [total(row) for row in p]

    def column(group):
        mass = [total(p[s][x] for x in group) for s in range(n_s)]
        return [m / total(mass) / q for m, q in zip(mass, prior, strict=True)]

    def bad(group):
        return breaks(notion, column(group), prior)

    def cost(group):
        value = omega(notion, risk, column(group), prior)
        return (value, max(column(group)) if value == math.inf else 0)

    x_q = [x for x in range(n_x) if bad([x])]
    low = [x for x in range(n_x) if x not in x_q]
    subsets = []
    while x_q and (loop == "standard" or bad(x_q)):  # line 4
        # line 5
        riskiest = max(x_q, key=lambda x: omega(notion, risk, column([x]), prior))
        x_q.remove(riskiest)
        group = [riskiest]
        while bad(group) and x_q:  # line 6
            best = min(x_q, key=lambda x: cost([*group, x]))  # line 7
            group.append(best)
            x_q.remove(best)
        subsets.append(group)
    if x_q:  # the printed loop stops while symbols are left: they are private together
        subsets.append(x_q)
    while subsets and bad(subsets[-1]) and len(subsets) > 1:  # line 12
        best = min(subsets[:-1], key=lambda other: cost(subsets[-1] + other))
        subsets.remove(best)
        subsets[-1] = subsets[-1] + best
    # ours: low-risk symbols repair what the print leaves broken
    while extend and subsets and bad(subsets[-1]) and low:
        best = min(low, key=lambda x: cost([*subsets[-1], x]))
        subsets[-1] = [*subsets[-1], best]
        low.remove(best)
    return low, [tuple(sorted(group)) for group in subsets]


KINDS = {
    "ALIP": lambda e: ALIP.split(2 * e, 0.5),
    "ALIP-asymmetric": lambda e: ALIP.split(2 * e, 0.65),
    "ALIP-max-only": lambda e: ALIP(math.inf, e / 2),
    "ALIP-min-only": lambda e: ALIP(e / 2, math.inf),
    "LIP": LIP,
    "LDP": lambda e: LDP(2 * e),
    "L1Lift": lambda e: L1Lift(e / 2, e / 2),
    "Chi2Lift": lambda e: Chi2Lift(e / 2, e / 2),
    "AlphaLift-2": lambda e: AlphaLift(2, e / 3, e / 3),
    "AlphaLift-10": lambda e: AlphaLift(10, e, e),
}
