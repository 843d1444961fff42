"""The map as rows: each arrow tried on random and on extremal releases, each gap at its counter-example."""

from __future__ import annotations

import numpy as np
import pandas as pd

from liftbook.figures.relatives.arrows import ARROWS, GAPS, extremal_cases, random_cases
from liftbook.figures.relatives.notions import RELATIVES

NEAR = 1e-5
"""How near, as a share, an arrow's own case must come to its bound."""


def places() -> pd.DataFrame:
    """Return the notions as the picture places them: columns ``key``, ``name``, ``column``, ``row``."""
    return pd.DataFrame(
        [{"key": k, "name": r.name, "column": r.place[0], "row": r.place[1]} for k, r in RELATIVES.items()]
    )


def definitions() -> pd.DataFrame:
    """Return the notions: columns ``notion``, ``bounds``, ``stops``, ``source`` (a key of the references)."""
    return pd.DataFrame(
        [{"notion": r.name, "bounds": r.says, "stops": r.stops, "source": r.source} for r in RELATIVES.values()]
    )


def arrows_tried(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return how each arrow fares on n random releases, on the extremal ones, and on the one that meets it.

    Returns
    -------
    pandas.DataFrame
        Columns ``number``, ``tail``, ``head`` (keys), ``bound``, ``condition``, ``source``, ``tried`` (releases that
        meet the condition and have a finite measure), ``excess`` (the largest of head minus bound) and ``met`` (head
        over bound at the arrow's own case, 1 where the bound is met).
    """
    cases = random_cases(n, rng) + extremal_cases()
    values = [{key: one.measure(case) for key, one in RELATIVES.items()} for case in cases]
    rows = []
    for number, arrow in enumerate(ARROWS, 1):
        over = [
            found[arrow.head] - bound
            for case, found in zip(cases, values, strict=True)
            if arrow.when(case) and np.isfinite(found[arrow.tail])
            for bound in [arrow.bound(found[arrow.tail], case)]
            if np.isfinite(bound)
        ]
        own = arrow.tight()
        met = RELATIVES[arrow.head].measure(own) / arrow.bound(RELATIVES[arrow.tail].measure(own), own)
        rows.append(
            {
                "number": number,
                "tail": arrow.tail,
                "head": arrow.head,
                "bound": arrow.says,
                "condition": arrow.condition,
                "source": arrow.source,
                "tried": len(over),
                "excess": max(over),
                "met": met,
            }
        )
    return pd.DataFrame(rows)


def gaps_tried(parameters: tuple[float, ...] = (0.25, 0.05, 0.01)) -> pd.DataFrame:
    """Return what each counter-example keeps and what it breaks.

    Returns
    -------
    pandas.DataFrame
        Columns ``tail``, ``head`` (keys), ``example``, ``t``, ``kept`` and ``broken`` (the measures of the two).
    """
    rows = []
    for gap in GAPS:
        for t in parameters:
            case = gap.case(t)
            kept, broken = RELATIVES[gap.tail].measure(case), RELATIVES[gap.head].measure(case)
            rows.append(
                {"tail": gap.tail, "head": gap.head, "example": gap.says, "t": t, "kept": kept, "broken": broken}
            )
    return pd.DataFrame(rows)
