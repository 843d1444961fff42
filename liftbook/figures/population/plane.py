"""Designs for tables drawn from the hundred people: in the plane of the worst lifts,
and from noisy counts.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftlib.datasets import hundred_people
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP, LIP
from liftlib.response.optimal import optimal_response
from lifttables.confident.response import confident_response
from lifttables.population.noise import geometric_noise
from lifttables.population.noisy import NoisySample
from lifttables.population.sample import Sample

NOTION = LIP(0.5)
"""Notion of the releases."""

DESIGNS = ("designed for the table", "designed for the population")
"""Optimal responses, for a table's own shares and for the population."""

SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Numbers of rows of a table."""


@figure
def designs_in_plane(
    rows: Iterable[int] = SIZES,
    tables: int = 100,
    confidence: float = 0.95,
    seed: int = 1,
) -> pd.DataFrame:
    """Return the worst lifts, in the population, of releases designed from samples.

    ``rows`` and ``tables`` are the sizes and the number of tables drawn from the
    hundred people; the tables of one size do not depend on which other sizes are given.

    The columns are ``rows``, ``table``, ``design`` (of ``DESIGNS``), ``fall`` (-log of
    the smallest lift) and ``rise`` (log of the largest lift), nats.

    Examples
    --------
    >>> found = (
    ...     designs_in_plane([300], 5)
    ...     .groupby("design")[["fall", "rise"]]
    ...     .max()
    ...     .max(axis=1)
    ... )
    >>> {design: bool(worst <= 0.5) for design, worst in found.items()}
    {'designed for the population': True, 'designed for the table': False}
    """
    people, records = hundred_people(), []
    for size in rows:
        drawn = np.random.default_rng(seed).multinomial(size, people.p.ravel(), tables)
        for number, counts in enumerate(drawn.reshape(-1, *people.p.shape)):
            of_table = optimal_response(
                Joint.from_counts(counts, people.secret, people.public), NOTION
            )
            of_population = confident_response(counts, NOTION, confidence=confidence)
            for design, channel in zip(DESIGNS, (of_table, of_population), strict=True):
                worst = ALIP(0, 0).leakage(people, channel)
                records.append((size, number, design, *worst))
    return pd.DataFrame(records, columns=["rows", "table", "design", "fall", "rise"])


LEVELS = (0.0, 1.0, 0.5)
"""Levels c of the noise; 0 stands for exact counts."""


@figure
def noisy_designs(
    rows: Iterable[int] = (300, 1_000, 3_000, 10_000),
    tables: int = 4,
    confidence: float = 0.95,
    seed: int = 1,
) -> pd.DataFrame:
    """Return what responses retain that are designed from exact and from noisy counts.

    ``rows`` and ``tables`` are the sizes and the number of tables drawn from the
    hundred people.

    The columns are ``rows``, ``series``, ``measure`` ("nmi"), ``mean``, ``low``,
    ``high`` and ``n``, over the tables, and ``kept``, the number of designs that
    satisfy the notion in the population.

    Examples
    --------
    >>> found = noisy_designs([1000], 1)
    >>> found["series"].tolist(), found["kept"].tolist()
    (['exact counts', 'noise, c = 1', 'noise, c = 0.5'], [1, 1, 1])
    """
    people, records = hundred_people(), []
    for size in rows:
        rng = np.random.default_rng([seed, size])
        drawn = rng.multinomial(size, people.p.ravel(), tables).reshape(
            -1, *people.p.shape
        )
        for c in LEVELS:
            values, kept = [], 0
            for counts in drawn:
                noisy = (
                    NoisySample(
                        counts + geometric_noise(counts.shape, c, rng),
                        size,
                        c,
                        confidence,
                    )
                    if c
                    else None
                )
                channel = confident_response(
                    Sample(counts, confidence) if noisy is None else noisy, NOTION
                )
                values.append(evaluate(people, channel).nmi)
                kept += NOTION.is_satisfied(people, channel)
            name = f"noise, c = {c:g}" if c else "exact counts"
            ends = min(values), max(values)
            records.append(
                (size, name, "nmi", float(np.mean(values)), *ends, len(values), kept)
            )
    return pd.DataFrame(
        records,
        columns=["rows", "series", "measure", "mean", "low", "high", "n", "kept"],
    )
