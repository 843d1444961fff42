"""The trade-off of mechanisms on one joint distribution, over budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from liftlib import registry
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import Notion
from mixproof.checks import checked
from mixproof.numerics import check_scalar

MEASURES = ("nmi", "min_lift_leakage", "max_lift_leakage")
"""Measures that are compared, in addition to seconds."""


@checked
def mechanism_tradeoff(
    joint: Joint,
    notion_at: Callable[[float], Notion],
    epsilons: Sequence[float],
    mechanisms: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return each mechanism's utility and leakage on one joint distribution.

    Parameters
    ----------
    notion_at : callable
        The notion at a budget, such as ``lambda eps: ALIP.split(eps, 0.5)``.
    epsilons : sequence of float
        Budgets, nats, each in [0, inf).
    mechanisms : sequence of str, optional
        Keys of ``liftlib.mechanisms``, each of which must support the notion; by default all that support it and the
        number of symbols.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (nmi, min_lift_leakage, max_lift_leakage, seconds), ``mean``, ``std``,
        ``n``: one trial each, so that there is no spread.

    Raises
    ------
    InvalidParameter
        If a mechanism is unknown, or a budget is negative or not finite.
    UnsupportedNotion
        If a mechanism does not support the notion.

    Examples
    --------
    >>> from liftlib import LIP
    >>> rows = mechanism_tradeoff(Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]), LIP, [0.2], ["watchdog", "optimal"])
    >>> rows[rows["measure"] == "nmi"]["mean"].round(3).tolist()
    [0.0, 0.476]
    """
    if not len(epsilons):
        raise InvalidParameter("epsilons is empty: give one finite budget or more, in nats")
    given = None if mechanisms is None else [registry.mechanisms[name] for name in mechanisms]
    rows: list[dict[str, Any]] = []
    for eps in [check_scalar(f"epsilons[{at}]", eps, finite=True) for at, eps in enumerate(epsilons)]:
        notion = notion_at(eps)
        for mechanism in registry.serving(joint, notion) if given is None else given:
            started = time.perf_counter()
            channel = mechanism(joint, notion)
            seconds = time.perf_counter() - started
            evaluation = evaluate(joint, channel)
            values = {name: float(getattr(evaluation, name)) for name in MEASURES} | {"seconds": seconds}
            rows += [
                {"series": mechanism.name, "eps": eps, "measure": name, "mean": value, "std": np.nan, "n": 1}
                for name, value in values.items()
            ]
    return pd.DataFrame(rows)
