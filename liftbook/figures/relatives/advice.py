"""Which mechanism to use when: five questions, tested on the benchmark."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from liftbook.figures.relatives.bench import BENCH_JOINTS, BENCH_NOTIONS
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.noise.randomised_response import randomised_response
from liftlib.registry import mechanisms

NMI_TOL = 1e-6
"""Difference of NMI below which two mechanisms count as equal."""

LIFT_NOTIONS = ("LIP 1", "LDP 1", "max-lift 0.5")
"""The benchmark's notions that bound lifts, which most mechanisms support."""


class Finding(NamedTuple):
    """What the benchmark shows about a recommendation, and whether it supports it."""

    says: str
    holds: bool


def utilities(rows: pd.DataFrame, notions: tuple[str, ...]) -> pd.DataFrame:
    """Return NMI by joint and notion, one column per mechanism (NaN if missing)."""
    selected = rows[rows["notion"].isin(notions)]
    return selected.pivot_table("nmi", ["joint", "notion"], "mechanism")


def of_the_average(rows: pd.DataFrame) -> Finding:
    """Test that descents have the largest NMI under average bounds, but large lifts."""
    nmi = utilities(rows, ("average 0.05",)).dropna(subset="funnel-descent")
    lifts = rows[(rows["mechanism"] == "funnel-descent") & (rows["status"] == "made")][
        "lip"
    ]
    above = int((lifts > 1).sum())
    return Finding(
        f"largest NMI on all {len(nmi)}, but the largest |log-lift| exceeds 1 on"
        f" {above}",
        bool((nmi["funnel-descent"] >= nmi.max(axis=1) - NMI_TOL).all())
        and above > len(nmi) / 2,
    )


@cache
def for_any_secret(joint: str, notion: str) -> float:
    """Return the NMI of randomised response that satisfies a notion for any secret.

    It is calibrated for S = X: by data processing, no other secret has larger leakage.
    """
    law, requirement = BENCH_JOINTS[joint](), BENCH_NOTIONS[notion]
    of_x = Joint(np.diag(law.p_x))
    return evaluate(law, randomised_response.calibrated(of_x, requirement)).nmi


def of_any_secret(rows: pd.DataFrame) -> Finding:
    """Test that privacy for any secret has the lowest NMI, except under max-lift."""
    nmi = utilities(rows, LIFT_NOTIONS)
    any_secret = pd.Series([for_any_secret(*key) for key in nmi.index], nmi.index)
    bounds = nmi.loc[(slice(None), ["LIP 1", "LDP 1"]), :]
    least = bounds.assign(any_secret=any_secret)
    share = least.div(least.max(axis=1), axis=0).mean()
    paired = nmi["extremal"].dropna()
    more = int((paired > any_secret.loc[paired.index]).sum())
    return Finding(
        f"{share['any_secret']:.0%} of the best NMI, the lowest of all; extremal has"
        f" more on {more} of {len(paired)}",
        share.idxmin() == "any_secret" and more > 0,
    )


def of_seeing_the_secret(rows: pd.DataFrame) -> Finding:
    """Test that access to the secret gives at least the NMI of the optimum
    without it.
    """
    nmi = utilities(rows, LIFT_NOTIONS).dropna(subset=["secret-aware", "optimal"])
    more = (nmi["secret-aware"] - nmi["optimal"]).mean()
    return Finding(
        f"at least the NMI of optimal on all {len(nmi)}, {more:.2f} more on average",
        bool((nmi["secret-aware"] >= nmi["optimal"] - NMI_TOL).all()),
    )


def of_merging(rows: pd.DataFrame) -> Finding:
    """Test that the best partition lies between subset merging and the optimum."""
    nmi = utilities(rows, LIFT_NOTIONS)
    small = nmi.dropna(subset=["best-partition", "subset-merging"])
    paired = nmi.dropna(subset=["best-partition", "optimal"])
    share = (paired["best-partition"] / paired["optimal"]).mean()
    return Finding(
        f"{share:.0%} of the optimum's NMI; subset-merging has no more on any of"
        f" {len(small)}",
        bool((small["best-partition"] >= small["subset-merging"] - NMI_TOL).all())
        and bool((paired["best-partition"] <= paired["optimal"] + NMI_TOL).all()),
    )


def of_the_rest(rows: pd.DataFrame) -> Finding:
    """Test that no mechanism without access to the secret beats a finished optimum."""
    sighted = [name for name, mechanism in mechanisms.items() if mechanism.sees_secret]
    nmi = utilities(rows, LIFT_NOTIONS)
    nmi = nmi.drop(columns=[name for name in sighted if name in nmi])
    ended = nmi.dropna(subset="optimal")
    return Finding(
        f"no mechanism without the secret has a larger NMI; finished on {len(ended)} of"
        f" {len(nmi)}",
        bool((ended["optimal"] >= ended.max(axis=1) - NMI_TOL).all())
        and len(ended) > len(nmi) / 2,
    )


QUESTIONS: tuple[tuple[str, str, str, Callable[[pd.DataFrame], Finding]], ...] = (
    (
        "Do you promise only an average?",
        "funnel-descent",
        "read its chapter first",
        of_the_average,
    ),
    (
        "Is the secret unknown, or are there several?",
        "randomised-response",
        "calibrated for S = X; for max-lift, also try extremal",
        of_any_secret,
    ),
    ("May the mechanism see the secret?", "secret-aware", "", of_seeing_the_secret),
    (
        "Must the release be a coarser table?",
        "best-partition",
        "otherwise subset-merging",
        of_merging,
    ),
    ("None of these?", "optimal", "with a time limit if it takes long", of_the_rest),
)
"""A question, the mechanism to use if the answer is yes, a remark, and a test against
the rows.
"""


def advice(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the recommended mechanisms, one row per question, in order.

    The columns are ``question``, ``use``, ``note``, ``says`` (what
    :func:`~liftbook.figures.relatives.bench.bench`'s ``rows`` show, with numbers) and
    ``holds`` (whether they support the answer).

    Examples
    --------
    >>> from liftbook.figures.relatives.bench import stored_bench
    >>> print(*advice(stored_bench())["use"])
    funnel-descent randomised-response secret-aware best-partition optimal
    """
    lines = []
    for question, use, note, of in QUESTIONS:
        most = mechanisms[use].most_symbols if use == "best-partition" else None
        full_note = note if most is None else f"up to {most} symbols, {note}"
        finding = of(rows)
        lines.append(
            {
                "question": question,
                "use": use,
                "note": full_note,
                "says": finding.says,
                "holds": finding.holds,
            }
        )
    return pd.DataFrame(lines)
