"""Each notion under post-processing and under a second release."""

from __future__ import annotations

import numpy as np
import pandas as pd

from liftbook.figures.relatives.arrows import random_cases, told
from liftbook.figures.relatives.notions import RELATIVES, Case
from liftlib.channel import Channel
from liftlib.joint import Joint

ADDITIVE = {"DP": "x", "LDP-X": "x", "LDP-S": "s", "MaxL": "s", "I": "s"}
"""Notions whose budgets add up: for releases that are independent given X (x), or only if given S (s)."""


def both(case: Case, second: Channel) -> Case:
    """Return the release of two outputs, drawn independently given X."""
    first = case.channel.kernel
    pair = np.einsum("xy,xz->xyz", first, second.kernel).reshape(len(first), -1)
    return Case(case.joint, Channel(pair), case.records)


def exclusive_or() -> tuple[Case, Channel]:
    """Return two releases of X = (A, S xor A), with A and S fair bits."""
    joint = Joint(np.array([[0.25, 0, 0, 0.25], [0, 0.25, 0.25, 0]]))
    first, second = np.repeat(np.eye(2), 2, axis=0), np.tile(np.eye(2), (2, 1))
    return Case(joint, Channel(first)), Channel(second)


def agreeing() -> list[tuple[Case, Channel]]:
    """Return pairs of releases of S that together leak more than their sum.

    Two releases of the first pair raise the same rare secret, and those of the second lower it; they disagree on the
    other secrets. In the third pair one output says whether the secret is rare, and the other which of two rare ones it
    is. In the fourth pair both point to one rare secret.
    """
    prior = [1 / 3, 2 / 3, 1e-6]
    up = [told(prior, lifts) for lifts in ([2, 0.5, 2], [0.5, 1.25, 2])]
    down = told(prior, [2, 0.5, 0.5])
    rare = Case(Joint(np.diag([0.96, 0.02, 0.02])), Channel(np.array([[1, 0], [0, 1], [0, 1]])))
    which = Channel(np.array([[0.75, 0.25], [1, 0], [0, 1]]))
    point = Case(Joint(np.diag([0.05, 0.92, 0.03])), Channel(np.array([[0.1, 0.9], [0.1, 0.9], [1, 0]])))
    also = Channel(np.array([[0, 1], [0.1, 0.9], [1, 0]]))
    return [(up[0], up[1].channel), (down, down.channel), (rare, which), (point, also)]


def twice(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return each notion's excess under post-processing and composition.

    The columns are ``name`` and ``key``; ``processed``, the largest increase of the measure by random post-processing,
    never above 0 for a notion that is closed under it; ``given_x`` and ``given_s``, the largest difference between the
    measure of a pair and the sum over its releases, for releases independent given X, and for releases of S itself.
    """
    worst = {key: {"processed": -np.inf, "given_x": -np.inf, "given_s": -np.inf} for key in RELATIVES}
    for case in random_cases(n, rng):
        after = rng.dirichlet(np.full(3, 0.5), size=case.channel.n_outputs)
        coarse = Case(case.joint, Channel(case.channel.kernel @ after), case.records)
        other = Channel(rng.dirichlet(np.full(3, float(rng.choice([0.5, 5.0]))), size=4))
        diagonal = Case(Joint(np.diag(case.joint.p_x)), case.channel, case.records)
        for key, relative in RELATIVES.items():
            excess = worst[key]
            excess["processed"] = max(excess["processed"], _rise(relative.measure(coarse), relative.measure(case)))
            for kind, first in (("given_x", case), ("given_s", diagonal)):
                excess[kind] = max(excess[kind], _more(key, first, other))
    for kind, pairs in (("given_x", [exclusive_or()]), ("given_s", agreeing())):
        for first, other in pairs:
            for key in RELATIVES:
                worst[key][kind] = max(worst[key][kind], _more(key, first, other))
    return pd.DataFrame([{"name": RELATIVES[key].name, "key": key, **excess} for key, excess in worst.items()])


def _rise(after: float, before: float) -> float:
    return after - before if np.isfinite(before) else -np.inf


def _more(key: str, case: Case, second: Channel) -> float:
    measure = RELATIVES[key].measure
    alone = measure(case) + measure(Case(case.joint, second, case.records))
    return _rise(measure(both(case, second)), alone)
