"""The ledger: each number and verbal claim that the papers print, computed and judged.

``data/claims.csv`` lists the claims. Its column ``computed_by`` names a function of this module that computes the
claim anew at the papers' scale; ``printed`` is a number, or ``true`` for a claim in words, which ``quantity`` states.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import pandas as pd

from liftlib import experiments as ex
from liftlib.channel import Channel
from liftlib.datasets import adult, data_folder, uniform_joints
from liftlib.errors import DataError
from liftlib.evaluation import evaluate
from liftlib.joint import Joint
from liftlib.lift import chi2_of, inverse_of, l1_of, lift_of
from liftlib.mechanisms.merging import merge_labels, subset_merging
from liftlib.mechanisms.watchdog import watchdog, watchdog_labels
from liftlib.notions import ALIP, LIP

FIVE = ("Own-child",)
"""The relationship left out where E23 has five; see the watchdog chapter for why it is a guess."""


@dataclass(frozen=True)
class Spread:
    """The least and the largest of a statistic over independent runs; a print within it agrees."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.3g} to {self.high:.3g}"


Computed = float | bool | Spread
Verdict = Literal["agrees", "differs"]


@dataclass(frozen=True)
class Claim:
    """One row of ``data/claims.csv``."""

    id: str
    paper: str
    place: str
    quantity: str
    printed: str
    tolerance: float
    computed_by: str
    reason: str

    def compute(self) -> Computed:
        """Return what this book finds in the claim's place.

        Raises
        ------
        DataError
            If ``computed_by`` names no function of this module.
        """
        function = globals().get(self.computed_by)
        if not callable(function):
            raise DataError(f"claim {self.id} names {self.computed_by!r}, which liftlib.claims does not have")
        value: Computed = function()
        return value

    def judge(self, computed: Computed) -> Verdict:
        """Return whether the computed value agrees with the print, to within the tolerance."""
        if isinstance(computed, bool):
            agrees = self.printed == str(computed).lower()
        elif isinstance(computed, Spread):
            agrees = computed.low - self.tolerance <= float(self.printed) <= computed.high + self.tolerance
        else:
            agrees = abs(computed - float(self.printed)) <= self.tolerance
        return "agrees" if agrees else "differs"


def read_claims() -> list[Claim]:
    """Return the rows of ``data/claims.csv``.

    Raises
    ------
    DataError
        If a row misses a field or names an id twice.
    """
    path = data_folder() / "claims.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    claims = [Claim(tolerance=float(row.pop("tolerance")), **row) for row in rows]
    twice = {claim.id for claim in claims if sum(other.id == claim.id for other in claims) > 1}
    if twice:
        raise DataError(f"claims.csv has the id {min(twice)!r} twice: make ids unique")
    return claims


def ledger() -> pd.DataFrame:
    """Return every claim with what was computed and the verdict; a minute at the papers' scale."""
    rows = []
    for claim in read_claims():
        computed = claim.compute()
        shown = f"{computed:.4g}" if isinstance(computed, float) else str(computed).lower()
        rows.append(
            {
                "id": claim.id,
                "paper": claim.paper,
                "place": claim.place,
                "quantity": claim.quantity,
                "printed": claim.printed,
                "computed": shown,
                "verdict": claim.judge(computed),
                "reason": claim.reason,
            }
        )
    return pd.DataFrame(rows)


# E23 Fig. 1 ---------------------------------------------------------------------------------------------------------


@cache
def _extremes() -> pd.DataFrame:
    """Return least and largest log min-lift and log max-lift of 1,000 joints 5 x 17, for each of 20 seeds."""
    found = []
    for seed in range(20):
        lifts = lift_of(uniform_joints(1000, 5, 17, np.random.default_rng(seed)))
        low, high = np.log(lifts.min(axis=1)), np.log(lifts.max(axis=1))
        found.append([low.min(), low.max(), high.min(), high.max(), (low <= -6).mean()])
    return pd.DataFrame(found, columns=["psi_least", "psi_largest", "lambda_least", "lambda_largest", "psi_below_6"])


def _extreme(name: str) -> Spread:
    return Spread(float(_extremes()[name].min()), float(_extremes()[name].max()))


def fig1_psi_least() -> Spread:
    return _extreme("psi_least")


def fig1_psi_largest() -> Spread:
    return _extreme("psi_largest")


def fig1_lambda_least() -> Spread:
    return _extreme("lambda_least")


def fig1_lambda_largest() -> Spread:
    return _extreme("lambda_largest")


def fig1_probability_below_minus_6() -> float:
    return float(_extremes()["psi_below_6"].mean())


def fig1_peak_of_lambda_is_higher() -> bool:
    peak = ex.figure_e23_1().groupby("measure")["probability"].max()
    return bool(peak["log_max_lift"] > peak["log_min_lift"])


# E23 section 3.1.3: the watchdog -------------------------------------------------------------------------------------


@cache
def _figure(name: str) -> pd.DataFrame:
    options = {"leave_out": FIVE} if name in ("figure_e23_3", "figure_e23_7", "figure_e23_12") else {}
    rows: pd.DataFrame = getattr(ex, name)(**options)
    return rows


def _mean(figure: str, series: str, measure: str = "nmi") -> pd.Series[float]:
    rows = _figure(figure)
    chosen = rows[(rows["series"] == series) & (rows["measure"] == measure)]
    return chosen.set_index("eps")["mean"]


HALF, RELAXED, STRICT = "ALIP, λ=0.5", "ALIP, λ=0.65", "ALIP, λ=0.35"


def watchdog_synthetic_eps_1() -> float:
    return float(_mean("figure_e23_2", HALF)[1.0])


def watchdog_synthetic_eps_2() -> float:
    return float(_mean("figure_e23_2", HALF)[2.0])


def watchdog_adult_eps_1() -> float:
    return float(_mean("figure_e23_3", HALF)[1.0])


def watchdog_adult_eps_2() -> float:
    return float(_mean("figure_e23_3", HALF)[2.0])


def watchdog_adult_eps_2_all_six() -> float:
    joint = adult("relationship", "occupation")
    return evaluate(joint, watchdog(joint, ALIP.split(2.0, 0.5), extend=False)).nmi


def adult_has_five_relationships() -> float:
    return float(adult("relationship", "occupation").n_secret)


def adult_has_fifteen_occupations() -> float:
    return float(adult("relationship", "occupation").n_public)


def adult_has_full_support() -> bool:
    return bool((adult("relationship", "occupation").p > 0).all())


def ldp_above_alip_synthetic() -> bool:
    ldp = _mean("figure_e23_2", "LDP")
    return all(bool((ldp >= _mean("figure_e23_2", name) - 1e-12).all()) for name in (STRICT, HALF, RELAXED))


def ldp_above_alip_adult() -> bool:
    ldp = _mean("figure_e23_3", "LDP")
    return all(bool((ldp >= _mean("figure_e23_3", name) - 1e-12).all()) for name in (STRICT, HALF, RELAXED))


def ldp_leaks_more_synthetic() -> bool:
    return all(
        bool((_mean("figure_e23_2", "LDP", m) >= _mean("figure_e23_2", name, m) - 1e-12).all())
        for m in ("min_lift_leakage", "max_lift_leakage")
        for name in (STRICT, HALF, RELAXED)
    )


def _above_one(difference: pd.Series[float]) -> bool:
    # where both have reached utility 1 there is nothing left to gain
    return bool((difference[difference.index > 1] >= -1e-12).all())


def relaxation_gains_watchdog_synthetic() -> bool:
    return _above_one(_mean("figure_e23_2", RELAXED) - _mean("figure_e23_2", HALF))


def relaxation_gains_watchdog_adult() -> bool:
    return _above_one(_mean("figure_e23_3", RELAXED) - _mean("figure_e23_3", HALF))


def strictness_loses_watchdog_synthetic() -> bool:
    difference = _mean("figure_e23_2", HALF) - _mean("figure_e23_2", STRICT)
    return bool((difference >= -1e-12).all())


def watchdog_keeps_alip() -> bool:
    return bool((_mean("figure_e23_2", HALF, "broken") == 0).all())


# E23 section 4: subset merging ---------------------------------------------------------------------------------------


def merging_synthetic_eps_1() -> float:
    return float(_mean("figure_e23_6", HALF)[1.0])


def merging_adult_eps_1() -> float:
    return float(_mean("figure_e23_7", HALF)[1.0])


def merging_enhancement_synthetic() -> float:
    return 100 * (merging_synthetic_eps_1() / watchdog_synthetic_eps_1() - 1)


def merging_enhancement_adult() -> float:
    return 100 * (merging_adult_eps_1() / watchdog_adult_eps_1() - 1)


def _variant(**options: Literal["printed"]) -> float:
    p = uniform_joints(1000, 5, 17, np.random.default_rng(0))
    labels, _ = merge_labels(p, ALIP.split(1.0, 0.5), extend=False, **options)
    return float(ex.merged_measures(p, labels)["nmi"].mean())


def merging_with_printed_risk() -> float:
    return _variant(risk="printed")


def merging_with_printed_loop() -> float:
    return _variant(loop="printed")


def merging_keeps_alip() -> bool:
    return bool((_mean("figure_e23_6", HALF, "broken") == 0).all())


def merging_above_watchdog() -> bool:
    pairs = (("figure_e23_6", "figure_e23_2"), ("figure_e23_7", "figure_e23_3"))
    names = ("LDP", STRICT, HALF, RELAXED)
    return all(bool((_mean(a, name) >= _mean(b, name) - 1e-12).all()) for a, b in pairs for name in names)


# E23 section 6: lift-based measures ----------------------------------------------------------------------------------


def _lift_based(figure: str) -> bool:
    alip = _mean(figure, HALF)
    return all(bool((_mean(figure, f"{name}, λ=0.5") >= alip - 1e-12).all()) for name in ("ℓ1", "χ²"))


def lift_based_above_alip_synthetic() -> bool:
    return _lift_based("figure_e23_11")


def lift_based_above_alip_adult() -> bool:
    return _lift_based("figure_e23_12")


def _relaxation(figure: str, *, above: bool) -> bool:
    outcome = []
    for name in ("ℓ1", "χ²"):
        gain = _mean(figure, f"{name}, λ=0.65") - _mean(figure, f"{name}, λ=0.5")
        part = gain[gain.index > 1] if above else -gain[gain.index < 1]
        outcome.append(bool((part >= -1e-12).all()))
    return all(outcome)


def lift_based_relaxation_gains_synthetic() -> bool:
    return _relaxation("figure_e23_11", above=True)


def lift_based_relaxation_loses_synthetic() -> bool:
    return _relaxation("figure_e23_11", above=False)


def lift_based_relaxation_gains_adult() -> bool:
    return _relaxation("figure_e23_12", above=True)


def lift_based_relaxation_loses_adult() -> bool:
    return _relaxation("figure_e23_12", above=False)


def alpha_2_is_highest() -> bool:
    best = _mean("figure_e23_13", "α=2")
    return all(bool((best >= _mean("figure_e23_13", name) - 1e-12).all()) for name in ("ALIP", "α=10", "α=100"))


def alpha_grows_towards_alip() -> bool:
    alip = _mean("figure_e23_13", "ALIP")
    gaps = [float((_mean("figure_e23_13", f"α={alpha}") - alip).abs().mean()) for alpha in (2, 10, 100)]
    return gaps[0] > gaps[1] > gaps[2]


# E23 Propositions 1, 3 and 5: the printed bounds on averages ----------------------------------------------------------


def _all_but_one(n: int, lift: float) -> Joint:
    """Return n equally likely secrets and outputs, each output with a lift of ``lift`` on one secret of its own."""
    others = (n - lift) / (n - 1)
    return Joint((others * np.ones((n, n)) + (lift - others) * np.eye(n)) / n**2)


def proposition_1_total_variation() -> bool:
    joint = _all_but_one(10, 0.1)
    eps_u = ALIP(0, 0).leakage(joint, Channel.identity(10)).upper
    return bool(evaluate(joint, Channel.identity(10)).total_variation <= np.expm1(eps_u) / 2)


def proposition_1_chi2() -> bool:
    joint = _all_but_one(10, 0.1)
    eps_u = ALIP(0, 0).leakage(joint, Channel.identity(10)).upper
    return bool(evaluate(joint, Channel.identity(10)).chi2_divergence <= np.expm1(eps_u) ** 2)


def _printed_bound_holds(measure: Callable[..., np.ndarray], *, inverse: bool, power: int) -> bool:
    """Return whether a printed per-symbol bound holds for two secrets over a grid of priors and lifts."""
    rare = np.linspace(0.01, 0.5, 50)[:, None]
    of_rare = np.concatenate([np.linspace(0.05, 0.95, 19), np.linspace(1.05, 1.95, 19)])[None, :]
    other = (1 - rare * of_rare) / (1 - rare)
    lifts = np.stack([np.broadcast_to(of_rare, other.shape), other], axis=1)
    p_s = np.concatenate([rare, 1 - rare], axis=1)
    values = measure(inverse_of(lifts) if inverse else lifts, p_s)
    bound = (1 / lifts.min(axis=1) if inverse else lifts.max(axis=1)) - 1
    return bool((values <= bound**power + 1e-12).all())


def proposition_3_l1() -> bool:
    return _printed_bound_holds(l1_of, inverse=False, power=1)


def proposition_3_chi2() -> bool:
    return _printed_bound_holds(chi2_of, inverse=False, power=2)


def proposition_5_l1() -> bool:
    return _printed_bound_holds(l1_of, inverse=True, power=1)


def proposition_5_chi2() -> bool:
    return _printed_bound_holds(chi2_of, inverse=True, power=2)


# C22 ----------------------------------------------------------------------------------------------------------------


@cache
def _c22(eps: float) -> tuple[float, float, float]:
    """Return mean NMIL of complete and subset merging, and the latter's largest leakage, 1,000 joints 13 x 20."""
    p = uniform_joints(1000, 13, 20, np.random.default_rng(0))
    complete = ex.merged_measures(p, watchdog_labels(p, LIP(eps), extend=False))
    subsets = ex.merged_measures(p, merge_labels(p, LIP(eps), extend=False)[0])
    leak = np.maximum(subsets["min_lift_leakage"], subsets["max_lift_leakage"])
    return 1 - float(complete["nmi"].mean()), 1 - float(subsets["nmi"].mean()), float(leak.max())


def c22_complete_loses_all_eps_025() -> float:
    return _c22(0.25)[0]


def c22_complete_loses_all_eps_05() -> float:
    return _c22(0.5)[0]


def c22_algorithm_loses_less_eps_025() -> bool:
    return _c22(0.25)[1] < 1


def c22_algorithm_loses_less_eps_05() -> bool:
    return _c22(0.5)[1] < 1


def c22_algorithm_better_everywhere() -> bool:
    return all(_c22(eps)[1] <= _c22(eps)[0] for eps in np.arange(1, 11) / 4)


def c22_leakage_below_budget() -> bool:
    return all(_c22(eps)[2] <= eps + 1e-9 for eps in np.arange(1, 11) / 4)


def c22_example_entropy_is_possible() -> bool:
    """H(X) = 1.6034 on five symbols: at most log 5."""
    return bool(np.log(5) >= 1.6034)


def c22_high_risk_is_refined() -> bool:
    """Refinement never loses utility: a random aggregation of each partition that Algorithm 1 makes."""
    rng = np.random.default_rng(0)
    for p in uniform_joints(100, 3, 8, rng):
        joint = Joint(p)
        fine = subset_merging(joint, LIP(0.5))
        groups = fine.partition or ()
        into = rng.integers(0, 2, len(groups))
        coarse = [sum((groups[g] for g in np.flatnonzero(into == k)), ()) for k in np.unique(into)]
        rough = Channel.merge(coarse, joint.n_public)
        if evaluate(joint, rough).nmil < evaluate(joint, fine).nmil - 1e-12:
            return False
    return True
