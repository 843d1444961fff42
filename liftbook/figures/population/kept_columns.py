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
from liftlib.errors import BrokenNotion, LiftWarning
from liftlib.joint import Joint
from liftlib.notions import LIP
from lifttables.designs.alongside import retained
from lifttables.releases.sanitising import sanitise

AS_IT_IS, FOR_SAMPLE, FOR_POPULATION = (
    "published as they are",
    "coarsened, for the sample",
    "coarsened, for the population",
)

DESIGNS: dict[str, dict[str, Any]] = {
    AS_IT_IS: {"mechanism": "optimal", "confidence": None},
    FOR_SAMPLE: {"coarsen": True, "confidence": None},
    FOR_POPULATION: {"coarsen": True},
}
"""Arguments of a release next to kept columns, by series."""

Attempt = tuple[str, str, tuple[str, ...], float]
"""The secret, the public column, the kept columns, and a LIP budget."""


def attempted(attempt: Attempt) -> list[dict[str, Any]]:
    """Return one row per design in ``DESIGNS``: see :func:`kept_column_attempts`."""
    secret, public, keep, eps = attempt
    frame = adult_frame()
    of_xz = frame.groupby([public, *keep]).size().reset_index(name="rows")
    joint = Joint.from_counts(of_xz["rows"].to_numpy()[None])
    z: NDArray[np.int64] = of_xz.groupby(list(keep)).ngroup().to_numpy().astype(np.int64)
    before, *_ = retained(joint, z, np.ones((len(z), 1)))
    rows = []
    for series, words in DESIGNS.items():
        z_share, x_share = 0.0, np.nan
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LiftWarning)
                design = sanitise(
                    frame,
                    secret=secret,
                    public=public,
                    keep=keep,
                    notion=LIP(eps),
                    rare="keep",
                    na=(),  # "?" is a value, as in E23
                    resamples=0,
                    rng=0,
                    **words,
                ).design
        except BrokenNotion:
            pass
        else:
            if "coarsen" in words:
                values = [label[1:] for label in design.public.labels]
                place = {value: at for at, value in enumerate(dict.fromkeys(values))}
                of_z = np.array([place[value] for value in values], np.int64)
                h_z, h_x, left = retained(Joint.from_counts(design.table), of_z, design.channel.kernel)
            else:
                h_z, h_x, left = retained(joint, z, design.channel.kernel[design.codes(of_xz)])
            z_share, x_share = h_z / before, left / h_x
        released = float(z_share > 0)
        names = {"series": series, "secret": secret, "public": public, "kept": " and ".join(keep)}
        rows.append({**names, "columns": len(keep), "released": released, "z_share": z_share, "x_share": x_share})
    return rows


@figure
def kept_column_attempts(
    secrets: Iterable[str] = ("income", "relationship"),
    publics: Iterable[str] = ("workclass", "marital-status"),
    kept: Iterable[str] = ("sex", "race", "education", "occupation"),
    eps: float = 1.0,
) -> pd.DataFrame:
    """Return attempts to release a column of Adult next to kept columns.

    Each pair of a secret and a public column is tried with each kept column and each pair of them, under LIP(``eps``).

    The columns are ``series`` (of ``DESIGNS``), ``secret``, ``public``, ``kept``, ``columns`` (the number of kept
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
