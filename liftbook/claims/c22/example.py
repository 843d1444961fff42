"""Claims about Example 1 of C22."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from liftbook import figures
from liftbook.claims.judging import long
from liftbook.figures.c22.example import EXAMPLE_MERGED_RISK, EXAMPLE_RISKS
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift
from liftlib.merging.watchdog import watchdog
from liftlib.notions import LIP


def c22_example_sets() -> bool:
    """Whether all published risks but the last are above the budget of 0.8."""
    return [risk > 0.8 for risk in EXAMPLE_RISKS] == [True, True, True, True, False]


def c22_example_is_possible() -> bool:
    joint, notion = figures.example_c22_1(), LIP(0.8)
    channel = watchdog(joint, notion, extend=False)
    release = channel.release(joint)
    computed = [
        *notion.risk(lift(joint), joint.p_s),
        evaluate(joint, channel).entropy,
        evaluate(joint, channel).mutual_information,
        *notion.risk(lift(release), release.p_s),
    ]
    printed = [1.3515, 1.6458, 0.9295, 0.8161, 0.2608, 1.6034, 0.5269, 0.2608, 0.0627]
    return bool(np.abs(np.array(computed) - printed).max() <= 0.00005)


def c22_example_budget_over_leakage() -> float:
    """Return the ratio of the published budget to the merged symbols' published risk."""
    return 0.8 / EXAMPLE_MERGED_RISK


def c22_table_1_gain() -> bool:
    """Whether Table 1's second row has more utility and leakage, but leakage < 1."""
    return 0.7335 > 0.5913 and 0.8037 <= 0.8488 < 1


@lru_cache(maxsize=2)
def _family(seed: int) -> pd.DataFrame:
    return figures.example_c22_1_family(2000, rng=seed)


@long
def c22_example_complete_share(seed: int) -> float:
    """Return the share of joints with C22's numbers that are merged completely."""
    return float((_family(seed)["subsets"] == 1).mean())


@long
def c22_example_largest_information(seed: int) -> float:
    """Return the largest I(X;Y) of Algorithm 1 on joints with C22's numbers, nats."""
    return float(_family(seed)["information"].max())
