"""AORR by enumeration, piece by piece."""

import numpy as np
import pytest
from messages import raised

import liftlib as ll
from liftlib.errors import InfeasiblePrivacy, LiftWarning, SolverFailure
from liftlib.notions.base import MIN_RESOLVED_LIFT
from liftlib.response import aorr as rows
from liftlib.response.aorr import Mixture, aorr, cheapest
from liftlib.response.posteriors import (
    REPAIR_START,
    REPAIR_TOL,
    Support,
    cone_for,
    repaired,
    without_negligible,
)
from mixproof.lp import Solution
from mixproof.numerics import KEEP_TOL, NEGLIGIBLE_MASS

JOINT = ll.Joint.from_counts([[4, 1, 2], [1, 5, 2]])


def with_last(mass):
    """A joint distribution whose last of three symbols has this mass."""
    return ll.Joint(
        [[(1 - mass) / 4, (1 - mass) / 4, mass], [(1 - mass) / 4, (1 - mass) / 4, 0.0]]
    )


# Dust
# ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mass", "left_out"),
    [
        (NEGLIGIBLE_MASS, False),
        (np.nextafter(NEGLIGIBLE_MASS, 0), True),
        (2 * NEGLIGIBLE_MASS, False),
    ],
)
def test_dust_is_what_has_less_mass_than_the_tolerance(mass, left_out):
    joint = with_last(mass)
    support = without_negligible(joint, ll.LIP(1.0))
    assert support.resolved.tolist() == [True, True, not left_out]
    assert (support.joint is joint) == (not left_out)
    assert without_negligible(joint, ll.SRLIP(1.0, (3,))).resolved.all()
    assert without_negligible(joint, ll.SRLIP(1.0, (3,))).joint is joint


def test_the_core_is_the_distribution_of_the_rest():
    # the last secret comes with dust alone
    joint = ll.Joint.from_counts([[1e-12, 4, 1], [0, 1, 2], [1e-12, 0, 0]])
    support = without_negligible(joint, ll.LIP(1.0))
    assert support.resolved.tolist() == [False, True, True]
    np.testing.assert_allclose(support.joint.p, np.array([[4, 1], [1, 2]]) / 8)


def test_completed():
    support = Support(ll.Joint([[0.2, 0.1], [0.0, 0.7]]), np.array([True, False, True]))
    whole = support.extended(np.array([[1.0, 0.0], [0.5, 0.5]]))
    np.testing.assert_allclose(whole, [[1, 0], [0.2 + 0.8 / 2, 0.8 / 2], [0.5, 0.5]])


# Mixtures
# ----------------------------------------------------------------------------


def test_a_symbol_however_rare_goes_where_its_rows_do():
    """Its share of a row, times its mass, is 0 in floats."""
    rare = 1e-200
    given, p_x = (
        np.array([[1.0, 0.0], [1.0 - 2 * rare, 2 * rare]]),
        np.array([1.0 - rare, rare]),
    )
    solution = Solution(np.array([0.5, 0.5]), np.zeros(2), 0.0, 0.0, 0.0, 0.0)
    np.testing.assert_array_equal(
        Mixture(given, solution, p_x).kernel, [[0.5, 0.5], [0.0, 1.0]]
    )


def test_the_cheapest_mixture_by_hand():
    """(1/2, 1/2) of three rows: two pure ones cost nothing, the middle one log 2."""
    given = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    found = cheapest(given, np.array([0.5, 0.5]))
    assert found.solution.x.tolist() == [0.5, 0, 0.5]
    assert found.solution.objective == 0
    np.testing.assert_array_equal(found.kernel, np.eye(2))
    assert found.rows is given
    # priced otherwise, the middle row alone
    other = cheapest(given, np.array([0.5, 0.5]), lambda v: v.max(axis=1))
    assert other.solution.x.tolist() == [0, 1, 0]
    assert other.kernel.tolist() == [[1.0], [1.0]]
    with raised(InfeasiblePrivacy):
        cheapest(given[:1], np.array([0.5, 0.5]))


# Mending
# ----------------------------------------------------------------------------


def test_an_output_of_almost_no_probability_is_used():
    """Without it, the posterior of a rare symbol would move by more than tolerated."""
    p_x = np.array([2e-9, 1 - 2e-9])
    alone, other = np.array([1.0, 0.0]), np.array([2e-9 - 1e-17, 1 - 2e-9])
    assert p_x[0] / other[0] - 1 > KEEP_TOL
    mixture = Mixture.of(np.array([alone, other]), np.array([1e-17, 1.0]), p_x)
    of_outputs = p_x[:, None] * mixture.kernel
    posteriors = (of_outputs / of_outputs.sum(axis=0)).T
    np.testing.assert_allclose(posteriors, [alone, other], rtol=1e-15, atol=0)


def mending(share_needed, floor=0.0):
    """Mend the identity for what holds from a share on."""
    p_x, tried = np.array([0.25, 0.75]), []

    def keeps(channel):
        # kernel[0, 1] = share 3/4, and kernel[0] sums to 1
        tried.append(channel.kernel[0, 1] / 0.75)
        np.testing.assert_allclose(
            channel.kernel[0], [1 - 0.75 * tried[-1], 0.75 * tried[-1]], rtol=1e-12
        )
        np.testing.assert_allclose(
            channel.kernel[1], [0.25 * tried[-1], 1 - 0.25 * tried[-1]], rtol=1e-12
        )
        return tried[-1] >= share_needed

    channel, share = repaired(np.eye(2), p_x, keeps, floor, name=ll.LIP(0.5))
    assert channel.kernel[0, 1] == pytest.approx(0.75 * share, rel=1e-12, abs=0)
    return share, tried


def test_what_is_kept_is_left_as_it_is():
    share, tried = mending(0.0)
    assert (share, tried) == (0, [0])


def test_the_floor_is_mixed_in_at_least():
    share, tried = mending(0.0, floor=3e-12)
    assert share == 3e-12
    np.testing.assert_allclose(tried, [3e-12], rtol=1e-9)
    share, tried = mending(1e-11, floor=3e-12)
    assert share == 1.2e-11
    # four times this is below the first share worth trying
    share, tried = mending(1e-15, floor=1e-17)
    assert share == REPAIR_START


def test_more_than_rounding_is_not_mended():
    largest = REPAIR_START * 4.0 ** int(np.log(REPAIR_TOL / REPAIR_START) / np.log(4))
    assert mending(0.99 * largest)[0] == pytest.approx(largest)
    with raised(SolverFailure):
        mending(1.01 * largest)
    # a share of exactly the tolerance is still tried
    assert mending(0.9 * REPAIR_TOL, floor=REPAIR_TOL / 4)[0] == REPAIR_TOL
    with raised(SolverFailure):
        repaired(np.eye(2), np.array([0.5, 0.5]), lambda _: False)


# All together
# ----------------------------------------------------------------------------


def test_bounds_that_cross_by_rounding_are_made_equal(monkeypatch):
    monkeypatch.setattr(rows, "least_entropy", lambda *_: 2.0)
    made = aorr(cone_for(JOINT, ll.LIP(0.3))).certificate
    assert made.upper == made.value > 0


def test_nothing_is_proven_with_symbols_left_out():
    for mass, proven in ((2 * NEGLIGIBLE_MASS, True), (NEGLIGIBLE_MASS / 2, False)):
        made = aorr(cone_for(with_last(mass), ll.LIP(0.3))).certificate
        assert np.isfinite(made.upper) == proven


def test_a_budget_too_small_to_resolve_is_mixed_in():
    joint = ll.Joint.from_counts([[4, 0, 2], [0, 5, 2]])
    eps = -np.log(MIN_RESOLVED_LIFT)
    for budget, resolved in ((eps - 0.01, True), (eps + 0.01, False)):
        made = aorr(cone_for(joint, ll.ALIP(budget, np.inf))).certificate
        assert (made.mixed == np.exp(-budget)) == (not resolved)
        if not resolved:
            total = ll.measures.entropy(joint.p_x)
            assert total <= made.upper <= total + 1e-9
        assert made.upper >= made.value


def test_no_mixture_is_a_solvers_fault(monkeypatch):
    monkeypatch.setattr(rows, "vertices", lambda *_, **__: np.array([[1.0, 0.0, 0.0]]))
    with raised(SolverFailure):
        aorr(cone_for(JOINT, ll.LIP(1.0)))


@pytest.mark.parametrize("mass", [1e-12, 1e-16, 1e-30, 1e-200])
def test_a_symbol_that_no_row_in_use_has_is_sent_where_an_average_one_goes(mass):
    """As notions of attributes keep all symbols, however rare."""
    table = np.column_stack(
        [
            np.random.default_rng(0).dirichlet(np.ones(12)).reshape(4, 3),
            np.full(4, mass / 4),
        ]
    )
    joint, notion = ll.Joint(table / table.sum()), ll.SRLIP(0.5, (2, 2))
    made = [
        ll.mechanisms.optimal(joint, notion, method=method)
        for method in ("qhull", "tree")
    ]
    assert made[0].certificate.value == pytest.approx(
        made[1].certificate.value, abs=1e-9
    )
    assert all(notion.is_satisfied(joint, channel) for channel in made)


def test_a_kernel_by_hand():
    solution = Solution(np.array([0.25, 0.0, 0.75]), np.zeros(3), 0.0, 0.0, 0.0, 0.0)
    mixture = Mixture(
        np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1 / 3, 2 / 3, 0.0]]),
        solution,
        np.array([0.5, 0.5, 0.0]),
    )
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(mixture.kernel[:2], [[0.5, 0.5], [0.0, 1.0]])
    rare = mixture._replace(p_x=np.array([0.5, 0.5, 1e-17]))
    np.testing.assert_allclose(rare.kernel, [[0.5, 0.5], [0.0, 1.0], [0.25, 0.75]])


# What is told
# ----------------------------------------------------------------------------

ENDED_EARLY = {
    "of a search": lambda joint: ll.mechanisms.optimal(
        joint, ll.ALIP(0.2, 0.2), method="tree", work=1
    ),
    "of tangents": lambda joint: ll.mechanisms.optimal(
        joint, ll.AlphaLift(2, 0.3, 0.2), work=30
    ),
    "of posteriors": lambda joint: ll.mechanisms.secret_aware(
        joint, ll.LIP(0.5), seconds=0.0
    ),
}


@pytest.mark.parametrize("what", ENDED_EARLY)
def test_a_warning_names_the_line_that_asked(what):
    with pytest.warns(LiftWarning) as told:
        ENDED_EARLY[what](ll.datasets.uniform_joint(4, 12, np.random.default_rng(2)))
    assert [one.filename for one in told] == [__file__]
