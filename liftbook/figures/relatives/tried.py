"""The map as tables: arrows, gaps, post-processing and second releases on random and
extremal releases.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd

from liftbook.figures.relatives.arrows import (
    ARROWS,
    GAPS,
    Arrow,
    extremal_cases,
    random_cases,
    release_with_lifts,
)
from liftbook.figures.relatives.notions import RELATIVES, Case
from liftlib.channel import Channel
from liftlib.joint import Joint

ADDITIVE = {"DP": "x", "LDP-X": "x", "LDP-S": "s", "MaxL": "s", "I": "s"}
"""Notions whose budgets add up: for releases that are independent given X (x), or only
if given S (s).
"""


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

    Two releases of the first pair raise the same rare secret, and those of the second
    lower it; they disagree on the other secrets. In the third pair one output says
    whether the secret is rare, and the other which of two rare ones it is. In the
    fourth pair both point to one rare secret.
    """
    prior = [1 / 3, 2 / 3, 1e-6]
    up = [release_with_lifts(prior, lifts) for lifts in ([2, 0.5, 2], [0.5, 1.25, 2])]
    down = release_with_lifts(prior, [2, 0.5, 0.5])
    rare = Case(
        Joint(np.diag([0.96, 0.02, 0.02])), Channel(np.array([[1, 0], [0, 1], [0, 1]]))
    )
    which = Channel(np.array([[0.75, 0.25], [1, 0], [0, 1]]))
    point = Case(
        Joint(np.diag([0.05, 0.92, 0.03])),
        Channel(np.array([[0.1, 0.9], [0.1, 0.9], [1, 0]])),
    )
    also = Channel(np.array([[0, 1], [0.1, 0.9], [1, 0]]))
    return [(up[0], up[1].channel), (down, down.channel), (rare, which), (point, also)]


def twice(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return each notion's excess under post-processing and composition.

    The columns are ``name`` and ``key``; ``processed``, the largest increase of the
    measure by random post-processing, never above 0 for a notion that is closed under
    it; ``given_x`` and ``given_s``, the largest difference between the measure of a
    pair and the sum over its releases, for releases independent given X, and for
    releases of S itself.
    """
    worst = {
        key: {"processed": -np.inf, "given_x": -np.inf, "given_s": -np.inf}
        for key in RELATIVES
    }
    for case in random_cases(n, rng):
        after = rng.dirichlet(np.full(3, 0.5), size=case.channel.n_outputs)
        coarse = Case(case.joint, Channel(case.channel.kernel @ after), case.records)
        other = Channel(
            rng.dirichlet(np.full(3, float(rng.choice([0.5, 5.0]))), size=4)
        )
        diagonal = Case(Joint(np.diag(case.joint.p_x)), case.channel, case.records)
        for key, relative in RELATIVES.items():
            excess = worst[key]
            excess["processed"] = max(
                excess["processed"],
                _rise(relative.measure(coarse), relative.measure(case)),
            )
            for kind, first in (("given_x", case), ("given_s", diagonal)):
                excess[kind] = max(excess[kind], _more(key, first, other))
    for kind, pairs in (("given_x", [exclusive_or()]), ("given_s", agreeing())):
        for first, other in pairs:
            for key in RELATIVES:
                worst[key][kind] = max(worst[key][kind], _more(key, first, other))
    return pd.DataFrame(
        [
            {"name": RELATIVES[key].name, "key": key, **excess}
            for key, excess in worst.items()
        ]
    )


def _rise(after: float, before: float) -> float:
    return after - before if np.isfinite(before) else -np.inf


def _more(key: str, case: Case, second: Channel) -> float:
    measure = RELATIVES[key].measure
    alone = measure(case) + measure(Case(case.joint, second, case.records))
    return _rise(measure(both(case, second)), alone)


def places() -> pd.DataFrame:
    """Return the picture's boxes: columns ``key``, ``name``, ``column``, ``row``."""
    return pd.DataFrame(
        [
            {"key": k, "name": r.name, "column": r.place[0], "row": r.place[1]}
            for k, r in RELATIVES.items()
        ]
    )


def definitions() -> pd.DataFrame:
    """Return the notions: ``notion``, ``bounds``, ``stops``, ``source``."""
    return pd.DataFrame(
        [
            {"notion": r.name, "bounds": r.says, "stops": r.stops, "source": r.source}
            for r in RELATIVES.values()
        ]
    )


def arrows_tried(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return the test of each arrow on random, extremal and attaining releases.

    The columns are ``number``, ``tail``, ``head`` (keys), ``bound``, ``condition``,
    ``source``, ``tried`` (releases that satisfy the condition and have a finite
    measure), ``excess`` (the largest difference of head and bound) and ``met`` (their
    ratio at the arrow's own case, 1 if the bound is attained).
    """
    cases = random_cases(n, rng) + extremal_cases()
    values = [
        {key: relative.measure(case) for key, relative in RELATIVES.items()}
        for case in cases
    ]
    rows = []
    for number, arrow in enumerate(ARROWS, 1):
        over = [
            measured[arrow.head] - bound
            for case, measured in zip(cases, values, strict=True)
            if arrow.when(case) and np.isfinite(measured[arrow.tail])
            for bound in [arrow.bound(measured[arrow.tail], case)]
            if np.isfinite(bound)
        ]
        tight_case = arrow.tight()
        met = RELATIVES[arrow.head].measure(tight_case) / arrow.bound(
            RELATIVES[arrow.tail].measure(tight_case), tight_case
        )
        rows.append(
            {
                "number": number,
                "tail": arrow.tail,
                "head": arrow.head,
                "bound": arrow.says,
                "condition": arrow.condition,
                "source": arrow.source,
                "tried": len(over),
                "excess": max(over),
                "met": met,
            }
        )
    return pd.DataFrame(rows)


def decided() -> pd.DataFrame:
    """Return how the implication between each ordered pair of notions is decided.

    The first implies the second if a path of unconditional arrows connects them, with
    constants that may depend on the rarest secret's probability and on the number of
    records. It does not if some notion that implies the first fails to imply one that
    the second implies.

    The columns are ``tail``, ``head`` (keys) and ``by``: ``"arrows"``, the keys of a
    gap, as ``"I, PMC"``, or nothing.
    """
    reach = {key: {key} for key in RELATIVES}
    sure = [
        (arrow.tail, arrow.head)
        for arrow in ARROWS
        if not arrow.condition and np.isfinite(_far(arrow))
    ]
    for _ in RELATIVES:
        for tail, head in sure:
            for implied in reach.values():
                if tail in implied:
                    implied.add(head)
    rows = []
    for tail, head in permutations(RELATIVES, 2):
        by = "arrows" if head in reach[tail] else ""
        for gap in GAPS:
            if not by and tail in reach[gap.tail] and gap.head in reach[head]:
                by = f"{gap.tail}, {gap.head}"
        rows.append({"tail": tail, "head": head, "by": by})
    return pd.DataFrame(rows)


def _far(arrow: Arrow) -> float:
    """Return an arrow's bound at a large budget, possibly infinite."""
    return arrow.bound(5.0, Case(Joint(np.eye(4) / 4), Channel.identity(4), (2, 2)))


def gaps_tried(parameters: tuple[float, ...] = (0.25, 0.05, 0.01)) -> pd.DataFrame:
    """Return the measures that each counterexample satisfies and violates.

    The columns are ``tail``, ``head`` (keys), ``example``, ``t``, ``kept`` and
    ``broken`` (the measures of the two).
    """
    rows = []
    for gap in GAPS:
        for t in parameters:
            case = gap.case(t)
            satisfied, broken = (
                RELATIVES[gap.tail].measure(case),
                RELATIVES[gap.head].measure(case),
            )
            rows.append(
                {
                    "tail": gap.tail,
                    "head": gap.head,
                    "example": gap.says,
                    "t": t,
                    "kept": satisfied,
                    "broken": broken,
                }
            )
    return pd.DataFrame(rows)
