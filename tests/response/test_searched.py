"""Searched responses and the bounds on SRLIP, between which the exact optimum lies where it can be computed."""

import itertools

import highspy
import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InvalidParameter, SolverFailure, UnsupportedNotion


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (2, 2, 2)])
@pytest.mark.parametrize("eps", [0.3, 1.0, 2.0])
def test_optimum_lies_between_search_and_bounds(shape, eps):
    for seed in range(4):
        joint = ll.datasets.uniform_joint(2, int(np.prod(shape)), np.random.default_rng(seed))
        notion = ll.SRLIP(eps, shape)
        optimum = utility(joint, ll.optimal_response(joint, notion))
        searched = ll.searched_response(joint, notion)
        assert notion.is_kept(joint, searched)
        assert 0.95 * optimum <= utility(joint, searched) <= optimum + 1e-9
        bounds = ll.srlip_upper_bounds(joint, notion)
        assert all(bound >= optimum - 1e-9 for bound in bounds.values())
        assert bounds[()] == pytest.approx(utility(joint, ll.optimal_response(joint, ll.LIP(eps))), abs=1e-9)


def test_bounds_by_the_chain_rule():
    """For one attribute known: H of it, plus the LIP optimum given each of its values."""
    joint = ll.datasets.uniform_joint(2, 6, np.random.default_rng(7))
    bounds = ll.srlip_upper_bounds(joint, ll.SRLIP(0.4, (2, 3)))
    assert list(bounds) == [(), (0,), (1,)]
    for known, cells in (((0,), [[0, 1, 2], [3, 4, 5]]), ((1,), [[0, 3], [1, 4], [2, 5]])):
        expected = ll.entropy(np.array([joint.p_x[cell].sum() for cell in cells]))
        for cell in cells:
            given = ll.Joint.from_counts(joint.p[:, cell])
            expected += joint.p_x[cell].sum() * utility(given, ll.optimal_response(given, ll.LIP(0.4)))
        assert bounds[known] == pytest.approx(expected, abs=1e-9)


def test_every_bound_holds_for_any_protocol():
    """Random kernels, mixed with a constant release until SRLIP is kept."""
    rng = np.random.default_rng(0)
    joint = ll.datasets.dirichlet_joint(3, 8, 0.5, rng)
    for eps in (0.2, 1.0):
        bounds = ll.srlip_upper_bounds(joint, ll.SRLIP(eps, (2, 2, 2)))
        assert set(bounds) == {known for k in range(3) for known in itertools.combinations(range(3), k)}
        for _ in range(10):
            kernel = rng.dirichlet(np.full(8, 0.3), size=8)
            shares = np.linspace(0, 1, 60)
            channels = (ll.Channel((1 - t) * kernel + t * (joint.p_x @ kernel)) for t in shares)
            channel = next(c for c in channels if ll.SRLIP(eps, (2, 2, 2)).is_kept(joint, c))
            assert utility(joint, channel) <= min(bounds.values()) + 1e-9


def test_side_information_that_rules_out_secrets():
    """Cells without mass count for nothing, and secrets that a cell rules out do not bind it."""
    joint = ll.Joint.from_counts([[4, 0, 3, 1], [0, 2, 3, 1]])
    notion = ll.SRLIP(0.1, (2, 2))
    bounds = ll.srlip_upper_bounds(joint, notion)
    assert min(bounds.values()) >= utility(joint, ll.optimal_response(joint, notion)) - 1e-9


def test_large_alphabet():
    """36 symbols, out of reach for vertices: kept, far above Theorem 4's product, below the bounds."""
    joint = ll.datasets.uniform_joint(2, 36, np.random.default_rng(0))
    notion = ll.SRLIP(1.0, (3, 3, 4))
    channel = ll.searched_response(joint, notion, tolerance=1e-3)
    made = channel.certified(ll.RowsCertificate)
    assert notion.is_kept(joint, channel)
    assert channel.n_outputs <= 36
    found = utility(joint, channel)
    assert made.value == found
    assert made.upper == np.inf  # nothing is proven of rows that were not found
    assert made.rows >= channel.n_outputs
    assert made.route == "rows searched for"
    # a constant release of up to 1e-7 may be mixed in
    assert found == pytest.approx(ll.entropy(joint.p_x) - made.solution.objective, abs=1e-6)
    assert found > 2 * utility(joint, ll.product_response(joint, notion))
    assert found <= min(ll.srlip_upper_bounds(joint, notion).values())


def test_many_secrets():
    """Where no row but P_X can be mixed to P_X at first, it once returned a constant release in silence."""
    for n_secret, n_public in ((5, 50), (10, 30)):
        joint = ll.datasets.uniform_joint(n_secret, n_public, np.random.default_rng(0))
        notion = ll.ALIP.split(1.0, 0.5)
        found = ll.searched_response(joint, notion, tolerance=1e-2)
        assert utility(joint, found) >= utility(joint, ll.subset_merging(joint, notion))


def test_seed_repeats():
    joint = ll.datasets.uniform_joint(2, 8, np.random.default_rng(2))
    one, two = (ll.searched_response(joint, ll.LIP(0.2), rng=seed).kernel for seed in (5, np.random.default_rng(5)))
    np.testing.assert_array_equal(one, two)


def test_refusals(monkeypatch):
    joint = ll.datasets.uniform_joint(2, 4, np.random.default_rng(0))
    with pytest.raises(UnsupportedNotion, match="use subset_merging"):
        ll.searched_response(joint, ll.Chi2Lift(0.1, 0.1))
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(InvalidParameter, match="tolerance is"):
            ll.searched_response(joint, ll.LIP(0.1), tolerance=wrong)
    with pytest.raises(InvalidParameter, match=r"shape \(2, 3\) has 6 combinations, the joint 4 public symbols"):
        ll.srlip_upper_bounds(joint, ll.SRLIP(0.1, (2, 3)))
    with pytest.raises(UnsupportedNotion, match=r"LIP\(eps=0.1\) is not about X's attributes.*give SRLIP"):
        ll.srlip_upper_bounds(joint, ll.LIP(0.1))
    with pytest.raises(InvalidParameter, match="rng is 'seed': give a whole number or a Generator"):
        ll.searched_response(joint, ll.LIP(0.1), rng="seed")

    real = highspy.Highs.setOptionValue
    monkeypatch.setattr(
        highspy.Highs,
        "setOptionValue",
        lambda solver, option, value: (
            real(solver, "simplex_iteration_limit", 0) if option == "presolve" else real(solver, option, value)
        ),
    )
    with pytest.raises(SolverFailure, match=r"no row found, yet a constant release .*: "):
        ll.searched_response(joint, ll.LIP(0.1))
