"""The funnel's releases against the LIP optimum at equal average leakage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd

from liftbook.relatives.average import release_of_rows
from liftbook.relatives.descent import funnel_descent
from liftbook.relatives.funnel import funnel_merging, funnel_response
from liftbook.relatives.overall import AverageLeakage
from liftbook.relatives.submodular import funnel_subsets
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.information import entropy, mutual_information
from liftlib.measures.lifts import max_lift, min_lift
from liftlib.notions import LIP
from liftlib.response.optimal import optimal_response
from mixproof.numerics import Matrix
from mixproof.polytope import vertices

UNDER_LIP = "optimum under LIP"

LIFT_BUDGETS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""LIP budgets, nats, of the polytopes whose vertices are mixed."""


def lift_vertices(joint: Joint, notion: AverageLeakage) -> Channel:
    """Return the best mixture of LIP's vertices under a bound on I(S; Y).

    Combining vertices of lift polytopes at large budgets is an idea of Zarrabian2024; that algorithm, of which only the
    abstract was read, is not reproduced. P_X and the unit vectors are added, so that a mixture exists.
    """

    def pool(core: Joint) -> Matrix:
        vertex_sets = [vertices(LIP(eps).halfspaces(core), interior=core.p_x) for eps in LIFT_BUDGETS]
        return np.concatenate([core.p_x[None], np.eye(core.n_public), *vertex_sets])

    return release_of_rows(joint, notion, notion.eps, pool, "vertices of lift polytopes")


FUNNELS: Mapping[str, Callable[[Joint, AverageLeakage], Channel]] = {
    "funnel, proven": funnel_response,
    "funnel, descent": funnel_descent,
    "funnel, lift vertices": lift_vertices,
    "funnel, pairs": funnel_merging,
    "funnel, subsets": funnel_subsets,
}
"""The funnel's releases: three random responses, and mergings of pairs or of subsets of symbols."""

DESIGNS = (UNDER_LIP, *FUNNELS)


def same_average(joint: Joint, budgets: Iterable[float]) -> pd.DataFrame:
    """Return the utility and extreme lifts of releases of equal average leakage.

    For each budget, the optimum under LIP is compared with the funnel's releases whose I(S; Y) is at most the
    optimum's.

    The columns are ``eps`` (the LIP budget), ``design``, ``average`` (I(S; Y), nats), ``nmi``, ``lip`` (the largest
    absolute log-lift, nats; infinite if an output rules out a secret), ``people``, the share of people whose output has
    a lift beyond the LIP budget, and ``bound``, the proven upper bound on NMI of every release with the same bound on
    the average (NaN if none was proven).
    """
    rows = []
    for eps in budgets:
        under = optimal_response(joint, LIP(eps))
        bound = AverageLeakage(evaluate(joint, under).secret_information)
        channels = {UNDER_LIP: under} | {name: make(joint, bound) for name, make in FUNNELS.items()}
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


def against_the_bound(joint: Joint, shares: Iterable[float], designs: Iterable[str]) -> pd.DataFrame:
    """Return the gap of each of the funnel's releases to the proven bound.

    ``shares``, in (0, 1), are bounds on I(S; Y) relative to I(S; X), and ``designs`` are keys of ``FUNNELS``.

    The columns are ``share``, ``design``, ``nmi`` and ``short``, the difference between the bound and NMI.
    """
    rows = []
    for share in shares:
        notion = AverageLeakage(share * mutual_information(joint.p))
        bound = _proven(joint, funnel_response(joint, notion))
        for design in designs:
            nmi = evaluate(joint, FUNNELS[design](joint, notion)).nmi
            rows.append({"share": share, "design": design, "nmi": nmi, "short": bound - nmi})
    return pd.DataFrame(rows)


def _proven(joint: Joint, channel: Channel) -> float:
    """Return the certificate's upper bound as NMI, NaN if there is none."""
    certificate = channel.certificate
    if certificate is None or not np.isfinite(certificate.upper):
        return np.nan
    return min(1.0, certificate.upper / entropy(joint.p_x))
