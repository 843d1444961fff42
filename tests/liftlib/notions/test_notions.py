"""Laws of every kind of notion, held against the definitions."""

import json
import math
from dataclasses import FrozenInstanceError, dataclass
from functools import partial

import numpy as np
import pytest
from awkward_joints import on_each_joint
from hypothesis import given
from hypothesis import strategies as st
from reference import (
    INF,
    KINDS,
    LINEAR,
    RANGE,
    as_pair,
    budgets_of,
    each_kind,
    kernels,
    leakage_by_loops,
    sides,
)
from scipy.optimize import linprog

import liftlib as ll
from liftbook.relatives import AverageLeakage, MaximalLeakage
from liftlib.measures.lifts import lift, lift_of
from liftlib.notions import Leakage, RequiredBudget
from liftlib.notions.averages import BOUNDARY_TOL, MAX_LISTED_SECRETS
from liftlib.notions.base import (
    AttributeWise,
    Convex,
    CurvedLift,
    LiftNotion,
    Polyhedral,
    PolyhedralLift,
    PosteriorNotion,
    RatioBased,
    belief_within,
    cone_of,
    difference,
    log_of,
    provides,
    require,
)
from liftlib.notions.catalogue import content_of, from_content
from mixproof.checks import checked
from mixproof.numerics import KEEP_TOL

TABLE = ll.Joint.from_counts([[3, 2, 1], [1, 4, 2], [2, 2, 7]])
AS_IS = ll.Channel.identity(3)
budget = st.floats(0.05, 2)


# What a release leaks
# ----------------------------------------------------------------------------


@each_kind
@on_each_joint
def test_leakage_is_the_definitions(kind, joint):
    for kernel in kernels(joint):
        found = kind.make(1, 1).leakage(joint, ll.Channel(kernel))
        assert isinstance(found, Leakage) == (len(kind.budgets) == 2)
        assert as_pair(found) == pytest.approx(
            leakage_by_loops(kind, joint, kernel), rel=1e-9, abs=1e-9
        )
        assert np.min(found) >= 0  # rounding leaves a constant release a hair below


@each_kind
@on_each_joint
def test_a_budget_is_kept_to_the_tolerance_and_no_further(kind, joint):
    for kernel in kernels(joint):
        channel = ll.Channel(kernel)
        worst = as_pair(kind.make(1, 1).leakage(joint, channel))
        for over in (-0.5, 0.0, 0.9, 1.1, 50.0):  # times the tolerance
            allowed = [leak - over * KEEP_TOL for leak in worst]
            if min(allowed) <= 1e-6:  # a budget of 0 is perfect privacy, see below
                continue
            for notion in sides(kind, *allowed):
                pairs = zip(
                    worst, budgets_of(notion) * (3 - len(kind.budgets)), strict=True
                )
                excess = max(
                    (leak - most for leak, most in pairs if most < INF), default=-INF
                )
                assert notion.violation(joint, channel) == pytest.approx(
                    excess, abs=1e-12
                )
                assert notion.is_satisfied(joint, channel) == (excess <= KEEP_TOL)
        assert kind.make(INF, INF).violation(joint, channel) == -INF
        nothing = kind.make(0, 0)
        assert nothing.is_satisfied(joint, channel) == (
            ll.ALIP(0, 0).violation(joint, channel) <= KEEP_TOL
        )
        assert nothing.violation(joint, channel) >= 0
        if max(worst) == INF:
            assert kind.make(700, 700).violation(joint, channel) == INF


@each_kind
def test_two_tiny_masses_are_not_mistaken_for_privacy(kind):
    joint = ll.Joint([[1 - 2e-200, 0, 0], [0, 1e-200, 0], [0, 0, 1e-200]])
    assert as_pair(kind.make(1, 1).leakage(joint, AS_IS))[0] == INF
    assert not kind.make(50, 50).is_satisfied(joint, AS_IS)


def test_rounding_of_a_constant_release_is_seen():
    joints = [
        ll.Joint.from_counts(np.random.default_rng(seed).random((3, 5)))
        for seed in range(40)
    ]
    below = [
        one for one in joints if lift(ll.Channel.constant(5).release(one)).max() < 1
    ]
    assert below
    for kind in KINDS.values():
        assert (
            min(
                np.min(kind.make(0, 0).leakage(one, ll.Channel.constant(5)))
                for one in below
            )
            >= 0
        )


# Columns of lifts
# ----------------------------------------------------------------------------


@each_kind
@given(joint=st.from_type(ll.Joint), a=budget, b=budget)
def test_columns(kind, joint, a, b):
    """Needs are those of the definitions, and a column is kept exactly when each is
    allowed; bounds hold for it.
    """
    lifts = lift(joint)
    defined = np.array(
        [kind.needs(column.tolist(), joint.p_s.tolist()) for column in lifts.T]
    ).T
    for notion in sides(kind, a, b):
        needs = notion.required_budgets(lifts, joint.p_s)
        assert [need.decides for need in needs] == kind.decides
        assert {need.budget: need.allowed for need in needs} == dict(
            zip(kind.budgets, budgets_of(notion), strict=True)
        )
        np.testing.assert_allclose(
            [need.needed for need in needs], defined[: len(needs)], rtol=1e-9, atol=1e-9
        )
        kept = notion.kept_columns(lifts, joint.p_s)
        over = np.max(
            [need.needed - need.allowed for need in needs if need.allowed < INF], axis=0
        )
        assert np.array_equal(kept, over <= KEEP_TOL)
        bounds = notion.lift_bounds(joint.p_s)
        assert bounds.lower.shape == bounds.upper.shape == joint.p_s.shape
        within = (log_of(lifts) >= -bounds.lower[:, None] - 1e-8) & (
            log_of(lifts) <= bounds.upper[:, None] + 1e-8
        )
        assert within[:, kept].all()
        assert not bounds.exact or np.array_equal(within.all(axis=0), kept)
        if kind.provides is RANGE:  # the extremes decide
            ends = notion.required_budgets(
                np.array([lifts.min(axis=0), lifts.max(axis=0)]), joint.p_s
            )
            assert [need.needed.tolist() for need in ends] == [
                need.needed.tolist() for need in needs
            ]


SLICES = np.random.default_rng(4).dirichlet(np.ones(12), size=7).reshape(7, 3, 4)
LIFTS, P_S = lift_of(SLICES), SLICES.sum(axis=2)
MEANS = {  # of a function of lifts and inverse lifts, whose sum is the risk
    "l1": lambda v: np.abs(v - 1),
    "chi2": lambda v: (v - 1) ** 2,
}
RISKS = {
    "ALIP": LIFTS.max(axis=1) + 1 / LIFTS.min(axis=1),
    "LIP": np.maximum(np.log(LIFTS.max(axis=1)), -np.log(LIFTS.min(axis=1))),
    "LDP": LIFTS.max(axis=1) / LIFTS.min(axis=1),
    **{
        name: np.einsum("ns,nsx->nx", P_S, f(LIFTS) + f(1 / LIFTS))
        for name, f in MEANS.items()
    },
    "alpha-2.5": sum(
        np.einsum("ns,nsx->nx", P_S, LIFTS**power) ** 0.4 for power in (2.5, -2.5)
    ),
}


@pytest.mark.parametrize("name", RISKS)
def test_risks_of_the_papers(name):
    np.testing.assert_allclose(
        KINDS[name].make(1, 1).risk(LIFTS, P_S), RISKS[name], rtol=1e-12
    )


@each_kind
def test_batches_are_the_sum_of_their_slices_and_nan_is_not_kept(kind):
    shares = []
    for eps in (0.02, 0.3, 1.5, 6, 60):
        kept = kind.make(eps, eps).kept_columns(LIFTS, P_S)
        assert (kept.dtype, kept.shape) == (bool, (7, 4))
        assert np.array_equal(
            kept,
            [
                kind.make(eps, eps).kept_columns(*one)
                for one in zip(LIFTS, P_S, strict=True)
            ],
        )
        shares.append(kept.mean())
    assert shares[0] == 0
    assert shares[-1] == 1
    assert any(0 < share < 1 for share in shares)
    assert (
        not kind.make(50, 50)
        .kept_columns(np.array([[math.nan], [1.0]]), np.array([0.5, 0.5]))
        .any()
    )


def reached(eps, p, kind, side):
    """What is needed where one of two secrets has the largest (inverse) lift that the
    bounds leave it.
    """
    p_s, notion = (
        np.array([p, 1 - p]),
        KINDS[kind].make(*[(eps, INF), (INF, eps)][side]),
    )
    end = math.exp(
        (notion.lift_bounds(p_s).lower if side == 0 else notion.lift_bounds(p_s).upper)[
            0
        ]
    )
    other = 1.0 if side == 0 else (1 - p * end) / (1 - p)
    column = np.array([[1 / end if side == 0 else end], [other]])
    return KINDS[kind].make(1, 1).required_budgets(column, p_s)[side].needed[0]


@pytest.mark.parametrize(("eps", "p"), [(0.1, 0.1), (0.2, 0.3)])
def test_bounds_on_lifts_are_attained(eps, p):
    for kind, side in (("l1", 0), ("l1", 1), ("chi2", 0), ("chi2", 1)):
        assert reached(eps, p, kind, side) == pytest.approx(eps, rel=1e-9)
    # hardly anything is the other secret's
    assert reached(eps, p, "alpha-100", 1) == pytest.approx(eps, rel=1e-2)
    assert ll.LDP(0.7).lift_bounds([p, 1 - p]).lower.tolist() == [0.7, 0.7]


def test_bounds_that_decide():
    exact = [
        ll.ALIP(1, 2),
        ll.LIP(1),
        ll.AlphaLift(INF, 1, 1),
        ll.L1Lift(0, 1),
        ll.Chi2Lift(1, 0),
        ll.AlphaLift(2, 0, 1),
    ]
    loose = [
        ll.LDP(1),
        ll.L1Lift(1, 1),
        ll.Chi2Lift(1, 1),
        ll.AlphaLift(2, 1, 1),
        Own(),
    ]
    for notions, decide in ((exact, True), (loose, False)):
        assert [one.lift_bounds([0.5, 0.5]).exact for one in notions] == [decide] * len(
            notions
        )
    np.testing.assert_allclose(ll.AlphaLift(2, 0, 1).lift_bounds([0.5, 0.5])[:2], 0)


# Cones
# ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ALIP", "LIP", "LDP", "l1", "alpha-inf"])
@given(joint=st.from_type(ll.Joint), seed=st.integers(0, 2**32 - 1), a=budget, b=budget)
def test_a_posterior_is_in_the_cone_exactly_when_its_lifts_are_allowed(
    name, joint, seed, a, b
):
    """By how much a row is missed is e^t - 1 at most, for a budget that is exceeded by
    t.
    """
    rows = (
        np.random.default_rng(seed).dirichlet(np.full(joint.n_public, 0.7), size=30).T
    )
    lifts = joint.s_given_x @ rows / joint.p_s[:, None]
    for notion in [ll.L1Lift(INF, b)] if name == "l1" else sides(KINDS[name], a, b):
        slack = (notion.halfspaces(joint) @ rows).min(axis=0, initial=1)
        clear = np.abs(slack) > 1e-8  # a row on the boundary may fall either way
        assert np.array_equal(
            slack[clear] >= 0, notion.kept_columns(lifts, joint.p_s)[clear]
        )
        needs = notion.required_budgets(lifts, joint.p_s)
        over = np.max(
            [need.needed - need.allowed for need in needs if need.allowed < INF], axis=0
        )
        assert (-slack <= np.expm1(np.maximum(over, 0)) + 1e-8).all()


@pytest.mark.parametrize(
    ("notion", "shape", "rows"),
    [
        (ll.ALIP(1, 1), (5, 17), 10), (ll.ALIP(INF, 1), (5, 17), 5),
        (ll.ALIP(INF, INF), (5, 17), 0), (ll.LDP(1), (5, 17), 20),
        (ll.LDP(INF), (5, 17), 0), (ll.LDP(1), (1, 5), 0),
        (ll.SRLIP(INF, (17,)), (5, 17), 0),
        # of nothing, of either value, and never of both attributes
        (ll.SRLIP(1, (2, 2)), (3, 4), 2 * 3 * (1 + 2 + 2)),
        (ll.L1Lift(INF, math.log(3) - 1e-9), (5, 17), 30),
        (ll.L1Lift(INF, math.log(3)), (5, 17), 0), (ll.L1Lift(INF, INF), (5, 17), 0),
        (ll.L1Lift(INF, 1), (1, 5), 0), (ll.L1Lift(INF, 2), (17, 2), 0),
        (ll.L1Lift(INF, 0.5), (MAX_LISTED_SECRETS, 2), 2**MAX_LISTED_SECRETS - 2),
    ],
    ids=str,
)  # fmt: skip
def test_how_many_halfspaces(notion, shape, rows):
    assert notion.halfspaces(
        ll.Joint.from_counts(np.random.default_rng(1).random(shape))
    ).shape == (rows, shape[1])


def test_budgets_of_0_and_beyond_a_float(named_joints):
    for notion in (
        ll.L1Lift(0, 1),
        ll.L1Lift(1, 0),
        ll.Chi2Lift(0, 1),
        ll.AlphaLift(2, 1, 0),
        ll.LIP(0),
    ):
        np.testing.assert_array_equal(
            notion.halfspaces(TABLE), ll.PerfectPrivacy().halfspaces(TABLE)
        )
    for eps, make in (
        (eps, make)
        for eps in (50, 1000)
        for make in (ll.LIP, ll.LDP, partial(ll.L1Lift, INF))
    ):
        assert np.isfinite(make(eps).halfspaces(named_joints["tiny-masses"])).all()


ROWS = np.random.default_rng(0).dirichlet(np.ones(3), 50)
TABLE_LIFTS = ROWS @ (TABLE.s_given_x / TABLE.p_s[:, None]).T
EXCEEDED = {
    "l1": (
        lambda eps: ll.L1Lift(INF, eps).halfspaces(TABLE),
        np.abs(TABLE_LIFTS - 1) @ TABLE.p_s,
    ),
    "chi2": (
        lambda eps: ll.Chi2Lift(INF, eps).tangents(TABLE, ROWS),
        np.sqrt((TABLE_LIFTS - 1) ** 2 @ TABLE.p_s),
    ),
}


@pytest.mark.parametrize(
    ("name", "eps"), [("l1", 0.1), ("l1", 0.2), ("chi2", 0.01), ("chi2", 0.1)]
)
def test_how_far_a_bound_is_exceeded(name, eps):
    """By e^t - 1, so that a tolerance on the budget stays within the slack that solvers
    have.
    """
    cuts, measure = EXCEEDED[name]
    over = np.log1p(measure) - eps
    assert (over > 0).sum() > 10
    found = (-ROWS @ cuts(eps).T).max(axis=1)
    np.testing.assert_allclose(found[over > 0], np.expm1(over[over > 0]), atol=1e-12)


def boundary(joint, notion, row):
    """Return the last allowed row on the way from P_X to a row."""
    low, high = 0.0, 1.0
    for _ in range(60):
        at = joint.p_x + (middle := (low + high) / 2) * (row - joint.p_x)
        kept = notion.kept_columns(
            (joint.s_given_x / joint.p_s[:, None] @ at)[:, None], joint.p_s
        )[0]
        low, high = (middle, high) if kept else (low, middle)
    return joint.p_x + low * (row - joint.p_x)


CURVED_KINDS = [
    ("chi2", 1),
    *((f"alpha-{order}", side) for order in (1.3, 2.5) for side in (0, 1, 2)),
]


@pytest.mark.parametrize(("name", "side"), CURVED_KINDS)
@pytest.mark.parametrize("eps", [0.12, 1e-7, 1e-9])
def test_tangents_hold_on_the_set_and_touch_it(name, side, eps):
    rng = np.random.default_rng(7)
    for shape in [(3, 5), *[(2, 5)] * 4]:
        joint, notion = (
            ll.Joint.from_counts(rng.random(shape) ** 2),
            sides(KINDS[name], eps, eps)[side],
        )
        rows = np.array([boundary(joint, notion, row) for row in np.eye(5)])
        # a symbol that is allowed by itself lies inside
        rows = rows[rows.max(axis=1) < 1]
        if not len(rows):
            continue
        cuts = notion.tangents(joint, rows)
        size = max(1.0, np.abs(cuts).max())
        # what cancels at a tiny budget leaves rounding
        assert (cuts @ rows.T).min() >= -1.01 * KEEP_TOL * size
        if eps < 0.1:
            continue
        slack = np.abs(cuts @ rows.T)
        # each touches, and each row has one
        assert max(slack.min(axis=1).max(), slack.min(axis=0).max()) <= 1e-8
        some = rng.dirichlet(np.full(5, 0.6), size=2000)
        kept = notion.kept_columns(
            joint.s_given_x / joint.p_s[:, None] @ some.T, joint.p_s
        )
        assert (cuts @ some[kept].T >= -1e-8).all()
        assert ((cuts @ (rows + 0.01 * (rows - joint.p_x)).T).min(axis=0) < 0).all()


@pytest.mark.parametrize(
    ("name", "side"), [("chi2", 1), ("alpha-2.5", 1), ("alpha-2.5", 2)]
)
def test_a_row_has_a_tangent_from_a_millionth_of_a_nat_on(name, side):
    row = TABLE.p_x + np.array([0.05, -0.02, -0.03])
    column = (TABLE.s_given_x / TABLE.p_s[:, None] @ row)[:, None]
    need = float(
        KINDS[name].make(1, 1).required_budgets(column, TABLE.p_s)[side % 2].needed[0]
    )
    for short, tangents in (
        (-1e-7, 1),
        (0.9 * BOUNDARY_TOL, 1),
        (1.1 * BOUNDARY_TOL, 0),
        (1e-3, 0),
        (0.5, 0),
    ):
        assert sides(KINDS[name], need + short, need + short)[side].tangents(
            TABLE, row[None]
        ).shape == (tangents, 3)


def test_differences_and_cones_by_hand():
    def of(a, b):
        return difference(np.array([[1.0, 2.0]]), np.array([[a, b]])).tolist()[0]

    assert of(1 + 4e-15, 1.0) == [0.0, 1.0]
    assert of(1 + 4e-14, 1.0)[0] < 0
    for most, kept in (
        (0.99e-10, False),
        (KEEP_TOL / 10, False),
        (1.01e-10, True),
    ):  # a bound that none can miss is none
        rows = np.array([[1e-11, -most], [most, 0.0], [1.0, -1.0]])
        assert np.array_equal(
            difference(rows, 0.0), np.where([[kept], [kept], [True]], rows, 0.0)
        )
    likelihood = np.array([[0.5, 2.0]])
    np.testing.assert_allclose(
        cone_of(likelihood, math.log(4), math.log(2)), [[0.25, 1.75], [0.75, 0.0]]
    )
    assert [
        len(cone_of(likelihood, *ends)) for ends in ((INF, INF), (1, INF), (INF, 1))
    ] == [0, 1, 1]


LOOSER = [
    (ll.ALIP(40, 0.3), ll.ALIP(INF, 0.3), math.exp(-40)),
    (ll.LIP(40), ll.ALIP(INF, 40), math.exp(-40)),
    (ll.LDP(40), ll.LDP(INF), 100 * math.exp(-40)),  # makes up for the rarest secret
    *(
        (one, one, 0.0)
        for one in (
            ll.ALIP(3, 1),
            ll.LIP(3),
            ll.LDP(3),
            ll.ALIP(INF, 1),
            ll.LDP(INF),
            ll.Chi2Lift(1, 1),
        )
    ),
    # too small for a float
    *(
        (one, one, 0.0)
        for one in (ll.LIP(INF), ll.ALIP(800, 1), ll.LIP(800), ll.LDP(800))
    ),
]


@pytest.mark.parametrize(("notion", "looser", "share"), LOOSER, ids=str)
def test_bounds_that_no_solver_resolves_are_mixed_in(notion, looser, share):
    assert notion.relaxed(np.array([0.01, 0.99]), 1e-11) == (
        looser,
        pytest.approx(share, rel=1e-12, abs=0),
    )


@pytest.mark.parametrize(
    ("notion", "looser"), [(ll.ALIP(3, 1), ll.ALIP(INF, 1)), (ll.LDP(3), ll.LDP(INF))]
)
def test_from_which_share_on_is_the_callers_to_say(notion, looser):
    p_s = np.array([0.01, 0.99])
    floor = notion.relaxed(p_s, 10.0)[1]
    assert notion.relaxed(p_s, floor) == (notion, 0.0)
    assert notion.relaxed(p_s, math.nextafter(floor, 10)) == (looser, floor)


# Ratios and beliefs
# ----------------------------------------------------------------------------

RATIOS = [
    (ll.ALIP(0.3, 0.2), 6), (ll.ALIP(INF, 0.2), 3), (ll.ALIP(0.3, INF), 3),
    (ll.LIP(0.25), 6), (ll.LIP(INF), 0), (ll.LDP(0.4), 6), (ll.LDP(INF), 0),
    (ll.PerfectPrivacy(), 6),
]  # fmt: skip


@pytest.mark.parametrize(("notion", "count"), RATIOS, ids=str)
def test_ratios_say_what_is_kept(notion, count):
    top, bottom, most = notion.ratios(3)
    assert [one.shape for one in (top, bottom, most)] == [(count,)] * 3
    assert (top.dtype, bottom.dtype, most.dtype) == (np.int64, np.int64, np.float64)
    assert np.isfinite(most).all()
    assert len({*zip(top.tolist(), bottom.tolist(), strict=True)}) == count
    rng, seen = np.random.default_rng(0), set()
    for concentration in [0.5, 5.0, 50.0, 500.0, 5000.0] * 20:
        joint = ll.Joint(rng.dirichlet(np.ones(12)).reshape(3, 4))
        channel = ll.Channel(rng.dirichlet(np.full(3, concentration), size=4))
        release = channel.release(joint)
        given = np.vstack([release.p / joint.p_s[:, None], release.p_x])
        kept = bool(
            (given[top] <= np.exp(most + 1e-9)[:, None] * given[bottom] + 1e-15).all()
        )
        assert notion.is_satisfied(joint, channel) == kept
        seen.add(kept)
    assert seen == (
        {True}
        if not count
        else {False}
        if notion == ll.PerfectPrivacy()
        else {True, False}
    )


def test_ratios_of_one_secret():
    assert [column.tolist() for column in ll.LDP(1.0).ratios(1)] == [[], [], []]
    assert sorted(
        zip(*(column.tolist() for column in ll.LIP(1.0).ratios(1)), strict=True)
    ) == [
        (0, 1, 1.0),
        (1, 0, 1.0),
    ]


def belief_by_programme(prior, rows=(), low=0.0, high=None):
    """The least and the largest prior times lift, by a linear programme."""
    below = [[-a, -b] for a, b in rows] or None
    zeros = [0.0] * len(rows) or None
    mean = [[prior, 1 - prior]], [1.0]
    made = [
        linprog(
            [sign * prior, 0.0], below, zeros, *mean, [(low, high)] * 2, method="highs"
        )
        for sign in (1, -1)
    ]
    return made[0].fun, -made[1].fun


def test_a_belief_at_a_large_budget_keeps_its_digits():
    close = partial(pytest.approx, rel=1e-12, abs=0)
    assert ll.LIP(50).belief(0.1)[0] == close(0.1 * math.exp(-50))
    assert ll.LDP(50).belief(0.1)[0] == close(math.exp(-50) / 9)


@pytest.mark.parametrize("prior", [1e-3, 0.1, 0.5, 0.75, 0.999])
def test_beliefs_by_a_programme(prior):
    close = partial(pytest.approx, rel=1e-9, abs=1e-12)
    ends = (0.0, 1e-3, 0.4, 2.0, 50.0)
    for low, high in ((low, high) for low in (*ends, INF) for high in (*ends, INF)):
        found = belief_by_programme(
            prior, (), math.exp(-low), math.exp(high) if high < INF else None
        )
        assert (
            belief_within(prior, low, high)
            == ll.ALIP(low, high).belief(prior)
            == close(found)
        )
    for eps in ends:
        for notion in (ll.LIP(eps), ll.SRLIP(eps, (2, 2))):
            assert notion.belief(prior) == belief_within(prior, eps, eps)
        shrink = math.exp(-eps)  # neither lift is below this share of the other
        assert ll.LDP(eps).belief(prior) == close(
            belief_by_programme(prior, [(1.0, -shrink), (-shrink, 1.0)])
        )


def test_beliefs_at_the_ends():
    for notion in (
        ll.LIP(INF),
        ll.LDP(INF),
        ll.SRLIP(INF, (2,)),
        ll.L1Lift(1, 1),
        ll.Chi2Lift(1, 1),
        AverageLeakage(1),
    ):
        assert notion.belief(0.3) == (0.0, 1.0)
    for notion in (
        ll.LIP(1.0),
        ll.LDP(1.0),
        ll.LDP(INF),
        ll.LIP(INF),
        ll.LIP(1e4),
        ll.SRLIP(1.0, (2,)),
    ):
        assert (notion.belief(0), notion.belief(1)) == ((0.0, 0.0), (1.0, 1.0))
    for eps in (699.5, 700.0, 700.5, 800.0, 1e4, INF):  # next to what a float holds
        for prior in (0.25, 1e-300, 1e-303, 5e-305, 1e-306, 1e-320):
            exact, most = (
                min(1.0, math.exp(min(eps + math.log(prior), 0.0))),
                ll.LIP(eps).belief(prior)[1],
            )
            assert (
                exact * (1 - 1e-9) <= most <= (exact * (1 + 1e-9) if eps <= 700 else 1)
            )


# What a notion says of itself
# --------------------------------------------------------------------------------------

DECLARED = {
    **{
        notion: kind.provides
        for kind in KINDS.values()
        for notion in sides(kind, 1, 1)[1:2] or [kind.make(1, 1)]
    },
    **{kind.make(1, 1): kind.provides_with_both for kind in KINDS.values()},
    ll.SRLIP(1, (3,)): (Convex, Polyhedral, PosteriorNotion, AttributeWise),
    ll.PerfectPrivacy(): RANGE, ll.L1Lift(0, 1): LINEAR, ll.Chi2Lift(1, 0): LINEAR,
    ll.AlphaLift(2, 0, 1): LINEAR, ll.L1Lift(1, INF): (LiftNotion,),
    AverageLeakage(1): (), MaximalLeakage(1): (),
}  # fmt: skip
INTERFACES = (
    LiftNotion,
    Convex,
    Polyhedral,
    PolyhedralLift,
    CurvedLift,
    RatioBased,
    PosteriorNotion,
    AttributeWise,
)


@pytest.mark.parametrize("notion", DECLARED, ids=str)
def test_what_it_provides_and_what_it_says_of_the_rest(notion):
    assert {one for one in INTERFACES if provides(notion, one)} == set(DECLARED[notion])
    for interface in INTERFACES:

        @checked
        def f(notion: interface) -> None: ...

        if (reason := notion.lacks(interface)) is None:
            assert require(notion, interface, "f") is notion
            assert isinstance(notion, interface)
            f(notion)
            continue
        words, _, remedy = interface.requirement
        for ask in (f, partial(require, interface=interface, function="f")):
            with pytest.raises(ll.UnsupportedNotion) as refused:
                ask(notion)
            assert str(refused.value) == f"f needs {words}; {reason}: {remedy}"
            assert str(notion) in reason
    for name in (
        "leakage",
        "violation",
        "is_satisfied",
        *["halfspaces"] * provides(notion, Polyhedral),
    ):
        with pytest.raises(ll.LiftError):
            getattr(notion, name)("a table")
        if name != "halfspaces":
            with pytest.raises(ll.LiftError):
                getattr(notion, name)(TABLE, "a channel")


@pytest.mark.parametrize(
    "notion",
    [one for one in DECLARED if type(one).__module__.startswith("liftlib")],
    ids=str,
)
def test_values(notion):
    """They compare, are frozen, and stand in JSON, which has no infinity."""
    again = from_content(json.loads(json.dumps(content_of(notion), allow_nan=False)))
    assert (again, type(again), hash(again)) == (notion, type(notion), hash(notion))
    assert all(isinstance(one, float) for one in budgets_of(notion))
    with pytest.raises(FrozenInstanceError):
        notion.eps = notion.eps_l = 0


def test_values_by_hand():
    assert ll.ALIP(1, 2) == ll.ALIP(1.0, 2.0) != ll.L1Lift(1, 2)
    assert (
        ll.SRLIP(1, [2, 3])
        == ll.SRLIP(1, (2, np.int64(3)))
        == ll.SRLIP(1, np.array([2, 3]))
    )
    assert len({ll.LIP(1), ll.LIP(1.0), ll.LDP(1)}) == 2
    assert ll.PerfectPrivacy() == ll.ALIP(0, 0)
    assert content_of(Own()) is None
    assert (ll.ALIP.split(2, 0.25), ll.ALIP.split(2, 0)) == (
        ll.ALIP(0.5, 1.5),
        ll.ALIP(0, 2),
    )
    assert ll.ALIP.split(INF, 0.5) == ll.ALIP(INF, INF)
    for notion, text in (
        (ll.LIP(0.1 + 0.2), "LIP(eps=0.3)"),
        (
            ll.ALIP(0.1 + 0.2, 1.2345678901234567e-07),
            "ALIP(eps_l=0.3, eps_u=1.23456789012e-07)",
        ),
        (ll.ALIP(INF, 0.12345678901), "ALIP(eps_l=inf, eps_u=0.12345678901)"),
        (ll.SRLIP(1.1 * 3, (2, 3)), "SRLIP(eps=3.3, shape=(2, 3))"),
    ):
        assert str(notion) == text
    assert repr(ll.LIP(0.1 + 0.2)) == "LIP(eps=0.30000000000000004)"


@dataclass(frozen=True)
class Own(LiftNotion):
    """The largest lift to the power of four, or what it is told: no more is said than
    must be.
    """

    nats: float | None = None

    def required_budgets(self, lift, p_s):  # noqa: ARG002
        found = (
            log_of(lift.max(axis=-2) ** 4)
            if self.nats is None
            else np.full(lift.shape[-1], self.nats)
        )
        return (RequiredBudget("eps", found, 1.0 if self.nats is None else 0.0),)


def test_what_a_notion_of_ones_own_inherits():
    lower, upper, _ = Own().lift_bounds(np.array([0.2, 0.8]))
    assert lower.tolist() == [INF, INF]
    assert np.exp(upper).tolist() == pytest.approx([5, 1.25])
    most = lift(TABLE).max(axis=0)
    assert Own().leakage(TABLE, AS_IS) == pytest.approx(4 * math.log(most.max()))
    np.testing.assert_allclose(Own().risk(lift(TABLE), TABLE.p_s), most**4)
    # to within the tolerance itself
    for nats, kept in ((KEEP_TOL, True), (math.nextafter(KEEP_TOL, 1), False)):
        assert Own(nats).is_satisfied(TABLE, AS_IS) is kept
        assert Own(nats).kept_columns(lift(TABLE), TABLE.p_s).tolist() == [kept] * 3


@dataclass(frozen=True)
class Careless(LiftNotion):
    """Relative entropy of the posterior, which forgets that 0 log 0 is 0."""

    eps: float

    def required_budgets(self, lift, p_s):
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = (p_s[..., :, None] * lift * np.log(lift)).sum(-2)
        return (RequiredBudget("eps", needed, self.eps),)


def test_what_is_not_a_number_breaks_a_notion():
    joint = ll.Joint([[0.5, 0.0], [0.0, 0.5]])
    notion = Careless(0.1)
    assert not notion.is_satisfied(joint)
    assert math.isnan(notion.violation(joint))
    assert math.isnan(notion.leakage(joint))
