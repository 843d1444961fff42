"""What C22 prints of its Example 1."""

from __future__ import annotations

import numpy as np

from liftbook import figures
from liftlib.measures.evaluation import evaluate
from liftlib.measures.lifts import lift
from liftlib.mechanisms.merging.watchdog import watchdog
from liftlib.notions import LIP


def c22_example_entropy_is_possible() -> bool:
    """H(X) = 1.6034 on five symbols: at most log 5."""
    return bool(np.log(5) >= 1.6034)


def c22_example_is_possible() -> bool:
    joint, notion = figures.example_c22_1(), LIP(0.8)
    channel = watchdog(joint, notion, extend=False)
    release = channel.release(joint)
    found = [
        *notion.risk(lift(joint), joint.p_s),
        evaluate(joint, channel).entropy,
        evaluate(joint, channel).mutual_information,
        *notion.risk(lift(release), release.p_s),
    ]
    printed = [1.3515, 1.6458, 0.9295, 0.8161, 0.2608, 1.6034, 0.5269, 0.2608, 0.0627]
    return bool(np.abs(np.array(found) - printed).max() <= 0.00005)


def c22_example_budget_over_leakage() -> float:
    joint = figures.example_c22_1()
    release = watchdog(joint, LIP(0.8), extend=False).release(joint)
    return 0.8 / float(LIP(0).risk(lift(release), release.p_s)[-1])
