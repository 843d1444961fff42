"""Mechanisms and notions beyond the five papers, which the book's chapters compare with them.

Importing this package registers them, so that ``liftlib.design`` and the command line find them by name.
"""

from __future__ import annotations

import numpy as np

from liftbook.relatives.overall import AverageLeakage, MaximalLeakage
from liftlib.notions import catalogue
from liftlib.registry import ANY, BOUNDS, COLUMNWISE, PLAIN, POLYHEDRAL, RATIOS, Mechanism, Serves, mechanisms

# a budget's infinite side is no bound, whatever the prior
CEILING = Serves(
    "bounds on the largest lift alone",
    lambda n: n.lift_bounds(np.full(2, 0.5)).exact and bool(np.isinf(n.lift_bounds(np.full(2, 0.5)).lower).all()),
)
AVERAGE = Serves("bounds on I(S; Y)", lambda notion: notion.average is not None)
MAXIMAL = Serves("bounds on maximal leakage", lambda notion: notion.maximal is not None)

mechanisms.register(
    Mechanism(
        "best-partition",
        "liftbook.relatives.best_partition:best_partition",
        COLUMNWISE,
        "3^|X|",
        "this book",
        most_symbols=13,
    ),
    Mechanism(
        "robust",
        "liftbook.relatives.robust:robust_response",
        POLYHEDRAL,
        "vertices, of all distributions together",
        "this book; S20 Remark 1",
        most_symbols=17,
        options=("others", "gap", "seconds"),
    ),
    Mechanism(
        "secret-aware",
        "liftbook.relatives.secret_aware:secret_aware_response",
        PLAIN,
        "programmes of |S| |X| rows; 3^|S| steps for each posterior",
        "this book",
        sees_secret=True,
        most_symbols=17,
        options=("gap", "seconds"),
    ),
    Mechanism("extremal", "liftbook.relatives.extremal:extremal_response", CEILING, "|X|²", "Grosse2023, for S = X"),
    Mechanism("hamming", "liftbook.relatives.hamming:hamming_response", MAXIMAL, "|X|²", "Saeidian2021, for S = X"),
    Mechanism(
        "staircase",
        "liftbook.relatives.staircase:staircase_response",
        RATIOS,
        "a linear programme of 2^|X| columns",
        "Kairouz2016, for S = X",
        most_symbols=12,
    ),
    Mechanism(
        "funnel-merging",
        "liftbook.relatives.funnel:funnel_merging",
        ANY,
        "|X|³ releases",
        "Makhdoumi2014",
        most_symbols=30,
    ),
    Mechanism(
        "funnel-subsets",
        "liftbook.relatives.submodular:funnel_subsets",
        AVERAGE,
        "2^|X| subsets a step",
        "Ding2019",
        most_symbols=15,
    ),
    Mechanism(
        "funnel-descent",
        "liftbook.relatives.descent:funnel_descent",
        AVERAGE,
        "72 descents of |S| |X|² a step",
        "Huang2024",
        most_symbols=40,
        options=("starts", "rng"),
    ),
    Mechanism(
        "funnel",
        "liftbook.relatives.funnel:funnel_response",
        AVERAGE,
        "a linear programme of 2^|X| columns, and seven optima",
        "this book; Makhdoumi2014",
        most_symbols=12,
    ),
    Mechanism("tailored", "liftbook.relatives.tailored:tailored_response", BOUNDS, "|S| |X|", "this book"),
    Mechanism(
        "extreme-reduction",
        "liftbook.relatives.bounded_reduction:extreme_reduction",
        COLUMNWISE,
        "a root of linear programmes of |S| |X| unknowns",
        "this book; I21 section IV leaves it open",
        sees_secret=True,
    ),
)
catalogue.register(average=AverageLeakage, maximal=MaximalLeakage)
