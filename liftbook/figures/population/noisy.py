"""Designs from noisy counts, evaluated under the distribution of the rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftlib.datasets import hundred_people
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LIP
from lifttables.confident.response import confident_response
from lifttables.population.noise import geometric_noise
from lifttables.population.noisy import NoisySample
from lifttables.population.sample import Sample

NOTION = LIP(0.5)
"""Notion of the designs."""

LEVELS = (0.0, 1.0, 0.5)
"""Levels c of the noise; 0 stands for exact counts."""


@figure
def noisy_designs(
    rows: Iterable[int] = (300, 1_000, 3_000, 10_000), tables: int = 4, confidence: float = 0.95, seed: int = 1
) -> pd.DataFrame:
    """Return what responses retain that are designed from exact and from noisy counts.

    ``rows`` and ``tables`` are the sizes and the number of tables drawn from the hundred people.

    The columns are ``rows``, ``series``, ``measure`` ("nmi"), ``mean``, ``low``, ``high`` and ``n``, over the tables,
    and ``kept``, the number of designs that satisfy the notion in the population.

    Examples
    --------
    >>> found = noisy_designs([1000], 1)
    >>> found["series"].tolist(), found["kept"].tolist()
    (['exact counts', 'noise, c = 1', 'noise, c = 0.5'], [1, 1, 1])
    """
    people, records = hundred_people(), []
    for size in rows:
        rng = np.random.default_rng([seed, size])
        drawn = rng.multinomial(size, people.p.ravel(), tables).reshape(-1, *people.p.shape)
        for c in LEVELS:
            values, kept = [], 0
            for counts in drawn:
                noisy = NoisySample(counts + geometric_noise(counts.shape, c, rng), size, c, confidence) if c else None
                channel = confident_response(Sample(counts, confidence) if noisy is None else noisy, NOTION)
                values.append(evaluate(people, channel).nmi)
                kept += NOTION.is_satisfied(people, channel)
            name = f"noise, c = {c:g}" if c else "exact counts"
            ends = min(values), max(values)
            records.append((size, name, "nmi", float(np.mean(values)), *ends, len(values), kept))
    return pd.DataFrame(records, columns=["rows", "series", "measure", "mean", "low", "high", "n", "kept"])
