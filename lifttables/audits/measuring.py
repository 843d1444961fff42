"""The overall measures of an audit, and their confidence intervals."""

from __future__ import annotations

from typing import Literal

import numpy as np

from liftlib.joint import Joint
from liftlib.measures.evaluation import Evaluation
from liftlib.notions import Notion, RatioBased
from lifttables.population.intervals import averages, worst_lifts
from lifttables.population.sample import Sample
from mixproof.numerics import KEEP_TOL, Matrix, Vector

MEASURE_MEANINGS = {
    "min_lift_leakage": "min-lift leakage, the smallest eps_l of ALIP",
    "max_lift_leakage": "max-lift leakage, the smallest eps_u of ALIP",
    "ldp": "LDP with respect to the secret, the smallest eps",
    "secret_information": "mutual information I(S;Y)",
    "total_variation": "total variation distance T(S;Y)",
    "chi2_divergence": "chi-square divergence",
    "maximal_leakage": "maximal leakage (Sibson, order infinity)",
}
# in nats except for the total variation distance and the chi-square divergence
MEASURES = tuple(MEASURE_MEANINGS)
WORST_CASE_MEASURES = (
    "min_lift_leakage",
    "max_lift_leakage",
    "ldp",
)  # decided by single lifts: exact intervals, no bootstrap


def overall(release: Joint) -> dict[str, float]:
    """Return the values of ``MEASURES`` for a release."""
    # the utility, which needs a table of X by Y, is not used here
    result = Evaluation(release, release, entropy=0.0, mutual_information=0.0)
    measures = {
        name: float(getattr(result, name))
        for name in MEASURES
        if name != "maximal_leakage"
    }
    return {**measures, "maximal_leakage": result.sibson(np.inf)}


def intervals_of(
    sample: Sample,
    estimates: dict[str, float],
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, tuple[float, float]]:
    """Return intervals of the measures for the population, at the sample's confidence.

    Intervals of ``WORST_CASE_MEASURES`` use Clopper-Pearson bounds on all cells.
    Averages have bias-corrected bootstrap intervals. The result is empty without
    resamples.
    """
    if not resamples:
        return {}
    table = sample.counts
    drawn, values = bootstrap(table, resamples, rng)
    ends = worst_lifts(sample.cells()) | averages(
        table / table.sum(), drawn, estimates, values, sample.rows, sample.confidence
    )
    # rounding errors may put an estimate just outside its interval
    return {
        name: (min(low, estimates[name]), max(up, estimates[name]))
        for name, (low, up) in ends.items()
    }


# whether the population satisfies a notion
Verdict = Literal["kept", "broken", "undecided"]


def verdict_of(sample: Sample, notion: Notion) -> Verdict | None:
    """Return whether the population satisfies a notion: kept, broken or undecided.

    The verdict is ``"kept"`` or ``"broken"`` if all ratios of probabilities satisfy
    their budgets, or one exceeds it, for all values within the bounds. None is returned
    if the notion does not bound ratios.

    >>> from liftlib.notions import LIP
    >>> [verdict_of(Sample([[40, 60], [30, 70]]), LIP(eps)) for eps in (0.01, 2.0)]
    ['undecided', 'kept']
    """
    if not isinstance(notion, RatioBased):
        return None
    if sample.n_secret == 1:  # all ratios are 1
        return "kept"
    between, ratios = sample.cells(), notion.ratios(sample.n_secret)
    with np.errstate(divide="ignore"):
        most = between.upper[ratios.top] / between.lower[ratios.bottom]
    is_lift = ratios.bottom == sample.n_secret
    # P(s|x) is at most 1
    most[is_lift] = np.minimum(
        most[is_lift], 1 / between.prior_lower[ratios.top[is_lift], None]
    )
    if (np.log(most) <= ratios.budget[:, None] + KEEP_TOL).all():
        return "kept"
    # not e^eps on the other side, which overflows from 710 nats on
    surely = (
        between.lower[ratios.top] * np.exp(-ratios.budget)[:, None]
        > between.upper[ratios.bottom]
    )
    return "broken" if surely.any() else "undecided"


def bootstrap(
    table: Matrix, resamples: int, rng: np.random.Generator
) -> tuple[Matrix, dict[str, Vector]]:
    """Return bootstrap distributions of secret and symbol, and their measures."""
    redrawn: dict[str, list[float]] = {
        name: [] for name in MEASURES if name not in WORST_CASE_MEASURES
    }
    every = []
    share = (table / table.sum()).ravel()
    for _ in range(resamples):
        counts = rng.multinomial(int(table.sum()), share).reshape(table.shape)
        every.append(counts / counts.sum())
        release = Joint.from_counts(every[-1], drop_empty=True)
        for name, value in overall(release).items():
            if name in redrawn:
                redrawn[name].append(value)
    return np.array(every), {
        name: np.asarray(values, dtype=np.float64) for name, values in redrawn.items()
    }
