"""Measures of lift and of information, in nats, and the evaluation of a channel."""

from liftlib.measures.evaluation import Evaluation, evaluate
from liftlib.measures.information import (
    arimoto,
    chi2_divergence,
    entropy,
    mutual_information,
    sibson,
    total_variation,
)
from liftlib.measures.lifts import (
    alpha_lift,
    alpha_lift_inverse,
    chi2_lift,
    chi2_lift_inverse,
    l1_lift,
    l1_lift_inverse,
    lift,
    lift_ratio,
    max_lift,
    min_lift,
)

__all__ = [
    "Evaluation",
    "alpha_lift",
    "alpha_lift_inverse",
    "arimoto",
    "chi2_divergence",
    "chi2_lift",
    "chi2_lift_inverse",
    "entropy",
    "evaluate",
    "l1_lift",
    "l1_lift_inverse",
    "lift",
    "lift_ratio",
    "max_lift",
    "min_lift",
    "mutual_information",
    "sibson",
    "total_variation",
]
