"""What a release promises, end to end."""

import math

import numpy as np
import polars as pl
import pytest
from bounds_by_hand import interval, needed
from table_of_people import counts_of

import liftlib as ll
import lifttables as tables
from lifttables.confident.families import Obstacle
from lifttables.designs import designing
from lifttables.releases import pipeline

ERROR = 0.05
CLOSE = 1e-4
"""Nats: a budget by so much above what is needed is enough, and one by so much below is
not.
"""


def needed_by_design(counts, kernel, ways):
    """Return what a design for LIP needs, whose rows chose one of ``ways``
    alphabets.
    """
    return needed(counts, kernel, ERROR / ways)


def needed_by_audit(counts, kernel, ways):
    """Return what an audit says that LIP needs for two symbols.

    The chance of error is shared by four: P(X|s) of two secrets, P(X), and P_S, and by
    two ends of each. A symbol and the other one are the two subsets of size 1. An
    output is min(P(y|x)) of both and what is left of one.
    """
    counts = np.asarray(counts)
    part, worst = ERROR / 4 / ways, 0.0
    prior = [interval(rows, counts.sum(), part / 4)[0] for rows in counts.sum(axis=1)]
    for column in np.asarray(kernel).T:
        x, rest = int(np.argmax(column)), float(column.min())
        ends = [
            interval(row[x], row.sum(), part / 4)
            for row in [*counts, counts.sum(axis=0)]
        ]
        lower, upper = (
            rest + (float(column.max()) - rest) * np.array(end)
            for end in zip(*ends, strict=True)
        )
        for s in range(2):
            if upper[2] > 0:
                most = (
                    min(upper[s] / lower[2], 1 / prior[s])
                    if lower[2] > 0
                    else 1 / prior[s]
                )
                least = lower[s] / upper[2]
                worst = max(
                    worst, math.log(most), -math.log(least) if least > 0 else math.inf
                )
    return worst


def by_names():
    """One symbol of 3,000 rows and eleven rare ones."""
    names = ["u"] * 3000 + [f"v{i % 11}" for i in range(330)]
    rows = [
        ("ab"[i * 7 % 10 < 3 + 2 * (name != "u")], name) for i, name in enumerate(names)
    ]
    return pl.DataFrame(rows, schema=["s", "x"], orient="row"), 12


CASES = {"pool": (by_names, {"rare": "pool", "min_count": 100})}


@pytest.fixture(params=CASES)
def case(request):
    make, words = CASES[request.param]
    frame, ways = make()
    counts = counts_of(frame, "s", "x", **words).table
    assert counts.shape == (2, 2)
    return frame, words, counts, ways


def test_what_the_choice_of_the_rows_costs(case):
    _, _, counts, ways = case
    for by_hand in (
        lambda ways: needed_by_audit(counts, np.eye(2), ways),
        lambda ways: needed_by_design(counts, np.eye(2), ways),
    ):
        assert by_hand(ways) > by_hand(1) + 10 * CLOSE


def test_an_audit_charges_for_the_choice(case):
    frame, words, counts, ways = case
    eps = needed_by_audit(counts, np.eye(2), ways)
    for budget, verdict in ((eps + CLOSE, "kept"), (eps - CLOSE, "undecided")):
        found = tables.audit(
            frame, secret="s", public="x", notion=ll.LIP(budget), resamples=0, **words
        )
        assert found.population == verdict


@pytest.mark.parametrize("merge", [False, True])
def test_a_release_charges_for_the_choice(case, merge, monkeypatch):
    """By the sample from which the design is made."""
    frame, words, _, ways = case
    asked = []

    def recorded(sample, *rest, **more):
        asked.append(sample)
        return designed(sample, *rest, **more)

    designed = designing.designed
    monkeypatch.setattr(designing, "designed", recorded)
    tables.sanitise(
        frame, secret="s", public="x", notion=ll.LIP(1.0), merge=merge, **words
    )
    assert asked
    assert all(sample.chosen == pytest.approx(math.log(ways)) for sample in asked)


def test_what_stops_a_release_charges_for_the_choice(case, monkeypatch):
    frame, words, _, ways = case
    asked = []
    monkeypatch.setattr(
        pipeline,
        "obstacle",
        lambda sample, _: asked.append(sample) or Obstacle(0, math.inf),
    )
    with pytest.raises(tables.NothingToRelease):
        tables.sanitise(frame, secret="s", public="x", notion=ll.LIP(1e-3), **words)
    assert asked[0].chosen == pytest.approx(math.log(ways))
