"""What every mechanism owes under every notion on every fixture: a channel, the notion kept, the marginals right."""

import functools
import itertools

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import UnsupportedNotion

NOTIONS = {
    "ALIP": ll.ALIP(0.7, 0.4),
    "ALIP-tight": ll.ALIP(0.1, 0.05),
    "max-lift": ll.ALIP(np.inf, 0.4),
    "min-lift": ll.ALIP(0.7, np.inf),
    "perfect": ll.PerfectPrivacy(),
    "LIP": ll.LIP(1.0),
    "LIP-50": ll.LIP(50.0),
    "LDP": ll.LDP(1.5),
    "LDP-50": ll.LDP(50.0),
    "l1": ll.L1Lift(np.inf, 0.2),
    "l1-both": ll.L1Lift(0.5, 0.3),
    "chi2": ll.Chi2Lift(0.5, 0.3),
    "alpha": ll.AlphaLift(2, 0.5, 0.3),
}
POLYHEDRAL = {name for name in NOTIONS if name not in ("l1-both", "chi2", "alpha")}

MECHANISMS = {
    "watchdog": ll.watchdog,
    "watchdog-uniform": functools.partial(ll.watchdog, randomise="uniform"),
    "merging": ll.subset_merging,
    "optimal": ll.optimal_response,
    "subset-response": ll.subset_response,
    "searched": ll.searched_response,
}
SERVES = {
    "watchdog": set(NOTIONS),
    "watchdog-uniform": set(NOTIONS),
    "merging": set(NOTIONS),
    "optimal": POLYHEDRAL,
    "subset-response": POLYHEDRAL,
    "searched": POLYHEDRAL,
}
FAMILIES = {
    "randomised-response": (ll.randomised_response, {}),
    "unary-encoding": (ll.unary_encoding, {}),
    "conditional-reporting": (ll.conditional_reporting, {}),
    "linear-reduction": (ll.linear_reduction, {"high": 1.0, "private_end": "high"}),
    "secret-aware-reduction": (ll.secret_aware_reduction, {"high": 1.0, "private_end": "high"}),
}


def small_enough(joint):
    """Vertices of 13 secrets x 20 symbols at tight budgets run into millions; six of its symbols do not."""
    return joint if joint.n_secret <= 8 else ll.Joint.from_counts(joint.p[:, :6])


def utility(joint, channel):
    return ll.evaluate(joint, channel).mutual_information


def assert_is_channel(joint, channel):
    """Rows sum to one, P_S is left alone, and nothing beyond X is told of S by a mechanism that does not see it."""
    np.testing.assert_allclose(channel.kernel.sum(axis=-1), 1, atol=1e-9)
    assert (channel.kernel >= 0).all()
    out = channel.release(joint)
    np.testing.assert_allclose(out.p_s, joint.p_s, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(channel.joint_xy(joint).sum(axis=1), joint.p_x, rtol=1e-9, atol=1e-12)
    if not channel.sees_secret:
        assert ll.mutual_information(out.p) <= ll.mutual_information(joint.p) + 1e-9
        assert ll.total_variation(out) <= ll.total_variation(joint) + 1e-9
        before = ll.ALIP(0, 0).leakage(joint, ll.Channel.identity(joint.n_public))
        after = ll.ALIP(0, 0).leakage(joint, channel)
        assert after.lower <= before.lower + 1e-9
        assert after.upper <= before.upper + 1e-9


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_contract(joint, mechanism, notion):
    if notion not in SERVES[mechanism]:
        with pytest.raises(UnsupportedNotion, match="use subset_merging"):
            MECHANISMS[mechanism](joint, NOTIONS[notion])
        return
    joint = small_enough(joint) if SERVES[mechanism] == POLYHEDRAL else joint
    channel = MECHANISMS[mechanism](joint, NOTIONS[notion])
    assert_is_channel(joint, channel)
    assert NOTIONS[notion].is_kept(joint, channel)


@pytest.mark.parametrize("notion", sorted(POLYHEDRAL))
def test_order_of_utilities(joint, notion):
    """optimal >= subset response >= subset merging >= complete merging >= 0 under one notion."""
    joint, kept = small_enough(joint), NOTIONS[notion]
    values = [
        utility(joint, mechanism(joint, kept))
        for mechanism in (ll.optimal_response, ll.subset_response, ll.subset_merging)
    ]
    # complete merging of the same set as subset merging's: its subsets united
    merging = ll.subset_merging(joint, kept)
    united = [x for subset in merging.partition if len(subset) > 1 for x in subset]
    rest = [(x,) for x in range(joint.n_public) if x not in united]
    complete = ll.Channel.merge([*rest, united] if united else rest, joint.n_public)
    values += [utility(joint, complete), 0.0]
    assert all(a >= b - 1e-9 for a, b in itertools.pairwise(values)), values


@pytest.mark.parametrize("notion", ["ALIP", "LIP", "LDP", "chi2", "alpha", "l1-both"])
@pytest.mark.parametrize("family", FAMILIES)
def test_calibrated_families(joint, family, notion):
    """The calibrated parameter keeps the notion, exactly, and a slightly less private one does not."""
    make, options = FAMILIES[family]
    if family == "unary-encoding" and joint.n_public > 12:  # 2^17 outputs and more; test_ldp has all of 2^16
        joint = ll.Joint.from_counts(joint.p[:, :8], drop_empty=True)
    kept = NOTIONS[notion]
    parameter = ll.calibrate(make, joint, kept, **options)
    end = 0.0 if options else np.inf
    channel = make(joint, parameter)
    assert_is_channel(joint, channel)
    assert kept.is_kept(joint, channel)
    if parameter != end and parameter < 499:
        looser = parameter * (0.99 if options else 1.01) + (0 if options else 1e-3)
        assert not kept.is_kept(joint, make(joint, looser)), parameter


@pytest.mark.parametrize("eps", [0.2, 1.0])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_family_beats_the_optimum(family, eps):
    """Of those that do not see the secret: GRR, OUE and linear reduction stay below the optimal response."""
    make, options = FAMILIES[family]
    for seed in range(5):
        joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(seed))
        channel = make(joint, ll.calibrate(make, joint, ll.LIP(eps), **options))
        if not channel.sees_secret:
            assert utility(joint, channel) <= utility(joint, ll.optimal_response(joint, ll.LIP(eps))) + 1e-9


@pytest.mark.parametrize("eps", [0.1, 0.8, 3.0])
def test_lip_and_ldp(eps):
    """S20 Lemma 1: LDP(eps) implies LIP(eps), which implies LDP(2 eps); so the optima are ordered."""
    for seed in range(5):
        joint = ll.datasets.uniform_joint(3, 7, np.random.default_rng(seed))
        ldp, lip, wide = (
            utility(joint, ll.optimal_response(joint, n)) for n in (ll.LDP(eps), ll.LIP(eps), ll.LDP(2 * eps))
        )
        assert ldp <= lip + 1e-9
        assert lip <= wide + 1e-9
        assert ll.LIP(eps).is_kept(joint, ll.optimal_response(joint, ll.LDP(eps)))
        assert ll.LDP(2 * eps).is_kept(joint, ll.optimal_response(joint, ll.LIP(eps)))


@pytest.mark.parametrize("notion", ["ALIP", "LIP", "LDP"])
def test_looser_budgets_never_cost_utility(notion, joint):
    kind = {"ALIP": lambda e: ll.ALIP(e, e / 2), "LIP": ll.LIP, "LDP": ll.LDP}[notion]
    joint = ll.Joint.from_counts(small_enough(joint).p[:, :8], drop_empty=True)
    values = [utility(joint, ll.optimal_response(joint, kind(eps))) for eps in (0.0, 0.3, 1.0, 3.0, 50.0)]
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(values)), values
    assert values[-1] == pytest.approx(ll.entropy(joint.p_x), abs=1e-9)
