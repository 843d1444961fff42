"""Releases of noisy counts in place of rows, for recipients who only want shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from liftlib.channel import Channel
from liftlib.errors import DataError
from liftlib.notions import LDP
from lifttables.designs.designing import COUNTS, Design, Kept, assembled
from lifttables.encoding.columns import RARE, Counts
from lifttables.encoding.naming import of_unlisted_values
from mixproof.numerics import Vector

COLUMNS = ("count", "share", "error")  # of the published table, next to the public columns


def counts_design(counts: Counts) -> Design:
    """Return the design of a release of noisy counts: as if every row got the same output.

    Its promise is LDP by the noise alone, whatever is known of the other rows. It holds for each person whose row does
    not decide which values are named. If not all values of the secret are listed, they also must share their value with
    another one, because the level and the errors show how many values occur. It is not perfect privacy: the shares of a
    small table tell more of its people than those of the population do.
    """
    assert counts.noisy is not None
    for name in counts.public.names:
        if name in COLUMNS:
            raise DataError(f"the column {name!r} has the name of a column of the published counts: rename it")
    n, notion = len(counts.public.labels), LDP(counts.noisy.insider)
    channel = Channel.merge((tuple(range(n)),), n, counts.joint.public)
    unlisted = of_unlisted_values(counts.secret)
    whom = "each person in the table whose row does not decide which values are named"
    whom += ", and who is not the only one with their value of the secret" * bool(unlisted)
    kept = Kept(whom, str(notion), None, "by the noise of this release alone, whatever is known of the other rows")
    return assembled(COUNTS, notion, [kept], counts, channel, 1)


def counts_frame(design: Design, level: float = 0.95) -> Any:
    """Return noisy counts, shares and the half-widths of their intervals at a level, as a Polars frame.

    Shares and half-widths have as many decimals as the smallest half-width needs for two digits; the latter are rounded
    up.
    """
    import polars as pl  # noqa: PLC0415 - slow to import

    names, width = design.public.names, len(design.public.columns)
    labels = [label if label != (RARE,) else (RARE,) * width for label in design.public.labels]
    rows, errors = design.rows, errors_of(design, level)
    noisy, digits = _noisy(design), max(2, math.ceil(1 - math.log10(float(errors.min()))))
    columns: dict[str, Any] = dict(zip(names, map(list, zip(*labels, strict=True)), strict=True))
    count, share, error = COLUMNS
    rounded = {share: np.round(noisy / rows, digits), error: np.round(errors + 0.5 * 10.0**-digits, digits)}
    return pl.DataFrame(columns | {count: noisy.astype(np.int64)} | rounded)


def errors_of(design: Design, level: float = 0.95) -> Vector:
    """Return the half-widths of the intervals of the population's shares, from sampling and noise, shape (X,).

    They are normal. A noisy count has the variance n p (1 - p) of the count, and 2 q / (1 - q)^2 with q = exp(-c) for
    each noisy cell that it sums.
    """
    noisy, q = design.noisy, math.exp(-design.noisy.c) if design.noisy is not None else 0.0
    assert noisy is not None
    p = np.clip((_noisy(design) + 1) / (design.rows + 2), 0, 1)
    cells = len(design.secret.labels) * np.array(noisy.cells)
    variance = p * (1 - p) / design.rows + cells * 2 * q / (1 - q) ** 2 / design.rows**2
    return np.asarray(ndtri((1 + level) / 2) * np.sqrt(variance))


def _noisy(design: Design) -> Vector:
    assert design.noisy is not None
    return np.asarray(design.noisy.table.sum(axis=0))
