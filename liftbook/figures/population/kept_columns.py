"""Releases of a column of Adult next to kept columns: success and utility."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from liftbook.rows.making import figure
from liftbook.rows.tidy import parallel_rows
from liftlib.datasets import adult_frame
from liftlib.errors import LiftWarning
from liftlib.joint import Joint
from liftlib.notions import LIP
from liftlib.registry import mechanisms
from lifttables.designs.alongside import retained, violation_alongside
from lifttables.releases.sanitising import sanitise
from mixproof.numerics import KEEP_TOL

AS_IT_IS, FOR_SAMPLE, FOR_POPULATION = (
    "published as they are",
    "grouped, for the sample",
    "grouped, for the population",
)

DESIGNS: dict[str, dict[str, Any]] = {FOR_SAMPLE: {"confidence": None}, FOR_POPULATION: {"rng": 0}}
"""Arguments of a release next to kept columns, by series."""

Attempt = tuple[str, str, tuple[str, ...], float]
"""The secret, the public column, the kept columns, and a LIP budget."""


def attempted(attempt: Attempt) -> list[dict[str, Any]]:
    """Return one row per series: see :func:`kept_column_attempts`."""
    secret, public, keep, eps = attempt
    frame, notion = adult_frame(), LIP(eps)
    counts = frame.assign(rows=1).pivot_table("rows", secret, [public, *keep], "sum", fill_value=0, observed=True)
    joint = Joint.from_counts(counts.to_numpy())
    x = counts.columns.get_level_values(public)
    z = numbered([tuple(label[1:]) for label in counts.columns.tolist()])
    before, *_ = retained(joint, z, np.ones((len(z), 1)))
    alone = Joint.from_counts(counts.T.groupby(x, sort=False).sum().T.to_numpy())
    as_it_is = mechanisms.optimal(alone, notion).kernel[pd.factorize(x)[0]]
    found = {}
    if violation_alongside(joint, z, as_it_is, notion) <= KEEP_TOL:
        found[AS_IT_IS] = retained(joint, z, as_it_is)
    for series, words in DESIGNS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LiftWarning)
            design = sanitise(
                frame,
                secret=secret,
                public=public,
                keep=keep,
                notion=notion,
                rare="keep",
                na=(),  # "?" is a value, as in E23
                resamples=0,
                **words,
            ).design
        of_z = numbered([label[1:] for label in design.public.labels])
        found[series] = retained(Joint.from_counts(design.table), of_z, design.channel.kernel)
    names = {"secret": secret, "public": public, "kept": " and ".join(keep), "columns": len(keep)}
    rows = []
    for series in (AS_IT_IS, *DESIGNS):
        h_z, h_x, left = found.get(series, (0.0, np.nan, np.nan))
        shares = {"released": float(h_z > 0), "z_share": h_z / before, "x_share": left / h_x}
        rows.append({"series": series, **names, **shares})
    return rows


def numbered(values: list[tuple[str, ...]]) -> NDArray[np.int64]:
    """Return the index of each value among the different ones."""
    place = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return np.array([place[value] for value in values])


@figure
def kept_column_attempts(
    secrets: Iterable[str] = ("income", "relationship"),
    publics: Iterable[str] = ("workclass", "marital-status"),
    kept: Iterable[str] = ("sex", "race", "education", "occupation"),
    eps: float = 1.0,
) -> pd.DataFrame:
    """Return attempts to release a column of Adult next to kept columns.

    Each pair of a secret and a public column is tried with each kept column and each pair of them, under LIP(``eps``).

    The columns are ``series``, ``secret``, ``public``, ``kept``, ``columns`` (the number of kept
    columns), ``released`` (1 if the release retains information on them, else 0), ``z_share`` (H(Z') as a share of
    H(Z)) and ``x_share`` (I(X; Y | Z') as a share of H(X|Z'); NaN where nothing is released).

    Examples
    --------
    >>> found = kept_column_attempts(["income"], ["workclass"], ["sex"])
    >>> found[["series", "released"]].to_numpy().tolist()[0]
    ['published as they are', 0.0]
    """
    names = list(kept)
    several = [keep for n in (1, 2) for keep in itertools.combinations(names, n)]
    tasks = [(secret, public, keep, eps) for secret, public, keep in itertools.product(secrets, publics, several)]
    return parallel_rows(attempted, tasks)
