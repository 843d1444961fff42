"""Figures at the papers' scale, stored in ``data/figures``.

``data/figures/runs.csv`` has each figure's run in ``data/ledger-runs.csv``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from liftbook.figures.e23.response import GAP as NEARNESS
from liftbook.figures.e23.response import distance_to_optimum
from liftbook.figures.open_questions import alpha_lift_optimum
from liftbook.figures.population.plane import designs_in_plane
from liftbook.figures.s20.optimal import kernel_polytope_times
from liftbook.figures.s20.reporting import figure_s20_5
from liftbook.figures.s20.side_channels import GAP, figure_s20_4
from liftbook.figures.tradeoffs import figure_e23_4, figure_e23_8, figure_e23_10
from liftbook.rows.stores import RELATIVE, Store, Wanted, near
from liftlib.errors import DataError, InvalidParameter

MEAN_KEYS = ("series", "eps", "measure")
"""Columns that identify a row of means."""


class Long(NamedTuple):
    """A slow figure, stored at its default arguments.

    Attributes
    ----------
    again : mapping of str to object
        Arguments that override the defaults to recompute part of the rows.
    says : str
        Description of that part, for a page.
    keys : tuple of str
        The columns that identify a row.
    near : mapping of str to float
        Series and measures with a larger relative tolerance than ``RELATIVE``.
    """

    figure: Callable[..., pd.DataFrame]
    again: Mapping[str, Any]
    says: str
    keys: tuple[str, ...] = MEAN_KEYS
    near: Mapping[str, float] = {}

    @property
    def name(self) -> str:
        """The figure's name."""
        return str(getattr(self.figure, "__name__", ""))

    @property
    def path(self) -> Path:
        """The path of its stored rows, whether or not the file exists."""
        return RUNS.path.with_name(f"{self.name}.csv")

    def compute(self) -> list[str]:
        """Compute and write the figure's rows at its default arguments; its line has no
        other values.
        """
        rows = self.figure()
        rows.to_csv(self.path, index=False, float_format="%.12g", lineterminator="\n")
        return []


VERTEX_TOL = {"vertices": 1e-2}
"""Vertices that nearly coincide may be counted once or twice, depending on rounding."""

# a search that ends by its gap may end elsewhere on another machine, within that gap
LONG = {
    one.name: one
    for one in (
        Long(figure_e23_4, {"epsilons": (1.0, 4.5)}, "those of the budgets 1 and 4.5"),
        Long(
            figure_e23_8,
            {"epsilons": (1.0, 4.5)},
            "those of the budgets 1 and 4.5",
            near=VERTEX_TOL,
        ),
        Long(
            figure_e23_10,
            {"epsilons": (2.0, 6.0)},
            "those of the budgets 2 and 6",
            near=VERTEX_TOL,
        ),
        Long(
            figure_s20_4,
            {"epsilons": (1.0, 1.5, 2.0)},
            "those of the budgets 1, 1.5 and 2",
            ("series", "eps", "trial"),
            {"searched": GAP, "upper bound": GAP},
        ),
        Long(
            figure_s20_5,
            {"epsilons": (0.5, 1.0, 2.0)},
            "those of the budgets 0.5, 1 and 2",
            ("panel", "secret", "public", *MEAN_KEYS),
            VERTEX_TOL,
        ),
        Long(
            kernel_polytope_times,
            {"largest": 4},
            "those of up to four symbols",
            ("n_public",),
        ),
        Long(
            distance_to_optimum,
            {"sizes": (17, 50)},
            "those of 17 and 50 symbols",
            ("series", "n_public", "measure"),
            # the gap may be any up to the one that is asked for, and is a part of what
            # lies behind
            {"optimum": NEARNESS, "gap": 1.0, "behind": 0.1},
        ),
        Long(
            designs_in_plane,
            {"rows": (1_000,)},
            "those of tables of 1,000 rows",
            ("rows", "table", "design"),
        ),
        Long(
            alpha_lift_optimum,
            {"epsilons": (2.0, 5.0)},
            "those of the budgets 2 and 5",
            # two searches may both end within their gap, 1e-6 of the utility
            near={"optimum, α=2": 2e-6, "optimum, α=10": 2e-6, "gap": 1.0},
        ),
    )
}


def _wanted() -> Wanted:
    return [((name,), long.compute) for name, long in LONG.items()]


RUNS = Store("figures/runs.csv", ("figure",), ("figure", "run"), _wanted)


def at_scale(name: str, *args: Any, **kwargs: Any) -> pd.DataFrame:
    """Return a figure's stored rows at its default arguments, else computed rows.

    ``attrs["told"]`` says what is stored, by which run, and what was recomputed.

    Raises
    ------
    DataError
        If the recomputed part differs from the stored rows, except in times.
    """
    if name not in LONG:
        raise InvalidParameter(
            f"no rows are kept of {name!r}: there are those of {', '.join(LONG)}"
        )
    long = LONG[name]
    if not asked_at_scale(long, args, kwargs) or not long.path.exists():
        rows = long.figure(*args, **kwargs)
        rows.attrs["told"] = "Computed for this page."
        return rows
    rows = pd.read_csv(long.path)
    run = next(row["run"] for row in RUNS.rows() if row["figure"] == name)
    part = long.figure(**long.again)
    lines = differences(long, part, rows)
    if lines:
        raise DataError(
            f"{long.path.name} differs from what is computed now: {lines[0]}"
            + (f" (and {len(lines) - 1} more)" if lines[1:] else "")
            + f"; delete its line of {RUNS.path.name}, and make ledger recomputes it"
        )
    rows.attrs["told"] = (
        f"Precomputed (run {run} of data/ledger-runs.csv)."
        f" Each build recomputes {len(part)} of the {len(rows)} rows, {long.says}, and"
        " compares them with the stored ones."
    )
    return rows


def asked_at_scale(
    long: Long, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> bool:
    """Return whether the arguments equal the figure's defaults.

    Examples
    --------
    >>> long = LONG["figure_e23_10"]
    >>> (
    ...     asked_at_scale(long, (100,), {"rng": 0}),
    ...     asked_at_scale(long, (99,), {}),
    ...     asked_at_scale(long, (), {"rng": 1}),
    ... )
    (True, False, False)
    """
    signature = inspect.signature(long.figure)
    bound = signature.bind(*args, **kwargs).arguments
    return all(
        _plain(value) == _plain(signature.parameters[name].default)
        for name, value in bound.items()
    )


def _plain(value: Any) -> Any:
    if isinstance(value, str | bytes | pd.DataFrame) or not np.iterable(value):
        return value
    return tuple(_plain(each) for each in value)


def differences(long: Long, part: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """Return one message per number that differs from the stored rows, except times."""
    keys = list(long.keys)
    merged = part.merge(
        rows,
        on=keys,
        how="left",
        suffixes=("", " stored"),
        validate="one_to_one",
        indicator="found",
    )
    lines = [
        f"no row {key}"
        for key in merged.loc[merged["found"] != "both", keys].to_dict("records")
    ]
    merged = merged[merged["found"] == "both"]
    if "measure" in merged:
        merged = merged[merged["measure"] != "seconds"]
    allowed = np.full(len(merged), RELATIVE)
    for column in {"series", "measure"} & set(keys):
        allowed = np.maximum(
            allowed, [long.near.get(label, RELATIVE) for label in merged[column]]
        )
    for column in part.columns:
        if column in keys or column.endswith("seconds") or column == "time_ratio":
            continue
        new, old = (
            merged[name].to_numpy(dtype=np.float64)
            for name in (column, f"{column} stored")
        )
        lines += [
            f"{column} of {merged[keys].iloc[at].to_dict()} is {new[at]:.10g}, and"
            f" {old[at]:.10g} is stored"
            for at in np.flatnonzero(~near(new, old, allowed))
        ]
    return lines
