"""The cost of confidence for a response, and the union bound's share of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from liftbook.rows.making import figure
from liftbook.rows.tidy import parallel_rows
from liftlib.datasets import dirichlet_joint
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import LIP, Ratios
from liftlib.response.optimal import optimal_response
from lifttables.confident.response import confident_response
from lifttables.population.differences import Misses
from lifttables.population.sample import Sample
from mixproof.numerics import KEEP_TOL, Vector, check_count

NOTION = LIP(1.0)
"""Notion of the responses."""

SHAPES: Mapping[str, tuple[int, int, int]] = {
    "3x12": (3, 12, 0),
    "3x12, another": (3, 12, 1),
    "8x25": (8, 25, 0),
    "8x25, another": (8, 25, 1),
}
"""Secrets, symbols and seed of Dirichlet distributions with concentration 0.3."""


class Separately(Sample):
    """Bounds on differences from separate bounds on P(A|s) and P(A)."""

    def differences(self, ratios: Ratios, member: ArrayLike) -> Misses:
        """Return bounds on differences from those on both probabilities."""
        bounds = self.subsets(member)
        return lambda budget: np.exp(-budget)[:, None] * bounds.upper[ratios.top] - bounds.lower[ratios.bottom]


class OneSubset(Sample):
    """Bounds for any one subset, without a union bound: no guarantee for a design."""

    def price(self, size: ArrayLike) -> Vector:
        """Return 0, as for a single subset."""
        return np.zeros(np.shape(size))


VARIANTS: Mapping[str, type[Sample]] = {
    "bounds on differences": Sample,
    "bounds on both probabilities": Separately,
    "no union over subsets": OneSubset,
}
"""Bounds of the designs. The last one has no guarantee and shows the cost of the union bound."""


@cache
def law_and_optimum(name: str) -> tuple[Joint, float]:
    """Return a distribution, and the optimum's NMI if it is known."""
    law = dirichlet_joint(*SHAPES[name][:2], 0.3, SHAPES[name][2])
    return law, evaluate(law, optimal_response(law, NOTION)).nmi


Drawn = tuple[str, int, int]
"""A table: its distribution, number of rows and seed."""


def losses(table: Drawn, confidence: float = 0.95) -> list[dict[str, Any]]:
    """Return one row per variant on a table: see :func:`population_losses`."""
    name, rows, seed = table
    law, best = law_and_optimum(name)
    rng = np.random.default_rng([check_count("rows", rows), seed])
    counts = rng.multinomial(rows, law.p.ravel()).reshape(law.p.shape)
    records = []
    for variant, bounds in VARIANTS.items():
        channel = confident_response(counts, NOTION, confidence=confidence, bounds=bounds)
        over, retained = NOTION.violation(law, channel), abs(evaluate(law, channel).nmi) / best
        records.append({"law": name, "rows": rows, "seed": seed, "bounds": variant, "over": over, "retained": retained})
    return records


@figure
def population_losses(laws: Iterable[str], rows: Iterable[int], seeds: Iterable[int]) -> pd.DataFrame:
    """Return the share of the optimum that responses retain, for several bounds.

    The columns are ``law``, ``rows``, ``seed``, ``bounds``, ``over`` (the violation under the law, nats; negative if
    satisfied), ``retained`` (NMI relative to the law's optimum) and ``kept``.
    """
    tasks = [(law, size, seed) for seed, law, size in itertools.product(seeds, laws, rows)]
    frame = parallel_rows(losses, tasks)
    return frame.assign(kept=frame["over"] <= KEEP_TOL)
