"""Values that are equal but for rounding choose nothing that is published.

Builds of Python, NumPy and HiGHS round in their own ways, and the page's differs from
the command's. So each choice is made of numbers that are moved by a few roundings, one
way and the other, and must be the same; without the rule it is not.
"""

import functools
import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import lifttables as tables
from liftlib import ALIP, LIP, Channel, Joint
from lifttables.audits.symbols import audited_symbols
from lifttables.confident import response
from lifttables.confident.families import obstacle
from lifttables.confident.subset_lattice import (
    Candidates,
    rows_needed,
    small_subsets,
    united,
)
from lifttables.designs.designing import Kind
from lifttables.designs.statement import published_as
from lifttables.encoding.columns import Column, Symbols
from lifttables.encoding.naming import _leading, texts_of_outputs
from lifttables.population.noisy import NoisySample
from lifttables.population.sample import Sample
from mixproof import numerics

SIGNS = (-3, -1, 0, 1, 3)
# P(x, y): the first two symbols are alike
TWINS = [[0.2, 0.1, 0.1], [0.2, 0.1, 0.1], [0.1, 0.1, 0.0]]
# of 163 rows; the page's Python had its 17 outputs in another order
NOISY = [
    [5, 3, 6, 5, 6, 6, 5, 3, 13, 9, 5, 0, 0, 8, 7, 3, 3],
    [0, 4, 4, 4, 5, 0, 3, 6, 4, 2, 6, 6, 9, 7, 7, 8, 4],
]


def shaken(values, sign):
    """Return values that are moved by up to ``sign`` 1e-15 of each, up or down."""
    values = np.asarray(values, dtype=float)
    ways = np.cos(np.arange(values.size)).reshape(values.shape)
    return values * (1 + sign * 1e-15 * ways)


def shaken_sample(counts, sign):
    """Return a sample with shaken bounds, which keeps the subsets that are judged."""

    class Shaken(Sample):
        judged = ()

        def misses(self, *asked):
            return shaken(super().misses(*asked), sign)

        def satisfied(self, notion, member):
            type(self).judged += (np.asarray(member).tolist(),)
            return super().satisfied(notion, member)

    return Shaken(counts)


def cone_of(sizes, sign, n=7):
    """Return a cone of n equal symbols in which subsets of these sizes are feasible."""
    member = small_subsets(n)
    p_x = shaken(np.full(n, 1 / n), sign)
    mass = member @ p_x
    inside = np.isin(member.sum(axis=1), [*sizes, n])
    table = np.where(inside, -1.0, 1.0)[None]
    return response.Cone(table, member, mass, member * p_x / mass[:, None]), inside


def leading(sign):
    return _leading(shaken(TWINS, sign))


def texts_of_towns(sign):
    towns = Symbols((Column("town"),), (("Ely",), ("Rye",), ("Wye",)))
    return texts_of_outputs(towns, [(0, 1, 2)] * 3, shaken(TWINS, sign))


@functools.cache
def even_design():
    """A design of four values that are equally common, without noise."""
    rows = list(itertools.product("ab", "pqrt")) * 50
    frame = pl.DataFrame(rows, schema=["s", "x"], orient="row")
    done = tables.sanitise(
        frame, secret="s", public="x", notion=LIP(5.0), noise=30, rng=1
    )
    return done.design


def lines(sign):
    channel = Channel(shaken(np.full((4, 2), 0.5), sign))
    names = (("one",), ("two",))
    return published_as(
        replace(even_design(), kind=Kind.RESPONSE, channel=channel, texts=names)
    )


def audit(sign):
    joint = Joint(shaken([[0.15, 0.1], [0.1, 0.15], [0.15, 0.1], [0.1, 0.15]], sign))
    return [
        (one.symbol, one.least, one.most) for one in audited_symbols(joint, 100, None)
    ]


def partition(sign):
    sample = Sample(np.full((2, 6), 25))
    vars(sample)["weights"] = shaken(np.full(6, 1 / 6), sign)
    found = Candidates(sample)
    return found.best_partition(found.member.sum(axis=1) == 2)


def blocks(sign):
    return united(shaken([[10, 20] * 3, [20, 10] * 3], sign), 3)


def stopped_by(sign):
    counts = [[40, 10, 50], [10, 40, 50], [25, 25, 50]]
    return obstacle(shaken_sample(counts, sign), LIP(0.1)).secret


def enough_rows_for(sign):
    sample = shaken_sample([[50] * 6, [40] * 6], sign)
    rows_needed(sample, LIP(0.1))
    return sample.judged[0]


def joining(sign):
    cone, inside = cone_of([1, 2, 3], sign)
    pool, _ = response._best_mixture(cone, inside, cone.rows[-1], [])
    return [row.at.tolist() for row in pool[:17]]


def priced(sign):
    cone, inside = cone_of([2, 3], sign)
    search = response._Search(cone, np.zeros_like(inside))
    search.least(1 + np.arange(7.0) // 5)
    return search.held.tolist()


def known(sign):
    cone, inside = cone_of([1, 2, 3], sign)
    cone.table[0, 0] = sign * 1e-15
    row = response.Row(np.array([0]), np.ones(1))
    pool, _ = response._best_mixture(cone, np.zeros_like(inside), cone.rows[-1], [row])
    return [one.at.tolist() for one in pool[:2]]


CHOICES = (
    leading,
    texts_of_towns,
    lines,
    audit,
    partition,
    blocks,
    stopped_by,
    enough_rows_for,
    joining,
    priced,
    known,
)


@pytest.mark.parametrize("choice", CHOICES)
def test_rounding_chooses_nothing(choice):
    assert len({repr(choice(sign)) for sign in SIGNS}) == 1


@pytest.mark.parametrize("choice", CHOICES)
def test_without_the_rule_it_would(choice, monkeypatch):
    monkeypatch.setattr(numerics, "TIE_TOL", 0.0)
    monkeypatch.setattr(response, "SOLVER_TOL", 0.0)
    assert len({repr(choice(sign)) for sign in SIGNS}) > 1


def test_the_first_of_equal_values_is_first():
    values = [np.inf, 0.3, 1.0, 0.1 + 0.2, 1.0 + 1e-15, -np.inf, np.inf, 0.3 + 1e-6]
    assert numerics.ranked(values).tolist() == [0, 6, 2, 4, 7, 1, 3, 5]
    assert numerics.first_largest(np.array(values[1:6])) == 1


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_response_has_the_same_outputs_in_the_same_order(sign, monkeypatch):
    def made():
        sample = NoisySample(NOISY, 163, 1.0)
        return response.confident_response(sample, ALIP(2.98883, 1.60937)).kernel

    expected = made()
    of_rows, of_sample = response.entropies, NoisySample.misses
    monkeypatch.setattr(response, "entropies", lambda p: shaken(of_rows(p), sign))
    monkeypatch.setattr(
        NoisySample, "misses", lambda *asked: shaken(of_sample(*asked), sign)
    )
    np.testing.assert_allclose(made(), expected, atol=1e-9)


@pytest.mark.parametrize("sign", SIGNS)
def test_rounding_gives_no_symbol_another_output(sign):
    weights = (1 - np.eye(3)) / 2
    parts = response.stochastic(np.eye(3, dtype=bool), shaken(weights, sign))
    assert ((parts.kernel > 0) == (weights > 0)).all()
    assert (parts.kernel.sum(axis=1) == 1).all()


def test_a_row_joins_a_mixture_once_and_its_place_decides_nothing():
    sample = NoisySample(NOISY, 163, 1.0)
    member = small_subsets(17)
    mass = member @ sample.weights
    misses = sample.trusted.misses(ALIP(2.98883, 1.60937), member)
    rows = member * sample.weights / mass[:, None]
    cone = response.Cone(misses / mass, member, mass, rows)
    certified = (misses <= 0).all(axis=0)
    pool, mixture = response._best_mixture(cone, certified, sample.weights, [])
    posteriors = np.array([row.weights @ rows[row.at] for row in pool])
    apart = np.abs(posteriors[:, None] - posteriors).max(axis=2)
    assert apart[~np.eye(len(pool), dtype=bool)].min() > 1e-9
    solution = replace(mixture.solution, x=mixture.solution.x[::-1])
    backwards = mixture._replace(solution=solution)
    expected, _ = response._parts(cone, pool, mixture)
    found, _ = response._parts(cone, pool[::-1], backwards)
    np.testing.assert_allclose(found.kernel, expected.kernel, atol=1e-12)
