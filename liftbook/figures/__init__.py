"""The papers' figures as functions: parameters in, tidy rows out, no drawing.

Functions are named by paper and number, such as ``figure_e23_2``. Rows contain the
mean, the standard deviation and the 0.1 and 0.9 quantiles (``low``, ``high``) over
trials. Shared parameters are described here, others in each function.

n_trials : int
    Number of random joint distributions, uniform unless stated otherwise.
n_secret, n_public : int
    ``|S|`` and ``|X|``.
epsilons : iterable of float
    Privacy budgets, nats.
lambdas, lam : iterable of float, float
    Shares of the min-lift budget, in [0, 1].
alphas : iterable of float
    Orders of the alpha-lift, above 1.
shares : iterable of float
    Shares of the linear reduction, each in [0, 1].
extend : bool
    Whether low-risk symbols are added to a merged set that violates the notion; the
    papers' mechanisms do not do this.
ldp : bool
    Whether to add the optimal LDP response, which is not in the paper's figure.
listed : bool
    Whether to list the vertices, as the paper does; this is slower and counts them.
leave_out : sequence of str
    Values of Adult's ``relationship`` whose rows are excluded.
joint : Joint, optional
    Joint distribution to use instead of the default.
concentration : float
    Parameter of the symmetric Dirichlet distribution over the cells; 1/2 is Jeffreys'
    prior.
rng : int or numpy.random.Generator
    Seed or random generator.
"""

from liftbook.figures.c22 import example_c22_1, example_c22_1_family, merged_risks
from liftbook.figures.e23.asymmetry import figure_e23_1
from liftbook.figures.e23.convexity import convexity_of_bounds, lift_measures, lift_sets
from liftbook.figures.e23.merging import algorithm_1_readings
from liftbook.figures.e23.printed_response import algorithm_2, algorithm_2_endings
from liftbook.figures.e23.response import distance_to_optimum, vertex_growth
from liftbook.figures.i21 import (
    figure_i21_1,
    figure_i21_2,
    figure_i21_3,
    figure_i21_4,
    reduction_tradeoff,
)
from liftbook.figures.open_questions import (
    alpha_lift_optimum,
    extreme_lifts,
    partition_gap,
    robust_surveys,
)
from liftbook.figures.s20.optimal import figure_s20_3, kernel_polytope_times
from liftbook.figures.s20.reporting import (
    correlations,
    figure_s20_5,
    figure_s20_6,
    figure_s20_7,
    figure_s20_8,
)
from liftbook.figures.s20.side_channels import (
    figure_s20_4,
    shares_of_lip,
    srlip_small,
    theorem_4_failures,
)
from liftbook.figures.tradeoffs import (
    figure_c22_1,
    figure_c22_2,
    figure_c22_3,
    figure_e23_2,
    figure_e23_3,
    figure_e23_4,
    figure_e23_5,
    figure_e23_6,
    figure_e23_7,
    figure_e23_8,
    figure_e23_9,
    figure_e23_10,
    figure_e23_11,
    figure_e23_12,
    figure_e23_13,
)
from liftbook.rows.tradeoffs import (
    Point,
    merged_measures,
    merging_tradeoff,
    response_tradeoff,
)

__all__ = [
    "Point",
    "algorithm_1_readings",
    "algorithm_2",
    "algorithm_2_endings",
    "alpha_lift_optimum",
    "convexity_of_bounds",
    "correlations",
    "distance_to_optimum",
    "example_c22_1",
    "example_c22_1_family",
    "extreme_lifts",
    "figure_c22_1",
    "figure_c22_2",
    "figure_c22_3",
    "figure_e23_1",
    "figure_e23_2",
    "figure_e23_3",
    "figure_e23_4",
    "figure_e23_5",
    "figure_e23_6",
    "figure_e23_7",
    "figure_e23_8",
    "figure_e23_9",
    "figure_e23_10",
    "figure_e23_11",
    "figure_e23_12",
    "figure_e23_13",
    "figure_i21_1",
    "figure_i21_2",
    "figure_i21_3",
    "figure_i21_4",
    "figure_s20_3",
    "figure_s20_4",
    "figure_s20_5",
    "figure_s20_6",
    "figure_s20_7",
    "figure_s20_8",
    "kernel_polytope_times",
    "lift_measures",
    "lift_sets",
    "merged_measures",
    "merged_risks",
    "merging_tradeoff",
    "partition_gap",
    "reduction_tradeoff",
    "response_tradeoff",
    "robust_surveys",
    "shares_of_lip",
    "srlip_small",
    "theorem_4_failures",
    "vertex_growth",
]
