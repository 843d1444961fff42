"""The funnel's release beside the optimum under LIP at the same average leakage: what one output says of one person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd

from liftbook.relatives.descent import funnel_descent
from liftbook.relatives.funnel import funnel_merging, funnel_response
from liftbook.relatives.overall import AverageLeakage
from liftbook.relatives.submodular import funnel_subsets
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import max_lift, min_lift
from liftlib.notions import LIP
from liftlib.response.optimal import optimal_response

UNDER_LIP = "optimum under LIP"

FUNNELS: Mapping[str, Callable[[Joint, AverageLeakage], Channel]] = {
    "funnel, pool": funnel_response,
    "funnel, descent": funnel_descent,
    "funnel, pairs": funnel_merging,
    "funnel, subsets": funnel_subsets,
}
"""The funnel's releases: answers at random by two routes, and mergings of two symbols or of any number at a time."""

DESIGNS = (UNDER_LIP, *FUNNELS)


def same_average(joint: Joint, budgets: Iterable[float]) -> pd.DataFrame:
    """Return what releases of equal average leakage keep, and how far single outputs stray.

    For each budget the optimum under LIP is found; then the funnel's releases whose I(S; Y) is at most that optimum's.

    Returns
    -------
    pandas.DataFrame
        Columns ``eps`` (the LIP budget), ``design``, ``average`` (I(S; Y), nats), ``nmi``, ``lip`` (the largest
        absolute log-lift, nats, infinite where an output rules a secret out) and ``people``, the share of people whose
        output takes some secret's lift beyond the LIP budget.
    """
    rows = []
    for eps in budgets:
        under = optimal_response(joint, LIP(eps))
        bound = AverageLeakage(evaluate(joint, under).secret_information)
        made = {UNDER_LIP: under} | {name: make(joint, bound) for name, make in FUNNELS.items()}
        for design, channel in made.items():
            found = evaluate(joint, channel)
            rows.append(
                {
                    "eps": eps,
                    "design": design,
                    "average": found.secret_information,
                    "nmi": found.nmi,
                    "lip": found.lip,
                    "people": beyond(joint, channel, eps),
                }
            )
    return pd.DataFrame(rows)


def beyond(joint: Joint, channel: Channel, eps: float) -> float:
    """Return the share of people whose output has a lift outside of [e^-eps, e^eps].

    Examples
    --------
    >>> beyond(Joint([[0.5, 0.0], [0.0, 0.5]]), Channel.identity(2), 0.5)
    1.0
    """
    release = channel.release(joint)
    with np.errstate(divide="ignore"):
        worst = np.maximum(np.log(max_lift(release)), -np.log(min_lift(release)))
    return float(release.p_x[worst > eps + 1e-6].sum())
