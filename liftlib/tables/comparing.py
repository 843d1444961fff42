"""Which mechanism for this table? All of them on one joint distribution, over budgets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from liftbook.rows.tidy import budgets, frame, summary
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import Notion
from liftlib.tables.choices import MECHANISMS


def compare(
    joint: Joint,
    notion_at: Callable[[float], Notion],
    epsilons: Iterable[float],
    mechanisms: Sequence[str] = tuple(MECHANISMS),
) -> pd.DataFrame:
    """Return what each mechanism leaves and leaks on one joint distribution, as rows to plot.

    Parameters
    ----------
    joint : Joint
        P_SX.
    notion_at : callable
        The notion at a budget, such as ``lambda eps: ALIP.split(eps, 0.5)``.
    epsilons : iterable of float
        Budgets, nats.
    mechanisms : sequence of str
        Keys of ``liftlib.tables.MECHANISMS``, each of which must serve the notion.

    Returns
    -------
    pandas.DataFrame
        Columns ``series``, ``eps``, ``measure`` (nmi, min_lift_leakage, max_lift_leakage, seconds), ``mean``, ``std``,
        ``n``.

    Raises
    ------
    UnsupportedNotion
        If a mechanism does not serve the notion.

    Examples
    --------
    >>> from liftlib import LIP
    >>> rows = compare(Joint([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]]), LIP, [0.2], ["watchdog", "optimal"])
    >>> rows[rows["measure"] == "nmi"]["mean"].round(3).tolist()
    [0.0, 0.476]
    """
    for name in mechanisms:
        if name not in MECHANISMS:
            raise InvalidParameter(f"no mechanism {name!r}: there are {', '.join(MECHANISMS)}")
    rows: list[dict[str, Any]] = []
    for eps in budgets(epsilons):
        notion = notion_at(eps)
        for name in mechanisms:
            started = time.perf_counter()
            channel = MECHANISMS[name](joint, notion)
            seconds = time.perf_counter() - started
            found = evaluate(joint, channel)
            measures = {
                "nmi": np.array([found.nmi]),
                "min_lift_leakage": np.array([found.min_lift_leakage]),
                "max_lift_leakage": np.array([found.max_lift_leakage]),
                "seconds": np.array([seconds]),
            }
            rows += summary(measures, series=name, eps=eps)
    return frame(rows)
