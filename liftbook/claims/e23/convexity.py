"""What E23 section 6.2 prints of convexity, and of the optimum under lift-based notions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.samples import drawn
from liftbook.figures.e23.convexity import ENDS, PRIOR
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import alpha_of, chi2_of, l1_of
from liftlib.mechanisms.merging.subset import subset_merging
from liftlib.mechanisms.response.bracket import BracketCertificate, bracket_response
from liftlib.mechanisms.response.optimal import optimal_response
from liftlib.notions import Chi2Lift, L1Lift
from liftlib.numerics import Matrix, Vector

ROUNDING = 1 + 1e-9


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


def _mixture_exceeds(name: str) -> bool:
    """Whether a mixture of two outputs near those of the chapter's figure exceeds both, over 10,000 pairs."""
    rng, p_s = np.random.default_rng(0), np.array(PRIOR)
    one, two = (rng.dirichlet(100 * np.array(end), size=10_000).T for end in ENDS)
    share = rng.random(10_000)
    columns: list[Matrix] = [one, two, share * one + (1 - share) * two]
    values: list[Vector] = [figures.lift_measures(2)[name](v / p_s[:, None], p_s) for v in columns]
    return bool((values[2] > np.maximum(values[0], values[1]) * ROUNDING).any())


def l1_and_chi2_inverse_are_not_convex() -> bool:
    return _mixture_exceeds("l1_lift_inverse") and _mixture_exceeds("chi2_lift_inverse")


def alpha_inverse_is_not_convex() -> bool:
    return _mixture_exceeds("alpha_lift_inverse")


@cache
def _l1_utilities() -> pd.DataFrame:
    """Return NMI of the optimum and of subset merging under an l1-lift bound, 20 joints 4 x 8, three budgets."""
    rows = []
    for joint in drawn(20, 4, 8):
        for eps_u in (0.1, 0.25, 0.5):
            notion = L1Lift(np.inf, eps_u)
            best, merged = optimal_response(joint, notion), subset_merging(joint, notion)
            kept = notion.is_kept(joint, best)
            rows.append([eps_u, kept, evaluate(joint, best).nmi, evaluate(joint, merged).nmi])
    return pd.DataFrame(rows, columns=["eps_u", "kept", "optimum", "merging"])


def orr_does_not_apply_to_l1_lift() -> bool:
    found = _l1_utilities()
    return not (found["kept"].all() and (found["optimum"] >= found["merging"] - 1e-9).all())


def merging_share_of_l1_optimum() -> float:
    means = _l1_utilities().groupby("eps_u")[["optimum", "merging"]].mean()
    return float((means["merging"] / means["optimum"]).mean())


def merging_beside_the_l1_optimum() -> float:
    notion, shares = L1Lift(np.inf, 0.5), []
    for joint in drawn(20, 5, 10):
        merged, best = (
            evaluate(joint, make(joint, notion)).mutual_information for make in (subset_merging, optimal_response)
        )
        shares.append(merged / best)
    return float(np.mean(shares))


def merging_beside_the_chi2_optimum() -> float:
    notion, shares = Chi2Lift(np.inf, 0.5), []
    for joint in drawn(20, 5, 10):
        merged = evaluate(joint, subset_merging(joint, notion)).mutual_information
        shares.append(merged / bracket_response(joint, notion).certified(BracketCertificate).value)
    return float(np.mean(shares))
