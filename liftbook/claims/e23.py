"""What E23 prints: lift asymmetry, watchdog, merging, optimal response, lift-based measures, propositions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.judging import Spread
from liftlib.channel import Channel
from liftlib.datasets import adult, uniform_joint, uniform_joints
from liftlib.joint import Joint
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import alpha_of, chi2_of, inverse_of, l1_of, lift_of
from liftlib.mechanisms.merging.subset import merge_labels
from liftlib.mechanisms.merging.watchdog import watchdog
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import ALIP, LDP, LIP
from liftlib.solvers.polytope import vertices

FIVE = ("Own-child",)
"""The relationship left out where E23 has five; see the watchdog chapter for why it is a guess."""


# Fig. 1 ---------------------------------------------------------------------------------------------------------


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
    peak = figures.figure_e23_1().groupby("measure")["probability"].max()
    return bool(peak["log_max_lift"] > peak["log_min_lift"])


# E23 section 3.1.3: the watchdog -------------------------------------------------------------------------------------


@cache
def _figure(name: str) -> pd.DataFrame:
    options = {"leave_out": FIVE} if name in ("figure_e23_3", "figure_e23_7", "figure_e23_12") else {}
    rows: pd.DataFrame = getattr(figures, name)(**options)
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
    return float(figures.merged_measures(p, labels)["nmi"].mean())


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


# Section 3.1: the optimal response -----------------------------------------------------------------------------------


@cache
def _aorr_means() -> list[float]:
    """Return the mean NMI of the optimal response on 100 joints 5 x 17, lambda 1/2, eps 2, for each of 10 seeds."""
    notion = ALIP.split(2.0, 0.5)
    means = []
    for seed in range(10):
        joints = [Joint(p) for p in uniform_joints(100, 5, 17, np.random.default_rng(seed))]
        means.append(float(np.mean([evaluate(joint, optimal_response(joint, notion)).nmi for joint in joints])))
    return means


def aorr_synthetic_eps_2() -> Spread:
    return Spread(min(_aorr_means()), max(_aorr_means()))


def aorr_adult_eps_2() -> float:
    joint = adult("relationship", "occupation", leave_out=FIVE)
    return evaluate(joint, optimal_response(joint, ALIP.split(2.0, 0.5))).nmi


def optimal_ldp_needs_the_product_polytope() -> bool:
    """Whether any optimum in |X|(|X|-1) dimensions beats that in |X|-1."""
    gains = []
    for n in (2, 3, 4):
        joint = uniform_joint(2, n, np.random.default_rng(n))
        for eps in (0.25, 0.5, 1.0, 2.0):
            both = [optimal_response(joint, LDP(eps), method=method) for method in ("product-polytope", "auto")]
            wide, narrow = (evaluate(joint, channel).mutual_information for channel in both)
            gains.append(wide - narrow)
    return max(gains) > 1e-9


def vertices_can_have_more_nonzeros_than_secrets() -> bool:
    """Whether the number of vertices can be exponential in |X|: with supports of at most |S| it is a polynomial."""
    largest = 0
    for n in (8, 12, 16):
        joint = uniform_joint(3, n, np.random.default_rng(n))
        largest = max(largest, int((vertices(LIP(0.3).halfspaces(joint), interior=joint.p_x) > 0).sum(axis=1).max()))
    return largest > 3


def lift_based_sets_are_not_convex() -> bool:
    """Whether a mixture of two outputs ever has a larger l1-, chi2- or alpha-lift than both, over 10,000 pairs."""
    rng = np.random.default_rng(0)
    p_s = rng.dirichlet(np.ones(4))
    first, second = rng.dirichlet(np.full(4, 0.5), size=(2, 10_000))
    share = rng.random((10_000, 1))
    lifts = [(v / p_s).T for v in (first, second, share * first + (1 - share) * second)]
    for measure in (l1_of, chi2_of, lambda lift, prior: alpha_of(lift, prior, 3.0)):
        one, two, mixed = (measure(lift, p_s) for lift in lifts)
        if (mixed > np.maximum(one, two) + 1e-9).any():
            return True
    return False
