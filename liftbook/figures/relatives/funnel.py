"""The funnel's releases against the LIP optimum at equal average leakage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd

from liftbook.relatives.descent import funnel_descent
from liftbook.relatives.funnel import funnel_merging
from liftbook.relatives.overall import AverageLeakage
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy
from liftlib.measures.lifts import max_lift, min_lift
from liftlib.notions import LIP
from liftlib.response.optimal import optimal_response

UNDER_LIP = "optimum under LIP"

FUNNELS: Mapping[str, Callable[[Joint, AverageLeakage], Channel]] = {
    "funnel, descent": funnel_descent,
    "funnel, merging": funnel_merging,
}
"""The funnel's releases: a random response, and merging of pairs of symbols."""

DESIGNS = (UNDER_LIP, *FUNNELS)


def same_average(joint: Joint, budgets: Iterable[float]) -> pd.DataFrame:
    """Return the utility and extreme lifts of releases of equal average leakage.

    For each budget, the optimum under LIP is compared with the funnel's releases whose
    I(S; Y) is at most the optimum's.

    The columns are ``eps`` (the LIP budget), ``design``, ``average`` (I(S; Y), nats),
    ``nmi``, ``lip`` (the largest absolute log-lift, nats; infinite if an output rules
    out a secret), ``people``, the share of people whose output has a lift beyond the
    LIP budget, and ``bound``, the proven upper bound on NMI of every release with the
    same bound on the average (NaN if none was proven).
    """
    rows = []
    for eps in budgets:
        under = optimal_response(joint, LIP(eps))
        bound = AverageLeakage(evaluate(joint, under).secret_information)
        channels = {UNDER_LIP: under} | {
            name: make(joint, bound) for name, make in FUNNELS.items()
        }
        for design, channel in channels.items():
            evaluation = evaluate(joint, channel)
            rows.append(
                {
                    "eps": eps,
                    "design": design,
                    "average": evaluation.secret_information,
                    "nmi": evaluation.nmi,
                    "lip": evaluation.lip,
                    "people": beyond(joint, channel, eps),
                    "bound": _proven(joint, channel) if design in FUNNELS else np.nan,
                }
            )
    return pd.DataFrame(rows)


def beyond(joint: Joint, channel: Channel, eps: float) -> float:
    """Return the share of people whose output has a lift outside [e^-eps, e^eps].

    Examples
    --------
    >>> beyond(Joint([[0.5, 0.0], [0.0, 0.5]]), Channel.identity(2), 0.5)
    1.0
    """
    release = channel.release(joint)
    with np.errstate(divide="ignore"):
        worst = np.maximum(np.log(max_lift(release)), -np.log(min_lift(release)))
    return float(release.p_x[worst > eps + 1e-6].sum())


def _proven(joint: Joint, channel: Channel) -> float:
    """Return the certificate's upper bound as NMI, NaN if there is none."""
    certificate = channel.certificate
    if certificate is None or not np.isfinite(certificate.upper):
        return np.nan
    return min(1.0, certificate.upper / entropy(joint.p_x))
