"""Mechanisms and notions beyond the four papers.

Importing this package registers them, so that ``liftlib.design`` and the command line
find them by name. Every mechanism takes a joint distribution P_SX and a notion, and
returns a channel, P(y|x) or P(y|s,x), whose certificate says how it was found. It
raises ``UnsupportedNotion`` if it does not support the notion, ``InvalidParameter`` if
there are too many symbols, and ``SolverFailure`` if a solver's result fails its check.
"""

from __future__ import annotations

import numpy as np

from liftbook.relatives.best_partition import best_partition
from liftbook.relatives.bounded_reduction import extreme_reduction
from liftbook.relatives.descent import funnel_descent
from liftbook.relatives.extremal import extremal_response
from liftbook.relatives.funnel import funnel_merging
from liftbook.relatives.overall import AverageLeakage, MaximalLeakage
from liftbook.relatives.robust import robust_response
from liftbook.relatives.secret_aware import secret_aware_response
from liftbook.relatives.tailored import tailored_response
from liftlib.notions import LiftNotion, Notion, Polyhedral, PolyhedralLift, catalogue
from liftlib.registry import Mechanism, mechanisms


def _exact(notion: LiftNotion) -> bool:
    # whether bounds are exact, and which side is unbounded, depends on the notion
    # alone, not on the prior
    return notion.lift_bounds(np.full(2, 0.5)).exact


def _ceiling(notion: LiftNotion) -> bool:
    return _exact(notion) and bool(
        np.isinf(notion.lift_bounds(np.full(2, 0.5)).lower).all()
    )


mechanisms.register(
    Mechanism(
        "best-partition",
        best_partition,
        LiftNotion,
        "3^|X|",
        "this book",
        most_symbols=13,
    ),
    Mechanism(
        "robust",
        robust_response,
        Polyhedral,
        "vertices, of all distributions together",
        "this book; S20 Remark 1",
        most_symbols=17,
    ),
    Mechanism(
        "secret-aware",
        secret_aware_response,
        PolyhedralLift,
        "programmes of |S| |X| rows; 3^|S| steps for each posterior",
        "this book",
        sees_secret=True,
        most_symbols=17,
    ),
    Mechanism(
        "extremal",
        extremal_response,
        LiftNotion,
        "|X|²",
        "Grosse2023, for S = X",
        condition=("a bound on the largest lift alone", _ceiling),
    ),
    Mechanism(
        "funnel-merging",
        funnel_merging,
        Notion,
        "|X|³ releases",
        "Makhdoumi2014",
        most_symbols=30,
    ),
    Mechanism(
        "funnel-descent",
        funnel_descent,
        AverageLeakage,
        "72 descents of |S| |X|² a step",
        "Huang2024",
        most_symbols=40,
    ),
    Mechanism(
        "tailored",
        tailored_response,
        LiftNotion,
        "|S| |X|",
        "this book",
        condition=("a notion that bounds single lifts", _exact),
    ),
    Mechanism(
        "extreme-reduction",
        extreme_reduction,
        LiftNotion,
        "a root of linear programmes of |S| |X| unknowns",
        "this book; I21 section IV leaves it open",
        sees_secret=True,
    ),
)
catalogue.register(average=AverageLeakage, maximal=MaximalLeakage)
