"""What E23 section 3.1.3 prints of the watchdog, and of the Adult table."""

from __future__ import annotations

from liftbook.claims.e23.figures import HALF, RELAXED, STRICT, WATCHDOG, WATCHDOG_ADULT
from liftbook.claims.figures import Figure, above_one, never_below
from liftlib.datasets import adult
from liftlib.measures.evaluation import evaluate
from liftlib.mechanisms.merging.watchdog import watchdog
from liftlib.notions import ALIP


def watchdog_synthetic_eps_1() -> float:
    return float(WATCHDOG.curve(HALF)[1.0])


def watchdog_synthetic_eps_2() -> float:
    return float(WATCHDOG.curve(HALF)[2.0])


def watchdog_adult_eps_1() -> float:
    return float(WATCHDOG_ADULT.curve(HALF)[1.0])


def watchdog_adult_eps_2() -> float:
    return float(WATCHDOG_ADULT.curve(HALF)[2.0])


def watchdog_adult_eps_2_all_six() -> float:
    joint = adult("relationship", "occupation")
    return evaluate(joint, watchdog(joint, ALIP.split(2.0, 0.5), extend=False)).nmi


def adult_has_five_relationships() -> float:
    return float(adult("relationship", "occupation").n_secret)


def adult_has_fifteen_occupations() -> float:
    return float(adult("relationship", "occupation").n_public)


def adult_has_full_support() -> bool:
    return bool((adult("relationship", "occupation").p > 0).all())


def _below_ldp(figure: Figure, measure: str = "nmi") -> bool:
    ldp = figure.curve("LDP", measure)
    return all(never_below(ldp, figure.curve(name, measure)) for name in (STRICT, HALF, RELAXED))


def ldp_above_alip_synthetic() -> bool:
    return _below_ldp(WATCHDOG)


def ldp_above_alip_adult() -> bool:
    return _below_ldp(WATCHDOG_ADULT)


def ldp_leaks_more_synthetic() -> bool:
    return all(_below_ldp(WATCHDOG, measure) for measure in ("min_lift_leakage", "max_lift_leakage"))


def relaxation_gains_watchdog_synthetic() -> bool:
    return above_one(WATCHDOG.curve(RELAXED) - WATCHDOG.curve(HALF))


def relaxation_gains_watchdog_adult() -> bool:
    return above_one(WATCHDOG_ADULT.curve(RELAXED) - WATCHDOG_ADULT.curve(HALF))


def strictness_loses_watchdog_synthetic() -> bool:
    return never_below(WATCHDOG.curve(HALF), WATCHDOG.curve(STRICT))


def watchdog_keeps_alip() -> bool:
    return bool((WATCHDOG.curve(HALF, "broken") == 0).all())
