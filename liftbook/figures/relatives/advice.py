"""Which mechanism when, as the bench's rows have it: five questions, an answer each, and what would make it false."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from liftlib.registry import mechanisms

EVEN = 1e-6
"""NMI within which two mechanisms keep the same."""

LIFTS = ("LIP 1", "LDP 1", "max-lift 0.5")
"""The bench's notions that bound lifts, which most mechanisms serve."""


class Finding(NamedTuple):
    """What the rows say of an answer, in words with their numbers, and whether they bear it out."""

    says: str
    holds: bool


def utilities(rows: pd.DataFrame, notions: tuple[str, ...]) -> pd.DataFrame:
    """Return NMI by joint distribution and notion, a column for each mechanism; missing where none was made."""
    made = rows[(rows["status"] == "made") & rows["notion"].isin(notions)]
    return made.pivot_table("nmi", ["joint", "notion"], "mechanism")


def of_the_average(rows: pd.DataFrame) -> Finding:
    """Descents keep most under a bound on the average, and their lifts go far."""
    kept = utilities(rows, ("average 0.05",)).dropna(subset="funnel-descent")
    lifts = rows[(rows["mechanism"] == "funnel-descent") & (rows["status"] == "made")]["lip"]
    above = int((lifts > 1).sum())
    return Finding(
        f"keeps the most on all {len(kept)}, and the largest log-lift is above 1 on {above}",
        bool((kept["funnel-descent"] >= kept.max(axis=1) - EVEN).all()) and above > len(kept) / 2,
    )


def of_any_secret(rows: pd.DataFrame) -> Finding:
    """What is private for any secret keeps least of all; under max-lift, extremal is the better at times."""
    kept = utilities(rows, LIFTS)
    bounds = kept.loc[(slice(None), ["LIP 1", "LDP 1"]), :].dropna(subset="staircase")
    share = (bounds.div(bounds.max(axis=1), axis=0)).mean()
    both = kept.dropna(subset=["extremal", "staircase"])
    more = int((both["extremal"] > both["staircase"]).sum())
    return Finding(
        f"keeps {share['staircase']:.0%} of the most, the least of all; extremal keeps more on {more} of {len(both)}",
        share.idxmin() == "staircase" and 0 < more < len(both),
    )


def of_seeing_the_secret(rows: pd.DataFrame) -> Finding:
    """A mechanism that may look at the secret keeps at least what the best blind one does."""
    kept = utilities(rows, LIFTS).dropna(subset=["secret-aware", "optimal"])
    more = (kept["secret-aware"] - kept["optimal"]).mean()
    return Finding(
        f"keeps at least what optimal does on all {len(kept)}, {more:.2f} more on average",
        bool((kept["secret-aware"] >= kept["optimal"] - EVEN).all()),
    )


def of_merging(rows: pd.DataFrame) -> Finding:
    """The best partition keeps no less than subset merging, and both less than answers at random."""
    kept = utilities(rows, LIFTS)
    small = kept.dropna(subset=["best-partition", "subset-merging"])
    both = kept.dropna(subset=["best-partition", "optimal"])
    share = (both["best-partition"] / both["optimal"]).mean()
    return Finding(
        f"keeps {share:.0%} of the optimum; subset-merging never keeps more on {len(small)}",
        bool((small["best-partition"] >= small["subset-merging"] - EVEN).all())
        and bool((both["best-partition"] <= both["optimal"] + EVEN).all()),
    )


def of_the_rest(rows: pd.DataFrame) -> Finding:
    """Nothing blind beats the optimum where it ends in time; which is said where it does not."""
    sighted = [name for name, one in mechanisms.items() if one.sees_secret]
    kept = utilities(rows, LIFTS)
    kept = kept.drop(columns=[name for name in sighted if name in kept])
    ended = kept.dropna(subset="optimal")
    return Finding(
        f"nothing that does not see the secret keeps more on {len(ended)} of {len(kept)}",
        bool((ended["optimal"] >= ended.max(axis=1) - EVEN).all()) and len(ended) > len(kept) / 2,
    )


QUESTIONS: tuple[tuple[str, str, str, Callable[[pd.DataFrame], Finding]], ...] = (
    ("Is only an average promised?", "funnel-descent", "read its chapter first", of_the_average),
    ("Is the secret unknown, or are there several?", "staircase", "under max-lift try extremal too", of_any_secret),
    ("May the mechanism see the secret?", "secret-aware", "", of_seeing_the_secret),
    ("Must the release be a coarser table?", "best-partition", "else subset-merging", of_merging),
    ("None of these?", "optimal", "with a limit of seconds where it takes long", of_the_rest),
)
"""A question, the mechanism where the answer is yes, what else to know, and what the rows say of it."""


def advice(rows: pd.DataFrame) -> pd.DataFrame:
    """Return which mechanism when, a row a question, in the order in which to ask.

    Parameters
    ----------
    rows : pandas.DataFrame
        Of :func:`~liftbook.figures.relatives.bench.bench`.

    Returns
    -------
    pandas.DataFrame
        Columns ``question``, ``use``, ``note``, ``says`` (what the rows have on it, with their numbers) and ``holds``
        (whether they bear the answer out).

    Examples
    --------
    >>> from liftbook.figures.relatives.bench import stored_bench
    >>> advice(stored_bench())["use"].tolist()
    ['funnel-descent', 'staircase', 'secret-aware', 'best-partition', 'optimal']
    """
    lines = []
    for question, use, note, of in QUESTIONS:
        most = mechanisms[use].most_symbols if use == "best-partition" else None
        told = note if most is None else f"up to {most} symbols, {note}"
        found = of(rows)
        lines.append({"question": question, "use": use, "note": told, "says": found.says, "holds": found.holds})
    return pd.DataFrame(lines)
