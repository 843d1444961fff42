"""Bounds from a sample, by other routes."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom, binomtest

import liftlib as ll
from liftlib.errors import InvalidDistribution, InvalidParameter, UnsupportedNotion
from lifttables.population.binomial import clopper_pearson, upper_of_many
from lifttables.population.sample import Parts, Sample, subset_price
from lifttables.population.worst import Between, certainly_satisfied, worst_required_budgets

NOTIONS = [
    ll.LIP(0.4), ll.ALIP(0.5, 0.2), ll.ALIP(math.inf, 0.2), ll.LDP(0.6), ll.L1Lift(0.6, 0.3), ll.Chi2Lift(0.5, 0.3),
    ll.AlphaLift(2, 0.5, 0.3),
]  # fmt: skip


@pytest.mark.parametrize("rows", [1, 7, 40])
@pytest.mark.parametrize("level", [0.2, 0.025, 1e-6])
def test_the_bounds_are_where_the_tails_are_the_level(rows, level):
    for seen in range(rows + 1):
        low, up = (float(end) for end in clopper_pearson(seen, rows, math.log(level)))
        exact = binomtest(seen, rows).proportion_ci(1 - 2 * level, method="exact")
        assert (low, up) == (pytest.approx(exact.low, abs=1e-9), pytest.approx(exact.high, abs=1e-9))
        assert seen == 0 or binom.sf(seen - 1, rows, low) == pytest.approx(level)
        assert seen == rows or binom.cdf(seen, rows, up) == pytest.approx(level)


@pytest.mark.parametrize("level", [0.5, 0.2, 0.025, 1e-6, 1e-40, 1e-80])
def test_the_bounds_for_many_rows_cost_at_most_one_more(level):
    n = np.concatenate([np.arange(1, 30), [999, 20_000, 10**7, 10**9]])
    for share in (0.0, 1e-6, 0.1, 0.5, 0.9, 0.999, 1.0):
        seen = np.floor(share * n)
        found = upper_of_many(seen, n, math.log(level))
        exact, next_one = (clopper_pearson(np.minimum(k, n), n, math.log(level))[1] for k in (seen, seen + 1))
        assert (exact * (1 - 1e-12) <= found).all()
        assert (found <= next_one * (1 + 1e-6)).all()


def test_no_rows_bound_nothing():
    assert upper_of_many(0, 0, -3.0) == 1
    assert [float(end) for end in clopper_pearson(0, 0, -3.0)] == [0.0, 1.0]


@pytest.mark.parametrize("n", range(1, 13))
def test_the_shares_of_the_subsets_are_at_most_one(n):
    pairs = {min(a, 2**n - 1 - a) for a in range(1, 2**n - 1)}
    assert sum(math.exp(-float(subset_price(n, a.bit_count()))) for a in pairs) <= 1 + 1e-12


def tables(rows, cells):
    """All ways to put rows into cells."""
    for bars in itertools.combinations(range(rows + cells - 1), cells - 1):
        yield [b - a - 1 for a, b in itertools.pairwise([-1, *bars, rows + cells - 1])]


@pytest.mark.parametrize(("p", "confidence"), [([[0.3, 0.2], [0.1, 0.4]], 0.5), ([[0.02, 0.5], [0.44, 0.04]], 0.8)])
def test_confidence_by_every_table_there_can_be(p, confidence):
    p, chance = np.array(p), 0.0
    member = np.array(list(itertools.product([False, True], repeat=2)))
    p_xs, p_s = p / p.sum(axis=1, keepdims=True), p.sum(axis=1)
    truth = np.vstack([p_xs, p.sum(axis=0)]) @ member.T
    for table in tables(12, 4):
        weight = math.factorial(12) * math.prod(q**k / math.factorial(k) for q, k in zip(p.ravel(), table, strict=True))
        found = Sample(np.reshape(table, (2, 2)), confidence).subsets(member)
        inside = (found.lower <= truth + 1e-12) & (truth <= found.upper + 1e-12)
        prior = (found.prior_lower <= p_s) & (p_s <= found.prior_upper)
        chance += weight * bool(inside.all() and prior.all())
    assert confidence <= chance < 1 - 1e-6


def test_a_cell_without_a_row_is_never_impossible():
    found = Sample([[0, 50], [30, 20]]).subsets([[True, False]])
    assert found.lower[0, 0] == 0
    assert 0.05 < found.upper[0, 0] < 0.2


def test_all_and_none_are_certain():
    found = Sample([[0, 0, 0], [3, 2, 1]]).subsets([[True] * 3, [False] * 3, [True, False, True]])
    assert found.lower[:, :2].tolist() == found.upper[:, :2].tolist() == [[1.0, 0.0]] * 3
    assert (found.lower[0, 2], found.upper[0, 2]) == (0.0, 1.0)  # nothing was seen of the first secret


@pytest.mark.parametrize("seed", range(3))
def test_an_outputs_bounds_are_never_inside_what_the_subsets_leave_possible(seed):
    rng = np.random.default_rng(seed)
    sample = Sample(rng.integers(0, 40, (2, 4)), 0.9)
    kernel = rng.dirichlet(np.ones(3), 4)
    found = sample.outputs(ll.Channel(kernel))
    member = np.array(list(itertools.product([False, True], repeat=4)))[1:-1]
    bounds = sample.subsets(member)
    for s, y in itertools.product(range(3), range(3)):
        cuts = np.vstack([member, ~member])
        most = np.append(bounds.upper[s], 1 - bounds.lower[s])
        ends = []
        for sign in (1, -1):
            solved = linprog(sign * kernel[:, y], cuts, most, np.ones((1, 4)), [1.0])
            ends.append(sign * solved.fun)
        assert found.lower[s, y] <= ends[0] + 1e-9
        assert ends[1] <= found.upper[s, y] + 1e-9
        # nested subsets are next to the best there is
        assert found.upper[s, y] - found.lower[s, y] <= 1.2 * (ends[1] - ends[0])


def test_parts_are_their_kernel():
    kernel = np.array([[0.5, 0.5, 0.0], [0.1, 0.5, 0.4], [1.0, 0.0, 0.0]])
    parts = Parts.nested(kernel)
    assert np.allclose(parts.kernel, kernel, rtol=0, atol=1e-15)
    assert (parts.weights >= 0).all()
    assert (parts.weights > 0).sum(axis=0).tolist() == [3, 1, 1]


@pytest.mark.parametrize("notion", NOTIONS, ids=repr)
def test_the_worst_is_the_worst_of_many(notion):
    rng = np.random.default_rng(0)
    lower, upper = np.array([[0.2], [0.25], [0.3]]), np.array([[0.35], [0.3], [0.4]])
    prior = np.array([0.2, 0.3, 0.5])
    p_y = 0.3
    found = worst_required_budgets(
        notion, Between(np.vstack([lower, [[p_y]]]), np.vstack([upper, [[p_y]]]), prior, prior)
    )
    seen = [-np.inf] * len(found)
    for at in rng.random((20_000, 3)).round(rng.integers(0, 2)):
        p = lower[:, 0] + at * (upper - lower)[:, 0]
        needs = notion.required_budgets((p / p_y)[:, None], prior)
        seen = [max(most, float(need.needed[0])) for most, need in zip(seen, needs, strict=True)]
    for need, most in zip(found, seen, strict=True):
        assert most <= float(need.needed[0]) + 1e-12
        assert most == pytest.approx(float(need.needed[0]), abs=1e-12)


def test_one_secret_has_nothing_to_hide():
    assert Sample([[3, 1, 0]]).violation(ll.LIP(0.0), ll.Channel.identity(3)) == 0
    assert Sample([[3, 1, 0]]).keeps(ll.LDP(0.0), ll.Channel.identity(3))


def test_a_constant_is_kept_at_any_budget():
    sample = Sample([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    for notion in (ll.PerfectPrivacy(), ll.LIP(0.0), ll.LDP(0.0), ll.Chi2Lift(0, 0)):
        assert sample.keeps(notion, ll.Channel.constant(3))
        assert sample.keeps(notion, ll.Channel(np.full((3, 2), 0.5)))


def test_an_output_that_nothing_leads_to():
    kernel = np.column_stack([np.ones(3), np.zeros(3)])
    assert Sample([[3, 1, 2], [4, 1, 1]]).keeps(ll.LIP(0.0), ll.Channel(kernel))
    assert Sample([[3, 1, 2], [4, 1, 1]]).keeps(ll.LDP(0.0), ll.Channel(kernel))


def test_a_mechanism_that_sees_the_secret():
    sample, kernel = Sample([[300, 200], [250, 250]]), np.array([[0.7, 0.3], [0.4, 0.6]])
    plain, seeing = sample.outputs(ll.Channel(kernel)), sample.outputs(ll.Channel(np.stack([kernel, kernel])))
    assert np.allclose(plain.lower[:2], seeing.lower[:2])
    assert (seeing.lower[2] <= plain.upper[2]).all()
    # what tells the secret outright breaks every small budget
    assert not sample.keeps(ll.LIP(0.5), ll.Channel(np.stack([[[1.0, 0.0]] * 2, [[0.0, 1.0]] * 2])))


def test_an_output_that_one_secret_never_leads_to():
    """Its need was inf - inf where no other secret surely leads there."""
    kernel = np.array([[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 0.5]]])
    sample = Sample([[3, 3], [5, 0]])
    between = sample.outputs(ll.Channel(kernel))
    assert between.lower[:2, 1].tolist() == [0, 0]
    assert (between.upper[:2, 1] > 0).tolist() == [False, True]
    (need,) = worst_required_budgets(ll.LDP(1.0), between)
    assert need.needed[1] == np.inf
    assert sample.violation(ll.LDP(1.0), ll.Channel(kernel)) == np.inf


def test_the_prior_of_a_mixture_by_a_programme():
    sample = Sample([[30, 20], [25, 5], [4, 6]], 0.8)
    kernel = np.random.default_rng(0).dirichlet(np.ones(2), (3, 2))
    found = sample.outputs(ll.Channel(kernel))
    low, up = sample.prior
    for y in range(2):
        solved = linprog(found.lower[:3, y], A_eq=np.ones((1, 3)), b_eq=[1.0], bounds=np.column_stack([low, up]))
        assert found.lower[3, y] == pytest.approx(solved.fun)
        solved = linprog(-found.upper[:3, y], A_eq=np.ones((1, 3)), b_eq=[1.0], bounds=np.column_stack([low, up]))
        assert found.upper[3, y] == pytest.approx(-solved.fun)


def test_more_confidence_asks_for_more():
    counts, channel = [[200, 100], [150, 150]], ll.Channel.identity(2)
    found = [Sample(counts, sure).violation(ll.LIP(0.5), channel) for sure in (0.5, 0.9, 0.99, 1 - 1e-9)]
    assert found == sorted(found)
    plain = ll.LIP(0.5).violation(ll.Joint.from_counts(counts), channel)
    assert plain < found[0]
    many = Sample(np.multiply(counts, 10**9), 0.95).violation(ll.LIP(0.5), channel)
    assert many == pytest.approx(plain, abs=1e-3)


def test_kept_for_sure_is_by_output():
    found = Sample([[400, 600, 1], [300, 700, 9]]).outputs(ll.Channel.identity(3))
    assert certainly_satisfied(ll.LIP(0.5), found).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([[1, -1]], r"counts\[0, 1\] is -1.0, below 0"),
        ([[1, math.nan]], r"counts\[0, 1\] is nan, not a finite number"),
        ([[0.5, 0.5]], r"counts\[0, 0\] is 0.5: give numbers of rows, not shares"),
        ([[0, 0]], "counts sum to 0: a sample needs at least one row"),
        ([1, 2], r"counts has shape \(2,\), not 2 axes"),
        ("x", "counts is not an array of numbers"),
    ],
)
def test_counts_that_are_none(counts, said):
    with pytest.raises(InvalidDistribution, match=said):
        Sample(counts)


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, math.nan, "0.95", None, True])
def test_confidence_is_a_share(confidence):
    with pytest.raises(InvalidParameter, match=r"confidence is .*: "):
        Sample([[1, 2]], confidence)


def test_what_does_not_fit():
    sample = Sample([[1, 2], [3, 4]])
    with pytest.raises(InvalidParameter, match=r"the channel takes \(3,\) and the sample has \(2,\): match them"):
        sample.outputs(ll.Channel.identity(3))
    with pytest.raises(InvalidParameter, match=r"member has shape \(2,\): give \(m, 2\)"):
        sample.subsets([True, False])
    with pytest.raises(
        InvalidParameter, match=r"^member is \[\[True\], \[True, False\]\]: give \(m, 2\), a row for each subset$"
    ):
        sample.subsets([[True], [True, False]])
    for wrong in ([[0, 2]], [["a", "b"]], [["0", "1"]], [[np.nan, 1]], [[None, True]]):
        with pytest.raises(InvalidParameter, match=r"^member is .*: give true or false for each of the 2 symbols of a"):
            sample.subsets(wrong)
    one, other = sample.subsets([[0, 1.0]]), sample.subsets([[False, True]])
    np.testing.assert_array_equal(one.lower, other.lower)
    with pytest.raises(UnsupportedNotion, match="use LIP or LDP"):
        sample.keeps(ll.SRLIP(1.0, (2,)), ll.Channel.identity(2))
    many = Sample(np.ones((11, 2)))
    with pytest.raises(UnsupportedNotion, match="averages over 11 secrets, more than 10"):
        many.keeps(ll.Chi2Lift(1, 1), ll.Channel.identity(2))
    assert repr(sample) == "Sample(10 rows, 2 secrets x 2 public symbols, confidence 0.95)"
