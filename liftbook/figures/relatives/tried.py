"""The map as tables: each arrow tested on random and extremal releases."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd

from liftbook.figures.relatives.arrows import ARROWS, GAPS, Arrow, extremal_cases, random_cases
from liftbook.figures.relatives.notions import RELATIVES, Case
from liftlib.channel import Channel
from liftlib.joint import Joint


def places() -> pd.DataFrame:
    """Return the picture's boxes: columns ``key``, ``name``, ``column``, ``row``."""
    return pd.DataFrame(
        [{"key": k, "name": r.name, "column": r.place[0], "row": r.place[1]} for k, r in RELATIVES.items()]
    )


def definitions() -> pd.DataFrame:
    """Return the notions: ``notion``, ``bounds``, ``stops``, ``source``."""
    return pd.DataFrame(
        [{"notion": r.name, "bounds": r.says, "stops": r.stops, "source": r.source} for r in RELATIVES.values()]
    )


def arrows_tried(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return the test of each arrow on random, extremal and attaining releases.

    The columns are ``number``, ``tail``, ``head`` (keys), ``bound``, ``condition``, ``source``, ``tried`` (releases
    that satisfy the condition and have a finite measure), ``excess`` (the largest difference of head and bound) and
    ``met`` (their ratio at the arrow's own case, 1 if the bound is attained).
    """
    cases = random_cases(n, rng) + extremal_cases()
    values = [{key: relative.measure(case) for key, relative in RELATIVES.items()} for case in cases]
    rows = []
    for number, arrow in enumerate(ARROWS, 1):
        over = [
            measured[arrow.head] - bound
            for case, measured in zip(cases, values, strict=True)
            if arrow.when(case) and np.isfinite(measured[arrow.tail])
            for bound in [arrow.bound(measured[arrow.tail], case)]
            if np.isfinite(bound)
        ]
        tight_case = arrow.tight()
        met = RELATIVES[arrow.head].measure(tight_case) / arrow.bound(
            RELATIVES[arrow.tail].measure(tight_case), tight_case
        )
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


def decided() -> pd.DataFrame:
    """Return how the implication between each ordered pair of notions is decided.

    The first implies the second if a path of unconditional arrows connects them, with constants that may depend on the
    rarest secret's probability and on the number of records. It does not if some notion that implies the first fails to
    imply one that the second implies.

    The columns are ``tail``, ``head`` (keys) and ``by``: ``"arrows"``, the keys of a gap, as ``"I, PMC"``, or nothing.
    """
    reach = {key: {key} for key in RELATIVES}
    sure = [(arrow.tail, arrow.head) for arrow in ARROWS if not arrow.condition and np.isfinite(_far(arrow))]
    for _ in RELATIVES:
        for tail, head in sure:
            for implied in reach.values():
                if tail in implied:
                    implied.add(head)
    rows = []
    for tail, head in permutations(RELATIVES, 2):
        by = "arrows" if head in reach[tail] else ""
        for gap in GAPS:
            if not by and tail in reach[gap.tail] and gap.head in reach[head]:
                by = f"{gap.tail}, {gap.head}"
        rows.append({"tail": tail, "head": head, "by": by})
    return pd.DataFrame(rows)


def _far(arrow: Arrow) -> float:
    """Return an arrow's bound at a large budget, possibly infinite."""
    return arrow.bound(5.0, Case(Joint(np.eye(4) / 4), Channel.identity(4), (2, 2)))


def gaps_tried(parameters: tuple[float, ...] = (0.25, 0.05, 0.01)) -> pd.DataFrame:
    """Return the measures that each counterexample satisfies and violates.

    The columns are ``tail``, ``head`` (keys), ``example``, ``t``, ``kept`` and ``broken`` (the measures of the two).
    """
    rows = []
    for gap in GAPS:
        for t in parameters:
            case = gap.case(t)
            satisfied, broken = RELATIVES[gap.tail].measure(case), RELATIVES[gap.head].measure(case)
            rows.append(
                {"tail": gap.tail, "head": gap.head, "example": gap.says, "t": t, "kept": satisfied, "broken": broken}
            )
    return pd.DataFrame(rows)
