"""The best response for Pearson's set: worst cases by a search, by intervals and by hand, and what it keeps."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import liftlib as ll
from liftlib.errors import InvalidDistribution, UnsupportedNotion
from lifttables.confident.response import confident_response
from lifttables.confident.uncertainty_set import largest_means, pearson_response
from lifttables.population.sample import Parts
from lifttables.population.sets import L1Sample, PearsonSample

COUNTS = np.array([[300, 120, 80], [100, 250, 150]])


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_mean_by_a_search_of_the_ball(seed):
    rng = np.random.default_rng(seed)
    share, room, column = rng.dirichlet(np.ones(4)), rng.uniform(0.01, 0.5), rng.random(4)
    found = largest_means(share[None], np.array([room]), column[:, None])
    best = minimize(
        lambda p: -(column @ p),
        share,
        bounds=[(1e-9, 1)] * 4,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "ineq", "fun": lambda p: 1 + room - (share**2 / p).sum()},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    # a search that stops short of its own tolerance is near all the same
    assert found.mean[0, 0] == pytest.approx(-best.fun, abs=1e-6)
    at = found.at[0, 0]
    assert column @ at == pytest.approx(found.mean[0, 0], abs=1e-12)
    assert (share**2 / at).sum() == pytest.approx(1 + room, abs=1e-9)


def test_an_indicators_mean_is_the_end_of_the_intervals():
    sample = PearsonSample(COUNTS)
    between = sample.cells()
    table = np.vstack([COUNTS, COUNTS.sum(axis=0)])
    of = table.sum(axis=1)
    found = largest_means(table / of[:, None], sample.rooms(of), np.eye(3)).mean
    np.testing.assert_allclose(found, between.upper, atol=1e-12)
    np.testing.assert_allclose(-largest_means(table / of[:, None], sample.rooms(of), -np.eye(3)).mean, between.lower)


def test_the_odd_columns_and_balls():
    share = np.array([[0.5, 0.5, 0.0]])
    # what is taken from both that were seen, evenly, costs 1 / (1 - m) - 1
    unseen = largest_means(share, np.array([0.25]), np.array([[0.0], [0.0], [1.0]]))
    assert unseen.mean[0, 0] == pytest.approx(1 - 1 / 1.25, abs=1e-9)
    assert unseen.at[0, 0] == pytest.approx([0.4, 0.4, 0.2], abs=1e-9)
    same = largest_means(share, np.array([0.25]), np.full((3, 1), 0.7))
    assert same.mean[0, 0] == pytest.approx(0.7)
    column = np.array([[0.1], [0.4], [0.2]])
    assert largest_means(share, np.array([0.0]), column).mean[0, 0] == pytest.approx(0.25, abs=1e-7)
    assert largest_means(share, np.array([np.inf]), column).mean[0, 0] == pytest.approx(0.4, abs=1e-9)


@pytest.mark.parametrize("notion", [ll.LIP(0.5), ll.LDP(0.5), ll.ALIP(math.inf, 0.3)])
def test_it_keeps_its_notion_in_the_set_and_more_than_the_design_by_subsets(notion):
    channel = pearson_response(COUNTS, notion)
    sample, rng = PearsonSample(COUNTS), np.random.default_rng(0)
    tried = 0
    for draw in rng.dirichlet(COUNTS.ravel() + 1.0, 400).reshape(-1, 2, 3):
        if sample.within(draw):
            tried += 1
            assert notion.is_satisfied(ll.Joint(draw), channel)
    assert tried > 100
    by_subsets = confident_response(COUNTS, notion, bounds=PearsonSample)
    assert by_subsets.certificate.value <= channel.certificate.upper + 1e-9
    assert channel.certificate.value >= by_subsets.certificate.value - channel.certificate.gap - 1e-9
    assert channel.certificate.gap <= 2e-3


def test_binary_x_by_a_grid_of_channels():
    """With two symbols a mean of P(y|x) is extreme where P(x|s) is, and two outputs are a square of channels."""
    counts, eps = np.array([[60, 40], [30, 70]]), 0.4
    ends = PearsonSample(counts).subsets([[True, False]])
    low, high = ends.lower[:2, 0], ends.upper[:2, 0]
    a, b = np.meshgrid(np.linspace(0, 1, 801), np.linspace(0, 1, 801))
    kept = np.ones_like(a, dtype=bool)
    for one, other in ((a, b), (1 - a, 1 - b)):
        most = [
            np.maximum(one * p + other * (1 - p), one * q + other * (1 - q)) for p, q in zip(low, high, strict=True)
        ]
        least = [
            np.minimum(one * p + other * (1 - p), one * q + other * (1 - q)) for p, q in zip(low, high, strict=True)
        ]
        kept &= (most[0] <= math.exp(eps) * least[1]) & (most[1] <= math.exp(eps) * least[0])
    share = counts.sum(axis=0) / 200
    cells = np.stack([share[0] * a, share[1] * b, share[0] * (1 - a), share[1] * (1 - b)])[:, kept].T.reshape(-1, 2, 2)
    best = max(ll.measures.mutual_information(cell.T) for cell in cells[:: max(1, len(cells) // 4000)])
    made = pearson_response(counts, ll.LDP(eps)).certificate
    assert made.upper >= best - 1e-9


@pytest.mark.parametrize(
    "counts", [[[5, 7]], [[4], [6]], [[3]], [[50, 0, 20], [0, 0, 0], [10, 40, 0]], [[500, 0], [300, 0]]], ids=str
)
@pytest.mark.parametrize("eps", [0.0, 0.7, 50.0])
def test_the_odd_cases(counts, eps):
    for notion in (ll.LDP(eps), ll.LIP(eps)):
        channel = pearson_response(counts, notion)
        kept = np.array(counts, dtype=float) + 1e-3
        assert notion.is_satisfied(ll.Joint.from_counts(kept), channel)


def test_refusals():
    with pytest.raises(UnsupportedNotion, match="needs a bound on ratios"):
        pearson_response(COUNTS, ll.Chi2Lift(math.inf, 0.3))
    with pytest.raises(InvalidDistribution, match=r"counts\[0, 1\] is -1\.0, below 0"):
        pearson_response([[3, -1]], ll.LDP(1.0))


@pytest.mark.parametrize("seed", range(4))
def test_the_l1_balls_subsets_add_up_to_its_worst_case(seed):
    """So for that set the design by subsets asks no more than the set does."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 60, (2, 4)).astype(float)
    sample, kernel = L1Sample(counts), rng.dirichlet(np.ones(3), size=4)
    found = sample.sums(Parts.nested(kernel))
    whole = sample.subsets(np.eye(4, dtype=bool))
    for s in range(2):
        share = counts[s] / counts[s].sum()
        # half of the distance is what a subset's share may be off by; p = share + up - down
        half = float(sample.subsets([[True, True, False, False]]).upper[s, 0] - share[:2].sum())
        half = max(half, float((whole.upper[s] - share).max()))
        for y in range(3):
            cost = np.concatenate([kernel[:, y], -kernel[:, y]])
            balance = np.concatenate([np.ones(4), -np.ones(4)])
            used = np.concatenate([np.ones(4), np.zeros(4)])
            bounds = [(0, None)] * 4 + [(0, one) for one in share]
            worst = linprog(-cost, A_ub=used[None], b_ub=[half], A_eq=balance[None], b_eq=[0.0], bounds=bounds)
            assert found.upper[s, y] == pytest.approx(share @ kernel[:, y] - worst.fun, abs=1e-9)
