"""The funnel's releases against all partitions, pairs by hand, and grids."""

import itertools
import math

import numpy as np
import pytest
from partitions import best_by_hand

import liftlib as ll
from liftbook.relatives import AverageLeakage
from liftbook.relatives.average import averaged
from liftbook.relatives.funnel_proof import FunnelProof, Prices, check_bound, reduced_costs
from liftbook.relatives.funnel_search import descended, search
from mixproof.errors import InvalidProof


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


def told(joint, channel):
    return ll.evaluate(joint, channel).secret_information


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("seed", range(2))
def test_no_partition_is_better(seed, share):
    joint = ll.datasets.uniform_joint(3, 5, seed)
    notion = AverageLeakage(share * ll.measures.mutual_information(joint.p))
    channel = ll.mechanisms.funnel(joint, notion)
    assert notion.is_satisfied(joint, channel)
    best, _ = best_by_hand(joint, notion)
    assert channel.certificate.upper >= best
    assert utility(joint, channel) >= best * (1 - 1e-3)
    for merging in (ll.mechanisms.funnel_merging, ll.mechanisms.funnel_subsets):
        merged = merging(joint, notion)
        assert notion.is_satisfied(joint, merged)
        assert utility(joint, merged) <= best + 1e-12


def test_a_step_of_merging_by_hand():
    joint = ll.Joint.from_counts([[6, 1, 2, 3], [1, 5, 2, 2]])
    whole = told(joint, ll.Channel.identity(4))
    found = ll.mechanisms.funnel_merging(joint, AverageLeakage(whole - 1e-6)).partition
    rates = {}
    for pair in itertools.combinations(range(4), 2):
        one = ll.Channel.merge([pair, *[(x,) for x in range(4) if x not in pair]], 4)
        lost = ll.measures.entropy(joint.p_x) - utility(joint, one)
        rates[pair] = (whole - told(joint, one)) / lost
    assert max(rates, key=rates.get) in found
    assert len(found) == 3


@pytest.mark.parametrize("eps", [0.0, 0.05, 50.0, math.inf])
@pytest.mark.parametrize("name", ["funnel", "funnel_merging", "funnel_subsets", "funnel_descent"])
def test_ends(name, eps, named_joints):
    make, notion = getattr(ll.mechanisms, name), AverageLeakage(eps)
    for case in ("one-symbol", "one-secret", "one-of-each", "function-of-x", "zeros", "independent"):
        joint = named_joints[case]
        channel = make(joint, notion, **({"starts": 1} if name == "funnel_descent" else {}))
        assert notion.is_satisfied(joint, channel), case
        if case == "independent" and eps != 0:
            assert channel.n_outputs > 1
    if name == "funnel":
        assert utility(joint, channel) == pytest.approx(ll.measures.entropy(joint.p_x))
    if name in ("funnel_merging", "funnel_subsets"):
        assert channel.partition is not None


def test_perfect_privacy_is_in_the_pool():
    joint = ll.datasets.uniform_joint(2, 5, 1)
    best = utility(joint, ll.mechanisms.optimal(joint, ll.PerfectPrivacy()))
    assert best > 0.1
    channel = ll.mechanisms.funnel(joint, AverageLeakage(0.0))
    assert utility(joint, channel) >= best - 1e-6
    assert best - 1e-6 <= channel.certificate.upper <= best * (1 + 1e-3) + 1e-6
    assert utility(joint, ll.mechanisms.funnel(joint, AverageLeakage(1e-7))) >= best - 1e-6


def simplex_grid(n, steps):
    """All distributions on n symbols whose entries are multiples of 1 / steps."""
    return (
        np.array(
            [np.diff((-1, *bars, steps + n - 1)) - 1 for bars in itertools.combinations(range(steps + n - 1), n - 1)]
        )
        / steps
    )


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9])
def test_a_grid_of_posteriors_is_within_the_bound(share):
    """A linear program over a fine grid is another route to the optimum, from below."""
    joint = ll.datasets.hundred_people()
    eps = share * ll.measures.mutual_information(joint.p)
    channel = ll.mechanisms.funnel(joint, AverageLeakage(eps), gap=1e-4)
    on_grid = averaged(joint, np.concatenate([joint.p_x[None], simplex_grid(3, 120)]), eps).mixture
    best = ll.measures.entropy(joint.p_x) - on_grid.solution.objective
    assert channel.certificate.upper >= best
    assert channel.certificate.value >= best - 1e-4 * best
    assert channel.certificate.gap <= 1e-4 * channel.certificate.value + 1e-8


def test_the_bound_is_attained_where_x_is_the_secret():
    """I(S; Y) = I(X; Y): no other bound than eps itself is sharp."""
    joint = ll.Joint(np.diag([0.2, 0.3, 0.5]))
    channel = ll.mechanisms.funnel(joint, AverageLeakage(0.4))
    assert channel.certificate.value == pytest.approx(0.4, abs=1e-6)
    assert 0.4 <= channel.certificate.upper <= 0.4004 + 1e-8


@pytest.mark.parametrize("shape", [(1, 3), (2, 4), (3, 6), (4, 3)])
def test_no_posterior_costs_less_than_the_search_proves(shape):
    rng = np.random.default_rng(shape[1])
    joint = ll.datasets.uniform_joint(*shape, 5)
    for leakage in (0.0, 0.5, 3.0, 40.0):
        prices = Prices(rng.normal(size=shape[1]), leakage)
        found = search(joint, prices, 1e-3, 5_000)
        posteriors = np.concatenate([rng.dirichlet(np.full(shape[1], a), size=2_000) for a in (0.1, 0.5, 2.0)])
        posteriors = np.concatenate([posteriors, np.eye(shape[1]), descended(joint, prices, posteriors[:50])])
        assert reduced_costs(joint, prices, posteriors).min() >= found.least - 1e-12


def test_a_descent_never_raises_the_reduced_cost():
    joint, rng = ll.datasets.uniform_joint(3, 6, 2), np.random.default_rng(0)
    for leakage in (0.0, 0.3, 5.0):
        prices, starts = Prices(rng.normal(size=6), leakage), rng.dirichlet(np.ones(6), size=100)
        ended = reduced_costs(joint, prices, descended(joint, prices, starts))
        assert (ended <= reduced_costs(joint, prices, starts) + 1e-9).all()


def funnel_proof(nodes=20_000):
    joint = ll.datasets.uniform_joint(3, 5, 1)
    budget = 0.2 * ll.measures.mutual_information(joint.p)
    return joint, budget, ll.mechanisms.funnel(joint, AverageLeakage(budget), nodes=nodes).certificate


def test_the_proof_is_checked_again():
    for nodes in (1, 20_000):
        joint, budget, certificate = funnel_proof(nodes)
        assert check_bound(joint, budget, certificate.proof) == pytest.approx(certificate.upper, abs=1e-12)
        assert certificate.upper < ll.measures.entropy(joint.p_x) + 1


def test_forged_proofs_are_refused_or_prove_less():
    joint, budget, certificate = funnel_proof()
    proof, rng = certificate.proof, np.random.default_rng(3)
    refused = 0
    for _ in range(400):
        fields = {name: np.array(getattr(proof, name)) for name in ("symbol", "level", "tangent")}
        symbols, leakage = proof.prices.symbols.copy(), proof.prices.leakage
        number = rng.choice([np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 1e-308, 0.5, 7.0])
        part = rng.integers(5)
        if part < 3:
            array = fields[("symbol", "level", "tangent")[part]]
            array.flat[rng.integers(array.size)] = int(np.clip(np.nan_to_num(number), -2, 9)) if part == 0 else number
        elif part == 3:
            symbols[rng.integers(symbols.size)] = number
        else:
            leakage = float(number)
        forged = FunnelProof(Prices(symbols, leakage), **fields)
        try:
            with np.errstate(all="ignore"):
                assert check_bound(joint, budget, forged) >= certificate.value
        except InvalidProof:
            refused += 1
    assert refused > 50


def test_trees_that_do_not_fit_are_refused():
    joint, budget, certificate = funnel_proof()
    prices, symbol, level, tangent = certificate.proof
    for forged, message in (
        (FunnelProof(prices, symbol[:-1], level[:-1], tangent[:-1]), "more nodes than"),
        (FunnelProof(prices, np.append(symbol, -1), np.append(level, 0.0), np.vstack([tangent, tangent[:1]])), "ends"),
        (FunnelProof(prices, symbol, level[:-1], tangent), "do not fit 5 symbols"),
        (FunnelProof(prices, symbol + 5, level, tangent), "not below 5"),
        (FunnelProof(prices, symbol, level, 0 * tangent), "positive distribution"),
    ):
        with pytest.raises(InvalidProof, match=message):
            check_bound(joint, budget, forged)


@pytest.mark.parametrize("huge", [1e308, 5e-324])
@pytest.mark.parametrize("large", [None, 1e308, 1e15])
@pytest.mark.parametrize("node", range(5))
def test_numbers_that_overflow_void_no_leaf(huge, large, node):
    joint, budget, certificate = funnel_proof()
    tangent = np.full((5, 3), 1 / 3)
    tangent[node] = huge
    symbol, level = np.array([0, 1, -1, -1, -1]), np.array([0.5, 0.5, 0, 0, 0])
    for prices in (
        Prices(np.full(5, large or 5.0), 0.0),
        Prices(np.full(5, 5.0), large or 0.0),
        Prices(np.full(5, -(large or 5.0)), 1.0),
    ):
        try:
            with np.errstate(all="ignore"):
                assert check_bound(joint, budget, FunnelProof(prices, symbol, level, tangent)) >= certificate.value
        except InvalidProof:
            continue
