"""Whether new rows come from the distribution that a channel was designed for, and keep its notion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from liftlib.channel import Channel
from liftlib.joint import Joint
from liftlib.notions import Notion
from liftlib.numerics import KEEP_TOL, Matrix
from liftlib.tables.columns import Symbols
from liftlib.tables.designing import Design
from liftlib.tables.source import Table

RESHUFFLES = 999
"""Random divisions of old and new rows that the real one is held against; the least p-value is 1 in this and one."""

CALLED = 0.001
"""A p-value up to which old and new rows are said to differ."""


@dataclass(frozen=True)
class Drift:
    """How new rows compare with those of the design.

    Attributes
    ----------
    rows : int
    p_value : float
        How often a random division of all rows into old and new differs as much as the real one.
    distance : float
        Total variation distance of the two tables' shares.
    excess : float or None
        Nats by which the release of the new rows exceeds the notion; None where the new rows hold no secret, or the
        notion is not known.
    of : str
        What was compared.
    """

    rows: int
    p_value: float
    distance: float
    excess: float | None
    of: str

    @property
    def differs(self) -> bool:
        """Whether the rows differ by more than chance."""
        return self.p_value <= CALLED

    @property
    def harmful(self) -> bool:
        """Whether they differ, and the notion is broken for them or nobody can tell."""
        return self.differs and (self.excess is None or not self.excess <= KEEP_TOL)

    def __str__(self) -> str:
        if not self.differs:
            return f"no drift: {self.of} of {self.rows:,} new rows is as in the design's (p = {self.p_value:.3g})"
        kept = (
            "whether the notion is kept cannot be told without the secret"
            if self.excess is None
            else f"the notion is exceeded by {self.excess:.4g} nats for them"
            if not self.excess <= KEEP_TOL
            else "the notion is kept for them all the same"
        )
        return (
            f"drift: {self.of} of {self.rows:,} new rows is not as in the design's (total variation distance "
            f"{self.distance:.3f}, p = {self.p_value:.3g}); {kept}"
        )


def drift_of(table: Table, made: Design, rng: np.random.Generator) -> Drift:
    """Return how a table's rows compare with those of a design.

    Parameters
    ----------
    table : Table
        New rows; where they hold the secret columns, both are compared together, otherwise the public ones alone.
    made : Design
    rng : numpy.random.Generator
        Of the random divisions.

    Notes
    -----
    The p-value is that of the permutation test of homogeneity by Pearson's statistic: exact for tables of any size.
    """
    with_secret = all(name in table.columns for name in made.secret.names)
    new = _counts(table, made, with_secret=with_secret)
    old = np.zeros_like(new)
    if with_secret:
        old[:-1, :-1] = made.table
    else:
        old[0, :-1] = made.table.sum(axis=0)
    seen = (old + new > 0).ravel()
    old, new = old.ravel()[seen], new.ravel()[seen]
    # few new rows against few old ones, whichever are fewer: the test is the same
    pooled, n = (old + new).astype(np.int64), min(int(new.sum()), int(old.sum()))
    expected = pooled * n / pooled.sum()
    fewer = new if n == int(new.sum()) else old
    real = float(((fewer - expected) ** 2 / pooled).sum())
    as_far = 0
    for _ in range(RESHUFFLES):
        drawn = rng.multivariate_hypergeometric(pooled, n, method="marginals")
        as_far += float(((drawn - expected) ** 2 / pooled).sum()) >= real * (1 - 1e-12)
    excess = None
    if with_secret and made.promise is not None:
        excess = _excess(_counts(table, made, with_secret=True)[:-1, :-1], made, made.promise)
    return Drift(
        rows=int(new.sum()),
        p_value=(1 + as_far) / (1 + RESHUFFLES),
        distance=float(np.abs(new / new.sum() - old / old.sum()).sum() / 2),
        excess=excess,
        of="the joint distribution" if with_secret else f"the distribution of {', '.join(made.public.names)}",
    )


def _counts(table: Table, made: Design, *, with_secret: bool) -> Matrix:
    """Return how often each secret and symbol occur; what the design has not seen comes last."""
    secret, public = made.secret, made.public
    columns = [*(secret.columns if with_secret else ()), *public.columns]
    found = table.counts(columns)
    x = _last(public, found.select(public.names))
    s = _last(secret, found.select(secret.names)) if with_secret else np.zeros(len(x), dtype=np.int64)
    counted = np.zeros((len(secret.labels) + 1 if with_secret else 1, len(public.labels) + 1))
    np.add.at(counted, (s, x), found["rows"].to_numpy())
    return counted


def _last(symbols: Symbols, labels: pl.DataFrame) -> np.ndarray:
    codes = symbols.index(labels)
    return np.where(codes < 0, len(symbols.labels), codes)


def _excess(counted: Matrix, made: Design, notion: Notion) -> float | None:
    secrets, symbols = counted.sum(axis=1) > 0, counted.sum(axis=0) > 0
    if notion.attributes is not None or not counted.sum():
        return None
    kernel = made.channel.kernel
    kernel = kernel[secrets][:, symbols] if made.channel.sees_secret else kernel[symbols]
    return notion.excess(Joint.from_counts(counted[secrets][:, symbols]), Channel(kernel))
