"""Designs for a table and for the population, in the plane of the worst lifts."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftlib.datasets import hundred_people
from liftlib.joint import Joint
from liftlib.notions import ALIP, LIP
from liftlib.response.optimal import optimal_response
from lifttables.confident.response import confident_response

NOTION = LIP(0.5)
"""Notion of the releases."""

DESIGNS = ("designed for the table", "designed for the population")
"""Optimal responses, for a table's own shares and for the population."""

SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Numbers of rows of a table."""


@figure
def designs_in_plane(
    rows: Iterable[int] = SIZES, tables: int = 100, confidence: float = 0.95, seed: int = 1
) -> pd.DataFrame:
    """Return the worst lifts, in the population, of releases designed from samples.

    ``rows`` and ``tables`` are the sizes and the number of tables drawn from the hundred people; the tables of one size
    do not depend on which other sizes are given.

    The columns are ``rows``, ``table``, ``design`` (of ``DESIGNS``), ``fall`` (-log of the smallest lift) and ``rise``
    (log of the largest lift), nats.

    Examples
    --------
    >>> found = designs_in_plane([300], 5).groupby("design")[["fall", "rise"]].max().max(axis=1)
    >>> {design: bool(worst <= 0.5) for design, worst in found.items()}
    {'designed for the population': True, 'designed for the table': False}
    """
    people, records = hundred_people(), []
    for size in rows:
        drawn = np.random.default_rng(seed).multinomial(size, people.p.ravel(), tables)
        for number, counts in enumerate(drawn.reshape(-1, *people.p.shape)):
            of_table = optimal_response(Joint.from_counts(counts, people.secret, people.public), NOTION)
            of_population = confident_response(counts, NOTION, confidence=confidence)
            for design, channel in zip(DESIGNS, (of_table, of_population), strict=True):
                worst = ALIP(0, 0).leakage(people, channel)
                records.append((size, number, design, *worst))
    return pd.DataFrame(records, columns=["rows", "table", "design", "fall", "rise"])
