"""Designs from tables of independent rows, judged by the distribution that the rows were drawn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd

from liftbook.rows.jobs import parallel_map
from liftbook.rows.making import figure
from liftlib.channel import Channel
from liftlib.datasets import adult, dirichlet_joint, uniform_joint
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.confident.merging import confident_merging
from liftlib.mechanisms.confident.response import confident_response
from liftlib.mechanisms.merging.subset import subset_merging
from liftlib.mechanisms.noise.randomised import randomised_response
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import LIP, Notion
from liftlib.numerics import Matrix, check_count
from liftlib.resources import resource

LAWS: Mapping[str, Callable[[], Joint]] = {
    "Adult, 6x15": lambda: adult("relationship", "occupation"),
    "2x10": lambda: uniform_joint(2, 10, 1),
    "4x6": lambda: dirichlet_joint(4, 6, 1.0, 2),
    "5x8, thin cells": lambda: dirichlet_joint(5, 8, 0.3, 3),
}
"""What tables are drawn from: Adult's relationship and occupation, and three random distributions of other shapes."""


def plug_in(counts: Matrix, notion: Notion, mechanism: Callable[[Joint, Notion], Channel]) -> Channel:
    """Return what a mechanism makes of a table's own shares; a symbol that was not seen gets a draw from P(y).

    Examples
    --------
    >>> plug_in(np.array([[3.0, 0.0, 1.0], [1.0, 0.0, 3.0]]), LIP(1.0), optimal_response).kernel[1].tolist()
    [0.5, 0.5]
    """
    seen = counts.sum(axis=0) > 0
    joint = Joint.from_counts(counts, drop_empty=True)
    kernel = mechanism(joint, notion).kernel
    whole = np.tile(joint.p_x @ kernel, (len(seen), 1))
    whole[seen] = kernel
    return Channel(whole)


def whatever_the_law(counts: Matrix, eps: float) -> Channel:
    """Return randomised response on X itself at eps, which keeps LIP(eps) under every distribution (S20 eq. (28))."""
    return randomised_response(Joint(np.full((1, counts.shape[1]), 1 / counts.shape[1])), eps)


DESIGNS: Mapping[str, Callable[[Matrix, float, float], Channel]] = {
    "confident response": lambda counts, eps, sure: confident_response(counts, LIP(eps), confidence=sure),
    "confident merging": lambda counts, eps, sure: confident_merging(counts, LIP(eps), confidence=sure),
    "plug-in response": lambda counts, eps, _: plug_in(counts, LIP(eps), optimal_response),
    "plug-in merging": lambda counts, eps, _: plug_in(counts, LIP(eps), subset_merging),
    "half budget, response": lambda counts, eps, _: plug_in(counts, LIP(eps / 2), optimal_response),
    "half budget, merging": lambda counts, eps, _: plug_in(counts, LIP(eps / 2), subset_merging),
    "LDP on X": lambda counts, eps, _: whatever_the_law(counts, eps),
}
"""Ways to a channel for LIP(eps) from a table: for the population, for the table's own shares, and without any."""


def drawn_table(law: str, rows: int, seed: int) -> Matrix:
    """Return a table of independent rows from one of ``LAWS``, shape (S, X)."""
    if law not in LAWS:
        raise InvalidParameter(f"law is {law!r}: give one of {', '.join(LAWS)}")
    p = LAWS[law]().p
    rng = np.random.default_rng([list(LAWS).index(law), check_count("rows", rows), seed])
    return rng.multinomial(rows, p.ravel()).reshape(p.shape).astype(np.float64)


def _judged(task: tuple[str, int, int, float, float]) -> list[dict[str, object]]:
    law, rows, seed, eps, confidence = task
    truth, counts = LAWS[law](), drawn_table(law, rows, seed)
    found: list[dict[str, object]] = []
    for name, design in DESIGNS.items():
        channel = design(counts, eps, confidence)
        over = LIP(eps).excess(truth, channel)
        kept, nmi = LIP(eps).is_kept(truth, channel), evaluate(truth, channel).nmi
        found.append(
            {"law": law, "rows": rows, "seed": seed, "design": name, "kept": kept, "over": over, "nmi": abs(nmi)}
        )
    return found


@figure
def population_designs(
    laws: Iterable[str],
    rows: Iterable[int],
    seeds: Iterable[int],
    eps: float = 1.0,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return whether designs from tables keep LIP under the distribution that the rows were drawn from.

    Parameters
    ----------
    laws : iterable of str
        Of ``LAWS``.
    rows : iterable of int
        How many independent rows a table has.
    seeds : iterable of int
        A table each, of each law and number of rows.
    eps : float
        The budget of LIP, nats.
    confidence : float
        Of the designs for the population, in (0, 1).

    Returns
    -------
    pandas.DataFrame
        Columns ``law``, ``rows``, ``seed``, ``design``, ``kept``, ``over`` (nats by which the budget is exceeded under
        the law; negative where it is kept) and ``nmi`` (of X under the law).
    """
    sizes, numbers = list(rows), list(seeds)
    tasks = [(law, size, seed, eps, confidence) for seed in numbers for law in laws for size in sizes]
    return pd.DataFrame([row for found in parallel_map(_judged, tasks) for row in found])


def stored_designs() -> pd.DataFrame:
    """Return the rows of the long run of :func:`population_designs`, at LIP 1 and confidence 0.95."""
    with resource("data/population.csv").open(encoding="utf-8", newline="") as file:
        return pd.read_csv(file).astype({"kept": bool})
