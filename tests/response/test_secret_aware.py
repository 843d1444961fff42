"""The optimal response of a mechanism that sees the secret, against all of its rows by hand."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

import liftlib as ll
from liftlib.errors import UnsupportedNotion
from liftlib.numerics import xlogx


def best_by_hand(joint, eps):
    """H(X) less the cheapest mixture over all (posterior of S at a vertex of its box) x (a symbol for each secret)."""
    n_secret, n_public = joint.p.shape
    low, high = np.exp(-eps) * joint.p_s, np.exp(eps) * joint.p_s
    posteriors = []
    for free in range(n_secret):
        for ends in itertools.product([0, 1], repeat=n_secret - 1):
            rest = np.delete(range(n_secret), free)
            u = np.insert([(low, high)[e][s] for e, s in zip(ends, rest, strict=True)], free, 0)
            u[free] = 1 - u.sum()
            if low[free] - 1e-12 <= u[free] <= high[free] + 1e-12:
                posteriors.append(u)
    columns, costs = [], []
    for u in posteriors:
        for told in itertools.product(range(n_public), repeat=n_secret):
            column = np.zeros((n_secret, n_public))
            column[np.arange(n_secret), told] = u
            columns.append(column.ravel())
            costs.append(-xlogx(np.maximum(column, 0).sum(axis=0)).sum())
    return ll.entropy(joint.p_x) - linprog(costs, A_eq=np.array(columns).T, b_eq=joint.p.ravel()).fun


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("eps", [0.1, 0.5, 1.2])
def test_secret_aware_response_is_the_best(shape, eps):
    for seed in range(3):
        joint = ll.datasets.uniform_joint(*shape, np.random.default_rng(seed))
        channel = ll.secret_aware_response(joint, ll.LIP(eps))
        assert ll.LIP(eps).is_kept(joint, channel)
        utility = ll.evaluate(joint, channel).mutual_information
        assert utility == pytest.approx(best_by_hand(joint, eps), abs=1e-8)
        reporting = ll.conditional_reporting(joint, ll.conditional_reporting.at_lip(joint, eps))
        for other in (ll.optimal_response(joint, ll.LIP(eps)), reporting):
            assert utility >= ll.evaluate(joint, other).mutual_information - 1e-9


def test_secret_aware_response_with_zero_cells_and_other_notions():
    joint = ll.Joint.from_counts([[4, 0, 1], [1, 3, 2]])
    for notion in (ll.LIP(0.2), ll.LDP(0.5), ll.PerfectPrivacy(), ll.ALIP(0.3, 0.1), ll.LIP(50)):
        channel = ll.secret_aware_response(joint, notion)
        assert channel.kernel.shape[:2] == (2, 3)
        assert notion.is_kept(joint, channel)
        best = ll.evaluate(joint, ll.optimal_response(joint, notion)).mutual_information
        assert ll.evaluate(joint, channel).mutual_information >= best - 1e-9
    with pytest.raises(UnsupportedNotion, match="is about what X's attributes tell"):
        ll.secret_aware_response(joint, ll.SRLIP(0.2, (3, 1)))


def test_reporting_can_beat_the_optimum_that_does_not_see_the_secret():
    """S20 section VIII-C takes the optimum over P(y|x) as the best there is; CR is a P(y|s,x)."""
    joint = ll.datasets.adult("marital-status", "sex")
    reporting = ll.conditional_reporting(joint, ll.conditional_reporting.at_lip(joint, 0.1))
    utility = [ll.evaluate(joint, c).mutual_information for c in (reporting, ll.optimal_response(joint, ll.LIP(0.1)))]
    assert utility[0] > 3 * utility[1]


@pytest.mark.parametrize("notion", [ll.LIP(0.0), ll.LIP(0.4), ll.LIP(50), ll.LDP(0.8), ll.ALIP(np.inf, 0.3)])
def test_secret_aware_response_keeps_its_notion(notion, joint):
    """On every odd table, cut down to at most 4 secrets and 3 symbols."""
    small = ll.Joint.from_counts(joint.p[:4, :3], drop_empty=True)
    channel = ll.secret_aware_response(small, notion)
    assert notion.is_kept(small, channel)
    np.testing.assert_allclose(channel.kernel.sum(axis=-1), 1, atol=1e-12)
    utility = [ll.evaluate(small, c).mutual_information for c in (channel, ll.optimal_response(small, notion))]
    assert utility[0] >= utility[1] - 1e-8


def test_certificate_counts_x_alone():
    """The optimum is proven for I(X; Y), not for what the cells (s, x) tell."""
    joint = ll.datasets.uniform_joint(2, 3, np.random.default_rng(0))
    channel = ll.secret_aware_response(joint, ll.LIP(0.5))
    made = channel.certified(ll.RowsCertificate)
    assert made.value == ll.evaluate(joint, channel).mutual_information
    assert made.upper == pytest.approx(best_by_hand(joint, 0.5), abs=1e-8)
    assert made.gap < 1e-9
    assert made.route == "all vertices of P(s,x|y)"
    light = ll.Joint.from_counts([[4, 1e-11], [1, 3]])
    assert ll.secret_aware_response(light, ll.LIP(0.5)).certificate.upper == np.inf
