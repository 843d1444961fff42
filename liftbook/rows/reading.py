"""Numbers read off the rows of a figure for the text, NaN where the run has no such point."""

from __future__ import annotations

import pandas as pd


def curve(rows: pd.DataFrame, series: str, measure: str = "nmi") -> pd.Series:
    """Return the means of one series by budget, in nats; empty if it was not run."""
    part = rows[(rows["series"] == series) & (rows["measure"] == measure)]
    return part.set_index("eps")["mean"].sort_index()


def at(rows: pd.DataFrame, series: str, eps: float, measure: str = "nmi") -> float:
    """Return the mean of one point; NaN if its series or budget was not run.

    A sentence names its budget, so the nearest budget of a rerun would be false there.

    Examples
    --------
    >>> rows = pd.DataFrame({"series": "LDP", "measure": "nmi", "eps": [1.0, 3.0], "mean": [0.25, 0.5]})
    >>> at(rows, "LDP", 3), at(rows, "LDP", 2)
    (0.5, nan)
    """
    return float(curve(rows, series, measure).get(float(eps), float("nan")))


def where_largest(values: pd.Series) -> float:
    """Return the budget of the largest value; NaN if there is none."""
    return float(values.index.to_numpy()[values.argmax()]) if values.notna().any() else float("nan")
