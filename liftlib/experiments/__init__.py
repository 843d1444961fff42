"""The papers' figures as functions: parameters in, tidy rows out, no drawing.

Each is named by paper and number, such as ``figure_e23_2``; rows carry means and standard deviations over trials.
"""

from liftlib.experiments.e23_merging import (
    figure_e23_1,
    figure_e23_2,
    figure_e23_3,
    figure_e23_6,
    figure_e23_7,
    figure_e23_11,
    figure_e23_12,
    figure_e23_13,
)
from liftlib.experiments.s20_optimal import (
    figure_s20_3,
    figure_s20_4,
    kernel_polytope_times,
    shares_of_lip,
    srlip_small,
    theorem_4_failures,
)
from liftlib.experiments.s20_reporting import correlations, figure_s20_5, figure_s20_6, figure_s20_7, figure_s20_8
from liftlib.experiments.tradeoff import merged_measures, merging_tradeoff

__all__ = [
    "correlations",
    "figure_e23_1",
    "figure_e23_2",
    "figure_e23_3",
    "figure_e23_6",
    "figure_e23_7",
    "figure_e23_11",
    "figure_e23_12",
    "figure_e23_13",
    "figure_s20_3",
    "figure_s20_4",
    "figure_s20_5",
    "figure_s20_6",
    "figure_s20_7",
    "figure_s20_8",
    "kernel_polytope_times",
    "merged_measures",
    "merging_tradeoff",
    "shares_of_lip",
    "srlip_small",
    "theorem_4_failures",
]
