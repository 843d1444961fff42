"""Whether an audit's intervals cover the true values, over many tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftbook.rows.tidy import parallel_rows
from liftlib.datasets import adult, dirichlet_joint, uniform_joint
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from lifttables.audits.auditing import audited
from lifttables.audits.measuring import MEASURES, overall
from lifttables.encoding.columns import Counts, Symbols
from mixproof.numerics import check_count

AUDITED: Mapping[str, Callable[[], Joint]] = {
    "2x2": lambda: Joint([[0.3, 0.2], [0.1, 0.4]]),
    "4x10": lambda: uniform_joint(4, 10, 1),
    "3x8, independent": lambda: Joint(np.outer([0.5, 0.3, 0.2], np.full(8, 1 / 8))),
    "5x8, thin cells": lambda: dirichlet_joint(5, 8, 0.3, 3),
    "Adult, 6x15": lambda: adult("relationship", "occupation"),
}
"""Distributions of the audited tables."""

RESAMPLES = 200
"""Bootstrap tables of each audit, the default of an audit."""

ROUNDING_TOL = 1e-12
"""Rounding error that an interval of length 0 allows."""

Audited = tuple[str, int, int]
"""A table: its distribution, number of rows and seed."""


def audited_table(table: Audited, level: float = 0.95) -> list[dict[str, Any]]:
    """Return one row per measure of a table's audit."""
    law, rows, seed = table
    if law not in AUDITED:
        raise InvalidParameter(f"law is {law!r}: give one of {', '.join(AUDITED)}")
    truth = AUDITED[law]()
    rng = np.random.default_rng(
        [list(AUDITED).index(law), check_count("rows", rows), seed]
    )
    counts = (
        rng.multinomial(rows, truth.p.ravel()).reshape(truth.p.shape).astype(np.float64)
    )
    # an audit knows the symbols that it sees
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    secret, public = (
        Symbols.numbered(name, n) for name, n in zip("sx", counts.shape, strict=True)
    )
    audit = audited(
        Counts(counts, secret, public), resamples=RESAMPLES, level=level, rng=rng
    )
    real = overall(truth)
    return [
        {
            "law": law,
            "rows": rows,
            "seed": seed,
            "measure": name,
            "covered": bool(
                low <= real[name] + ROUNDING_TOL and real[name] <= up + ROUNDING_TOL
            ),
            "width": up - low if np.isfinite(low) else np.inf,
        }
        for name, (low, up) in ((name, audit.intervals[name]) for name in MEASURES)
    ]


@figure
def interval_coverage(
    laws: Iterable[str], rows: Iterable[int], seeds: Iterable[int], level: float = 0.95
) -> pd.DataFrame:
    """Return whether the intervals of audits contain the true values.

    The columns are ``law``, ``rows``, ``seed``, ``measure``, ``covered``, and the
    interval's ``width`` (nats, except for the total variation distance and chi-square).
    """
    sizes = list(rows)
    tables = [(law, size, seed) for seed in seeds for law in laws for size in sizes]
    return parallel_rows(partial(audited_table, level=level), tables)
