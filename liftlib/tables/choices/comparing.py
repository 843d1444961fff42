"""Which mechanism for this table? All of them on one joint distribution, over budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from liftlib.checks import checked
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms import registry
from liftlib.mechanisms.registry import MECHANISMS, Mechanism
from liftlib.notions import Notion
from liftlib.numerics import check_scalar

MEASURES = ("nmi", "min_lift_leakage", "max_lift_leakage")
"""What is compared, and the seconds that each mechanism takes."""


@checked
def compare(
    joint: Joint,
    notion_at: Callable[[float], Notion],
    epsilons: Sequence[float],
    mechanisms: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return what each mechanism leaves and leaks on one joint distribution, as rows to plot.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion_at : callable
        The notion at a budget, such as ``lambda eps: ALIP.split(eps, 0.5)``.
    epsilons : sequence of float
        Budgets, nats, each in [0, inf).
    mechanisms : sequence of str, optional
        Keys of ``liftlib.tables.MECHANISMS``, each of which must serve the notion; by default all that do and that
        take as many symbols.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (nmi, min_lift_leakage, max_lift_leakage, seconds), ``mean``, ``std``,
        ``n``: one trial each, so that there is no spread.

    Raises
    ------
    InvalidParameter
        If there is no such mechanism, or a budget is negative or not finite.
    UnsupportedNotion
        If a mechanism does not serve the notion.

    Examples
    --------
    >>> from liftlib import LIP
    >>> rows = compare(Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]), LIP, [0.2], ["watchdog", "optimal"])
    >>> rows[rows["measure"] == "nmi"]["mean"].round(3).tolist()
    [0.0, 0.476]
    """
    if not len(epsilons):
        raise InvalidParameter("epsilons is empty: give one finite budget or more, in nats")
    given = None if mechanisms is None else [registry.mechanism(name) for name in mechanisms]
    rows: list[dict[str, Any]] = []
    for eps in [check_scalar(f"epsilons[{at}]", eps, finite=True) for at, eps in enumerate(epsilons)]:
        notion = notion_at(eps)
        for one in _serving(joint, notion) if given is None else given:
            started = time.perf_counter()
            channel = one(joint, notion)
            seconds = time.perf_counter() - started
            found = evaluate(joint, channel)
            values = {name: float(getattr(found, name)) for name in MEASURES} | {"seconds": seconds}
            rows += [
                {"series": one.name, "eps": eps, "measure": name, "mean": value, "std": np.nan, "n": 1}
                for name, value in values.items()
            ]
    return pd.DataFrame(rows)


def _serving(joint: Joint, notion: Notion) -> list[Mechanism]:
    return [
        one
        for one in MECHANISMS.values()
        if one.serves(notion) and (one.most_symbols is None or joint.n_public <= one.most_symbols)
    ]
