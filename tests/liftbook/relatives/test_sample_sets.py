"""Sets of the literature around a table, by other routes."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binomtest, chi2, multinomial

import liftlib as ll
from liftbook.relatives.sample_sets import Ball, L1Sample, PearsonSample, l1_distance
from liftlib.errors import InvalidDistribution, InvalidParameter
from lifttables.confident.response import confident_response
from lifttables.population.sample import Sample

each_set = pytest.mark.parametrize("kind", [L1Sample, PearsonSample])
COUNTS = np.array([[30, 12, 8], [10, 25, 15]])


def subsets(n):
    return np.array(list(itertools.product([False, True], repeat=n)))


def holds(sample, p):
    member = subsets(p.shape[1])
    of = np.vstack([p / p.sum(axis=1, keepdims=True), p.sum(axis=0)]) @ member.T
    found, (low, high), p_s = sample.subsets(member), sample.prior, p.sum(axis=1)
    cells = (found.lower <= of + 1e-12).all() and (of <= found.upper + 1e-12).all()
    return cells and (low <= p_s + 1e-12).all() and (p_s <= high + 1e-12).all()


def test_two_symbols_are_hoeffdings_bound():
    for rows, level in ((10, 0.3), (500, 0.01)):
        # P(|share - p| >= t) <= 2 exp(-2 n t^2), and the l1 distance of two symbols is 2 t
        assert l1_distance(rows, 2, math.log(level)) == pytest.approx(2 * math.sqrt(math.log(2 / level) / (2 * rows)))
    assert l1_distance(5, 1, -3.0) == 0.0
    assert l1_distance([0, 1], 30, -3.0).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("p", [[[0.3, 0.2], [0.1, 0.4]], [[0.02, 0.5], [0.44, 0.04]]])
def test_the_l1_confidence_by_every_table_there_can_be(p):
    p, chance = np.array(p), 0.0
    law = multinomial(12, p.ravel())
    for bars in itertools.combinations(range(15), 3):
        cells = [b - a - 1 for a, b in itertools.pairwise([-1, *bars, 15])]
        chance += law.pmf(cells) * holds(L1Sample(np.reshape(cells, (2, 2)), 0.6), p)
    assert chance >= 0.6


@pytest.mark.parametrize(("seen", "rows"), [(0, 9), (3, 20), (20, 20)])
def test_pearsons_set_of_two_symbols_is_wilsons_interval(seen, rows):
    found = PearsonSample([[seen, rows - seen]], 0.9).subsets([[True, False]])
    wilson = binomtest(seen, rows).proportion_ci(0.9, method="wilson")
    for row in (0, 1):
        ends = (found.lower[row, 0], found.upper[row, 0])
        assert ends == (pytest.approx(wilson.low, abs=1e-12), pytest.approx(wilson.high, abs=1e-12))


@pytest.mark.parametrize("inside", [[True, False, False], [True, True, False]])
def test_pearsons_bounds_are_the_ends_of_the_set(inside):
    sample, inside = PearsonSample(COUNTS, 0.95), np.array(inside)
    share, found = COUNTS / 100, PearsonSample(COUNTS, 0.95).subsets([inside])
    room = chi2.ppf(0.95, 5) / 100
    assert sample.radius == pytest.approx(room)
    room_left = {
        "type": "ineq",
        "fun": lambda x: 1 + room - (share.ravel() ** 2 / x).sum(),
        "jac": lambda x: (share.ravel() / x) ** 2,
    }
    total = {"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like}
    aims = {
        found.upper[0, 0]: lambda q: q[0, inside].sum() / q[0].sum(),
        found.upper[1, 0]: lambda q: q[1, inside].sum() / q[1].sum(),
        found.upper[2, 0]: lambda q: q[:, inside].sum(),
        sample.prior[1][0]: lambda q: q[0].sum(),
        1 - found.lower[0, 0]: lambda q: 1 - q[0, inside].sum() / q[0].sum(),
    }
    for bound, aim in aims.items():
        end = share.ravel()
        for _ in range(3):  # on some machines it ends early, and goes on from there
            best = minimize(
                lambda x, aim=aim: -aim(x.reshape(2, 3)), end, bounds=[(1e-6, 1)] * 6,
                constraints=[room_left, total], method="SLSQP", options={"ftol": 1e-12, "maxiter": 500},
            )  # fmt: skip
            end = best.x
        assert best.success
        assert -best.fun == pytest.approx(bound, abs=1e-6)
        assert sample.within((0.999999 * best.x + 1e-6 * share.ravel()).reshape(2, 3))


@each_set
def test_bounds_on_the_odd_cases(kind):
    member = subsets(3)
    found = kind([[5, 0, 2], [0, 0, 0], [1, 4, 0]]).subsets(member)
    assert found.lower[1, 1:-1].tolist() == [0] * 6
    assert found.upper[1, 1:-1] == pytest.approx(np.ones(6))
    assert (found.lower[:, -1] == 1).all()
    assert (found.upper[:, 0] == 0).all()
    assert (found.lower <= found.upper).all()
    # an empty column was not seen, and is not impossible
    assert (found.upper[:, 2] > 0).all()
    one = kind([[4]])
    assert [end.tolist() for end in one.prior] == [[1.0], [1.0]]
    assert one.subsets([[True], [False]]).upper.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    two = kind([[4], [6]]).cells()
    assert two.lower.tolist() == [[1.0]] * 3
    with pytest.raises(InvalidParameter, match=r"member has shape \(3,\): give \(m, 3\), a row for each subset"):
        kind(COUNTS).subsets([True, False, True])


@each_set
def test_choices_and_confidence_widen(kind):
    plain = kind(COUNTS, 0.9).cells()
    for other in (kind(COUNTS, 0.99), kind(COUNTS, 0.9, 5.0)):
        assert (other.cells().upper > plain.upper).all()
        assert (other.prior[0] < plain.prior_lower).all()


def test_what_is_within_pearsons_set():
    sample = PearsonSample(COUNTS)
    assert sample.within(COUNTS / 100)
    assert not sample.within(np.full((2, 3), 1 / 6))
    with pytest.raises(InvalidParameter, match=r"p has shape \(1, 2\) and the sample \(2, 3\): match them"):
        sample.within([[0.5, 0.5]])
    with pytest.raises(InvalidDistribution):
        sample.within([[0.5, 0.5, 0.5], [0.1, 0.1, 0.1]])


@each_set
@pytest.mark.parametrize("notion", [ll.LIP(0.5), ll.LDP(0.8), ll.LIP(0.0), ll.LIP(50.0)])
def test_a_design_keeps_its_notion_in_the_whole_set(kind, notion):
    counts = 40 * COUNTS
    channel = confident_response(counts, notion, bounds=kind)
    assert kind(counts).keeps(notion, channel)
    rng, sample = np.random.default_rng(0), PearsonSample(counts)
    tried = 0
    for draw in rng.dirichlet(counts.ravel() + 1.0, 300).reshape(-1, 2, 3):
        if kind is L1Sample or sample.within(draw):
            tried += holds(kind(counts), draw)
            assert not holds(kind(counts), draw) or notion.is_satisfied(ll.Joint(draw), channel)
    assert tried > 100


def test_more_symbols_than_are_listed_keep_their_set():
    counts = np.random.default_rng(1).integers(50, 90, (2, 28))
    channel = confident_response(counts, ll.LIP(1.0), bounds=L1Sample)
    assert channel.certificate.rows == counts.sum() - round(0.25 * counts.sum())
    assert channel.certificate.violation <= 1e-9
    narrow = confident_response(counts, ll.LIP(1.0), bounds=Sample)
    assert channel.certificate.value < narrow.certificate.value


def test_another_class_is_refused():
    for wrong in ("l1", ll.LIP, Ball):  # Ball is what the sets have in common, and none itself
        with pytest.raises(InvalidParameter, match=r"bounds is .*: give Sample or a class derived from it"):
            confident_response(COUNTS, ll.LIP(1.0), bounds=wrong)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [200, 2000])
def test_coverage_by_simulation(rows):
    p = np.array([[0.3, 0.2], [0.1, 0.4]])
    rng = np.random.default_rng(7)
    tables = rng.multinomial(rows, p.ravel(), 2000).reshape(-1, 2, 2)
    assert np.mean([holds(L1Sample(one, 0.95), p) for one in tables]) >= 0.95
    # approximate: three standard errors of 2000 tables around the confidence
    assert np.mean([PearsonSample(one, 0.95).within(p) for one in tables]) == pytest.approx(0.95, abs=0.015)
