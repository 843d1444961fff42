"""What every notion answers for itself."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftlib as ll
from liftlib.measures.lifts import lift
from liftlib.notions import Leakage, RequiredBudget
from liftlib.notions.averages import BOUNDARY_TOL, MAX_LISTED_SECRETS
from liftlib.notions.base import CurvedLift, LiftNotion, cone_of, difference, log_of, provides
from mixproof.numerics import KEEP_TOL

TABLE = ll.Joint.from_counts([[3, 2, 1], [1, 4, 2], [2, 2, 7]])
AS_IS = ll.Channel.identity(3)

COLUMNWISE = {
    "ALIP": ll.ALIP,
    "max-lift": lambda _, b: ll.ALIP(math.inf, b),
    "min-lift": lambda a, _: ll.ALIP(a, math.inf),
    "LIP": lambda a, _: ll.LIP(a),
    "LDP": lambda a, _: ll.LDP(a),
    "l1": ll.L1Lift,
    "l1-one": lambda _, b: ll.L1Lift(math.inf, b),
    "chi2": ll.Chi2Lift,
    "chi2-one": lambda _, b: ll.Chi2Lift(math.inf, b),
    "alpha": lambda a, b: ll.AlphaLift(2.5, a, b),
    "alpha-inf": lambda a, b: ll.AlphaLift(math.inf, a, b),
}
each = pytest.mark.parametrize("make", COLUMNWISE.values(), ids=COLUMNWISE)
budget = st.floats(0.05, 2)


def budgets_of(notion):
    return {name: getattr(notion, name) for name in ("eps", "eps_l", "eps_u") if hasattr(notion, name)}


@each
def test_needs_name_the_notions_own_budgets(make):
    notion = make(0.3, 0.7)
    found = {need.budget: need.allowed for need in notion.required_budgets(lift(TABLE), TABLE.p_s)}
    assert found == budgets_of(notion)


@each
@given(joint=st.from_type(ll.Joint), a=budget, b=budget)
def test_a_column_is_kept_exactly_when_each_need_is_allowed(make, joint, a, b):
    notion, lifts = make(a, b), lift(joint)
    needs = notion.required_budgets(lifts, joint.p_s)
    kept = notion.kept_columns(lifts, joint.p_s)
    for x in range(joint.n_public):
        over = [float(need.needed[x]) - need.allowed for need in needs if math.isfinite(need.allowed)]
        assert kept[x] == all(value <= KEEP_TOL for value in over)


@each
@given(joint=st.from_type(ll.Joint), a=budget, b=budget)
def test_excess_is_leakage_less_the_budget(make, joint, a, b):
    notion, channel = make(a, b), ll.Channel.identity(joint.n_public)
    leakage = notion.leakage(joint, channel)
    pairs = zip(leakage if isinstance(leakage, Leakage) else [leakage], budgets_of(notion).values(), strict=True)
    expected = max(leak - allowed for leak, allowed in pairs if math.isfinite(allowed))
    assert notion.violation(joint, channel) == pytest.approx(expected, abs=1e-15)
    assert notion.is_satisfied(joint, channel) == (expected <= KEEP_TOL)


@pytest.mark.parametrize("over", [0.0, 0.9, 1.1, 50.0])
@each
def test_kept_to_the_tolerance_and_no_further(make, over):
    channel = AS_IS
    worst = make(1.0, 1.0).leakage(TABLE, channel)
    low, high = worst if isinstance(worst, Leakage) else (worst, worst)
    notion = make(low - over * KEEP_TOL, high - over * KEEP_TOL)
    assert notion.is_satisfied(TABLE, channel) == (over <= 1)
    assert notion.kept_columns(lift(TABLE), TABLE.p_s).all() == (over <= 1)


def test_no_finite_budget_is_no_excess():
    for notion in (ll.ALIP(math.inf, math.inf), ll.LIP(math.inf), ll.LDP(math.inf), ll.SRLIP(math.inf, (3,))):
        assert notion.violation(TABLE, AS_IS) == -math.inf
        assert notion.is_satisfied(TABLE, AS_IS)


def test_an_infinite_leakage_exceeds_any_finite_budget():
    zero = ll.Joint([[0.5, 0.0], [0.25, 0.25]])
    for notion in (
        ll.ALIP(700.0, math.inf),
        ll.LIP(700.0),
        ll.LDP(700.0),
        ll.L1Lift(700.0, 1.0),
        ll.SRLIP(700.0, (2,)),
    ):
        assert notion.violation(zero, ll.Channel.identity(2)) == math.inf
        assert not notion.is_satisfied(zero, ll.Channel.identity(2))


def test_who_decides():
    def deciders(notion):
        return [need.decides for need in notion.required_budgets(lift(TABLE), TABLE.p_s)]

    assert deciders(ll.ALIP(1, 1)) == [("least",), ("most",)]
    assert deciders(ll.LIP(1)) == [("least",), ("most",)]
    assert deciders(ll.LDP(1)) == [("most", "least")]
    for notion in (ll.L1Lift(1, 1), ll.Chi2Lift(1, 1), ll.AlphaLift(2, 1, 1)):
        assert deciders(notion) == [(), ()]


class TestLiftBounds:
    @each
    @given(joint=st.from_type(ll.Joint), a=budget, b=budget)
    def test_kept_columns_are_within(self, make, joint, a, b):
        notion, lifts = make(a, b), lift(joint)
        bounds = notion.lift_bounds(joint.p_s)
        assert bounds.lower.shape == bounds.upper.shape == (joint.n_secret,)
        within = (log_of(lifts) >= -bounds.lower[:, None] - 1e-8) & (log_of(lifts) <= bounds.upper[:, None] + 1e-8)
        kept = notion.kept_columns(lifts, joint.p_s)
        assert within[:, kept].all()
        if bounds.exact:
            assert np.array_equal(within.all(axis=0), kept)

    def test_attained(self):
        """One secret's lift differs from 1 as far as the budget lets it."""
        for eps, p in ((0.1, 0.1), (0.2, 0.3)):
            rest = 1 - p
            p_s = np.array([p, rest])
            # of a large alpha-lift hardly anything is the other secret's
            for notion, exactly in ((ll.L1Lift(math.inf, eps), 1e-9), (ll.AlphaLift(40.0, math.inf, eps), 1e-2)):
                top = math.exp(notion.lift_bounds(p_s).upper[0])
                column = np.array([[top], [(1 - p * top) / rest]])
                need = notion.required_budgets(column, p_s)[1]
                assert need.needed[0] == pytest.approx(eps, rel=exactly)
            inverse = math.exp(ll.L1Lift(eps, math.inf).lift_bounds(p_s).lower[0])
            assert ll.L1Lift(eps, 1).required_budgets(np.array([[1 / inverse], [1.0]]), p_s)[0].needed[
                0
            ] == pytest.approx(eps)
            inverse = math.exp(ll.Chi2Lift(eps, math.inf).lift_bounds(p_s).lower[0])
            assert ll.Chi2Lift(eps, 1).required_budgets(np.array([[1 / inverse], [1.0]]), p_s)[0].needed[
                0
            ] == pytest.approx(eps)
            top = math.exp(ll.Chi2Lift(math.inf, eps).lift_bounds(p_s).upper[0])
            column = np.array([[top], [(1 - p * top) / rest]])
            assert ll.Chi2Lift(1, eps).required_budgets(column, p_s)[1].needed[0] == pytest.approx(eps)

    def test_exact(self):
        p_s = np.array([0.5, 0.5])
        exact = [
            ll.ALIP(1, 2),
            ll.LIP(1),
            ll.AlphaLift(math.inf, 1, 1),
            ll.L1Lift(0, 1),
            ll.Chi2Lift(1, 0),
            ll.AlphaLift(2, 0, 1),
        ]
        assert all(notion.lift_bounds(p_s).exact for notion in exact)
        loose = [ll.LDP(1), ll.L1Lift(1, 1), ll.Chi2Lift(1, 1), ll.AlphaLift(2, 1, 1)]
        assert not any(notion.lift_bounds(p_s).exact for notion in loose)
        assert ll.LDP(0.7).lift_bounds(p_s).lower.tolist() == [0.7, 0.7]


CONVEX = {
    "chi2": lambda _, b: ll.Chi2Lift(math.inf, b),
    "alpha": lambda a, b: ll.AlphaLift(2.5, a, b),
    "alpha-upper": lambda _, b: ll.AlphaLift(1.3, math.inf, b),
    "alpha-lower": lambda a, _: ll.AlphaLift(4, a, math.inf),
}


def boundary(joint, notion, row):
    """Return the last allowed row on the way from P_X to a row."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        at = joint.p_x + middle * (row - joint.p_x)
        lifts = (joint.s_given_x / joint.p_s[:, None]) @ at
        if notion.kept_columns(lifts[:, None], joint.p_s)[0]:
            low = middle
        else:
            high = middle
    return joint.p_x + low * (row - joint.p_x)


class TestTangents:
    @pytest.mark.parametrize("eps", [1e-7, 1e-8, 1e-9])
    @pytest.mark.parametrize("make", CONVEX.values(), ids=CONVEX)
    def test_next_to_no_budget_they_cut_nothing_off_that_is_kept(self, make, eps):
        """What cancels there leaves rounding, which is not small over such a budget."""
        rng = np.random.default_rng(3)
        for _ in range(8):
            joint, notion = ll.Joint(rng.dirichlet(np.ones(10)).reshape(2, 5)), make(eps, eps)
            if not provides(notion, CurvedLift):
                continue
            rows = np.array([boundary(joint, notion, row) for row in np.eye(5)])
            cuts = notion.tangents(joint, rows)
            assert (cuts @ rows.T).min() >= -1.01 * KEEP_TOL * max(1.0, np.abs(cuts).max())

    @pytest.mark.parametrize("make", CONVEX.values(), ids=CONVEX)
    def test_they_hold_on_the_set_and_touch_it(self, make):
        rng = np.random.default_rng(7)
        joint, notion = ll.Joint.from_counts(rng.random((3, 5))), make(0.15, 0.1)
        assert provides(notion, CurvedLift)
        rows = np.array([boundary(joint, notion, row) for row in np.eye(5)])
        rows = rows[rows.max(axis=1) < 1]  # a symbol that is allowed by itself lies inside
        assert len(rows)
        cuts = notion.tangents(joint, rows)
        slack = cuts @ rows.T
        assert slack.min() >= -1e-8
        assert (np.abs(slack).min(axis=1) <= 1e-8).all()  # each touches the set at one of the rows
        assert (np.abs(slack).min(axis=0) <= 1e-8).all()  # and each row of the boundary has one
        lifts = joint.s_given_x / joint.p_s[:, None]
        for row in rng.dirichlet(np.full(5, 0.6), size=2000):
            if notion.kept_columns((lifts @ row)[:, None], joint.p_s)[0]:
                assert (cuts @ row).min() >= -1e-8
        outside = rows + 0.01 * (rows - joint.p_x)
        assert ((cuts @ outside.T).min(axis=0) < 0).all()

    def test_an_inner_row_has_none(self):
        for notion in (ll.Chi2Lift(math.inf, 1.0), ll.AlphaLift(2, 1.0, 1.0)):
            assert notion.tangents(TABLE, TABLE.p_x[None]).shape == (0, 3)

    @pytest.mark.parametrize(
        ("make", "at"),
        [
            (lambda eps: ll.Chi2Lift(math.inf, eps), 1),
            (lambda eps: ll.AlphaLift(3, math.inf, eps), 1),
            (lambda eps: ll.AlphaLift(3, eps, math.inf), 0),
        ],
    )
    def test_a_row_has_one_from_a_millionth_of_a_nat_on(self, make, at):
        row = TABLE.p_x + np.array([0.05, -0.02, -0.03])
        column = (TABLE.s_given_x / TABLE.p_s[:, None] @ row)[:, None]
        need = float(make(1.0).required_budgets(column, TABLE.p_s)[at].needed[0])
        for short, tangents in ((-1e-7, 1), (0.9 * BOUNDARY_TOL, 1), (1.1 * BOUNDARY_TOL, 0), (1e-3, 0), (0.5, 0)):
            assert make(need + short).tangents(TABLE, row[None]).shape == (tangents, 3)

    @pytest.mark.parametrize(
        ("notion", "text"),
        [
            (ll.Chi2Lift(1, 1), "bounds the inverse lifts too, which is not convex: set eps_l to inf: use subset_m"),
            (ll.AlphaLift(math.inf, 1, 1), r"the posteriors that .* allows are a polytope: use subset_merging"),
            (ll.Chi2Lift(math.inf, 0), "are a polytope"),
        ],
    )
    def test_refused(self, notion, text):
        with pytest.raises(ll.UnsupportedNotion, match=text):
            notion.tangents(TABLE, TABLE.p_x[None])


class TestKinds:
    def test_no_halfspaces(self):
        for notion in (ll.Chi2Lift(math.inf, 1), ll.AlphaLift(2, 1, 1)):
            with pytest.raises(ll.UnsupportedNotion, match="allows are not a polytope: use subset_merging"):
                notion.halfspaces(TABLE)
        for notion in (ll.Chi2Lift(1, 1), ll.L1Lift(1, 1)):
            with pytest.raises(ll.UnsupportedNotion, match="which is not convex: set eps_l to inf: use subset_merging"):
                notion.halfspaces(TABLE)

    @pytest.mark.parametrize("notion", [ll.L1Lift(0, 1), ll.L1Lift(1, 0), ll.Chi2Lift(0, 1), ll.AlphaLift(2, 1, 0)])
    def test_a_budget_of_0_is_perfect_privacy(self, notion):
        np.testing.assert_array_equal(notion.halfspaces(TABLE), ll.PerfectPrivacy().halfspaces(TABLE))

    def test_the_l1_lift_has_a_halfspace_for_each_set_of_secrets(self):
        for eps, rows in ((0.5, 6), (math.log(3) - 1e-9, 6), (math.log(3), 0), (math.log(3) + 1e-9, 0), (50.0, 0)):
            assert ll.L1Lift(math.inf, eps).halfspaces(TABLE).shape == (rows, 3)
        many = ll.Joint.from_counts(np.ones((MAX_LISTED_SECRETS, 2)))
        assert ll.L1Lift(math.inf, 0.5).halfspaces(many).shape == (2**MAX_LISTED_SECRETS - 2, 2)


class TestRoundingOfAConstantRelease:
    """Its lifts are 1, or by rounding less: what it needs is 0 all the same."""

    @each
    def test_needs_nothing(self, make):
        below = 0
        for seed in range(40):
            joint = ll.Joint.from_counts(np.random.default_rng(seed).random((3, 5)))
            constant = ll.Channel.constant(5)
            below += lift(constant.release(joint)).max() < 1
            notion = make(0.0, 0.0)
            assert np.min(notion.leakage(joint, constant)) >= 0
            assert notion.violation(joint, constant) >= 0
        assert below, "rounding went the other way each time, so that nothing was tried"


class OfOnesOwn(LiftNotion):
    """The largest lift, to the power of four: no more is said than must be."""

    def required_budgets(self, lift, p_s):  # noqa: ARG002
        return (RequiredBudget("eps", log_of(lift.max(axis=-2) ** 4), 1.0),)


@dataclass(frozen=True)
class Over(LiftNotion):
    """Exceeds a budget of 0 by what it is told."""

    nats: float

    def required_budgets(self, lift, p_s):  # noqa: ARG002
        return (RequiredBudget("eps", np.full(lift.shape[-1], self.nats), 0.0),)


class TestWhatEveryNotionHas:
    def test_to_within_the_tolerance_itself(self):
        for nats, kept in ((KEEP_TOL, True), (math.nextafter(KEEP_TOL, 1), False)):
            assert Over(nats).is_satisfied(TABLE, AS_IS) is kept
            assert Over(nats).kept_columns(lift(TABLE), TABLE.p_s).tolist() == [kept] * 3

    def test_bounds_that_hold_for_any(self):
        lower, upper, exact = OfOnesOwn().lift_bounds(np.array([0.2, 0.8]))
        assert lower.tolist() == [math.inf, math.inf]
        assert np.exp(upper).tolist() == pytest.approx([5, 1.25])
        assert exact is False

    def test_its_text_is_without_the_last_digits_of_a_sum(self):
        assert str(ll.LIP(0.1 + 0.2)) == "LIP(eps=0.3)"
        assert repr(ll.LIP(0.1 + 0.2)) == "LIP(eps=0.30000000000000004)"
        assert str(ll.ALIP(0.1 + 0.2, 1.2345678901234567e-07)) == "ALIP(eps_l=0.3, eps_u=1.23456789012e-07)"
        assert str(ll.ALIP(math.inf, 0.12345678901)) == "ALIP(eps_l=inf, eps_u=0.12345678901)"
        assert str(ll.SRLIP(1.1 * 3, (2, 3))) == "SRLIP(eps=3.3, shape=(2, 3))"

    def test_extremes(self):
        for notion in (ll.ALIP(1, 1), ll.LIP(1), ll.LDP(1)):
            lifts, p_s = lift(TABLE), TABLE.p_s
            ends = np.array([lifts.min(axis=0), lifts.max(axis=0)])
            for need, other in zip(
                notion.required_budgets(lifts, p_s), notion.required_budgets(ends, p_s), strict=True
            ):
                assert need.needed.tolist() == other.needed.tolist()

    def test_leakage_and_risk_are_of_the_needs(self):
        notion = OfOnesOwn()
        most = lift(TABLE).max(axis=0)
        assert notion.leakage(TABLE, AS_IS) == pytest.approx(4 * math.log(most.max()))
        np.testing.assert_allclose(notion.risk(lift(TABLE), TABLE.p_s), most**4)


class TestRelaxed:
    p_s = np.array([0.01, 0.99])

    def test_alip_and_lip(self):
        for notion in (ll.ALIP(40, 0.3), ll.ALIP(40, 0.3)):
            assert notion.relaxed(self.p_s, 1e-11) == (ll.ALIP(math.inf, 0.3), math.exp(-40))
        assert ll.LIP(40).relaxed(self.p_s, 1e-11) == (ll.ALIP(math.inf, 40), math.exp(-40))

    def test_ldp_makes_up_for_the_rarest_secret(self):
        assert ll.LDP(40).relaxed(self.p_s, 1e-11) == (
            ll.LDP(math.inf),
            pytest.approx(100 * math.exp(-40), rel=1e-12, abs=0),
        )

    @pytest.mark.parametrize(
        "notion", [ll.ALIP(3, 1), ll.LIP(3), ll.LDP(3), ll.ALIP(math.inf, 1), ll.LDP(math.inf), ll.Chi2Lift(1, 1)]
    )
    def test_others_stay_as_they_are(self, notion):
        assert notion.relaxed(self.p_s, 1e-11) == (notion, 0.0)

    @pytest.mark.parametrize("notion", [ll.LIP(math.inf), ll.ALIP(800, 1), ll.LIP(800), ll.LDP(800)])
    def test_a_share_too_small_for_a_float_cannot_be_mixed_in(self, notion):
        assert math.exp(-800) == 0
        assert notion.relaxed(self.p_s, 1e-11) == (notion, 0.0)

    def test_the_limit_is_the_callers(self):
        assert ll.ALIP(3, 1).relaxed(self.p_s, 1.0)[0] == ll.ALIP(math.inf, 1)
        floor = math.exp(-3)
        assert ll.ALIP(3, 1).relaxed(self.p_s, floor) == (ll.ALIP(3, 1), 0.0)
        floor = float(np.exp(-3.0) / self.p_s.min())
        assert ll.LDP(3).relaxed(self.p_s, floor) == (ll.LDP(3), 0.0)
        assert ll.LDP(3).relaxed(self.p_s, math.nextafter(floor, 10)) == (ll.LDP(math.inf), floor)


class TestDifference:
    def test_rounding_is_0(self):
        assert difference(np.array([[1.0, 2.0]]), np.array([[1 + 4e-15, 1.0]])).tolist() == [[0.0, 1.0]]
        kept = difference(np.array([[1.0, 2.0]]), np.array([[1 + 4e-14, 1.0]]))
        assert kept[0, 0] < 0

    def test_a_bound_that_none_can_miss_is_none(self):
        for most, kept in ((0.99e-10, False), (KEEP_TOL / 10, False), (1.01e-10, True)):
            rows = np.array([[1e-11, -most], [most, 0.0], [1.0, -1.0]])
            expected = np.where([[kept], [kept], [True]], rows, 0.0)
            assert np.array_equal(difference(rows, 0.0), expected)

    def test_cone(self):
        likelihood = np.array([[0.5, 2.0]])
        np.testing.assert_allclose(cone_of(likelihood, math.log(4), math.log(2)), [[0.25, 1.75], [0.75, 0.0]])
        assert cone_of(likelihood, math.inf, math.inf).shape == (0, 2)
        assert cone_of(likelihood, 1, math.inf).shape == cone_of(likelihood, math.inf, 1).shape == (1, 2)
