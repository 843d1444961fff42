"""Closed forms for S = X: their utility against the optimum."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from liftbook.relatives.extremal import extremal_response
from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.noise.randomised_response import randomised_response
from liftlib.notions import ALIP, LDP
from liftlib.response.optimal import optimal_response


def half_and_half(p: np.ndarray, eps: float) -> Channel:
    """Return randomised response on which of two nearly equal sets contains X.

    Kairouz2016, for small budgets.

    Examples
    --------
    >>> half_and_half(np.array([0.2, 0.3, 0.5]), 50.0).kernel.round(3).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    n = len(p)
    sets = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
    chosen = sets[np.abs(sets @ p / p.sum() - 0.5).argmin()]
    stay = 1 / (1 + np.exp(-eps))
    return Channel(np.where(chosen[:, None] == [1, 0], stay, 1 - stay))


def closed_forms(p_x: Iterable[float], budgets: Iterable[float]) -> pd.DataFrame:
    """Return the utility of the closed forms and of the optimum, for S = X.

    The columns are ``notion`` (max-lift, LDP), ``series``, ``eps``, ``route`` (the
    closed form's regime) and ``nmi``.
    """
    p = np.array(list(p_x), dtype=float)
    joint, rows = Joint(np.diag(p / p.sum())), []
    for eps in budgets:
        ceiling, ratio = ALIP(np.inf, eps), LDP(eps)
        extremal = extremal_response(joint, ceiling)
        route = extremal.certificate.route if extremal.certificate else ""
        for notion, series, regime, channel in (
            ("max-lift", "optimum", "", optimal_response(joint, ceiling)),
            ("max-lift", "extremal", route, extremal),
            ("LDP", "optimum", "", optimal_response(joint, ratio)),
            ("LDP", "half and half", "", half_and_half(joint.p_x, eps)),
            ("LDP", "randomised response", "", randomised_response.at(joint, eps)),
        ):
            nmi = evaluate(joint, channel).nmi
            rows.append(
                {
                    "notion": notion,
                    "series": series,
                    "eps": eps,
                    "route": regime,
                    "nmi": nmi,
                }
            )
    return pd.DataFrame(rows)
