"""Other uncertainty sets around a table, with one design for all of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

import numpy as np
import pandas as pd

from liftbook.figures.population.designs import LAWS
from liftbook.relatives.robust import robust_response
from liftbook.relatives.sample_sets import L1Sample, PearsonSample, l1_distance
from liftbook.rows.making import figure
from liftlib.channel import Channel
from liftlib.errors import InvalidParameter
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.notions import ALIP, LDP, LIP
from lifttables.confident.response import confident_response
from lifttables.population.sample import Sample
from mixproof.numerics import SAME_TOL, Mask, Matrix, Vector

PEARSON, OF_X = "Pearson's set", "l1 ball, max-lift of X"

BOUNDS: Mapping[str, type[Sample]] = {
    "all subsets, exact": Sample,
    "l1 ball": L1Sample,
    PEARSON: PearsonSample,
}
"""Uncertainty sets: this book's bounds, and two sets from the literature."""

NOTIONS: Mapping[str, Callable[[float], ALIP | LDP | LIP]] = {
    "LIP": LIP,
    "LDP": LDP,
    "max-lift": lambda eps: ALIP(np.inf, eps),
}
"""Notions as functions of a budget."""

SET_LAWS: Mapping[str, Callable[[], Joint]] = {
    "2x2": lambda: Joint([[0.3, 0.2], [0.1, 0.4]]),
    **{name: LAWS[name] for name in ("4x6", "Adult, 6x15")},
}
"""Distributions of the tables: two secrets and two symbols, a random one, and Adult."""


def l1_ball_corners(share: Vector, distance: float) -> Matrix:
    """Return the corners of an l1 ball inside the simplex, shape (X (X - 1), X).

    At each corner, a mass of half the distance moves from one symbol to another.

    Examples
    --------
    >>> l1_ball_corners(np.array([0.5, 0.5]), 0.4).round(9).tolist()
    [[0.3, 0.7], [0.7, 0.3]]
    """
    n, half = len(share), distance / 2
    if not (share > half).all():
        raise InvalidParameter(
            f"symbol {share.argmin()} has the share {share.min():.3g}, all of which the ball of l1 distance "
            f"{distance:.3g} may take: give more rows"
        )
    corners = [share + half * (np.eye(n)[to] - np.eye(n)[source]) for source, to in itertools.permutations(range(n), 2)]
    return np.array(corners)


def hiding_the_data(counts: Matrix, eps: float, confidence: float = 0.95) -> Channel:
    """Return the best response with a bounded max-lift of X over an l1 ball.

    Only P_X of ``counts``, shape (S, X), is used. It is in the ball with the given confidence (Weissman et al. 2003).

    Raises
    ------
    InvalidParameter
        If the ball contains a distribution in which a symbol has probability 0.

    Notes
    -----
    The procedure of Grosse et al. 2025, according to their abstract and first figure: an uncertainty set around an
    estimate, and a mechanism for the worst case. The max-lift of X bounds that of any S by data processing. The
    constraint max P(y|x) <= e^eps P(y) is linear in P_X, so the ball's corners decide.
    """
    rows = counts.sum(axis=0)
    share = rows / rows.sum()
    far = float(l1_distance(rows.sum(), len(rows), np.log1p(-confidence)))
    held = [Joint(np.diag(corner)) for corner in l1_ball_corners(share, far)]
    return robust_response(Joint(np.diag(share)), ALIP(np.inf, eps), others=held)


def _compared(
    law: str, rows: int, seed: int, eps: float, confidence: float, name: str, starts: int
) -> list[dict[str, object]]:
    truth, counts, notion = SET_LAWS[law](), table_of(law, rows, seed), NOTIONS[name](eps)
    channels = {
        each: confident_response(counts, notion, confidence=confidence, bounds=bounds, starts=starts)
        for each, bounds in BOUNDS.items()
    }
    records: list[dict[str, object]] = [
        {"set": each, "kept": notion.is_satisfied(truth, channel), "nmi": abs(evaluate(truth, channel).nmi)}
        for each, channel in channels.items()
    ]
    with suppress(InvalidParameter):  # a ball that reaches the edge needs more rows, and has no row here
        channel = hiding_the_data(counts, eps, confidence)
        satisfied = ALIP(np.inf, eps).is_satisfied(Joint(np.diag(truth.p_x)), channel)
        records.append({"set": OF_X, "kept": satisfied, "nmi": abs(evaluate(truth, channel).nmi)})
    return [{"law": law, "rows": rows, "seed": seed, "notion": name} | record for record in records]


def table_of(law: str, rows: int, seed: int) -> Matrix:
    """Return a table of independent rows from one of ``SET_LAWS``, shape (S, X)."""
    p = SET_LAWS[law]().p
    rng = np.random.default_rng([rows, seed])
    return rng.multinomial(rows, p.ravel()).reshape(p.shape).astype(np.float64)


@figure
def published_sets(
    laws: Iterable[str],
    rows: Iterable[int],
    seeds: Iterable[int],
    eps: float = 1.0,
    confidence: float = 0.95,
    notions: Iterable[str] = ("LIP",),
    starts: int = 0,
) -> pd.DataFrame:
    """Return one design's utility under several uncertainty sets.

    Parameters
    ----------
    eps : float
        Budget of the notion with respect to S, and of the max-lift of X itself, nats.
    notions : iterable of str
        Of ``NOTIONS``.
    starts : int
        Number of additional random starts in the search for a design.

    Returns
    -------
    pandas.DataFrame
        Columns ``law``, ``rows``, ``seed``, ``notion``, ``set``, ``kept`` (under the law; for the set of X alone, the
        max-lift of X) and ``nmi`` (under the law). The set of X has no row if it allows a probability of 0.
    """
    tasks = itertools.product(laws, rows, seeds, notions)
    return pd.DataFrame(
        [row for law, n, seed, name in tasks for row in _compared(law, n, seed, eps, confidence, name, starts)]
    )


@figure
def set_coverage(laws: Iterable[str], rows: Iterable[int], tables: int, confidence: float = 0.95) -> pd.DataFrame:
    """Return how often each set's bounds hold simultaneously for all subsets.

    The columns are ``law``, ``rows``, ``set``, ``share`` (of tables whose bounds contain every P(A|s), P(A) and P(s))
    and, for Pearson's set, ``inside`` (share of tables whose set contains the law).
    """
    records = []
    for law, n in itertools.product(laws, rows):
        truth = SET_LAWS[law]()
        member = ((np.arange(2**truth.n_public)[:, None] >> np.arange(truth.n_public)) & 1).astype(bool)
        of = np.vstack([truth.p / truth.p_s[:, None], truth.p_x]) @ member.T
        drawn = [table_of(law, n, seed) for seed in range(tables)]
        for name, bounds in BOUNDS.items():
            samples = [bounds(counts, confidence) for counts in drawn]
            share = float(np.mean([_holds(sample, member, of, truth.p_s) for sample in samples]))
            inside = np.nan
            if name == PEARSON:
                inside = float(
                    np.mean([sample.within(truth.p) for sample in samples if isinstance(sample, PearsonSample)])
                )
            records.append({"law": law, "rows": n, "set": name, "share": share, "inside": inside})
    return pd.DataFrame(records)


def _holds(sample: Sample, member: Mask, of: Matrix, p_s: Vector) -> bool:
    bounds = sample.subsets(member)
    low, high = sample.prior
    cells = (bounds.lower - SAME_TOL <= of).all() and (of <= bounds.upper + SAME_TOL).all()
    return bool(cells and (low - SAME_TOL <= p_s).all() and (p_s <= high + SAME_TOL).all())
