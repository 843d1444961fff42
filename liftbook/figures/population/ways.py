"""Mechanisms designed for the population, evaluated under the distribution."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from liftbook.figures.population.designs import LAWS, drawn_table
from liftbook.rows.making import figure
from liftbook.rows.tidy import parallel_rows
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LIP
from liftlib.registry import mechanisms
from lifttables.confident.certification import for_population
from mixproof.numerics import KEEP_TOL

NOTION = LIP(1.0)
"""Notion of the mechanisms."""

WAYS = (
    "staircase",
    "tailored",
    "randomised-response",
    "unary-encoding",
    "conditional-reporting",
    "linear-reduction",
    "markov-reduction",
    "secret-aware-reduction",
    "extreme-reduction",
)
"""Mechanisms that serve it and have no design of their own for the population, in the order of ``data/ways.csv``.

They are named, so that the stored run stays whole when a mechanism is added; one that is to be compared joins both.
"""

Drawn = tuple[str, int, int]
"""A table: its distribution, number of rows and seed."""


def judged_ways(table: Drawn, confidence: float = 0.95) -> list[dict[str, Any]]:
    """Return one row per entry of ``WAYS`` on a table: see :func:`population_ways`."""
    law, rows, seed = table
    counts = drawn_table(law, rows, seed)
    there, population = np.ix_(counts.any(axis=1), counts.any(axis=0)), LAWS[law]()
    truth, counts = Joint.from_counts(population.p[there]), counts[there]
    records: list[dict[str, Any]] = []
    for name in WAYS:
        over, nmi, mechanism = np.nan, np.nan, mechanisms[name]
        if mechanism.most_symbols is None or population.n_public <= mechanism.most_symbols:
            channel, *_ = for_population(mechanism, counts, NOTION, confidence)
            over, nmi = NOTION.violation(truth, channel), abs(evaluate(truth, channel).nmi)
        records.append({"law": law, "rows": rows, "seed": seed, "design": name, "over": over, "nmi": nmi})
    return records


def told(found: pd.DataFrame) -> pd.DataFrame:
    """Drop rows without a design; add the notion and whether it is satisfied."""
    there = found.dropna(subset="over")
    return there.assign(notion=repr(NOTION), kept=there["over"] <= KEEP_TOL)


@figure
def population_ways(
    laws: Iterable[str], rows: Iterable[int], seeds: Iterable[int], confidence: float = 0.95
) -> pd.DataFrame:
    """Return whether population designs satisfy LIP 1 under the rows' distribution.

    A table contains only the secrets and symbols that were drawn, so a design is evaluated under the law conditional on
    them. Mechanisms that do not support that many symbols are skipped.

    The columns are ``law``, ``rows``, ``seed``, ``design``, ``over`` (the violation under the law, nats; negative if
    satisfied), ``nmi`` (of X under the law), ``notion`` and ``kept``.

    Examples
    --------
    >>> found = population_ways(["2x10"], [300], range(2))
    >>> sorted(set(found["design"])) == sorted(WAYS), bool(found["kept"].all())
    (True, True)
    """
    tables = [(law, size, seed) for seed, law, size in itertools.product(seeds, laws, rows)]
    return told(parallel_rows(partial(judged_ways, confidence=confidence), tables))
