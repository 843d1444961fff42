"""E23 Algorithm 1 as it can be read: with several risks, loops and repairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from liftbook.rows.making import figure
from liftbook.rows.tidy import frame
from liftbook.rows.tradeoffs import merged_measures
from liftlib.datasets import adult, uniform_joints
from liftlib.measures.lifts import inverse_of
from liftlib.merging.stack import Symbols
from liftlib.merging.subset_merging import LoopName, merged_subsets
from liftlib.merging.watchdog import watchdog_subsets
from liftlib.notions import ALIP
from liftlib.notions.base import LiftNotion, RequiredBudget
from mixproof.numerics import Matrix, Rng, Vector, generator

RISKS: dict[str, Callable[[Matrix, Matrix], Matrix]] = {
    "Λ + Ψ": lambda low, high: high + low,
    "Λ + 1/Ψ": lambda low, high: high + inverse_of(low),
    "max{log Λ, |log Ψ|}": lambda low, high: np.maximum(high, inverse_of(low)),
    "Λ/Ψ": lambda low, high: high * inverse_of(low),
    "Λ − Ψ": lambda low, high: high - low,
    "1/Ψ": lambda low, _: inverse_of(low),
}
"""Risks that order Algorithm 1, of the least and the largest lift; the third, written
here by its exponential, is the one that E23 section 4.1 prints for LIP, which ALIP with
lambda 1/2 is.
"""


@dataclass(frozen=True)
class ALIPWithRisk(LiftNotion):
    """ALIP with another risk ``omega``, one of :data:`RISKS`, for Algorithm 1."""

    notion: ALIP
    omega: str

    def required_budgets(self, lift: Matrix, p_s: Vector) -> tuple[RequiredBudget, ...]:
        """Return the required budgets of ALIP."""
        return self.notion.required_budgets(lift, p_s)

    def risk(self, lift: Matrix, p_s: Vector) -> Matrix:  # noqa: ARG002
        """Return the risk of each column, shape (..., X)."""
        return RISKS[self.omega](lift.min(axis=-2), lift.max(axis=-2))


def nmi_of(p: Matrix, subset_of: Symbols) -> Vector:
    """Return the NMI of each of N merges, from shape (N, S, X)."""
    return merged_measures(p, subset_of)["nmi"]


def merged_nmi(
    p: Matrix, notion: ALIP, risk: str, loop: LoopName, *, extend: bool
) -> float:
    """Return the mean NMI of one reading of Algorithm 1 over (N, S, X) joints."""
    subset_of = merged_subsets(p, ALIPWithRisk(notion, risk), loop=loop, extend=extend)
    return float(nmi_of(p, subset_of).mean())


@figure
def algorithm_1_readings(
    n_trials: int = 1000,
    n_secret: int = 5,
    n_public: int = 17,
    left_out: str = "Other-relative",
    *,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the NMI of each reading of E23 Algorithm 1 at lambda 1/2 and eps 1.

    Parameters
    ----------
    left_out : str
        Value of Adult's ``relationship`` whose rows are excluded.

    Returns
    -------
    pandas.DataFrame
        A row for each ``risk``, ``loop`` (C22's, printed) and ``repaired`` (whether
        low-risk symbols are added): ``random`` and ``adult``, NMI, and ``gain_random``
        and ``gain_adult``, per cent over complete merging.
    """
    notion = ALIP.split(1.0, 0.5)
    tables = {
        "random": uniform_joints(n_trials, n_secret, n_public, generator(rng)),
        "adult": adult("relationship", "occupation", leave_out=(left_out,)).p[None],
    }
    complete = {
        name: float(nmi_of(p, watchdog_subsets(p, notion, extend=False)).mean())
        for name, p in tables.items()
    }
    rows = []
    for risk, (loop, shown), repaired in product(RISKS, LOOPS, (False, True)):
        nmi = {
            name: merged_nmi(p, notion, risk, loop, extend=repaired)
            for name, p in tables.items()
        }
        gains = {f"gain_{name}": 100 * (nmi[name] / complete[name] - 1) for name in nmi}
        rows.append({"risk": risk, "loop": shown, "repaired": repaired, **nmi, **gains})
    return frame(rows)


LOOPS: tuple[tuple[LoopName, str], ...] = (
    ("standard", "C22's"),
    ("printed", "printed"),
)
"""Symbols that the loop of line 4 leaves: none, as in C22, or those that satisfy the
notion once merged.
"""
