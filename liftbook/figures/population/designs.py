"""Designs for the population, evaluated under the distribution of the rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftbook.rows.tidy import parallel_rows
from liftlib.channel import Channel
from liftlib.datasets import adult, dirichlet_joint, uniform_joint
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.merging.subset_merging import subset_merging
from liftlib.noise.randomised_response import randomised_response
from liftlib.notions import ALIP, LDP, LIP
from liftlib.response.optimal import optimal_response
from lifttables.confident.merging import confident_merging
from lifttables.confident.response import confident_response
from lifttables.population.binomial import clopper_pearson
from mixproof.numerics import KEEP_TOL, Matrix, check_count

Bounds = ALIP | LDP | LIP

NOTIONS: tuple[Bounds, ...] = (LIP(1.0), LIP(0.5), LIP(2.0), ALIP(1.3, 0.7), LDP(1.0))
"""Notions of the designs."""

LAWS: Mapping[str, Callable[[], Joint]] = {
    "Adult, 6x15": lambda: adult("relationship", "occupation"),
    "2x10": lambda: uniform_joint(2, 10, 1),
    "4x6": lambda: dirichlet_joint(4, 6, 1.0, 2),
    "5x8, thin cells": lambda: dirichlet_joint(5, 8, 0.3, 3),
}
"""Distributions of the tables: Adult's relationship and occupation, and three random
ones of other shapes.
"""


def plug_in(
    counts: Matrix, notion: Bounds, mechanism: Callable[[Joint, Bounds], Channel]
) -> Channel:
    """Return a mechanism's channel for the empirical distribution of a table.

    Examples
    --------
    >>> plug_in(
    ...     np.array([[3.0, 0.0, 1.0], [1.0, 0.0, 3.0]]), LIP(1.0), optimal_response
    ... ).kernel[1].tolist()
    [0.5, 0.5]
    """
    seen = counts.sum(axis=0) > 0
    joint = Joint.from_counts(counts, drop_empty=True)
    kernel = mechanism(joint, notion).kernel
    extended = np.tile(joint.p_x @ kernel, (len(seen), 1))
    extended[seen] = kernel
    return Channel(extended)


def whatever_the_law(counts: Matrix, notion: Bounds) -> Channel:
    """Return randomised response on X, which is private under every distribution.

    P(y|x) <= e^eps P(y|x') for all x and x' bounds P(y|s) / P(y) and P(y|s) / P(y|s')
    too, since both are means of P(y|x) (S20 eq. (28)).
    """
    n = counts.shape[1]
    return randomised_response.at(
        Joint(np.full((1, n), 1 / n)), min(asdict(notion).values())
    )


def halved(notion: Bounds) -> Bounds:
    """Return the notion with half of each budget.

    Examples
    --------
    >>> halved(ALIP(1.0, 0.5))
    ALIP(eps_l=0.5, eps_u=0.25)
    """
    return replace(
        notion, **{name: value / 2 for name, value in asdict(notion).items()}
    )


DESIGNS: Mapping[str, Callable[[Matrix, Bounds, float], Channel]] = {
    "confident response": lambda counts, notion, sure: confident_response(
        counts, notion, confidence=sure
    ),
    "confident merging": lambda counts, notion, sure: confident_merging(
        counts, notion, confidence=sure
    ),
    "plug-in response": lambda counts, notion, _: plug_in(
        counts, notion, optimal_response
    ),
    "plug-in merging": lambda counts, notion, _: plug_in(
        counts, notion, subset_merging
    ),
    "half budget, response": lambda counts, notion, _: plug_in(
        counts, halved(notion), optimal_response
    ),
    "half budget, merging": lambda counts, notion, _: plug_in(
        counts, halved(notion), subset_merging
    ),
    "LDP on X": lambda counts, notion, _: whatever_the_law(counts, notion),
}
"""Designs from a table: for the population, for the table's own shares, and independent
of the table.
"""


def drawn_table(law: str, rows: int, seed: int) -> Matrix:
    """Return a table of independent rows from one of ``LAWS``, shape (S, X)."""
    if law not in LAWS:
        raise InvalidParameter(f"law is {law!r}: give one of {', '.join(LAWS)}")
    p = LAWS[law]().p
    rng = np.random.default_rng(
        [list(LAWS).index(law), check_count("rows", rows), seed]
    )
    return rng.multinomial(rows, p.ravel()).reshape(p.shape).astype(np.float64)


Table = tuple[Bounds, str, int, int]
"""A notion, and a table: its distribution, number of rows and seed."""


def judged(table: Table, confidence: float = 0.95) -> list[dict[str, Any]]:
    """Return one row per design from a table, evaluated under the true distribution."""
    notion, law, rows, seed = table
    truth, counts = LAWS[law](), drawn_table(law, rows, seed)
    records: list[dict[str, Any]] = []
    for name, design in DESIGNS.items():
        channel = design(counts, notion, confidence)
        over = notion.violation(truth, channel)
        records.append(
            {
                "notion": repr(notion),
                "law": law,
                "rows": rows,
                "seed": seed,
                "design": name,
                "kept": bool(over <= KEEP_TOL),
                "over": over,
                "nmi": abs(evaluate(truth, channel).nmi),
            }
        )
    return records


@figure
def population_designs(
    laws: Iterable[str],
    rows: Iterable[int],
    seeds: Iterable[int],
    notions: Iterable[Bounds] = NOTIONS[:1],
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return whether designs satisfy notions under the rows' distribution.

    ``notions`` are LIP, ALIP or LDP with finite budgets.

    The columns are ``notion``, ``law``, ``rows``, ``seed``, ``design``, ``kept``
    (whether the notion is satisfied), ``over`` (the violation under the law, nats;
    negative if satisfied) and ``nmi`` (under the law).
    """
    every = itertools.product(seeds, notions, laws, rows)
    tables = [(notion, law, size, seed) for seed, notion, law, size in every]
    return parallel_rows(partial(judged, confidence=confidence), tables)


def kept_shares(judged_rows: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Return how often each design satisfied its notion, with confidence intervals.

    ``judged_rows`` are rows of :func:`population_designs`; ``level``, in (0, 1), is the
    confidence level.

    The columns are ``notion``, ``law``, ``design``, ``rows``, ``tables`` (number of
    tables), ``kept`` (number of tables whose design satisfied the notion), ``low`` and
    ``high`` (the two-sided Clopper-Pearson interval of the share), ``nmi`` (mean) and
    ``error`` (standard error of that mean; NaN for a single table).

    Examples
    --------
    >>> found = kept_shares(population_designs(["2x10"], [300], range(4))).set_index(
    ...     "design"
    ... )
    >>> (
    ...     found.loc["confident merging", ["tables", "kept"]].tolist(),
    ...     float(found["low"]["confident merging"].round(3)),
    ... )
    ([4, 4], 0.398)
    """
    shares = judged_rows.groupby(["notion", "law", "design", "rows"], sort=False).agg(
        tables=("kept", "size"),
        kept=("kept", "sum"),
        nmi=("nmi", "mean"),
        error=("nmi", "sem"),
    )
    low, high = clopper_pearson(
        shares["kept"], shares["tables"], np.log((1 - level) / 2)
    )
    return shares.assign(low=low, high=high).reset_index()
