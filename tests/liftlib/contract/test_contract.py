"""What every mechanism owes under every notion on every fixture.

The mechanisms are those of the registry, so that a new one is tested once it is public.
"""

import contextlib
import functools
import inspect
import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from asked import utility
from awkward_joints import JOINTS, named_joint, on_each_joint

import liftlib as ll
from liftlib.errors import UnsupportedNotion
from liftlib.notions import LiftNotion, Polyhedral, catalogue, provides
from liftlib.registry import mechanisms
from liftlib.testing import channel_faults
from mixproof.numerics import KEEP_TOL

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
    "chi2": ll.Chi2Lift(np.inf, 0.3),
    "chi2-both": ll.Chi2Lift(0.5, 0.3),
    "alpha": ll.AlphaLift(2, 0.5, 0.3),
}
BUDGETS = {"eps": 1.0, "eps_l": 0.7, "eps_u": 0.4}


def with_budgets(make):
    """Return a notion with a value for each parameter, whatever its name."""
    return make(
        **{
            name: BUDGETS.get(name, 2.0)
            for name, parameter in inspect.signature(make).parameters.items()
            if name in BUDGETS or parameter.default is parameter.empty
        }
    )


# a notion that the catalogue has and this table has not joins as it is
NOTIONS |= {
    name: with_budgets(make)
    for name, make in catalogue.all_notions().items()
    if make not in {ll.SRLIP, ll.PerfectPrivacy, *map(type, NOTIONS.values())}
}
POLYHEDRAL = sorted(
    name for name, notion in NOTIONS.items() if provides(notion, Polyhedral)
)

SHAPES = {"2x2": (2, 2), "3x2": (3, 2), "2x2x2": (2, 2, 2), "1x4": (1, 4)}
"""Attributes of X, for the notions that are about them."""

NAMED_SHAPES = {
    1: [(1,), (1, 1)],
    4: [(4,), (2, 2)],
    5: [(5,), (1, 5)],
    6: [(6,), (2, 3), (3, 2), (1, 3, 2)],
    9: [(3, 3)],
    15: [(3, 5), (5, 3)],
    17: [(17,)],
    20: [(4, 5), (2, 2, 5)],
}
"""Attributes of as many symbols as the named joint distributions have."""

SMALL = {
    "secret-aware": (3, 3),
    "best-partition": (13, 9),
    "unary-encoding": (13, 5),
    "robust": (8, 6),  # alone, without other distributions, it is the optimal response
    "funnel-merging": (13, 9),
    "funnel-descent": (4, 6),
    "markov-reduction": (4, 4),
    "extreme-reduction": (4, 3),
}
"""Secrets and symbols that leave a mechanism whose time grows fast a moment a case."""


def small_enough(joint):
    """Vertices of 13 secrets x 20 symbols at tight budgets run into millions."""
    return joint if joint.n_secret <= 8 else ll.Joint.from_counts(joint.p[:, :6])


@functools.cache
def manageable(mechanism, name):
    """Return as much of a joint distribution as a mechanism can do."""
    joint = named_joint(name)
    n_secret, n_public = SMALL.get(
        mechanism.name, (joint.n_secret, mechanism.most_symbols or joint.n_public)
    )
    if n_secret < joint.n_secret or n_public < joint.n_public:
        joint = ll.Joint.from_counts(joint.p[:n_secret, :n_public], drop_empty=True)
    return (
        small_enough(joint)
        if mechanism.words != LiftNotion.requirement.words
        else joint
    )


@contextlib.contextmanager
def named(case):
    """Say which case of a loop failed."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"with {case}")
        raise


def assert_is_channel(joint, channel):
    """Rows sum to one, P_S is right, and a blind mechanism adds nothing about S."""
    assert channel_faults(joint, channel) == []


def assert_refuses(mechanism, joint, notion):
    """The refusal names the mechanism, the notion and what serves it."""
    with pytest.raises(UnsupportedNotion) as refused:
        mechanism(joint, notion)
    said = str(refused.value)
    assert all(one in said for one in (mechanism.name, mechanism.words, str(notion)))
    assert said.startswith(mechanism.serves(notion).refusal)
    named = said.rpartition("use ")[2].split(", ")
    assert named == [name for name, one in mechanisms.items() if one.serves(notion)]
    if mechanism.family is None:
        with pytest.raises(UnsupportedNotion):
            mechanism.function(joint, notion)


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("mechanism", mechanisms)
def test_contract(mechanism, notion):
    mechanism, notion = mechanisms[mechanism], NOTIONS[notion]
    if not mechanism.serves(notion):
        assert_refuses(mechanism, named_joint("ties"), notion)
        return
    for name in JOINTS:
        with named(name):
            joint = manageable(mechanism, name)
            channel = made_for(mechanism, name, notion)
            assert channel.sees_secret == mechanism.sees_secret
            assert channel_faults(joint, channel, notion) == []


@functools.cache
def made_for(mechanism, name, notion):
    joint = manageable(mechanism, name)
    return (
        mechanism(joint, notion)
        if mechanism.family is None
        else calibrated(mechanism, joint, notion)
    )


def calibrated(mechanism, joint, notion):
    """At its parameter a family keeps the notion; slightly less private, it
    does not.
    """
    family = mechanism.family
    parameter = ll.calibrate(family, joint, notion)
    channel = family.at(joint, parameter)
    # a budget of 0 is kept to within rounding
    assert notion.violation(joint, channel) <= (
        0 if notion != ll.PerfectPrivacy() else KEEP_TOL
    )
    if (
        parameter != family.end
        and abs(parameter) < 499
        and notion != ll.PerfectPrivacy()
    ):
        looser = (
            0.99 * parameter
            if family.private_end == "high"
            else 1.01 * parameter + 1e-3
        )
        assert parameter < 1e-6 or not notion.is_satisfied(
            joint, family.at(joint, looser)
        ), parameter
    return channel


def test_a_notion_with_parameters_of_other_names_takes_part():
    """As in the recipe's four files: none of them is this one."""

    @dataclass(frozen=True)
    class OfOrder(ll.ALIP):
        order: float
        steps: int = 3

    assert with_budgets(OfOrder) == OfOrder(0.7, 0.4, 2.0, 3)


@pytest.mark.parametrize(
    "name", [name for name, one in mechanisms.items() if one.family]
)
def test_a_family_is_calibrated_by_the_registry(name):
    joint, notion = named_joint("ties"), ll.LIP(0.5)
    family = mechanisms[name].family
    expected = family.at(joint, ll.calibrate(family, joint, notion))
    for channel in (mechanisms[name](joint, notion), family.calibrated(joint, notion)):
        np.testing.assert_array_equal(channel.kernel, expected.kernel)


@pytest.mark.parametrize("eps", [0.0, 0.3, 50.0])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mechanism", mechanisms)
def test_contract_under_side_channels(mechanism, shape, eps):
    mechanism, notion = mechanisms[mechanism], ll.SRLIP(eps, SHAPES[shape])
    n, rng = int(np.prod(SHAPES[shape])), np.random.default_rng(1)
    counts = rng.integers(1, 9, (3, n))
    counts[0, 0] = 0
    joint = ll.Joint.from_counts(counts)
    if not mechanism.serves(notion):
        assert_refuses(mechanism, joint, notion)
        return
    channel = mechanism(joint, notion)
    assert_is_channel(joint, channel)
    assert notion.is_satisfied(joint, channel)


@pytest.mark.parametrize("name", JOINTS)
def test_product_response_on_named_joints(name):
    """By the registry's name, at budgets from nothing to more than there is to tell."""
    mechanism, joint = mechanisms["product"], named_joint(name)
    for shape, eps in itertools.product(
        NAMED_SHAPES[joint.n_public], (0.0, 0.01, 0.3, 50.0)
    ):
        with named(f"shape {shape}, eps {eps}"):
            notion = ll.SRLIP(eps, shape)
            channel = mechanism(joint, notion)
            assert_is_channel(joint, channel)
            assert notion.is_satisfied(joint, channel)
            assert channel.certificate.value == pytest.approx(
                utility(joint, channel), abs=1e-9
            )


@pytest.mark.parametrize("notion", POLYHEDRAL)
@pytest.mark.parametrize("name", JOINTS)
def test_order_of_utilities(name, notion):
    notion, joint = NOTIONS[notion], manageable(mechanisms["optimal"], name)
    merging = ll.mechanisms.subset_merging(joint, notion)
    # complete merging of the same set as subset merging's: its subsets united
    united = [x for subset in merging.partition if len(subset) > 1 for x in subset]
    rest = [(x,) for x in range(joint.n_public) if x not in united]
    complete = ll.Channel.merge([*rest, united] if united else rest, joint.n_public)
    channels = [
        made_for(mechanisms[one], name, notion)
        for one in ("optimal", "subset-response")
    ] + [merging, complete]
    values = [utility(joint, channel) for channel in channels] + [0.0]
    assert all(a >= b - 1e-9 for a, b in itertools.pairwise(values)), values


@pytest.mark.parametrize("eps", [0.2, 1.0])
@pytest.mark.parametrize("mechanism", mechanisms)
def test_none_beats_the_optimum(mechanism, eps):
    """Of those that do not see the secret; the optimum that does is no
    worse than any.
    """
    mechanism, notion = mechanisms[mechanism], ll.LIP(eps)
    if not mechanism.serves(notion):
        return
    for seed in range(2):
        joint = ll.datasets.uniform_joint(
            3, 3 if mechanism.sees_secret else 6, np.random.default_rng(seed)
        )
        best = mechanisms["secret-aware" if mechanism.sees_secret else "optimal"](
            joint, notion
        )
        assert utility(joint, mechanism(joint, notion)) <= utility(joint, best) + 1e-9


@pytest.mark.parametrize("notion", ["ALIP", "LIP", "LDP"])
@on_each_joint
def test_looser_budgets_never_cost_utility(notion, joint):
    kind = {"ALIP": lambda e: ll.ALIP(e, e / 2), "LIP": ll.LIP, "LDP": ll.LDP}[notion]
    joint = ll.Joint.from_counts(small_enough(joint).p[:, :8], drop_empty=True)
    values = [
        utility(joint, ll.mechanisms.optimal(joint, kind(eps)))
        for eps in (0.0, 0.3, 1.0, 3.0, 50.0)
    ]
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(values)), values
    assert values[-1] == pytest.approx(ll.measures.entropy(joint.p_x), abs=1e-9)
