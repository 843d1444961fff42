"""Privacy notions."""

import itertools
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from awkward_joints import on_each_joint
from hypothesis import given
from hypothesis import strategies as st

import liftlib as ll
from liftlib.measures.lifts import lift_of
from liftlib.notions import Leakage, LiftNotion

ONE_BUDGET = {"LIP": ll.LIP, "LDP": ll.LDP}
TWO_BUDGETS = {
    "ALIP": ll.ALIP,
    "L1Lift": ll.L1Lift,
    "Chi2Lift": ll.Chi2Lift,
    "AlphaLift-2": lambda low, high: ll.AlphaLift(2, low, high),
    "AlphaLift-100": lambda low, high: ll.AlphaLift(100, low, high),
    "AlphaLift-inf": lambda low, high: ll.AlphaLift(math.inf, low, high),
}


def same_budget(eps):
    """Every notion decided by lift columns, with the budget eps throughout."""
    return [make(eps) for make in ONE_BUDGET.values()] + [make(eps, eps) for make in TWO_BUDGETS.values()]


def log(value):
    return math.log(value) if value > 0 else -math.inf


def inverse(value):
    return 1 / value if value > 0 else math.inf


def plain_lifts(joint, kernel):
    """Lifts of each output, by loops: lists over outputs of lists over secrets."""
    kernel = np.asarray(kernel)
    n_s, n_x = joint.p.shape
    rows = kernel if kernel.ndim == 3 else np.broadcast_to(kernel, (n_s, *kernel.shape))
    columns = []
    for y in range(rows.shape[2]):
        p_sy = [math.fsum(joint.p[s, x] * rows[s, x, y] for x in range(n_x)) for s in range(n_s)]
        p_y = math.fsum(p_sy)
        if p_y > 0:
            columns.append([p / p_y / math.fsum(joint.p[s]) for s, p in enumerate(p_sy)])
    return columns


def plain_leakage(name, joint, kernel):
    """The pair of smallest budgets, from the definitions, by loops."""
    prior = [math.fsum(row) for row in joint.p]
    low, high = 0.0, 0.0
    for column in plain_lifts(joint, kernel):
        flipped = [inverse(v) for v in column]
        if name in ("ALIP", "LIP", "AlphaLift-inf"):
            lower, upper = -log(min(column)), log(max(column))
        elif name == "LDP":
            lower = upper = max(log(a) - log(b) for a in column for b in column if a > 0)
        elif name == "L1Lift":
            lower = math.log1p(sum(p * abs(v - 1) for p, v in zip(prior, flipped, strict=True)))
            upper = math.log1p(sum(p * abs(v - 1) for p, v in zip(prior, column, strict=True)))
        elif name == "Chi2Lift":
            lower = math.log1p(math.sqrt(sum(p * (v - 1) ** 2 for p, v in zip(prior, flipped, strict=True))))
            upper = math.log1p(math.sqrt(sum(p * (v - 1) ** 2 for p, v in zip(prior, column, strict=True))))
        else:
            alpha = int(name.removeprefix("AlphaLift-"))
            lower = math.log(sum(p * v**alpha for p, v in zip(prior, flipped, strict=True))) / alpha
            upper = math.log(sum(p * v**alpha for p, v in zip(prior, column, strict=True))) / alpha
        low, high = max(low, lower), max(high, upper)
    return low, high


def random_kernel(joint, rng, *, aware=False, n_outputs=4, concentration=1.0):
    shape = (joint.n_secret, joint.n_public) if aware else (joint.n_public,)
    return rng.dirichlet(np.full(n_outputs, concentration), size=shape)


class TestBudgets:
    @pytest.mark.parametrize("kind", [ll.LIP, ll.LDP, lambda eps: ll.SRLIP(eps, (2,))])
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (-0.1, r"^eps is -0\.1, not in \[0, inf\]: give a number in that range$"),
            (math.nan, r"^eps is nan, not in \[0, inf\]"),
            (True, r"^eps is True, not a number: give a number in \[0, inf\]$"),
            ("1", r"^eps is '1', not a number"),
            (None, r"^eps is None, not a number"),
        ],
    )
    def test_one_budget_refuses(self, kind, value, text):
        with pytest.raises(ll.InvalidParameter, match=text):
            kind(value)

    @pytest.mark.parametrize("kind", TWO_BUDGETS.values(), ids=TWO_BUDGETS)
    @pytest.mark.parametrize("value", [-0.1, math.nan, True, "1", None])
    def test_two_budgets_refuse_and_name_the_one(self, kind, value):
        with pytest.raises(ll.InvalidParameter, match=r"^eps_l is "):
            kind(value, 1)
        with pytest.raises(ll.InvalidParameter, match=r"^eps_u is "):
            kind(1, value)

    @pytest.mark.parametrize("alpha", [1, 0, -2, math.nan, True, "2"])
    def test_alpha_is_above_one(self, alpha):
        with pytest.raises(ll.InvalidParameter, match=r"^alpha is .*(not in \(1, inf\]|not a number)"):
            ll.AlphaLift(alpha, 1, 1)

    def test_split(self):
        assert ll.ALIP.split(2, 0.25) == ll.ALIP(0.5, 1.5)
        assert ll.ALIP.split(2, 0) == ll.ALIP(0, 2)
        with pytest.raises(ll.InvalidParameter, match=r"^lam is 1\.1, not in \[0, 1\]"):
            ll.ALIP.split(2, 1.1)
        with pytest.raises(ll.InvalidParameter, match=r"^eps is nan, not in"):
            ll.ALIP.split(math.nan, 0.5)

    def test_split_of_an_infinite_budget_has_no_share(self):
        assert ll.ALIP.split(math.inf, 0.5) == ll.ALIP(math.inf, math.inf)
        with pytest.raises(ll.InvalidParameter, match=r"^eps_l is nan"):
            ll.ALIP.split(math.inf, 0)

    def test_values_compare_and_are_frozen(self):
        assert ll.ALIP(1, 2) == ll.ALIP(1.0, 2.0)
        assert ll.ALIP(1, 2) != ll.L1Lift(1, 2)
        assert ll.SRLIP(1, [2, 3]) == ll.SRLIP(1, (2, np.int64(3))) == ll.SRLIP(1, np.array([2, 3]))
        assert len({ll.LIP(1), ll.LIP(1.0), ll.LDP(1)}) == 2
        assert isinstance(ll.LIP(1).eps, float)
        for notion in (*same_budget(1), ll.SRLIP(1, (2,))):
            assert isinstance(notion, ll.Notion)
            with pytest.raises(FrozenInstanceError):
                notion.eps = notion.eps_l = 0

    def test_perfect_privacy_is_alip_without_a_budget(self):
        assert ll.PerfectPrivacy() == ll.ALIP(0, 0)


@pytest.mark.parametrize("name", [*ONE_BUDGET, *TWO_BUDGETS])
class TestLeakage:
    def make(self, name, low, high):
        return ONE_BUDGET[name](max(low, high)) if name in ONE_BUDGET else TWO_BUDGETS[name](low, high)

    @pytest.mark.parametrize("aware", [False, True])
    def test_against_plain_loops(self, name, aware):
        rng = np.random.default_rng(1)
        for n_secret, n_public in [(2, 2), (3, 5), (5, 4)]:
            joint = ll.Joint(rng.dirichlet(np.ones(n_secret * n_public)).reshape(n_secret, n_public))
            kernel = random_kernel(joint, rng, aware=aware)
            low, high = plain_leakage(name, joint, kernel)
            found = self.make(name, 1, 1).leakage(joint, ll.Channel(kernel))
            if name in ONE_BUDGET:
                assert found == pytest.approx(max(low, high), rel=1e-10)
            else:
                assert isinstance(found, Leakage)
                assert (found.lower, found.upper) == pytest.approx((low, high), rel=1e-10)

    @on_each_joint
    def test_is_the_smallest_budget_that_is_kept(self, name, joint):
        channel = ll.Channel(random_kernel(joint, np.random.default_rng(2)))
        found = self.make(name, 1, 1).leakage(joint, channel)
        low, high = (found, found) if name in ONE_BUDGET else found
        assert self.make(name, low, high).is_satisfied(joint, channel)
        step = 1e-6
        if low > step and name not in ONE_BUDGET:
            assert not self.make(name, low - step, high).is_satisfied(joint, channel)
        if high > step and name not in ONE_BUDGET:
            assert not self.make(name, low, high - step).is_satisfied(joint, channel)
        if name in ONE_BUDGET and low > step:
            assert not self.make(name, low - step, low - step).is_satisfied(joint, channel)

    @on_each_joint
    def test_a_constant_release_keeps_a_budget_of_zero(self, name, joint):
        notion = self.make(name, 0, 0)
        constant = ll.Channel.constant(joint.n_public)
        assert notion.is_satisfied(joint, constant)
        found = notion.leakage(joint, constant)
        assert np.allclose(found, 0, atol=1e-9)
        assert np.min(found) >= 0

    def test_everything_is_kept_where_nothing_can_leak(self, name, named_joints):
        for case in ("one-secret", "one-symbol", "one-of-each", "independent"):
            joint = named_joints[case]
            assert self.make(name, 0, 0).is_satisfied(joint, ll.Channel.identity(joint.n_public))

    def test_fifty_nats_allow_full_support_and_never_a_zero(self, name, named_joints):
        whole = named_joints["random-5x17"]
        assert self.make(name, 50, 50).is_satisfied(whole, ll.Channel.identity(17))
        for case in ("adult", "zeros", "function-of-x"):
            joint = named_joints[case]
            identity = ll.Channel.identity(joint.n_public)
            notion = self.make(name, 50, 50)
            assert not notion.is_satisfied(joint, identity)
            found = notion.leakage(joint, identity)
            if name in ONE_BUDGET:
                assert found == math.inf
            else:
                assert found.lower == math.inf
                assert 0 < found.upper < math.inf

    def test_an_infinite_budget_allows_a_zero(self, name, named_joints):
        joint = named_joints["zeros"]
        assert self.make(name, math.inf, math.inf).is_satisfied(joint, ll.Channel.identity(joint.n_public))

    def test_an_infinite_lower_budget_leaves_the_upper_bound(self, name, named_joints):
        if name in ONE_BUDGET:
            return
        joint = named_joints["zeros"]
        identity = ll.Channel.identity(joint.n_public)
        high = self.make(name, 1, 1).leakage(joint, identity).upper
        assert self.make(name, math.inf, high).is_satisfied(joint, identity)
        assert not self.make(name, math.inf, high - 1e-6).is_satisfied(joint, identity)
        assert not self.make(name, 50, math.inf).is_satisfied(joint, identity)

    def test_two_tiny_masses_are_not_mistaken_for_privacy(self, name):
        joint = ll.Joint([[1 - 2e-200, 0, 0], [0, 1e-200, 0], [0, 0, 1e-200]])
        identity = ll.Channel.identity(3)
        assert not self.make(name, 50, 50).is_satisfied(joint, identity)
        found = self.make(name, 1, 1).leakage(joint, identity)
        assert (found if name in ONE_BUDGET else found.lower) == math.inf

    def test_a_channel_that_sees_the_secret_is_judged_by_its_release(self, name, named_joints):
        joint = named_joints["ties"]
        # tells the secret outright although X is not looked at
        tell = np.zeros((3, 6, 3))
        for s in range(3):
            tell[s, :, s] = 1
        assert not self.make(name, 50, 50).is_satisfied(joint, ll.Channel(tell))
        # hides it although X is sent, mapped so that P(y|s) is uniform
        ranks = np.argsort(np.argsort(-joint.p, axis=1, kind="stable"), axis=1)
        hide = np.zeros((3, 6, 6))
        for s, x in itertools.product(range(3), range(6)):
            hide[s, x, ranks[s, x]] = 1
        assert self.make(name, 0, 0).is_satisfied(joint, ll.Channel(hide))

    def test_refuses_a_channel_that_does_not_fit(self, name):
        for method in ("is_satisfied", "leakage"):
            with pytest.raises(ll.InvalidParameter, match=r"^the channel has 3 inputs, the joint 2 public symbols$"):
                getattr(self.make(name, 1, 1), method)(ll.Joint([[0.5, 0.5]]), ll.Channel.identity(3))


def test_notions_agree_where_the_definitions_do(joint):
    channel = ll.Channel(random_kernel(joint, np.random.default_rng(3)))
    low, high = ll.ALIP(1, 1).leakage(joint, channel)
    assert ll.LIP(1).leakage(joint, channel) == max(low, high)
    assert ll.AlphaLift(math.inf, 1, 1).leakage(joint, channel) == (low, high)
    assert ll.LDP(1).leakage(joint, channel) <= low + high + 1e-12
    assert ll.SRLIP(1, (joint.n_public,)).leakage(joint, channel) == pytest.approx(max(low, high), rel=1e-9, abs=1e-12)


class TestColumns:
    lifts = lift_of(np.random.default_rng(4).dirichlet(np.ones(12), size=7).reshape(7, 3, 4))
    p_s = np.random.default_rng(4).dirichlet(np.ones(12), size=7).reshape(7, 3, 4).sum(axis=2)

    def test_risks_of_the_papers(self):
        high, low = self.lifts.max(axis=1), self.lifts.min(axis=1)
        expected = {
            ll.ALIP(1, 1): high + 1 / low,
            ll.LIP(1): np.maximum(np.log(high), -np.log(low)),
            ll.LDP(1): high / low,
            ll.L1Lift(1, 1): np.einsum("ns,nsx->nx", self.p_s, np.abs(self.lifts - 1) + np.abs(1 / self.lifts - 1)),
            ll.Chi2Lift(1, 1): np.einsum("ns,nsx->nx", self.p_s, (self.lifts - 1) ** 2 + (1 / self.lifts - 1) ** 2),
            ll.AlphaLift(2, 1, 1): np.sqrt(np.einsum("ns,nsx->nx", self.p_s, self.lifts**2))
            + np.sqrt(np.einsum("ns,nsx->nx", self.p_s, self.lifts**-2)),
        }
        for notion, risk in expected.items():
            np.testing.assert_allclose(notion.risk(self.lifts, self.p_s), risk, rtol=1e-12)

    def test_batches_are_the_sum_of_their_slices(self):
        shares = []
        for notion in (*same_budget(0.3), *same_budget(1.5), *same_budget(6)):
            assert isinstance(notion, LiftNotion)
            kept = notion.kept_columns(self.lifts, self.p_s)
            assert kept.dtype == bool
            assert kept.shape == (7, 4)
            for n in range(7):
                assert np.array_equal(kept[n], notion.kept_columns(self.lifts[n], self.p_s[n]))
            shares.append(kept.mean())
        assert min(shares) == 0
        assert max(shares) == 1
        assert sum(0 < share < 1 for share in shares) > 5

    def test_nan_is_not_kept(self):
        for notion in same_budget(50):
            assert not notion.kept_columns(np.array([[math.nan], [1.0]]), np.array([0.5, 0.5])).any()


POLYHEDRAL = {
    "ALIP": ll.ALIP,
    "ALIP-max-only": lambda _, high: ll.ALIP(math.inf, high),
    "ALIP-min-only": lambda low, _: ll.ALIP(low, math.inf),
    "LIP": lambda low, high: ll.LIP(max(low, high)),
    "LDP": lambda low, high: ll.LDP(low + high),
    "L1Lift": lambda _, high: ll.L1Lift(math.inf, high),
}


class TestHalfspaces:
    """Every output's P(X=.|Y=y) lies in the cone exactly when the notion holds."""

    @given(joint=st.from_type(ll.Joint), seed=st.integers(0, 2**32 - 1), budgets=st.tuples(*[st.floats(0.05, 2)] * 2))
    def test_each_row_is_in_the_cone_exactly_when_its_lifts_are_allowed(self, joint, seed, budgets):
        rows = np.random.default_rng(seed).dirichlet(np.full(joint.n_public, 0.7), size=30).T
        lifts = joint.s_given_x @ rows / joint.p_s[:, None]
        for name, make in POLYHEDRAL.items():
            notion = make(*budgets)
            slack = (notion.halfspaces(joint) @ rows).min(axis=0, initial=1)
            clear = np.abs(slack) > 1e-8  # a row on the boundary may fall either way
            assert np.array_equal(slack[clear] >= 0, notion.kept_columns(lifts, joint.p_s)[clear]), name

    def test_counts(self, named_joints):
        joint = named_joints["random-5x17"]
        assert ll.ALIP(1, 1).halfspaces(joint).shape == (10, 17)
        assert ll.ALIP(math.inf, 1).halfspaces(joint).shape == (5, 17)
        assert ll.ALIP(math.inf, math.inf).halfspaces(joint).shape == (0, 17)
        assert ll.LDP(1).halfspaces(joint).shape == (20, 17)
        assert ll.LDP(math.inf).halfspaces(joint).shape == (0, 17)
        assert ll.SRLIP(math.inf, (17,)).halfspaces(joint).shape == (0, 17)
        assert ll.L1Lift(math.inf, 1).halfspaces(joint).shape == (30, 17)
        assert ll.L1Lift(math.inf, math.inf).halfspaces(joint).shape == (0, 17)
        assert ll.L1Lift(math.inf, 1.098).halfspaces(joint).shape == (30, 17)
        assert ll.L1Lift(math.inf, 1.099).halfspaces(joint).shape == (0, 17)  # e^1.099 - 1 > 2, above every l1-lift
        assert ll.LDP(1).halfspaces(named_joints["one-secret"]).shape == (0, 5)
        # a pair for each secret: knowing nothing, either of the two values of one attribute, and never both attributes
        assert ll.SRLIP(1, (2, 2)).halfspaces(ll.Joint(np.full((3, 4), 1 / 12))).shape == (2 * 3 * (1 + 2 + 2), 4)
        assert ll.L1Lift(math.inf, 1).halfspaces(named_joints["one-secret"]).shape == (0, 5)

    @pytest.mark.parametrize("eps", [50, 1000])
    def test_no_coefficient_overflows(self, eps, named_joints):
        for make in POLYHEDRAL.values():
            assert np.isfinite(make(eps, eps).halfspaces(named_joints["tiny-masses"])).all()

    def test_refuses_the_l1_lift_of_many_secrets(self):
        joint = ll.Joint(np.full((17, 2), 1 / 34))
        with pytest.raises(
            ll.UnsupportedNotion,
            match=r"^the l1-lift of 17 secrets has 2\^17 halfspaces, which cannot be listed: use optimal",
        ):
            ll.L1Lift(math.inf, 0.5).halfspaces(joint)
        assert ll.L1Lift(math.inf, 2).halfspaces(joint).shape == (0, 2)  # bounds nothing


def plain_srlip(joint, kernel, shape):
    """S20 eq. (22) as it stands."""
    symbols = list(itertools.product(*(range(n) for n in shape)))
    kernel = np.asarray(kernel)
    rows = kernel if kernel.ndim == 3 else np.broadcast_to(kernel, (joint.n_secret, *kernel.shape))
    worst = 0.0
    for size in range(len(shape) + 1):
        for known in itertools.combinations(range(len(shape)), size):
            for values in itertools.product(*(range(shape[j]) for j in known)):
                inside = [
                    i for i, x in enumerate(symbols) if all(x[j] == v for j, v in zip(known, values, strict=True))
                ]
                p_j = math.fsum(joint.p[s, i] for s in range(joint.n_secret) for i in inside)
                for y in range(rows.shape[2]):
                    given_j = (
                        math.fsum(joint.p[s, i] * rows[s, i, y] for s in range(joint.n_secret) for i in inside) / p_j
                    )
                    for s in range(joint.n_secret):
                        p_sj = math.fsum(joint.p[s, i] for i in inside)
                        if p_sj == 0 or given_j == 0:
                            continue
                        given_sj = math.fsum(joint.p[s, i] * rows[s, i, y] for i in inside) / p_sj
                        worst = max(worst, abs(log(given_sj / given_j)))
    return worst


class TestSRLIP:
    SHAPES = ((4,), (2, 2), (2, 3), (3, 2), (2, 2, 2), (1, 3), (1,))

    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    @pytest.mark.parametrize("aware", [False, True])
    def test_against_enumeration_of_all_side_channels(self, shape, aware):
        rng = np.random.default_rng(7)
        for zeros in (0, 0.3):
            n = math.prod(shape)
            p = rng.random((3, n)) * (rng.random((3, n)) >= zeros)
            p[0] += 0.01
            joint = ll.Joint.from_counts(p)
            kernel = random_kernel(joint, rng, aware=aware)
            found = ll.SRLIP(1, shape).leakage(joint, ll.Channel(kernel))
            assert found == pytest.approx(plain_srlip(joint, kernel, shape), rel=1e-9, abs=1e-12)

    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    def test_cone_against_enumeration(self, shape):
        rng = np.random.default_rng(8)
        p = rng.random((3, math.prod(shape))) * (rng.random((3, math.prod(shape))) >= 0.2)
        p[0] += 0.01
        joint = ll.Joint.from_counts(p)
        for concentration in (0.3, 3, 30, 300):
            kernel = random_kernel(joint, rng, concentration=concentration)
            level = plain_srlip(joint, kernel, shape)
            rows = ll.Channel(kernel).joint_xy(joint)
            above, below = ll.SRLIP(level + 1e-6, shape), ll.SRLIP(max(0, level - 1e-6), shape)
            assert (above.halfspaces(joint) @ rows).min(initial=0) >= 0
            assert above.is_satisfied(joint, ll.Channel(kernel))
            if level > 1e-6:
                assert (below.halfspaces(joint) @ rows).min(initial=0) < 0
                assert not below.is_satisfied(joint, ll.Channel(kernel))

    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    def test_cone_of_one_attribute_against_enumeration(self, shape):
        rng = np.random.default_rng(9)
        symbols = list(itertools.product(*(range(n) for n in shape)))
        p = rng.random((3, len(symbols))) * (rng.random((3, len(symbols))) >= 0.3)
        p[0] += 0.01
        p[2, : len(symbols) // 2] = 0
        joint = ll.Joint.from_counts(p)
        for j, n in enumerate(shape):
            alone = rng.dirichlet(np.full(3, 3.0), size=n)
            level = plain_srlip(joint, alone[[x[j] for x in symbols]], shape)
            own = [math.fsum(joint.p[:, [x[j] == v for x in symbols]].ravel()) for v in range(n)]
            possible = 0
            for known in itertools.product(*([None, *range(m)] if k != j else [None] for k, m in enumerate(shape))):
                agree = [all(a in (None, b) for a, b in zip(known, x, strict=True)) for x in symbols]
                possible += int((joint.p[:, agree].sum(axis=1) > 0).sum())
            for eps in (level + 1e-6, level - 1e-6):
                if eps < 0:
                    continue
                halfspaces, found = ll.SRLIP(1, shape).attribute_halfspaces(joint, j, eps)
                assert found.tolist() == pytest.approx(own)
                assert halfspaces.shape == (2 * possible, n)
                rows = np.array(own)[:, None] * alone
                assert (bool((halfspaces @ rows).min() >= 0)) == (eps > level)

    def test_a_deterministic_channel_leaks_a_zero(self):
        joint = ll.Joint.from_counts([[1, 2, 3, 4], [4, 0, 2, 1]])
        assert ll.SRLIP(50, (2, 2)).leakage(joint, ll.Channel.identity(4)) == math.inf
        assert not ll.SRLIP(50, (2, 2)).is_satisfied(joint, ll.Channel.identity(4))
        assert ll.SRLIP(math.inf, (2, 2)).is_satisfied(joint, ll.Channel.identity(4))

    def test_a_secret_that_the_side_channel_rules_out_bounds_nothing(self):
        # the first attribute tells S, the second is independent of it: to release the second adds nothing to any J
        joint = ll.Joint.from_counts([[1, 2, 0, 0], [0, 0, 2, 4]])
        assert ll.SRLIP(0, (2, 2)).is_satisfied(joint, ll.Channel.merge([(0, 2), (1, 3)], 4))
        # to release the first tells S to whoever does not know it
        assert ll.SRLIP(0, (2, 2)).leakage(joint, ll.Channel.merge([(0, 1), (2, 3)], 4)) == math.inf

    def test_a_constant_release_keeps_zero(self, joint):
        assert ll.SRLIP(0, (joint.n_public,)).is_satisfied(joint, ll.Channel.constant(joint.n_public))

    @pytest.mark.parametrize("sees", [False, True])
    def test_an_output_of_any_weight_has_its_lifts(self, sees):
        joint = ll.Joint([[0.5, 0.25, 0.125], [0.125 - 1e-200, 1e-200, 1e-290]])
        weights, notion = np.array([0.5, 1e-30, 1e-120, 0.0]), ll.SRLIP(1, (3,))
        kernel = np.broadcast_to(weights / weights.sum(), (3, 4))
        found = notion.required_by_posteriors(joint, ll.Channel(np.broadcast_to(kernel, (2, 3, 4)) if sees else kernel))
        assert [need.needed.tolist() for need in found] == [pytest.approx([0.0] * 4, abs=1e-12)] * 2
        assert notion.leakage(joint, ll.Channel(kernel)) == pytest.approx(0, abs=1e-12)

    def test_refuses_sizes_that_do_not_fit(self, named_joints):
        joint = named_joints["ties"]
        text = r"^shape \(2, 2\) has 4 combinations, the joint 6 public symbols$"
        for call in (
            lambda: ll.SRLIP(1, (2, 2)).leakage(joint, ll.Channel.identity(6)),
            lambda: ll.SRLIP(1, (2, 2)).is_satisfied(joint, ll.Channel.identity(6)),
            lambda: ll.SRLIP(1, (2, 2)).halfspaces(joint),
        ):
            with pytest.raises(ll.InvalidParameter, match=text):
                call()
        with pytest.raises(ll.InvalidParameter, match=r"^the channel has 4 inputs, the joint 6"):
            ll.SRLIP(1, (2, 3)).leakage(joint, ll.Channel.identity(4))

    @pytest.mark.parametrize(
        "shape", [(), (0, 2), (-1,), (2.0, 2), ("2",), "2", (True, 2), {2, 3}, 4, np.array(4), None]
    )
    def test_refuses_what_is_no_shape(self, shape):
        with pytest.raises(ll.InvalidParameter, match=r"^shape is .*: give the size, 1 or more, of each attribute$"):
            ll.SRLIP(1, shape)


class TestWrongArguments:
    @pytest.mark.parametrize("notion", [ll.LIP(1.0), ll.LDP(1.0), ll.L1Lift(1.0, 1.0), ll.AlphaLift(2, 0.0, 1.0)])
    def test_a_prior_that_is_none(self, notion):
        with pytest.raises(
            ll.InvalidDistribution, match=r"^p_s is array\(\[1\., 0\.\]\): give each secret a probability"
        ):
            notion.lift_bounds([1.0, 0.0])
        with pytest.raises(ll.InvalidDistribution, match=r"^p_s has shape \(\), not 1 axes: reshape it$"):
            notion.lift_bounds(0.5)

    @pytest.mark.parametrize("notion", [ll.LIP(1.0), ll.LDP(1.0)])
    def test_secrets_that_are_no_number_of_them(self, notion):
        with pytest.raises(ll.InvalidParameter, match=r"^n_secret is 2\.5: give a whole number, 1 or more$"):
            notion.ratios(2.5)
