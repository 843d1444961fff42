"""GRR, OUE, conditional reporting and calibration against their definitions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import liftlib as ll
from liftlib.errors import InfeasiblePrivacy, InvalidParameter
from liftlib.mechanisms.family import excess_of
from liftlib.mechanisms.noise.ldp import LARGEST_UNARY

JOINT = ll.Joint.from_counts([[4, 1, 2, 3], [1, 5, 2, 2], [3, 3, 1, 0]])
EXPLICIT = [
    (ll.randomised_response, ll.randomised_response_lip),
    (ll.unary_encoding, ll.unary_encoding_lip),
    (ll.conditional_reporting, ll.conditional_reporting_lip),
]


def test_randomised_response_by_hand():
    """e^alpha = 3 and four symbols: 3/6 on the diagonal, 1/6 off it."""
    kernel = ll.randomised_response(JOINT, np.log(3)).kernel
    np.testing.assert_allclose(kernel, np.where(np.eye(4), 1 / 2, 1 / 6))


def test_unary_encoding_by_hand():
    """Independent bits: the true one with chance 1/2, each other with 1/(e^alpha + 1) = 1/4, in Fractions."""
    kernel = ll.unary_encoding(JOINT, np.log(3)).kernel
    for x in range(4):
        for mask in range(16):
            chance = Fraction(1)
            for z in range(4):
                p = Fraction(1, 2) if z == x else Fraction(1, 4)
                chance *= p if mask >> z & 1 else 1 - p
            assert kernel[x, mask] == pytest.approx(float(chance), abs=1e-15)


def test_conditional_reporting_is_its_algorithm():
    """S20 Algorithm 1, line by line, drawn a hundred thousand times for each (s, x) that occurs."""
    rng, alpha, n = np.random.default_rng(0), 1.2, 100_000
    kernel = ll.conditional_reporting(JOINT, alpha).kernel
    keep = np.exp(alpha) / (np.exp(alpha) + JOINT.n_secret - 1)
    for s, x in [(0, 1), (2, 0), (1, 3)]:
        others = np.array([t for t in range(JOINT.n_secret) if t != s])
        mask = np.where(rng.random(n) < keep, s, rng.choice(others, n))
        drawn = np.array([rng.choice(4, p=JOINT.x_given_s[t], size=n) for t in range(3)])
        y = np.where(mask == s, x, drawn[mask, np.arange(n)])
        share = np.bincount(y, minlength=4) / n
        np.testing.assert_allclose(share, kernel[s, x], atol=5 * np.sqrt(0.25 / n))


@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.7, 3.0, 50.0, np.inf])
@pytest.mark.parametrize(("mechanism", "closed_form"), EXPLICIT)
def test_closed_forms(mechanism, closed_form, alpha, joint):
    """S20 eqs. (29), (32), (33) against the leakage of the kernel itself, zero cells and all."""
    if joint.n_public > 12 and mechanism is ll.unary_encoding:
        joint = ll.Joint.from_counts(joint.p[:, :9], drop_empty=True)
    direct = ll.LIP(0).leakage(joint, mechanism(joint, alpha))
    assert closed_form(joint, alpha) == pytest.approx(direct, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_thresholds_are_enough_for_unary_encoding(seed):
    """The extreme over all 2^|X| sets, one by one."""
    joint = ll.datasets.dirichlet_joint(3, 6, 0.5, np.random.default_rng(seed))
    c = np.exp(1.3) - 1
    worst = 0.0
    for size in range(7):
        for members in itertools.combinations(range(6), size):
            inside = list(members)
            ratio = (1 + c * joint.x_given_s[:, inside].sum(axis=1)) / (1 + c * joint.p_x[inside].sum())
            worst = max(worst, np.abs(np.log(ratio)).max())
    assert ll.unary_encoding_lip(joint, 1.3) == pytest.approx(worst)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0])
def test_explicit_mechanisms_keep_ldp(alpha, joint):
    """GRR and CR are alpha-LDP with respect to S (S20 Proposition 2)."""
    for mechanism in (ll.randomised_response, ll.conditional_reporting):
        assert ll.LDP(alpha).is_kept(joint, mechanism(joint, alpha))


def test_unary_encoding_in_full():
    """|X| = 16, 65,536 outputs, on Adult's education; its utility tends to half of H(X)."""
    joint = ll.datasets.adult("marital-status", "education")
    channel = ll.unary_encoding(joint, np.inf)
    assert channel.n_outputs == 65_536
    assert ll.evaluate(joint, channel).mutual_information == pytest.approx(ll.entropy(joint.p_x) / 2, rel=1e-9)
    wide = ll.Joint(np.full((1, LARGEST_UNARY + 1), 1 / (LARGEST_UNARY + 1)))
    with pytest.raises(InvalidParameter, match=r"unary encoding of 21 symbols has 2\^21 outputs"):
        ll.unary_encoding(wide, 1.0)


@pytest.mark.parametrize("mechanism", [ll.randomised_response, ll.unary_encoding, ll.conditional_reporting])
@pytest.mark.parametrize("alpha", [-1.0, np.nan, True, "1"])
def test_wrong_alpha(mechanism, alpha):
    with pytest.raises(InvalidParameter, match="alpha is"):
        mechanism(JOINT, alpha)


@pytest.mark.parametrize("eps", [1e-3, 0.1, 0.5])
@pytest.mark.parametrize(("mechanism", "closed_form"), EXPLICIT)
def test_calibration_solves_the_closed_form(mechanism, closed_form, eps):
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(1))
    alpha = ll.calibrate(mechanism, joint, ll.LIP(eps))
    assert closed_form(joint, alpha) == pytest.approx(eps, abs=1e-9)
    assert excess_of(joint, ll.LIP(eps), mechanism(joint, alpha)) <= 0


def test_calibration_at_the_ends():
    independent = ll.Joint(np.outer([0.4, 0.6], [0.2, 0.3, 0.5]))
    assert ll.calibrate(ll.randomised_response, independent, ll.LIP(0.1)) == np.inf
    assert ll.calibrate(ll.randomised_response, JOINT, ll.LIP(0.0)) == pytest.approx(0, abs=1e-9)
    reduction = {"high": 1.0, "private_end": "high"}
    assert ll.calibrate(ll.linear_reduction, independent, ll.LIP(0.1), **reduction) == 0
    assert ll.calibrate(ll.linear_reduction, JOINT, ll.LIP(0.0), **reduction) == pytest.approx(1, abs=1e-9)
    with pytest.raises(InfeasiblePrivacy, match=r"breaks LIP.* even at its private end, 0"):
        ll.calibrate(lambda joint, _: ll.Channel.identity(joint.n_public), JOINT, ll.LIP(0.1))
    with pytest.raises(InvalidParameter, match=r"the range is \[1, 1\]"):
        ll.calibrate(ll.randomised_response, JOINT, ll.LIP(0.1), low=1, high=1)


def test_calibration_of_two_budgets():
    """The tighter of the two decides."""
    joint = ll.datasets.uniform_joint(3, 6, np.random.default_rng(2))
    both = ll.calibrate(ll.linear_reduction, joint, ll.ALIP(0.4, 0.2), high=1, private_end="high")
    one = [
        ll.calibrate(ll.linear_reduction, joint, notion, high=1, private_end="high")
        for notion in (ll.ALIP(0.4, np.inf), ll.ALIP(np.inf, 0.2))
    ]
    assert both == pytest.approx(max(one), abs=1e-9)
